package golden

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/ehgnn/ehgnn/internal/lists"
	"github.com/ehgnn/ehgnn/tensor"
)

// Close fails the test unless, for every element,
//
//	|got - want| <= tol · max(1, max|want|),
//
// The maximum is over the whole array, so tol limits the error relative to the scale of the array.
// NaN equals NaN, and an infinity equals itself. Integers are compared as floats; tol 0 requires
// equality. Shapes must agree except for axes of size 1, in which libraries differ. A nil gotShape
// is not compared.
func Close(t testing.TB, what string, got []float32, gotShape []int, want Value, tol float64) {
	t.Helper()
	if msg := difference(got, gotShape, want, tol); msg != "" {
		t.Errorf("%s: %s", what, msg)
	}
}

// difference returns a description of the difference, or an empty text.
func difference(got []float32, gotShape []int, want Value, tol float64) string {
	if gotShape != nil && !slices.Equal(squeeze(gotShape), squeeze(want.Shape)) {
		return fmt.Sprintf("shape %v, want %v", gotShape, want.Shape)
	}
	if len(got) != want.Len() {
		return fmt.Sprintf("%d elements, want %d", len(got), want.Len())
	}
	values := make([]float64, want.Len())
	scale := 1.0
	for i := range values {
		if want.Floats != nil {
			values[i] = float64(want.Floats[i])
		} else {
			values[i] = float64(want.Ints[i])
		}
		if a := math.Abs(values[i]); !math.IsInf(a, 0) && a > scale {
			scale = a
		}
	}
	worst, at := 0.0, -1
	for i, w := range values {
		g := float64(got[i])
		if g == w || g != g && w != w {
			continue
		}
		d := math.Abs(g - w)
		if d != d || math.IsInf(d, 0) { // only one of them is NaN or infinite
			worst, at = math.Inf(1), i
			break
		}
		if d > tol*scale && d > worst {
			worst, at = d, i
		}
	}
	if at < 0 {
		return ""
	}
	return fmt.Sprintf("element %d of %v: got %v, want %v (off by %.3g, allowed %.3g)",
		at, want.Shape, got[at], values[at], worst, tol*scale)
}

func squeeze(shape []int) []int {
	return lists.Filter(shape, func(d int) bool { return d != 1 })
}

// CheckOutputs compares outputs, by name, with those of the case. An output that the case does not
// have fails the test. Outputs of the case that are not given are not compared.
func CheckOutputs(t testing.TB, c Case, outputs map[string]*tensor.Tensor, tol float64) {
	t.Helper()
	for _, name := range sortedNames(outputs) {
		want, ok := c.Outputs[name]
		if !ok {
			t.Errorf("output %s: the case has none of this name", name)
			continue
		}
		Close(t, "output "+name, outputs[name].Data(), outputs[name].Shape(), want, tol)
	}
}

// CheckGrads computes the loss of the case, the sum over its upstream entries of <output,
// upstream>, and compares the gradients of the loss with respect to vars with those of the case.
// outputs must have all outputs with an upstream entry. vars has a tensor of the tape for each
// entry of c.Grads, by its name. An explicit nil skips a gradient. A missing or additional name
// fails the test.
func CheckGrads(t testing.TB, tape *tensor.Tape, c Case, outputs, vars map[string]*tensor.Tensor, tol float64) {
	t.Helper()
	loss := tensor.Scalar(0)
	for _, name := range sortedNames(c.Upstream) {
		out, up := outputs[name], c.Upstream[name]
		if out == nil || out.Size() != up.Len() {
			t.Fatalf("gradients need an output %s of shape %v, got %v", name, up.Shape, out)
		}
		loss = loss.Add(out.Reshape(up.Shape...).Mul(up.Tensor()).Sum())
	}
	var names []string
	var wrt []*tensor.Tensor
	for _, name := range sortedNames(vars) {
		if _, ok := c.Grads[name]; !ok {
			t.Errorf("gradient %s: the case has none of this name", name)
		} else if vars[name] != nil {
			names, wrt = append(names, name), append(wrt, vars[name])
		}
	}
	for _, name := range sortedNames(c.Grads) {
		if _, ok := vars[name]; !ok {
			t.Errorf("gradient %s: no variable given", name)
		}
	}
	for i, g := range tape.Grad(loss, wrt...) {
		Close(t, "gradient "+names[i], g.Data(), g.Shape(), c.Grads[names[i]], tol)
	}
}
