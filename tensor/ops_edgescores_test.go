package tensor_test

import (
	"fmt"
	"maps"

	"github.com/ehgnn/ehgnn/tensor"
)

// arcForms are arcs between 4 and 5 rows, and 6 where there is a third
// matrix.
var arcForms = map[string][3][]int32{
	"sorted by target":  {{4, 0, 0, 3, 1, 1, 4}, {0, 0, 0, 2, 2, 3, 3}, {5, 0, 1, 1, 2, 0, 3}},
	"any order":         {{0, 4, 2, 2, 0, 3, 1}, {3, 0, 1, 1, 2, 0, 3}, {0, 1, 0, 5, 2, 2, 0}},
	"without edge rows": {{0, 4, 2, 2, 0, 3}, {0, 0, 1, 1, 2, 3}, nil},
	"no arcs":           {{}, {}, {}},
}

// manyArcs are arcs along two kinds of edges, most of them along one.
func manyArcs() [3][]int32 {
	const arcs = 540
	out := [3][]int32{ids(arcs, 5), ids(arcs, 4), make([]int32, arcs)}
	for k := range out[2] {
		out[2][k] = int32(min(1, k%9) * 3)
	}
	return out
}

// leaky is LeakyReLU with the slope of the tests.
func leaky(x float64) float64 {
	if x > 0 {
		return x
	}
	return float64(float32(0.2)) * x
}

func edgeScoresCases() []opCase {
	var cases []opCase
	forms := maps.Clone(arcForms)
	forms["two kinds of edges"] = manyArcs()
	for _, form := range sortedKeys(forms) {
		ids := forms[form]
		three := ids[2] != nil
		j := arcIndex(ids)
		for _, shape := range [][2]int{{1, 3}, {3, 2}, {4, 1}, {2, 19}, {2, 0}} {
			heads, d := shape[0], shape[1]
			if len(ids[0]) > 100 && (heads != 1 || d != 3) {
				continue
			}
			name := fmt.Sprintf("%s, %d heads of %d", form, heads, d)
			r := source("EdgeScores" + name)
			in := []array{steps(r, 0, 5, heads*d), steps(r, 0.2, 4, heads*d), normalish(r, heads, d)}
			if three {
				in = append(in, steps(r, 0, 6, heads*d))
			}
			cases = append(cases, opCase{op: "EdgeScores", name: name, in: in,
				run: func(x []*tensor.Tensor) *tensor.Tensor { return edgeScores(j, x) },
				want: func(x []array) array {
					out := array{dim: []int{len(ids[0]), heads}, v: make([]float64, len(ids[0])*heads)}
					for k := range ids[0] {
						for c := range heads * d {
							z := x[0].at(int(ids[0][k]), c) + x[1].at(int(ids[1][k]), c)
							if three {
								z += x[3].at(int(ids[2][k]), c)
							}
							out.v[k*heads+c/d] += x[2].v[c] * leaky(z)
						}
					}
					return out
				}})
			if !three && heads == 3 { // one matrix for both ends
				same := tensor.NewArcIndex(tensor.MustIndex(ids[0], 5), tensor.MustIndex(ids[1], 5), nil)
				cases = append(cases, opCase{op: "EdgeScores", name: name + ", one matrix", in: []array{steps(r, 0.1, 5, heads*d), in[2]},
					run: func(x []*tensor.Tensor) *tensor.Tensor { return edgeScores(same, []*tensor.Tensor{x[0], x[0], x[1]}) },
					want: func(x []array) array {
						out := array{dim: []int{len(ids[0]), heads}, v: make([]float64, len(ids[0])*heads)}
						for k := range ids[0] {
							for c := range heads * d {
								out.v[k*heads+c/d] += x[1].v[c] * leaky(x[0].at(int(ids[0][k]), c)+x[0].at(int(ids[1][k]), c))
							}
						}
						return out
					}})
			}
		}
	}
	return cases
}

func arcIndex(ids [3][]int32) *tensor.ArcIndex {
	if ids[2] == nil {
		return tensor.NewArcIndex(tensor.MustIndex(ids[0], 5), tensor.MustIndex(ids[1], 4), nil)
	}
	return tensor.NewArcIndex(tensor.MustIndex(ids[0], 5), tensor.MustIndex(ids[1], 4), tensor.MustIndex(ids[2], 6))
}

// edgeScores takes the vectors third and the rows of edges, if any, last.
func edgeScores(j *tensor.ArcIndex, x []*tensor.Tensor) *tensor.Tensor {
	if len(x) == 3 {
		return tensor.EdgeScores(j, x[0], x[1], nil, x[2], 0.2)
	}
	return tensor.EdgeScores(j, x[0], x[1], x[3], x[2], 0.2)
}

// largeEdgeScoresCases are split among threads.
func largeEdgeScoresCases() []largeCase {
	const n, arcs = largeRows, 4 * largeRows
	dst := sortedIndex(arcs, n)
	return []largeCase{
		{"EdgeScores", "three", [][]int{{n, 36}, {n, 36}, {3, 12}, {n / 2, 36}}, func(x []*tensor.Tensor) *tensor.Tensor {
			j := tensor.NewArcIndex(tensor.MustIndex(ids(arcs, n), n), dst, tensor.MustIndex(ids(arcs, n/2), n/2))
			return edgeScores(j, []*tensor.Tensor{x[0].AddScalar(-2.4), x[1], x[2], x[3]})
		}},
		{"EdgeScores", "kinds", [][]int{{n, 36}, {n, 36}, {3, 12}, {4, 36}}, func(x []*tensor.Tensor) *tensor.Tensor {
			j := tensor.NewArcIndex(tensor.MustIndex(ids(arcs, n), n), dst, tensor.MustIndex(ids(arcs, 4), 4))
			return edgeScores(j, []*tensor.Tensor{x[0].AddScalar(-2.4), x[1], x[2], x[3]})
		}},
		{"EdgeScores", "two", [][]int{{n, 37}, {n, 37}, {1, 37}}, func(x []*tensor.Tensor) *tensor.Tensor {
			return edgeScores(tensor.NewArcIndex(tensor.MustIndex(ids(arcs, n), n), dst, nil),
				[]*tensor.Tensor{x[0].AddScalar(-1.6), x[1], x[2]})
		}},
	}
}

func edgeScoresShapeErrors() []shapeErrorCase {
	z := tensor.New
	two, three := arcIndex(arcForms["without edge rows"]), arcIndex(arcForms["any order"])
	run := func(j *tensor.ArcIndex, x, y, e, att *tensor.Tensor, slope float32) func() {
		return func() { tensor.EdgeScores(j, x, y, e, att, slope) }
	}
	const op = "EdgeScores"
	return []shapeErrorCase{
		{op, "rows of x", run(two, z(4, 6), z(4, 6), nil, z(2, 3), 1)},
		{op, "rows of y", run(two, z(5, 6), z(5, 6), nil, z(2, 3), 1)},
		{op, "rows of e", run(three, z(5, 6), z(4, 6), z(5, 6), z(2, 3), 1)},
		{op, "columns", run(two, z(5, 6), z(4, 5), nil, z(2, 3), 1)},
		{op, "heads", run(two, z(5, 6), z(4, 6), nil, z(2, 4), 1)},
		{op, "no matrix", run(two, z(5, 2, 3), z(4, 6), nil, z(2, 3), 1)},
		{op, "vectors no matrix", run(two, z(5, 6), z(4, 6), nil, z(6), 1)},
		{op, "no edge rows", run(three, z(5, 6), z(4, 6), nil, z(2, 3), 1)},
		{op, "edge rows nobody asked for", run(two, z(5, 6), z(4, 6), z(6, 6), z(2, 3), 1)},
		{op, "slope", run(two, z(5, 6), z(4, 6), nil, z(2, 3), 0)},
	}
}
