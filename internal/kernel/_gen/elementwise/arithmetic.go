package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"

	"kernelgen/isa"
)

// vecs is a shorthand for the operands of a loop body.
type vecs = []reg.VecVirtual

const twoSlices = "func(dst, x, y []float32)"

// two makes a loop over x and y from one instruction, dst = x op y.
func two(name, doc string, op func(ops ...Op)) loop {
	return loop{name: name, signature: twoSlices, inputs: []string{"x", "y"}, unroll: 4, doc: doc,
		prepare: func(s isa.Set, _ vecs) func(vecs) reg.VecVirtual {
			return func(in vecs) reg.VecVirtual {
				r := s.Vec()
				op(in[1], in[0], r)
				return r
			}
		}}
}

// scalar makes a loop over x and the scalar s, dst = x op s or, flipped, s op x.
func scalar(name, doc string, flip bool, op func(ops ...Op)) loop {
	return loop{name: name, signature: "func(dst, x []float32, s float32)",
		inputs: []string{"x"}, scalars: []string{"s"}, unroll: 4, doc: doc,
		prepare: func(s isa.Set, a vecs) func(vecs) reg.VecVirtual {
			return func(in vecs) reg.VecVirtual {
				r := s.Vec()
				if flip {
					op(in[0], a[0], r)
				} else {
					op(a[0], in[0], r)
				}
				return r
			}
		}}
}

var arithmetic = []loop{
	two("add", "sets dst = x + y.", VADDPS),
	two("sub", "sets dst = x - y.", VSUBPS),
	two("mul", "sets dst = x · y.", VMULPS),
	two("div", "sets dst = x / y.", VDIVPS),
	scalar("addScalar", "sets dst = x + s.", false, VADDPS),
	scalar("mulScalar", "sets dst = x · s.", false, VMULPS),
	scalar("divScalar", "sets dst = x / s.", false, VDIVPS),
	scalar("rsubScalar", "sets dst = s - x.", true, VSUBPS),
	scalar("rdivScalar", "sets dst = s / x.", true, VDIVPS),
	{name: "axpy", signature: "func(dst []float32, a float32, x []float32)",
		inputs: []string{"x", "dst"}, scalars: []string{"a"}, unroll: 4,
		doc: "adds a·x to dst, rounding the product.",
		prepare: func(s isa.Set, a vecs) func(vecs) reg.VecVirtual {
			return func(in vecs) reg.VecVirtual {
				r := s.Vec()
				VMULPS(a[0], in[0], r)
				VADDPS(r, in[1], r)
				return r
			}
		}},
	{name: "max", signature: twoSlices, inputs: []string{"x", "y"}, unroll: 4, doc: "sets dst = max(x, y+0), NaN if either is.",
		prepare: func(s isa.Set, _ vecs) func(vecs) reg.VecVirtual {
			zero := s.Vec()
			s.Zero(zero)
			return func(in vecs) reg.VecVirtual {
				// The sum has no -0, and the instruction takes its first
				// operand here if both are zeros or one is NaN.
				x, y, r := in[0], s.Vec(), s.Vec()
				VADDPS(zero, in[1], y)
				VMAXPS(y, x, r)
				return s.Select(s.Compare(isa.Unordered, x, x), x, r)
			}
		}},
	{name: "reluGrad", signature: "func(dst, grad, y []float32)", inputs: []string{"grad", "y"}, unroll: 4, doc: "sets dst = y > 0 ? grad : 0.",
		prepare: func(s isa.Set, _ vecs) func(vecs) reg.VecVirtual {
			zero := s.Vec()
			s.Zero(zero)
			return func(in vecs) reg.VecVirtual {
				return s.Keep(s.Compare(isa.Greater, in[1], zero), in[0])
			}
		}},
}
