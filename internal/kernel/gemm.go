package kernel

// GemmTile is the row multiple that partitions of Gemm.Rows should respect. The rows of a range are
// divided evenly into register tiles. So a larger multiple does not help, and a small one divides
// few rows more evenly among threads.
const GemmTile = 2

// gemmKC is the greatest length of a block along K. The products of one block
// are summed in a single chain from zero and the block sums are then added to C
// in order, which bounds the rounding error for long K and fixes the order of
// operations for every code path.
const gemmKC = 384

// kBlock is the length of the blocks along K; the last may be shorter. Blocks have
// about equal length, a multiple of the unrolling of the inner loops.
func (g *Gemm) kBlock() int {
	blocks := max(1, (g.K+gemmKC-1)/gemmKC)
	return min(gemmKC, max(8, ((g.K+blocks-1)/blocks+7)&^7))
}

// Gemm describes C = op(A)·op(B), to which the old C (Acc) and the row Bias may be
// added before an optional ReLU. K = 0 gives C = Bias, or with Acc adds Bias to C.
//
// C is M×N; A is M×K, or K×M with TransA; B is K×N, or N×K with TransB.
// Bias has length N, or is nil. C must not overlap the other slices.
type Gemm struct {
	C, A, B        []float32
	M, N, K        int
	TransA, TransB bool
	Acc, ReLU      bool
	Bias           []float32
}

// Rows computes rows [lo,hi) of C. The bits of an element do not depend on lo
// and hi.
func (g *Gemm) Rows(lo, hi int) {
	if lo >= hi || g.N == 0 {
		return
	}
	// Vector code does not check bounds, so a wrong size must fail here.
	_, _, _ = g.C[:hi*g.N], g.A[:g.M*g.K], g.B[:g.K*g.N]
	if g.Bias != nil {
		_ = g.Bias[:g.N]
	}
	if !gemmSIMD(g, lo, hi) {
		gemmGeneric(g, lo, hi)
	}
}
