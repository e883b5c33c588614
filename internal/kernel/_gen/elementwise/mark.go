package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"

	"kernelgen/isa"
)

// markMax emits the marking of maxima for SegmentMaxShare.
func markMax(s isa.Set) {
	isa.Func("markMax"+s.Name, "func(dst, n, x, m []float32)",
		"sets dst to 1 where x equals m or is NaN, and to 0 elsewhere, and adds dst to n.")
	unit := s.ConstReg(1)
	dst, length := isa.Slice("dst")
	n, _ := isa.Slice("n")
	x, _ := isa.Slice("x")
	m, _ := isa.Slice("m")
	walk(s, length, []reg.GPVirtual{dst, n, x, m}, 1, 1, func(offset int, mask *isa.Mask) {
		at := func(p reg.GPVirtual) Mem { return Mem{Base: p, Disp: offset} }
		v, top, count := load(s, at(x), mask), load(s, at(m), mask), load(s, at(n), mask)
		lanes := s.Compare(isa.Equal, v, top)
		s.Union(s.Compare(isa.Unordered, v, v), lanes)
		one := s.Keep(lanes, unit)
		VADDPS(one, count, count)
		store(one, at(dst), mask)
		store(count, at(n), mask)
	})
	VZEROUPPER()
	RET()
}
