package boost

import (
	"math"
	"slices"
)

// Model is an ensemble of trees. It is safe for use by several goroutines.
type Model struct {
	Threads int // for Predict; all processors if 0

	outputs, columns int
	base             []float32
	starts           []int32 // first node of each tree, and the number of nodes; trees of a round are adjacent
	nodes            []node
	value            []float32 // leaf values
	cover            []float32 // training rows of each node
	lookups          []lookup  // category numbers of categorical columns
	sets             []set
}

// node is a node of a tree. A leaf is its own child, so that a loop may step on from it.
type node struct {
	threshold   float32 // a row goes left if its value is at most this; for a category: number of the set
	column      int32
	left        int32 // index of the left child; the right child follows it
	missing     uint8 // 1 if missing values go right
	categorical bool
}

// lookup numbers the categories of a column from 1. Missing values have the number 0, and unknown
// categories have the number after the last category.
type lookup struct {
	column int
	codes  []float32 // sorted
}

// set has a bit for each numbered category that goes left.
type set [4]uint64

func (s *set) has(bin uint8) bool { return s[bin/64]>>(bin%64)&1 != 0 }

func newModel(outputs, columns int, base []float32, found []column) *Model {
	m := &Model{outputs: outputs, columns: columns, base: base, starts: []int32{0}}
	for _, c := range found {
		if c.bounds == nil {
			m.lookups = append(m.lookups, lookup{c.source, c.codes})
		}
	}
	return m
}

// Outputs is the number of raw scores of a row: one, or one for each class.
func (m *Model) Outputs() int { return m.outputs }

// Columns is the number of columns that a row has.
func (m *Model) Columns() int { return m.columns }

// Rounds is the number of rounds that the model keeps.
func (m *Model) Rounds() int { return (len(m.starts) - 1) / m.outputs }

func (m *Model) leaf(n int) bool { return int(m.nodes[n].left) == n }

// addLeaf appends a leaf.
func (m *Model) addLeaf(value, cover float32) {
	self := int32(len(m.nodes))
	m.nodes = append(m.nodes, node{threshold: float32(math.Inf(1)), left: self})
	m.value = append(m.value, value)
	m.cover = append(m.cover, cover)
}

// addNode appends an inner node.
func (m *Model) addNode(n node, cover float32) {
	m.nodes = append(m.nodes, n)
	m.value = append(m.value, 0)
	m.cover = append(m.cover, cover)
}

// add appends a grown tree, with bins replaced by values.
func (m *Model) add(t *grown, columns []column) {
	first := int32(len(m.nodes))
	for i := range t.nodes {
		p := &t.nodes[i]
		cover := float32(p.sum.rows())
		if p.child == 0 {
			m.addLeaf(p.value, cover)
			continue
		}
		c := &columns[p.split.column]
		n := node{column: int32(c.source), left: first + int32(p.child), missing: 1 - p.left[missing]}
		if c.bounds != nil {
			n.threshold = c.bounds[p.split.bin-1]
		} else {
			n.categorical = true
			n.threshold = float32(len(m.sets))
			m.sets = append(m.sets, newSet(p.split.set))
		}
		m.addNode(n, cover)
	}
	m.starts = append(m.starts, int32(len(m.nodes)))
}

func newSet(bins *[256]bool) (s set) {
	for b, in := range bins {
		if in {
			s[b/64] |= 1 << (b % 64)
		}
	}
	return s
}

// cut keeps the first rounds and drops the others.
func (m *Model) cut(rounds int) *Model {
	m.starts = m.starts[:rounds*m.outputs+1]
	n := m.starts[len(m.starts)-1]
	m.nodes, m.value, m.cover = m.nodes[:n], m.value[:n], m.cover[:n]
	used := 0
	for i := range m.nodes {
		if m.nodes[i].categorical {
			used = int(m.nodes[i].threshold) + 1
		}
	}
	m.sets = slices.Clip(m.sets[:used])
	return m
}
