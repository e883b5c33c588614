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

// normRows emits a loop over rows.
type normRows struct {
	s             isa.Set
	rows, d       reg.GPVirtual
	n, at         reg.GPVirtual // elements left in a pass, and bytes passed
	mask          isa.Mask
	perRow        []reg.GPVirtual // pointers that go on with the rows
	inverseD, eps reg.VecVirtual
	mean, inverse reg.VecVirtual   // of the row: mean and 1/√(variance+eps)
	acc           []reg.VecVirtual // of means, which are valid until the next
}

// newNormRows loads the parameters; perRow names the slices that go on with the rows.
func newNormRows(s isa.Set, perRow ...string) *normRows {
	w := &normRows{s: s, n: GP64(), at: GP64(), mean: s.Vec(), inverse: s.Vec(), inverseD: s.Vec(), acc: s.Vecs(4)}
	for _, name := range perRow {
		p, _ := isa.Slice(name)
		w.perRow = append(w.perRow, p)
	}
	w.rows, w.d = isa.Int("rows"), isa.Int("d")
	w.eps = s.Scalar("eps")
	rest, x := GP64(), w.inverseD.AsX()
	MOVQ(w.d, rest)
	ANDQ(Imm(uint64(s.Lanes-1)), rest)
	w.mask = s.FirstLanes(rest)
	VXORPS(x, x, x)
	VCVTSI2SSQ(w.d, x, x)
	VDIVSS(x, s.ConstReg(1).AsX(), x)
	return w
}

// pass emits a loop over the elements of a row, unroll vectors at a time, then
// one by one, then the rest with a mask; i counts the vectors of a step.
func (w *normRows) pass(label string, unroll int, step func(i int, at func(p reg.GPVirtual) Mem, m *isa.Mask)) {
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
	one, tail, end := label+"One", label+"Tail", label+"End"
	if unroll > 1 {
		run(unroll, fmt.Sprint(label, unroll), one)
	}
	run(1, one, tail)
	Label(tail)
	TESTQ(w.n, w.n)
	JZ(LabelRef(end))
	do(0, &w.mask)
	Label(end)
}

// means emits a pass that adds up k quantities in four registers and returns their
// means over the row, each in every lane; add adds to the accumulators it is given.
func (w *normRows) means(label string, k int, add func(acc []reg.VecVirtual, at func(p reg.GPVirtual) Mem, m *isa.Mask)) []reg.VecVirtual {
	s, unroll, acc := w.s, 4/k, w.acc
	for _, v := range acc {
		s.Zero(v)
	}
	w.pass(label, unroll, func(i int, at func(p reg.GPVirtual) Mem, m *isa.Mask) { add(acc[i*k:(i+1)*k], at, m) })
	for n := 4; n > k; n /= 2 {
		for i := range n / 2 {
			VADDPS(acc[i+n/2], acc[i], acc[i])
		}
	}
	out := acc[:k]
	for _, v := range out {
		x := s.SumLanes(v)
		VMULSS(w.inverseD.AsX(), x, x)
		VBROADCASTSS(x, v)
	}
	return out
}

// each emits the loop; body comes after the statistics of the row of x.
func (w *normRows) each(x reg.GPVirtual, body func()) {
	s, step := w.s, GP64()
	MOVQ(w.d, step)
	SHLQ(Imm(2), step)
	Label("row")
	sum := w.means("mean", 1, func(acc []reg.VecVirtual, at func(p reg.GPVirtual) Mem, m *isa.Mask) {
		v := load(s, at(x), m)
		VADDPS(v, acc[0], acc[0])
	})
	VMOVUPS(sum[0], w.mean)
	variance := w.means("variance", 1, func(acc []reg.VecVirtual, at func(p reg.GPVirtual) Mem, m *isa.Mask) {
		v := load(s, at(x), m)
		VSUBPS(w.mean, v, v)
		if m != nil {
			v = s.Keep(m.Register(), v)
		}
		VFMADD231PS(v, v, acc[0])
	})
	v := variance[0].AsX()
	VADDSS(w.eps.AsX(), v, v)
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

// normal loads elements of x and normalises them.
func (w *normRows) normal(at Mem, m *isa.Mask) reg.VecVirtual {
	v := load(w.s, at, m)
	VSUBPS(w.mean, v, v)
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
	w.each(x, func() {
		w.pass("result", 4, func(_ int, at func(p reg.GPVirtual) Mem, m *isa.Mask) {
			v, f, b := w.normal(at(x), m), load(s, at(weight), m), load(s, at(bias), m)
			VFMADD213PS(b, f, v)
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
	w.each(x, func() {
		along := w.means("along", 2, func(acc []reg.VecVirtual, at func(p reg.GPVirtual) Mem, m *isa.Mask) {
			v, n := scaled(at, m), w.normal(at(x), m)
			VADDPS(v, acc[0], acc[0])
			VFMADD231PS(n, v, acc[1])
		})
		w.pass("result", 4, func(_ int, at func(p reg.GPVirtual) Mem, m *isa.Mask) {
			v, n := scaled(at, m), w.normal(at(x), m)
			VSUBPS(along[0], v, v)
			VFNMADD231PS(along[1], n, v)
			VMULPS(w.inverse, v, v)
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
	w.each(x, func() {
		w.pass("result", 4, func(_ int, at func(p reg.GPVirtual) Mem, m *isa.Mask) {
			v, n := load(s, at(g), m), w.normal(at(x), m)
			a, b := load(s, at(weight), m), load(s, at(bias), m)
			VFMADD231PS(n, v, a)
			VADDPS(v, b, b)
			store(a, at(weight), m)
			store(b, at(bias), m)
		})
	})
}
