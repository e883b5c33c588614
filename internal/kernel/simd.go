package kernel

// simdLevel names a family of instructions that kernels are written for.
type simdLevel uint8

// The levels, each including the ones before it.
const (
	levelGeneric simdLevel = iota // pure Go
	levelAVX2                     // AVX2, FMA3 and BMI2
	levelAVX512                   // AVX-512F as well
)

func (l simdLevel) String() string {
	return [...]string{"generic", "avx2", "avx512"}[l]
}
