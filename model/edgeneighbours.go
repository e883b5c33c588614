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

// Neighbours are what a network with message passing over the dual hypergraph reads of the edges around some rows, given
// the labels that are known as in Block. An edge has six lists of neighbours: the edges that leave and that enter its source,
// those that enter and that leave its target, those with the same ends, and those in the other direction. An undirected edge is
// two rows, one in each direction, so that three lists say as much: what leaves its source, what leaves its target, and what has
// the same ends. The state
// of an edge are its own features, those of its ends, its time and, where labels are read, its known label and the
// columns of known labels of other edges (columns.LabelRows). Edges without a known label are neighbours, too.
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

// KnownAround is how many known labels are at the ends of each of some edges, one number for each end, and how many edges.
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

// states are the columns of the states of all rows that come from features.
func (r *EdgeRows) states() Block {
	if r.state.Data == nil {
		all := lists.Range[int32](len(r.ends) / 2)
		r.state = r.Static(all).Select(r.stateColumns())
	}
	return r.state
}

// lists are the lists of neighbours of all rows.
func (r *EdgeRows) lists() *edgeLists {
	if r.neighbours == nil {
		r.neighbours = newEdgeLists(r.batch.H.NumVertices(), r.ends, r.batch.H.Directed())
	}
	return r.neighbours
}

// stateColumns are the columns of Static that are of stateFamilies.
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
