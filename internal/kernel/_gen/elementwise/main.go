// Command elementwise generates the element-wise loops and the reductions of
// whole slices.
package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"

	"kernelgen/isa"
)

// loop is an element-wise function of up to two slices and some scalars.
type loop struct {
	name      string
	signature string   // of slices dst and inputs, of one length, and scalars
	inputs    []string // slices read
	scalars   []string // numbers used
	unroll    int
	doc       string
	// prepare runs before the loop and returns the loop's body. The body must
	// not change its inputs.
	prepare func(s isa.Set, scalar []reg.VecVirtual) func(in []reg.VecVirtual) reg.VecVirtual
}

func main() {
	ConstraintExpr("!noasm")
	for _, s := range isa.Sets {
		for _, l := range append(append(arithmetic, activations...), transcendental...) {
			l.emit(s)
		}
		markMax(s)
		adam(s)
		sum(s)
		dot(s)
		maximum(s)
		expSum(s, true)
		expSum(s, false)
		layerNorm(s)
		layerNormGrad(s)
		layerNormParamGrad(s)
	}
	segmentShift(isa.AVX2)
	segmentScale(isa.AVX2)
	flatSoftmax()
	Generate()
}

func (l loop) emit(s isa.Set) {
	isa.Func(l.name+s.Name, l.signature, l.doc)
	var scalar []reg.VecVirtual
	for _, name := range l.scalars {
		scalar = append(scalar, s.Scalar(name))
	}
	body := l.prepare(s, scalar)
	dst, n := isa.Slice("dst")
	var src []reg.GPVirtual
	for _, name := range l.inputs {
		p, _ := isa.Slice(name)
		src = append(src, p)
	}
	walk(s, n, append(src, dst), l.unroll, 1, func(offset int, m *isa.Mask) {
		in := make([]reg.VecVirtual, len(src))
		for i, p := range src {
			in[i] = load(s, Mem{Base: p, Disp: offset}, m)
		}
		store(body(in), Mem{Base: dst, Disp: offset}, m)
	})
	VZEROUPPER()
	RET()
}

// walk emits loops over n elements, unroll vectors at a time, then least, which is
// one or two, then the rest with a mask. step gets the offset in bytes from the
// pointers, which move along.
func walk(s isa.Set, n reg.GPVirtual, pointers []reg.GPVirtual, unroll, least int, step func(offset int, m *isa.Mask)) {
	run := func(vecs int, next string) {
		label := fmt.Sprintf("loop%d", vecs)
		Label(label)
		CMPQ(n, U32(vecs*s.Lanes))
		JLT(LabelRef(next))
		for i := range vecs {
			step(i*s.Bytes(), nil)
		}
		for _, p := range pointers {
			ADDQ(U32(vecs*s.Bytes()), p)
		}
		SUBQ(U32(vecs*s.Lanes), n)
		JMP(LabelRef(label))
	}
	if unroll > least {
		run(unroll, fmt.Sprintf("loop%d", least))
	}
	run(least, "tail")
	Label("tail")
	TESTQ(n, n)
	JZ(LabelRef("end"))
	if least == 2 {
		CMPQ(n, U32(s.Lanes))
		JLE(LabelRef("last"))
		step(0, nil)
		SUBQ(U32(s.Lanes), n)
		m := s.FirstLanes(n)
		step(s.Bytes(), &m)
		JMP(LabelRef("end"))
		Label("last")
	}
	m := s.FirstLanes(n)
	step(0, &m)
	Label("end")
}

// walkUnits is walk for sums: in units of sixteen elements, two at a time, so that
// every set adds up the same elements in the same order. The vectors of a step have
// an accumulator each.
func walkUnits(s isa.Set, n reg.GPVirtual, pointers []reg.GPVirtual, step func(offset int, m *isa.Mask)) {
	walk(s, n, pointers, 2*s.PerUnit(), s.PerUnit(), step)
}

func load(s isa.Set, p Mem, m *isa.Mask) reg.VecVirtual {
	v := s.Vec()
	if m == nil {
		VMOVUPS(p, v)
	} else {
		m.Load(p, v)
	}
	return v
}

func store(v reg.VecVirtual, p Mem, m *isa.Mask) {
	if m == nil {
		VMOVUPS(v, p)
	} else {
		m.Store(v, p)
	}
}
