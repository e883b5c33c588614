package kernel

import (
	"math"
	"math/bits"
)

// Sums in fixed point are of 64-bit integers, numbers times 2^shift and rounded towards zero: they do
// not depend on the order of what they add up, and lose no digits where that is much.

// FixedShift is the shift for sums of at most so many numbers with magnitudes of at most greatest:
// they stay within 62 bits.
func FixedShift(greatest float32, numbers int64) int {
	if greatest == 0 || numbers == 0 {
		return 0
	}
	_, exp := math.Frexp(float64(greatest)) // greatest < 2^exp
	return 62 - exp - bits.Len64(uint64(numbers-1))
}

// AddFixed adds the numbers of x to sums in fixed point; scale is 2^shift.
func AddFixed(sum []int64, x []float32, scale float64) {
	sum = sum[:len(x)]
	for j, v := range x {
		sum[j] += int64(float64(v) * scale)
	}
}

// FromFixed sets dst to sums in fixed point times a factor.
func FromFixed(dst []float32, sum []int64, shift int, factor float64) {
	factor *= math.Ldexp(1, -shift)
	sum = sum[:len(dst)]
	for j, v := range sum {
		dst[j] = float32(float64(v) * factor)
	}
}

// Greatest is the greatest magnitude among numbers, and whether all are finite; if not, it is
// infinite or NaN.
func Greatest(x []float32) (most float32, finite bool) {
	bits := uint32(0)
	for _, v := range x {
		bits = max(bits, math.Float32bits(v)&^(1<<31))
	}
	return math.Float32frombits(bits), bits < 0x7f800000
}

// ExactSum is, for each row of a sparse matrix, the sum of the rows of X at its entries times a factor,
// computed in fixed point. Dst and X have D columns; Ptr, Col and Width are as in SpMM.
type ExactSum struct {
	Dst, X   []float32
	D        int
	Ptr, Col []int32
	Width    int
	Factor   func(entries int) float64
	Shift    int // FixedShift of X and the most entries of a row
	// Wild says that not all of X is finite. Sums are then of float64, in the order of the entries.
	Wild bool
}

// exactTile is how many columns are summed at a time.
const exactTile = 64

// Rows computes rows [lo,hi) of Dst.
func (s *ExactSum) Rows(lo, hi int) {
	if lo >= hi || s.D == 0 {
		return
	}
	checkEntries(s.Ptr, s.Col, nil, s.Width, hi)
	scale := math.Ldexp(1, s.Shift)
	var sums [exactTile]int64
	for i := lo; i < hi; i++ {
		k0, k1 := entries(s.Ptr, s.Width, i)
		dst, factor := s.Dst[i*s.D:][:s.D], s.Factor(k1-k0)
		if s.Wild {
			s.wildRow(dst, k0, k1, factor)
			continue
		}
		for j := 0; j < s.D; j += exactTile {
			n := min(exactTile, s.D-j)
			sum := sums[:n]
			clear(sum)
			for k := k0; k < k1; k++ {
				AddFixed(sum, s.X[s.row(k)*s.D+j:][:n], scale)
			}
			FromFixed(dst[j:j+n], sum, s.Shift, factor)
		}
	}
}

// row is the row of X of an entry.
func (s *ExactSum) row(k int) int {
	if s.Col == nil {
		return k
	}
	return int(s.Col[k])
}

func (s *ExactSum) wildRow(dst []float32, k0, k1 int, factor float64) {
	for j := range dst {
		sum := 0.0
		for k := k0; k < k1; k++ {
			sum += float64(s.X[s.row(k)*s.D+j])
		}
		dst[j] = float32(sum * factor)
	}
}
