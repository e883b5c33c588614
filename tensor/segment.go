package tensor

import (
	"fmt"

	"github.com/ehgnn/ehgnn/internal/kernel"
)

// segmentGrain is the number of elements that a segment loop gives to one thread.
const segmentGrain = 1 << 13

func (x *Tensor) checkIndex(name string, rows int, want string) int {
	n, d := x.rows(name)
	if n != rows {
		mismatch(name, fmt.Sprintf("%d rows, as many as %s", rows, want), x)
	}
	return d
}

// Gather copies rows: row i of the result is row ids[i] of x, which has a row per slot. [n,...]
// gives [k,...].
func Gather(x *Tensor, ix *Index) *Tensor {
	d := x.checkIndex("Gather", ix.n, "slots of the index")
	out := tapeOf(x).alloc(x.shape.withRows(len(ix.ids)))
	l := loopOf(out)
	l.dst, l.x, l.ids, l.d = out.data, x.data, ix.ids, d
	l.rows(out, len(ix.ids), segmentGrain/max(d, 1)+1, func(l *loop, lo, hi int) {
		kernel.GatherRows(l.dst[lo*l.d:hi*l.d], l.x, l.ids[lo:hi], l.d)
	})
	return opWith(out, gatherRule{ix}, x)
}

type gatherRule struct{ index *Index }

func (r *gatherRule) grad(b *back) { b.Set(0, SegmentSum(b.G, r.index)) }

// SegmentSum adds the rows of each slot, in ascending order. An empty slot gives 0. [k,...] gives
// [n,...].
func SegmentSum(x *Tensor, ix *Index) *Tensor {
	d := x.checkIndex("SegmentSum", len(ix.ids), "rows of the index")
	out := tapeOf(x).alloc(x.shape.withRows(ix.n))
	ptr, perm := ix.Segments()
	l := loopOf(out)
	l.spmm = kernel.SpMM{Dst: out.data, X: x.data, D: d, Ptr: ptr, Col: perm}
	l.balanced(out, ptr, segmentGrain/max(d, 1)+1, spmmLoop)
	return opWith(out, segmentSumRule{ix}, x)
}

type segmentSumRule struct{ index *Index }

func (r *segmentSumRule) grad(b *back) { b.Set(0, Gather(b.G, r.index)) }

// SegmentMean is SegmentSum divided by the number of rows. An empty slot gives 0.
func SegmentMean(x *Tensor, ix *Index) *Tensor {
	x.checkIndex("SegmentMean", len(ix.ids), "rows of the index")
	return MeanOfSum(SegmentSum(x, ix), ix)
}

// MeanOfSum turns a SegmentSum into a SegmentMean, for readouts that need both.
func MeanOfSum(sum *Tensor, ix *Index) *Tensor {
	sum.checkIndex("MeanOfSum", ix.n, "slots of the index")
	return sum.Mul(ix.inverseCounts(sum.shape.rank))
}

func (ix *Index) inverseCounts(rank int) *Tensor {
	s := shape{rank: rank, dim: [maxRank]int{1, 1, 1, 1}}
	s.dim[0] = ix.n
	for i := rank; i < maxRank; i++ {
		s.dim[i] = 0
	}
	inv := &Tensor{data: make([]float32, ix.n), shape: s}
	for i, c := range ix.Counts() {
		inv.data[i] = 1 / float32(max(c, 1))
	}
	return inv
}

// SegmentMax is the maximum of each slot and column. An empty slot gives 0. Tied maxima share the
// gradient evenly.
func SegmentMax(x *Tensor, ix *Index) *Tensor {
	d := x.checkIndex("SegmentMax", len(ix.ids), "rows of the index")
	out := tapeOf(x).alloc(x.shape.withRows(ix.n))
	l := loopOf(out)
	l.dst, l.x, l.d, l.seg = out.data, x.data, d, ix.segments()
	l.balanced(out, l.seg.Ptr, segmentGrain/max(d, 1)+1, func(l *loop, lo, hi int) {
		kernel.SegmentMax(l.dst, l.x, l.d, l.seg, lo, hi)
	})
	return opWith(out, segmentMaxRule{ix}, x)
}

type segmentMaxRule struct{ index *Index }

func (r *segmentMaxRule) grad(b *back) {
	b.Set(0, segmentMaxGrad(b.G, b.In[0].Detach(), b.Out.Detach(), r.index))
}

// segmentMaxGrad spreads g, which has a row per slot, over the rows of x that are the maximum of
// their slot and column, evenly over ties. It is linear in g. Its derivative by x is 0 almost
// everywhere.
func segmentMaxGrad(g, x, maxima *Tensor, ix *Index) *Tensor {
	out := segmentShare(tapeOf(g, x), g, x, maxima, ix)
	return opWith(out, segmentMaxGradRule{ix}, g, x.Detach(), maxima.Detach())
}

type segmentMaxGradRule struct{ index *Index }

func (r *segmentMaxGradRule) grad(b *back) {
	share := segmentShare(tapeOf(b.G, b.In[1]), nil, b.In[1], b.In[2], r.index)
	b.Set(0, SegmentSum(b.G.Mul(share), r.index))
}

// segmentShare is 1 over the number of ties where a row of x is its slot's maximum, and 0
// elsewhere. It is multiplied by the slot's row of g if g is not nil, while the rows are in cache.
func segmentShare(tape *Tape, g, x, maxima *Tensor, ix *Index) *Tensor {
	_, d := x.rows("SegmentMax")
	out := tape.alloc(x.shape)
	l := loopOf(out)
	l.dst, l.x, l.y, l.z, l.d, l.seg = out.data, x.data, maxima.data, nil, d, ix.segments()
	if g != nil {
		l.z = g.data
	}
	l.balanced(out, l.seg.Ptr, segmentGrain/max(d, 1)+1, func(l *loop, lo, hi int) {
		d, seg := l.d, l.seg
		times := func(lo, hi int32, row []float32) {
			rows := l.dst[int(lo)*d : int(hi)*d]
			kernel.BinaryRow(kernel.Mul, rows, rows, row)
		}
		for i := lo; i < hi; i++ {
			kernel.SegmentMaxShare(l.dst, l.x, l.y, d, seg, i, i+1)
			switch {
			case l.z == nil:
			case seg.Perm == nil:
				times(seg.Ptr[i], seg.Ptr[i+1], l.z[i*d:(i+1)*d])
			default:
				for _, r := range seg.Perm[seg.Ptr[i]:seg.Ptr[i+1]] {
					times(r, r+1, l.z[i*d:(i+1)*d])
				}
			}
		}
	})
	return out
}

// SegmentStats is max ‖ mean ‖ sum of each slot in one pass: SegmentMax, SegmentMean and SegmentSum
// next to each other. [k,d] gives [n,3d].
func SegmentStats(x *Tensor, ix *Index) *Tensor {
	x.matrix("SegmentStats")
	d := x.checkIndex("SegmentStats", len(ix.ids), "rows of the index")
	out := tapeOf(x).alloc(shapeOf(ix.n, 3*d))
	l := loopOf(out)
	l.dst, l.x, l.d, l.seg = out.data, x.data, d, ix.segments()
	l.balanced(out, l.seg.Ptr, segmentGrain/max(d, 1)+1, func(l *loop, lo, hi int) {
		kernel.SegmentStats(l.dst, l.x, l.d, l.seg, lo, hi)
	})
	return opWith(out, segmentStatsRule{ix}, x)
}

type segmentStatsRule struct{ index *Index }

func (r *segmentStatsRule) grad(b *back) {
	b.Set(0, segmentStatsGrad(b.G, b.In[0].Detach(), b.Out.Detach(), r.index))
}

// segmentStatsGrad is the gradient of SegmentStats with the result stats. Like
// segmentMaxGrad it is linear in g, and its derivative by x is 0 almost everywhere.
func segmentStatsGrad(g, x, stats *Tensor, ix *Index) *Tensor {
	_, d := x.matrix("SegmentStats")
	out := tapeOf(g, x).alloc(x.shape)
	l := loopOf(out)
	l.dst, l.x, l.y, l.z, l.d, l.seg = out.data, x.data, stats.data, g.data, d, ix.segments()
	l.balanced(out, l.seg.Ptr, segmentGrain/max(d, 1)+1, func(l *loop, lo, hi int) {
		kernel.SegmentStatsGrad(l.dst, l.x, l.y, l.z, l.d, l.seg, lo, hi)
	})
	return opWith(out, segmentStatsGradRule{index: ix, x: x}, g, stats.Detach())
}

type segmentStatsGradRule struct {
	index *Index
	x     *Tensor // a constant
}

func (r *segmentStatsGradRule) grad(b *back) {
	x, ix := r.x, r.index
	share := segmentShare(tapeOf(b.G, x), nil, x, b.In[1].Slice(1, 0, x.shape.dim[1]), ix)
	sum := SegmentSum(b.G, ix)
	b.Set(0, Concat(1, SegmentSum(b.G.Mul(share), ix), MeanOfSum(sum, ix), sum))
}

// SegmentSoftmax normalises e^x over the rows of each slot, column by column. It adds 1e-16 to the
// denominator, as PyTorch Geometric does.
func SegmentSoftmax(x *Tensor, ix *Index) *Tensor {
	d := x.checkIndex("SegmentSoftmax", len(ix.ids), "rows of the index")
	out := tapeOf(x).alloc(x.shape)
	l := loopOf(out)
	l.dst, l.x, l.d, l.seg = out.data, x.data, d, ix.segments()
	l.balanced(out, l.seg.Ptr, segmentGrain/max(4*d, 1)+1, func(l *loop, lo, hi int) {
		kernel.SegmentSoftmax(l.dst, l.x, l.d, l.seg, lo, hi)
	})
	return opWith(out, segmentSoftmaxRule{ix}, x)
}

type segmentSoftmaxRule struct{ index *Index }

func (r *segmentSoftmaxRule) grad(b *back) {
	gy := b.G.Mul(b.Out)
	b.Set(0, gy.Sub(b.Out.Mul(Gather(SegmentSum(gy, r.index), r.index))))
}
