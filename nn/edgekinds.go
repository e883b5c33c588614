package nn

import (
	"encoding/binary"
	"math"

	"github.com/ehgnn/ehgnn/graph"
	"github.com/ehgnn/ehgnn/internal/dedup"
	"github.com/ehgnn/ehgnn/internal/lists"
	"github.com/ehgnn/ehgnn/tensor"
)

// edgeKinds are the distinct rows of edge features. Most data sets have few: the types of bonds, or
// one row for all edges without features. A layer then maps a row per kind and not a row per edge.
// For a dense graph this saves most of its memory.
type edgeKinds struct {
	rows *tensor.Tensor // [kinds, width]
	*kindOfEdge
}

// kindOfEdge is the kind of each edge. It is the same value for all features of these kinds.
type kindOfEdge struct{ of []int32 }

// edgeKindsKey is the key under which later layers find the kinds that the first layer computed. A
// constant does not change while it is in use, and a tensor that is a key stays in use.
type edgeKindsKey struct{ e *tensor.Tensor }

// repeatedKey is the key for the kinds of repeated rows, whose index is a constant.
type repeatedKey struct{ ix *tensor.Index }

// edgeKindsOf returns the kinds of the edge features. It returns nil if almost all rows are
// distinct, and for features with gradients, unless they are repeated rows as an Encoder returns
// them.
func edgeKindsOf(p *Pass, v graph.View) *edgeKinds {
	if rows, ix := v.E.Repeated(); rows != nil {
		return &edgeKinds{rows, graph.Derived(v.H, repeatedKey{ix}, func() *kindOfEdge { return &kindOfEdge{ix.IDs()} })}
	}
	if p.Tape.Bind(v.E) == v.E { // belongs to a tape
		return nil
	}
	return graph.Derived(v.H, edgeKindsKey{v.E}, func() *edgeKinds { return newEdgeKinds(v.E) })
}

func newEdgeKinds(e *tensor.Tensor) *edgeKinds {
	d := e.Dim(1)
	row := func(i int) []float32 { return e.Data()[i*d : (i+1)*d] }
	first, of := dedup.Rows(e.Dim(0), func(key []byte, i int) []byte {
		for _, v := range row(i) {
			key = binary.LittleEndian.AppendUint32(key, math.Float32bits(v))
		}
		return key
	})
	if of == nil {
		return nil
	}
	rows := make([]float32, 0, len(first)*d)
	for _, i := range first {
		rows = append(rows, row(int(i))...)
	}
	return &edgeKinds{tensor.FromSlice(rows, len(first), d), &kindOfEdge{of}}
}

type kindMessagesKey struct {
	kinds *kindOfEdge
	coef  bool
}

// messages returns the messages of a with weights by kind. Its coefficients are those of the edges
// [m]; nil means ones.
func (k *edgeKinds) messages(v graph.View, a *graph.Adjacency, coef *tensor.Tensor) *tensor.Sparse {
	return graph.Derived(v.H, kindMessagesKey{k.kindOfEdge, coef != nil}, func() *tensor.Sparse {
		c := a.Messages.SparseConfig
		edges := c.Weight
		c.Weight, c.NumWeights = make([]int32, len(edges)), k.rows.Dim(0)
		for i, e := range edges {
			c.Weight[i] = k.of[e]
		}
		if coef != nil {
			c.Coef = lists.Take(coef.Data(), edges)
		}
		return tensor.NewSparse(c)
	})
}
