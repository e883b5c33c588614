package main

import (
	. "github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/reg"

	"kernelgen/isa"
)

// one makes a loop over x with the parameters a and b.
func one(name, doc string, params []string, prepare func(s isa.Set, p vecs) func(x reg.VecVirtual) reg.VecVirtual) loop {
	return loop{name: name, signature: "func(dst, x []float32, a, b float32)",
		inputs: []string{"x"}, scalars: params, unroll: 4, doc: doc,
		prepare: func(s isa.Set, p vecs) func(vecs) reg.VecVirtual {
			f := prepare(s, p)
			return func(in vecs) reg.VecVirtual { return f(in[0]) }
		}}
}

var activations = []loop{
	one("neg", "sets dst = -x.", nil, func(s isa.Set, _ vecs) func(reg.VecVirtual) reg.VecVirtual {
		bit := s.InReg(1 << 31)
		return func(x reg.VecVirtual) reg.VecVirtual {
			r := s.Vec()
			s.Xor(bit, x, r)
			return r
		}
	}),
	one("abs", "sets dst = |x|.", nil, func(s isa.Set, _ vecs) func(reg.VecVirtual) reg.VecVirtual {
		rest := s.InReg(1<<31 - 1)
		return func(x reg.VecVirtual) reg.VecVirtual {
			r := s.Vec()
			s.And(rest, x, r)
			return r
		}
	}),
	one("square", "sets dst = x².", nil, func(s isa.Set, _ vecs) func(reg.VecVirtual) reg.VecVirtual {
		return func(x reg.VecVirtual) reg.VecVirtual {
			r := s.Vec()
			VMULPS(x, x, r)
			return r
		}
	}),
	one("sqrt", "sets dst = √x.", nil, func(s isa.Set, _ vecs) func(reg.VecVirtual) reg.VecVirtual {
		return func(x reg.VecVirtual) reg.VecVirtual {
			r := s.Vec()
			VSQRTPS(x, r)
			return r
		}
	}),
	one("relu", "sets dst = max(x, 0).", nil, func(s isa.Set, _ vecs) func(reg.VecVirtual) reg.VecVirtual {
		zero := s.Vec()
		s.Zero(zero)
		return func(x reg.VecVirtual) reg.VecVirtual { return reluOf(s, x, zero) }
	}),
	one("step", "sets dst = x > 0 ? 1 : 0.", nil, func(s isa.Set, _ vecs) func(reg.VecVirtual) reg.VecVirtual {
		zero, unit := s.Vec(), s.ConstReg(1)
		s.Zero(zero)
		return func(x reg.VecVirtual) reg.VecVirtual {
			return s.Keep(s.Compare(isa.Greater, x, zero), unit)
		}
	}),
	one("leakyReLU", "sets dst = x > 0 ? x : a·x.", []string{"a"}, func(s isa.Set, p vecs) func(reg.VecVirtual) reg.VecVirtual {
		zero := s.Vec()
		s.Zero(zero)
		return func(x reg.VecVirtual) reg.VecVirtual {
			r := s.Vec()
			VMULPS(p[0], x, r)
			return s.Select(s.Compare(isa.Greater, x, zero), x, r)
		}
	}),
	one("leakyStep", "sets dst = x > 0 ? 1 : a.", []string{"a"}, func(s isa.Set, p vecs) func(reg.VecVirtual) reg.VecVirtual {
		zero, unit := s.Vec(), s.ConstReg(1)
		s.Zero(zero)
		return func(x reg.VecVirtual) reg.VecVirtual {
			return s.Select(s.Compare(isa.Greater, x, zero), unit, p[0])
		}
	}),
	one("clamp", "sets dst to x limited to [a,b].", []string{"a", "b"}, func(s isa.Set, p vecs) func(reg.VecVirtual) reg.VecVirtual {
		return func(x reg.VecVirtual) reg.VecVirtual {
			r := s.Vec()
			VMAXPS(x, p[0], r) // the first operand here wins if either is NaN
			VMINPS(r, p[1], r)
			return r
		}
	}),
	one("inRange", "sets dst = a ≤ x ≤ b ? 1 : 0.", []string{"a", "b"}, func(s isa.Set, p vecs) func(reg.VecVirtual) reg.VecVirtual {
		unit := s.ConstReg(1)
		return func(x reg.VecVirtual) reg.VecVirtual {
			low := s.Keep(s.Compare(isa.AtLeast, x, p[0]), unit)
			return s.Keep(s.Compare(isa.AtLeast, p[1], x), low)
		}
	}),
	one("recip", "sets dst = 1/x.", nil, func(s isa.Set, _ vecs) func(reg.VecVirtual) reg.VecVirtual {
		unit := s.ConstReg(1)
		return func(x reg.VecVirtual) reg.VecVirtual {
			r := s.Vec()
			VDIVPS(x, unit, r)
			return r
		}
	}),
	one("rsqrt", "sets dst = 1/√x.", nil, func(s isa.Set, _ vecs) func(reg.VecVirtual) reg.VecVirtual {
		unit := s.ConstReg(1)
		return func(x reg.VecVirtual) reg.VecVirtual {
			r := s.Vec()
			VSQRTPS(x, r)
			VDIVPS(r, unit, r)
			return r
		}
	}),
	one("sign", "sets dst to the sign of x, NaN for NaN.", nil, func(s isa.Set, _ vecs) func(reg.VecVirtual) reg.VecVirtual {
		zero, unit := s.Vec(), s.ConstReg(1)
		s.Zero(zero)
		return func(x reg.VecVirtual) reg.VecVirtual {
			above := s.Keep(s.Compare(isa.Greater, x, zero), unit)
			below, r := s.Keep(s.Compare(isa.Less, x, zero), unit), s.Vec()
			VSUBPS(below, above, r)
			return s.Select(s.Compare(isa.Unordered, x, x), x, r)
		}
	}),
}

// reluOf is max(x, 0), NaN for NaN.
func reluOf(s isa.Set, x, zero reg.VecVirtual) reg.VecVirtual {
	r := s.Vec()
	VMAXPS(x, zero, r) // the first operand here wins if either is NaN
	return r
}
