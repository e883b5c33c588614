package pool

import (
	"fmt"
	"slices"

	"github.com/ehgnn/ehgnn/graph"
	"github.com/ehgnn/ehgnn/nn"
	"github.com/ehgnn/ehgnn/tensor"
)

// DropEdgeConfig describes a DropEdge. Exact and Arcs together give the authors' code.
type DropEdgeConfig struct {
	// Rate is the share of edges to drop, from 0 to 1.
	Rate float64
	// Exact keeps exactly ⌊(1-Rate)·m⌋ random edges of each sample. By default each edge is dropped
	// independently.
	Exact bool
	// Arcs treats an undirected edge as two arcs, of which one may be dropped. The result is a
	// directed graph.
	Arcs bool
}

// Validate returns an error if the rate is out of range.
func (c DropEdgeConfig) Validate() error {
	if !(c.Rate >= 0 && c.Rate <= 1) {
		return fmt.Errorf("pool: drop edge: rate %v, expected 0 to 1", c.Rate)
	}
	return nil
}

// DropEdge removes random edges in training, once per pass and before the first layer, so that all
// layers use the same edges. Layers normalise and add self-loops after it. In evaluation all edges
// stay.
//
// Input: a graph. Output: the same nodes with fewer edges in their order. Result.Keep lists these
// edges, or with the option Arcs the arcs (View.Arcs). It is nil if nothing was dropped. There are
// no parameters. Random numbers are those of the pass. In training it panics on a dual or another
// hypergraph, as View.KeepEdges does.
//
// Rong, Huang, Xu and Huang 2020, section 4.1. The authors keep an exact number of arcs. Their
// first index of an arc is its target, here it is the second. For an undirected graph this is
// equivalent, because both arcs of an edge are kept with equal probability.
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

// Forward drops edges of v in training.
func (d *DropEdge) Forward(p *nn.Pass, v graph.View) Result {
	if !p.Train || d.Rate == 0 {
		return Result{View: v}
	}
	if d.Arcs {
		v, _ = v.Arcs()
	}
	keep := d.draw(p, v.EdgeOf)
	return Result{View: v.KeepEdges(keep), Keep: keep}
}

// draw selects edges, in ascending order within each sample.
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
