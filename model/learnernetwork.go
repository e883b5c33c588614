package model

import (
	"context"
	"encoding/json"
	"fmt"
	"math"

	"github.com/ehgnn/ehgnn/internal/lists"
	"github.com/ehgnn/ehgnn/internal/tabular"
	"github.com/ehgnn/ehgnn/tensor"
)

// Network is a neural network on columns as a learner of Auto. A network that also passes messages
// between edges over the dual hypergraph needs the neighbours of the rows (At).
type Network struct {
	Model  *tabular.Model
	Around *tabular.Neighbours // of the rows to predict, if the model reads neighbours; else nil
}

// Learner returns the model as a learner of Auto that reads the given columns, with its arrays.
func (m *Network) Learner(columns []int32) (Learner, map[string][]float32, error) {
	config, err := json.Marshal(m.Model.Spec())
	if err != nil {
		return Learner{}, nil, err
	}
	kind := LearnerNetwork
	if m.readsNeighbours() {
		kind = LearnerDual
	}
	l, arrays := Learner{Kind: kind, Columns: columns, Config: config}, map[string][]float32{}
	for _, p := range m.Model.Params() {
		l.Arrays = append(l.Arrays, ArrayShape{p.Name, p.Value.Shape()})
		arrays[p.Name] = p.Value.Data()
	}
	return l, arrays, nil
}

func loadNetwork(l Learner, out int, arrays map[string]*tensor.Tensor) (ColumnLearner, error) {
	var spec tabular.Spec
	if err := json.Unmarshal(l.Config, &spec); err != nil {
		return nil, err
	}
	m, err := tabular.Open(spec, lists.Map(l.Arrays, func(a ArrayShape) *tensor.Param {
		return &tensor.Param{Name: a.Name, Value: arrays[a.Name]}
	}))
	if err != nil {
		return nil, err
	}
	if width := spec.Inputs.Static + spec.Inputs.Labels; m.Outputs() != out || width != len(l.Columns) {
		return nil, errArrays("a network of %d columns and %d outputs, expected %d and %d", width, m.Outputs(), len(l.Columns), out)
	}
	n := &Network{Model: m}
	if n.readsNeighbours() != (l.Kind == LearnerDual) {
		return nil, errArrays("a %s whose network reads neighbours: %v", l.Kind, n.readsNeighbours())
	}
	return n, nil
}

// readsNeighbours reports whether the network passes messages between edges.
func (m *Network) readsNeighbours() bool { return m.Model.Spec().Messages != nil }

// checkStates returns an error for a network whose neighbour states differ from those of
// EdgeRows.Neighbours.
func (m *Network) checkStates(l EdgeLayout) error {
	if !m.readsNeighbours() {
		return nil
	}
	s := m.Model.Spec().Messages
	if want := l.stateWidth(s.Labels); s.Lists != directedLists && s.Lists != undirectedLists || s.State.Static != want {
		return errArrays("%d lists of neighbours with states of %d columns, expected %d or %d, and %d",
			s.Lists, s.State.Static, directedLists, undirectedLists, want)
	}
	return nil
}

// At returns the network with the neighbours of the rows of a place, if it reads neighbours.
func (m *Network) At(p *Place) (*Network, error) {
	if !m.readsNeighbours() {
		return m, nil
	}
	s := m.Model.Spec().Messages
	n, err := p.neighbours(s.Labels)
	if err == nil && len(n.Lists) != s.Lists {
		err = fmt.Errorf("model: a dual network reads %d lists of neighbours of each edge, and these edges have %d: it was trained by another version or with another --edges; train again",
			s.Lists, len(n.Lists))
	}
	return &Network{m.Model, n}, err
}

func errArrays(format string, of ...any) error { return fmt.Errorf(format, of...) }

// rows returns the columns of a block as the network reads them, with the columns of labels
// separate.
func (m *Network) rows(x Block) tabular.Rows {
	in := m.Model.Spec().Inputs
	part := func(from, width int) tabular.Block {
		if width == 0 {
			return tabular.Block{}
		}
		out := make([]float32, 0, x.Rows*width)
		for i := range x.Rows {
			out = append(out, x.Data[i*x.Width+from:][:width]...)
		}
		return tabular.Block{X: out, Cols: width}
	}
	return tabular.Rows{Static: part(0, in.Static), Labels: part(in.Static, in.Labels), Around: m.Around}
}

// Predict returns probabilities or numbers.
func (m *Network) Predict(x Block, threads int) ([]float32, error) {
	run := *m.Model
	run.Threads = threads
	out := make([]float32, x.Rows*run.Outputs())
	if err := run.Predict(context.Background(), m.rows(x), out); err != nil {
		return nil, err
	}
	if run.Spec().Loss == tabular.CrossEntropy {
		for i, v := range out {
			out[i] = float32(math.Exp(float64(v)))
		}
	}
	return out, nil
}

// Embed returns the last hidden layer.
func (m *Network) Embed(x Block, threads int) (vectors []float32, width int, err error) {
	run := *m.Model
	run.Threads = threads
	width = run.Spec().Units
	vectors = make([]float32, x.Rows*width)
	return vectors, width, run.Hidden(context.Background(), m.rows(x), vectors)
}
