package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"

	"kernelgen/isa"
)

// spmm emits the kernel for nv vectors of columns: the sums of a row stay in
// registers over all its entries.
func spmm(s isa.Set, nv int) {
	isa.Func(fmt.Sprintf("spmm%d%s", nv, s.Name),
		"func(dst, x *float32, ptr, col *int32, coef, self, selfCoef, bias *float32, rows, k, width, step, n, relu int)",
		fmt.Sprintf("computes rows of SpMM in up to %d columns; see spmmFunc.", nv*s.Lanes))
	dst, x := isa.Int("dst"), isa.Int("x")
	ptr, col, coef := isa.Int("ptr"), isa.Int("col"), isa.Int("coef")
	self, selfCoef := isa.Int("self"), isa.Int("selfCoef")
	rows, k, step := isa.Int("rows"), isa.Int("k"), isa.Int("step")
	n := isa.Int("n")
	last := s.FirstLanes(n)
	acc, c, tmp := s.Vecs(nv), s.Vec(), s.Vec()
	end := GP64()
	at := func(p reg.GPVirtual, j int) Mem { return Mem{Base: p, Disp: j * s.Bytes()} }
	fma := func(p reg.GPVirtual) {
		for j := range nv - 1 {
			VFMADD231PS(at(p, j), c, acc[j])
		}
		last.FMATo(at(p, nv-1), c, acc[nv-1], tmp)
	}
	add := func(p reg.GPVirtual) {
		for j := range nv - 1 {
			VADDPS(at(p, j), acc[j], acc[j])
		}
		last.AddTo(at(p, nv-1), acc[nv-1], tmp)
	}

	Label("row")
	entries(ptr, k, end)

	Label("begin")
	bias := isa.Int("bias")
	TESTQ(bias, bias)
	JZ(LabelRef("zero"))
	for j := range nv - 1 {
		VMOVUPS(at(bias, j), acc[j])
	}
	last.Load(at(bias, nv-1), acc[nv-1])
	JMP(LabelRef("own"))
	Label("zero")
	for _, v := range acc {
		s.Zero(v)
	}

	Label("own")
	TESTQ(self, self)
	JZ(LabelRef("entries"))
	TESTQ(selfCoef, selfCoef)
	JZ(LabelRef("ownAdd"))
	VBROADCASTSS(Mem{Base: selfCoef}, c)
	ADDQ(Imm(4), selfCoef)
	fma(self)
	ADDQ(step, self)
	JMP(LabelRef("entries"))
	Label("ownAdd")
	add(self)
	ADDQ(step, self)

	Label("entries")
	CMPQ(k, end)
	JGE(LabelRef("finish"))
	p := GP64()
	// The four loops differ in what is given: Col, Coef, both or neither.
	loop := func(label string, gather, weigh bool) {
		if !gather { // rows of X follow each other
			MOVQ(k, p)
			IMULQ(step, p)
			ADDQ(x, p)
		}
		Label(label)
		if gather {
			MOVLQSX(Mem{Base: col, Index: k, Scale: 4}, p)
			IMULQ(step, p)
			ADDQ(x, p)
		}
		if weigh {
			VBROADCASTSS(Mem{Base: coef, Index: k, Scale: 4}, c)
			fma(p)
		} else {
			add(p)
		}
		if !gather {
			ADDQ(step, p)
		}
		INCQ(k)
		CMPQ(k, end)
		JLT(LabelRef(label))
		JMP(LabelRef("finish"))
	}
	TESTQ(col, col)
	JZ(LabelRef("inOrder"))
	TESTQ(coef, coef)
	JZ(LabelRef("colOnly"))
	loop("colCoef", true, true)
	Label("colOnly")
	loop("colLoop", true, false)
	Label("inOrder")
	TESTQ(coef, coef)
	JZ(LabelRef("plain"))
	loop("coefLoop", false, true)
	Label("plain")
	loop("plainLoop", false, false)

	Label("finish")
	relu := isa.Int("relu")
	TESTQ(relu, relu)
	JZ(LabelRef("store"))
	s.Zero(tmp)
	for _, v := range acc {
		VMAXPS(v, tmp, v) // NaN: the first operand here
	}
	Label("store")
	for j := range nv - 1 {
		VMOVUPS(acc[j], at(dst, j))
	}
	last.Store(acc[nv-1], at(dst, nv-1))
	ADDQ(step, dst)
	DECQ(rows)
	JNZ(LabelRef("row"))
	VZEROUPPER()
	RET()
}
