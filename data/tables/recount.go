package tables

import (
	"slices"

	"github.com/ehgnn/ehgnn/graph"
)

// Recount is a graph that has some of the input's edges, by their places in it, with its columns of structure and of
// time counted from these edges alone, as if there were no others.
func (in *Input) Recount(s *Set, e *Encoder, g *graph.Graph, edges []int32, threads int) (*graph.Graph, error) {
	counted := len(e.Structure)
	if e.Times != nil {
		counted += len(e.Times.Fields)
	}
	if counted == 0 {
		return g, nil
	}
	own := graph.Features{Code: g.Edge.Code, Codes: g.Edge.Codes, Dim: g.Edge.Dim - counted}
	for i := range edges {
		own.Dense = append(own.Dense, g.Edge.Dense[i*g.Edge.Dim:][:own.Dim]...)
	}
	var known []int32
	times := make([]float64, len(edges))
	for i, of := range edges {
		if in.known != nil {
			if _, found := slices.BinarySearch(in.known, of); found {
				known = append(known, int32(i))
			}
		}
		if s.Time != nil {
			times[i] = s.Time[in.Edges[of]]
		}
	}
	if in.known != nil && known == nil {
		known = []int32{}
	}
	out := *g
	var err error
	if out.Edge, err = e.WithStructure(own, g.NumNodes, g.Ends, known, threads); err != nil {
		return nil, err
	}
	out.Edge, err = e.WithTimes(out.Edge, g.NumNodes, g.Ends, times, known, threads)
	return &out, err
}
