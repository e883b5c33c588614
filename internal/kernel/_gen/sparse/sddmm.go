package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"

	"kernelgen/isa"
)

// sddmm emits the inner products of pairs of rows. Columns are taken in units of
// sixteen, four units side by side, so that all sets give the same bits.
func sddmm(s isa.Set) {
	isa.Func("sddmm"+s.Name,
		"func(dst, left, right *float32, ptr, row, col *int32, coef *float32, count, k, width, d int)",
		"computes elements of SDDMM; see sddmmFunc.")
	const units = 4
	per := s.PerUnit()
	tail := isa.Int("d")
	ANDQ(Imm(15), tail)
	masks := s.TailMasks(tail)

	g, x := isa.Int("left"), isa.Int("right")
	ptr, row, col, coef := isa.Int("ptr"), isa.Int("row"), isa.Int("col"), isa.Int("coef")
	k, step := isa.Int("k"), isa.Int("d")
	SHLQ(Imm(2), step)
	acc := make([][]reg.VecVirtual, units)
	for u := range acc {
		acc[u] = s.Vecs(per)
	}
	c, tmp, t2 := s.Vec(), s.Vec(), s.Vec()
	end, p, q, left := GP64(), GP64(), GP64(), GP64()
	at := func(b reg.GPVirtual, u, v int) Mem { return Mem{Base: b, Disp: 64*u + v*s.Bytes()} }

	Label("element")
	entries(ptr, k, end)
	Label("begin")
	for _, unit := range acc {
		for _, v := range unit {
			s.Zero(v)
		}
	}
	CMPQ(k, end)
	JGE(LabelRef("finish"))

	Label("entry")
	address := func(index reg.GPVirtual, base, to reg.GPVirtual, label string) {
		MOVQ(k, to)
		TESTQ(index, index)
		JZ(LabelRef(label))
		MOVLQSX(Mem{Base: index, Index: k, Scale: 4}, to)
		Label(label)
		IMULQ(step, to)
		ADDQ(base, to)
	}
	address(row, g, p, "rowGiven")
	address(col, x, q, "colGiven")
	MOVQ(step, left)
	product := func(label string, weigh bool) {
		run := func(n int) {
			for u := range n {
				for v := range per {
					VMOVUPS(at(p, u, v), tmp)
					if weigh {
						VMULPS(c, tmp, tmp)
					}
					VFMADD231PS(at(q, u, v), tmp, acc[u][v])
				}
			}
			ADDQ(U32(64*n), p)
			ADDQ(U32(64*n), q)
			SUBQ(U32(64*n), left)
		}
		Label(label + "Four")
		CMPQ(left, U32(64*units))
		JLT(LabelRef(label + "One"))
		run(units)
		JMP(LabelRef(label + "Four"))
		Label(label + "One")
		CMPQ(left, Imm(64))
		JLT(LabelRef(label + "Tail"))
		run(1)
		JMP(LabelRef(label + "One"))
		Label(label + "Tail")
		TESTQ(left, left)
		JZ(LabelRef("next"))
		for v := range per {
			masks[v].Load(at(p, 0, v), tmp)
			if weigh {
				VMULPS(c, tmp, tmp)
			}
			masks[v].Load(at(q, 0, v), t2)
			weighed := tmp
			if weigh {
				// An infinite weight makes NaN of the lanes past the end.
				weighed = s.Keep(masks[v].Register(), tmp)
			}
			VFMADD231PS(t2, weighed, acc[1][v])
		}
	}
	TESTQ(coef, coef)
	JZ(LabelRef("plainFour"))
	VBROADCASTSS(Mem{Base: coef, Index: k, Scale: 4}, c)
	product("weighed", true)
	JMP(LabelRef("next"))
	product("plain", false)

	Label("next")
	INCQ(k)
	CMPQ(k, end)
	JLT(LabelRef("entry"))

	Label("finish")
	for v := range per {
		VADDPS(acc[1][v], acc[0][v], acc[0][v])
		VADDPS(acc[3][v], acc[2][v], acc[2][v])
		VADDPS(acc[2][v], acc[0][v], acc[0][v])
	}
	dst := isa.Int("dst")
	VMOVSS(s.Sum16(acc[0]), Mem{Base: dst})
	ADDQ(Imm(4), dst)
	Store(dst, Param("dst"))
	count := isa.Int("count")
	DECQ(count)
	Store(count, Param("count"))
	JNZ(LabelRef("element"))
	VZEROUPPER()
	RET()
}
