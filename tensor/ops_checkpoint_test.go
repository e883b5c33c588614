package tensor_test

import (
	"fmt"
	"math"
	"testing"

	"github.com/ehgnn/ehgnn/tensor"
)

// anyTape is the tape of the first operand that has one.
func anyTape(x []*tensor.Tensor) *tensor.Tape {
	for _, x := range x {
		if t := tensor.TapeOf(x); t != nil {
			return t
		}
	}
	return nil
}

// checkpointRows is ReLU( a + Sum·x ) · a², by rows; the same with nothing added where alone.
func checkpointRows(s *tensor.Sparse, alone bool) func(x []*tensor.Tensor) *tensor.Tensor {
	return func(x []*tensor.Tensor) *tensor.Tensor {
		return tensor.CheckpointRows(anyTape(x), []tensor.RowInput{{X: x[0]}, {X: x[1], Sum: s}}, func(b *tensor.RowBlock) *tensor.Tensor {
			a := b.Rows(0)
			if alone {
				return b.Sum(1, nil, false).Mul(a.Square())
			}
			return b.Sum(1, a, true).Mul(a.Square())
		})
	}
}

// checkpointed is x·y + y, also of one operand given twice.
func checkpointed(x []*tensor.Tensor) *tensor.Tensor {
	return tensor.Checkpoint(anyTape(x), []*tensor.Tensor{x[0], x[1], x[1]}, func(_ *tensor.Tape, in []*tensor.Tensor) *tensor.Tensor {
		return in[0].Mul(in[1]).Add(in[2])
	})
}

func checkpointRowsCases() []opCase {
	var cases []opCase
	forms := sparseForms()
	for _, form := range sortedKeys(forms) {
		s := forms[form]
		if s.Rows == 0 {
			continue
		}
		a := tensor.NewSparse(s)
		for _, alone := range []bool{false, true} {
			name := fmt.Sprintf("%s, alone %v", form, alone)
			r := source("CheckpointRows" + name)
			in := []array{steps(r, 0.2, s.Rows, 3), uniform(r, 0.001, 0.003, s.Cols, 3)}
			run := checkpointRows(a, alone)
			want := func(x []array) array {
				out := build(x[0].dim, func(at []int) float64 { return 0 })
				n, d := x[0].rows()
				for i := range n {
					lo, hi := a.Row(i)
					for j := range d {
						own := x[0].at(i, j)
						sum := 0.0
						if !alone {
							sum = own
						}
						for k := lo; k < hi; k++ {
							coef, col := 1.0, k
							if s.Coef != nil {
								coef = float64(s.Coef[k])
							}
							if s.Col != nil {
								col = int(s.Col[k])
							}
							sum += coef * x[1].at(col, j)
						}
						if !alone {
							sum = max(sum, 0)
						}
						out.v[i*d+j] = sum * own * own
					}
				}
				return out
			}
			for _, op := range []string{"CheckpointRows", "RowBlock.Rows", "RowBlock.Sum"} {
				cases = append(cases, opCase{op: op, name: name, in: in, run: run, want: want})
			}
		}
	}
	r := source("Checkpoint")
	return append(cases, opCase{op: "Checkpoint", in: []array{normalish(r, 4, 3), normalish(r, 4, 3)}, run: checkpointed, want: func(x []array) array {
		return build(x[0].dim, func(at []int) float64 { return x[0].at(at...)*x[1].at(at...) + x[1].at(at...) })
	}})
}

func largeCheckpointRowsCases() []largeCase {
	shapes := [][]int{{largeRows, largeCols}, {largeRows, largeCols}}
	var cases []largeCase
	for name, s := range map[string]*tensor.Sparse{"rows": randomSparse(largeRows, 4*largeRows, true), "width": randomSparse(largeRows, 4*largeRows, false)} {
		for _, op := range []string{"CheckpointRows", "RowBlock.Rows", "RowBlock.Sum"} {
			cases = append(cases, largeCase{op, name, shapes, checkpointRows(s, false)})
		}
	}
	return append(cases, largeCase{"Checkpoint", "", shapes, checkpointed})
}

// smallNet is a network of rows with parameters, one of them used twice.
type smallNet struct{ first, second, bias *tensor.Param }

func newSmallNet(in, width int) *smallNet {
	r := source("small net")
	param := func(name string, dim ...int) *tensor.Param {
		return &tensor.Param{Name: name, Value: normalish(r, dim...).tensor()}
	}
	return &smallNet{param("first", in, width), param("second", width, width), param("bias", width)}
}

func (n *smallNet) params(tape *tensor.Tape) []*tensor.Tensor {
	return []*tensor.Tensor{tape.Watch(n.first), tape.Watch(n.second), tape.Watch(n.bias)}
}

func (n *smallNet) of(tape *tensor.Tape, x *tensor.Tensor) *tensor.Tensor {
	w, b := tape.Watch(n.second), tape.Watch(n.bias)
	x = tensor.Affine(x, tape.Watch(n.first), b, tensor.AffineConfig{}).Tanh()
	return tensor.LayerNorm(tensor.Affine(x, w, b, tensor.AffineConfig{}).Add(x.MatMul(w)), nil, nil, 1e-5)
}

// TestCheckpointRowsBlocks holds many rows, which are computed in blocks, against the same
// operations on all at once: the same value to the bit, and gradients of first and second order
// within the rounding of sums over rows.
func TestCheckpointRowsBlocks(t *testing.T) {
	const n, in, width = 5003, 7, 5
	net := newSmallNet(in, width)
	x := normalish(source("rows"), n, in).tensor()
	results := func(f func(tape *tensor.Tape, x *tensor.Tensor) *tensor.Tensor) (first, second [][]float32) {
		tape := tensor.NewArena(2).Tape()
		defer tape.Close()
		v := tape.Variable(x)
		y := f(tape, v)
		wrt := append(net.params(tape), v)
		loss := y.Mul(y).Mul(y).Mean()
		first = values(append([]*tensor.Tensor{y}, tape.Grad(loss, wrt...)...))
		for i, g := range tape.Grad(loss, wrt...) { // in memory that was used before
			if at := firstDifference(g.Data(), first[i+1]); at >= 0 {
				t.Errorf("gradient %d: element %d is another the second time", i, at)
			}
		}
		along := tensor.Scalar(0)
		for _, g := range tape.GradGraph(loss, wrt...) {
			along = along.Add(g.Square().Sum())
		}
		return first, values(tape.Grad(along, wrt...))
	}
	close := func(what string, got, want [][]float32) {
		for i := range want {
			most := 0.0
			for _, v := range want[i] {
				most = max(most, math.Abs(float64(v)))
			}
			for k, v := range want[i] {
				if d := math.Abs(float64(got[i][k] - v)); !(d <= 1e-5*most) {
					t.Fatalf("%s %d: element %d is %v, expected %v", what, i, k, got[i][k], v)
				}
			}
		}
	}
	wantFirst, wantSecond := results(net.of)
	for name, f := range map[string]func(tape *tensor.Tape, x *tensor.Tensor) *tensor.Tensor{
		"blocks": func(tape *tensor.Tape, x *tensor.Tensor) *tensor.Tensor {
			return tensor.CheckpointRows(tape, []tensor.RowInput{{X: x}}, func(b *tensor.RowBlock) *tensor.Tensor { return net.of(b.Tape, b.Rows(0)) })
		},
		"checkpointed": func(tape *tensor.Tape, x *tensor.Tensor) *tensor.Tensor {
			return tensor.Checkpoint(tape, []*tensor.Tensor{x}, func(tape *tensor.Tape, in []*tensor.Tensor) *tensor.Tensor { return net.of(tape, in[0]) })
		},
	} {
		first, second := results(f)
		if at := firstDifference(first[0], wantFirst[0]); at >= 0 {
			t.Errorf("%s: element %d of the value differs", name, at)
		}
		close(name+": result", first, wantFirst)
		close(name+": second gradient", second, wantSecond)
	}
}

// TestCheckpointRowsMemory checks that what a function of many rows computes on its way is not
// kept, and that steps allocate the same memory again and again.
func TestCheckpointRowsMemory(t *testing.T) {
	const n, d = 1 << 16, 16
	arena := tensor.NewArena(2)
	net := newSmallNet(d, d)
	x := tensor.New(n, d)
	step := func() {
		tape := arena.Tape()
		defer tape.Close()
		y := tape.Variable(x)
		for range 4 {
			y = tensor.CheckpointRows(tape, []tensor.RowInput{{X: y}}, func(b *tensor.RowBlock) *tensor.Tensor { return net.of(b.Tape, b.Rows(0)) })
		}
		tape.Grad(y.Sum(), net.params(tape)...)
	}
	step()
	first := arena.Bytes()
	if most := int64(4 * n * d * 10); first > most {
		t.Errorf("%d bytes, expected at most %d: four results and a few gradients", first, most)
	}
	for range 3 {
		step()
	}
	if arena.Bytes() != first {
		t.Errorf("%d bytes after the first step, %d after the fourth", first, arena.Bytes())
	}
}
