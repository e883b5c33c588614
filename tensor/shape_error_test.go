package tensor_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/ehgnn/ehgnn/tensor"
)

// shapeErrorCase is a call whose operands do not fit.
type shapeErrorCase struct {
	op, name string
	run      func()
}

// noShapeErrors are the operations that take any tensor.
var noShapeErrors = map[string]bool{
	"Neg": true, "Abs": true, "RoundGrad": true, "Square": true, "Sqrt": true, "Rsqrt": true, "Recip": true, "Exp": true, "Log": true,
	"Sigmoid": true, "Tanh": true, "Softplus": true, "ReLU": true, "LeakyReLU": true, "Clamp": true, "Pow": true,
	"AddScalar": true, "MulScalar": true, "Sum": true, "Mean": true,
	"RowBlock.Rows": true, "Checkpoint": true,
}

func shapeErrorCases() []shapeErrorCase {
	z := tensor.New
	index := tensor.MustIndex([]int32{0, 0, 1}, 2)
	unsorted := tensor.MustIndex([]int32{1, 0, 1}, 2)
	sparse := tensor.NewSparse(tensor.SparseConfig{Rows: 2, Cols: 3, Ptr: []int32{0, 1, 2}, Col: []int32{0, 2}})
	type (
		T = tensor.Tensor
		C = tensor.SpMMConfig
	)
	var cases []shapeErrorCase
	add := func(op, name string, run func()) { cases = append(cases, shapeErrorCase{op, name, run}) }

	for op, f := range map[string]func(x, y *T) *T{"Add": (*T).Add, "Sub": (*T).Sub, "Mul": (*T).Mul, "Div": (*T).Div} {
		add(op, "sizes differ", func() { f(z(2, 3), z(2, 4)) })
		add(op, "aligned from the last axis", func() { f(z(2, 3), z(2)) })
		add(op, "none against some", func() { f(z(0), z(2)) })
	}
	for op, f := range map[string]func(x, y *T) *T{"MatMul": (*T).MatMul, "MatMulT": (*T).MatMulT, "TMatMul": (*T).TMatMul} {
		add(op, "inner sizes", func() { f(z(2, 3), z(4, 5)) })
		add(op, "rank left", func() { f(z(2), z(2, 2)) })
		add(op, "rank right", func() { f(z(2, 2), z(1, 2, 2)) })
	}
	checkpointRows := func(z *T, rows ...tensor.RowInput) {
		tape := tensor.NewArena(1).Tape()
		defer tape.Close()
		tensor.CheckpointRows(tape, rows, func(b *tensor.RowBlock) *T {
			if rows[0].Sum != nil {
				return b.Sum(0, z, false)
			}
			return b.Rows(0)
		})
	}
	long := tensor.NewSparse(tensor.SparseConfig{Rows: 3000, Cols: 3, Width: 1, Col: make([]int32, 3000)})
	add("CheckpointRows", "numbers of rows", func() { checkpointRows(nil, tensor.RowInput{X: z(2, 3)}, tensor.RowInput{X: z(3, 3)}) })
	add("CheckpointRows", "columns of the matrix", func() { checkpointRows(nil, tensor.RowInput{X: z(4, 3), Sum: sparse}) })
	add("RowBlock.Sum", "rows to add to", func() { checkpointRows(z(5, 3), tensor.RowInput{X: z(3, 3), Sum: long}) })
	add("Reweigh", "dense", func() { z(2, 3).Reweigh(z(2)) })
	add("Reweigh", "sizes differ", func() { tensor.SparseRows(sparse).Reweigh(z(3)) })
	for op, f := range map[string]func(x *T, axis int) *T{"SumAxis": (*T).SumAxis, "MeanAxis": (*T).MeanAxis, "MaxAxis": (*T).MaxAxis} {
		add(op, "axis too large", func() { f(z(2, 3), 2) })
		add(op, "axis too small", func() { f(z(2, 3), -3) })
		add(op, "scalar", func() { f(z(), 0) })
	}
	add("MaxAxis", "of nothing", func() { z(2, 0).MaxAxis(1) })
	add("Softmax", "scalar", func() { z().Softmax() })
	add("LogSoftmax", "scalar", func() { z().LogSoftmax() })
	add("LayerNorm", "scalar", func() { tensor.LayerNorm(z(), nil, nil, 1e-5) })
	add("LayerNorm", "weight", func() { tensor.LayerNorm(z(2, 3), z(2), nil, 1e-5) })
	add("LayerNorm", "rank of the bias", func() { tensor.LayerNorm(z(2, 3), z(3), z(1, 3), 1e-5) })
	add("Expand", "size", func() { z(2, 3).Expand(2, 4) })
	add("Expand", "fewer axes", func() { z(1, 3).Expand(3) })
	add("Expand", "shrinking", func() { z(2, 3).Expand(2, 1) })
	add("Expand", "rank", func() { z(1).Expand(1, 1, 1, 1, 1) })
	add("SumTo", "size", func() { z(2, 3).SumTo(2) })
	add("SumTo", "growing", func() { z(2, 1).SumTo(2, 3) })
	add("SumTo", "more axes", func() { z(3).SumTo(1, 3) })

	add("BatchMatMul", "batches differ", func() { tensor.BatchMatMul(z(2, 3, 4), z(1, 4, 3), false, false) })
	add("BatchMatMul", "inner sizes", func() { tensor.BatchMatMul(z(2, 3, 4), z(2, 4, 3), true, false) })
	add("BatchMatMul", "rank", func() { tensor.BatchMatMul(z(3, 4), z(4, 3), false, false) })
	for name, f := range map[string]func(){
		"inner sizes": func() { tensor.Affine(z(2, 3), z(4, 5), nil, tensor.AffineConfig{}) },
		"transposed":  func() { tensor.Affine(z(2, 3), z(3, 5), nil, tensor.AffineConfig{TransW: true}) },
		"rank of x":   func() { tensor.Affine(z(3), z(3, 5), nil, tensor.AffineConfig{}) },
		"rank of w":   func() { tensor.Affine(z(2, 3), z(3), nil, tensor.AffineConfig{}) },
		"bias":        func() { tensor.Affine(z(2, 3), z(3, 5), z(3), tensor.AffineConfig{}) },
	} {
		add("Affine", name, f)
	}

	add("Reshape", "size", func() { z(2, 3).Reshape(4) })
	add("Reshape", "not divisible", func() { z(2, 3).Reshape(4, -1) })
	add("Reshape", "two inferred", func() { z(2, 3).Reshape(-1, -1) })
	add("Reshape", "negative", func() { z(2, 3).Reshape(-2, -3) })
	add("Reshape", "rank", func() { z(2, 3).Reshape(1, 1, 1, 2, 3) })
	add("Transpose", "rank", func() { z(3).Transpose() })
	add("Permute", "too few", func() { z(2, 3).Permute(0) })
	add("Permute", "twice the same", func() { z(2, 3).Permute(1, 1) })
	add("Permute", "no such axis", func() { z(2, 3).Permute(0, 2) })
	add("Concat", "nothing", func() { tensor.Concat(0) })
	add("Concat", "axis", func() { tensor.Concat(2, z(2, 3)) })
	add("Concat", "ranks", func() { tensor.Concat(0, z(2, 3), z(3)) })
	add("Concat", "sizes", func() { tensor.Concat(0, z(2, 3), z(2, 4)) })
	add("Slice", "beyond", func() { z(2, 3).Slice(1, 1, 4) })
	add("Slice", "before", func() { z(2, 3).Slice(1, -1, 2) })
	add("Slice", "reversed", func() { z(2, 3).Slice(1, 2, 1) })
	add("Slice", "axis", func() { z(2, 3).Slice(2, 0, 1) })
	add("Split", "short", func() { z(2, 3).Split(1, 1, 1) })
	add("Split", "long", func() { z(2, 3).Split(1, 2, 2) })
	add("Split", "negative", func() { z(2, 3).Split(1, 4, -1) })
	add("Split", "axis", func() { z(2, 3).Split(2, 3) })
	add("Pick", "rank", func() { tensor.Pick(z(2), []int32{0, 0}) })
	add("Pick", "rows", func() { tensor.Pick(z(2, 3), []int32{0}) })
	add("Pick", "column", func() { tensor.Pick(z(2, 3), []int32{0, 3}) })

	add("Gather", "rows", func() { tensor.Gather(z(3, 2), index) })
	add("Repeat", "rows", func() { tensor.Repeat(z(3, 2), index) })
	add("Gather", "scalar", func() { tensor.Gather(z(), index) })
	for op, f := range map[string]func(x *T, ix *tensor.Index) *T{
		"SegmentSum": tensor.SegmentSum, "SegmentMean": tensor.SegmentMean,
		"SegmentMax": tensor.SegmentMax, "SegmentStats": tensor.SegmentStats, "SegmentSoftmax": tensor.SegmentSoftmax,
	} {
		add(op, "rows", func() { f(z(2, 2), index) })
		add(op, "scalar", func() { f(z(), index) })
	}
	add("MeanOfSum", "rows", func() { tensor.MeanOfSum(z(1, 2), index) })
	add("MeanOfSum", "scalar", func() { tensor.MeanOfSum(z(), index) })
	for _, c := range []struct {
		op  string
		run func(x, y *T, ix *tensor.Index) *T
		y   []int
	}{{"RaggedTN", tensor.RaggedTN, []int{3, 2}}, {"RaggedNN", tensor.RaggedNN, []int{2, 2, 2}}, {"RaggedNT", tensor.RaggedNT, []int{2, 2, 2}}, {"RaggedAssign", tensor.RaggedAssign, []int{2, 2, 2}}} {
		add(c.op, "rows", func() { c.run(z(2, 2), z(c.y...), index) })
		add(c.op, "rank left", func() { c.run(z(3, 2, 1), z(c.y...), index) })
		add(c.op, "rank left, vector", func() { c.run(z(3), z(c.y...), index) })
		add(c.op, "rank right", func() { c.run(z(3, 2), z(append(c.y, 1)...), index) })
		add(c.op, "ids not sorted", func() { c.run(z(3, 2), z(c.y...), unsorted) })
		bad := slices.Clone(c.y)
		bad[0]++
		add(c.op, "slots or rows right", func() { c.run(z(3, 2), z(bad...), index) })
		if len(c.y) == 3 {
			add(c.op, "inner sizes", func() { c.run(z(3, 5), z(c.y...), index) })
		}
	}
	for name, f := range map[string]func(){
		"rows":               func() { tensor.SpMM(sparse, z(2, 4), C{}) },
		"scalar":             func() { tensor.SpMM(sparse, z(), C{}) },
		"weights":            func() { tensor.SpMM(sparse, z(3, 4), C{W: z(3)}) },
		"self":               func() { tensor.SpMM(sparse, z(3, 4), C{Self: z(3, 4)}) },
		"self weight":        func() { tensor.SpMM(sparse, z(3, 4), C{Self: z(2, 4), SelfW: z(3)}) },
		"self weight, alone": func() { tensor.SpMM(sparse, z(3, 4), C{SelfW: z(2)}) },
		"bias":               func() { tensor.SpMM(sparse, z(3, 4), C{Bias: z(3)}) },
	} {
		add("SpMM", name, f)
	}
	add("AddMul", "one more column", func() { tensor.AddMul(z(2, 3), z(2, 3), z(2, 4)) })
	add("BatchNorm", "bias", func() { tensor.BatchNorm(z(2, 3), z(3), z(2), 1, false) })
	add("BatchNorm", "vector", func() { tensor.BatchNorm(z(3), z(3), z(3), 1, false) })
	add("ColumnNorm", "scale", func() { tensor.ColumnNorm(z(2, 3), z(3), z(1, 3), z(3)) })
	hops := randomHops(3, 2, nil)
	add("TwoHop", "rows", func() { tensor.TwoHop(hops, z(2, 4), tensor.HopsConfig{}) })
	add("TwoHop", "bias", func() { tensor.TwoHop(hops, z(3, 4), tensor.HopsConfig{Bias: z(3)}) })
	add("SDDMM", "rows", func() { tensor.SDDMM(sparse, z(3, 4), z(3, 4)) })
	add("SDDMM", "columns", func() { tensor.SDDMM(sparse, z(2, 4), z(2, 4)) })
	add("SDDMM", "widths", func() { tensor.SDDMM(sparse, z(2, 4), z(3, 5)) })
	add("SDDMM", "ranks", func() { tensor.SDDMM(sparse, z(2, 4), z(3, 2, 2)) })
	return slices.Concat(cases, headsShapeErrors(), spgemmShapeErrors(), edgeMessagesShapeErrors(), neighbourMaxShapeErrors(), edgeScoresShapeErrors())
}

// TestShapeErrors checks that operands that do not fit make the operation panic
// with an error that names it.
func TestShapeErrors(t *testing.T) {
	for _, c := range shapeErrorCases() {
		t.Run(c.op+"/"+c.name, func(t *testing.T) { expectShapeError(t, c.op, c.run) })
	}
}

// Everything else that checks shapes.
func TestShapeErrorsElsewhere(t *testing.T) {
	for op, f := range map[string]func(){
		"New":       func() { tensor.New(2, -1) },
		"FromSlice": func() { tensor.FromSlice(make([]float32, 3), 2) },
		"Full":      func() { tensor.Full(1, 1, 1, 1, 1, 1) },
		"Item":      func() { tensor.New(2).Item() },
		"Dim":       func() { tensor.New(2).Dim(1) },
	} {
		t.Run(op, func(t *testing.T) { expectShapeError(t, op, f) })
	}
	for name, c := range map[string]tensor.SparseConfig{
		"pointers":     {Rows: 2, Cols: 2, Ptr: []int32{0, 1}, Col: []int32{0}},
		"no pointers":  {Rows: 0, Cols: 2, Ptr: []int32{}},
		"columns":      {Rows: 1, Cols: 2, Ptr: []int32{0, 2}, Col: []int32{0}},
		"coefficients": {Rows: 1, Cols: 2, Ptr: []int32{0, 1}, Col: []int32{0}, Coef: []float32{1, 2}},
		"weights":      {Rows: 1, Cols: 2, Ptr: []int32{0, 1}, Col: []int32{0}, Weight: []int32{0, 0}, NumWeights: 1},
	} {
		t.Run("NewSparse/"+name, func(t *testing.T) { expectShapeError(t, "NewSparse", func() { tensor.NewSparse(c) }) })
	}
}

func expectShapeError(t *testing.T, op string, run func()) {
	t.Helper()
	err := func() (err error) {
		defer tensor.Catch(&err)
		run()
		return nil
	}()
	var shape *tensor.ShapeError
	if !errors.As(err, &shape) {
		t.Fatalf("error %v, want a ShapeError", err)
	}
	if shape.Op != op {
		t.Errorf("the error names %s: %v", shape.Op, err)
	}
	if shape.Want == "" || !strings.HasPrefix(err.Error(), "tensor: "+op+": ") {
		t.Errorf("the message is %q", err)
	}
	if op != "Concat" && !strings.Contains(err.Error(), "[") {
		t.Errorf("the message has no shape: %q", err)
	}
}

// Catch passes on what is not a ShapeError, and leaves the error alone without
// a panic.
func TestCatch(t *testing.T) {
	keep := fmt.Errorf("kept")
	if err := func() (err error) {
		defer tensor.Catch(&err)
		return keep
	}(); err != keep {
		t.Errorf("error %v, want the returned one", err)
	}
	for _, cause := range []any{"a string", errors.New("an error")} {
		func() {
			defer func() {
				if r := recover(); r != cause {
					t.Errorf("recovered %v, want %v", r, cause)
				}
			}()
			var err error
			defer tensor.Catch(&err)
			panic(cause)
		}()
	}
}
