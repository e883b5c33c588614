package tabular

import (
	"fmt"
	"math"
	"testing"

	"github.com/ehgnn/ehgnn/internal/par"
	"github.com/ehgnn/ehgnn/internal/rng"
	"github.com/ehgnn/ehgnn/tensor"
)

// A product with interpolated sums, and its gradients, equal those with all inputs.
func TestInterpolate(t *testing.T) {
	r := rng.Stream(1, "interpolate")
	const rows, static, labels, units = 300, 4, 3, 7
	block := func(cols int) Block {
		b := Block{X: make([]float32, rows*cols), Cols: cols}
		for i := range b.X {
			switch v := float32(r.NormFloat64()); i % cols {
			case 0: // few values, and so few bins
				b.X[i] = float32(r.IntN(4))
			case 1: // skewed
				b.X[i] = float32(math.Exp(2 * float64(v)))
			case 2: // missing values
				if b.X[i] = v; r.IntN(5) == 0 {
					b.X[i] = float32(math.NaN())
				}
			default:
				b.X[i] = v
			}
		}
		return b
	}
	of := Rows{Static: block(static), Labels: block(labels)}
	for _, plain := range [][]bool{nil, {true, false, false, true, false, true, false}, {true, true, true, true, true, true, true}} {
		for _, more := range []int{0, 5} {
			t.Run(fmt.Sprintf("%v and %d more", plain, more), func(t *testing.T) {
				e := newExpander(fit(t, of, plain...))
				ids := []int32{3, 1, 4, 159, 26, 299, 0, 3}
				random := func(dims ...int) *tensor.Tensor {
					x := tensor.New(dims...)
					for i := range x.Data() {
						x.Data()[i] = float32(r.NormFloat64())
					}
					return x
				}
				w, bias, extra := random(e.width+more, units), random(units), random(len(ids), max(more, 1))
				run := func(dense bool) (out, dw, db []float32) {
					tape := tensor.NewArena(2).Tape()
					in := e.inputs(tape, par.New(2), of, ids)
					if dense {
						x := tape.New(len(ids), e.width)
						for i, id := range ids {
							e.row(x.Data()[i*e.width:][:e.width], of.Static.row(int(id)), of.Labels.row(int(id)), make([]float32, len(e.logs)))
						}
						in = &inputs{from: e, dense: tape.Constant(x)}
					}
					if more > 0 {
						in = in.extended(tape.Constant(extra))
					}
					vw, vb := tape.Variable(w), tape.Variable(bias)
					y := in.affine(vw, vb, true)
					g := tape.Grad(y.Square().Sum(), vw, vb)
					return y.Data(), g[0].Data(), g[1].Data()
				}
				near := func(name string, got, want []float32) {
					for i, v := range want {
						if d := math.Abs(float64(got[i] - v)); d > 1e-4*(1+math.Abs(float64(v))) {
							t.Fatalf("element %d of %s is %v, expected %v", i, name, got[i], v)
						}
					}
				}
				y, dw, db := run(false)
				wantY, wantW, wantB := run(true)
				near("the product", y, wantY)
				near("the gradient of the weights", dw, wantW)
				near("the gradient of the bias", db, wantB)
			})
		}
	}
}
