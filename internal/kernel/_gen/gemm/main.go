// Command gemm generates the inner loops of matrix multiplication: register
// tiles of up to 14×2 vectors (AVX-512) or 6×2 vectors (AVX2).
package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"

	"kernelgen/isa"
)

func main() {
	ConstraintExpr("!noasm")
	for _, s := range isa.Sets {
		rows := 14
		if s == isa.AVX2 {
			rows = 6
		}
		for nv := 1; nv <= 2; nv++ {
			for mr := 1; mr <= rows; mr++ {
				tile(s, mr, nv)
			}
		}
		gemv(s)
	}
	Generate()
}

// tile emits one tile of mr rows by nv vectors.
func tile(s isa.Set, mr, nv int) {
	isa.Func(fmt.Sprintf("gemm%dx%d%s", mr, nv, s.Name),
		"func(c, a, b, bias *float32, k, aRow, aStep, bStep, cRow, n, flags int)",
		fmt.Sprintf("multiplies %d rows of A by up to %d columns of B; see gemmTileFunc.", mr, nv*s.Lanes))

	// C is fetched for writing while the products are summed.
	p, step := isa.Int("c"), isa.Int("cRow")
	for r := range mr {
		for j := 0; j < nv*s.Bytes(); j += 64 {
			PREFETCHT0(Mem{Base: p, Disp: j})
		}
		if r+1 < mr {
			ADDQ(step, p)
		}
	}

	acc := make([][]reg.VecVirtual, mr)
	for r := range acc {
		acc[r] = s.Vecs(nv)
		for _, v := range acc[r] {
			s.Zero(v)
		}
	}
	product(s, acc, nv)

	c, cRow := isa.Int("c"), isa.Int("cRow")
	n := isa.Int("n")
	if s.Is512() {
		epilogue(s, acc, c, cRow, lastMask(s, n, nv), "")
	} else {
		// Masked stores are slow on some AVX2 machines; full tiles avoid them.
		CMPQ(n, Imm(uint64(nv*s.Lanes)))
		JNE(LabelRef("partial"))
		epilogue(s, acc, c, cRow, nil, "_full")
		Label("partial")
		epilogue(s, acc, c, cRow, lastMask(s, n, nv), "")
	}
}

// lastMask masks the last of nv vectors when n columns are valid.
func lastMask(s isa.Set, n reg.GPVirtual, nv int) *isa.Mask {
	if nv > 1 {
		SUBQ(Imm(uint64((nv-1)*s.Lanes)), n)
	}
	m := s.FirstLanes(n)
	return &m
}

// product accumulates k steps. Row r of A lies at a + r·aRow, the next step
// aStep bytes further; every fifth row has a pointer of its own.
func product(s isa.Set, acc [][]reg.VecVirtual, nv int) {
	mr := len(acc)
	k := isa.Int("k")
	TESTQ(k, k)
	JZ(LabelRef("sums"))
	a, b := isa.Int("a"), isa.Int("b")
	aStep, bStep := isa.Int("aStep"), isa.Int("bStep")
	aRow := isa.Int("aRow")
	bases := []reg.GPVirtual{a}
	var aRow3 reg.GPVirtual
	if mr > 3 {
		aRow3 = GP64()
		LEAQ(Mem{Base: aRow, Index: aRow, Scale: 2}, aRow3)
	}
	if mr > 5 {
		five := GP64()
		LEAQ(Mem{Base: aRow, Index: aRow, Scale: 4}, five)
		for r := 5; r < mr; r += 5 {
			next := GP64()
			LEAQ(Mem{Base: bases[len(bases)-1], Index: five, Scale: 1}, next)
			bases = append(bases, next)
		}
	}
	element := func(r int) Mem {
		m := Mem{Base: bases[r/5]}
		switch r % 5 {
		case 1, 2, 4:
			m.Index, m.Scale = aRow, uint8(r%5)
		case 3:
			m.Index, m.Scale = aRow3, 1
		}
		return m
	}
	mask := s.Is512()
	var last isa.Mask
	if mask {
		n := isa.Int("n")
		last = *lastMask(s, n, nv)
	}

	Label("loop")
	bv := s.Vecs(nv)
	for j, v := range bv {
		m := Mem{Base: b, Disp: j * s.Bytes()}
		if mask && j == nv-1 {
			last.Load(m, v)
		} else {
			VMOVUPS(m, v)
		}
	}
	ADDQ(bStep, b)
	for r := range acc {
		if nv == 1 && s.Is512() {
			VFMADD231PS_BCST(element(r), bv[0], acc[r][0])
			continue
		}
		x := s.Vec()
		VBROADCASTSS(element(r), x)
		for j := range bv {
			VFMADD231PS(x, bv[j], acc[r][j])
		}
	}
	for _, p := range bases {
		ADDQ(aStep, p)
	}
	DECQ(k)
	JNZ(LabelRef("loop"))
	Label("sums")
}

// epilogue adds C and bias, applies ReLU and stores. last masks the last
// vector of a row; nil means full vectors.
func epilogue(s isa.Set, acc [][]reg.VecVirtual, c, cRow reg.GPVirtual, last *isa.Mask, suffix string) {
	nv := len(acc[0])
	load := func(m Mem, j int, v reg.VecVirtual) {
		if last != nil && j == nv-1 {
			last.Load(m, v)
		} else {
			VMOVUPS(m, v)
		}
	}
	flags, p := isa.Int("flags"), GP64()
	t := s.Vec()
	BTL(Imm(0), flags.As32())
	JCC(LabelRef("noacc" + suffix))
	MOVQ(c, p)
	for r := range acc {
		for j := range nv {
			m := Mem{Base: p, Disp: j * s.Bytes()}
			if last != nil && j == nv-1 {
				last.Load(m, t)
				VADDPS(t, acc[r][j], acc[r][j])
			} else {
				VADDPS(m, acc[r][j], acc[r][j])
			}
		}
		if r+1 < len(acc) {
			ADDQ(cRow, p)
		}
	}
	Label("noacc" + suffix)

	bias := isa.Int("bias")
	TESTQ(bias, bias)
	JZ(LabelRef("nobias" + suffix))
	for j := range nv {
		load(Mem{Base: bias, Disp: j * s.Bytes()}, j, t)
		for r := range acc {
			VADDPS(t, acc[r][j], acc[r][j])
		}
	}
	Label("nobias" + suffix)

	BTL(Imm(1), flags.As32())
	JCC(LabelRef("norelu" + suffix))
	s.Zero(t)
	for r := range acc {
		for j := range nv {
			VMAXPS(acc[r][j], t, acc[r][j]) // NaN: the first operand here
		}
	}
	Label("norelu" + suffix)

	for r := range acc {
		for j := range nv {
			m := Mem{Base: c, Disp: j * s.Bytes()}
			if last != nil && j == nv-1 {
				last.Store(acc[r][j], m)
			} else {
				VMOVUPS(acc[r][j], m)
			}
		}
		if r+1 < len(acc) {
			ADDQ(cRow, c)
		}
	}
	VZEROUPPER()
	RET()
}
