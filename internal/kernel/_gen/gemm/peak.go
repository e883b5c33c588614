package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"

	"kernelgen/isa"
)

// fmaLoop emits multiply-adds between registers alone: what no product of
// matrices can surpass. Chains are as many as the accumulators of the tallest
// tile, far more than latency times units.
func fmaLoop(s isa.Set) {
	chains := 24
	if s == isa.AVX2 {
		chains = 12
	}
	isa.Func("fmaLoop"+s.Name, "func(n int)",
		fmt.Sprintf("runs n rounds of %d independent multiply-adds of %d lanes; n is at least 1.", chains, s.Lanes))
	n := isa.Int("n")
	half, acc := s.InReg(0x3f000000), s.Vecs(chains)
	for _, v := range acc {
		VMOVUPS(half, v)
	}
	Label("loop")
	for _, v := range acc {
		VFMADD213PS(half, half, v) // tends to 1: no denormal, no infinity
	}
	DECQ(n)
	JNZ(LabelRef("loop"))
	VZEROUPPER()
	RET()
}
