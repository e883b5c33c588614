//go:build !noasm

package kernel

import "unsafe"

// spmmFunc computes some rows of an SpMM in a tile of columns.
//
// Pointers point to the first row and column of the tile (dst, self), to the first
// column (x, bias), to the first row (ptr, selfCoef), or to entry 0 (col, coef). k
// is the first entry when ptr is nil, step the bytes from row to row, and n the
// number of valid lanes of the tile's last vector.
type spmmFunc func(dst, x *float32, ptr, col *int32, coef, self, selfCoef, bias *float32,
	rows, k, width, step, n, relu int)

// The functions by the number of vectors of a tile minus one.
var (
	spmmAVX2 = [8]spmmFunc{spmm1AVX2, spmm2AVX2, spmm3AVX2, spmm4AVX2,
		spmm5AVX2, spmm6AVX2, spmm7AVX2, spmm8AVX2}
	spmmAVX512 = [8]spmmFunc{spmm1AVX512, spmm2AVX512, spmm3AVX512, spmm4AVX512,
		spmm5AVX512, spmm6AVX512, spmm7AVX512, spmm8AVX512}
)

func spmmSIMD(s *SpMM, lo, hi int) bool {
	funcs, lanes := &spmmAVX2, 8
	switch level {
	case levelGeneric:
		return false
	case levelAVX512:
		funcs, lanes = &spmmAVX512, 16
	}
	relu := 0
	if s.ReLU {
		relu = 1
	}
	dst := s.Dst[lo*s.D : hi*s.D]
	for j := 0; j < s.D; j += 8 * lanes {
		w := min(8*lanes, s.D-j)
		vecs := (w + lanes - 1) / lanes
		var self, selfCoef *float32
		if s.Self != nil {
			self = &s.Self[lo*s.D+j]
		}
		if s.SelfCoef != nil {
			selfCoef = &s.SelfCoef[lo]
		}
		funcs[vecs-1](&dst[j], from(s.X, j), from(s.Ptr, lo), unsafe.SliceData(s.Col), unsafe.SliceData(s.Coef),
			self, selfCoef, from(s.Bias, j), hi-lo, lo*s.Width, s.Width, 4*s.D, w-(vecs-1)*lanes, relu)
	}
	return true
}

func sddmmSIMD(s *SDDMM, lo, hi int) bool {
	f := sddmmAVX2
	switch level {
	case levelGeneric:
		return false
	case levelAVX512:
		f = sddmmAVX512
	}
	f(&s.Dst[lo], unsafe.SliceData(s.G), unsafe.SliceData(s.X), from(s.Ptr, lo), unsafe.SliceData(s.Row),
		unsafe.SliceData(s.Col), unsafe.SliceData(s.Coef), hi-lo, lo*s.Width, s.Width, s.D)
	return true
}

// from is the address of s[i], or nil for an empty slice: one that is absent, or
// a matrix without rows that no entry refers to.
func from[T any](s []T, i int) *T {
	if len(s) == 0 {
		return nil
	}
	return &s[i]
}
