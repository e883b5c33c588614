package tabular

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/ehgnn/ehgnn/internal/rng"
)

// losses are configurations for every loss.
var losses = []Config{
	{Loss: CrossEntropy, Classes: 2},
	{Loss: CrossEntropy, Classes: 5},
	{Loss: Absolute},
	{Loss: Huber},
	{Loss: Squared},
	{Loss: Quantile, Quantiles: []float64{0.1, 0.5, 0.9}},
}

func (c Config) String() string {
	return fmt.Sprintf("%s/classes=%d/members=%d", c.Loss, c.Classes, c.Members)
}

// tiny returns rows of three columns with weights, and targets that fit every loss.
func tiny(n, classes int) Data {
	r := rng.Stream(3, "tiny")
	part := func(n int) (Block, Targets) {
		b, t := Block{X: make([]float32, 3*n), Cols: 3}, Targets{}
		for i := range b.X {
			b.X[i] = float32(r.NormFloat64())
		}
		for range n {
			t.Numbers = append(t.Numbers, float32(10+3*r.NormFloat64()))
			t.Classes = append(t.Classes, int32(r.IntN(max(classes, 2))))
			t.Weights = append(t.Weights, float32(r.Float64()))
		}
		return b, t
	}
	d := Data{}
	d.Static, d.Targets = part(n)
	d.Valid.Static, d.ValidTargets = part(n)
	return d
}

// newTest returns a trainer with fitted inputs, as Train creates it.
func newTest(t testing.TB, d Data, c Config) *trainer {
	t.Helper()
	c = c.withDefaults()
	spec := c.shape()
	in, err := FitInputs(d.rows(0), c.Plain, c.Seed, 1)
	if err != nil {
		t.Fatal(err)
	}
	spec.Inputs = *in
	spec.Mean, spec.Deviation = standard(&spec, d.Targets.Numbers)
	return newTrainer(d, c, spec)
}

// The gradients of the whole loss, with dropout and weights, agree with finite differences.
func TestGradients(t *testing.T) {
	for _, c := range losses {
		for _, c.Members = range []int{1, 3} {
			t.Run(c.String(), func(t *testing.T) { checkGradients(t, c) })
		}
	}
}

func checkGradients(t *testing.T, c Config) {
	c.Units, c.Threads = 6, 1
	d := tiny(20, c.Classes)
	tr := newTest(t, d, c)
	tr.keys = []uint64{1, 2}
	value := func() float64 {
		tape := tr.arena.Tape()
		defer tape.Close()
		return float64(tr.loss(tape, d.rows(0), tr.order).Item())
	}
	tape := tr.arena.Tape()
	loss := tr.loss(tape, d.rows(0), tr.order)
	params := tr.model.Params()
	grads := make([][]float32, len(params))
	for i, p := range params {
		grads[i] = slices.Clone(tape.Grad(loss, tape.Watch(p))[0].Data())
	}
	tape.Close()
	const h = 1e-3
	checked, off := 0, 0
	for i, p := range params {
		x := p.Value.Data()
		for k := 0; k < len(x); k += 1 + len(x)/40 {
			old := x[k]
			x[k] = old + h
			up := value()
			x[k] = old - h
			down := value()
			x[k] = old
			checked++
			// float32 rounds a loss near 1 by 1e-7. Divided by h this is 1e-4.
			if want := (up - down) / (2 * h); math.Abs(want-float64(grads[i][k])) > 1e-3+0.01*math.Abs(want) {
				off++
				t.Logf("element %d of %s: gradient %v, difference %v", k, p.Name, grads[i][k], want)
			}
		}
	}
	// Some elements have a kink of ReLU or of the loss within h.
	if off > checked/25 {
		t.Errorf("%d of %d gradients are wrong", off, checked)
	}
}

// Without dropout and with one member, the training loss equals the validation loss.
func TestLossesAgree(t *testing.T) {
	for _, c := range losses {
		t.Run(c.String(), func(t *testing.T) {
			c.Dropout, c.Units = -1, 8
			d := tiny(50, c.Classes)
			tr := newTest(t, d, c)
			tape := tr.arena.Tape()
			defer tape.Close()
			want := float64(tr.loss(tape, d.rows(0), tr.order).Item())
			out := make([]float32, d.Static.Len()*tr.model.Outputs())
			if err := tr.model.Predict(t.Context(), d.rows(0), out); err != nil {
				t.Fatal(err)
			}
			if got := tr.model.spec.LossOf(out, d.Targets); math.Abs(got-want) > 1e-5*(1+want) {
				t.Errorf("loss %v of the predictions, %v in training", got, want)
			}
		})
	}
}

// LossOf for targets 1 and 3 with deviation 2 and weights 1 and 3, computed by hand.
func TestLossOf(t *testing.T) {
	for _, c := range []struct {
		spec Spec
		out  []float32
		want float64
	}{
		{Spec{Loss: Absolute}, []float32{3, 2}, (1 + 3*0.5) / 4},
		{Spec{Loss: Squared}, []float32{3, 2}, (1 + 3*0.25) / 4},
		{Spec{Loss: Huber}, []float32{1.5, 1}, (0.0625 + 3*0.75) / 4},
		{Spec{Loss: Quantile, Quantiles: []float64{0.5, 0.9}}, []float32{3, 3, 1, 1}, (0.3 + 3*0.7) / 4},
		{Spec{Loss: CrossEntropy, Classes: 2}, []float32{-1, -2, -3, -100}, (1 - 3*leastLog) / 4},
	} {
		c.spec.Deviation = 2
		y := Targets{Numbers: []float32{1, 3}, Classes: []int32{0, 1}, Weights: []float32{1, 3}}
		if got := c.spec.LossOf(c.out, y); math.Abs(got-c.want) > 1e-6 {
			t.Errorf("%s: %v, want %v", c.spec.Loss, got, c.want)
		}
	}
}

// A mask drops the given share and scales the rest. It does not depend on the number of threads.
func TestMasks(t *testing.T) {
	for _, rate := range []float64{0.1, 0.5, 0.9} {
		mask := make([]float32, 1_000_001)
		(&masks{rate: rate}).fill(mask, 5)
		sum, dropped := 0.0, 0.0
		for _, v := range mask {
			sum += float64(v)
			if v == 0 {
				dropped++
			}
		}
		n := float64(len(mask))
		if math.Abs(sum/n-1) > 0.01*rate/(1-rate)+0.001 || math.Abs(dropped/n-rate) > 0.002 {
			t.Errorf("rate %v: mean %v, share %v dropped", rate, sum/n, dropped/n)
		}
		other := make([]float32, len(mask))
		m := masks{rate: rate, pool: newTest(t, tiny(4, 2), Config{Loss: Absolute, Threads: 3}).pool}
		if m.fill(other, 5); !slices.Equal(other, mask) {
			t.Errorf("rate %v: the mask depends on the threads", rate)
		}
		if m.fill(other, 6); slices.Equal(other, mask) {
			t.Errorf("rate %v: the mask does not depend on the key", rate)
		}
	}
}

// Each epoch draws new rows, each at most once.
func TestEpochRows(t *testing.T) {
	d := tiny(300, 2)
	d.PerEpoch = 100
	tr := newTest(t, d, Config{Loss: Absolute})
	var last []int32
	for range 3 {
		if _, err := tr.epoch(t.Context(), 0); err != nil {
			t.Fatal(err)
		}
		all := slices.Sorted(slices.Values(tr.order))
		if len(slices.Compact(all)) != 300 {
			t.Error("a row is drawn twice")
		}
		if slices.Equal(last, tr.order[:100]) {
			t.Error("two epochs have the same rows")
		}
		last = slices.Clone(tr.order[:100])
	}
	if tr.steps != 6 { // three epochs with batches of 64 and 36 rows
		t.Errorf("%d steps, want 6", tr.steps)
	}
}

// The rows of one component are in one batch if they fit into it. With groups, this holds for the rows of a component in the same group.
func TestBatchesOfComponents(t *testing.T) {
	const rows, size = 640, 4
	for _, groups := range []int8{1, 2} {
		d := tiny(rows, 2)
		group := make([]int8, rows)
		for i := range rows {
			d.Component = append(d.Component, int32(i%(rows/size)))
			group[i] = int8(i/(rows/size)) % groups
		}
		if groups > 1 {
			d.Group = [][]int8{group}
		}
		tr := newTest(t, d, Config{Loss: Absolute, Threads: 1})
		tr.random.Shuffle(rows, func(i, j int) { tr.order[i], tr.order[j] = tr.order[j], tr.order[i] })
		seen, apart := 0, 0
		for _, batch := range tr.batches(tr.order, 0) {
			seen += len(batch)
			components := map[int32]bool{}
			for _, r := range batch {
				components[d.Component[r]] = true
			}
			apart += len(components)
		}
		if least := rows / size * int(groups); seen != rows || apart < least || apart > least+rows/BatchRows(rows) {
			t.Errorf("%d groups: %d rows in batches of %d components in sum, want %d and at least %d", groups, seen, apart, rows, least)
		}
	}
}
