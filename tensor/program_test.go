package tensor_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/ehgnn/ehgnn/tensor"
)

// FuzzPrograms runs random programs, a graph of operations with shared results,
// views and branches, and checks what must hold whatever the program:
//
//   - a backward pass, which takes buffers back and uses them again, changes no
//     forward value and no gradient that was returned before;
//   - Grad and GradGraph give the same bits, and so does a second call, which
//     finds the buffers used;
//   - a second run on the same arena, whose buffers hold old numbers, and on
//     more threads, gives the same bits.
//
// Built with ehgnndebug, a buffer given back too early shows as NaN.
func FuzzPrograms(f *testing.F) {
	r := rand.New(rand.NewPCG(1, 2))
	for n := 1; n <= 60; n++ {
		code := make([]byte, 3*n)
		for i := range code {
			code[i] = byte(r.Uint32())
		}
		f.Add(code)
	}
	f.Fuzz(func(t *testing.T, code []byte) {
		if len(code) > 300 {
			t.Skip("longer programs show nothing new")
		}
		arena := tensor.NewArena(1)
		first := runProgram(t, arena, code)
		for name, again := range map[string][][]float32{
			"a second run":     runProgram(t, arena, code),
			"a fresh arena":    runProgram(t, tensor.NewArena(1), code),
			"three threads":    runProgram(t, tensor.NewArena(3), code),
			"a run once again": runProgram(t, arena, code),
		} {
			for i := range first {
				if !sameBits(first[i], again[i]) {
					t.Fatalf("%s: result %d differs: %v, first %v", name, i, again[i], first[i])
				}
			}
		}
	})
}

// A program's values are matrices of this size.
const (
	programRows = 6
	programCols = 4
)

type program struct {
	values []*tensor.Tensor
	leaves []*tensor.Tensor
	ix     *tensor.Index
	adj    *tensor.Sparse
}

// runProgram builds the graph, takes all gradients in all ways, and returns
// every number.
func runProgram(t *testing.T, arena *tensor.Arena, code []byte) [][]float32 {
	t.Helper()
	tape := arena.Tape()
	defer tape.Close()
	r := rand.New(rand.NewPCG(3, 4))
	p := &program{ix: tensor.MustIndex([]int32{0, 2, 2, 0, 3, 2}, 5),
		adj: tensor.NewSparse(tensor.SparseConfig{Rows: programRows, Cols: programRows, Width: 2,
			Col: []int32{1, 2, 0, 0, 5, 3, 4, 2, 1, 0, 3, 3}})}
	for _, dim := range [][]int{{programRows, programCols}, {programRows, programCols}, {programCols, programCols},
		{programCols}, {programRows, 1}, {p.adj.NumWeights}} {
		p.leaves = append(p.leaves, tape.Variable(normalish(r, dim...).tensor()))
	}
	p.values = slices.Clone(p.leaves[:2])
	for len(code) >= 3 {
		p.step(code[0], code[1], code[2])
		code = code[3:]
	}

	loss := tensor.Scalar(0)
	for _, v := range p.values[len(p.values)/2:] {
		loss = loss.Add(v.Square().Mean())
	}
	// Leaves, some values in the middle, one of them twice, and the loss.
	wrt := append(slices.Clone(p.leaves), p.values[len(p.values)/2], p.values[len(p.values)/3], p.values[len(p.values)/3])
	// Detach makes constants.
	wrt = slices.DeleteFunc(wrt, func(x *tensor.Tensor) bool { return !recorded(tape, x) })
	wrt = append(wrt, loss)

	forward := values(p.values)
	grads := tape.Grad(loss, wrt...)
	first := values(grads)
	again := tape.Grad(loss, wrt...)
	live := tape.GradGraph(loss, wrt...)
	along := tensor.Scalar(0)
	for _, g := range live {
		along = along.Add(g.Mul(g.AddScalar(0.5)).Sum())
	}
	second := tape.Grad(along, p.leaves...)
	secondLive := tape.GradGraph(along, p.leaves...)
	for i := range wrt {
		if !sameBits(grads[i].Data(), first[i]) {
			t.Errorf("gradient %d changed after it was returned", i)
		}
		if !sameBits(again[i].Data(), first[i]) {
			t.Errorf("gradient %d differs the second time", i)
		}
		if !sameBits(live[i].Data(), first[i]) {
			t.Errorf("gradient %d of GradGraph differs", i)
		}
	}
	for i := range second {
		if !sameBits(second[i].Data(), secondLive[i].Data()) {
			t.Errorf("second gradient %d of GradGraph differs", i)
		}
	}
	for i, v := range p.values {
		if !sameBits(v.Data(), forward[i]) {
			t.Errorf("value %d changed during a backward pass", i)
		}
		if slices.ContainsFunc(v.Data(), func(x float32) bool { return x != x }) {
			t.Errorf("value %d holds NaN", i)
		}
	}
	return slices.Concat(forward, first, values(second))
}

// step adds one value computed from earlier ones.
func (p *program) step(op, a, b byte) {
	x, y := p.values[int(a)%len(p.values)], p.values[int(b)%len(p.values)]
	square, row, column, weights := p.leaves[2], p.leaves[3], p.leaves[4], p.leaves[5]
	var v *tensor.Tensor
	switch op % 22 {
	case 0:
		v = x.Add(y)
	case 1:
		v = x.Mul(y)
	case 2:
		v = x.Sub(y)
	case 3:
		v = x.Tanh()
	case 4:
		v = x.ReLU()
	case 5:
		v = x.MatMul(square)
	case 6:
		v = tensor.Affine(x, square, row, tensor.AffineConfig{ReLU: true, TransW: b&1 == 0})
	case 7:
		v = x.Softmax().Add(y.LogSoftmax())
	case 8:
		v = x.Reshape(programCols, programRows).Transpose().Add(y) // a view below
	case 9:
		v = x.Reshape(-1).Reshape(programRows, programCols) // a view of a view
	case 10:
		parts := tensor.Concat(1, x, y).Split(1, 1, programCols, programCols-1)
		v = parts[1]
	case 11:
		v = tensor.SpMM(p.adj, x, tensor.SpMMConfig{W: weights, Self: y, SelfW: column, Bias: row, ReLU: b&1 == 0})
	case 12:
		v = tensor.Gather(tensor.SegmentSum(x, p.ix), p.ix)
	case 13:
		v = tensor.Gather(tensor.SegmentMax(x, p.ix), p.ix).Mul(y)
	case 14:
		v = tensor.SegmentSoftmax(x, p.ix)
	case 15:
		v = x.Mul(row).Add(column)
	case 16:
		v = x.Div(y.Square().AddScalar(1))
	case 17:
		v = x.Detach().Mul(y)
	case 18:
		v = x.Slice(0, 0, programRows).Expand(programRows, programCols).SumTo(programRows, programCols) // x itself
	case 19:
		v = x.Add(x)
	case 20:
		v = tensor.BatchMatMul(x.Reshape(2, 3, programCols), y.Reshape(2, 3, programCols), false, true).
			Reshape(programRows, 3).Sum().Mul(x)
	case 21:
		w := tensor.SDDMM(p.adj, x, y)
		v = tensor.SpMM(p.adj, y, tensor.SpMMConfig{W: w})
	}
	for _, e := range v.Data() {
		if math.Abs(float64(e)) > 4 {
			v = v.MulScalar(0.25).Tanh() // keeps long programs finite
			break
		}
	}
	p.values = append(p.values, v)
}

func sameBits(a, b []float32) bool {
	return slices.EqualFunc(a, b, func(a, b float32) bool { return math.Float32bits(a) == math.Float32bits(b) })
}
