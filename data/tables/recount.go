package tables

import (
	"slices"

	"github.com/ehgnn/ehgnn/graph"
)

// Recounted says what Input.Recount computes again.
type Recounted struct {
	// Reads reports for each number among the features of an edge whether it is computed again; nil for all.
	Reads []bool
	// Edges are the edges of the graph whose numbers are computed again; nil for all.
	Edges []int32
}

// Recount is a graph with some of the input's edges, given by index, with structure and time columns computed as if
// there were no other edges.
func (in *Input) Recount(s *Set, e *Encoder, g *graph.Graph, edges []int32, o Recounted, threads int) (*graph.Graph, error) {
	times := 0
	if e.Times != nil {
		times = len(e.Times.Fields)
	}
	first := g.Edge.Dim - len(e.Structure) - times
	reads := func(column int) bool { return o.Reads == nil || o.Reads[first+column] }
	var names []string // of structure columns that are computed again
	var place []int
	for c, f := range e.Structure {
		if reads(c) {
			names, place = append(names, f.Name), append(place, c)
		}
	}
	timed := false
	for c := range times {
		timed = timed || reads(len(e.Structure)+c)
	}
	if names == nil && !timed {
		return g, nil
	}
	out := *g
	out.Edge.Dense = slices.Clone(g.Edge.Dense)
	counted := func(i int) []float32 { return out.Edge.Dense[i*g.Edge.Dim:][first:g.Edge.Dim] }
	known := in.knownOf(edges)
	if names != nil {
		err := e.eachStructure(names, g.NumNodes, g.Ends, known, o.Edges, threads, func(i int, row []float32) {
			for k, x := range row {
				counted(i)[place[k]] = standardised(&e.Structure[place[k]], x)
			}
		})
		if err != nil {
			return nil, err
		}
	}
	if timed {
		at := make([]float64, len(edges))
		if s.Time != nil {
			for i, of := range edges {
				at[i] = s.Time[in.Edges[of]]
			}
		}
		rows, err := e.WithTimes(graph.Features{}, g.NumNodes, g.Ends, at, known, threads)
		if err != nil {
			return nil, err
		}
		for i := range edges {
			copy(counted(i)[len(e.Structure):], rows.Dense[i*times:][:times])
		}
	}
	return &out, nil
}

// knownOf returns the known edges among some edges of the input, by index; nil if all are known.
func (in *Input) knownOf(edges []int32) []int32 {
	if in.known == nil {
		return nil
	}
	known := []int32{}
	for i, of := range edges {
		if _, found := slices.BinarySearch(in.known, of); found {
			known = append(known, int32(i))
		}
	}
	return known
}
