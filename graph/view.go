package graph

import (
	"fmt"

	"github.com/ehgnn/ehgnn/tensor"
)

// View is what a layer sees: a hypergraph with features. A graph is a view
// whose vertices are its nodes and whose hyperedges are its edges; its dual is
// one whose vertices are the edges. Layers are written for views, so the same
// layer learns nodes on v and edges on v.Dual().
type View struct {
	X *tensor.Tensor // [n,dx] vertex features
	E *tensor.Tensor // [m,de] hyperedge features
	W *tensor.Tensor // [m] hyperedge weights, nil for ones
	H *Incidence
	// VertexOf and EdgeOf say which sample of a batch each vertex and each
	// hyperedge belongs to. Both are sorted.
	VertexOf, EdgeOf *tensor.Index
}

// Dual is the Dual Hypergraph Transformation (equation 3): vertices and
// hyperedges change roles together with their features. It copies nothing, and
// Dual().Dual() is v but for the weights, which belong to hyperedges and are
// dropped.
func (v View) Dual() View {
	return View{X: v.E, E: v.X, H: v.H.Dual(), VertexOf: v.EdgeOf, EdgeOf: v.VertexOf}
}

// WithX is v with other vertex features.
func (v View) WithX(x *tensor.Tensor) View { v.X = x; return v }

// WithE is v with other hyperedge features.
func (v View) WithE(e *tensor.Tensor) View { v.E = e; return v }

// WithW is v with hyperedge weights [m].
func (v View) WithW(w *tensor.Tensor) View { v.W = w; return v }

// WithLoops is v with another convention for loops; see Loops.
func (v View) WithLoops(l Loops) View { v.H = v.H.WithLoops(l); return v }

// KeepEdges is the graph with the listed edges only, in the listed order, which
// must go through the samples in order; all nodes stay. Edge features and
// weights follow. It panics unless v is a graph.
func (v View) KeepEdges(ids []int32) View {
	pick := tensor.MustIndex(ids, v.H.NumEdges())
	out := v
	out.H = v.H.keepEdges(ids)
	of := make([]int32, len(ids))
	for i, e := range ids {
		of[i] = v.EdgeOf.IDs()[e]
	}
	out.EdgeOf = tensor.MustIndex(of, v.EdgeOf.Slots())
	if v.E != nil {
		out.E = tensor.Gather(v.E, pick)
	}
	if v.W != nil {
		out.W = tensor.Gather(v.W, pick)
	}
	return out
}

// Batch is the disjoint union of several samples.
type Batch struct {
	View
	N          int            // samples, also when the last ones are empty
	Labels     []int32        // [N] class of each sample, or NoLabel
	Targets    *tensor.Tensor // [N,t] real-valued targets, NaN where missing; nil without
	NodeLabels []int32        // [n] or nil
	EdgeLabels []int32        // [m] or nil
}

// Collate joins samples into a batch. All have the same feature widths, the
// same number of targets and the same directedness; samples without nodes or
// edges keep their place.
func Collate(gs []*Graph) (*Batch, error) {
	if len(gs) == 0 {
		return nil, fmt.Errorf("graph: collate: no samples")
	}
	first := gs[0]
	n, m := 0, 0
	for i, g := range gs {
		switch {
		case g.Node.Width() != first.Node.Width():
			return nil, fmt.Errorf("graph: collate: sample %d has node features of width %d, the first has %d", i, g.Node.Width(), first.Node.Width())
		case g.Edge.Width() != first.Edge.Width():
			return nil, fmt.Errorf("graph: collate: sample %d has edge features of width %d, the first has %d", i, g.Edge.Width(), first.Edge.Width())
		case g.Directed != first.Directed:
			return nil, fmt.Errorf("graph: collate: sample %d has directed %v, the first %v", i, g.Directed, first.Directed)
		case len(g.Targets) != len(first.Targets):
			return nil, fmt.Errorf("graph: collate: sample %d has %d targets, the first has %d", i, len(g.Targets), len(first.Targets))
		}
		n += g.NumNodes
		m += g.NumEdges()
	}
	b := &Batch{N: len(gs), Labels: make([]int32, len(gs))}
	ends := make([]int32, 0, 2*m)
	vertexOf, edgeOf := make([]int32, 0, n), make([]int32, 0, m)
	for i, g := range gs {
		base := int32(len(vertexOf))
		for _, v := range g.Ends {
			ends = append(ends, base+v)
		}
		for range g.NumNodes {
			vertexOf = append(vertexOf, int32(i))
		}
		for range g.NumEdges() {
			edgeOf = append(edgeOf, int32(i))
		}
		b.Labels[i] = g.Label
		b.NodeLabels = append(b.NodeLabels, g.NodeLabel...)
		b.EdgeLabels = append(b.EdgeLabels, g.EdgeLabel...)
	}
	if len(b.NodeLabels) != n {
		b.NodeLabels = nil
	}
	if len(b.EdgeLabels) != m {
		b.EdgeLabels = nil
	}
	b.H = pairIncidence(n, ends, first.Directed, defaultLoops(first.Directed))
	b.VertexOf = tensor.MustIndex(vertexOf, len(gs))
	b.EdgeOf = tensor.MustIndex(edgeOf, len(gs))
	b.X = union(gs, n, func(g *Graph) (Features, int) { return g.Node, g.NumNodes })
	b.E = union(gs, m, func(g *Graph) (Features, int) { return g.Edge, g.NumEdges() })
	if t := len(first.Targets); t > 0 {
		b.Targets = tensor.New(len(gs), t)
		for i, g := range gs {
			copy(b.Targets.Data()[i*t:], g.Targets)
		}
	}
	return b, nil
}

// union writes the feature rows of all samples one below the other.
func union(gs []*Graph, rows int, of func(*Graph) (Features, int)) *tensor.Tensor {
	f, _ := of(gs[0])
	w := f.Width()
	x := tensor.New(rows, w)
	at := x.Data()
	for _, g := range gs {
		f, k := of(g)
		for i := range k {
			f.Row(i, at[:w])
			at = at[w:]
		}
	}
	return x
}
