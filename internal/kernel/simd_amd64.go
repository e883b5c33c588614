//go:build !noasm

package kernel

import "golang.org/x/sys/cpu"

//go:generate go -C _gen run ./gemm -out ../gemm_amd64.s -stubs ../gemm_stubs_amd64.go -pkg kernel
//go:generate go -C _gen run ./sparse -out ../sparse_amd64.s -stubs ../sparse_stubs_amd64.go -pkg kernel
//go:generate go -C _gen run ./elementwise -out ../elementwise_amd64.s -stubs ../elementwise_stubs_amd64.go -pkg kernel
//go:generate go -C _gen run ./move -out ../move_amd64.s -stubs ../move_stubs_amd64.go -pkg kernel

// level is the best level of the processor. Only tests change it.
var level = detectLevel()

func detectLevel() simdLevel {
	switch {
	case !cpu.X86.HasAVX2 || !cpu.X86.HasFMA || !cpu.X86.HasBMI2:
		return levelGeneric
	case !cpu.X86.HasAVX512F:
		return levelAVX2
	}
	return levelAVX512
}

// setLevel selects the code to run, for tests; it reports whether the processor
// has it.
func setLevel(l simdLevel) bool {
	if l > detectLevel() {
		return false
	}
	level, current = l, loopsOf(l)
	return true
}
