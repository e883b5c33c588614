// Command gemm generates the inner loops of matrix multiplication: register
// tiles of up to 14×2 vectors (AVX-512) or 6×2 vectors (AVX2).
package main

import (
	"fmt"
	"math/bits"

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
		for _, l := range []layout{rowMajor, columnMajor} {
			for nv := 1; nv <= 2; nv++ {
				for mr := 1; mr <= rows; mr++ {
					tile(s, l, mr, nv)
				}
			}
		}
		gemv(s)
		fmaLoop(s)
	}
	Generate()
}

// layout says which elements of A follow each other: those of a row, or those
// of a column, as in a transposed A and in packed tiles of one.
type layout string

const (
	rowMajor    layout = "Rows"
	columnMajor layout = "Cols"
)

// unroll is the number of steps along k between two branches: integer
// instructions steal ports from the multipliers.
const unroll = 4

// tile emits one tile of mr rows by nv vectors.
func tile(s isa.Set, l layout, mr, nv int) {
	isa.Func(fmt.Sprintf("gemm%dx%d%s%s", mr, nv, l, s.Name),
		"func(c, a, b, bias *float32, k, aStep, bStep, cRow, n, flags int, ahead *float32)",
		fmt.Sprintf("multiplies %d rows of A by up to %d columns of B; see gemmTileFunc.", mr, nv*s.Lanes))

	acc := make([][]reg.VecVirtual, mr)
	for r := range acc {
		acc[r] = s.Vecs(nv)
		for _, v := range acc[r] {
			s.Zero(v)
		}
	}
	if l == rowMajor {
		p, step := isa.Int("ahead"), isa.Int("aStep")
		for r := range acc {
			PREFETCHT0(Mem{Base: p})
			if r+1 < mr {
				ADDQ(step, p)
			}
		}
	}
	product(s, l, acc)

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

// product accumulates k steps.
func product(s isa.Set, l layout, acc [][]reg.VecVirtual) {
	k := isa.Int("k")
	a, b := isa.Int("a"), isa.Int("b")
	aStep, bStep := isa.Int("aStep"), isa.Int("bStep")
	bAt := multiples(bStep, unroll-1)
	element, advance := rowElements(a, aStep, len(acc))
	if l == columnMajor {
		element, advance = columnElements(a, aStep)
	}
	step := func(u int) {
		bv := s.Vecs(len(acc[0]))
		for j, v := range bv {
			m := bAt(b, u)
			m.Disp = j * s.Bytes()
			VMOVUPS(m, v)
		}
		for r := range acc {
			if len(bv) == 1 && s.Is512() {
				VFMADD231PS_BCST(element(r, u), bv[0], acc[r][0])
				continue
			}
			x := s.Vec()
			VBROADCASTSS(element(r, u), x)
			for j := range bv {
				VFMADD231PS(x, bv[j], acc[r][j])
			}
		}
	}

	rest := GP64()
	MOVQ(k, rest)
	ANDQ(Imm(unroll-1), rest)
	JZ(LabelRef("whole"))
	Label("one")
	step(0)
	advance(1)
	ADDQ(bStep, b)
	DECQ(rest)
	JNZ(LabelRef("one"))
	Label("whole")
	SHRQ(Imm(uint64(bits.TrailingZeros(unroll))), k)
	JZ(LabelRef("sums"))
	Label("loop")
	for u := range unroll {
		step(u)
	}
	advance(unroll)
	LEAQ(bAt(b, unroll), b)
	DECQ(k)
	JNZ(LabelRef("loop"))
	Label("sums")
}

// multiples returns addresses base + n·step for n up to most.
func multiples(step reg.GPVirtual, most int) func(base reg.GPVirtual, n int) Mem {
	odd := map[int]reg.GPVirtual{1: step}
	for n := 3; n <= most; n += 2 {
		of := 1
		for _, f := range []int{2, 4, 8} {
			if n > f && odd[n-f] != nil {
				of = f
			}
		}
		odd[n] = GP64()
		LEAQ(Mem{Base: odd[n-of], Index: step, Scale: uint8(of)}, odd[n])
	}
	return func(base reg.GPVirtual, n int) Mem {
		m := Mem{Base: base}
		if n > 0 {
			shift := bits.TrailingZeros(uint(n))
			m.Index, m.Scale = odd[n>>shift], 1<<shift
		}
		return m
	}
}

// rowElements addresses element (r, u) of an A whose rows are step bytes apart.
func rowElements(a, step reg.GPVirtual, rows int) (element func(r, u int) Mem, advance func(n int)) {
	at := multiples(step, rows-1)
	return func(r, u int) Mem {
			m := at(a, r)
			m.Disp = 4 * u
			return m
		}, func(n int) {
			ADDQ(Imm(uint64(4*n)), a)
		}
}

// columnElements addresses element (r, u) of an A whose columns are step bytes
// apart.
func columnElements(a, step reg.GPVirtual) (element func(r, u int) Mem, advance func(n int)) {
	at := multiples(step, unroll-1)
	return func(r, u int) Mem {
			m := at(a, u)
			m.Disp = 4 * r
			return m
		}, func(n int) {
			LEAQ(at(a, n), a)
		}
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
