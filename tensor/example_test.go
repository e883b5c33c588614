package tensor_test

import (
	"fmt"

	"github.com/ehgnn/ehgnn/tensor"
)

// The gradient of a small function of two parameters.
func Example() {
	arena := tensor.NewArena(1) // kept for the whole training
	w := &tensor.Param{Name: "w", Value: tensor.FromSlice([]float32{2, -1}, 2, 1)}
	b := &tensor.Param{Name: "b", Value: tensor.Scalar(0.5)}
	x := tensor.FromSlice([]float32{
		1, 2,
		3, 4,
	}, 2, 2)

	tape := arena.Tape() // one step
	defer tape.Close()
	wv, bv := tape.Watch(w), tape.Watch(b)
	loss := x.MatMul(wv).Add(bv).Square().Mean()
	grads := tape.Grad(loss, wv, bv)
	fmt.Println("loss", loss.Item())
	fmt.Println("by w", grads[0].Data())
	fmt.Println("by b", grads[1].Item())
	// Output:
	// loss 3.25
	// by w [8 11]
	// by b 3
}

// GradGraph gives gradients that can be differentiated again: here the
// derivatives of x³.
func ExampleTape_GradGraph() {
	tape := tensor.NewArena(1).Tape()
	defer tape.Close()
	x := tape.Variable(tensor.FromSlice([]float32{1, 2}, 2))
	first := tape.GradGraph(x.Mul(x).Mul(x), x)[0]
	second := tape.GradGraph(first, x)[0]
	third := tape.Grad(second, x)[0]
	fmt.Println(first.Data(), second.Data(), third.Data())
	// Output: [3 12] [6 12] [6 6]
}

// A mean over the nodes of each graph; the second graph has none.
func ExampleSegmentMean() {
	nodes := tensor.FromSlice([]float32{
		1, 10,
		3, 30,
		7, 70,
	}, 3, 2)
	graphOf, err := tensor.NewIndex([]int32{0, 0, 2}, 3)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(tensor.SegmentMean(nodes, graphOf))
	// Output: [3 2][2 20 0 0 7 70]
}

// Message passing on the path 0 - 1 - 2, with one learned weight per edge
// shared by both directions, and the gradient of the weights.
func ExampleSpMM() {
	path := tensor.NewSparse(tensor.SparseConfig{
		Rows: 3, Cols: 3,
		Ptr:    []int32{0, 1, 3, 4}, // node 1 has two neighbours
		Col:    []int32{1, 0, 2, 1},
		Weight: []int32{0, 0, 1, 1}, NumWeights: 2,
		Symmetric: true,
	})
	tape := tensor.NewArena(1).Tape()
	defer tape.Close()
	x := tensor.FromSlice([]float32{1, 2, 3}, 3, 1)
	w := tape.Variable(tensor.FromSlice([]float32{10, 100}, 2))
	y := tensor.SpMM(path, x, tensor.SpMMConfig{W: w, Self: x})
	fmt.Println(y.Data(), tape.Grad(y, w)[0].Data())
	// Output: [21 312 203] [3 5]
}

// At a public boundary a shape bug becomes an error.
func ExampleCatch() {
	predict := func(x *tensor.Tensor) (y *tensor.Tensor, err error) {
		defer tensor.Catch(&err)
		return x.MatMul(tensor.New(3, 1)), nil
	}
	_, err := predict(tensor.New(2, 4))
	fmt.Println(err)
	// Output: tensor: MatMul: shapes [2 4] and [3 1], expected equal inner sizes (found 4 and 3)
}
