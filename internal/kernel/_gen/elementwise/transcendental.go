package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"

	"kernelgen/isa"
)

// The approximations are those of the Cephes library (Moshier, 1989) with fused
// operations; the largest errors are stated in the tests.
var transcendental = []loop{
	math("exp", "sets dst = e^x.", func(s isa.Set) func(reg.VecVirtual) reg.VecVirtual { return expOf(s) }),
	math("log", "sets dst = ln x.", logOf),
	math("sigmoid", "sets dst = 1/(1+e^-x).", sigmoidOf),
	math("tanh", "sets dst = tanh x.", tanhOf),
	math("softplus", "sets dst = ln(1+e^x).", softplusOf),
	{name: "expSub", signature: twoSlices, inputs: []string{"x", "y"}, unroll: 1, doc: "sets dst = e^(x-y).",
		prepare: func(s isa.Set, _ vecs) func(vecs) reg.VecVirtual {
			exp := expOf(s)
			return func(in vecs) reg.VecVirtual {
				r := s.Vec()
				VSUBPS(in[1], in[0], r)
				return exp(r)
			}
		}},
}

func math(name, doc string, prepare func(isa.Set) func(reg.VecVirtual) reg.VecVirtual) loop {
	l := one(name, doc, nil, func(s isa.Set, _ vecs) func(reg.VecVirtual) reg.VecVirtual { return prepare(s) })
	l.unroll = 1
	return l
}

// polynomial evaluates c[0]·x^k + … + c[k] with fused operations.
func polynomial(s isa.Set, c []Op, x reg.VecVirtual) reg.VecVirtual {
	p := s.Vec()
	VMOVUPS(c[0], p)
	for _, ci := range c[1:] {
		VFMADD213PS(ci, x, p)
	}
	return p
}

func constants(s isa.Set, values ...float32) []Op {
	var ops []Op
	for _, v := range values {
		ops = append(ops, s.Const(v))
	}
	return ops
}

// expOf: e^x = 2^n · e^r with n the nearest integer to x/ln 2. Arguments are
// limited to where the result is already 0 or infinite.
func expOf(s isa.Set) func(reg.VecVirtual) reg.VecVirtual {
	low, high := s.ConstReg(-104), s.ConstReg(89)
	log2e, shift := s.ConstReg(1.44269504088896341), s.Const(12582912) // 1.5·2^23: adding it rounds
	ln2Hi, ln2Lo := s.Const(0.693359375), s.Const(-2.12194440e-4)
	poly := constants(s, 1.9875691500e-4, 1.3981999507e-3, 8.3334519073e-3,
		4.1665795894e-2, 1.6666665459e-1, 5.0000001201e-1)
	unit := s.Const(1)
	var bias Op
	if !s.Is512() {
		bias = s.Bits(127)
	}
	return func(x reg.VecVirtual) reg.VecVirtual {
		r, t, n := s.Vec(), s.Vec(), s.Vec()
		VMINPS(x, high, r) // the first operand here wins if either is NaN
		VMAXPS(r, low, r)
		VMOVUPS(r, t)
		VFMADD213PS(shift, log2e, t)
		VSUBPS(shift, t, n)
		VFNMADD231PS(ln2Hi, n, r)
		VFNMADD231PS(ln2Lo, n, r)
		p, sq := polynomial(s, poly, r), s.Vec()
		VMULPS(r, r, sq)
		VFMADD213PS(r, sq, p)
		VADDPS(unit, p, p)
		if s.Is512() {
			VSCALEFPS(n, p, p)
			return p
		}
		// Two factors 2^(n/2), so that neither leaves the range of exponents.
		half := YMM()
		VPSLLD(Imm(9), t, t) // the integer n is in the low bits of t
		VPSRAD(Imm(9), t, t)
		VPSRAD(Imm(1), t, half)
		VPSUBD(half, t, t)
		for _, e := range []reg.VecVirtual{half, t} {
			VPADDD(bias, e, e)
			VPSLLD(Imm(23), e, e)
			VMULPS(e, p, p)
		}
		return p
	}
}

// expNegAbs returns e^-|x|.
func expNegAbs(s isa.Set, exp func(reg.VecVirtual) reg.VecVirtual, sign reg.VecVirtual) func(reg.VecVirtual) reg.VecVirtual {
	return func(x reg.VecVirtual) reg.VecVirtual {
		t := s.Vec()
		s.Or(sign, x, t)
		return exp(t)
	}
}

// sigmoidOf: with z = e^-|x|, 1/(1+z) for x ≥ 0 and z/(1+z) below, which never
// overflows and keeps small values.
func sigmoidOf(s isa.Set) func(reg.VecVirtual) reg.VecVirtual {
	exp := expNegAbs(s, expOf(s), s.InReg(1<<31))
	unit, zero := s.ConstReg(1), s.Vec()
	s.Zero(zero)
	return func(x reg.VecVirtual) reg.VecVirtual {
		z, d := exp(x), s.Vec()
		VADDPS(z, unit, d)
		r := s.Select(s.Compare(isa.Less, x, zero), z, unit)
		VDIVPS(d, r, r)
		return r
	}
}

// tanhOf: an odd polynomial below 0.625, 1 - 2/(e^2|x|+1) with the sign of x
// above.
func tanhOf(s isa.Set) func(reg.VecVirtual) reg.VecVirtual {
	exp := expOf(s)
	sign, edge := s.InReg(1<<31), s.Const(0.625)
	poly := constants(s, -5.70498872745e-3, 2.06390887954e-2, -5.37397155531e-2,
		1.33314422036e-1, -3.33332819422e-1)
	unit, double := s.Const(1), s.ConstReg(2)
	return func(x reg.VecVirtual) reg.VecVirtual {
		abs, t := s.Vec(), s.Vec()
		if s.Is512() {
			VPANDND(x, sign, abs)
		} else {
			VANDNPS(x, sign, abs)
		}
		VADDPS(abs, abs, t)
		e := exp(t)
		VADDPS(unit, e, e)
		VDIVPS(e, double, e)
		large := s.Vec()
		VMOVUPS(unit, large)
		VSUBPS(e, large, large)

		sq := s.Vec()
		VMULPS(x, x, sq)
		p := polynomial(s, poly, sq)
		VMULPS(sq, p, p)
		VFMADD213PS(x, x, p)
		// The polynomial has the sign of x, but for -0, of which it makes 0.
		sx, r := s.Vec(), s.Select(s.Compare(isa.Less, abs, edge), p, large)
		s.And(sign, x, sx)
		s.Or(sx, r, r)
		return r
	}
}

// lnPositive is ln x for positive normal x: x = 2^e·m with m between √½ and √2,
// then a polynomial in m-1. e0 is added to e and may be nil.
func lnPositive(s isa.Set) func(x, e0 reg.VecVirtual) reg.VecVirtual {
	s.ConstInMemory = true
	rootHalf, mantissa := s.InReg(0x3f3504f3), s.InReg(0x007fffff)
	poly := constants(s, 7.0376836292e-2, -1.1514610310e-1, 1.1676998740e-1, -1.2420140846e-1,
		1.4249322787e-1, -1.6668057665e-1, 2.0000714765e-1, -2.4999993993e-1, 3.3333331174e-1)
	unit, half := s.Const(1), s.Const(0.5)
	ln2Hi, ln2Lo := s.Const(0.693359375), s.Const(-2.12194440e-4)
	return func(x, e0 reg.VecVirtual) reg.VecVirtual {
		i, e, f := s.Vec(), s.Vec(), s.Vec()
		VPSUBD(rootHalf, x, i)
		VPSRAD(Imm(23), i, e)
		VCVTDQ2PS(e, e)
		if e0 != nil {
			VADDPS(e0, e, e)
		}
		s.And(mantissa, i, f)
		VPADDD(rootHalf, f, f)
		VSUBPS(unit, f, f)
		p, sq := polynomial(s, poly, f), s.Vec()
		VMULPS(f, f, sq)
		VMULPS(f, p, p)
		VMULPS(sq, p, p)
		VFMADD231PS(ln2Lo, e, p)
		VFNMADD231PS(half, sq, p)
		VADDPS(f, p, p)
		VFMADD231PS(ln2Hi, e, p)
		return p
	}
}

func logOf(s isa.Set) func(reg.VecVirtual) reg.VecVirtual {
	ln := lnPositive(s)
	tiny, up, down := s.ConstReg(1.17549435e-38), s.Const(1<<23), s.ConstReg(-23)
	zero, inf := s.Vec(), s.InReg(0x7f800000)
	s.Zero(zero)
	return func(x reg.VecVirtual) reg.VecVirtual {
		// Denormal numbers are scaled up.
		small, scaled := s.Compare(isa.Less, x, tiny), s.Vec()
		VMULPS(up, x, scaled)
		y := ln(s.Select(small, scaled, x), s.Keep(small, down))
		// ln 0 = -Inf, ln Inf = Inf, and NaN for NaN and below zero.
		negInf, nan := s.Vec(), s.Vec()
		VSUBPS(inf, zero, negInf)
		y = s.Select(s.Compare(isa.Equal, x, zero), negInf, y)
		y = s.Select(s.Compare(isa.Equal, x, inf), inf, y)
		VSUBPS(inf, inf, nan)
		y = s.Select(s.Compare(isa.Less, x, zero), nan, y)
		return s.Select(s.Compare(isa.Unordered, x, x), x, y)
	}
}

// softplusOf: max(x,0) + log1p(z) with z = e^-|x|. With u = 1+z rounded,
// log1p(z) = ln u + (z-(u-1))/u recovers what the rounding lost.
func softplusOf(s isa.Set) func(reg.VecVirtual) reg.VecVirtual {
	s.ConstInMemory = true
	exp, ln := expNegAbs(s, expOf(s), s.InReg(1<<31)), lnPositive(s)
	unit, zero := s.Const(1), s.Vec()
	s.Zero(zero)
	return func(x reg.VecVirtual) reg.VecVirtual {
		z, u, d := exp(x), s.Vec(), s.Vec()
		VADDPS(unit, z, u)
		VSUBPS(unit, u, d)
		VSUBPS(d, z, d)
		VDIVPS(u, d, d)
		y := ln(u, nil)
		VADDPS(d, y, y)
		VADDPS(reluOf(s, x, zero), y, y)
		return y
	}
}
