package pool

import (
	"fmt"
	"math"
	"slices"

	"github.com/ehgnn/ehgnn/graph"
	"github.com/ehgnn/ehgnn/nn"
	"github.com/ehgnn/ehgnn/tensor"
)

// DropEdgeConfig describes a DropEdge. With Exact, Arcs and RowSums it is the
// authors' code.
type DropEdgeConfig struct {
	// Rate is the share of edges dropped, from 0 to 1.
	Rate float64
	// Exact keeps exactly ⌊(1-Rate)·m⌋ random edges of each sample, where the
	// default decides on every edge by itself.
	Exact bool
	// Arcs takes an undirected edge for two arcs, one of which may be dropped: the
	// result is a directed graph.
	Arcs bool
	// RowSums adds loops and weights as RowNormalized does, in evaluation, too; the
	// layers after it are then GCNs with NoNormalize.
	RowSums bool
}

// Validate reports a rate out of range.
func (c DropEdgeConfig) Validate() error {
	if !(c.Rate >= 0 && c.Rate <= 1) {
		return fmt.Errorf("pool: drop edge: rate %v, expected 0 to 1", c.Rate)
	}
	return nil
}

// DropEdge removes random edges in training, once per pass and before the first
// layer, so that all layers see the same thinner graph; normalisation and
// self-loops come after it, in the layers. In evaluation the graph is whole.
//
// Input: a graph; output: the same nodes with fewer edges in their order,
// Result.Keep listing them, by arc (View.Arcs) with the option Arcs, or nil where
// nothing was dropped. It draws from the pass and has no parameters. It panics with
// *tensor.ShapeError on a dual or another hypergraph.
//
// Rong, Huang, Xu and Huang 2020, section 4.1. The authors keep an exact number of
// the arcs and normalise by row sums; the paper about hyperedges says neither.
// Both are options here.
type DropEdge struct{ DropEdgeConfig }

// NewDropEdge returns a DropEdge.
func NewDropEdge(c DropEdgeConfig) (*DropEdge, error) {
	if err := c.Validate(); err != nil {
		return nil, err
	}
	return &DropEdge{c}, nil
}

// Params lists nothing.
func (*DropEdge) Params() []*tensor.Param { return nil }

// Forward thins out v in training.
func (d *DropEdge) Forward(p *nn.Pass, v graph.View) Result {
	res := Result{View: v}
	if p.Train && d.Rate > 0 {
		if d.Arcs {
			v, _ = v.Arcs()
		}
		res.Keep = d.draw(p, v.EdgeOf)
		res.View = v.KeepEdges(res.Keep)
	}
	if d.RowSums {
		res.View = RowNormalized(res.View)
	}
	return res
}

// draw selects edges, in rising order within each sample.
func (d *DropEdge) draw(p *nn.Pass, of *tensor.Index) []int32 {
	keep := make([]int32, 0, of.Len())
	ptr, perm := of.Segments()
	for g := range of.Slots() {
		var left []int32
		for k := ptr[g]; k < ptr[g+1]; k++ {
			if e := row(perm, k); d.Exact || p.Rand.Float64() >= d.Rate {
				left = append(left, e)
			}
		}
		if d.Exact {
			k := int((1 - d.Rate) * float64(len(left)))
			for i := range k { // the first k of a random order
				j := i + p.Rand.IntN(len(left)-i)
				left[i], left[j] = left[j], left[i]
			}
			left = left[:k]
			slices.Sort(left)
		}
		keep = append(keep, left...)
	}
	return keep
}

// RowNormalized is the graph v with one self-loop per node and the weights
//
//	w_uv = 1/sqrt(d_u·d_v),  d_u = number of arcs from u, its loop included,
//
// the normalisation of DropEdge's authors, which counts at the source on both
// sides and so differs from GCN's where the graph is not symmetric. A node's own
// self-loops become the one. Follow it with GCNs with NoNormalize. Edge features
// are dropped and weights replaced; it panics with *tensor.ShapeError unless v is
// a graph.
func RowNormalized(v graph.View) graph.View {
	adj, ok := v.H.Adjacency()
	if !ok {
		panic(&tensor.ShapeError{Op: "RowNormalized", Shapes: [][]int{{v.H.NumVertices(), v.H.NumEdges()}},
			Want: "a graph whose edges have two ends"})
	}
	out := withLoops(v.WithW(nil), adj)
	ends := out.H.Ends()
	degree := make([]float64, v.H.NumVertices())
	for e := range len(ends) / 2 {
		a, b := ends[2*e], ends[2*e+1]
		degree[a]++
		if a != b && !v.H.Directed() {
			degree[b]++
		}
	}
	w := tensor.New(len(ends) / 2)
	for e := range w.Data() {
		w.Data()[e] = float32(1 / math.Sqrt(degree[ends[2*e]]*degree[ends[2*e+1]]))
	}
	return out.WithX(v.X).WithW(w)
}
