package boost

import (
	"fmt"

	"github.com/ehgnn/ehgnn/internal/lists"
)

// step is a column on the path from the root, for all subsets of known columns at once.
type step struct {
	column    int32
	zero, one float64 // share of the rows that continue if the column is unknown, and if it is known
	weight    float64 // weight of the subsets of each size
}

// Contributions writes what each column of a row contributes to its raw scores: Shapley values in
// which an unknown column sends a row to both children, in the proportion of the training rows.
// Column c of score k has index k*Columns()+c. The contributions to a score sum to the score minus
// the mean score.
//
// The method is Algorithm 2 of Lundberg, Erion and Lee, "Consistent Individualized Feature
// Attribution for Tree Ensembles", 2018.
func (m *Model) Contributions(row []float32, out []float64) error {
	if len(row) != m.columns {
		return fmt.Errorf("boost: %d values, expected %d columns", len(row), m.columns)
	}
	if len(out) != m.columns*m.outputs {
		return fmt.Errorf("boost: room for %d contributions, expected %d", len(out), m.columns*m.outputs)
	}
	clear(out)
	s := shapley{m: m, row: m.prepare(row, nil)}
	for t, root := range m.starts[:len(m.starts)-1] {
		k := t % m.outputs
		s.out = out[k*m.columns : (k+1)*m.columns]
		s.visit(root, 0, step{column: -1, zero: 1, one: 1})
	}
	return nil
}

// MeanScores returns the mean raw scores of the training rows, computed from the row counts of the nodes.
func (m *Model) MeanScores() []float64 {
	out := lists.Convert[float64](m.base[:m.outputs])
	for t, root := range m.starts[:len(m.starts)-1] {
		out[t%m.outputs] += m.mean(root)
	}
	return out
}

// mean is the mean value of the leaves below a node.
func (m *Model) mean(n int32) float64 {
	if m.leaf(int(n)) {
		return float64(m.value[n])
	}
	left := m.nodes[n].left
	return m.share(n, left)*m.mean(left) + m.share(n, left+1)*m.mean(left+1)
}

// share is the share of a node's training rows that went to a child.
func (m *Model) share(n, child int32) float64 {
	left := m.nodes[n].left
	return float64(m.cover[child]) / (float64(m.cover[left]) + float64(m.cover[left+1]))
}

// shapley sums the contributions of the leaves for one row.
type shapley struct {
	m    *Model
	row  []float32
	out  []float64
	path []step // paths of the visited nodes, one after another
}

// visit moves to a node by a step from the path that begins at the given index.
func (s *shapley) visit(n int32, parent int, by step) {
	start := len(s.path)
	s.path = append(s.path, s.path[parent:start]...)
	path := extend(s.path[start:], by)
	s.path = append(s.path[:start], path...)
	defer func() { s.path = s.path[:start] }()
	if s.m.leaf(int(n)) {
		s.leaf(path, float64(s.m.value[n]))
		return
	}
	column := s.m.nodes[n].column
	earlier := step{zero: 1, one: 1}
	for i := 1; i < len(path); i++ {
		if path[i].column == column {
			earlier = path[i]
			s.path = append(s.path[:start], unwound(path, i)...)
			break
		}
	}
	hot := s.m.next(n, s.row)
	for _, child := range []int32{s.m.nodes[n].left, s.m.nodes[n].left + 1} {
		one := 0.0
		if child == hot {
			one = earlier.one
		}
		s.visit(child, start, step{column: column, zero: earlier.zero * s.m.share(n, child), one: one})
	}
}

// extend adds a step to a path.
func extend(path []step, by step) []step {
	d := len(path)
	by.weight = 0
	if d == 0 {
		by.weight = 1
	}
	path = append(path, by)
	for i := d - 1; i >= 0; i-- {
		path[i+1].weight += by.one * path[i].weight * float64(i+1) / float64(d+1)
		path[i].weight = by.zero * path[i].weight * float64(d-i) / float64(d+1)
	}
	return path
}

// unwound is a path without its step i, as if this step had not been added.
func unwound(path []step, i int) []step {
	d := len(path) - 1
	out := append([]step(nil), path...)
	one, zero := path[i].one, path[i].zero
	n := path[d].weight
	for j := d - 1; j >= 0; j-- {
		if one != 0 {
			t := out[j].weight
			out[j].weight = n * float64(d+1) / (float64(j+1) * one)
			n = t - out[j].weight*zero*float64(d-j)/float64(d+1)
		} else {
			out[j].weight = out[j].weight * float64(d+1) / (zero * float64(d-j))
		}
	}
	for j := i; j < d; j++ {
		w := out[j].weight
		out[j] = out[j+1]
		out[j].weight = w
	}
	return out[:d]
}

// leaf adds the contributions of a leaf at the end of a path.
func (s *shapley) leaf(path []step, value float64) {
	for i := 1; i < len(path); i++ {
		sum := 0.0
		for _, p := range unwound(path, i) {
			sum += p.weight
		}
		s.out[path[i].column] += sum * (path[i].one - path[i].zero) * value
	}
}
