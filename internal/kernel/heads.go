package kernel

import (
	"slices"
	"sync"
)

// Attention heads give the same messages different weights. A row of Heads·D floats
// is treated as Heads rows of D, row i·Heads+h being head h of row i, and the
// sparse matrix as a larger one with every entry once per head. The loops below
// build that matrix for a few rows at a time and pass it to SpMM or SDDMM, so that
// it never exists as a whole.

// headsBlock is the number of entries of a block, which stays in the first-level
// cache; a single row may exceed it.
const headsBlock = 1024

// headsBuf is the scratch memory of one call: a block of the larger matrix.
type headsBuf struct {
	ptr, row, col []int32
	coef          []float32
	spmm          SpMM
	sddmm         SDDMM
}

var headsPool = sync.Pool{New: func() any { return new(headsBuf) }}

// clear empties the block and keeps its memory.
func (b *headsBuf) clear() {
	b.ptr, b.row, b.col, b.coef = append(b.ptr[:0], 0), b.row[:0], b.col[:0], b.coef[:0]
}

// fill makes a block of rows from lo on, which expand appends, and returns the row after it, at
// most hi.
func (b *headsBuf) fill(lo, hi int, expand func(b *headsBuf, i int)) int {
	b.clear()
	for first := lo; lo < hi && (lo == first || len(b.col) < headsBlock); lo++ {
		expand(b, lo)
	}
	return lo
}

// more appends heads rows of n entries each, to be filled in, and returns where
// they begin.
func (b *headsBuf) more(n, heads int) int {
	at := len(b.col)
	for h := range heads {
		b.ptr = append(b.ptr, int32(at+(h+1)*n))
	}
	b.row = slices.Grow(b.row, n*heads)[:at+n*heads]
	b.col = slices.Grow(b.col, n*heads)[:at+n*heads]
	b.coef = slices.Grow(b.coef, n*heads)[:at+n*heads]
	return at
}

// release drops the references to the caller's memory and gives the scratch back.
func (b *headsBuf) release() {
	b.spmm, b.sddmm = SpMM{}, SDDMM{}
	headsPool.Put(b)
}

// SpMMHeads is SpMM with a weight per entry and head:
//
//	Dst[i,h] = Σ_k Coef[k]·W[Weight[k],h]·X[Col[k],h],  k in row i.
//
// Rows of Dst and X have Heads parts of D columns, rows of W one element per
// head. Weight nil: entry k has weight k. Ptr, Width, Col and Coef are those of
// SpMM.
type SpMMHeads struct {
	Dst, X   []float32
	Heads, D int
	Ptr, Col []int32
	Width    int
	Coef     []float32
	Weight   []int32
	W        []float32
}

// Rows computes rows [lo,hi) of Dst. The bits of an element do not depend on lo
// and hi.
func (s *SpMMHeads) Rows(lo, hi int) {
	buf := headsPool.Get().(*headsBuf)
	defer buf.release()
	width := s.Heads * s.D
	for lo < hi {
		first := lo
		lo = buf.fill(lo, hi, s.expand)
		buf.spmm = SpMM{Dst: s.Dst[first*width : lo*width], X: s.X, D: s.D, Ptr: buf.ptr, Col: buf.col, Coef: buf.coef}
		buf.spmm.Rows(0, (lo-first)*s.Heads)
	}
}

// expand appends row i of the matrix, once per head.
func (s *SpMMHeads) expand(buf *headsBuf, i int) {
	k0, k1 := entries(s.Ptr, s.Width, i)
	at := buf.more(k1-k0, s.Heads)
	for k := k0; k < k1; k++ {
		// Entry k of every head; those of one head stand together.
		at, first, c := at+k-k0, int32(idOf(s.Col, k)*s.Heads), coefOf(s.Coef, k)
		for h, w := range s.W[idOf(s.Weight, k)*s.Heads:][:s.Heads] {
			buf.col[at], buf.coef[at] = first+int32(h), c*w
			at += k1 - k0
		}
	}
}

// SDDMMHeads is SDDMM with a result per head, the gradient of SpMMHeads by its
// weights:
//
//	Dst[e,h] = Σ_k Coef[k]·⟨G[Row[k],h], X[Col[k],h]⟩,  k in the entries of e.
//
// Rows of G and X have Heads parts of D columns. Ptr, Row, Col and Coef are
// those of SDDMM.
type SDDMMHeads struct {
	Dst, G, X     []float32
	Heads, D      int
	Ptr, Row, Col []int32
	Width         int
	Coef          []float32
}

// Range computes Dst[lo:hi], in rows of Heads elements. The bits of an element do
// not depend on lo and hi.
func (s *SDDMMHeads) Range(lo, hi int) {
	buf := headsPool.Get().(*headsBuf)
	defer buf.release()
	for lo < hi {
		first := lo
		lo = buf.fill(lo, hi, s.expand)
		buf.sddmm = SDDMM{Dst: s.Dst[first*s.Heads : lo*s.Heads], G: s.G, X: s.X, D: s.D,
			Ptr: buf.ptr, Row: buf.row, Col: buf.col, Coef: buf.coef}
		buf.sddmm.Range(0, (lo-first)*s.Heads)
	}
}

// expand appends the entries of e, once per head.
func (s *SDDMMHeads) expand(buf *headsBuf, e int) {
	k0, k1 := entries(s.Ptr, s.Width, e)
	at := buf.more(k1-k0, s.Heads)
	for k := k0; k < k1; k++ {
		row, col, c := idOf(s.Row, k), idOf(s.Col, k), coefOf(s.Coef, k)
		at := at + k - k0
		for h := range s.Heads {
			buf.row[at], buf.col[at], buf.coef[at] = int32(row*s.Heads+h), int32(col*s.Heads+h), c
			at += k1 - k0
		}
	}
}
