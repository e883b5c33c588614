package kernel

import (
	"math"
	"math/bits"
)

// Sums in fixed point are 64-bit integers: each number is multiplied by 2^shift and rounded towards
// zero. They do not depend on the order of addition, and large terms lose no digits.

// FixedShift is the shift for sums of at most so many numbers with magnitudes of at most greatest:
// they stay within 62 bits.
func FixedShift(greatest float32, numbers int64) int {
	if greatest == 0 || numbers == 0 {
		return 0
	}
	_, exp := math.Frexp(float64(greatest)) // greatest < 2^exp
	return 62 - exp - bits.Len64(uint64(numbers-1))
}

// AddFixed adds the rows of x that rows lists, each as wide as sum, to sums in fixed point; scale is 2^shift.
func AddFixed(sum []int64, x []float32, rows []int32, scale float64) {
	if len(sum) == 0 || len(rows) == 0 || addFixedSIMD(sum, x, rows, scale) {
		return
	}
	for _, r := range rows {
		for j, v := range x[int(r)*len(sum):][:len(sum)] {
			sum[j] += int64(float64(v) * scale)
		}
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

// Rows computes rows [lo,hi) of Dst.
func (s *ExactSum) Rows(lo, hi int) {
	if lo >= hi || s.D == 0 {
		return
	}
	checkEntries(s.Ptr, s.Col, nil, s.Width, hi)
	scale, sum := math.Ldexp(1, s.Shift), make([]int64, s.D)
	for i := lo; i < hi; i++ {
		k0, k1 := entries(s.Ptr, s.Width, i)
		dst, factor := s.Dst[i*s.D:][:s.D], s.Factor(k1-k0)
		if s.Wild {
			s.wildRow(dst, k0, k1, factor)
			continue
		}
		clear(sum)
		if s.Col != nil {
			AddFixed(sum, s.X, s.Col[k0:k1], scale)
		} else {
			for k := k0; k < k1; k++ {
				AddFixed(sum, s.X[k*s.D:], firstRow[:], scale)
			}
		}
		FromFixed(dst, sum, s.Shift, factor)
	}
}

var firstRow [1]int32

func (s *ExactSum) wildRow(dst []float32, k0, k1 int, factor float64) {
	for j := range dst {
		sum := 0.0
		for k := k0; k < k1; k++ {
			sum += float64(s.X[idOf(s.Col, k)*s.D+j])
		}
		dst[j] = float32(sum * factor)
	}
}
