// Command move generates the copies that change the layout of a matrix.
package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"

	"kernelgen/isa"
)

func main() {
	ConstraintExpr("!noasm")
	for _, s := range isa.Sets {
		copyRows(s)
		gatherRows(s)
		ranks(s)
	}
	transpose8()
	Generate()
}

// copyRows moves short rows between matrices of different row length.
func copyRows(s isa.Set) {
	isa.Func("copyRows"+s.Name, "func(dst, src *float32, rows, w, dstStep, srcStep int)",
		"copies rows of w floats, 1 ≤ w ≤ two vectors; steps between rows are in bytes.")
	dst, src := isa.Int("dst"), isa.Int("src")
	rows, w := isa.Int("rows"), isa.Int("w")
	dstStep, srcStep := isa.Int("dstStep"), isa.Int("srcStep")
	v := s.Vecs(2)
	wide := func(loop string, step func()) {
		Label(loop)
		step()
		ADDQ(srcStep, src)
		ADDQ(dstStep, dst)
		DECQ(rows)
		JNZ(LabelRef(loop))
		VZEROUPPER()
		RET()
	}
	high := func(m reg.GPVirtual) Mem { return Mem{Base: m, Disp: s.Bytes()} }
	low := func(m reg.GPVirtual) Mem { return Mem{Base: m} }

	CMPQ(w, Imm(uint64(2*s.Lanes)))
	JEQ(LabelRef("two"))
	CMPQ(w, Imm(uint64(s.Lanes)))
	JGT(LabelRef("twoMasked"))
	one := s.FirstLanes(w)
	wide("oneLoop", func() {
		one.Load(low(src), v[0])
		one.Store(v[0], low(dst))
	})
	Label("twoMasked")
	SUBQ(Imm(uint64(s.Lanes)), w)
	second := s.FirstLanes(w)
	wide("maskedLoop", func() {
		VMOVUPS(low(src), v[0])
		second.Load(high(src), v[1])
		VMOVUPS(v[0], low(dst))
		second.Store(v[1], high(dst))
	})
	Label("two")
	wide("twoLoop", func() {
		VMOVUPS(low(src), v[0])
		VMOVUPS(high(src), v[1])
		VMOVUPS(v[0], low(dst))
		VMOVUPS(v[1], high(dst))
	})
}

// gatherRows copies whole rows. Stores of whole registers matter more than loads:
// each takes a place in the store buffer, and those that wait for lines from outer
// caches fill it. Rows are not fetched ahead, which the processor does by itself:
// it has the loads of many rows in flight.
func gatherRows(s isa.Set) {
	isa.Func("gatherRows"+s.Name, "func(dst, x *float32, ids *int32, rows, d int)",
		"sets row i of dst to row ids[i] of x; rows have d ≥ 1 floats, and there is at least one.")
	dst, x, ids := isa.Int("dst"), isa.Int("x"), isa.Int("ids")
	rows, d := isa.Int("rows"), isa.Int("d")
	const unroll = 8
	v := s.Vecs(unroll)
	step, rest := GP64(), GP64()
	MOVQ(d, step)
	SHLQ(Imm(2), step)
	MOVQ(d, rest)
	ANDQ(Imm(uint64(s.Lanes-1)), rest)
	tail := s.FirstLanes(rest)
	src, n := GP64(), GP64()

	Label("row")
	MOVLQSX(Mem{Base: ids}, src)
	IMULQ(step, src)
	ADDQ(x, src)
	MOVQ(d, n)
	copyVecs := func(vecs int, label, next string) {
		Label(label)
		CMPQ(n, U32(vecs*s.Lanes))
		JLT(LabelRef(next))
		for i := range vecs {
			VMOVUPS(Mem{Base: src, Disp: i * s.Bytes()}, v[i])
		}
		for i := range vecs {
			VMOVUPS(v[i], Mem{Base: dst, Disp: i * s.Bytes()})
		}
		ADDQ(U32(vecs*s.Bytes()), src)
		ADDQ(U32(vecs*s.Bytes()), dst)
		SUBQ(U32(vecs*s.Lanes), n)
		JMP(LabelRef(label))
	}
	copyVecs(unroll, "wide", "one")
	copyVecs(1, "one", "tail")
	Label("tail")
	TESTQ(n, n)
	JZ(LabelRef("next"))
	tail.Load(Mem{Base: src}, v[0])
	tail.Store(v[0], Mem{Base: dst})
	LEAQ(Mem{Base: dst, Index: n, Scale: 4}, dst)
	Label("next")
	ADDQ(Imm(4), ids)
	DECQ(rows)
	JNZ(LabelRef("row"))
	VZEROUPPER()
	RET()
}

// transpose8 turns eight rows into eight columns.
func transpose8() {
	isa.Func("transpose8AVX2", "func(dst, src *float32, blocks, dstStep, srcStep int)",
		"transposes eight rows of 8·blocks floats into 8·blocks rows of eight; steps between rows are in bytes.")
	dst, src := isa.Int("dst"), isa.Int("src")
	blocks := isa.Int("blocks")
	d, s := isa.Int("dstStep"), isa.Int("srcStep")
	d3, s3 := GP64(), GP64()
	LEAQ(Mem{Base: d, Index: d, Scale: 2}, d3)
	LEAQ(Mem{Base: s, Index: s, Scale: 2}, s3)
	row := func(p, p4, step, step3 reg.GPVirtual, r int) Mem {
		m := Mem{Base: p}
		if r >= 4 {
			m.Base = p4
		}
		switch r % 4 {
		case 1, 2:
			m.Index, m.Scale = step, uint8(r%4)
		case 3:
			m.Index, m.Scale = step3, 1
		}
		return m
	}
	src4, dst4 := GP64(), GP64()
	LEAQ(Mem{Base: src, Index: s, Scale: 4}, src4)
	LEAQ(Mem{Base: dst, Index: d, Scale: 4}, dst4)

	Label("loop")
	// Loading halves of rows r and r+4 into one register saves the exchange of
	// 128-bit lanes at the end.
	lo, hi := make([]reg.VecVirtual, 4), make([]reg.VecVirtual, 4)
	for r := range 4 {
		lo[r], hi[r] = YMM(), YMM()
		VMOVUPS(row(src, src4, s, s3, r), lo[r].AsX())
		VINSERTF128(Imm(1), row(src, src4, s, s3, r+4), lo[r], lo[r])
		m, m4 := row(src, src4, s, s3, r), row(src, src4, s, s3, r+4)
		m.Disp, m4.Disp = 16, 16
		VMOVUPS(m, hi[r].AsX())
		VINSERTF128(Imm(1), m4, hi[r], hi[r])
	}
	for h, q := range [][]reg.VecVirtual{lo, hi} {
		t0, t1, t2, t3 := YMM(), YMM(), YMM(), YMM()
		VUNPCKLPS(q[1], q[0], t0)
		VUNPCKHPS(q[1], q[0], t1)
		VUNPCKLPS(q[3], q[2], t2)
		VUNPCKHPS(q[3], q[2], t3)
		o := []reg.VecVirtual{YMM(), YMM(), YMM(), YMM()}
		VUNPCKLPD(t2, t0, o[0])
		VUNPCKHPD(t2, t0, o[1])
		VUNPCKLPD(t3, t1, o[2])
		VUNPCKHPD(t3, t1, o[3])
		for c, v := range o {
			VMOVUPS(v, row(dst, dst4, d, d3, 4*h+c))
		}
	}
	ADDQ(Imm(32), src)
	ADDQ(Imm(32), src4)
	LEAQ(Mem{Base: dst, Index: d, Scale: 8}, dst)
	LEAQ(Mem{Base: dst4, Index: d, Scale: 8}, dst4)
	DECQ(blocks)
	JNZ(LabelRef("loop"))
	VZEROUPPER()
	RET()
}
