package loss_test

import (
	"math"
	"slices"
	"testing"

	"github.com/ehgnn/ehgnn/internal/rng"
	"github.com/ehgnn/ehgnn/nn/loss"
	"github.com/ehgnn/ehgnn/tensor"
)

// Mean γ and variance π²/6; the same stream gives the same numbers.
func TestGumbel(t *testing.T) {
	g := loss.Gumbel(rng.Stream(1, "gumbel"), 400, 500)
	mean, square := 0.0, 0.0
	for _, v := range g.Data() {
		mean += float64(v)
		square += float64(v) * float64(v)
	}
	n := float64(g.Size())
	mean /= n
	variance := square/n - mean*mean
	const euler = 0.5772156649
	if math.Abs(mean-euler) > 0.015 || math.Abs(variance-math.Pi*math.Pi/6) > 0.05 {
		t.Errorf("mean %v, variance %v", mean, variance)
	}
	if !slices.Equal(loss.Gumbel(rng.Stream(1, "gumbel"), 400, 500).Data(), g.Data()) {
		t.Error("the same stream gives other noise")
	}
}

// Hard samples are exactly one-hot, name the largest soft entry and come as often
// as softmax says; soft ones are positive and sum to 1.
func TestGumbelSoftmax(t *testing.T) {
	const n, k = 20000, 3
	p := []float64{0.6, 0.3, 0.1}
	logits := tensor.New(2, n/2, k)
	for i := range logits.Data() {
		logits.Data()[i] = float32(math.Log(p[i%k]) + 2) // a shift changes nothing
	}
	for _, tau := range []float64{0, 0.1, 5} {
		soft := must(loss.GumbelSoftmax(logits, loss.Gumbel(rng.Stream(2, "gumbel"), logits.Shape()...), loss.GumbelConfig{Temperature: tau}))
		hard := must(loss.GumbelSoftmax(logits, loss.Gumbel(rng.Stream(2, "gumbel"), logits.Shape()...), loss.GumbelConfig{Temperature: tau, Hard: true}))
		if !slices.Equal(hard.Shape(), logits.Shape()) {
			t.Fatalf("shape %v", hard.Shape())
		}
		count := [k]float64{}
		for i := range n {
			s, h := soft.Data()[k*i:k*i+k], hard.Data()[k*i:k*i+k]
			if sum := s[0] + s[1] + s[2]; !(math.Abs(float64(sum)-1) < 1e-5) {
				t.Fatalf("soft sample %v sums to %v", s, sum)
			}
			at := slices.Index(h, 1)
			if at < 0 || h[0]+h[1]+h[2] != 1 || s[at] != slices.Max(s) {
				t.Fatalf("hard sample %v of %v", h, s)
			}
			count[at]++
		}
		for c, want := range p {
			if math.Abs(count[c]/n-want) > 0.015 { // over four standard deviations
				t.Errorf("temperature %v: class %d in %v of the samples, want %v", tau, c, count[c]/n, want)
			}
		}
	}
}

// The gradient of a hard sample is that of the soft one, to the bit, and so is the
// second.
func TestGumbelStraightThrough(t *testing.T) {
	r := rng.Stream(3, "gumbel")
	noise, up := loss.Gumbel(r, 5, 4), loss.Gumbel(r, 5, 4)
	logits := loss.Gumbel(r, 5, 4)
	var first, second [2][]float32
	for i, hard := range []bool{false, true} {
		tape := tensor.NewArena(1).Tape()
		x := tape.Variable(logits)
		y := must(loss.GumbelSoftmax(x, noise, loss.GumbelConfig{Temperature: 0.7, Hard: hard}))
		g := tape.GradGraph(y.Mul(up).Sum(), x)[0]
		first[i] = slices.Clone(g.Data())
		second[i] = slices.Clone(tape.Grad(g.Square().Sum(), x)[0].Data())
		tape.Close()
	}
	if !slices.Equal(first[0], first[1]) || !slices.Equal(second[0], second[1]) {
		t.Errorf("gradients %v and %v, second ones %v and %v", first[0], first[1], second[0], second[1])
	}
	if slices.Max(first[0]) == 0 || slices.Max(second[0]) == 0 {
		t.Error("no gradient")
	}
}

func TestGumbelTies(t *testing.T) {
	hard := loss.GumbelConfig{Hard: true}
	if y := must(loss.GumbelSoftmax(tensor.New(2, 3), tensor.New(2, 3), hard)); !slices.Equal(y.Data(), []float32{1, 0, 0, 1, 0, 0}) {
		t.Errorf("ties give %v", y.Data())
	}
	if y := must(loss.GumbelSoftmax(tensor.New(0, 3), loss.Gumbel(rng.Stream(1, "none"), tensor.New(0, 3).Shape()...), hard)); y.Size() != 0 {
		t.Errorf("no rows give %v", y)
	}
	if y := must(loss.GumbelSoftmax(tensor.New(2, 1), loss.Gumbel(rng.Stream(1, "one"), tensor.New(2, 1).Shape()...), hard)); !slices.Equal(y.Data(), []float32{1, 1}) {
		t.Errorf("one class gives %v", y.Data())
	}
}

func TestGumbelConfig(t *testing.T) {
	for _, tau := range []float64{0, 1e-3, 10} {
		if err := (loss.GumbelConfig{Temperature: tau}).Validate(); err != nil {
			t.Errorf("temperature %v: %v", tau, err)
		}
	}
	for _, tau := range []float64{-1, math.NaN(), math.Inf(1)} {
		c := loss.GumbelConfig{Temperature: tau}
		if c.Validate() == nil {
			t.Errorf("temperature %v is accepted", tau)
		}
		if y, err := loss.GumbelSoftmax(tensor.New(1, 2), loss.Gumbel(rng.Stream(1, "bad"), tensor.New(1, 2).Shape()...), c); y != nil || err == nil {
			t.Errorf("temperature %v gives %v", tau, y)
		}
	}
}
