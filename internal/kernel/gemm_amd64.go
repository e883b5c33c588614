//go:build !noasm

package kernel

// gemmTileFunc computes one register tile, C = [C +] A·B [+ bias], then ReLU.
//
// Element (r, k) of A lies aRow·r + aStep·k bytes after a; row k of B is a
// run of floats bStep·k bytes after b; rows of C are cRow bytes apart. n
// columns of C are valid, and as many of bias, which may be nil. Bit 0 of flags
// says that the old C is added, bit 1 that ReLU follows.
type gemmTileFunc func(c, a, b, bias *float32, k, aRow, aStep, bStep, cRow, n, flags int)

const (
	gemmFlagAcc = 1 << iota
	gemmFlagReLU
)

// gemmTiles are the tiles of one instruction set: one[i] has i+1 rows and one
// vector of columns, two[i] has i+1 rows and two vectors.
type gemmTiles struct {
	lanes    int
	one, two []gemmTileFunc
}

var gemmAVX2 = gemmTiles{
	lanes: 8,
	one:   []gemmTileFunc{gemm1x1AVX2, gemm2x1AVX2, gemm3x1AVX2, gemm4x1AVX2, gemm5x1AVX2, gemm6x1AVX2},
	two:   []gemmTileFunc{gemm1x2AVX2, gemm2x2AVX2, gemm3x2AVX2, gemm4x2AVX2, gemm5x2AVX2, gemm6x2AVX2},
}

var gemmAVX512 = gemmTiles{
	lanes: 16,
	one: []gemmTileFunc{gemm1x1AVX512, gemm2x1AVX512, gemm3x1AVX512, gemm4x1AVX512, gemm5x1AVX512,
		gemm6x1AVX512, gemm7x1AVX512, gemm8x1AVX512, gemm9x1AVX512, gemm10x1AVX512, gemm11x1AVX512,
		gemm12x1AVX512, gemm13x1AVX512, gemm14x1AVX512},
	two: []gemmTileFunc{gemm1x2AVX512, gemm2x2AVX512, gemm3x2AVX512, gemm4x2AVX512, gemm5x2AVX512,
		gemm6x2AVX512, gemm7x2AVX512, gemm8x2AVX512, gemm9x2AVX512, gemm10x2AVX512, gemm11x2AVX512,
		gemm12x2AVX512, gemm13x2AVX512, gemm14x2AVX512},
}

// Cache blocking. A block of gemmMC rows of A and gemmKC columns stays in the
// second-level cache while it meets every panel of B, next to at most gemmNC
// columns of B. When all of B's block fits the first level, each tile of rows
// meets it at once, which writes C in order.
const (
	gemmMC     = 32 * GemmTile
	gemmNC     = 1024
	gemmSmallB = 6 << 10 // floats
)

func gemmSIMD(g *Gemm, lo, hi int) bool {
	ldb := g.N
	switch {
	case level == levelGeneric:
		return false
	case g.K == 1 && g.N >= 16:
		outer(g, lo, hi)
		return true
	case g.N == 1 && g.K > 0:
		if !g.TransA {
			gemv(g, lo, hi)
			return true
		}
		if g.Bias == nil {
			// A row vector times A: the columns of A become the vector lanes.
			ldb = g.M
			g = &Gemm{C: g.C[lo:hi], A: g.B, B: g.A[lo:], M: 1, N: hi - lo, K: g.K,
				Acc: g.Acc, ReLU: g.ReLU}
			lo, hi = 0, 1
		}
	}
	tiles := &gemmAVX2
	if level == levelAVX512 {
		tiles = &gemmAVX512
	}
	gemmBlocked(g, lo, hi, ldb, tiles)
	return true
}

// outer multiplies a column by a row: there is nothing to sum, and C is written
// in order.
func outer(g *Gemm, lo, hi int) {
	for i := lo; i < hi; i++ {
		c := g.C[i*g.N : (i+1)*g.N]
		if g.Acc {
			current.axpy(c, g.A[i], g.B[:g.N])
		} else {
			current.scalar[Mul](c, g.B[:g.N], g.A[i])
		}
		if g.Bias != nil {
			current.binary[Add](c, c, g.Bias[:g.N])
		}
		if g.ReLU {
			current.unary[ReLU](c, c, 0, 0)
		}
	}
}

// gemv multiplies rows [lo,hi) of A by the single column of B.
func gemv(g *Gemm, lo, hi int) {
	kernel := gemvAVX2
	if level == levelAVX512 {
		kernel = gemvAVX512
	}
	c := g.C[lo:hi]
	sums := c
	if g.Acc {
		buf := packPool.Get().(*packBuf)
		defer packPool.Put(buf)
		buf.a = grow(buf.a, len(c))
		sums = buf.a
	}
	kernel(&sums[0], &g.A[lo*g.K], &g.B[0], len(c), g.K)
	if g.Acc {
		Binary(Add, c, c, sums)
	}
	if g.Bias != nil {
		BinaryScalar(Add, c, c, g.Bias[0])
	}
	if g.ReLU {
		Unary(ReLU, c, c, 0, 0)
	}
}

// gemmRun is the state of one Gemm.Rows call.
type gemmRun struct {
	Gemm // by value: a pointer would force it to the heap
	*gemmTiles
	lo             int  // first row
	height, taller int  // rows of a tile; number of first tiles with one more
	ldb            int  // floats from row to row of B as stored
	packA, directB bool // copy A; read B in place
	a, b           []float32
}

// gemmBlocked is the loop nest of Goto and van de Geijn (2008) around the tiles
// of one instruction set. Packing and the division into tiles depend on the
// range; the order of operations on an element does not.
func gemmBlocked(g *Gemm, lo, hi, ldb int, tiles *gemmTiles) {
	buf := packPool.Get().(*packBuf)
	defer packPool.Put(buf)
	nr, mr, rows := 2*tiles.lanes, len(tiles.one), hi-lo
	count := (rows + mr - 1) / mr
	r := gemmRun{Gemm: *g, gemmTiles: tiles, lo: lo, height: rows / count, taller: rows % count, ldb: ldb}
	// The steps of a transposed A are a row apart, at worst a page; a copy pays
	// when enough columns share it.
	r.packA = g.TransA && g.M >= 256 && g.N >= 96
	// B in place needs masked loads or whole vectors at its right end; a copy
	// pays when enough rows share it.
	r.directB = !g.TransB && (tiles.lanes == 16 || g.N%tiles.lanes == 0) &&
		(g.N <= nr || g.N <= 512 && rows <= 160)
	for k0 := 0; k0 == 0 || k0 < g.K; k0 += gemmKC {
		kc := min(gemmKC, g.K-k0)
		for j0 := 0; j0 < g.N; j0 += gemmNC {
			nc := min(gemmNC, g.N-j0)
			panels := (nc + nr - 1) / nr
			if !r.directB {
				buf.b = grow(buf.b, panels*nr*kc)
				r.b = buf.b
				r.packB(k0, kc, j0, nc)
			}
			per := gemmMC / mr
			if kc*nc <= gemmSmallB {
				per = 1
			}
			for t0 := 0; t0 < count; t0 += per {
				t1 := min(t0+per, count)
				if r.packA {
					buf.a = grow(buf.a, (t1-t0)*mr*kc)
					r.a = buf.a
					r.packTiles(t0, t1, k0, kc)
				}
				for j := 0; j < nc; j += nr {
					r.panel(t0, t1, k0, kc, j0+j, min(nr, nc-j), j*kc)
				}
			}
		}
	}
}

// tile is the row range of tile t. Tiles get about the same height, because a
// very low one leaves the multipliers waiting.
func (r *gemmRun) tile(t int) (lo, hi int) {
	lo = r.lo + t*r.height + min(t, r.taller)
	hi = lo + r.height
	if t < r.taller {
		hi++
	}
	return lo, hi
}

// panel computes row tiles [t0,t1) of the n columns from j on, for the block of
// kc steps from k0 on. The packed panel of B starts at b.
func (r *gemmRun) panel(t0, t1, k0, kc, j, n, b int) {
	nr := 2 * r.lanes
	tiles := r.two
	if n <= r.lanes {
		tiles = r.one
	}
	bp, bStep := from(r.b, b), 4*nr
	if r.directB {
		bp, bStep = from(r.B, k0*r.ldb+j), 4*r.ldb
	}
	flags := 0
	if k0 > 0 || r.Acc {
		flags = gemmFlagAcc
	}
	var bias *float32
	if k0+kc >= r.K {
		if r.Bias != nil {
			bias = from(r.Bias, j)
		}
		if r.ReLU {
			flags |= gemmFlagReLU
		}
	}
	aRow, aStep, mr := r.K, 1, len(r.one)
	if r.TransA {
		aRow, aStep = 1, r.M
	}
	for t := t0; t < t1; t++ {
		lo, hi := r.tile(t)
		c := from(r.C, lo*r.N+j)
		if r.packA {
			tiles[hi-lo-1](c, from(r.a, (t-t0)*mr*kc), bp, bias,
				kc, 4, 4*mr, bStep, 4*r.N, n, flags)
			continue
		}
		tiles[hi-lo-1](c, from(r.A, lo*aRow+k0*aStep), bp, bias,
			kc, 4*aRow, 4*aStep, bStep, 4*r.N, n, flags)
	}
}

// packTiles copies row tiles [t0,t1) of a transposed A, steps [k0,k0+kc), so that
// the steps of a tile follow each other.
func (r *gemmRun) packTiles(t0, t1, k0, kc int) {
	mr := len(r.one)
	for t := t0; t < t1 && kc > 0; t++ {
		lo, hi := r.tile(t)
		r.copyRows(r.a[(t-t0)*mr*kc:], r.A[k0*r.M+lo:], kc, hi-lo, mr, r.M)
	}
}

// packB copies rows [k0,k0+kc) and columns [j0,j0+nc) of op(B) into panels of
// two vectors' width, the last one padded with zeros.
func (r *gemmRun) packB(k0, kc, j0, nc int) {
	nr := 2 * r.lanes
	for j := 0; j < nc; j += nr {
		panel := r.b[j*kc : (j+nr)*kc]
		w := min(nr, nc-j)
		if w < nr {
			clear(panel)
		}
		switch {
		case kc == 0:
		case r.TransB:
			transposeInto(panel, r.B[(j0+j)*r.K+k0:], w, kc, nr, r.K)
		default:
			r.copyRows(panel, r.B[k0*r.ldb+j0+j:], kc, w, nr, r.ldb)
		}
	}
}

// copyRows copies rows of w floats; the steps from row to row are in floats.
func (r *gemmRun) copyRows(dst, src []float32, rows, w, dstStep, srcStep int) {
	if r.lanes == 16 {
		copyRowsAVX512(&dst[0], &src[0], rows, w, 4*dstStep, 4*srcStep)
	} else {
		copyRowsAVX2(&dst[0], &src[0], rows, w, 4*dstStep, 4*srcStep)
	}
}
