package graph

import (
	"fmt"

	"github.com/ehgnn/ehgnn/internal/lists"
	"github.com/ehgnn/ehgnn/tensor"
)

// Batch is the disjoint union of several samples.
type Batch struct {
	View
	N          int            // number of samples, including empty ones at the end
	Labels     []int32        // [N] class of each sample, or NoLabel
	Targets    *tensor.Tensor // [N,t] real-valued targets, NaN where missing; nil if there are none
	NodeLabels []int32        // [n] or nil
	EdgeLabels []int32        // [m] or nil
	// NodeTargets [n,t] and EdgeTargets [m,t] are the numbers of the nodes and edges, NaN where
	// unknown. They are nil unless every sample that has nodes or edges has the same t.
	NodeTargets, EdgeTargets *tensor.Tensor
	// Observed are the labels that a model may read. It is nil unless every sample that has edges
	// has them.
	Observed *ObservedLabels
	// Edge has the features of the edges if E is nil (CollateCodes).
	Edge Features
}

// EdgeRow writes the features of edge i into dst.
func (b *Batch) EdgeRow(i int, dst []float32) {
	if b.E == nil {
		b.Edge.Row(i, dst)
		return
	}
	copy(dst, b.E.Data()[i*b.E.Dim(1):][:b.E.Dim(1)])
}

// CollateCodes makes a batch of one sample without the matrix E, which needs much memory for a
// large graph with categories. Models that read few rows at a time call EdgeRow.
func CollateCodes(g *Graph) (*Batch, error) {
	b, err := collate([]*Graph{g})
	if err != nil {
		return nil, err
	}
	b.Edge = g.Edge
	return b, nil
}

// Collate joins samples into a batch. All samples have the same feature widths, the same number of
// targets and the same directedness. Samples without nodes or edges keep their place.
func Collate(gs []*Graph) (*Batch, error) {
	b, err := collate(gs)
	if err != nil {
		return nil, err
	}
	b.E = union(gs, b.H.NumEdges(), func(g *Graph) (Features, int) { return g.Edge, g.NumEdges() })
	return b, nil
}

// collate is Collate without E.
func collate(gs []*Graph) (*Batch, error) {
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
	b.NodeTargets = joinTargets(gs, func(g *Graph) ([]float32, int) { return g.NodeTargets, g.NumNodes })
	b.EdgeTargets = joinTargets(gs, func(g *Graph) ([]float32, int) { return g.EdgeTargets, g.NumEdges() })
	b.Observed = joinObserved(gs, m)
	b.H = pairIncidence(n, ends, first.Directed, defaultLoops(first.Directed))
	b.VertexOf = tensor.MustIndex(vertexOf, len(gs))
	b.EdgeOf = tensor.MustIndex(edgeOf, len(gs))
	b.X = union(gs, n, func(g *Graph) (Features, int) { return g.Node, g.NumNodes })
	if t := len(first.Targets); t > 0 {
		b.Targets = tensor.New(len(gs), t)
		for i, g := range gs {
			copy(b.Targets.Data()[i*t:], g.Targets)
		}
	}
	return b, nil
}

// joinTargets returns the targets [items,t] of the nodes or edges of all samples. It is nil if
// there are none, or if t is not the same in all samples.
func joinTargets(gs []*Graph, of func(*Graph) (targets []float32, items int)) *tensor.Tensor {
	var all []float32
	items, width := 0, 0
	for _, g := range gs {
		targets, n := of(g)
		if n == 0 {
			continue
		}
		if w := perItem(targets, n); items == 0 {
			width = w
		} else if w != width {
			return nil
		}
		all, items = append(all, targets...), items+n
	}
	if width == 0 {
		return nil
	}
	return tensor.FromSlice(all, items, width)
}

// union writes the feature rows of all samples one below the other.
func union(gs []*Graph, rows int, of func(*Graph) (Features, int)) *tensor.Tensor {
	if fewCodes(gs, of) {
		return tensor.SparseRows(oneHot(gs, rows, of))
	}
	f, _ := of(gs[0])
	w := f.Width()
	var x *tensor.Tensor
	if len(gs) == 1 && len(f.Codes) == 0 {
		x = tensor.FromSlice(f.Dense, rows, w) // no operation changes the features of a batch
	} else {
		x = tensor.New(rows, w)
		at := x.Data()
		for _, g := range gs {
			f, k := of(g)
			f.rows(0, k, at[:k*w])
			at = at[k*w:]
		}
	}
	if len(f.Codes) == 0 && w >= wide {
		if a := mostlyZero(x.Data(), rows, w); a != nil {
			return tensor.SparseRows(a)
		}
	}
	return x
}

// Features are also kept in sparse form if they have at least wide columns and at most one in zeros
// elements is not 0: bags of words, for example.
const (
	wide  = 64
	zeros = 16
)

// mostlyZero returns x [rows,cols] as a sparse matrix, or nil if it has too many entries.
func mostlyZero(x []float32, rows, cols int) *tensor.Sparse {
	n := lists.Count(x, func(v float32) bool { return v != 0 })
	if n > len(x)/zeros {
		return nil
	}
	c := tensor.SparseConfig{Rows: rows, Cols: cols, Ptr: make([]int32, 1, rows+1), Col: make([]int32, 0, n), Coef: make([]float32, 0, n)}
	for i := range rows {
		for j, v := range x[i*cols : (i+1)*cols] {
			if v != 0 {
				c.Col, c.Coef = append(c.Col, int32(j)), append(c.Coef, v)
			}
		}
		c.Ptr = append(c.Ptr, int32(len(c.Col)))
	}
	return tensor.NewSparse(c)
}
