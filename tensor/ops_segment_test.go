package tensor_test

import (
	"fmt"
	"math"

	"github.com/ehgnn/ehgnn/tensor"
)

// indexForms are the row-to-slot maps that segment operations are tried with.
var indexForms = map[string]struct {
	ids   []int32
	slots int
}{
	"sorted":                    {[]int32{0, 0, 1, 2, 2, 2}, 3},
	"unsorted":                  {[]int32{2, 0, 2, 1, 0, 2}, 3},
	"empty slots":               {[]int32{1, 1, 3, 3, 3}, 6},
	"unsorted with empty slots": {[]int32{4, 1, 4, 1, 1}, 6},
	"one slot":                  {[]int32{0, 0, 0}, 1},
	"one row":                   {[]int32{0}, 1},
	"no rows":                   {nil, 2},
	"no slots":                  {nil, 0},
}

// gather is the rows of these numbers.
func (x array) gather(ids []int32) array {
	out := x.withRows(len(ids))
	_, d := x.rows()
	for i, id := range ids {
		copy(out.v[i*d:(i+1)*d], x.v[int(id)*d:])
	}
	return out
}

func segmentCases() []opCase {
	var cases []opCase
	for _, form := range sortedKeys(indexForms) {
		ids, slots := indexForms[form].ids, indexForms[form].slots
		ix := tensor.MustIndex(ids, slots)
		// 70 columns exceed the 64 that kernels handle at once.
		for _, tail := range [][]int{{3}, {}, {2, 2}, {0}, {70}} {
			if len(tail) == 1 && tail[0] == 70 && form != "unsorted with empty slots" {
				continue
			}
			name := fmt.Sprint(form, " ", tail)
			add := func(op string, rows int, run func(x *tensor.Tensor, ix *tensor.Index) *tensor.Tensor, want func(x array) array) {
				cases = append(cases, opCase{op: op, name: name, in: []array{distinct(source(op+name), append([]int{rows}, tail...)...)},
					run:  method(func(x *tensor.Tensor) *tensor.Tensor { return run(x, ix) }),
					want: func(x []array) array { return want(x[0]) }})
			}
			add("Gather", slots, tensor.Gather, func(x array) array { return x.gather(ids) })
			add("Repeat", slots, tensor.Repeat, func(x array) array { return x.gather(ids) })
			add("SegmentSum", len(ids), tensor.SegmentSum, func(x array) array { return segmentReduce(x, ids, slots, total) })
			add("SegmentMean", len(ids), tensor.SegmentMean, func(x array) array {
				return segmentReduce(x, ids, slots, average)
			})
			add("MeanOfSum", slots, tensor.MeanOfSum, func(x array) array {
				out := x.clone()
				_, d := x.rows()
				bySlot(x.withRows(len(ids)), ids, slots, func(slot, col int, _ []float64, rows []int) {
					out.v[slot*d+col] /= math.Max(1, float64(len(rows)))
				})
				return out
			})
			add("SegmentMax", len(ids), tensor.SegmentMax, func(x array) array {
				return segmentReduce(x, ids, slots, largest)
			})
			if len(tail) == 1 {
				add("SegmentStats", len(ids), tensor.SegmentStats, func(x array) array {
					return sideBySide(segmentReduce(x, ids, slots, largest), segmentReduce(x, ids, slots, average), segmentReduce(x, ids, slots, total))
				})
			}
			add("SegmentSoftmax", len(ids), tensor.SegmentSoftmax, func(x array) array {
				out := x.clone()
				_, d := x.rows()
				bySlot(x, ids, slots, func(_, col int, v []float64, rows []int) {
					norm := logSumExp(v)
					for i, r := range rows {
						out.v[r*d+col] = math.Exp(v[i] - norm)
					}
				})
				return out
			})
		}
	}
	return append(cases, raggedCases()...)
}

// average and largest are 0 of no values.
func average(x []float64) float64 { return total(x) / math.Max(1, float64(len(x))) }

func largest(x []float64) float64 {
	if len(x) == 0 {
		return 0
	}
	return maximum(x)
}

// sideBySide joins matrices of as many rows.
func sideBySide(parts ...array) array {
	n, d := parts[0].rows()
	out := array{dim: []int{n, len(parts) * d}}
	for i := range n {
		for _, p := range parts {
			out.v = append(out.v, p.v[i*d:(i+1)*d]...)
		}
	}
	return out
}

// raggedCases compares the products per slot with products of the cut-out
// matrices.
func raggedCases() []opCase {
	var cases []opCase
	for _, form := range sortedKeys(indexForms) {
		ids, slots := indexForms[form].ids, indexForms[form].slots
		ix := tensor.MustIndex(ids, slots)
		if _, perm := ix.Segments(); perm != nil {
			continue
		}
		k := len(ids)
		for _, s := range [][2]int{{2, 3}, {1, 1}, {5, 4}, {0, 2}} {
			p, h := s[0], s[1]
			name := fmt.Sprint(form, s)
			add := func(op string, x, y []int, run func(x, y *tensor.Tensor, ix *tensor.Index) *tensor.Tensor, want func(x []array) array) {
				r := source(op + name)
				cases = append(cases, opCase{op: op, name: name, in: []array{normalish(r, x...), normalish(r, y...)},
					run: binary(func(x, y *tensor.Tensor) *tensor.Tensor { return run(x, y, ix) }), want: want})
			}
			add("RaggedTN", []int{k, p}, []int{k, h}, tensor.RaggedTN, func(x []array) array {
				out := build([]int{slots, p, h}, func([]int) float64 { return 0 })
				for g := range slots {
					copy(out.v[g*p*h:], product(part(x[0], ids, g), part(x[1], ids, g), true, false).v)
				}
				return out
			})
			// The rows of each slot are consecutive: results follow each other.
			perSlot := func(x, q array, width int, tq bool) array {
				out := array{dim: []int{k, width}}
				for g := range slots {
					m := array{dim: q.dim[1:], v: q.v[g*p*h : (g+1)*p*h]}
					out.v = append(out.v, product(part(x, ids, g), m, false, tq).v...)
				}
				return out
			}
			add("RaggedAssign", []int{k, h}, []int{slots, p, h}, tensor.RaggedAssign, func(x []array) array {
				return elementwise(math.Exp)([]array{logSoftmax(perSlot(x[0], x[1], p, true))})
			})
			add("RaggedNN", []int{k, p}, []int{slots, p, h}, tensor.RaggedNN,
				func(x []array) array { return perSlot(x[0], x[1], h, false) })
			add("RaggedNT", []int{k, h}, []int{slots, p, h}, tensor.RaggedNT,
				func(x []array) array { return perSlot(x[0], x[1], p, true) })
		}
	}
	return cases
}

// part is the rows of one slot.
func part(x array, ids []int32, slot int) array {
	_, d := x.rows()
	out := array{dim: []int{0, d}}
	for r, id := range ids {
		if int(id) == slot {
			out.v = append(out.v, x.v[r*d:(r+1)*d]...)
			out.dim[0]++
		}
	}
	return out
}
