// Command fixed generates sums in fixed point.
package main

import (
	"fmt"
	"math"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"

	"kernelgen/isa"
)

func main() {
	ConstraintExpr("!noasm")
	down, up := double("fixedDown", 0x1p-32), double("fixedUp", 0x1p32)
	for _, set := range isa.Sets {
		for nv := 1; nv <= 2; nv++ {
			emit(set, nv, down, up)
		}
	}
	Generate()
}

// double is a float64 in memory.
func double(name string, v float64) Mem {
	m := GLOBL(name, 8|16) // RODATA|NOPTR
	DATA(0, U64(math.Float64bits(v)))
	return m
}

// half are the columns of half a vector of float32: the sums of the upper and of the lower part of
// numbers, both whole numbers.
type half struct{ high, low reg.VecVirtual }

// emit writes the function for nv vectors of columns. A number times 2^shift is cut into a whole
// multiple of 2^32 and a rest, both rounded towards zero, which float64 adds up exactly.
func emit(s isa.Set, nv int, down, up Mem) {
	isa.Func(fmt.Sprintf("fixedRows%d%s", nv, s.Name), "func(to *float64, x *float32, rows *int32, count, step, n int, scale float64)",
		fmt.Sprintf("adds up rows in fixed point, in up to %d columns; see fixedRows.", nv*s.Lanes))
	mask := s.FirstLanes(isa.Int("n"))
	scale, factorDown, factorUp := s.Vec(), s.Vec(), s.Vec()
	p, err := Param("scale").Resolve()
	if err != nil {
		panic(err)
	}
	VBROADCASTSD(p.Addr, scale)
	VBROADCASTSD(down, factorDown)
	VBROADCASTSD(up, factorUp)
	halves := make([]half, 2*nv)
	for i := range halves {
		halves[i] = half{s.Vec(), s.Vec()}
		s.Zero(halves[i].high)
		s.Zero(halves[i].low)
	}
	x, rows, count, step := isa.Int("x"), isa.Int("rows"), isa.Int("count"), isa.Int("step")
	row, all, v, rest := GP64(), s.Vec(), s.Vec(), s.Vec()
	Label("row")
	MOVLQSX(Mem{Base: rows}, row)
	IMULQ(step, row)
	ADDQ(x, row)
	for k := range nv {
		at := Mem{Base: row, Disp: k * s.Bytes()}
		if k == nv-1 {
			mask.Load(at, all)
		} else {
			VMOVUPS(at, all)
		}
		for side := range 2 {
			first := firstHalf(s, all)
			if side == 1 {
				upperHalf(s, all)
			}
			h := halves[2*k+side]
			VCVTPS2PD(first, rest)
			VMULPD(scale, rest, rest)
			VMULPD(factorDown, rest, v)
			truncate(s, v)
			VADDPD(v, h.high, h.high)
			VFNMADD231PD(factorUp, v, rest)
			truncate(s, rest)
			VADDPD(rest, h.low, h.low)
		}
	}
	ADDQ(Imm(4), rows)
	DECQ(count)
	JNZ(LabelRef("row"))
	to := isa.Int("to")
	for i, h := range halves {
		VMOVUPD(h.high, Mem{Base: to, Disp: 2 * i * s.Bytes()})
		VMOVUPD(h.low, Mem{Base: to, Disp: (2*i + 1) * s.Bytes()})
	}
	VZEROUPPER()
	RET()
}

// firstHalf is the half of a vector with the first lanes.
func firstHalf(s isa.Set, v reg.VecVirtual) reg.Register {
	if s.Is512() {
		return v.AsY()
	}
	return v.AsX()
}

// upperHalf moves the last lanes of v to its first half.
func upperHalf(s isa.Set, v reg.VecVirtual) {
	if s.Is512() {
		VEXTRACTF64X4(Imm(1), v, v.AsY())
		return
	}
	VEXTRACTF128(Imm(1), v, v.AsX())
}

// truncate rounds float64 towards zero.
func truncate(s isa.Set, v reg.VecVirtual) {
	if s.Is512() {
		VRNDSCALEPD(Imm(3), v, v)
		return
	}
	VROUNDPD(Imm(3), v, v)
}
