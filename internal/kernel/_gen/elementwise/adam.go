package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"

	"kernelgen/isa"
)

// As in package kernel.
const adamTiny, adamTinySquare = 1e-30, 1e-36

// unlessTiny is x, with 0 for what is nearer to 0 than tiny.
func unlessTiny(s isa.Set, x reg.VecVirtual, tiny float32) reg.VecVirtual {
	size := s.Vec()
	s.And(s.Bits(1<<31-1), x, size)
	return s.Keep(s.Compare(isa.NotLess, size, s.Const(tiny)), x)
}

// adam emits an optimiser step. c points to the constants in the order of
// adamCoef; products are rounded before they are added, as the portable code
// does.
func adam(s isa.Set) {
	isa.Func("adam"+s.Name, "func(w, grad, m, v []float32, c *[8]float32)", "applies a step of Adam; see adamGeneric.")
	c := isa.Int("c")
	field := func(i int) reg.VecVirtual {
		r := s.Vec()
		VBROADCASTSS(Mem{Base: c, Disp: 4 * i}, r)
		return r
	}
	shrink, decay, toG1, beta2 := field(0), field(1), field(2), field(3)
	toG2, rootB2, eps, minusLR := field(4), field(5), field(6), field(7)
	w, n := isa.Slice("w")
	g, _ := isa.Slice("grad")
	m, _ := isa.Slice("m")
	v, _ := isa.Slice("v")
	walk(s, n, []reg.GPVirtual{w, g, m, v}, 1, 1, func(offset int, mask *isa.Mask) {
		at := func(p reg.GPVirtual) Mem { return Mem{Base: p, Disp: offset} }
		p, d := load(s, at(w), mask), load(s, at(g), mask)
		mi, vi := load(s, at(m), mask), load(s, at(v), mask)
		t := s.Vec()
		VMULPS(shrink, p, p)
		VMULPS(decay, p, t)
		VADDPS(t, d, d)

		VSUBPS(mi, d, t)
		VMULPS(toG1, t, t)
		VADDPS(t, mi, mi)
		mi = unlessTiny(s, mi, adamTiny)
		store(mi, at(m), mask)

		VMULPS(beta2, vi, vi)
		VMULPS(toG2, d, t)
		VMULPS(d, t, t)
		VADDPS(t, vi, vi)
		vi = unlessTiny(s, vi, adamTinySquare)
		store(vi, at(v), mask)

		VSQRTPS(vi, vi)
		VDIVPS(rootB2, vi, vi)
		VADDPS(eps, vi, vi)
		VMULPS(minusLR, mi, mi)
		VDIVPS(vi, mi, mi)
		VADDPS(mi, p, p)
		store(unlessTiny(s, p, adamTiny), at(w), mask)
	})
	VZEROUPPER()
	RET()
}
