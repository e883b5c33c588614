package pool_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/ehgnn/ehgnn/internal/golden"
	"github.com/ehgnn/ehgnn/internal/rng"
	"github.com/ehgnn/ehgnn/nn/pool"
	"github.com/ehgnn/ehgnn/tensor"
)

// keepOf reads a case's ratio as the reference does, which takes 1 or more as a
// count.
func keepOf(c golden.Config) pool.Keep {
	if c["min_score"] != nil {
		s := c.Float("min_score", 0)
		return pool.Keep{MinScore: &s}
	}
	if r := c.Float("ratio", 0); r < 1 {
		return pool.Keep{Fraction: r}
	}
	return pool.Keep{Count: c.Int("ratio", 0)}
}

func TestCaseTopK(t *testing.T) {
	for _, c := range golden.Load(t, "layers/topk").Cases {
		t.Run(c.Name, func(t *testing.T) {
			c.Config.Only(t, "ratio", "ratio_is_int", "min_score")
			keep := keepOf(c.Config)
			if err := keep.Validate(); err != nil {
				t.Fatal(err)
			}
			if strings.HasPrefix(c.Name, "kept_count") {
				for i, n := range c.Value("n").Ints {
					if got, want := keep.Of(int(n)), int(c.Value("outputs.k_float32").Ints[i]); got != want {
						t.Errorf("%v of %d keeps %d, want %d", keep.Fraction, n, got, want)
					}
				}
				return
			}
			score, batch := c.Tensor("score").Data(), c.IDs("batch")
			of := tensor.MustIndex(batch, int(slices.Max(append(batch, 0)))+2) // with an empty sample last
			if c.ReferenceError != "" {
				// One item in the whole batch: the reference fails, here it is kept.
				if got := pool.TopK(score, of, keep); !slices.Equal(got, []int32{0}) {
					t.Errorf("kept %v, want the one item", got)
				}
				return
			}
			if got, want := pool.TopK(score, of, keep), c.IDs("outputs.perm"); !slices.Equal(got, want) {
				t.Errorf("kept %v, want %v", got, want)
			}
			if c.Name == "ratio_1.0" {
				// The reference reads the ratio 1.0 as the count 1 and keeps one element
				// per sample. Here a fraction of 1 keeps all, best first.
				all := pool.TopK(score, of, pool.Keep{Fraction: 1})
				if want := []int32{3, 4, 0, 1, 2, 6, 5, 8, 7}; !slices.Equal(all, want) {
					t.Errorf("a fraction of 1 kept %v, want %v", all, want)
				}
			}
		})
	}
}

func TestKeepValidate(t *testing.T) {
	zero := 0.0
	for _, c := range []struct {
		keep pool.Keep
		want string // empty: valid
	}{
		{pool.Keep{Fraction: 1}, ""},
		{pool.Keep{Fraction: 0.01}, ""},
		{pool.Keep{Count: 3}, ""},
		{pool.Keep{MinScore: &zero}, ""},
		{pool.Keep{}, "pool: keep: 0 of fraction, count and minimum score are set, expected one"},
		{pool.Keep{Fraction: 0.5, Count: 1}, "pool: keep: 2 of fraction, count and minimum score are set, expected one"},
		{pool.Keep{Fraction: 0.5, Count: 1, MinScore: &zero}, "pool: keep: 3 of fraction, count and minimum score are set, expected one"},
		{pool.Keep{Fraction: 1.5}, "pool: keep: fraction 1.5, expected above 0 and at most 1"},
		{pool.Keep{Fraction: -0.5}, "pool: keep: fraction -0.5, expected above 0 and at most 1"},
		{pool.Keep{Fraction: math.NaN()}, "pool: keep: fraction NaN, expected above 0 and at most 1"},
		{pool.Keep{Count: -2}, "pool: keep: count -2, expected at least 1"},
	} {
		err := c.keep.Validate()
		if c.want == "" && err != nil || c.want != "" && (err == nil || err.Error() != c.want) {
			t.Errorf("%+v: error %v, want %q", c.keep, err, c.want)
		}
	}
}

func TestKeepOf(t *testing.T) {
	for _, c := range []struct {
		keep    pool.Keep
		n, want int
	}{
		{pool.Keep{Fraction: 1}, 7, 7},
		{pool.Keep{Fraction: 1}, 1<<24 + 1, 1<<24 + 1}, // not a float32
		{pool.Keep{Fraction: 0.5}, 0, 0},
		{pool.Keep{Fraction: 1e-9}, 5, 1},
		{pool.Keep{Fraction: 0.999}, 3, 3},
		{pool.Keep{Fraction: 0.15}, 100, 16},
		{pool.Keep{Count: 3}, 2, 2},
		{pool.Keep{Count: 3}, 5, 3},
		{pool.Keep{Count: 3}, 0, 0},
	} {
		if got := c.keep.Of(c.n); got != c.want {
			t.Errorf("%+v of %d is %d, want %d", c.keep, c.n, got, c.want)
		}
	}
}

var nan, inf = float32(math.NaN()), float32(math.Inf(1))

// scores draws from few values, so that ties are common, and from the values
// that break comparisons.
func scores(r *rand.Rand, n int) []float32 {
	out := make([]float32, n)
	for i := range out {
		switch r.IntN(10) {
		case 0:
			out[i] = []float32{nan, inf, -inf, 0, float32(math.Copysign(0, -1))}[r.IntN(5)]
		case 1, 2:
			out[i] = r.Float32()
		default:
			out[i] = float32(r.IntN(4)) / 4
		}
	}
	return out
}

// TopK is a stable sort by falling score, NaN last, cut after k, sample by
// sample, whatever the order of the items in the batch.
func TestTopKAgainstStableSort(t *testing.T) {
	r := rng.Stream(1, "topk")
	for trial := range 500 {
		n, samples := r.IntN(60), 1+r.IntN(4)
		if trial%50 == 0 {
			n = 2000
		}
		score, ids := scores(r, n), make([]int32, n)
		for i := range ids {
			ids[i] = int32(r.IntN(samples))
		}
		if trial%2 == 0 {
			slices.Sort(ids)
		}
		keep := pool.Keep{Fraction: 1 - r.Float64()}
		if trial%3 == 0 {
			keep = pool.Keep{Count: 1 + r.IntN(20)}
		}
		before := slices.Clone(score)
		var want []int32
		for s := range samples {
			var items []int32
			for i, id := range ids {
				if int(id) == s {
					items = append(items, int32(i))
				}
			}
			slices.SortStableFunc(items, func(a, b int32) int { return falling(score[a], score[b]) })
			want = append(want, items[:keep.Of(len(items))]...)
		}
		got := pool.TopK(score, tensor.MustIndex(ids, samples), keep)
		if !slices.Equal(got, want) {
			t.Fatalf("trial %d: %+v of %v in %v kept %v, want %v", trial, keep, score, ids, got, want)
		}
		near(t, "scores afterwards", fromNaN(score), fromNaN(before), 0)
	}
}

func falling(x, y float32) int {
	switch {
	case x != x && y != y, x == y:
		return 0
	case x != x, x < y:
		return 1
	}
	return -1
}

func fromNaN(x []float32) []float32 {
	out := slices.Clone(x)
	for i, v := range out {
		if v-v != 0 {
			out[i] = 7
		}
	}
	return out
}

// Orders that make a careless selection quadratic: with 50,000 items that
// would take a minute.
func TestTopKOrders(t *testing.T) {
	const n = 50_000
	of := tensor.MustIndex(make([]int32, n), 1)
	for name, f := range map[string]func(i int) float32{
		"equal":     func(int) float32 { return 1 },
		"NaN":       func(int) float32 { return nan },
		"rising":    func(i int) float32 { return float32(i) },
		"falling":   func(i int) float32 { return float32(-i) },
		"organ":     func(i int) float32 { return float32(min(i, n-i)) },
		"two":       func(i int) float32 { return float32(i % 2) },
		"saw tooth": func(i int) float32 { return float32(i % 1000) },
	} {
		score := make([]float32, n)
		for i := range score {
			score[i] = f(i)
		}
		got := pool.TopK(score, of, pool.Keep{Count: n / 2})
		if len(got) != n/2 || !slices.IsSortedFunc(got, func(a, b int32) int {
			return cmpOr(falling(score[a], score[b]), int(a)-int(b))
		}) {
			t.Errorf("%s: %d items or a wrong order", name, len(got))
		}
	}
}

func cmpOr(a, b int) int {
	if a != 0 {
		return a
	}
	return b
}

// At least the best of each sample passes, also where subtracting the
// reference's 1e-7 is lost in rounding, and NaN never hides the others.
func TestTopKMinScore(t *testing.T) {
	for _, c := range []struct {
		name  string
		score []float32
		min   float64
		want  []int32
	}{
		{"above", []float32{0.1, 0.9, 0.5, 0.6}, 0.5, []int32{1, 3}},
		{"none above", []float32{0.1, 0.4, 0.2}, 0.5, []int32{1}},
		{"tied best", []float32{0.4, 0.1, 0.4}, 0.5, []int32{0, 2}},
		{"large scores", []float32{50, 100, 100}, 200, []int32{1, 2}},
		{"NaN among others", []float32{nan, 0.4, 0.9}, 0.5, []int32{2}},
		{"only NaN", []float32{nan, nan}, 0.5, []int32{0}},
		{"minus infinity", []float32{-inf, -inf}, 0, []int32{0, 1}},
		{"infinity", []float32{inf, 1}, 2, []int32{0}},
		{"nothing", nil, 0.5, nil},
	} {
		of := tensor.MustIndex(make([]int32, len(c.score)), 1)
		if got := pool.TopK(c.score, of, pool.Keep{MinScore: &c.min}); !slices.Equal(got, c.want) {
			t.Errorf("%s: kept %v, want %v", c.name, got, c.want)
		}
	}
}

// What a sample keeps does not depend on its batch.
func TestTopKBatchIndependence(t *testing.T) {
	r := rng.Stream(2, "batch")
	half := 0.5
	for _, keep := range []pool.Keep{{Fraction: 0.4}, {Count: 3}, {MinScore: &half}} {
		var score []float32
		var ids, want []int32
		for s, n := range []int{0, 5, 1, 0, 9, 30, 0} {
			own := scores(r, n)
			for _, i := range pool.TopK(own, tensor.MustIndex(make([]int32, n), 1), keep) {
				want = append(want, int32(len(score))+i)
			}
			score = append(score, own...)
			for range n {
				ids = append(ids, int32(s))
			}
		}
		if got := pool.TopK(score, tensor.MustIndex(ids, 7), keep); !slices.Equal(got, want) {
			t.Errorf("%+v: kept %v, want %v", keep, got, want)
		}
	}
}
