package session

import (
	"fmt"
	"math"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/ehgnn/ehgnn/graph"
	"github.com/ehgnn/ehgnn/internal/auto"
	"github.com/ehgnn/ehgnn/internal/settings"
	"github.com/ehgnn/ehgnn/internal/source"
	"github.com/ehgnn/ehgnn/internal/task"
	"github.com/ehgnn/ehgnn/internal/testsets"
	"github.com/ehgnn/ehgnn/model"
)

// noiseTable is a multigraph with labels that depend on nothing: classes or numbers. Two of three edges are
// parallel to the previous edge or its reverse.
func noiseTable(t *testing.T, seed uint64) string {
	t.Helper()
	r := rand.New(rand.NewPCG(seed, 9))
	var text strings.Builder
	text.WriteString("source,target,weight,time,group,part,class,number\n")
	u, v := 0, 0
	for e := range 1800 {
		switch r.IntN(3) {
		case 0:
			u, v = r.IntN(60), r.IntN(60)
		case 1:
			u, v = v, u
		}
		fmt.Fprintf(&text, "%d,%d,%.3f,%d,%d,%s,%s,%g\n", u, v, r.NormFloat64(), e/3, r.IntN(60), []string{"train", "train", "train", "valid", "test"}[r.IntN(5)],
			[]string{"x", "y"}[r.IntN(2)], r.NormFloat64())
	}
	return testsets.EdgeFolder(t, "edges.csv", text.String())
}

// Every learner and their mean predict random labels at chance, after every split. No learner has seen the test
// part. So for given predictions the score has the distribution of labels in random order, and its standard error is
// known.
func TestAutoLearnersChance(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds")
	}
	seeds := uint64(3)
	splits := map[string]settings.Values{"random": {}, "time": {"split": settings.SplitTime}, "column": {"part": "part"}, "pairs": {"pairs": true},
		"folds": {"split": settings.SplitFolds, "folds": 5}, "group": {"split": settings.SplitGroup}}
	if testing.Short() {
		seeds = 1
		splits = map[string]settings.Values{"time": splits["time"]}
	}
	for name, split := range splits {
		for _, label := range []string{"class", "number"} {
			t.Run(name+", "+label, func(t *testing.T) {
				z := map[string]float64{} // sums of scores in standard errors
				for seed := range seeds {
					for learner, score := range chanceScores(t, label, seed, split) {
						z[learner] += score / math.Sqrt(float64(seeds))
					}
				}
				if len(z) < 4 {
					t.Fatalf("learners %v, expected a linear model, trees, a network and their mean", z)
				}
				if t.Logf("%v", z); slices.ContainsFunc(values(z), func(x float64) bool { return math.Abs(x) > 3 }) {
					t.Errorf("scores on labels that are drawn at random, in standard errors from chance: %v", z)
				}
			})
		}
	}
}

func values(m map[string]float64) []float64 {
	var out []float64
	for _, v := range m {
		out = append(out, v)
	}
	return out
}

// chanceScores returns, for each learner and for the run, the distance of its predictions from chance in standard errors.
func chanceScores(t *testing.T, label string, seed uint64, split settings.Values) map[string]float64 {
	t.Helper()
	of, other := task.EdgeClassification.Name, "number"
	if label == "number" {
		of, other = task.EdgeRegression.Name, "class"
	}
	given := settings.Values{"label": label, "ignore": []string{other}, "time": "time", "quality": model.QualityFast}.Over(split)
	s := mustOpen(t, Request{Path: noiseTable(t, seed), Model: model.AutoName, Task: of, Seed: seed, Given: given})
	dir := t.TempDir()
	var names []string
	fitted := *s
	if _, err := fitted.fitAuto(t.Context(), dir, func(e auto.Entry) { names = append(names, e.Learner+" "+e.Columns) }); err != nil {
		t.Fatal(err)
	}
	kept, err := openKept(filepath.Join(dir, keptFolder), s.Settings.Identity())
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]float64{"mean": chanceScore(t, &fitted)}
	for _, name := range names {
		trained, ok := kept.Load(name)
		if !ok {
			continue // the constant, or the mean of the learners
		}
		trained.Learner.Weight = 1
		alone := *s
		alone.Settings.Model.Auto().Learners = []model.Learner{trained.Learner}
		if alone.Model, err = alone.Spec.New(alone.Settings.Model); err != nil {
			t.Fatal(err)
		}
		if err := alone.Model.(*model.Auto).Fill([]map[string][]float32{trained.Arrays}); err != nil {
			t.Fatal(err)
		}
		out[name] = chanceScore(t, &alone)
	}
	return out
}

// chanceScore compares the predictions of the test part with the labels: by ranks for two classes (Wilcoxon) and by
// correlation for numbers. The result is in standard errors of labels in random order.
func chanceScore(t *testing.T, s *Session) float64 {
	t.Helper()
	var x, y []float64
	err := s.Each(t.Context(), s.Parts[source.PartTest], func(o *model.Output, b *graph.Batch, _ int) error {
		k := o.Edge.Dim(1)
		for _, e := range model.Labelled(b) {
			row := o.Edge.Data()[int(e)*k:][:k]
			if k == 2 {
				x, y = append(x, float64(row[1]-row[0])), append(y, float64(b.EdgeLabels[e]))
			} else {
				x, y = append(x, float64(row[0])), append(y, float64(b.EdgeTargets.Data()[e]))
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if !s.Task.Number {
		x = ranks(x)
	}
	return correlation(x, y) * math.Sqrt(float64(len(x)-1))
}

// ranks returns the ranks of numbers. Equal numbers have their mean rank.
func ranks(x []float64) []float64 {
	out := make([]float64, len(x))
	for i, a := range x {
		for _, b := range x {
			if b < a {
				out[i]++
			} else if b == a {
				out[i] += 0.5
			}
		}
	}
	return out
}

// correlation returns 0 if one of the lists is constant.
func correlation(x, y []float64) float64 {
	mean := func(v []float64) (m float64) {
		for _, a := range v {
			m += a / float64(len(v))
		}
		return m
	}
	mx, my := mean(x), mean(y)
	var xy, xx, yy float64
	for i := range x {
		xy += (x[i] - mx) * (y[i] - my)
		xx += (x[i] - mx) * (x[i] - mx)
		yy += (y[i] - my) * (y[i] - my)
	}
	if xx*yy == 0 {
		return 0
	}
	return xy / math.Sqrt(xx*yy)
}
