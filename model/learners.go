package model

import (
	"fmt"
	"slices"

	"github.com/ehgnn/ehgnn/internal/lists"
	"github.com/ehgnn/ehgnn/internal/tabular"
	"github.com/ehgnn/ehgnn/nn"
	"github.com/ehgnn/ehgnn/tensor"
)

// Kinds of learners on columns.
const (
	LearnerLinear  = "linear"
	LearnerTrees   = "trees"
	LearnerNetwork = "network"
	LearnerDual    = "dual network"
)

// A ColumnLearner predicts from rows of the columns that it reads.
type ColumnLearner interface {
	// Predict returns for each row of x the probabilities of the classes, or a standardised number.
	Predict(x Block, threads int) ([]float32, error)
	// Contributions returns how much each column of a row adds to output c: to a number, or to the
	// log-odds or the logarithm of the probability of a class. Their sum plus base is the output;
	// base is the output of a row about which nothing is known.
	Contributions(row []float32, c int) (parts []float64, base float64, err error)
}

// Place is rows of a graph. Learners share the neighbours of the rows.
type Place struct {
	of     []int32
	find   func(rows []int32, labels bool) (*tabular.Neighbours, error)
	around map[bool]*tabular.Neighbours // with labels or without, when first needed
}

// newPlace returns a place of rows. find returns the neighbours of rows.
func newPlace(of []int32, find func(rows []int32, labels bool) (*tabular.Neighbours, error)) *Place {
	return &Place{of, find, map[bool]*tabular.Neighbours{}}
}

// place returns some rows of a batch, given the known labels (Block).
func (r *EdgeRows) place(label []float32, of []int32) *Place {
	return newPlace(of, func(rows []int32, labels bool) (*tabular.Neighbours, error) { return r.Neighbours(label, rows, labels) })
}

// neighbours returns the neighbours of the rows.
func (p *Place) neighbours(labels bool) (*tabular.Neighbours, error) {
	if n := p.around[labels]; n != nil {
		return n, nil
	}
	n, err := p.find(p.of, labels)
	if err == nil {
		p.around[labels] = n
	}
	return n, err
}

// loadLearner returns the constructor of a kind of trained learner, nil for an unknown kind. The
// arrays may come from an untrusted file and are checked.
func loadLearner(kind string) func(l Learner, out int, arrays map[string]*tensor.Tensor) (ColumnLearner, error) {
	switch kind {
	case LearnerTrees:
		return loadTrees
	case LearnerNetwork, LearnerDual:
		return loadNetwork
	case LearnerLinear:
		return loadLinear
	}
	return nil
}

// checkLearners returns an error for learners that no training writes.
func checkLearners(learners []Learner) error {
	for k, l := range learners {
		if loadLearner(l.Kind) == nil {
			return fmt.Errorf("learner %d is of kind %q, which is not known", k, l.Kind)
		}
		if !(l.Quantile >= 0 && l.Quantile < 1) || l.Quantile > 0 && l.Weight > 0 {
			return fmt.Errorf("learner %d has quantile %v and weight %v, expected a quantile of 0 to 1, and weight 0 beside one", k, l.Quantile, l.Weight)
		}
		if !(l.Weight >= 0 && l.Weight <= 1) {
			return fmt.Errorf("learner %d has weight %v, expected 0 to 1", k, l.Weight)
		}
		for _, a := range l.Arrays {
			if a.Name == "" || slices.ContainsFunc(a.Shape, func(n int) bool { return n < 0 }) {
				return fmt.Errorf("learner %d has array %q of shape %v", k, a.Name, a.Shape)
			}
		}
	}
	return nil
}

// learnerParams returns the arrays of learners as parameters, without values.
func learnerParams(in nn.Init, learners []Learner) (params []*tensor.Param) {
	for k, l := range learners {
		for _, a := range l.Arrays {
			params = append(params, in.In("learners", k).Zeros(a.Name, a.Shape...))
		}
	}
	return params
}

// fillLearners sets the parameters to the values of the arrays of each learner, by name.
func fillLearners(learners []Learner, params []*tensor.Param, arrays []map[string][]float32) error {
	at := 0
	for k, l := range learners {
		for _, a := range l.Arrays {
			to := params[at].Value.Data()
			if from := arrays[k][a.Name]; copy(to, from) != len(to) || len(from) != len(to) {
				return fmt.Errorf("array %s of learner %d has %d numbers, expected %d", a.Name, k, len(from), len(to))
			}
			at++
		}
	}
	return nil
}

// loadLearners builds learners with out outputs, which read rows of the given width, from the
// values of their parameters.
func loadLearners(learners []Learner, params []*tensor.Param, width, out int) ([]ColumnLearner, error) {
	var made []ColumnLearner
	at := 0
	for k, l := range learners {
		for i, c := range l.Columns {
			if c < 0 || int(c) >= width || i > 0 && c <= l.Columns[i-1] {
				return nil, fmt.Errorf("learner %d reads column %d, expected rising numbers below %d", k, c, width)
			}
		}
		arrays := map[string]*tensor.Tensor{}
		for _, a := range l.Arrays {
			arrays[a.Name] = params[at].Value
			at++
		}
		learner, err := loadLearner(l.Kind)(l, out, arrays)
		if err != nil {
			return nil, fmt.Errorf("learner %d, %s: %w", k, l.Kind, err)
		}
		made = append(made, learner)
	}
	return made, nil
}

// Block is rows of columns.
type Block struct {
	Rows, Width int
	Data        []float32 // row by row
}

// Select returns a block of some columns.
func (b Block) Select(columns []int32) Block { return b.SelectBeside(Block{}, columns) }

// SelectBeside returns a block of some columns of b.Beside(more).
func (b Block) SelectBeside(more Block, columns []int32) Block {
	out := Block{Rows: b.Rows, Width: len(columns), Data: make([]float32, b.Rows*len(columns))}
	for i := range b.Rows {
		from, behind, to := b.Data[i*b.Width:][:b.Width], more.Data[i*more.Width:], out.Data[i*out.Width:]
		for k, c := range columns {
			if int(c) < b.Width {
				to[k] = from[c]
			} else {
				to[k] = behind[int(c)-b.Width]
			}
		}
	}
	return out
}

// Take returns a block of some rows.
func (b Block) Take(rows []int32) Block {
	return Block{Rows: len(rows), Width: b.Width, Data: lists.TakeRows(b.Data, b.Width, rows)}
}

// Beside appends the columns of another block with the same number of rows.
func (b Block) Beside(more Block) Block {
	out := Block{Rows: b.Rows, Width: b.Width + more.Width, Data: make([]float32, b.Rows*(b.Width+more.Width))}
	for i := range b.Rows {
		to := out.Data[i*out.Width:]
		copy(to, b.Data[i*b.Width:][:b.Width])
		copy(to[b.Width:], more.Data[i*more.Width:][:more.Width])
	}
	return out
}

// Join returns the mean of the first n numbers and the next n, the outputs of both directions of
// undirected edges. If there are only n numbers, it returns them.
func Join(out []float32, n int) []float32 {
	if len(out) > n {
		for i := range n {
			out[i] = (out[i] + out[n+i]) / 2
		}
	}
	return out[:n]
}
