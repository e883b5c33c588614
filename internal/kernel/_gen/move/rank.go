package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"

	"kernelgen/isa"
)

// ranks compares all with all, which for the few dozen edges of a graph takes less
// than sorting: no branch depends on the numbers.
func ranks(s isa.Set) {
	isa.Func("ranks"+s.Name, "func(dst, x, lanes *float32, n, vecs int)",
		"sets dst[i] to the number of elements greater than x[i] or equal and before it. x has n ≥ 1 numbers, without a NaN, and -Inf up to vecs vectors; lanes holds 0, 1, 2 and so on.")
	dst, x, lanes := isa.Int("dst"), isa.Int("x"), isa.Int("lanes")
	n, vecs := isa.Int("n"), isa.Int("vecs")
	one, step := s.ConstReg(1), s.ConstReg(float32(s.Lanes))
	first, at, own, other, place, count := s.Vec(), s.Vec(), s.Vec(), s.Vec(), s.Vec(), s.Vec()
	VMOVUPS(Mem{Base: lanes}, first)
	s.Zero(place) // of x[i], in every lane
	p, k, i := GP64(), GP64(), GP64()
	XORQ(i, i)

	Label("number")
	VBROADCASTSS(Mem{Base: x, Index: i, Scale: 4}, own)
	s.Zero(count)
	VMOVAPS(first, at)
	MOVQ(x, p)
	MOVQ(vecs, k)
	Label("others")
	VMOVUPS(Mem{Base: p}, other)
	VADDPS(s.Keep(s.Compare(isa.Greater, other, own), one), count, count)
	before := s.Keep(s.Compare(isa.Less, at, place), one)
	VADDPS(s.Keep(s.Compare(isa.Equal, other, own), before), count, count)
	VADDPS(step, at, at)
	ADDQ(U32(s.Bytes()), p)
	DECQ(k)
	JNZ(LabelRef("others"))
	VMOVSS(s.SumLanes(count), Mem{Base: dst, Index: i, Scale: 4})
	VADDPS(one, place, place)
	INCQ(i)
	CMPQ(i, n)
	JLT(LabelRef("number"))
	VZEROUPPER()
	RET()
}
