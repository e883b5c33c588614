package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"

	"kernelgen/isa"
)

// wide loads Lanes floats at p as doubles, in two registers.
func wide(s isa.Set, p Mem, m *isa.Mask) (lo, hi reg.VecVirtual) {
	lo, hi = s.Vec(), s.Vec()
	if m == nil {
		VCVTPS2PD(p, lo)
		p.Disp += s.Bytes() / 2
		VCVTPS2PD(p, hi)
		return lo, hi
	}
	v := load(s, p, m)
	if s.Is512() {
		h := ZMM()
		VEXTRACTF64X4(Imm(1), v, h.AsY())
		VCVTPS2PD(v.AsY(), lo)
		VCVTPS2PD(h.AsY(), hi)
		return lo, hi
	}
	h := YMM()
	VEXTRACTF128(Imm(1), v, h.AsX())
	VCVTPS2PD(v.AsX(), lo)
	VCVTPS2PD(h.AsX(), hi)
	return lo, hi
}

// accumulators64 are accumulators of walkUnits in doubles: two per vector.
func accumulators64(s isa.Set) []reg.VecVirtual { return zeros(s, 4*s.PerUnit()) }

// addLanes64 adds up the doubles of accumulators64 and returns the sum as a float32.
func addLanes64(s isa.Set, acc []reg.VecVirtual) reg.Register {
	w := s.PerUnit()
	for i := range w {
		VADDPD(acc[w+i], acc[i], acc[i])
		VADDPD(acc[3*w+i], acc[2*w+i], acc[2*w+i])
		VADDPD(acc[2*w+i], acc[i], acc[i])
	}
	y := acc[0].AsY()
	if s.Is512() {
		h := YMM()
		VEXTRACTF64X4(Imm(1), acc[0], h)
		VADDPD(h, y, y)
	} else {
		VADDPD(acc[1], y, y)
	}
	x, h := acc[0].AsX(), XMM()
	VEXTRACTF128(Imm(1), y, h)
	VADDPD(h, x, x)
	VPERMILPD(Imm(1), x, h)
	VADDSD(h, x, x)
	VCVTSD2SS(x, x, x)
	return x
}

func sum(s isa.Set) {
	isa.Func("sum"+s.Name, "func(x []float32) float32", "returns the sum of x, accumulated in float64.")
	acc := accumulators64(s)
	x, n := isa.Slice("x")
	walkUnits(s, n, []reg.GPVirtual{x}, func(offset int, m *isa.Mask) {
		lo, hi := wide(s, Mem{Base: x, Disp: offset}, m)
		i := offset / s.Bytes() * 2
		VADDPD(lo, acc[i], acc[i])
		VADDPD(hi, acc[i+1], acc[i+1])
	})
	finish(addLanes64(s, acc))
}

func dot(s isa.Set) {
	isa.Func("dot"+s.Name, "func(x, y []float32) float32", "returns the inner product of x and y, accumulated in float64.")
	acc := accumulators64(s)
	x, n := isa.Slice("x")
	y, _ := isa.Slice("y")
	walkUnits(s, n, []reg.GPVirtual{x, y}, func(offset int, m *isa.Mask) {
		xl, xh := wide(s, Mem{Base: x, Disp: offset}, m)
		yl, yh := wide(s, Mem{Base: y, Disp: offset}, m)
		i := offset / s.Bytes() * 2
		VFMADD231PD(xl, yl, acc[i])
		VFMADD231PD(xh, yh, acc[i+1])
	})
	finish(addLanes64(s, acc))
}

func zeros(s isa.Set, n int) []reg.VecVirtual {
	vs := s.Vecs(n)
	for _, v := range vs {
		s.Zero(v)
	}
	return vs
}

// finish returns the float32 in x.
func finish(x reg.Register) {
	result, err := ReturnIndex(0).Resolve()
	if err != nil {
		panic(err)
	}
	VMOVSS(x, result.Addr)
	VZEROUPPER()
	RET()
}

// maximum emits the largest element of a slice. The instruction loses a NaN in
// its new operand, so the lanes that met one are noted separately.
func maximum(s isa.Set) {
	isa.Func("maxOf"+s.Name, "func(x []float32) float32",
		"returns the largest element, NaN if there is one, -Inf if there is none.")
	low := s.InReg(0xff800000)
	acc := s.Vecs(2)
	for i := range acc {
		VMOVUPS(low, acc[i])
	}
	seen := s.NoLanes()
	x, n := isa.Slice("x")
	walk(s, n, []reg.GPVirtual{x}, 2, 1, func(offset int, m *isa.Mask) {
		v := load(s, Mem{Base: x, Disp: offset}, m)
		if m != nil {
			v = s.Select(m.Register(), v, low)
		}
		i := offset / s.Bytes()
		VMAXPS(acc[i], v, acc[i])
		s.Union(s.Compare(isa.Unordered, v, v), seen)
	})
	VMAXPS(acc[1], acc[0], acc[0])
	y, h := acc[0].AsY(), YMM()
	if s.Is512() {
		VEXTRACTF64X4(Imm(1), acc[0], h)
		VMAXPS(h, y, y)
	}
	m, t := acc[0].AsX(), h.AsX()
	VEXTRACTF128(Imm(1), y, t)
	VMAXPS(t, m, m)
	VPERMILPD(Imm(1), m, t)
	VMAXPS(t, m, m)
	VMOVSHDUP(m, t)
	VMAXSS(t, m, m)
	any := s.Any(seen)
	TESTL(any, any)
	JZ(LabelRef("clean"))
	MOVL(U32(0x7fc00000), any)
	VMOVD(any, m)
	Label("clean")
	finish(m)
}

// expSum emits the sum of e^(x-m), and optionally stores the terms.
func expSum(s isa.Set, keep bool) {
	name, signature, doc := "expSum", "func(x []float32, m float32) float32", "returns Σ e^(x-m)."
	if keep {
		name, signature, doc = "expSubSum", "func(dst, x []float32, m float32) float32",
			"sets dst = e^(x-m) and returns the sum."
	}
	isa.Func(name+s.Name, signature, doc)
	exp, m := expOf(s), s.Scalar("m")
	acc := zeros(s, 2*s.PerUnit())
	x, n := isa.Slice("x")
	pointers := []reg.GPVirtual{x}
	var dst reg.GPVirtual
	if keep {
		dst, _ = isa.Slice("dst")
		pointers = append(pointers, dst)
	}
	walkUnits(s, n, pointers, func(offset int, mask *isa.Mask) {
		v := load(s, Mem{Base: x, Disp: offset}, mask)
		VSUBPS(m, v, v)
		e := exp(v)
		if keep {
			store(e, Mem{Base: dst, Disp: offset}, mask)
		}
		if mask != nil {
			e = s.Keep(mask.Register(), e)
		}
		i := offset / s.Bytes()
		VADDPS(e, acc[i], acc[i])
	})
	unit := acc[:s.PerUnit()]
	for i, v := range unit {
		VADDPS(acc[len(unit)+i], v, v)
	}
	finish(s.Sum16(unit))
}
