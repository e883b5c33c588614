package nn_test

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/ehgnn/ehgnn/internal/golden"
	"github.com/ehgnn/ehgnn/internal/rng"
	"github.com/ehgnn/ehgnn/nn"
	"github.com/ehgnn/ehgnn/tensor"
)

// elsewhere lists the operations of the file that have tests of their own: cells
// in this package, Set2Set in nn/pool.
var elsewhere = map[string]bool{"gru_cell": true, "lstm_cell": true, "set2set": true}

func TestCaseNorms(t *testing.T) {
	for _, c := range golden.Load(t, "layers/norms_recurrent").Cases {
		kind, rest, _ := strings.Cut(c.Name, "/")
		switch {
		case kind == "batchnorm":
			t.Run(c.Name, func(t *testing.T) { caseBatchNorm(t, c, strings.HasPrefix(rest, "train")) })
		case kind == "layernorm":
			t.Run(c.Name, func(t *testing.T) { caseLayerNorm(t, c) })
		case kind == "dropout_given_mask":
			t.Run(c.Name, func(t *testing.T) { caseDropout(t, c) })
		case !elsewhere[kind]:
			t.Errorf("case %s is not handled", c.Name)
		}
	}
}

func caseBatchNorm(t *testing.T, c golden.Case, train bool) {
	c.Config.Only(t, "eps", "momentum") // both are constants of the layer
	layer := nn.NewBatchNorm(nn.NewInit(0), 3)
	p := pass(t, train)
	if c.ReferenceError != "" {
		before := layer.RunMean.Value.Clone()
		mustPanic(t, "one row", func() { layer.Forward(p, c.Tensor("x")) })
		near(t, "running mean after the panic", layer.RunMean.Value.Data(), before.Data(), 0)
		return
	}
	vars := c.Bind(t, p.Tape, layer.Params())
	out := map[string]*tensor.Tensor{"out": layer.Forward(p, vars["x"]),
		"running_mean": layer.RunMean.Value, "running_var": layer.RunVar.Value}
	tol := 1e-5
	if c.Value("x").Shape[0] == 2 {
		tol = 1e-4 // two rows: x minus mean is ±half their difference, which cancels
	}
	if !train {
		// Parameters are constants outside training.
		vars["params.weight"], vars["params.bias"] = nil, nil
	}
	golden.CheckOutputs(t, c, out, tol)
	golden.CheckGrads(t, p.Tape, c, out, vars, tol)
}

func caseLayerNorm(t *testing.T, c golden.Case) {
	c.Config.Only(t, "eps")
	layer := nn.NewLayerNorm(nn.NewInit(0), 4)
	p := pass(t, true)
	vars := c.Bind(t, p.Tape, layer.Params())
	out := map[string]*tensor.Tensor{"out": layer.Forward(p, vars["x"])}
	golden.CheckOutputs(t, c, out, 1e-5)
	golden.CheckGrads(t, p.Tape, c, out, vars, 1e-5)
}

func TestBatchNormErrors(t *testing.T) {
	layer := nn.NewBatchNorm(nn.NewInit(0), 3)
	mustPanic(t, "another width", func() { layer.Forward(pass(t, false), tensor.New(2, 4)) })
}

// Statistics belong to training: evaluation leaves them alone and uses them.
func TestBatchNormEval(t *testing.T) {
	layer := nn.NewBatchNorm(nn.NewInit(0), 2)
	x := random(rng.Stream(1, "norm"), 4, 2)
	near(t, "fresh statistics", layer.Forward(pass(t, false), x).Data(), x.Data(), 1e-5)
	near(t, "running mean", layer.RunMean.Value.Data(), []float32{0, 0}, 0)
	for _, w := range layer.Params()[2:] {
		if !w.Buffer {
			t.Errorf("%s is not a buffer", w.Name)
		}
	}
}

// script is a source of random numbers that deals out given words.
type script []uint64

func (s *script) Uint64() uint64 {
	w := (*s)[0]
	*s = (*s)[1:]
	return w
}

// The mask of the case, as the random words that draw it: the lower half of a
// word decides one element, the upper half the next.
func caseDropout(t *testing.T, c golden.Case) {
	keep := c.Value("keep").Ints
	var words script
	for i := 0; i < len(keep); i += 2 {
		w := uint64(keep[i]) * math.MaxUint32
		if i+1 < len(keep) {
			w |= uint64(keep[i+1]) * math.MaxUint32 << 32
		}
		words = append(words, w)
	}
	p := pass(t, true)
	p.Rand = rand.New(&words)
	vars := c.Bind(t, p.Tape, nil)
	out := map[string]*tensor.Tensor{"out": nn.Dropout(p, vars["x"], c.Config.Float("p", 0))}
	golden.CheckOutputs(t, c, out, 1e-5)
	golden.CheckGrads(t, p.Tape, c, out, vars, 1e-5)
	if len(words) > 0 {
		t.Errorf("%d words left over", len(words))
	}
}

func TestDropout(t *testing.T) {
	x := tensor.Full(2, 301, 333) // an odd number of elements
	p := pass(t, true)
	for _, rate := range []float64{0.1, 0.5, 0.9} {
		y := nn.Dropout(p, x, rate)
		dropped := 0
		for _, v := range y.Data() {
			switch {
			case v == 0:
				dropped++
			case math.Abs(float64(v)-2/(1-rate)) > 1e-5:
				t.Fatalf("rate %v: element %v, want 0 or %v", rate, v, 2/(1-rate))
			}
		}
		n := float64(x.Size())
		if sigma := math.Sqrt(n * rate * (1 - rate)); math.Abs(float64(dropped)-n*rate) > 4*sigma {
			t.Errorf("rate %v drops %d of %v", rate, dropped, n)
		}
	}
	// Of sparse rows, entries are dropped.
	c := tensor.SparseConfig{Rows: 500, Cols: 40, Width: 3, Coef: make([]float32, 1500)}
	for k := range c.Coef {
		c.Col = append(c.Col, int32(13*(k%3)+k/3%13))
		c.Coef[k] = 2
	}
	sparse := tensor.SparseRows(tensor.NewSparse(c))
	y, dropped := nn.Dropout(p, sparse, 0.25), 0
	for i, v := range y.Data() {
		switch was := sparse.Data()[i]; {
		case was != 0 && v == 0:
			dropped++
		case math.Abs(float64(v-was/0.75)) > 1e-6:
			t.Fatalf("element %v of %v", v, was)
		}
	}
	if y.SparseEntries() != 1500 || dropped < 310 || dropped > 440 {
		t.Errorf("%d of %d entries dropped, want about 375 of 1500", dropped, y.SparseEntries())
	}
	if nn.Dropout(p, x, 0) != x || nn.Dropout(pass(t, false), x, 0.5) != x {
		t.Error("dropout without effect copies")
	}
	for _, v := range nn.Dropout(p, x, 1).Data() {
		if v != 0 {
			t.Fatal("rate 1 keeps an element")
		}
	}
	// The same step draws the same mask.
	a, b := pass(t, true), pass(t, true)
	near(t, "second draw", nn.Dropout(a, x, 0.5).Data(), nn.Dropout(b, x, 0.5).Data(), 0)
}
