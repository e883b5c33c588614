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
	n := &tabular.Neighbours{Item: rows, Lists: r.lists(), Width: static.Width}
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

// stateColumns are the columns of Static that are of stateFamilies.
func (l EdgeLayout) stateColumns() []int32 {
	var out []int32
	for c, f := range l.Families() {
		if slices.Contains(stateFamilies, f) {
			out = append(out, int32(c))
		}
	}
	return out
}

// stateWidth is the number of columns of a state of Neighbours.
func (l EdgeLayout) stateWidth(labels bool) int {
	width := len(l.stateColumns())
	if labels {
		width += l.graph().LabelRowsWidth()
	}
	return width
}

// Lists of neighbours of an edge of a directed and of an undirected graph.
const (
	directedLists   = 6
	undirectedLists = 3
)

// lists are the lists of neighbours of all rows.
func (r *EdgeRows) lists() []tabular.List {
	if r.neighbours != nil {
		return r.neighbours
	}
	n, nodes := len(r.ends)/2, r.batch.H.NumVertices()
	source, target := make([]int32, n), make([]int32, n)
	for i := range n {
		source[i], target[i] = r.ends[2*i], r.ends[2*i+1]
	}
	number := map[[2]int32]int32{}
	pair, reverse := make([]int32, n), make([]int32, n)
	numberOf := func(a, b int32) int32 {
		k, ok := number[[2]int32{a, b}]
		if !ok {
			k = int32(len(number))
			number[[2]int32{a, b}] = k
		}
		return k
	}
	for i := range n {
		pair[i], reverse[i] = numberOf(source[i], target[i]), numberOf(target[i], source[i])
	}
	at := func(key, of []int32, keys int) { r.neighbours = append(r.neighbours, tabular.NewList(key, of, keys)) }
	directed := r.batch.H.Directed() // of an undirected graph, an edge that enters a node has a row that leaves it
	at(source, source, nodes)
	if directed {
		at(source, target, nodes)
		at(target, target, nodes)
	}
	at(target, source, nodes)
	at(pair, pair, len(number))
	if directed {
		at(reverse, pair, len(number))
	}
	return r.neighbours
}
