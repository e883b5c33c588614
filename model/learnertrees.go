package model

import (
	"maps"
	"slices"

	"github.com/ehgnn/ehgnn/internal/boost"
	"github.com/ehgnn/ehgnn/internal/par"
	"github.com/ehgnn/ehgnn/tensor"
)

// Trees are gradient-boosted trees as a learner of Auto.
type Trees struct {
	Model   *boost.Model
	Classes bool // the scores are log-odds of the second of two classes, or logits
	out     int
}

// NewTrees makes a learner with out outputs.
func NewTrees(m *boost.Model, out int, classes bool) *Trees { return &Trees{m, classes, out} }

// Learner returns the model as a learner of Auto that reads the given columns, with its arrays.
func (m *Trees) Learner(columns []int32) (Learner, map[string][]float32) {
	arrays := m.Model.Arrays()
	l := Learner{Kind: LearnerTrees, Columns: columns, Config: []byte("false")}
	if m.Classes {
		l.Config = []byte("true")
	}
	for _, name := range slices.Sorted(maps.Keys(arrays)) {
		l.Arrays = append(l.Arrays, ArrayShape{name, []int{len(arrays[name])}})
	}
	return l, arrays
}

func loadTrees(l Learner, out int, arrays map[string]*tensor.Tensor) (ColumnLearner, error) {
	flat := map[string][]float32{}
	for name, a := range arrays {
		flat[name] = a.Data()
	}
	m, err := boost.FromArrays(flat)
	if err != nil {
		return nil, err
	}
	t := NewTrees(m, out, string(l.Config) == "true")
	if want := t.scores(); m.Outputs() != want || m.Columns() != len(l.Columns) {
		return nil, errArrays("trees of %d columns and %d scores, expected %d and %d", m.Columns(), m.Outputs(), len(l.Columns), want)
	}
	return t, nil
}

// scores is the number of raw scores of a row.
func (m *Trees) scores() int {
	if m.Classes && m.out == 2 {
		return 1
	}
	return m.out
}

// Predict returns probabilities or numbers.
func (m *Trees) Predict(x Block, threads int) ([]float32, error) {
	k := m.scores()
	raw := make([]float32, x.Rows*k)
	run := *m.Model
	run.Threads = threads
	if err := run.Predict(&boost.Matrix{Columns: x.Width, Blocks: [][]float32{x.Data}}, raw); err != nil {
		return nil, err
	}
	if !m.Classes {
		return raw, nil
	}
	out := make([]float32, x.Rows*m.out)
	par.New(threads).Rows(x.Rows, 64, func(lo, hi int) {
		row := make([]float64, m.out)
		for i := lo; i < hi; i++ {
			if k == 1 {
				row[1] = logistic(float64(raw[i]))
				row[0] = 1 - row[1]
			} else {
				for c := range row {
					row[c] = float64(raw[i*k+c])
				}
				softmax(row)
			}
			for c, v := range row {
				out[i*m.out+c] = float32(v)
			}
		}
	})
	return out, nil
}
