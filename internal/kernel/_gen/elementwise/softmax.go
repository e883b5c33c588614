package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"

	"kernelgen/isa"
)

// The two loops of a softmax over segments of short rows. A row is one vector of
// which the first d lanes count, so that a segment costs a few instructions per
// row; the exponentials between the loops are taken of many rows at once. The
// columns are at most eight: wider registers would hold nothing more.

// segmentRows emits walks over the rows of segments, in an array where they stand
// anywhere (base) and in one where they stand one behind the other (packed).
type segmentRows struct {
	s            isa.Set
	ptr, perm    reg.GPVirtual
	segments     reg.GPVirtual
	step         reg.GPVirtual // bytes of a row
	base, packed reg.GPVirtual
	mask         isa.Mask
}

func newSegmentRows(s isa.Set, base, packed string) segmentRows {
	w := segmentRows{s: s}
	w.base, _ = isa.Slice(base)
	w.packed, _ = isa.Slice(packed)
	w.ptr, w.segments = isa.Slice("ptr")
	w.perm, _ = isa.Slice("perm")
	d := isa.Int("d")
	w.step = GP64()
	MOVQ(d, w.step)
	SHLQ(Imm(2), w.step)
	w.mask = s.FirstLanes(d)
	DECQ(w.segments)
	return w
}

// each emits the loop over segments, once for permuted rows and once for rows in
// order. body gets a function that emits a loop over the rows of the segment.
func (w segmentRows) each(body func(rows func(label string, row func(at Mem)))) {
	emit := func(name string, permuted bool) {
		k0, k1, k := GP64(), GP64(), GP64()
		Label(name)
		MOVLQSX(Mem{Base: w.ptr}, k0)
		MOVLQSX(Mem{Base: w.ptr, Disp: 4}, k1)
		CMPQ(k0, k1)
		JGE(LabelRef(name + "Next"))
		body(func(label string, row func(at Mem)) {
			label = name + label
			at := GP64()
			MOVQ(k0, k)
			if !permuted {
				MOVQ(k, at)
				IMULQ(w.step, at)
				ADDQ(w.base, at)
			}
			Label(label)
			if permuted {
				MOVLQSX(Mem{Base: w.perm, Index: k, Scale: 4}, at)
				IMULQ(w.step, at)
				ADDQ(w.base, at)
			}
			row(Mem{Base: at})
			if !permuted {
				ADDQ(w.step, at)
			}
			INCQ(k)
			CMPQ(k, k1)
			JLT(LabelRef(label))
		})
		Label(name + "Next")
		ADDQ(Imm(4), w.ptr)
		DECQ(w.segments)
		JNZ(LabelRef(name))
		VZEROUPPER()
		RET()
	}
	TESTQ(w.perm, w.perm)
	JZ(LabelRef("ordered"))
	emit("permuted", true)
	emit("ordered", false)
}

// segmentShift emits the first loop.
func segmentShift(s isa.Set) {
	isa.Func("segmentShift"+s.Name, "func(e, x []float32, ptr, perm []int32, d int)",
		"packs the rows of at least one segment into e, less the column maxima of their segment; d ≤ 8. A NaN stays, but is no maximum.")
	w := newSegmentRows(s, "x", "e")
	low := s.InReg(0xff800000)
	w.each(func(rows func(string, func(Mem))) {
		top, v := s.Vec(), s.Vec()
		VMOVUPS(low, top)
		rows("Max", func(at Mem) {
			w.mask.Load(at, v)
			VMAXPS(top, v, top) // top, if v is NaN
		})
		rows("Shift", func(at Mem) {
			w.mask.Load(at, v)
			VSUBPS(top, v, v)
			w.mask.Store(v, Mem{Base: w.packed})
			ADDQ(w.step, w.packed)
		})
	})
}

// segmentScale emits the second loop.
func segmentScale(s isa.Set) {
	isa.Func("segmentScale"+s.Name, "func(dst, e []float32, ptr, perm []int32, d int, eps float32)",
		"divides the packed rows e of at least one segment by eps plus the column sums of their segment, and unpacks them into dst; d ≤ 8.")
	w := newSegmentRows(s, "dst", "e")
	eps, unit := s.Scalar("eps"), s.ConstReg(1)
	w.each(func(rows func(string, func(Mem))) {
		sum, v, ahead := s.Vec(), s.Vec(), GP64()
		s.Zero(sum)
		MOVQ(w.packed, ahead)
		rows("Sum", func(Mem) {
			w.mask.Load(Mem{Base: ahead}, v)
			VADDPS(v, sum, sum)
			ADDQ(w.step, ahead)
		})
		VADDPS(eps, sum, sum)
		VDIVPS(sum, unit, sum)
		rows("Scale", func(at Mem) {
			w.mask.Load(Mem{Base: w.packed}, v)
			VMULPS(sum, v, v)
			w.mask.Store(v, at)
			ADDQ(w.step, w.packed)
		})
	})
}

// Where segments have a few rows, the loops above end in a place that the
// processor cannot foresee, four times per segment. The loops below go over the
// rows of many segments as one: at holds, for every row, the offset in bytes of
// its segment's eight columns in an array that all rows of the segment read and
// write in turn.

// flat emits a loop over rows. body gets a register and the rows' lanes in it, the
// row in base, where rows stand anywhere, the row in packed, if there is such an
// array, and the segment's columns. Rows of up to four columns are loaded and
// stored as such: an access of eight lanes would cross lines of the cache more
// often, even if the lanes beyond are masked.
func flat(name, slices, doc, base, packed, columns string, body func(v reg.Register, mask lanes, row, e, at Mem)) {
	s := isa.AVX2
	isa.Func(name+s.Name, "func("+slices+" []float32, at, perm []int32, d int)", doc)
	var pack reg.GPVirtual
	rows, _ := isa.Slice(base)
	cols, _ := isa.Slice(columns)
	if packed != "" {
		pack, _ = isa.Slice(packed)
	}
	at, n := isa.Slice("at")
	perm, _ := isa.Slice("perm")
	d, step := isa.Int("d"), GP64()
	MOVQ(d, step)
	SHLQ(Imm(2), step)
	mask := s.FirstLanes(d).Register().(reg.VecVirtual)
	emit := func(name string, permuted, four bool) {
		v, m := s.Vec(), reg.Register(mask)
		r := reg.Register(v)
		if four {
			r, m = v.AsX(), mask.AsX()
		}
		Label(name)
		row, offset := rows, GP64()
		if permuted {
			row = GP64()
			MOVLQSX(Mem{Base: perm}, row)
			IMULQ(step, row)
			ADDQ(rows, row)
			ADDQ(Imm(4), perm)
		}
		MOVLQSX(Mem{Base: at}, offset)
		body(r, lanes{m}, Mem{Base: row}, Mem{Base: pack}, Mem{Base: cols, Index: offset, Scale: 1})
		if packed != "" {
			ADDQ(step, pack)
		}
		if !permuted {
			ADDQ(step, rows)
		}
		ADDQ(Imm(4), at)
		DECQ(n)
		JNZ(LabelRef(name))
		VZEROUPPER()
		RET()
	}
	CMPQ(step, Imm(16))
	JLE(LabelRef("four"))
	TESTQ(perm, perm)
	JZ(LabelRef("ordered"))
	emit("permuted", true, false)
	emit("ordered", false, false)
	Label("four")
	TESTQ(perm, perm)
	JZ(LabelRef("ordered4"))
	emit("permuted4", true, true)
	emit("ordered4", false, true)
}

// lanes is a mask of a register's lanes.
type lanes struct{ mask reg.Register }

func (l lanes) load(m Mem, v reg.Register)  { VMASKMOVPS(m, l.mask, v) }
func (l lanes) store(v reg.Register, m Mem) { VMASKMOVPS(v, l.mask, m) }

// flatSoftmax emits the loops of a softmax over short segments.
func flatSoftmax() {
	flat("segmentTops", "top, x", "sets the columns top of the segments to the maxima of their rows and what they hold; a NaN is no maximum.",
		"x", "", "top", func(v reg.Register, l lanes, row, _, at Mem) {
			l.load(row, v)
			VMAXPS(at, v, v) // what is at at, if v is NaN
			VMOVUPS(v, at)
		})
	flat("segmentLess", "e, x, top", "packs the rows less the columns of their segment into e.",
		"x", "e", "top", func(v reg.Register, l lanes, row, e, at Mem) {
			l.load(row, v)
			VSUBPS(at, v, v)
			l.store(v, e)
		})
	flat("segmentAdd", "sum, e", "adds the packed rows to the columns of their segment; perm is nil.",
		"e", "", "sum", func(v reg.Register, l lanes, row, _, at Mem) {
			l.load(row, v)
			VADDPS(at, v, v)
			VMOVUPS(v, at)
		})
	flat("segmentTimes", "dst, e, factor", "unpacks the rows times the columns of their segment into dst.",
		"dst", "e", "factor", func(v reg.Register, l lanes, row, e, at Mem) {
			l.load(e, v)
			VMULPS(at, v, v)
			l.store(v, row)
		})
}
