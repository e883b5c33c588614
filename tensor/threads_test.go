package tensor_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/ehgnn/ehgnn/tensor"
)

// largeCase is a call on operands large enough to be split among threads.
type largeCase struct {
	op, name string
	in       [][]int // shapes of the operands
	run      func(x []*tensor.Tensor) *tensor.Tensor
}

// Sizes above 2^16 elements that no partition divides evenly.
const (
	largeRows = 2503
	largeCols = 37
)

func largeCases() []largeCase {
	const n, d = largeRows, largeCols
	type T = tensor.Tensor
	var cases []largeCase
	add := func(op, name string, run func(x []*T) *T, in ...[]int) {
		cases = append(cases, largeCase{op, name, in, run})
	}
	for op, f := range map[string]func(x *T) *T{
		"Neg": (*T).Neg, "RoundGrad": (*T).RoundGrad, "Abs": (*T).Abs, "Square": (*T).Square, "Sqrt": (*T).Sqrt, "Rsqrt": (*T).Rsqrt, "Recip": (*T).Recip,
		"Exp": (*T).Exp, "Log": (*T).Log, "Sigmoid": (*T).Sigmoid, "Tanh": (*T).Tanh, "Softplus": (*T).Softplus, "ReLU": (*T).ReLU,
		"LeakyReLU": func(x *T) *T { return x.LeakyReLU(0.2) },
		"Clamp":     func(x *T) *T { return x.Clamp(0.5, 1) },
		"Pow":       func(x *T) *T { return x.Pow(1.5) },
		"AddScalar": func(x *T) *T { return x.AddScalar(0.3) },
		"MulScalar": func(x *T) *T { return x.MulScalar(0.3) },
		"Sum":       (*T).Sum, "Mean": (*T).Mean,
		"SumAxis":  func(x *T) *T { return x.SumAxis(0) },
		"MeanAxis": func(x *T) *T { return x.MeanAxis(1) },
		"MaxAxis":  func(x *T) *T { return x.MaxAxis(0) },
		"SumTo":    func(x *T) *T { return x.SumTo(d) },
		"Softmax":  (*T).Softmax, "LogSoftmax": (*T).LogSoftmax,
		"Reshape":   func(x *T) *T { return x.Reshape(-1) },
		"Transpose": (*T).Transpose,
		"Permute":   func(x *T) *T { return x.Permute(1, 0) },
		"Slice":     func(x *T) *T { return x.Slice(0, 3, n-1) },
		"Split":     func(x *T) *T { return x.Split(0, 5, n-5)[1] },
		"Concat":    func(x *T) *T { return tensor.Concat(1, x, x) },
		"Pick":      func(x *T) *T { return tensor.Pick(x, ids(n, d)) },
	} {
		add(op, "", method(f), []int{n, d})
	}
	add("Expand", "", method(func(x *T) *T { return x.Expand(n, d) }), []int{n, 1})
	for op, f := range map[string]func(x, y *T) *T{"Add": (*T).Add, "Sub": (*T).Sub, "Mul": (*T).Mul, "Div": (*T).Div} {
		for _, y := range [][]int{{n, d}, {}, {d}, {n, 1}} {
			add(op, fmt.Sprint(y), binary(f), []int{n, d}, y)
			add(op, fmt.Sprint(y, " left"), binary(f), y, []int{n, d})
		}
		add(op, "general", binary(f), []int{n, d}, []int{1, n, 1})
	}
	add("LayerNorm", "", func(x []*T) *T { return tensor.LayerNorm(x[0], x[1], x[2], 1e-5) }, []int{n, d}, []int{d}, []int{d})
	add("MatMul", "", binary((*T).MatMul), []int{n, d}, []int{d, 40})
	add("MatMulT", "", binary((*T).MatMulT), []int{n, d}, []int{40, d})
	add("TMatMul", "", binary((*T).TMatMul), []int{n, d}, []int{n, 40})
	for flags := range 4 {
		c := tensor.AffineConfig{TransW: flags&1 != 0, ReLU: flags&2 != 0}
		w := []int{d, 40}
		if c.TransW {
			w = []int{40, d}
		}
		add("Affine", fmt.Sprintf("%+v", c), func(x []*T) *T { return tensor.Affine(x[0], x[1], x[2].AddScalar(-d), c) },
			[]int{n, d}, w, []int{40})
	}
	add("BatchMatMul", "", binary(func(x, y *T) *T { return tensor.BatchMatMul(x, y, true, false) }), []int{67, d, 31}, []int{67, d, 29})

	for name, ix := range map[string]*tensor.Index{
		"sorted": sortedIndex(n, 300), "unsorted": tensor.MustIndex(ids(n, 300), 300), "a hub": hubIndex(n),
	} {
		slots := ix.Slots()
		add("Gather", name, method(func(x *T) *T { return tensor.Gather(x, ix) }), []int{slots, d})
		add("Repeat", name, binary(func(x, w *T) *T { return tensor.Repeat(x, ix).MatMul(w) }), []int{slots, d}, []int{d, 40})
		add("SegmentSum", name, method(func(x *T) *T { return tensor.SegmentSum(x, ix) }), []int{n, d})
		add("SegmentMean", name, method(func(x *T) *T { return tensor.SegmentMean(x, ix) }), []int{n, d})
		add("MeanOfSum", name, method(func(x *T) *T { return tensor.MeanOfSum(x, ix) }), []int{slots, d})
		add("SegmentStats", name, method(func(x *T) *T { return tensor.SegmentStats(x, ix) }), []int{n, d})
		add("SegmentMax", name, method(func(x *T) *T { return tensor.SegmentMax(x, ix) }), []int{n, d})
		add("SegmentSoftmax", name, method(func(x *T) *T { return tensor.SegmentSoftmax(x, ix) }), []int{n, d})
	}
	ix := sortedIndex(n, 50)
	add("RaggedTN", "", binary(func(x, y *T) *T { return tensor.RaggedTN(x, y, ix) }), []int{n, d}, []int{n, 30})
	add("RaggedNN", "", binary(func(x, y *T) *T { return tensor.RaggedNN(x, y, ix) }), []int{n, d}, []int{50, d, 30})
	add("RaggedAssign", "", binary(func(x, y *T) *T { return tensor.RaggedAssign(x, y, ix) }), []int{n, d}, []int{50, 30, d})
	add("RaggedNT", "", binary(func(x, y *T) *T { return tensor.RaggedNT(x, y, ix) }), []int{n, d}, []int{50, 30, d})

	for name, a := range map[string]*tensor.Sparse{"rows": randomSparse(n, 4*n, true), "width": randomSparse(n, 4*n, false)} {
		w := a.NumWeights
		add("SpMM", name, func(x []*T) *T {
			return tensor.SpMM(a, x[0], tensor.SpMMConfig{W: x[1], Self: x[2], SelfW: x[3], Bias: x[4].AddScalar(-2), ReLU: true})
		}, []int{n, d}, []int{w}, []int{n, d}, []int{n}, []int{d})
		add("SDDMM", name, binary(func(g, x *T) *T { return tensor.SDDMM(a, g, x) }), []int{n, d}, []int{n, d})
	}
	for name, hops := range map[string]*tensor.Hops{"": randomHops(n, n/3, nil), "by samples": randomHops(n, n/3, sortedIndex(n, 50))} {
		add("TwoHop", name, func(x []*T) *T {
			c := tensor.HopsConfig{Bias: x[1].AddScalar(-2), ReLU: true}
			if name != "" {
				c.Rows, c.Middle = sortedIndex(n, 50), sortedIndex(n/3, 50)
			}
			return tensor.TwoHop(hops, x[0], c)
		}, []int{n, d}, []int{d})
	}
	add("AddMul", "", func(x []*T) *T { return tensor.AddMul(x[0], x[1], x[2]) }, []int{n, d}, []int{n, d}, []int{n, d})
	add("BatchNorm", "", func(x []*T) *T {
		y, _, _ := tensor.BatchNorm(x[0], x[1], x[2], 1e-2, true)
		return y
	}, []int{n, d}, []int{d}, []int{d})
	add("ColumnNorm", "", func(x []*T) *T { return tensor.ColumnNorm(x[0], x[1], x[2], x[3]) }, []int{n, d}, []int{d}, []int{d}, []int{d})
	return slices.Concat(cases, largeHeadsCases(), largeSpGEMMCases(), largeEdgeMessagesCases(), largeNeighbourMaxCases(), largeEdgeScoresCases(), largeCheckpointRowsCases())
}

// ids are k pseudo-random numbers below n.
func ids(k, n int) []int32 {
	r := source("ids")
	out := make([]int32, k)
	for i := range out {
		out[i] = int32(r.IntN(n))
	}
	return out
}

func sortedIndex(k, n int) *tensor.Index {
	s := ids(k, n)
	slices.Sort(s)
	return tensor.MustIndex(s, n)
}

// hubIndex gives almost all rows to one slot.
func hubIndex(k int) *tensor.Index {
	s := make([]int32, k)
	for i := range s {
		if s[i] = 7; i%10 == 0 {
			s[i] = int32(i / 10)
		}
	}
	return tensor.MustIndex(s, k)
}

// randomSparse is a square matrix of n rows with shared weights and
// coefficients, with rows of different or of equal length.
func randomSparse(n, nnz int, ragged bool) *tensor.Sparse {
	r := source("sparse")
	c := tensor.SparseConfig{Rows: n, Cols: n, Width: nnz / n, Col: ids(nnz, n), NumWeights: nnz / 2,
		Coef: uniform(r, 0.5, 1.5, nnz).tensor().Data(), Weight: ids(nnz, nnz/2)}
	if ragged {
		row := ids(nnz, n)
		slices.Sort(row)
		c.Ptr = make([]int32, n+1)
		for _, i := range row {
			c.Ptr[i+1]++
		}
		for i := range n {
			c.Ptr[i+1] += c.Ptr[i]
		}
	}
	return tensor.NewSparse(c)
}

// TestThreads checks that values, gradients and second gradients are the same
// to the bit for any number of threads.
func TestThreads(t *testing.T) {
	counts := []int{2, 3}
	if raceBuild || testing.Short() { // the race build is ten times slower
		counts = counts[1:]
	}
	for _, c := range largeCases() {
		t.Run(c.op+"/"+c.name, func(t *testing.T) {
			r := source(c.op + c.name)
			in := make([]*tensor.Tensor, len(c.in))
			for i, dim := range c.in {
				in[i] = tensor.New(dim...)
				for k := range in[i].Data() {
					in[i].Data()[k] = 0.3 + r.Float32()
				}
			}
			want := c.results(in, 1)
			for _, threads := range counts {
				for i, got := range c.results(in, threads) {
					if at := firstDifference(got, want[i]); at >= 0 {
						t.Fatalf("%d threads: result %d differs from one thread's at element %d of %d: %v, want %v",
							threads, i, at, len(got), got[at], want[i][at])
					}
				}
			}
		})
	}
}

// results is the value, the gradients and the gradients of a function of the
// gradients.
func (c largeCase) results(in []*tensor.Tensor, threads int) [][]float32 {
	tape := tensor.NewArena(threads).Tape()
	defer tape.Close()
	vars := make([]*tensor.Tensor, len(in))
	for i, x := range in {
		vars[i] = tape.Variable(x)
	}
	y := c.run(vars)
	loss := y.Square().Sum()
	out := append([]*tensor.Tensor{y}, tape.Grad(loss, vars...)...)
	live := tape.GradGraph(loss, vars...)
	penalty := tensor.Scalar(0)
	for _, g := range live {
		penalty = penalty.Add(g.Square().Sum())
	}
	return values(append(out, tape.Grad(penalty, vars...)...))
}

func firstDifference(got, want []float32) int {
	for i := range want {
		if got[i] != want[i] {
			return i
		}
	}
	return -1
}
