package tabular_test

import (
	"context"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/ehgnn/ehgnn/internal/rng"
	"github.com/ehgnn/ehgnn/internal/tabular"
)

// numberData returns rows whose target is 100 + 5·(steps and a product of the columns) + noise.
func numberData(rows int, noise float64) tabular.Data {
	d := tabular.Data{Static: table(rows, 4, "train"), Valid: tabular.Rows{Static: table(rows/3, 4, "valid")}}
	targets := func(b tabular.Block) (y []float32) {
		r := rng.Stream(1, "noise", b.Len())
		for i := range b.Len() {
			x := b.X[i*b.Cols:]
			v := float64(x[0] * x[1])
			if math.Abs(float64(x[2])) > 0.7 {
				v += 2
			}
			y = append(y, float32(100+5*v+noise*r.NormFloat64()))
		}
		return y
	}
	d.Targets.Numbers, d.ValidTargets.Numbers = targets(d.Static), targets(d.Valid.Static)
	return d
}

// Every loss learns steps and products, of which a linear model learns nothing.
func TestLearnsNumbers(t *testing.T) {
	for _, loss := range []tabular.Loss{tabular.Absolute, tabular.Huber, tabular.Squared} {
		d := numberData(2400, 0)
		m := train(t, d, tabular.Config{Loss: loss, MaxEpochs: 40, Units: 48})
		var sum, mean, square float64
		y := d.ValidTargets.Numbers
		for i, p := range predict(t, m, d.Valid) {
			sum += math.Pow(float64(p-y[i]), 2)
			mean += float64(y[i]) / float64(len(y))
		}
		for _, v := range y {
			square += math.Pow(float64(v)-mean, 2)
		}
		if r2 := 1 - sum/square; r2 < 0.9 {
			t.Errorf("%s: R2 %.3f", loss, r2)
		}
	}
}

// A share of about q of the validation targets is below the predicted quantile q.
func TestLearnsQuantiles(t *testing.T) {
	d := numberData(2400, 5)
	q := []float64{0.1, 0.5, 0.9}
	m := train(t, d, tabular.Config{Loss: tabular.Quantile, Quantiles: q, MaxEpochs: 25, Units: 48})
	out := predict(t, m, d.Valid)
	for k, want := range q {
		below := 0.0
		for i, y := range d.ValidTargets.Numbers {
			if y < out[i*len(q)+k] {
				below++
			}
		}
		if share := below / float64(len(out)/len(q)); math.Abs(share-want) > 0.05 {
			t.Errorf("quantile %v: %.3f of the targets are below", want, share)
		}
	}
}

// Six classes that follow from the range of one column, with one or more members.
func TestLearnsClasses(t *testing.T) {
	members := []int{1, 3}
	if testing.Short() {
		members = members[1:]
	}
	for _, members := range members {
		d := classData(3000)
		classes := func(b tabular.Block) (y []int32) {
			for i := range b.Len() {
				c := int32(math.Floor(float64(b.X[i*b.Cols])*2)) + 3
				y = append(y, min(max(c, 0), 5)/2+3*(c&1))
			}
			return y
		}
		d.Targets.Classes, d.ValidTargets.Classes = classes(d.Static), classes(d.Valid.Static)
		m := train(t, d, tabular.Config{Loss: tabular.CrossEntropy, Classes: 6, Members: members, MaxEpochs: 25, Units: 48})
		out := predict(t, m, d.Valid)
		if a := accuracy(out, d.ValidTargets.Classes); a < 0.93 {
			t.Errorf("%d members: accuracy %.3f", members, a)
		}
		sum := 0.0
		for _, v := range out[:6] {
			sum += math.Exp(float64(v))
		}
		if math.Abs(sum-1) > 1e-5 {
			t.Errorf("probabilities sum to %v", sum)
		}
	}
}

// A missing value can itself be the signal. A column without missing values in training may have
// some later.
func TestLearnsMissing(t *testing.T) {
	d := classData(2000)
	hide := func(b tabular.Block) (y []int32) {
		r := rng.Stream(2, "hide", b.Len())
		for i := range b.Len() {
			y = append(y, int32(r.IntN(2)))
			if y[i] == 1 && r.IntN(10) > 0 {
				b.X[i*b.Cols+2] = float32(math.NaN())
			}
		}
		return y
	}
	d.Targets.Classes, d.ValidTargets.Classes = hide(d.Static), hide(d.Valid.Static)
	m := train(t, d, tabular.Config{Loss: tabular.CrossEntropy, Classes: 2, MaxEpochs: 10, Units: 48})
	if a := accuracy(predict(t, m, d.Valid), d.ValidTargets.Classes); a < 0.92 {
		t.Errorf("accuracy %.3f", a)
	}
	b := d.Valid.Static
	for i := 0; i < len(b.X); i += b.Cols {
		b.X[i] = float32(math.Inf(i%3 - 1))
	}
	for i, v := range predict(t, m, d.Valid) {
		if v-v != 0 {
			t.Fatalf("output %d is %v", i, v)
		}
	}
}

// Rows of weight 0 have no effect.
func TestWeights(t *testing.T) {
	d := classData(3000)
	d.Targets.Weights = make([]float32, 3000)
	for i := range d.Targets.Weights {
		d.Targets.Weights[i] = float32(i % 3 / 2)
		if i%3 < 2 {
			d.Targets.Classes[i] = 1 - d.Targets.Classes[i]
		}
	}
	m := train(t, d, tabular.Config{Loss: tabular.CrossEntropy, Classes: 2, MaxEpochs: 40, Units: 48})
	if a := accuracy(predict(t, m, d.Valid), d.ValidTargets.Classes); a < 0.9 {
		t.Errorf("accuracy %.3f", a)
	}
}

// If labels do not depend on the columns, the validation score is at chance.
func TestShuffledLabels(t *testing.T) {
	d := classData(2000)
	for i, y := range [][]int32{d.Targets.Classes, d.ValidTargets.Classes} {
		rng.Stream(5, "shuffle", i).Shuffle(len(y), func(i, j int) { y[i], y[j] = y[j], y[i] })
	}
	m := train(t, d, tabular.Config{Loss: tabular.CrossEntropy, Classes: 2, Units: 48})
	out, spec := predict(t, m, d.Valid), m.Spec()
	if a, l := accuracy(out, d.ValidTargets.Classes), spec.LossOf(out, d.ValidTargets); math.Abs(a-0.5) > 0.06 || l < 0.68 {
		t.Errorf("accuracy %.3f, loss %.3f", a, l)
	}
}

// drawData returns data whose label columns are drawn three times.
func drawData() tabular.Data {
	d := classData(600)
	for i := range 3 {
		d.Draws = append(d.Draws, table(600, 2, "draw", i))
	}
	d.Valid.Labels = table(200, 2, "valid draw")
	return d
}

// Every run gives the same bits, with any number of threads.
func TestDeterministic(t *testing.T) {
	for _, members := range []int{1, 4} {
		var want *tabular.Model
		for _, threads := range []int{1, 2, 5, 1} {
			m := train(t, drawData(), tabular.Config{Loss: tabular.CrossEntropy, Classes: 2, Members: members, MaxEpochs: 3, Units: 80, Threads: threads})
			if want == nil {
				want = m
				continue
			}
			for i, p := range m.Params() {
				if !slices.Equal(p.Value.Data(), want.Params()[i].Value.Data()) {
					t.Fatalf("%d members: %d threads give another %s", members, threads, p.Name)
				}
			}
			if rows := drawData().Valid; !slices.Equal(predict(t, m, rows), predict(t, want, rows)) {
				t.Errorf("%d members: %d threads give other predictions", members, threads)
			}
		}
	}
}

// Predictions for rows one by one equal those for all rows at once.
func TestPredictRows(t *testing.T) {
	d := drawData()
	m := train(t, d, tabular.Config{Loss: tabular.CrossEntropy, Classes: 2, Members: 2, MaxEpochs: 1})
	want := predict(t, m, d.Valid)
	for i := range d.Valid.Len() {
		one := d.Valid
		one.Static.IDs, one.Labels.IDs = []int32{int32(i)}, []int32{int32(i)}
		if got := predict(t, m, one); !slices.Equal(got, want[2*i:2*i+2]) {
			t.Fatalf("row %d: %v alone, %v among others", i, got, want[2*i:2*i+2])
		}
	}
}

// Every draw of the label columns is used, and its values have an effect.
func TestDraws(t *testing.T) {
	used := map[int]bool{}
	c := tabular.Config{Loss: tabular.CrossEntropy, Classes: 2, MaxEpochs: 12, Patience: 12, Units: 48, OnEpoch: func(e tabular.Epoch) { used[e.Draw] = true }}
	m := train(t, drawData(), c)
	if len(used) != 3 {
		t.Errorf("draws %v of 3 were used", used)
	}
	d := drawData()
	clear(d.Draws[2].X)
	if other := train(t, d, c); slices.Equal(other.Params()[0].Value.Data(), m.Params()[0].Value.Data()) {
		t.Error("another third draw gives the same weights")
	}
}

// Training stops after the patience, with the weights of the best epoch.
func TestEarlyStopping(t *testing.T) {
	d := classData(300)
	for i := range d.Targets.Classes {
		if i%4 == 0 {
			d.Targets.Classes[i] = 1 - d.Targets.Classes[i]
		}
	}
	var epochs []tabular.Epoch
	c := tabular.Config{Loss: tabular.CrossEntropy, Classes: 2, Patience: 5, Units: 48, OnEpoch: func(e tabular.Epoch) { epochs = append(epochs, e) }}
	m := train(t, d, c)
	best := 0
	for i, e := range epochs {
		if e.Best {
			best = i
		}
	}
	if best+1+c.Patience != len(epochs) {
		t.Errorf("epoch %d of %d is the best", best+1, len(epochs))
	}
	spec := m.Spec()
	if got := spec.LossOf(predict(t, m, d.Valid), d.ValidTargets); got != epochs[best].Valid {
		t.Errorf("validation loss %v, want %v of epoch %d", got, epochs[best].Valid, best+1)
	}
}

// MaxSteps and MaxEpochs limit a training. A longer training begins with the same steps.
func TestBounds(t *testing.T) {
	for _, c := range []struct{ steps, epochs, want int }{{1, 0, 1}, {7, 0, 7}, {0, 2, 20}, {25, 2, 20}} {
		last := 0
		train(t, drawData(), tabular.Config{Loss: tabular.CrossEntropy, Classes: 2, MaxSteps: c.steps, MaxEpochs: c.epochs,
			OnEpoch: func(e tabular.Epoch) { last = e.Steps }})
		if last != c.want {
			t.Errorf("%d steps with bounds %+v", last, c)
		}
	}
}

// The parts of an attribution sum to the difference of the outputs. Columns without information
// have small parts.
func TestAttribute(t *testing.T) {
	for _, c := range []tabular.Config{
		{Loss: tabular.CrossEntropy, Classes: 2, Members: 3},
		{Loss: tabular.CrossEntropy, Classes: 3},
		{Loss: tabular.Absolute},
	} {
		d := numberData(900, 0)
		d.Targets.Classes, d.ValidTargets.Classes = products(d.Static), products(d.Valid.Static)
		c.MaxEpochs, c.Units = 25, 48
		m := train(t, d, c)
		rows, out := d.Valid, m.Outputs()-1
		parts := make([]float32, rows.Len()*4)
		if err := m.Attribute(t.Context(), rows, out, parts); err != nil {
			t.Fatal(err)
		}
		p := predict(t, m, rows)
		size := [4]float64{}
		base := 0.0
		for i := range rows.Len() {
			sum := 0.0
			for j, v := range parts[i*4:][:4] {
				sum += float64(v)
				size[j] += math.Abs(float64(v))
			}
			at := float64(p[i*m.Outputs()+out]) - sum
			if i == 0 {
				base = at
			}
			if math.Abs(at-base) > 1e-4*(1+math.Abs(base)) {
				t.Fatalf("%s: output of the means is %v by row 0 and %v by row %d", c.Loss, base, at, i)
			}
		}
		if size[3] > 0.4*size[0] || size[3] > 0.4*size[1] {
			t.Errorf("%s: parts of size %v", c.Loss, size)
		}
	}
}

// With one member, the output layer applied to the last hidden layer gives the predictions.
func TestHidden(t *testing.T) {
	d := numberData(600, 0)
	m := train(t, d, tabular.Config{Loss: tabular.Squared, MaxEpochs: 2, Units: 16})
	h := make([]float32, d.Valid.Len()*16)
	if err := m.Hidden(t.Context(), d.Valid, h); err != nil {
		t.Fatal(err)
	}
	head, bias := m.Params()[4].Value.Data(), m.Params()[5].Value.Data()
	for i, want := range predict(t, m, d.Valid) {
		z := float64(bias[0])
		for k, v := range h[i*16:][:16] {
			z += float64(v * head[k])
		}
		if got := m.Spec().Mean + m.Spec().Deviation*z; math.Abs(got-float64(want)) > 1e-3 {
			t.Fatalf("row %d: %v of the hidden layer, %v predicted", i, got, want)
		}
	}
}

// If all columns are constant, the model predicts the mean.
func TestConstantColumns(t *testing.T) {
	d := numberData(300, 0)
	clear(d.Static.X)
	clear(d.Valid.Static.X)
	m := train(t, d, tabular.Config{Loss: tabular.Squared, MaxEpochs: 20})
	if p := predict(t, m, d.Valid); math.Abs(float64(p[0])-m.Spec().Mean) > 1 {
		t.Errorf("prediction %v, mean %v", p[0], m.Spec().Mean)
	}
}

func TestCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	c := tabular.Config{Loss: tabular.CrossEntropy, Classes: 2, OnEpoch: func(tabular.Epoch) { cancel() }}
	if _, err := tabular.Train(ctx, drawData(), c); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
	m := train(t, drawData(), tabular.Config{Loss: tabular.CrossEntropy, Classes: 2, MaxEpochs: 1})
	if err := m.Predict(ctx, drawData().Valid, make([]float32, 400)); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v of Predict", err)
	}
}

func TestRefuses(t *testing.T) {
	nan := float32(math.NaN())
	classes := tabular.Config{Loss: tabular.CrossEntropy, Classes: 2}
	for _, c := range []struct {
		want   string
		change func(d *tabular.Data, c *tabular.Config)
	}{
		{`loss ""`, func(_ *tabular.Data, c *tabular.Config) { c.Loss = "" }},
		{"1 classes", func(_ *tabular.Data, c *tabular.Config) { c.Classes = 1 }},
		{"0 quantiles", func(_ *tabular.Data, c *tabular.Config) { c.Loss = tabular.Quantile }},
		{"quantile 1", func(_ *tabular.Data, c *tabular.Config) { c.Loss, c.Quantiles = tabular.Quantile, []float64{1} }},
		{"-1 members", func(_ *tabular.Data, c *tabular.Config) { c.Members = -1 }},
		{"hidden units", func(_ *tabular.Data, c *tabular.Config) { c.Units = 1 << 20 }},
		{"dropout 1", func(_ *tabular.Data, c *tabular.Config) { c.Dropout = 1 }},
		{"dropout NaN", func(_ *tabular.Data, c *tabular.Config) { c.Dropout = math.NaN() }},
		{"-5 steps", func(_ *tabular.Data, c *tabular.Config) { c.MaxSteps = -5 }},
		{"0 targets of 600 rows", func(_ *tabular.Data, c *tabular.Config) { c.Loss = tabular.Absolute }},
		{"class 2 of row 7", func(d *tabular.Data, _ *tabular.Config) { d.Targets.Classes[7] = 2 }},
		{"target NaN of row 1", func(d *tabular.Data, c *tabular.Config) {
			c.Loss, d.Targets.Numbers = tabular.Absolute, make([]float32, 600)
			d.Targets.Numbers[1] = nan
		}},
		{"weights of 600 rows", func(d *tabular.Data, _ *tabular.Config) { d.Targets.Weights = []float32{1} }},
		{"all weights are 0", func(d *tabular.Data, _ *tabular.Config) { d.Targets.Weights = make([]float32, 600) }},
		{"weight -1", func(d *tabular.Data, _ *tabular.Config) {
			d.Targets.Weights = slices.Repeat([]float32{-1}, 600)
		}},
		{"multiple of the 4 columns", func(d *tabular.Data, _ *tabular.Config) { d.Static.X = d.Static.X[1:] }},
		{"no columns", func(d *tabular.Data, _ *tabular.Config) { d.Static, d.Draws = tabular.Block{}, nil }},
		{"-1 columns", func(d *tabular.Data, _ *tabular.Config) { d.Static.Cols = -1 }},
		{"id 900 of row 1", func(d *tabular.Data, _ *tabular.Config) { d.Valid.Static.IDs = []int32{0, 900} }},
		{"599 of label columns", func(d *tabular.Data, _ *tabular.Config) { d.Draws[1] = table(599, 2) }},
		{"has 3, and the first has 2", func(d *tabular.Data, _ *tabular.Config) { d.Draws[1] = table(600, 3) }},
		{"validation rows have 4 static and 3 label columns", func(d *tabular.Data, _ *tabular.Config) { d.Valid.Labels = table(200, 3) }},
		{"rows an epoch", func(d *tabular.Data, _ *tabular.Config) { d.PerEpoch = -1 }},
		{"no rows", func(d *tabular.Data, _ *tabular.Config) {
			d.Valid.Static.IDs, d.Valid.Labels.IDs, d.ValidTargets.Classes = []int32{}, []int32{}, nil
		}},
	} {
		d, config := drawData(), classes
		c.change(&d, &config)
		if _, err := tabular.Train(t.Context(), d, config); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error %v", c.want, err)
		}
	}
	m := train(t, drawData(), tabular.Config{Loss: tabular.CrossEntropy, Classes: 2, MaxEpochs: 1})
	rows := drawData().Valid
	for _, err := range []error{
		m.Predict(t.Context(), rows, make([]float32, 3)),
		m.Predict(t.Context(), tabular.Rows{Static: rows.Static}, make([]float32, 400)),
		m.Hidden(t.Context(), rows, nil),
		m.Attribute(t.Context(), rows, 2, make([]float32, 6*200)),
	} {
		if err == nil {
			t.Error("no error")
		}
	}
}
