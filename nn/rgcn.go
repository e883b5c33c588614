package nn

import (
	"cmp"
	"fmt"

	"github.com/ehgnn/ehgnn/graph"
	"github.com/ehgnn/ehgnn/tensor"
)

// RGCNConfig describes an RGCN. The zero value is PyTorch Geometric's layer without basis
// decomposition.
type RGCNConfig struct {
	Relations int  // number of edge types; 0 means all columns of E from Column on
	Bases     int  // number of bases of the relations' weights; 0 means a weight for each relation
	Column    int  // first column of the edge type in E
	Sum       bool // sum over the neighbours of each relation; otherwise their mean
	NoRoot    bool // leave out the node's own term
	NoBias    bool // the formula of the paper has no bias
}

// RGCN is the relational graph convolution, with a weight per edge type:
//
//	X'_v = X_v·W_0 + Σ_r 1/|N_r(v)| Σ_{u ∈ N_r(v)} X_u·W_r + b
//
// With bases W_r = Σ_b C_rb·V_b. Each of several parallel edges counts. A self-loop edge is treated
// like any other edge. A node without edges of a type receives nothing from that type.
//
// Input: a view with X [n,in], E with the edge types and optional edge weights W [m], which
// multiply the messages. Output: [n,out]. The type of an edge is the column with the largest entry
// among columns Column to Column+Relations-1 of its row of E, as in a one-hot code; in a tie it is
// the lower column. If no entry is positive, the edge has no type and sends nothing. ForwardTypes
// takes the types as ids. E gets no gradient. It panics with *tensor.ShapeError on a dual and if E
// has too few columns.
//
// Messages of one type to one node are summed first. So the memory is n·relations·in, or
// n·bases·in, for any number of edges.
//
// Schlichtkrull et al. 2018, equations 2 and 3; Jo et al. 2021, appendix A.1.
type RGCN struct {
	Weight     *tensor.Param // weight [relations or bases,in,out]
	Comp       *tensor.Param // comp [relations,bases] or nil
	Root, Bias *tensor.Param // root [in,out], bias [out], or nil
	RGCNConfig

	in, out int
}

// NewRGCN returns a layer with Glorot-uniform weights and zero bias. It returns an error if there
// is no relation.
func NewRGCN(in Init, d ConvDims, c RGCNConfig) (*RGCN, error) {
	c.Relations = cmp.Or(c.Relations, d.Edge-c.Column)
	if c.Relations < 1 || c.Bases < 0 || c.Column < 0 {
		return nil, fmt.Errorf("nn: RGCN: %d relations, %d bases, column %d, expected at least one relation and nothing negative", c.Relations, c.Bases, c.Column)
	}
	l := &RGCN{RGCNConfig: c, in: d.In, out: d.Out}
	blocks := c.Relations
	if c.Bases > 0 {
		blocks = c.Bases
		l.Comp = in.Glorot("comp", c.Relations, c.Bases, c.Relations, c.Bases)
	}
	l.Weight = in.Glorot("weight", d.In, d.Out, blocks, d.In, d.Out)
	if !c.NoRoot {
		l.Root = in.Glorot("root", d.In, d.Out, d.In, d.Out)
	}
	if !c.NoBias {
		l.Bias = in.Zeros("bias", d.Out)
	}
	return l, nil
}

// Params lists weight, comp, root and bias.
func (l *RGCN) Params() []*tensor.Param { return present(l.Weight, l.Comp, l.Root, l.Bias) }

// Forward is one convolution with the edge types in E.
func (l *RGCN) Forward(p *Pass, v graph.View) *tensor.Tensor {
	e := v.E
	if e == nil || e.Rank() != 2 || e.Dim(1) < l.Column+l.Relations {
		var found [][]int
		if e != nil {
			found = [][]int{e.Shape()}
		}
		panic(&tensor.ShapeError{Op: "RGCN", Shapes: found,
			Want: fmt.Sprintf("an edge type in columns %d to %d of the edge features", l.Column, l.Column+l.Relations-1)})
	}
	return l.ForwardTypes(p, v, largestColumns(e, l.Column, l.Relations))
}

// largestColumns returns for each row the position of the largest positive entry in a block of
// columns, or -1 if there is none.
func largestColumns(e *tensor.Tensor, first, k int) []int32 {
	n, d := e.Dim(0), e.Dim(1)
	out := make([]int32, n)
	for i := range out {
		out[i] = -1
		most := float32(0)
		for r, x := range e.Data()[i*d+first : i*d+first+k] {
			if x > most {
				out[i], most = int32(r), x
			}
		}
	}
	return out
}

// ForwardTypes is Forward with the type of each edge, -1 for an edge without type. It panics with
// *tensor.ShapeError if there is not exactly one type for each edge or a type is not below
// Relations.
func (l *RGCN) ForwardTypes(p *Pass, v graph.View, types []int32) *tensor.Tensor {
	a := edgePairs("RGCN", v)
	ok := len(types) == v.H.NumEdges()
	for _, r := range types {
		ok = ok && int(r) < l.Relations
	}
	if !ok {
		panic(&tensor.ShapeError{Op: "RGCN", Shapes: [][]int{{len(types)}},
			Want: fmt.Sprintf("a type below %d for each of %d edges", l.Relations, v.H.NumEdges())})
	}
	n, blocks := v.H.NumVertices(), l.Weight.Value.Dim(0)
	var c tensor.SpMMConfig
	if l.Comp != nil {
		c.W = l.comp(p, v, types)
	} else if v.W != nil {
		c.W = v.W
	}
	x := tensor.SpMM(l.structure(a, types, v.W != nil), bind(p, v.X), c).Reshape(n, blocks*l.in)
	x = tensor.Affine(x, p.Var(l.Weight).Reshape(blocks*l.in, l.out), p.VarOrNil(l.Bias), tensor.AffineConfig{})
	if l.Root != nil {
		x = x.Add(bind(p, v.X).MatMul(p.Var(l.Root)))
	}
	return x
}

// comp returns the coefficients of the bases: by type, or by edge if edges have weights.
func (l *RGCN) comp(p *Pass, v graph.View, types []int32) *tensor.Tensor {
	c := p.Var(l.Comp)
	if v.W == nil {
		return c.Reshape(-1)
	}
	ids := make([]int32, len(types))
	for e, r := range types {
		ids[e] = max(r, 0) // an edge without type sends nothing, so any row will do
	}
	return tensor.Gather(c, tensor.MustIndex(ids, l.Relations)).Mul(v.W.Reshape(-1, 1)).Reshape(-1)
}

// structure sums the messages of each node by type, in rows node·relations+type. With bases it sums
// them by basis, with weights by type, or by edge if edges have weights.
func (l *RGCN) structure(a *graph.Adjacency, types []int32, byEdge bool) *tensor.Sparse {
	m := a.Messages
	n, rel := m.Rows, l.Relations
	s := tensor.SparseConfig{Rows: n * rel, Cols: n, Ptr: make([]int32, n*rel+1), Col: make([]int32, 0, len(m.Col))}
	edge := make([]int32, 0, len(m.Col))
	count, next := make([]int32, rel), make([]int32, rel)
	for v := range n {
		lo, hi := m.Ptr[v], m.Ptr[v+1]
		clear(count)
		for k := lo; k < hi; k++ {
			if r := types[m.Weight[k]]; r >= 0 {
				count[r]++
			}
		}
		at := int32(len(s.Col))
		for r, k := range count {
			next[r] = at
			at += k
			s.Ptr[v*rel+r+1] = at
		}
		s.Col, edge = s.Col[:at], edge[:at]
		for k := lo; k < hi; k++ {
			if r := types[m.Weight[k]]; r >= 0 {
				s.Col[next[r]], edge[next[r]] = m.Col[k], m.Weight[k]
				next[r]++
			}
		}
	}
	mean := tensor.NewSparse(s)
	if !l.Sum {
		mean = meanOf(mean)
	}
	s = mean.SparseConfig
	switch {
	case byEdge:
		s.Weight, s.NumWeights = edge, m.NumWeights
	case l.Comp != nil:
		s.Weight, s.NumWeights = make([]int32, len(edge)), rel
		for k, e := range edge {
			s.Weight[k] = types[e]
		}
	default:
		s.NumWeights = 0
	}
	if l.Comp == nil {
		return tensor.NewSparse(s)
	}
	ptr := make([]int32, n+1)
	for v := range ptr {
		ptr[v] = s.Ptr[v*rel]
	}
	s.Rows, s.Ptr = n, ptr
	return channelled(tensor.NewSparse(s), l.Bases, true, false)
}
