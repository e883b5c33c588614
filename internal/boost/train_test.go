package boost_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/ehgnn/ehgnn/internal/boost"
	"github.com/ehgnn/ehgnn/internal/rng"
)

// The model is the same to the bit for any number of threads, and differs for another seed.
func TestDeterminism(t *testing.T) {
	rounds, counts := 4, []int{1, 2, 3, 7, 1}
	if testing.Short() {
		rounds, counts = 2, []int{1, 3}
	}
	for _, c := range []boost.Config{
		{Objective: boost.LogLoss},
		{Objective: boost.Softmax, Classes: 3},
		{Objective: boost.Absolute},
		{Objective: boost.Squared},
	} {
		t.Run(fmt.Sprint(c.Objective), func(t *testing.T) {
			d, held := newTable(1, 70_000, 17), newTable(2, 3000, 17)
			d.x.Categorical = make([]bool, 17)
			d.x.Categorical[16] = true
			for i := 16; i < len(d.x.Blocks[0]); i += 17 {
				d.x.Blocks[0][i] = float32(i / 17 % 40)
			}
			y, heldY := d.classes(max(c.Classes, 2)), held.classes(max(c.Classes, 2))
			c.Rounds, c.RowShare, c.ColumnShare, c.Seed = rounds, .8, .8, 7
			var first map[string][]float32
			for _, threads := range counts {
				c.Threads = threads
				got := train(t, d.x, y, nil, &boost.Eval{X: held.x, Y: heldY}, c).Arrays()
				if first == nil {
					first = got
				}
				if !reflect.DeepEqual(got, first) {
					t.Errorf("%d threads: another model than with one", threads)
				}
			}
			c.Seed = 8
			if reflect.DeepEqual(train(t, d.x, y, nil, nil, c).Arrays(), first) {
				t.Error("another seed gives the same model")
			}
		})
	}
}

// Training stops when the validation loss has not decreased for some rounds, and keeps the
// rounds up to the best.
func TestEarlyStopping(t *testing.T) {
	d, held := newTable(1, 400, 4), newTable(2, 400, 4)
	heldY := held.classes(2)
	var losses []float64
	c := boost.Config{Rate: .3, Patience: 7, OnRound: func(round int, loss float64) {
		losses = append(losses, loss)
		if round != len(losses) {
			t.Errorf("round %d is reported after %d others", round, len(losses)-1)
		}
	}}
	m := train(t, d.x, d.classes(2), nil, &boost.Eval{X: held.x, Y: heldY}, c)
	least := slices.Min(losses)
	best := slices.Index(losses, least) + 1
	if m.Rounds() != best || len(losses) != best+7 {
		t.Errorf("%d rounds of %d are kept, the best was %d", m.Rounds(), len(losses), best)
	}
	sum := 0.0
	for i, z := range predict(t, m, held.x) {
		sum += math.Log1p(math.Exp(float64(z) * float64(1-2*heldY[i])))
	}
	if got := sum / float64(len(heldY)); math.Abs(got-least) > 1e-6 {
		t.Errorf("the model that is kept has the loss %v, expected %v", got, least)
	}
}

// Stop gets the losses of the validation rows, whose mean is the validation loss, and ends the training.
func TestStop(t *testing.T) {
	d, held := newTable(1, 400, 4), newTable(2, 400, 4)
	for name, c := range map[string]struct {
		boost.Config
		classes int
	}{"log loss": {boost.Config{}, 2}, "softmax": {boost.Config{Objective: boost.Softmax, Classes: 3}, 3}, "absolute": {boost.Config{Objective: boost.Absolute}, 3}} {
		last := 0.0
		c.OnRound = func(_ int, loss float64) { last = loss }
		c.Stop = func(round int, losses func() []float32) bool {
			mean := 0.0
			for _, v := range losses() {
				mean += float64(v) / 400
			}
			if math.Abs(mean-last) > 1e-5 {
				t.Errorf("%s, round %d: the mean of the losses is %v, the loss %v", name, round, mean, last)
			}
			return round == 5
		}
		m := train(t, d.x, d.classes(c.classes), nil, &boost.Eval{X: held.x, Y: held.classes(c.classes)}, c.Config)
		if m.Rounds() != 5 {
			t.Errorf("%s: %d rounds, want 5", name, m.Rounds())
		}
	}
}

// With many classes each round lowers the validation loss, the first as well: a Newton step of a rare class is bounded.
func TestManyClasses(t *testing.T) {
	const classes = 25
	draw := func(seed uint64) (*boost.Matrix, []float32, float64) {
		d := newTable(seed, 3000, 4)
		y := make([]float32, 3000)
		var count [classes]float64
		for i := range y {
			k := min(int(d.r.ExpFloat64()*4), classes-1) // the last classes are rare
			y[i] = float32(k)
			count[k]++
			d.x.Blocks[0][4*i] = float32(k) + 0.3*float32(d.r.NormFloat64())
		}
		entropy := 0.0
		for _, n := range count {
			if n > 0 {
				entropy -= n / 3000 * math.Log(n/3000)
			}
		}
		return d.x, y, entropy
	}
	x, y, _ := draw(1)
	held, heldY, before := draw(2)
	c := boost.Config{Objective: boost.Softmax, Classes: classes, Rate: .1, Rounds: 30, OnRound: func(round int, loss float64) {
		if loss >= before+0.01 {
			t.Errorf("round %d: loss %.4f after %.4f", round, loss, before)
		}
		before = loss
	}}
	train(t, x, y, nil, &boost.Eval{X: held, Y: heldY}, c)
	if before > 1 {
		t.Errorf("the loss after 30 rounds is %.4f, want at most 1", before)
	}
}

// Labels that do not depend on the columns are predicted no better than by chance.
func TestShuffledLabels(t *testing.T) {
	shuffled := func(d table) []float32 {
		y := d.classes(2)
		d.r.Shuffle(len(y), func(i, j int) { y[i], y[j] = y[j], y[i] })
		return y
	}
	d, valid, test := newTable(1, 3000, 8), newTable(2, 3000, 8), newTable(3, 3000, 8)
	m := train(t, d.x, shuffled(d), nil, &boost.Eval{X: valid.x, Y: shuffled(valid)}, boost.Config{Patience: 20})
	y := shuffled(test)
	right := 0
	for i, z := range predict(t, m, test.x) {
		if (z > 0) == (y[i] == 1) {
			right++
		}
	}
	if share := float64(right) / 3000; math.Abs(share-.5) > .03 {
		t.Errorf("%.3f of held-out labels are right", share)
	}
}

// A row of weight 3 counts as three rows, and a row of weight 0 does not count.
func TestWeights(t *testing.T) {
	for _, c := range []boost.Config{
		{Objective: boost.LogLoss}, {Objective: boost.Softmax, Classes: 3}, {Objective: boost.Squared},
		{Objective: boost.Huber}, {Objective: boost.Absolute}, {Objective: boost.Quantile, Level: .8},
	} {
		t.Run(fmt.Sprint(c.Objective), func(t *testing.T) {
			d := newTable(1, 200, 4)
			y := d.numbers()
			if c.Objective <= boost.Softmax {
				y = d.classes(max(2, c.Classes))
			}
			repeated := &boost.Matrix{Columns: 4}
			var repeatedY []float32
			w := make([]float32, 200)
			for i := range w {
				w[i] = float32(i % 4)
				for range i % 4 {
					repeated.Blocks = append(repeated.Blocks, d.x.Blocks[0][4*i:4*i+4])
					repeatedY = append(repeatedY, y[i])
				}
			}
			c.Rounds, c.Leaves, c.MinRows, c.L2, c.Rate = 10, 4, 1, 1, .2
			weighted := predict(t, train(t, d.x, y, w, nil, c), d.x)
			again := predict(t, train(t, repeated, repeatedY, nil, nil, c), d.x)
			plain := predict(t, train(t, d.x, y, nil, nil, c), d.x)
			near, far := distance(weighted, again), distance(weighted, plain)
			if near > .02 || far < 5*near {
				t.Errorf("mean distance %.4f to repeated rows, %.4f to rows without weights", near, far)
			}
		})
	}
}

func distance(a, b []float32) float64 {
	sum := 0.0
	for i := range a {
		sum += math.Abs(float64(a[i] - b[i]))
	}
	return sum / float64(len(a))
}

// A table divided into blocks of rows gives the same model, wherever it is divided.
func TestBlocks(t *testing.T) {
	d := newTable(1, 5000, 5)
	y := d.classes(2)
	cut := &boost.Matrix{Columns: 5}
	for b := range slices.Chunk(d.x.Blocks[0], 5*777) {
		cut.Blocks = append(cut.Blocks, b)
	}
	c := boost.Config{Rounds: 5}
	a, b := train(t, d.x, y, nil, nil, c), train(t, cut, y, nil, nil, c)
	if !reflect.DeepEqual(a.Arrays(), b.Arrays()) {
		t.Error("the model of blocks differs")
	}
	if !slices.Equal(predict(t, a, d.x), predict(t, a, cut)) {
		t.Error("the predictions of blocks differ")
	}
}

func TestErrors(t *testing.T) {
	good := func() (*boost.Matrix, []float32, *boost.Eval, boost.Config) {
		x := &boost.Matrix{Columns: 2, Blocks: [][]float32{make([]float32, 8)}}
		return x, []float32{0, 1, 0, 1}, &boost.Eval{X: x, Y: []float32{0, 1, 0, 1}}, boost.Config{Rounds: 2}
	}
	nan, inf := float32(math.NaN()), float32(math.Inf(1))
	for _, test := range []struct {
		name, want string
		change     func(x *boost.Matrix, y *[]float32, w *[]float32, v *boost.Eval, c *boost.Config)
	}{
		{"no rows", "no rows", func(x *boost.Matrix, y, w *[]float32, v *boost.Eval, c *boost.Config) { x.Blocks = nil }},
		{"no columns", "0 columns", func(x *boost.Matrix, y, w *[]float32, v *boost.Eval, c *boost.Config) { x.Columns = 0 }},
		{"part of a row", "multiple", func(x *boost.Matrix, y, w *[]float32, v *boost.Eval, c *boost.Config) { x.Columns = 3 }},
		{"marks", "marks", func(x *boost.Matrix, y, w *[]float32, v *boost.Eval, c *boost.Config) { x.Categorical = []bool{true} }},
		{"few labels", "3 labels", func(x *boost.Matrix, y, w *[]float32, v *boost.Eval, c *boost.Config) { *y = (*y)[:3] }},
		{"missing label", "NaN", func(x *boost.Matrix, y, w *[]float32, v *boost.Eval, c *boost.Config) { (*y)[2] = nan }},
		{"class 2", "0 to 1", func(x *boost.Matrix, y, w *[]float32, v *boost.Eval, c *boost.Config) { (*y)[2] = 2 }},
		{"class -1", "0 to 2", func(x *boost.Matrix, y, w *[]float32, v *boost.Eval, c *boost.Config) {
			(*y)[2], c.Objective, c.Classes = -1, boost.Softmax, 3
		}},
		{"half a class", "0.5", func(x *boost.Matrix, y, w *[]float32, v *boost.Eval, c *boost.Config) { (*y)[2] = .5 }},
		{"infinite number", "finite", func(x *boost.Matrix, y, w *[]float32, v *boost.Eval, c *boost.Config) {
			(*y)[2], c.Objective = inf, boost.Squared
		}},
		{"one class", "classes", func(x *boost.Matrix, y, w *[]float32, v *boost.Eval, c *boost.Config) {
			c.Objective, c.Classes = boost.Softmax, 1
		}},
		{"few weights", "1 weights", func(x *boost.Matrix, y, w *[]float32, v *boost.Eval, c *boost.Config) { *w = []float32{1} }},
		{"negative weight", "weight", func(x *boost.Matrix, y, w *[]float32, v *boost.Eval, c *boost.Config) { *w = []float32{1, 1, -1, 1} }},
		{"weights of 0", "weights are 0", func(x *boost.Matrix, y, w *[]float32, v *boost.Eval, c *boost.Config) { *w = make([]float32, 4) }},
		{"validation width", "validation: 1 columns", func(x *boost.Matrix, y, w *[]float32, v *boost.Eval, c *boost.Config) {
			v.X = &boost.Matrix{Columns: 1, Blocks: [][]float32{{1, 2, 3, 4}}}
		}},
		{"validation label", "validation: row 1", func(x *boost.Matrix, y, w *[]float32, v *boost.Eval, c *boost.Config) { v.Y = []float32{0, 7, 0, 0} }},
		{"no validation matrix", "no matrix", func(x *boost.Matrix, y, w *[]float32, v *boost.Eval, c *boost.Config) { v.X = nil }},
		{"rounds", "rounds -1", func(x *boost.Matrix, y, w *[]float32, v *boost.Eval, c *boost.Config) { c.Rounds = -1 }},
		{"share", "share of rows NaN", func(x *boost.Matrix, y, w *[]float32, v *boost.Eval, c *boost.Config) { c.RowShare = math.NaN() }},
		{"bins", "bins 256", func(x *boost.Matrix, y, w *[]float32, v *boost.Eval, c *boost.Config) { c.Bins = 256 }},
		{"objective", "objective", func(x *boost.Matrix, y, w *[]float32, v *boost.Eval, c *boost.Config) { c.Objective = 9 }},
	} {
		t.Run(test.name, func(t *testing.T) {
			x, y, v, c := good()
			var w []float32
			test.change(x, &y, &w, v, &c)
			m, err := boost.Train(t.Context(), x, y, w, v, c)
			if m != nil || err == nil || !strings.Contains(err.Error(), test.want) || !strings.HasPrefix(err.Error(), "boost: ") {
				t.Errorf("error %v, expected %q in it", err, test.want)
			}
		})
	}
	x, y, v, c := good()
	if m := train(t, x, y, nil, v, c); m.Rounds() != 0 || predict(t, m, x)[0] != 0 {
		t.Error("a constant column is split")
	}
}

// Training stops between two rounds when the context is cancelled.
func TestCancel(t *testing.T) {
	d := newTable(1, 500, 4)
	ctx, cancel := context.WithCancel(t.Context())
	rounds := 0
	_, err := boost.Train(ctx, d.x, d.classes(2), nil, nil, boost.Config{OnRound: func(round int, loss float64) {
		if rounds = round; round == 3 {
			cancel()
		}
	}})
	if !errors.Is(err, context.Canceled) || rounds != 3 {
		t.Errorf("%d rounds, error %v", rounds, err)
	}
}

// Too few rows for two leaves give the constant model, also when half of the rows are drawn.
func TestFewRows(t *testing.T) {
	for _, rows := range []int{1, 2, 30} {
		x := &boost.Matrix{Columns: 1, Blocks: [][]float32{make([]float32, rows)}}
		y := make([]float32, rows)
		r := rng.Stream(1, "few")
		for i := range y {
			x.Blocks[0][i], y[i] = r.Float32(), 3
		}
		m := train(t, x, y, nil, nil, boost.Config{Objective: boost.Squared, RowShare: .5, Rounds: 300, Patience: 5})
		if got := predict(t, m, x); got[0] != 3 {
			t.Errorf("%d rows: %v, expected 3", rows, got[0])
		}
	}
}
