package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"

	"kernelgen/isa"
)

// Layer normalisation goes over a row several times: for the mean, for the
// variance, and for the result. The row is in the first-level cache then, and the
// passes of several rows overlap in the processor.
//
// A division by d is a multiplication by 1/d, which is rounded. So the mean is the
// first element plus the mean of the differences from it: exact for equal elements,
// and for a small spread about a large number off by little more than the rounding of
// that addition. The gradient, likewise, subtracts d times each element from the sum
// before it divides.

// normRows emits a loop over rows.
type normRows struct {
	s             isa.Set
	rows, d       reg.GPVirtual
	n, at         reg.GPVirtual // elements left in a pass, and bytes passed
	mask          isa.Mask
	perRow        []reg.GPVirtual // pointers that go on with the rows
	eps           reg.VecVirtual
	inverseD      reg.Register     // 1/d in the first lane
	mean, inverse reg.VecVirtual   // of the row: mean and 1/√(variance+eps)
	acc           []reg.VecVirtual // of sums, which are valid until the next
}

// newNormRows loads the parameters; perRow names the slices that go on with the rows.
func newNormRows(s isa.Set, perRow ...string) *normRows {
	w := &normRows{s: s, n: GP64(), at: GP64(), mean: s.Vec(), inverse: s.Vec(), inverseD: XMM(), acc: s.Vecs(2 * s.PerUnit())}
	for _, name := range perRow {
		p, _ := isa.Slice(name)
		w.perRow = append(w.perRow, p)
	}
	w.rows, w.d = isa.Int("rows"), isa.Int("d")
	w.eps = s.Scalar("eps")
	rest, x := GP64(), w.inverseD
	MOVQ(w.d, rest)
	ANDQ(Imm(uint64(s.Lanes-1)), rest)
	w.mask = s.FirstLanes(rest)
	VXORPS(x, x, x)
	VCVTSI2SSQ(w.d, x, x)
	VDIVSS(x, s.ConstReg(1).AsX(), x)
	return w
}

// pass emits a loop over the elements of a row, unroll vectors at a time, then
// least, which is one or two, then the rest with a mask; i counts the vectors of a
// step.
func (w *normRows) pass(label string, unroll, least int, step func(i int, at func(p reg.GPVirtual) Mem, m *isa.Mask)) {
	s := w.s
	MOVQ(w.d, w.n)
	XORQ(w.at, w.at)
	do := func(i int, m *isa.Mask) {
		step(i, func(p reg.GPVirtual) Mem { return Mem{Base: p, Index: w.at, Scale: 1, Disp: i * s.Bytes()} }, m)
	}
	run := func(vecs int, label, next string) {
		Label(label)
		CMPQ(w.n, U32(vecs*s.Lanes))
		JLT(LabelRef(next))
		for i := range vecs {
			do(i, nil)
		}
		ADDQ(U32(vecs*s.Bytes()), w.at)
		SUBQ(U32(vecs*s.Lanes), w.n)
		JMP(LabelRef(label))
	}
	few, tail, end := fmt.Sprint(label, least), label+"Tail", label+"End"
	if unroll > least {
		run(unroll, fmt.Sprint(label, unroll), few)
	}
	run(least, few, tail)
	Label(tail)
	if least == 2 {
		last := label + "Last"
		CMPQ(w.n, U32(s.Lanes))
		JLT(LabelRef(last))
		do(0, nil)
		SUBQ(U32(s.Lanes), w.n)
		JZ(LabelRef(end))
		do(1, &w.mask)
		JMP(LabelRef(end))
		Label(last)
	}
	TESTQ(w.n, w.n)
	JZ(LabelRef(end))
	do(0, &w.mask)
	Label(end)
}

// sums emits a pass that adds up k quantities of the row in two units of sixteen
// lanes, in the same order for every set, and returns the sums in the first lanes;
// add adds to the accumulators it is given.
func (w *normRows) sums(label string, k int, add func(acc []reg.VecVirtual, at func(p reg.GPVirtual) Mem, m *isa.Mask)) []reg.VecVirtual {
	s, per, acc := w.s, w.s.PerUnit(), w.acc
	for _, v := range acc {
		s.Zero(v)
	}
	w.pass(label, 2/k*per, per, func(i int, at func(p reg.GPVirtual) Mem, m *isa.Mask) { add(acc[i*k:(i+1)*k], at, m) })
	for n := len(acc); n > per*k; n /= 2 {
		for i := range n / 2 {
			VADDPS(acc[i+n/2], acc[i], acc[i])
		}
	}
	out := acc[:k]
	for i, v := range out {
		unit := []reg.VecVirtual{v}
		if per == 2 {
			unit = append(unit, acc[k+i])
		}
		s.Sum16(unit)
	}
	return out
}

// each emits the loop; body comes after the statistics of the row of x. If dst is not
// nil, it then holds the mean less x, which saves a subtraction in every later pass.
func (w *normRows) each(x reg.GPVirtual, dst *reg.GPVirtual, body func()) {
	s, step := w.s, GP64()
	MOVQ(w.d, step)
	SHLQ(Imm(2), step)
	// less is a number less elements of x, in this order to read them from memory, and
	// 0 beyond the row.
	less := func(base reg.VecVirtual, at Mem, m *isa.Mask) reg.VecVirtual {
		v := s.Vec()
		if m == nil {
			VSUBPS(at, base, v)
			return v
		}
		m.Load(at, v)
		VSUBPS(v, base, v)
		return s.Keep(m.Register(), v)
	}
	Label("row")
	VBROADCASTSS(Mem{Base: x}, w.mean)
	rest := w.sums("mean", 1, func(acc []reg.VecVirtual, at func(p reg.GPVirtual) Mem, m *isa.Mask) {
		VADDPS(less(w.mean, at(x), m), acc[0], acc[0])
	})
	mean := w.mean.AsX()
	VFNMADD231SS(w.inverseD, rest[0].AsX(), mean)
	VBROADCASTSS(mean, w.mean)
	variance := w.sums("variance", 1, func(acc []reg.VecVirtual, at func(p reg.GPVirtual) Mem, m *isa.Mask) {
		v := less(w.mean, at(x), m)
		if dst != nil {
			store(v, at(*dst), m)
		}
		VFMADD231PS(v, v, acc[0])
	})
	v := variance[0].AsX()
	VFMADD213SS(w.eps.AsX(), w.inverseD, v)
	VSQRTSS(v, v, v)
	VDIVSS(v, s.ConstReg(1).AsX(), v)
	VBROADCASTSS(v, w.inverse)
	body()
	for _, p := range w.perRow {
		ADDQ(step, p)
	}
	DECQ(w.rows)
	JNZ(LabelRef("row"))
	VZEROUPPER()
	RET()
}

// negated loads elements of what each left in dst and scales them: the normalised
// ones, times -1.
func (w *normRows) negated(at Mem, m *isa.Mask) reg.VecVirtual {
	v := load(w.s, at, m)
	VMULPS(w.inverse, v, v)
	return v
}

func layerNorm(s isa.Set) {
	isa.Func("layerNorm"+s.Name, "func(dst, x, weight, bias []float32, rows, d int, eps float32)",
		"normalises rows of d floats; there is at least one of each.")
	w := newNormRows(s, "dst", "x")
	dst, x := w.perRow[0], w.perRow[1]
	weight, _ := isa.Slice("weight")
	bias, _ := isa.Slice("bias")
	w.each(x, &dst, func() {
		w.pass("result", 4, 1, func(_ int, at func(p reg.GPVirtual) Mem, m *isa.Mask) {
			v, f, b := w.negated(at(dst), m), load(s, at(weight), m), load(s, at(bias), m)
			VFNMADD213PS(b, f, v)
			store(v, at(dst), m)
		})
	})
}

func layerNormGrad(s isa.Set) {
	isa.Func("layerNormGrad"+s.Name, "func(dst, grad, x, weight []float32, rows, d int, eps float32)",
		"is the gradient of layerNorm by x.")
	w := newNormRows(s, "dst", "grad", "x")
	dst, g, x := w.perRow[0], w.perRow[1], w.perRow[2]
	weight, _ := isa.Slice("weight")
	scaled := func(at func(p reg.GPVirtual) Mem, m *isa.Mask) reg.VecVirtual {
		v, f := load(s, at(g), m), load(s, at(weight), m)
		VMULPS(f, v, v)
		return v
	}
	count, factor := s.Vec(), s.Vec()
	VCVTSI2SSQ(w.d, w.inverseD, count.AsX())
	VBROADCASTSS(count.AsX(), count)
	w.each(x, &dst, func() {
		sums := w.sums("along", 2, func(acc []reg.VecVirtual, at func(p reg.GPVirtual) Mem, m *isa.Mask) {
			v, n := scaled(at, m), w.negated(at(dst), m)
			VADDPS(v, acc[0], acc[0])
			VFNMADD231PS(n, v, acc[1])
		})
		for _, v := range sums {
			VBROADCASTSS(v.AsX(), v)
		}
		VMULSS(w.inverseD, w.inverse.AsX(), factor.AsX())
		VBROADCASTSS(factor.AsX(), factor)
		w.pass("result", 4, 1, func(_ int, at func(p reg.GPVirtual) Mem, m *isa.Mask) {
			v, n := scaled(at, m), w.negated(at(dst), m)
			VFMSUB213PS(sums[0], count, v)
			VFMADD231PS(sums[1], n, v)
			VMULPS(factor, v, v)
			store(v, at(dst), m)
		})
	})
}

func layerNormParamGrad(s isa.Set) {
	isa.Func("layerNormParamGrad"+s.Name, "func(weight, bias, grad, x []float32, rows, d int, eps float32)",
		"adds the gradients of layerNorm by weight and bias to them.")
	w := newNormRows(s, "grad", "x")
	g, x := w.perRow[0], w.perRow[1]
	weight, _ := isa.Slice("weight")
	bias, _ := isa.Slice("bias")
	w.each(x, nil, func() {
		w.pass("result", 4, 1, func(_ int, at func(p reg.GPVirtual) Mem, m *isa.Mask) {
			v, n := load(s, at(g), m), load(s, at(x), m)
			VSUBPS(w.mean, n, n)
			VMULPS(w.inverse, n, n)
			a, b := load(s, at(weight), m), load(s, at(bias), m)
			VFMADD231PS(n, v, a)
			VADDPS(v, b, b)
			store(a, at(weight), m)
			store(b, at(bias), m)
		})
	})
}
