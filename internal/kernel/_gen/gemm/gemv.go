package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"

	"kernelgen/isa"
)

// gemv emits the product of a matrix and one column: sixteen chains per row
// along k in every set, so that all give the same bits.
func gemv(s isa.Set) {
	isa.Func("gemv"+s.Name, "func(dst, a, x *float32, rows, k int)",
		"sets dst[r] to the inner product of x with row r of a; rows and k are at least 1.")
	dst, a := isa.Int("dst"), isa.Int("a")
	rows, k := isa.Int("rows"), isa.Int("k")
	step := GP64()
	MOVQ(k, step)
	SHLQ(Imm(2), step)
	step3 := GP64()
	LEAQ(Mem{Base: step, Index: step, Scale: 2}, step3)
	nv := s.PerUnit()

	// Masks of the last, incomplete step of sixteen.
	tail := GP64()
	MOVQ(k, tail)
	ANDQ(Imm(15), tail)
	masks := s.TailMasks(tail)
	SHRQ(Imm(4), k)

	group := func(count int, label string) {
		acc := make([][]reg.VecVirtual, count)
		for r := range acc {
			acc[r] = s.Vecs(nv)
			for _, v := range acc[r] {
				s.Zero(v)
			}
		}
		p, x, n := GP64(), isa.Int("x"), GP64()
		MOVQ(a, p)
		row := func(r, v int) Mem {
			m := Mem{Base: p, Disp: v * s.Bytes()}
			switch r {
			case 1, 2:
				m.Index, m.Scale = step, uint8(r)
			case 3:
				m.Index, m.Scale = step3, 1
			}
			return m
		}
		MOVQ(k, n)
		TESTQ(n, n)
		JZ(LabelRef(label + "Tail"))
		Label(label + "Loop")
		for v := range nv {
			xv := s.Vec()
			VMOVUPS(Mem{Base: x, Disp: v * s.Bytes()}, xv)
			for r := range acc {
				VFMADD231PS(row(r, v), xv, acc[r][v])
			}
		}
		ADDQ(Imm(64), p)
		ADDQ(Imm(64), x)
		DECQ(n)
		JNZ(LabelRef(label + "Loop"))
		Label(label + "Tail")
		TESTQ(tail, tail)
		JZ(LabelRef(label + "Sum"))
		for v := range nv {
			xv, av := s.Vec(), s.Vec()
			masks[v].Load(Mem{Base: x, Disp: v * s.Bytes()}, xv)
			for r := range acc {
				masks[v].Load(row(r, v), av)
				VFMADD231PS(av, xv, acc[r][v])
			}
		}
		Label(label + "Sum")
		for r := range acc {
			sum := s.Sum16(acc[r])
			VMOVSS(sum, Mem{Base: dst, Disp: 4 * r})
		}
		ADDQ(Imm(uint64(4*count)), dst)
		if count == 4 {
			LEAQ(Mem{Base: a, Index: step, Scale: 4}, a)
		} else {
			ADDQ(step, a)
		}
	}
	Label("four")
	CMPQ(rows, Imm(4))
	JLT(LabelRef("rest"))
	group(4, "four")
	SUBQ(Imm(4), rows)
	JMP(LabelRef("four"))
	Label("rest")
	TESTQ(rows, rows)
	JZ(LabelRef("done"))
	group(1, "one")
	DECQ(rows)
	JMP(LabelRef("rest"))
	Label("done")
	VZEROUPPER()
	RET()
}
