// Package isa hides the differences between AVX2 and AVX-512 that the kernel
// generators would otherwise repeat: register width, masks and the ends of
// vectors. It emits into avo's global context.
package isa

import (
	"fmt"
	"math"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// Set is an instruction set to generate for.
type Set struct {
	Name  string // suffix of function names
	Lanes int    // float32 per register
	// ConstInMemory keeps constants out of registers. It is set for AVX2, and
	// for functions with more constants than AVX-512 has registers.
	ConstInMemory bool
}

// The two sets. AVX2 includes FMA3 and BMI2.
var (
	AVX2   = Set{Name: "AVX2", Lanes: 8, ConstInMemory: true}
	AVX512 = Set{Name: "AVX512", Lanes: 16}
)

// Sets lists all sets.
var Sets = []Set{AVX2, AVX512}

// Is512 reports whether s has mask registers.
func (s Set) Is512() bool { return s.Lanes == 16 }

// PerUnit is the number of registers that hold sixteen float32.
func (s Set) PerUnit() int { return 16 / s.Lanes }

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

var constants = map[uint32]Mem{}

// constant is sixteen copies of a bit pattern in memory.
func constant(bits uint32) Mem {
	if m, ok := constants[bits]; ok {
		return m
	}
	m := GLOBL(fmt.Sprintf("const%08x", bits), 8|16) // RODATA|NOPTR
	for i := range 16 {
		DATA(4*i, U32(bits))
	}
	constants[bits] = m
	return m
}

// Bits is an operand with a bit pattern in every lane, for the source position
// that may be memory.
func (s Set) Bits(bits uint32) Op {
	if s.ConstInMemory {
		return constant(bits)
	}
	return s.InReg(bits)
}

// InReg is Bits, in a register for every set.
func (s Set) InReg(bits uint32) reg.VecVirtual {
	v := s.Vec()
	VBROADCASTSS(constant(bits), v)
	return v
}

// Const is Bits for a float32.
func (s Set) Const(v float32) Op { return s.Bits(math.Float32bits(v)) }

// ConstReg is InReg for a float32.
func (s Set) ConstReg(v float32) reg.VecVirtual { return s.InReg(math.Float32bits(v)) }

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

// TailMasks masks the first n of sixteen lanes, 0 ≤ n < 16, in the one or two
// registers that hold them.
func (s Set) TailMasks(n reg.GPVirtual) []Mask {
	var masks []Mask
	for v := range s.PerUnit() {
		m, limit := GP64(), GP64()
		MOVQ(n, m)
		if !s.Is512() {
			XORQ(limit, limit)
			SUBQ(Imm(uint64(v*s.Lanes)), m)
			CMOVQLT(limit, m)
			MOVQ(U32(s.Lanes), limit)
			CMPQ(m, limit)
			CMOVQGT(limit, m)
		}
		masks = append(masks, s.FirstLanes(m))
	}
	return masks
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

// AddTo adds the selected lanes of memory to acc; tmp is scratch.
func (m Mask) AddTo(mem Mem, acc, tmp reg.VecVirtual) {
	if m.set.Is512() {
		VADDPS(mem, acc, m.k, acc)
		return
	}
	VMASKMOVPS(mem, m.k, tmp)
	VADDPS(tmp, acc, acc)
}

// FMATo adds c times the selected lanes of memory to acc; tmp is scratch.
func (m Mask) FMATo(mem Mem, c, acc, tmp reg.VecVirtual) {
	if m.set.Is512() {
		VFMADD231PS(mem, c, m.k, acc)
		return
	}
	VMASKMOVPS(mem, m.k, tmp)
	VFMADD231PS(tmp, c, acc)
}

// Slice loads the address and the length of a slice parameter.
func Slice(name string) (base, n reg.GPVirtual) {
	p := Param(name)
	return Load(p.Base(), GP64()).(reg.GPVirtual), Load(p.Len(), GP64()).(reg.GPVirtual)
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

// Scalar broadcasts a float32 parameter.
func (s Set) Scalar(name string) reg.VecVirtual {
	b, err := Param(name).Resolve()
	if err != nil {
		panic(err)
	}
	v := s.Vec()
	VBROADCASTSS(b.Addr, v)
	return v
}

// Predicates of Compare; a NaN fails all but Unordered and NotLess.
const (
	Equal     = 0x00
	Unordered = 0x03
	Less      = 0x11
	AtLeast   = 0x1d
	Greater   = 0x1e
	NotLess   = 0x15
)

// Compare returns the lanes where a pred b.
func (s Set) Compare(pred int, a, b Op) reg.Register {
	if s.Is512() {
		k := K()
		VCMPPS(Imm(uint64(pred)), b, a, k)
		return k
	}
	v := YMM()
	VCMPPS(Imm(uint64(pred)), b, a, v)
	return v
}

// Select returns yes in the lanes of m and no in the others.
func (s Set) Select(m reg.Register, yes, no reg.VecVirtual) reg.VecVirtual {
	v := s.Vec()
	if s.Is512() {
		// avo takes a masked VBLENDMPS for one that also reads its result.
		VMOVAPS(no, v)
		VMOVAPS(yes, m, v)
	} else {
		VBLENDVPS(m, yes, no, v)
	}
	return v
}

// Keep returns v in the lanes of m and zero in the others.
func (s Set) Keep(m reg.Register, v reg.VecVirtual) reg.VecVirtual {
	r := s.Vec()
	if s.Is512() {
		VMOVAPS_Z(v, m, r)
	} else {
		VANDPS(v, m, r)
	}
	return r
}

// Register is the mask itself, as Select and Keep take it.
func (m Mask) Register() reg.Register { return m.k }

// NoLanes returns an empty set of lanes that Union can add to.
func (s Set) NoLanes() reg.Register {
	if s.Is512() {
		k := K()
		KXORW(k, k, k)
		return k
	}
	v := YMM()
	VXORPS(v, v, v)
	return v
}

// Union adds the lanes of m to into.
func (s Set) Union(m, into reg.Register) {
	if s.Is512() {
		KORW(m, into, into)
		return
	}
	VORPS(m, into, into)
}

// Any is an integer that is zero if no lane is in m.
func (s Set) Any(m reg.Register) reg.GPVirtual {
	r := GP32()
	if s.Is512() {
		KMOVW(m, r)
	} else {
		VMOVMSKPS(m, r)
	}
	return r
}

// SumLanes adds the lanes of v, halving again and again. It clobbers v.
func (s Set) SumLanes(v reg.VecVirtual) reg.Register {
	if s.Is512() {
		return s.Sum16([]reg.VecVirtual{v})
	}
	return s.sum8(v)
}
