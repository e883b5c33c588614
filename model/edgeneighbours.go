package model

import (
	"fmt"
	"math"
	"slices"

	"github.com/ehgnn/ehgnn/internal/columns"
	"github.com/ehgnn/ehgnn/internal/lists"
	"github.com/ehgnn/ehgnn/internal/tabular"
)

// stateFamilies are the families whose columns are part of the state of a neighbour.
var stateFamilies = []string{FamilyOwn, FamilyEnds, FamilyClock}

// Neighbours describes the edges around some rows, for a network with message passing over the dual
// hypergraph. label has the known labels, as in Block. An edge has six lists of neighbours: the
// edges that leave and that enter its source, those that enter and that leave its target, those
// with the same ends, and those in the opposite direction. An undirected edge is two rows, one in
// each direction, so three lists are enough: the rows that leave its source, those that leave its
// target, and those with the same ends. The state of an edge has its own features, those of its
// ends and its time. If labels is set, it also has the edge's known label and the columns of known
// labels of other edges (columns.LabelRows). Edges without a known label are neighbours, too.
func (r *EdgeRows) Neighbours(label []float32, rows []int32, labels bool) (*tabular.Neighbours, error) {
	static := r.states()
	n := &tabular.Neighbours{Item: rows, Items: len(r.ends) / 2, Lists: r.lists().all(), Width: static.Width}
	if !r.batch.H.Directed() {
		n.Pair = r.edges
	}
	own := func(to []float32, item int32) { copy(to, static.Data[int(item)*static.Width:][:static.Width]) }
	n.State = own
	if !labels {
		return n, nil
	}
	g, known := r.labelled(label)
	l, err := columns.NewLabelRows(g, known, r.threads)
	if err != nil {
		return nil, fmt.Errorf("model: %w", err)
	}
	n.Label, n.Width = g.Label, static.Width+l.Width
	n.State = func(to []float32, item int32) {
		own(to, item)
		l.Row(to[static.Width:], item)
	}
	return n, nil
}

// KnownAround counts, for each end of each of some edges, the edges there (all) and those of them
// with a known label (known).
func (r *EdgeRows) KnownAround(label []float32, edges []int32) (known, all []int) {
	n := r.batch.H.NumVertices()
	countKnown, count := make([]int, n), make([]int, n)
	for e := range r.edges {
		for _, v := range r.ends[2*e:][:2] {
			count[v]++
			if x := float64(label[e]); !math.IsNaN(x) {
				countKnown[v]++
			}
		}
	}
	for _, e := range edges {
		for _, v := range r.ends[2*e:][:2] {
			known, all = append(known, countKnown[v]), append(all, count[v])
		}
	}
	return known, all
}

// states returns the columns from features in the states of all rows.
func (r *EdgeRows) states() Block {
	if r.state.Data == nil {
		all := lists.Range[int32](len(r.ends) / 2)
		r.state = r.Static(all).Select(r.stateColumns())
	}
	return r.state
}

// lists returns the lists of neighbours of all rows.
func (r *EdgeRows) lists() *edgeLists {
	if r.neighbours == nil {
		r.neighbours = newEdgeLists(r.batch.H.NumVertices(), r.ends, r.batch.H.Directed())
	}
	return r.neighbours
}

// stateColumns returns the columns of Static that belong to stateFamilies.
func (l EdgeLayout) stateColumns() []int32 {
	return lists.Where[int32](l.Families(), func(_ int, f string) bool { return slices.Contains(stateFamilies, f) })
}

// stateWidth is the number of columns of a state of Neighbours.
func (l EdgeLayout) stateWidth(labels bool) int {
	width := len(l.stateColumns())
	if labels {
		width += l.graph().LabelRowsWidth()
	}
	return width
}
