//go:build !amd64 || noasm

package kernel

const level = levelGeneric

func setLevel(l simdLevel) bool { return l == levelGeneric }

func loopsOf(simdLevel) *loops { return &genericLoops }

func gemmSIMD(*Gemm, int, int) bool { return false }

func fmaSIMD(int) int64 { return 0 }

func spmmSIMD(*SpMM, int, int) bool { return false }

func sddmmSIMD(*SDDMM, int, int) bool { return false }

func transposeInto(dst, src []float32, w, n, dstStep, srcStep int) {
	transposeGeneric(dst, src, w, n, dstStep, srcStep)
}

func ranksSIMD([]int32, []float32) bool { return false }

func gatherRows(dst, x []float32, ids []int32, d int) { gatherRowsGeneric(dst, x, ids, d) }
