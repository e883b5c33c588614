// Command messages generates sums of messages that two or three rows make up.
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
		for _, k := range kinds {
			for nv := 1; nv <= 8; nv++ {
				k.emit(s, nv)
			}
		}
	}
	Generate()
}

// kind is what a kernel adds up.
type kind struct {
	name  string
	leaky bool // with a slope for negative sums; coefficients are given, there may be a third term
	grad  bool // the derivative: of the rest, v is given
}

var kinds = []kind{
	{name: "sumReLU"},
	{name: "sumReLUGrad", grad: true},
	{name: "sumLeaky", leaky: true},
	{name: "sumLeakyGrad", leaky: true, grad: true},
}

// kernel is a kernel in the making.
type kernel struct {
	kind
	isa.Set
	nv               int
	last             isa.Mask
	acc              []reg.VecVirtual
	c, slope, low    reg.VecVirtual // the factor, the slope, slope·factor
	zero, sum, other reg.VecVirtual
}

// emit writes the kernel for nv vectors of columns: the sums of a row stay in
// registers over all its entries.
func (k kind) emit(s isa.Set, nv int) {
	isa.Func(fmt.Sprintf("%s%d%s", k.name, nv, s.Name),
		"func(dst, x, y, z, v *float32, xrow, yrow, zrow, vrow, ptr *int32, coef, self, selfCoef *float32, own, rows, k, width, step, n int, slope float32)",
		fmt.Sprintf("computes rows of EdgeMessages in up to %d columns; see messagesFunc.", nv*s.Lanes))
	g := kernel{kind: k, Set: s, nv: nv}
	g.last = s.FirstLanes(isa.Int("n"))
	g.acc, g.c, g.zero, g.sum, g.other = s.Vecs(nv), s.Vec(), s.Vec(), s.Vec(), s.Vec()
	s.Zero(g.zero)
	if k.leaky {
		g.slope = s.Scalar("slope")
		g.low = s.Vec()
	}
	e, end := isa.Int("k"), GP64()
	own := isa.Int("own")

	Label("row")
	ptr := isa.Int("ptr")
	TESTQ(ptr, ptr)
	JZ(LabelRef("regular"))
	MOVLQSX(Mem{Base: ptr}, e)
	MOVLQSX(Mem{Base: ptr, Disp: 4}, end)
	ADDQ(Imm(4), ptr)
	Store(ptr, Param("ptr"))
	JMP(LabelRef("begin"))
	Label("regular")
	Load(Param("width"), end)
	ADDQ(e, end)
	Label("begin")
	for _, v := range g.acc {
		s.Zero(v)
	}
	if !k.leaky {
		g.self()
	}

	Label("entries")
	CMPQ(e, end)
	JGE(LabelRef("finish"))
	coef := isa.Int("coef")
	if k.leaky {
		z := isa.Int("z")
		TESTQ(z, z)
		JZ(LabelRef("two"))
		g.loop("threeTerms", e, end, own, coef, true, true)
		Label("two")
		g.loop("twoTerms", e, end, own, coef, false, true)
	} else {
		TESTQ(coef, coef)
		JZ(LabelRef("plain"))
		g.loop("weighed", e, end, own, coef, false, true)
		Label("plain")
		g.loop("unweighed", e, end, own, coef, false, false)
	}

	Label("finish")
	dst, step := isa.Int("dst"), isa.Int("step")
	for j := range nv - 1 {
		VMOVUPS(g.acc[j], g.at(dst, j))
	}
	g.last.Store(g.acc[nv-1], g.at(dst, nv-1))
	ADDQ(step, dst)
	Store(dst, Param("dst"))
	ADDQ(step, own)
	rows := isa.Int("rows")
	DECQ(rows)
	Store(rows, Param("rows"))
	JNZ(LabelRef("row"))
	VZEROUPPER()
	RET()
}

func (g *kernel) at(p reg.GPVirtual, j int) Mem { return Mem{Base: p, Disp: j * g.Bytes()} }

// self begins the sums with the row's own term.
func (g *kernel) self() {
	self := isa.Int("self")
	TESTQ(self, self)
	JZ(LabelRef("entries"))
	selfCoef := isa.Int("selfCoef")
	TESTQ(selfCoef, selfCoef)
	JZ(LabelRef("ownAdd"))
	VBROADCASTSS(Mem{Base: selfCoef}, g.c)
	ADDQ(Imm(4), selfCoef)
	Store(selfCoef, Param("selfCoef"))
	for j := range g.nv - 1 {
		VFMADD231PS(g.at(self, j), g.c, g.acc[j])
	}
	g.last.FMATo(g.at(self, g.nv-1), g.c, g.acc[g.nv-1], g.sum)
	JMP(LabelRef("ownNext"))
	Label("ownAdd")
	for j := range g.nv - 1 {
		VADDPS(g.at(self, j), g.acc[j], g.acc[j])
	}
	g.last.AddTo(g.at(self, g.nv-1), g.acc[g.nv-1], g.sum)
	Label("ownNext")
	step := isa.Int("step")
	ADDQ(step, self)
	Store(self, Param("self"))
}

// memory is a parameter where it lies.
func memory(name string) Mem {
	b, err := Param(name).Resolve()
	if err != nil {
		panic(err)
	}
	return b.Addr
}

// loop adds the entries from e to end.
func (g *kernel) loop(label string, e, end, own, coef reg.GPVirtual, third, weigh bool) {
	names := []string{"x", "y"}
	if third {
		names = append(names, "z")
	}
	value := g.grad && !g.leaky
	if value {
		names = append(names, "v")
	}
	ids := make([]reg.GPVirtual, len(names))
	for i, name := range names {
		ids[i] = isa.Int(name + "row")
	}
	row := make([]reg.GPVirtual, len(names))
	Label(label)
	for i, name := range names {
		p := GP64()
		row[i] = p
		MOVQ(own, p)
		TESTQ(ids[i], ids[i])
		JZ(LabelRef(label + name))
		MOVLQSX(Mem{Base: ids[i], Index: e, Scale: 4}, p)
		IMULQ(memory("step"), p)
		Label(label + name)
		ADDQ(memory(name), p)
	}
	if weigh {
		VBROADCASTSS(Mem{Base: coef, Index: e, Scale: 4}, g.c)
		if g.leaky && g.grad {
			VMULPS(g.slope, g.c, g.low)
		}
	}
	for j := range g.nv {
		tail := j == g.nv-1
		load := func(p reg.GPVirtual, to reg.VecVirtual) {
			if tail {
				g.last.Load(g.at(p, j), to)
			} else {
				VMOVUPS(g.at(p, j), to)
			}
		}
		add := func(p reg.GPVirtual) {
			if tail {
				g.last.AddTo(g.at(p, j), g.sum, g.other)
			} else {
				VADDPS(g.at(p, j), g.sum, g.sum)
			}
		}
		load(row[0], g.sum)
		add(row[1])
		if third {
			add(row[2])
		}
		switch acc := g.acc[j]; {
		case value:
			g.masked(acc, load, row[2], g.at(row[2], j), weigh)
		case g.grad:
			VADDPS(g.Select(g.Compare(isa.Greater, g.sum, g.zero), g.c, g.low), acc, acc)
		case g.leaky:
			positive := g.Compare(isa.Greater, g.sum, g.zero)
			VMULPS(g.slope, g.sum, g.other)
			VFMADD231PS(g.Select(positive, g.sum, g.other), g.c, acc)
		default:
			VMAXPS(g.sum, g.zero, g.sum) // NaN: the first operand here
			if weigh {
				VFMADD231PS(g.sum, g.c, acc)
			} else {
				VADDPS(g.sum, acc, acc)
			}
		}
	}
	INCQ(e)
	CMPQ(e, end)
	JLT(LabelRef(label))
	JMP(LabelRef("finish"))
}

// masked adds the value to the lanes of acc where the sum is positive, which no
// lane past the end is. The other lanes are left alone: times zero, an infinite
// value would not be.
func (g *kernel) masked(acc reg.VecVirtual, load func(p reg.GPVirtual, to reg.VecVirtual), p reg.GPVirtual, at Mem, weigh bool) {
	positive := g.Compare(isa.Greater, g.sum, g.zero)
	if g.Is512() {
		if weigh {
			VFMADD231PS(at, g.c, positive, acc)
		} else {
			VADDPS(at, acc, positive, acc)
		}
		return
	}
	load(p, g.other)
	if weigh {
		VFMADD213PS(acc, g.c, g.other)
	} else {
		VADDPS(g.other, acc, g.other)
	}
	VBLENDVPS(positive, g.other, acc, acc)
}
