package loss_test

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/ehgnn/ehgnn/internal/golden"
	"github.com/ehgnn/ehgnn/nn/loss"
	"github.com/ehgnn/ehgnn/tensor"
)

// notYet lists the cases of losses that the library does not have yet. A case
// of any other name is checked.
var notYet = []string{"cross_entropy_label_smoothing",
	"gumbel_softmax/soft/tau1.0", "gumbel_softmax/hard/tau1.0", "gumbel_softmax/soft/tau0.5", "gumbel_softmax/hard/tau0.5"}

func TestCaseLosses(t *testing.T) {
	left := slices.Clone(notYet)
	for _, c := range golden.Load(t, "layers/losses").Cases {
		if i := slices.Index(left, c.Name); i >= 0 {
			left = slices.Delete(left, i, i+1)
			continue
		}
		t.Run(c.Name, func(t *testing.T) {
			tape := tensor.NewArena(1).Tape()
			defer tape.Close()
			vars := c.Variables(tape)
			out := map[string]*tensor.Tensor{"out": compute(t, c, vars)}
			golden.CheckOutputs(t, c, out, 1e-6)
			golden.CheckGrads(t, tape, c, out, vars, 1e-6)
		})
	}
	if len(left) > 0 {
		t.Errorf("cases listed as not covered do not exist: %q", left)
	}
}

func compute(t *testing.T, c golden.Case, vars map[string]*tensor.Tensor) *tensor.Tensor {
	t.Helper()
	for k := range c.Config {
		if k != "reduction" && k != "ignore_index" {
			t.Fatalf("option %s is not handled", k)
		}
	}
	x := vars["x"]
	kind, form, _ := strings.Cut(c.Name, "/")
	switch {
	case kind == "log_softmax":
		return x.LogSoftmax()
	case kind == "nll" || strings.HasPrefix(kind, "cross_entropy"):
		logp, l := x.LogSoftmax(), caseLabels(t, c)
		switch reduction := c.Config.String("reduction", "mean"); {
		case reduction == "sum":
			return loss.NLLSum(logp, l)
		case reduction == "none":
			return loss.NLLRows(logp, l)
		case kind == "nll":
			return loss.NLL(logp, l)
		}
		return loss.CrossEntropy(x, l)
	case kind == "bce_logits_nan_mask":
		return loss.BCEWithLogits(x, c.Tensor("y"))
	case c.Name == "bce_logits/large": // not reduced: each element is its own mean
		parts := make([]*tensor.Tensor, x.Size())
		for i := range parts {
			parts[i] = loss.BCEWithLogits(x.Slice(0, i, i+1), c.Tensor("y").Slice(0, i, i+1)).Reshape(1)
		}
		return tensor.Concat(0, parts...)
	case kind == "mse" && form == "":
		return loss.MSE(x, vars["y"])
	case c.Name == "mse/sum": // the library has the mean only
		return loss.MSE(x, vars["y"]).MulScalar(float32(x.Size()))
	}
	t.Fatalf("case %s is not handled", c.Name)
	return nil
}

// caseLabels reads the classes of a case with the reference's ignore_index as
// ours.
func caseLabels(t *testing.T, c golden.Case) *loss.Labels {
	t.Helper()
	class := c.IDs("y")
	ignore := int32(c.Config.Int("ignore_index", -100))
	for i := range class {
		if class[i] == ignore {
			class[i] = loss.Ignore
		}
	}
	var weight []float32
	if c.Has("weight") {
		weight = c.Tensor("weight").Data()
	}
	l, err := loss.NewLabels(class, c.Value("x").Shape[1], weight)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

func TestNewLabelsErrors(t *testing.T) {
	for _, c := range []struct {
		class  []int32
		weight []float32
		want   string
	}{
		{[]int32{0, 2}, nil, "loss: row 1 has class 2, expected 0 to 1"},
		{[]int32{-2}, nil, "loss: row 0 has class -2, expected 0 to 1"},
		{[]int32{0}, []float32{1, 1, 1}, "loss: 3 class weights, expected 2"},
	} {
		l, err := loss.NewLabels(c.class, 2, c.weight)
		if err == nil || err.Error() != c.want || l != nil {
			t.Errorf("NewLabels gave %v, error %v, want %q", l, err, c.want)
		}
	}
	l, err := loss.NewLabels([]int32{1, loss.Ignore, 0}, 2, []float32{0.5, 2})
	if err != nil || l.Total != 2.5 || !slices.Equal(l.Rows, []float32{2, 0, 0.5}) {
		t.Errorf("labels %+v, error %v", l, err)
	}
}

func TestLabelled(t *testing.T) {
	nan := float32(math.NaN())
	if n := loss.Labelled(tensor.FromSlice([]float32{1, nan, 0, nan}, 2, 2)); n != 2 {
		t.Errorf("%d labelled, want 2", n)
	}
}

// A prediction column against a target row would be broadcast to a matrix of
// all pairs: a mistake that trains quietly, so it must panic.
func TestShapesMustMatch(t *testing.T) {
	x, y := tensor.New(3, 1), tensor.New(3)
	for name, f := range map[string]func(){
		"MSE": func() { loss.MSE(x, y) },
		"BCE": func() { loss.BCEWithLogits(x, y) },
		"NLL": func() { loss.NLL(tensor.New(2, 3), &loss.Labels{Class: []int32{0}, Rows: []float32{1}, Total: 1}) },
	} {
		func() {
			defer func() {
				if _, ok := recover().(*tensor.ShapeError); !ok {
					t.Errorf("%s: no panic with *tensor.ShapeError", name)
				}
			}()
			f()
		}()
	}
}
