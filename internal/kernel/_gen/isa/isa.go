// Package isa hides the differences between AVX2 and AVX-512 that the kernel
// generators would otherwise repeat: register width, masks and the ends of
// vectors. It emits into avo's global context.
package isa

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// Set is an instruction set to generate for.
type Set struct {
	Name  string // suffix of function names
	Lanes int    // float32 per register
	Regs  int    // number of vector registers
}

// The two sets. AVX2 includes FMA3 and BMI2.
var (
	AVX2   = Set{Name: "AVX2", Lanes: 8, Regs: 16}
	AVX512 = Set{Name: "AVX512", Lanes: 16, Regs: 32}
)

// Sets lists all sets.
var Sets = []Set{AVX2, AVX512}

// Is512 reports whether s has mask registers.
func (s Set) Is512() bool { return s.Lanes == 16 }

// Bytes is the width of a register.
func (s Set) Bytes() int { return 4 * s.Lanes }

// Vec allocates a vector register.
func (s Set) Vec() reg.VecVirtual {
	if s.Is512() {
		return ZMM()
	}
	return YMM()
}

// Vecs allocates n vector registers.
func (s Set) Vecs(n int) []reg.VecVirtual {
	vs := make([]reg.VecVirtual, n)
	for i := range vs {
		vs[i] = s.Vec()
	}
	return vs
}

// Zero clears v.
func (s Set) Zero(v reg.VecVirtual) {
	if s.Is512() {
		VPXORD(v, v, v)
		return
	}
	VXORPS(v, v, v)
}

// And, Or, Xor and AndNot (^a & b) are bitwise; AVX-512F has them for integers
// only.
func (s Set) And(a, b, dst Op) {
	if s.Is512() {
		VPANDD(a, b, dst)
		return
	}
	VANDPS(a, b, dst)
}

// Or sets dst = a | b.
func (s Set) Or(a, b, dst Op) {
	if s.Is512() {
		VPORD(a, b, dst)
		return
	}
	VORPS(a, b, dst)
}

// Xor sets dst = a ^ b.
func (s Set) Xor(a, b, dst Op) {
	if s.Is512() {
		VPXORD(a, b, dst)
		return
	}
	VXORPS(a, b, dst)
}

// Const sets a fresh register to the float32 value in every lane.
func (s Set) Const(name string, v float32) reg.VecVirtual {
	r := s.Vec()
	VBROADCASTSS(ConstData("f32"+name+s.Name, F32(v)), r)
	return r
}

// Bits is Const for a bit pattern.
func (s Set) Bits(name string, v uint32) reg.VecVirtual {
	r := s.Vec()
	VBROADCASTSS(ConstData("u32"+name+s.Name, U32(v)), r)
	return r
}

// Mask selects the first lanes of a vector.
type Mask struct {
	set Set
	k   reg.Register
}

// FirstLanes makes the mask of the first n lanes, 0 ≤ n ≤ Lanes. It clobbers
// n.
func (s Set) FirstLanes(n reg.GPVirtual) Mask {
	if s.Is512() {
		ones, k := GP32(), K()
		MOVL(I32(-1), ones)
		BZHIL(n.As32(), ones, ones)
		KMOVW(ones, k)
		return Mask{s, k}
	}
	table := s.maskTable()
	NEGQ(n)
	v, base := YMM(), GP64()
	LEAQ(table, base)
	VMOVUPS(Mem{Base: base, Index: n, Scale: 4, Disp: 32}, v)
	return Mask{s, v}
}

var tables = map[string]Mem{}

// maskTable is eight words of ones followed by eight of zeros.
func (s Set) maskTable() Mem {
	if m, ok := tables[s.Name]; ok {
		return m
	}
	m := GLOBL("laneMask"+s.Name, 8|16) // RODATA|NOPTR
	for i := range 16 {
		var w U32
		if i < 8 {
			w = 0xffffffff
		}
		DATA(4*i, w)
	}
	tables[s.Name] = m
	return m
}

// Load reads the selected lanes of m into v and clears the others.
func (m Mask) Load(mem Mem, v reg.VecVirtual) {
	if m.set.Is512() {
		VMOVUPS_Z(mem, m.k, v)
		return
	}
	VMASKMOVPS(mem, m.k, v)
}

// Store writes the selected lanes of v.
func (m Mask) Store(v reg.VecVirtual, mem Mem) {
	if m.set.Is512() {
		VMOVUPS(v, m.k, mem)
		return
	}
	VMASKMOVPS(v, m.k, mem)
}

// Int loads an integer or pointer parameter.
func Int(name string) reg.GPVirtual {
	return Load(Param(name), GP64()).(reg.GPVirtual)
}

// Func begins a function; its pointers do not escape.
func Func(name, signature, doc string) {
	TEXT(name, NOSPLIT, signature)
	Pragma("noescape")
	Doc(name + " " + doc)
}

// Sum16 adds the sixteen lanes that vs holds together, halving again and again,
// which all sets do in the same order. It clobbers vs.
func (s Set) Sum16(vs []reg.VecVirtual) reg.Register {
	low, high := vs[0].AsY(), YMM()
	if s.Is512() {
		VEXTRACTF64X4(Imm(1), vs[0], high)
		VADDPS(high, low, low)
	} else {
		VADDPS(vs[1], low, low)
	}
	return s.sum8(low)
}

// sum8 adds the lanes of a YMM register.
func (s Set) sum8(low reg.Register) reg.Register {
	x, h := low.(reg.VecVirtual).AsX(), XMM()
	VEXTRACTF128(Imm(1), low, h)
	VADDPS(h, x, x)
	VPERMILPD(Imm(1), x, h)
	VADDPS(h, x, x)
	VMOVSHDUP(x, h)
	VADDSS(h, x, x)
	return x
}
