//go:build !noasm

package kernel

// gemmTileFunc computes one register tile, C = [C +] A·B [+ bias], then ReLU.
//
// The rows of A (functions named Rows) or its columns (Cols) are runs of floats,
// aStep bytes from run to run; row k of B is a run bStep·k bytes after b, which is
// read in whole vectors; rows of C are cRow bytes apart. n columns of C are valid,
// and as many of bias, which may be nil. Bit 0 of flags says that the old C is
// added, bit 1 that ReLU follows. Rows functions prefetch a cache line of each of
// as many later rows of A, the first at ahead.
type gemmTileFunc func(c, a, b, bias *float32, k, aStep, bStep, cRow, n, flags int, ahead *float32)

const (
	gemmFlagAcc = 1 << iota
	gemmFlagReLU
)

// gemmTiles are the tiles of one instruction set: rows[v][i] has i+1 rows and v+1
// vectors of columns and reads A by rows; cols reads it by columns.
type gemmTiles struct {
	lanes, height int
	rows, cols    [2][]gemmTileFunc
}

var gemmAVX2 = gemmTiles{
	lanes:  8,
	height: 6,
	rows: [2][]gemmTileFunc{
		{gemm1x1RowsAVX2, gemm2x1RowsAVX2, gemm3x1RowsAVX2, gemm4x1RowsAVX2, gemm5x1RowsAVX2, gemm6x1RowsAVX2},
		{gemm1x2RowsAVX2, gemm2x2RowsAVX2, gemm3x2RowsAVX2, gemm4x2RowsAVX2, gemm5x2RowsAVX2, gemm6x2RowsAVX2},
	},
	cols: [2][]gemmTileFunc{
		{gemm1x1ColsAVX2, gemm2x1ColsAVX2, gemm3x1ColsAVX2, gemm4x1ColsAVX2, gemm5x1ColsAVX2, gemm6x1ColsAVX2},
		{gemm1x2ColsAVX2, gemm2x2ColsAVX2, gemm3x2ColsAVX2, gemm4x2ColsAVX2, gemm5x2ColsAVX2, gemm6x2ColsAVX2},
	},
}

var gemmAVX512 = gemmTiles{
	lanes:  16,
	height: 14,
	rows: [2][]gemmTileFunc{
		{gemm1x1RowsAVX512, gemm2x1RowsAVX512, gemm3x1RowsAVX512, gemm4x1RowsAVX512, gemm5x1RowsAVX512, gemm6x1RowsAVX512,
			gemm7x1RowsAVX512, gemm8x1RowsAVX512, gemm9x1RowsAVX512, gemm10x1RowsAVX512, gemm11x1RowsAVX512, gemm12x1RowsAVX512,
			gemm13x1RowsAVX512, gemm14x1RowsAVX512},
		{gemm1x2RowsAVX512, gemm2x2RowsAVX512, gemm3x2RowsAVX512, gemm4x2RowsAVX512, gemm5x2RowsAVX512, gemm6x2RowsAVX512,
			gemm7x2RowsAVX512, gemm8x2RowsAVX512, gemm9x2RowsAVX512, gemm10x2RowsAVX512, gemm11x2RowsAVX512, gemm12x2RowsAVX512,
			gemm13x2RowsAVX512, gemm14x2RowsAVX512},
	},
	cols: [2][]gemmTileFunc{
		{gemm1x1ColsAVX512, gemm2x1ColsAVX512, gemm3x1ColsAVX512, gemm4x1ColsAVX512, gemm5x1ColsAVX512, gemm6x1ColsAVX512,
			gemm7x1ColsAVX512, gemm8x1ColsAVX512, gemm9x1ColsAVX512, gemm10x1ColsAVX512, gemm11x1ColsAVX512, gemm12x1ColsAVX512,
			gemm13x1ColsAVX512, gemm14x1ColsAVX512},
		{gemm1x2ColsAVX512, gemm2x2ColsAVX512, gemm3x2ColsAVX512, gemm4x2ColsAVX512, gemm5x2ColsAVX512, gemm6x2ColsAVX512,
			gemm7x2ColsAVX512, gemm8x2ColsAVX512, gemm9x2ColsAVX512, gemm10x2ColsAVX512, gemm11x2ColsAVX512, gemm12x2ColsAVX512,
			gemm13x2ColsAVX512, gemm14x2ColsAVX512},
	},
}

// Cache blocking. A tile of rows of A stays in the first-level cache while it meets
// all panels of a block of B, at most gemmKC × gemmNC, which stays in the second
// level. Copies go through gemmStrip rows at a time: few enough pages for the
// processor's prefetcher.
const (
	gemmNC    = 512
	gemmMC    = 4096 // rows of a transposed A, which bounds the copy
	gemmStrip = 16
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
	lo             int // first row
	size, taller   int // rows of a tile; the first taller tiles have one more
	ldb            int // floats from row to row of B as stored
	packA, directB bool
	k0, kc         int // block along K
	j0, nc         int // block of columns
	a, b           []float32
}

// gemmBlocked is the loop nest of Goto and van de Geijn (2008) around the tiles of
// one instruction set, with the roles of A and B exchanged, because threads divide
// the rows: every thread packs B for itself. Packing and the division into tiles
// depend on the range; the order of operations on an element does not.
func gemmBlocked(g *Gemm, lo, hi, ldb int, tiles *gemmTiles) {
	for ; g.TransA && hi-lo > gemmMC; lo += gemmMC {
		gemmBlocked(g, lo, lo+gemmMC, ldb, tiles)
	}
	buf := packPool.Get().(*packBuf)
	defer packPool.Put(buf)
	nr, mr, rows := 2*tiles.lanes, tiles.height, hi-lo
	count := (rows + mr - 1) / mr
	r := gemmRun{Gemm: *g, gemmTiles: tiles, lo: lo, size: rows / count, taller: rows % count, ldb: ldb}
	// The steps of a transposed A are a row apart, at worst a page; a copy pays
	// for long rows that enough columns share. A plain A is read well in place.
	r.packA = g.TransA && (g.M >= 512 && g.N >= 48 || g.M >= 192 && g.N >= 192)
	// A copy of B pays when enough rows share it, or when its rows are long and it
	// leaves the second-level cache between two tiles.
	r.directB = !g.TransB && (g.N <= nr || count == 1 ||
		rows <= 160 && (g.N <= 256 || g.N*g.K <= 1<<18))
	block := g.kBlock()
	for r.k0 = 0; r.k0 == 0 || r.k0 < g.K; r.k0 += block {
		r.kc = min(block, g.K-r.k0)
		if r.packA {
			buf.a = grow(buf.a, count*mr*r.kc)
			r.a = buf.a
			r.packTiles(count)
		}
		for r.j0 = 0; r.j0 < g.N; r.j0 += gemmNC {
			r.nc = min(gemmNC, g.N-r.j0)
			r.packPanels(buf)
			for t := range count {
				r.multiply(t)
			}
		}
	}
}

// tile is the row range of tile t. Tiles have about the same height, because a very
// low one would keep the multipliers idle.
func (r *gemmRun) tile(t int) (lo, hi int) {
	lo = r.lo + t*r.size + min(t, r.taller)
	hi = lo + r.size
	if t < r.taller {
		hi++
	}
	return lo, hi
}

// inPlace reports whether a panel of n columns is read from B without a copy, which
// must then be whole vectors.
func (r *gemmRun) inPlace(n int) bool { return r.directB && n%r.lanes == 0 }

// multiply computes tile t of the block.
func (r *gemmRun) multiply(t int) {
	lo, hi := r.tile(t)
	height := hi - lo
	tiles, src, a, aStep := &r.rows, r.A, lo*r.K+r.k0, r.K
	ahead, last := a, len(r.A)-1
	switch {
	case r.packA:
		tiles, src, a, aStep = &r.cols, r.a, t*r.height*r.kc, r.height
	case r.TransA:
		tiles, a, aStep = &r.cols, r.k0*r.M+lo, r.M
	default:
		// Every panel prefetches one more line of the next tile.
		ahead = hi*r.K + r.k0
	}
	flags := 0
	if r.k0 > 0 || r.Acc {
		flags = gemmFlagAcc
	}
	end := r.k0+r.kc >= r.K
	if end && r.ReLU {
		flags |= gemmFlagReLU
	}
	nr := 2 * r.lanes
	for j := 0; j < r.nc; j += nr {
		n := min(nr, r.nc-j)
		v := (n - 1) / r.lanes
		var b *float32
		bStep := nr
		switch {
		case r.kc == 0:
		case r.inPlace(n):
			b, bStep = &r.B[r.k0*r.ldb+r.j0+j], r.ldb
		default:
			b = &r.b[j*r.kc]
		}
		var bias *float32
		if end && r.Bias != nil {
			bias = &r.Bias[r.j0+j]
		}
		tiles[v][height-1](from(r.C, lo*r.N+r.j0+j), from(src, a), b, bias,
			r.kc, 4*aStep, 4*bStep, 4*r.N, n, flags, from(r.A, max(0, min(ahead, last))))
		ahead += 16
	}
}

// packTiles copies all tiles of a transposed A so that the steps of a tile are
// contiguous.
func (r *gemmRun) packTiles(count int) {
	for k := 0; k < r.kc; k += gemmStrip {
		for t := range count {
			lo, hi := r.tile(t)
			r.copyRows(r.a[(t*r.kc+k)*r.height:], r.A[(r.k0+k)*r.M+lo:],
				min(gemmStrip, r.kc-k), hi-lo, r.height, r.M)
		}
	}
}

// packPanels copies the panels of the block of B that are not read in place, the
// last one padded with zeros.
func (r *gemmRun) packPanels(buf *packBuf) {
	nr := 2 * r.lanes
	if r.kc == 0 || r.inPlace(r.nc) {
		return
	}
	buf.b = grow(buf.b, (r.nc+nr-1)/nr*nr*r.kc)
	r.b = buf.b
	if last := r.nc % nr; last > 0 {
		clear(r.b[(r.nc-last)*r.kc:])
	}
	if r.TransB {
		for j := 0; j < r.nc; j += nr {
			transposeInto(r.b[j*r.kc:], r.B[(r.j0+j)*r.K+r.k0:], min(nr, r.nc-j), r.kc, nr, r.K)
		}
		return
	}
	for k := 0; k < r.kc; k += gemmStrip {
		for j := 0; j < r.nc; j += nr {
			if w := min(nr, r.nc-j); !r.inPlace(w) {
				r.copyRows(r.b[j*r.kc+k*nr:], r.B[(r.k0+k)*r.ldb+r.j0+j:],
					min(gemmStrip, r.kc-k), w, nr, r.ldb)
			}
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
