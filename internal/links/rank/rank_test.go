package rank

import (
	"encoding/json"
	"errors"
	"maps"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"testing"
)

func near(a, b float64) bool { return math.Abs(a-b) <= 1e-12 }

func mean(values []float64) float64 {
	sum := 0.0
	for _, v := range values {
		sum += v
	}
	return sum / float64(len(values))
}

type fixture struct {
	Shared struct {
		Positives, Negatives, Ranks []float64
		MRR                         float64
		Hits                        map[string]float64
		AUC                         float64 `json:"roc_auc"`
		AP                          float64 `json:"average_precision"`
	} `json:"shared_negatives"`
	Per struct {
		Positives, Ranks []float64
		Negatives        [][]float64
		MRR              float64
		Hits             map[string]float64
	} `json:"per_positive"`
	Recommendation struct {
		K     int
		Lists []struct {
			User      string
			Top, Held []string
		}
		Means     map[string]float64
		Catalogue map[string]int
		Coverage  float64
		Mean      float64 `json:"mean_popularity"`
		Gini      float64
	}
}

func TestFixture(t *testing.T) {
	text, err := os.ReadFile("../testdata/metrics.json")
	if err != nil {
		t.Fatal(err)
	}
	var f fixture
	if err := json.Unmarshal(text, &f); err != nil {
		t.Fatal(err)
	}
	t.Run("shared", func(t *testing.T) { f.shared(t) })
	t.Run("per positive", func(t *testing.T) { f.perPositive(t) })
	var raw struct {
		Recommendation struct{ Lists []map[string]any }
	}
	if err := json.Unmarshal(text, &raw); err != nil {
		t.Fatal(err)
	}
	t.Run("lists", func(t *testing.T) { f.lists(t, raw.Recommendation.Lists) })
}

func (f *fixture) shared(t *testing.T) {
	s := f.Shared
	var ranks []float64
	for _, p := range s.Positives {
		r, err := Of(p, s.Negatives)
		if err != nil {
			t.Fatal(err)
		}
		ranks = append(ranks, r)
	}
	if !slices.Equal(ranks, s.Ranks) || !near(Reciprocal(ranks), s.MRR) {
		t.Errorf("ranks %v, MRR %v, want %v, %v", ranks, Reciprocal(ranks), s.Ranks, s.MRR)
	}
	for text, want := range s.Hits {
		k, _ := strconv.Atoi(text)
		got := SharedHits(s.Positives, s.Negatives, k)
		if (got != nil) != (k <= len(s.Negatives)) || got != nil && !near(mean(got), want) {
			t.Errorf("hits@%d are %v, want %v on average", k, got, want)
		}
	}
	if got := ROCAUC(s.Positives, s.Negatives); !near(got, s.AUC) {
		t.Errorf("ROC-AUC is %v, want %v", got, s.AUC)
	}
	if got := AveragePrecision(s.Positives, s.Negatives); !near(got, s.AP) {
		t.Errorf("AP is %v, want %v", got, s.AP)
	}
}

func (f *fixture) perPositive(t *testing.T) {
	var ranks []float64
	for i, p := range f.Per.Positives {
		r, err := Of(p, f.Per.Negatives[i])
		if err != nil {
			t.Fatal(err)
		}
		ranks = append(ranks, r)
	}
	if !slices.Equal(ranks, f.Per.Ranks) || !near(Reciprocal(ranks), f.Per.MRR) {
		t.Errorf("ranks %v, MRR %v, want %v, %v", ranks, Reciprocal(ranks), f.Per.Ranks, f.Per.MRR)
	}
	for text, want := range f.Per.Hits {
		k, _ := strconv.Atoi(text)
		if got := mean(Hits(ranks, k)); !near(got, want) {
			t.Errorf("hits@%d is %v, want %v", k, got, want)
		}
	}
}

func (f *fixture) lists(t *testing.T, raw []map[string]any) {
	r := f.Recommendation
	times := map[string]float64{}
	popularity, recommended, sums := 0.0, 0, map[string]float64{}
	for i, l := range r.Lists {
		got := ListOf(l.Top, l.Held, r.K)
		for name, v := range map[string]float64{"recall@5": got.Recall, "precision@5": got.Precision, "ndcg@5": got.NDCG, "mrr@5": got.MRR, "map@5": got.MAP, "hit@5": got.Hit} {
			if want := raw[i][name].(float64); !near(v, want) {
				t.Errorf("%s: %s is %v, want %v", l.User, name, v, want)
			}
			sums[name] += v / float64(len(r.Lists))
		}
		for _, item := range l.Top {
			times[item]++
			popularity += float64(r.Catalogue[item])
			recommended++
		}
	}
	for name, want := range r.Means {
		if !near(sums[name], want) {
			t.Errorf("mean %s is %v, want %v", name, sums[name], want)
		}
	}
	var counts []float64
	for item := range maps.Keys(r.Catalogue) {
		counts = append(counts, times[item])
	}
	if got := Gini(counts); !near(got, r.Gini) {
		t.Errorf("Gini is %v, want %v", got, r.Gini)
	}
	if got := popularity / float64(recommended); !near(got, r.Mean) {
		t.Errorf("mean popularity is %v, want %v", got, r.Mean)
	}
	if got := float64(len(times)) / float64(len(r.Catalogue)); !near(got, r.Coverage) {
		t.Errorf("coverage is %v, want %v", got, r.Coverage)
	}
}

func TestNaNIsAnError(t *testing.T) {
	for _, c := range []struct {
		positive  float64
		negatives []float64
	}{{math.NaN(), []float64{1}}, {1, []float64{0, math.NaN()}}} {
		if _, err := Of(c.positive, c.negatives); !errors.Is(err, ErrNaN) {
			t.Errorf("rank of %v among %v: error %v", c.positive, c.negatives, err)
		}
	}
}

func TestVerdict(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	var ends [][2]int32
	var low, high, noise []float64
	for i := range 400 {
		ends = append(ends, [2]int32{int32(i % 80), int32(i % 37)})
		x := r.Float64()
		low, high, noise = append(low, x), append(high, x+0.1), append(noise, x+r.NormFloat64())
	}
	for _, both := range []bool{false, true} {
		b := NewBootstrap(ends, both, rand.New(rand.NewPCG(3, 4)))
		for _, c := range []struct {
			a, b []float64
			want string
		}{{high, low, "ahead of"}, {low, high, "behind"}, {noise, low, "level with"}, {low, low, "level with"}} {
			if got, d := b.Verdict(c.a, c.b); got != c.want {
				t.Errorf("both %v: %s (%+v), want %s", both, got, d, c.want)
			}
		}
		m := b.Mean(low)
		if !(m.Low < m.Mean && m.Mean < m.High) {
			t.Errorf("interval %+v does not hold its mean", m)
		}
	}
}
