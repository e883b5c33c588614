//go:build !noasm

package kernel

import "unsafe"

//go:generate go -C _gen run ./messages -out ../edgemessages_amd64.s -stubs ../edgemessages_stubs_amd64.go -pkg kernel

// messagesFunc computes some rows of EdgeMessages in a tile of columns.
//
// Pointers point to the first row and column of the tile (dst, self), to the first
// column (x, y, z, v), to the first row (ptr, selfCoef), or to entry 0 (coef and
// the row ids). own is the offset in bytes of the first row from row 0, k the first
// entry when ptr is nil, step the bytes from row to row, and n the number of valid
// lanes of the tile's last vector.
type messagesFunc func(dst, x, y, z, v *float32, xrow, yrow, zrow, vrow, ptr *int32, coef, self, selfCoef *float32,
	own, rows, k, width, step, n int, slope float32)

// The functions by kind and by the number of vectors of a tile minus one.
var (
	messagesAVX2 = [...][8]messagesFunc{
		SumReLU: {sumReLU1AVX2, sumReLU2AVX2, sumReLU3AVX2, sumReLU4AVX2,
			sumReLU5AVX2, sumReLU6AVX2, sumReLU7AVX2, sumReLU8AVX2},
		SumReLUGrad: {sumReLUGrad1AVX2, sumReLUGrad2AVX2, sumReLUGrad3AVX2, sumReLUGrad4AVX2,
			sumReLUGrad5AVX2, sumReLUGrad6AVX2, sumReLUGrad7AVX2, sumReLUGrad8AVX2},
		SumLeaky: {sumLeaky1AVX2, sumLeaky2AVX2, sumLeaky3AVX2, sumLeaky4AVX2,
			sumLeaky5AVX2, sumLeaky6AVX2, sumLeaky7AVX2, sumLeaky8AVX2},
		SumLeakyGrad: {sumLeakyGrad1AVX2, sumLeakyGrad2AVX2, sumLeakyGrad3AVX2, sumLeakyGrad4AVX2,
			sumLeakyGrad5AVX2, sumLeakyGrad6AVX2, sumLeakyGrad7AVX2, sumLeakyGrad8AVX2},
	}
	messagesAVX512 = [...][8]messagesFunc{
		SumReLU: {sumReLU1AVX512, sumReLU2AVX512, sumReLU3AVX512, sumReLU4AVX512,
			sumReLU5AVX512, sumReLU6AVX512, sumReLU7AVX512, sumReLU8AVX512},
		SumReLUGrad: {sumReLUGrad1AVX512, sumReLUGrad2AVX512, sumReLUGrad3AVX512, sumReLUGrad4AVX512,
			sumReLUGrad5AVX512, sumReLUGrad6AVX512, sumReLUGrad7AVX512, sumReLUGrad8AVX512},
		SumLeaky: {sumLeaky1AVX512, sumLeaky2AVX512, sumLeaky3AVX512, sumLeaky4AVX512,
			sumLeaky5AVX512, sumLeaky6AVX512, sumLeaky7AVX512, sumLeaky8AVX512},
		SumLeakyGrad: {sumLeakyGrad1AVX512, sumLeakyGrad2AVX512, sumLeakyGrad3AVX512, sumLeakyGrad4AVX512,
			sumLeakyGrad5AVX512, sumLeakyGrad6AVX512, sumLeakyGrad7AVX512, sumLeakyGrad8AVX512},
	}
)

func edgeMessagesSIMD(m *EdgeMessages, lo, hi int) bool {
	funcs, lanes := &messagesAVX2[m.Kind], 8
	switch level {
	case levelGeneric:
		return false
	case levelAVX512:
		funcs, lanes = &messagesAVX512[m.Kind], 16
	}
	for j := 0; j < m.D; j += 8 * lanes {
		w := min(8*lanes, m.D-j)
		vecs := (w + lanes - 1) / lanes
		var self, selfCoef *float32
		if m.Self != nil {
			self = &m.Self[lo*m.Stride+j]
		}
		if m.SelfCoef != nil {
			selfCoef = &m.SelfCoef[lo]
		}
		funcs[vecs-1](&m.Dst[lo*m.Stride+j], from(m.X, j), from(m.Y, j), from(m.Z, j), from(m.V, j),
			unsafe.SliceData(m.XRow), unsafe.SliceData(m.YRow), unsafe.SliceData(m.ZRow), unsafe.SliceData(m.VRow), from(m.Ptr, lo),
			unsafe.SliceData(m.Coef), self, selfCoef,
			4*lo*m.Stride, hi-lo, lo*m.Width, m.Width, 4*m.Stride, w-(vecs-1)*lanes, m.Slope)
	}
	return true
}
