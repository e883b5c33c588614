package loss_test

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/ehgnn/ehgnn/internal/golden"
	"github.com/ehgnn/ehgnn/internal/rng"
	"github.com/ehgnn/ehgnn/nn/loss"
	"github.com/ehgnn/ehgnn/tensor"
)

func TestCaseLosses(t *testing.T) {
	for _, c := range golden.Load(t, "layers/losses").Cases {
		t.Run(c.Name, func(t *testing.T) {
			tape := tensor.NewArena(1).Tape()
			defer tape.Close()
			vars := c.Variables(tape)
			out := map[string]*tensor.Tensor{"out": compute(t, c, vars)}
			golden.CheckOutputs(t, c, out, 1e-6)
			golden.CheckGrads(t, tape, c, out, vars, 1e-6)
		})
	}
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

func compute(t *testing.T, c golden.Case, vars map[string]*tensor.Tensor) *tensor.Tensor {
	t.Helper()
	for k := range c.Config {
		if !slices.Contains([]string{"reduction", "ignore_index", "label_smoothing", "tau", "hard", "noise"}, k) {
			t.Fatalf("option %s is not handled", k)
		}
	}
	x := vars["x"]
	kind, form, _ := strings.Cut(c.Name, "/")
	switch {
	case kind == "gumbel_softmax":
		return must(loss.GumbelSoftmax(vars["logits"], caseNoise(c),
			loss.GumbelConfig{Temperature: c.Config.Float("tau", 1), Hard: c.Config.Bool("hard", false)}))
	case c.Name == "cross_entropy_label_smoothing":
		return loss.SmoothCrossEntropy(x, caseLabels(t, c), c.Config.Float("label_smoothing", 0))
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

// caseNoise is Gumbel noise from the uniform numbers of a case.
func caseNoise(c golden.Case) *tensor.Tensor {
	g := c.Tensor("uniform")
	for i, u := range g.Data() {
		g.Data()[i] = float32(-math.Log(-math.Log(float64(u))))
	}
	return g
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

// The definition, spelled out, with what the fixture leaves out: class weights,
// rows without a label, and the two ends of eps.
func TestSmoothCrossEntropy(t *testing.T) {
	r := rng.Stream(1, "smooth")
	x := tensor.New(6, 4)
	for i := range x.Data() {
		x.Data()[i] = float32(r.NormFloat64())
	}
	class := []int32{3, loss.Ignore, 0, 1, loss.Ignore, 3}
	logp := x.LogSoftmax().Data()
	for _, weight := range [][]float32{nil, {0.5, 2, 1, 0.25}} {
		l, err := loss.NewLabels(class, 4, weight)
		if err != nil {
			t.Fatal(err)
		}
		at := func(c int) float64 {
			if weight == nil {
				return 1
			}
			return float64(weight[c])
		}
		for _, eps := range []float64{0, 0.3, 1} {
			sum, total := 0.0, 0.0
			for i, y := range class {
				if y == loss.Ignore {
					continue
				}
				total += at(int(y))
				sum -= (1 - eps) * at(int(y)) * float64(logp[4*i+int(y)])
				for c := range 4 {
					sum -= eps / 4 * at(c) * float64(logp[4*i+c])
				}
			}
			if got := float64(loss.SmoothCrossEntropy(x, l, eps).Item()); math.Abs(got-sum/total) > 1e-5 {
				t.Errorf("eps %v, weights %v: %v, want %v", eps, weight, got, sum/total)
			}
		}
		if got, want := loss.SmoothCrossEntropy(x, l, 0).Item(), loss.CrossEntropy(x, l).Item(); math.Abs(float64(got-want)) > 1e-6 {
			t.Errorf("without smoothing %v, want %v", got, want)
		}
	}
	none, _ := loss.NewLabels([]int32{loss.Ignore}, 4, nil)
	if got := loss.SmoothCrossEntropy(tensor.New(1, 4), none, 0.1).Item(); got == got {
		t.Errorf("without labels %v, want NaN", got)
	}
	for _, eps := range []float64{-0.1, 1.1, math.NaN()} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("no panic on eps %v", eps)
				}
			}()
			loss.SmoothCrossEntropy(tensor.New(1, 4), none, eps)
		}()
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
		"smooth": func() {
			loss.SmoothCrossEntropy(tensor.New(2, 3), &loss.Labels{Class: []int32{0}, Rows: []float32{1}, Total: 1}, 0.1)
		},
		"Gumbel": func() { _, _ = loss.GumbelSoftmax(x, y, loss.GumbelConfig{}) },
		"NLL":    func() { loss.NLL(tensor.New(2, 3), &loss.Labels{Class: []int32{0}, Rows: []float32{1}, Total: 1}) },
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

// Examples that are all but certain have no gradient, others have theirs: subnormal
// numbers would slow down all that is computed from them.
func TestTinyGradients(t *testing.T) {
	labels, err := loss.NewLabels([]int32{0, 0, 0, 0}, 2, nil)
	if err != nil {
		t.Fatal(err)
	}
	// Probabilities of the wrong class: 6e-42, 9e-27, 2e-9 and a half.
	sure := []float32{95, 60, 20, 0}
	for name, f := range map[string]func(x *tensor.Tensor) *tensor.Tensor{
		"cross entropy": func(x *tensor.Tensor) *tensor.Tensor {
			return loss.CrossEntropy(tensor.Concat(1, tensor.New(4, 1), x), labels)
		},
		"smooth cross entropy": func(x *tensor.Tensor) *tensor.Tensor {
			return loss.SmoothCrossEntropy(tensor.Concat(1, tensor.New(4, 1), x), labels, 0)
		},
		"logistic": func(x *tensor.Tensor) *tensor.Tensor { return loss.BCEWithLogits(x, tensor.New(4, 1)) },
	} {
		tape := tensor.NewArena(1).Tape()
		x := tape.Variable(tensor.FromSlice(sure, 4, 1).Neg())
		g := tape.Grad(f(x), x)[0].Data()
		if g[0] != 0 || g[1] != 0 || g[2] == 0 || g[3] == 0 {
			t.Errorf("%s: gradients %v, want 0 for the first two alone", name, g)
		}
		tape.Close()
	}
}
