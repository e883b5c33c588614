package tensor

import (
	"slices"
	"testing"
)

// newOp is factor·x³ in one pass, an operation with a rule of its own.
func newOp(x *Tensor, factor float32) *Tensor {
	out := tapeOf(x).alloc(x.shape)
	for i, v := range x.data {
		out.data[i] = factor * v * v * v
	}
	return opWith(out, newOpRule{factor}, x)
}

type newOpRule struct{ factor float32 }

// grad is made of operations, so that it has a gradient itself.
func (r *newOpRule) grad(b *back) { b.Set(0, b.G.Mul(b.In[0].Square()).MulScalar(3*r.factor)) }

// A new operation has first and second gradients.
func TestExtendOperation(t *testing.T) {
	tape := NewArena(1).Tape()
	defer tape.Close()
	x := tape.Variable(FromSlice([]float32{1, 2, -3}, 3))
	y := newOp(x, 0.5)
	if !slices.Equal(y.Data(), []float32{0.5, 4, -13.5}) {
		t.Errorf("values %v", y.Data())
	}
	first := tape.GradGraph(y.Sum(), x)[0]
	if !slices.Equal(first.Data(), []float32{1.5, 6, 13.5}) {
		t.Errorf("gradient %v", first.Data())
	}
	if second := tape.Grad(first.Sum(), x)[0]; !slices.Equal(second.Data(), []float32{3, 6, -9}) {
		t.Errorf("second gradient %v", second.Data())
	}
}
