package model

import (
	"fmt"

	"github.com/ehgnn/ehgnn/tensor"
)

// Dual is a neural network on columns that also passes messages between edges over the dual hypergraph, as a learner of
// Auto. It predicts for rows that it has been placed at.
type Dual struct {
	Network
	rows  *EdgeRows
	label []float32
	of    []int32
}

// Learner is the model as a learner of Auto that reads some columns, with its arrays.
func (m *Dual) Learner(columns []int32) (Learner, map[string][]float32, error) {
	l, arrays, err := m.Network.Learner(columns)
	l.Kind = LearnerDual
	return l, arrays, err
}

func loadDual(l Learner, out int, arrays map[string]*tensor.Tensor) (ColumnLearner, error) {
	n, err := loadNetwork(l, out, arrays)
	if err != nil {
		return nil, err
	}
	if n.(*Network).Model.Spec().Messages == nil {
		return nil, errArrays("a network that reads no neighbours, expected one that does")
	}
	return &Dual{Network: *n.(*Network)}, nil
}

// At places the network at some rows of edges, given the labels that are known (EdgeRows.Block).
func (m *Dual) At(rows *EdgeRows, label []float32, of []int32) ColumnLearner {
	return &Dual{m.Network, rows, label, of}
}

// around is the network with the neighbours of the rows it is placed at.
func (m *Dual) around(x Block) (Network, error) {
	if m.rows == nil || len(m.of) != x.Rows {
		return Network{}, fmt.Errorf("model: a network over edges predicts %d rows without their place in the graph", x.Rows)
	}
	n := m.Network
	var err error
	n.Around, err = m.rows.Neighbours(m.label, m.of, m.Model.Spec().Messages.Labels)
	return n, err
}

// Predict gives probabilities or numbers.
func (m *Dual) Predict(x Block, threads int) ([]float32, error) {
	n, err := m.around(x)
	if err != nil {
		return nil, err
	}
	return n.Predict(x, threads)
}

// Embed gives the last hidden layer.
func (m *Dual) Embed(x Block, threads int) (vectors []float32, width int, err error) {
	n, err := m.around(x)
	if err != nil {
		return nil, 0, err
	}
	return n.Embed(x, threads)
}
