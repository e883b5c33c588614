package tensor

import (
	"fmt"
	"sync"

	"github.com/ehgnn/ehgnn/internal/kernel"
	"github.com/ehgnn/ehgnn/internal/lists"
)

// ArcIndex says which rows of two or three matrices each arc joins: arc k joins row src[k] of the
// first, row dst[k] of the second and, if there is a third, row edge[k] of the third. It is
// immutable and may be shared by goroutines.
type ArcIndex struct {
	ends  []*Index
	once  [3]sync.Once
	sides [3]arcSide
}

// arcSide has the arcs sorted by their row of one matrix.
type arcSide struct {
	ptr, arcs []int32 // the arcs of row i: arcs[ptr[i]:ptr[i+1]], or ptr[i] to ptr[i+1] if arcs is nil
	chunks    entryChunks
	rows      [3][]int32 // the row of each arc in each matrix; nil for this matrix if there are no chunks
}

// NewArcIndex makes an ArcIndex from maps from arcs to rows. edge may be nil. It panics with
// *ShapeError if the maps have different numbers of arcs.
func NewArcIndex(src, dst, edge *Index) *ArcIndex {
	j := &ArcIndex{ends: []*Index{src, dst}}
	if edge != nil {
		j.ends = append(j.ends, edge)
	}
	for _, ix := range j.ends {
		if ix.Len() != src.Len() {
			panic(&ShapeError{Op: "NewArcIndex", Shapes: [][]int{{src.Len()}, {ix.Len()}}, Want: "as many arcs in each map"})
		}
	}
	return j
}

// arcs is the number of arcs.
func (j *ArcIndex) arcs() int { return j.ends[0].Len() }

// side returns the arcs sorted by their row of matrix r, built on first use.
func (j *ArcIndex) side(r int) *arcSide {
	s := &j.sides[r]
	j.once[r].Do(func() {
		s.ptr, s.arcs = j.ends[r].Segments()
		s.chunks = chunksOf(nil, s.ptr)
		for i, ix := range j.ends {
			switch {
			case i == r && !s.chunks.some(): // kernels take row i itself
			case i == r:
				s.rows[i] = listOf(make([]int32, ix.Len()), s.ptr)
			case s.arcs == nil:
				s.rows[i] = ix.ids
			default:
				s.rows[i] = lists.Take(ix.ids, s.arcs)
			}
		}
	})
	return s
}

// EdgeScores computes attention scores of arcs for each head, as in GATv2 (Brody, Alon and Yahav
// 2022):
//
//	out_k,h = <att_h, LeakyReLU(x[src_k] + y[dst_k] + e[edge_k])_h>
//
// x [n,H·d], y [n',H·d], e [m,H·d] and att [H,d] give [arcs,H]. e is nil if j has no third map.
// Head h has the columns h·d to (h+1)·d. slope must not be 0. The sums are not stored: the backward
// pass computes them again.
func EdgeScores(j *ArcIndex, x, y, e, att *Tensor, slope float32) *Tensor {
	heads, d := att.matrix("EdgeScores")
	in := []*Tensor{x, y, e}
	if (e != nil) != (len(j.ends) == 3) {
		mismatch("EdgeScores", fmt.Sprintf("%d matrices", len(j.ends)), x, y)
	}
	for i, ix := range j.ends {
		in[i].matrix("EdgeScores")
		if in[i].checkIndex("EdgeScores", ix.n, "slots of the index") != heads*d {
			mismatch("EdgeScores", fmt.Sprintf("%d heads of %d columns", heads, d), in[i], att)
		}
	}
	if slope == 0 {
		mismatch("EdgeScores", "a slope that is not 0", att)
	}
	out := tapeOf(x, y, e, att).alloc(shapeOf(j.arcs(), heads))
	l := loopOf(out)
	l.dots = kernel.EdgeDots{Slope: slope, Dst: out.data, Heads: heads, D: d, Width: 1, G: att.data, OneG: true,
		X: x.data, XRow: j.ends[0].ids, Y: y.data, YRow: j.ends[1].ids}
	if e != nil {
		l.dots.Z, l.dots.ZRow = e.data, j.ends[2].ids
	}
	l.rows(out, j.arcs(), segmentGrain/max(heads*d, 1)+1, dotsLoop)
	return opWith(out, edgeScoresRule{arcIndex: j, slope: slope}, x, y, e, att)
}

type edgeScoresRule struct {
	arcIndex *ArcIndex
	slope    float32
}

func (r *edgeScoresRule) grad(b *back) {
	m := arcTerms{r.arcIndex, b.In[0], b.In[1], b.In[2], r.slope}
	for side := range m.ends {
		if b.Need(side) {
			b.Set(side, scoresBySide(m, side, b.G, b.In[3]))
		}
	}
	if b.Need(3) {
		b.Set(3, scoresByVector(m, b.G, b.In[3].shape))
	}
}

// arcTerms are the matrices whose rows EdgeScores adds for each arc, and the slope of the
// LeakyReLU.
type arcTerms struct {
	*ArcIndex
	x, y, e *Tensor
	slope   float32
}

func (m arcTerms) parts() []*Tensor { return []*Tensor{m.x, m.y, m.e}[:len(m.ends)] }

func (m arcTerms) detached() arcTerms {
	m.x, m.y = m.x.Detach(), m.y.Detach()
	if m.e != nil {
		m.e = m.e.Detach()
	}
	return m
}

// sum returns the kernel over the arcs sorted by matrix r.
func (m arcTerms) sum(kind kernel.MessageKind, r int) kernel.EdgeMessages {
	s := m.side(r)
	k := kernel.EdgeMessages{Kind: kind, Slope: m.slope,
		X: m.x.data, XRow: s.rows[0], Y: m.y.data, YRow: s.rows[1]}
	if m.e != nil {
		k.Z, k.ZRow = m.e.data, s.rows[2]
	}
	return k
}

// byHeads runs the kernel for each head over the arcs sorted by matrix r, with the factors g
// [arcs,H]. If scale is given, it then multiplies every row of the result.
func (m arcTerms) byHeads(out *Tensor, k kernel.EdgeMessages, r int, g *Tensor, scale []float32) {
	s := m.side(r)
	_, heads := g.matrix("EdgeScores")
	arcs, width := m.arcs(), out.shape.dim[1]
	d := width / max(heads, 1)
	coef := tapeOf(out).alloc(shapeOf(heads, arcs)).data
	pool := poolOf(out)
	pool.Rows(arcs, elementGrain/max(heads, 1)+1, func(lo, hi int) {
		for at := lo; at < hi; at++ {
			arc := at
			if s.arcs != nil {
				arc = int(s.arcs[at])
			}
			for h, v := range g.data[arc*heads : (arc+1)*heads] {
				coef[h*arcs+at] = v
			}
		}
	})
	ptr, dst := s.ptr, out.data
	if s.chunks.some() {
		ptr = s.chunks.ptr
		partial := tapeOf(out).borrow(s.chunks.count() * width)
		defer tapeOf(out).giveBack(partial)
		dst = partial.data
	}
	from := func(x []float32, h int) []float32 { return x[min(h*d, len(x)):] }
	pool.Balanced(ptr, segmentGrain/max(width, 1)+1, func(lo, hi int) {
		// It takes a few rows at a time, so that a head finds in cache what the previous head has
		// read.
		for first := lo; first < hi; {
			last := first + 1
			for last < hi && ptr[last+1]-ptr[first] <= 64 {
				last++
			}
			for h := range heads {
				k := k
				k.Dst, k.Ptr, k.D, k.Stride, k.Coef = from(dst, h), ptr, d, width, coef[h*arcs:(h+1)*arcs]
				k.X, k.Y = from(k.X, h), from(k.Y, h)
				if k.Z != nil {
					k.Z = from(k.Z, h)
				}
				k.Rows(first, last)
			}
			if scale != nil {
				rows := dst[first*width : last*width]
				kernel.BinaryRow(kernel.Mul, rows, rows, scale)
			}
			first = last
		}
	})
	if s.chunks.some() {
		s.chunks.total(out, dst, width)
	}
}

// scoresBySide is the gradient of EdgeScores by matrix r, given the gradient g of the scores:
//
//	out_i = att ∘ Σ_k g_k·(1 where the sum on arc k is positive, slope elsewhere)
//
// over the arcs k of row i. It is linear in g and in att. Its derivatives by the matrices are 0
// almost everywhere.
func scoresBySide(m arcTerms, r int, g, att *Tensor) *Tensor {
	out := tapeOf(g, att, m.x).alloc(m.parts()[r].shape)
	m = m.detached()
	m.byHeads(out, m.sum(kernel.SumLeakyGrad, r), r, g, att.data)
	return opWith(out, scoresBySideRule{of: m, side: r}, g, att)
}

type scoresBySideRule struct {
	of   arcTerms // its matrices are constants
	side int      // the matrix whose gradient it is
}

func (r *scoresBySideRule) grad(b *back) {
	g, att := b.In[0], b.In[1]
	m := r.of
	heads, d := att.matrix("EdgeScores")
	z := Gather(m.x, m.ends[0]).Add(Gather(m.y, m.ends[1]))
	if m.e != nil {
		z = z.Add(Gather(m.e, m.ends[2]))
	}
	by := Gather(b.G, m.ends[r.side]).Mul(unaryInto(kernel.LeakyStep, z, m.slope, 0))
	by = by.Reshape(m.arcs(), heads, d)
	if b.Need(0) {
		b.Set(0, by.Mul(att).SumAxis(2).reshapeTo(g.shape))
	}
	if b.Need(1) {
		b.Set(1, by.Mul(g.Reshape(m.arcs(), heads, 1)).SumAxis(0).reshapeTo(att.shape))
	}
}

// scoresByVector is the gradient of EdgeScores by att, given the gradient g of the scores: the sum
// over arcs of g times the LeakyReLU of the sum on the arc.
func scoresByVector(m arcTerms, g *Tensor, att shape) *Tensor {
	const r = 1 // arcs are usually sorted by target already
	sums := tapeOf(g, m.x, m.y, m.e).alloc(m.y.shape)
	m.byHeads(sums, m.sum(kernel.SumLeaky, r), r, g, nil)
	out := columnTotals(sums, att)
	return opWith(out, scoresByVectorRule{arcIndex: m.ArcIndex, slope: m.slope}, g, m.x, m.y, m.e)
}

type scoresByVectorRule struct {
	arcIndex *ArcIndex
	slope    float32
}

func (r *scoresByVectorRule) grad(b *back) {
	m := arcTerms{r.arcIndex, b.In[1], b.In[2], b.In[3], r.slope}
	if b.Need(0) {
		b.Set(0, EdgeScores(m.ArcIndex, m.x, m.y, m.e, b.G, m.slope))
	}
	for i := range m.ends {
		if b.Need(i + 1) {
			b.Set(i+1, scoresBySide(m, i, b.In[0], b.G))
		}
	}
}
