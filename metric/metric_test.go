package metric_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/ehgnn/ehgnn/metric"
)

// numbers are float32 with null for NaN.
type numbers []float32

func (n *numbers) UnmarshalJSON(text []byte) error {
	var raw []*float32
	if err := json.Unmarshal(text, &raw); err != nil {
		return err
	}
	for _, v := range raw {
		if v == nil {
			*n = append(*n, nan)
		} else {
			*n = append(*n, *v)
		}
	}
	return nil
}

var nan = float32(math.NaN())

// sklearn is testdata/sklearn.json, which make_sklearn.py writes.
type sklearn struct {
	Ranking []struct {
		Name             string
		Score, Target    numbers
		ROCAUC           float64 `json:"roc_auc"`
		AveragePrecision float64 `json:"average_precision"`
	}
	Classes []struct {
		Name                  string
		Classes               int
		Label, Predicted      []int32
		Accuracy              float64
		Balanced              float64    `json:"balanced_accuracy"`
		MacroF1               float64    `json:"macro_f1"`
		Precision, Recall, F1 []*float64 // nil for a class that does not occur
	}
	Regression []struct {
		Name               string
		Prediction, Target numbers
		MAE, RMSE, R2      float64
	}
	Multitask []struct {
		Name             string
		Tasks, Counted   int
		Score, Target    numbers
		ROCAUC           float64 `json:"roc_auc"`
		AveragePrecision float64 `json:"average_precision"`
	}
}

func load(t *testing.T) (s sklearn) {
	t.Helper()
	text, err := os.ReadFile("testdata/sklearn.json")
	if err == nil {
		err = json.Unmarshal(text, &s)
	}
	if err != nil {
		t.Fatal(err)
	}
	if len(s.Ranking) == 0 || len(s.Classes) == 0 || len(s.Regression) == 0 || len(s.Multitask) == 0 {
		t.Fatal("sklearn.json lacks a table")
	}
	return s
}

// equal compares a result with scikit-learn's. Both sum in float64 in an order of
// their own: a few units in the last place.
func equal(t *testing.T, what string, got float64, err error, want float64) {
	t.Helper()
	if err != nil {
		t.Errorf("%s: %v", what, err)
	} else if !(math.Abs(got-want) <= 1e-13*max(1, math.Abs(want))) {
		t.Errorf("%s is %v, want %v", what, got, want)
	}
}

func TestAgainstScikitLearn(t *testing.T) {
	s := load(t)
	for _, c := range s.Ranking {
		t.Run("ranking/"+c.Name, func(t *testing.T) {
			got, err := metric.ROCAUC(c.Score, c.Target)
			equal(t, "ROC-AUC", got, err, c.ROCAUC)
			got, err = metric.AveragePrecision(c.Score, c.Target)
			equal(t, "average precision", got, err, c.AveragePrecision)
		})
	}
	for _, c := range s.Classes {
		t.Run("classes/"+c.Name, func(t *testing.T) {
			m, err := metric.NewConfusion(c.Predicted, c.Label, c.Classes)
			if err != nil {
				t.Fatal(err)
			}
			got, err := m.Accuracy()
			equal(t, "accuracy", got, err, c.Accuracy)
			got, err = m.BalancedAccuracy()
			equal(t, "balanced accuracy", got, err, c.Balanced)
			got, err = m.MacroF1()
			equal(t, "macro F1", got, err, c.MacroF1)
			for _, f := range []struct {
				name string
				of   func(int) (float64, error)
				want []*float64
			}{{"precision", m.Precision, c.Precision}, {"recall", m.Recall, c.Recall}, {"F1", m.F1, c.F1}} {
				for k, want := range f.want {
					got, err := f.of(k)
					if want != nil {
						equal(t, fmt.Sprintf("%s of class %d", f.name, k), got, err, *want)
					} else if !errors.Is(err, metric.ErrUndefined) {
						t.Errorf("%s of class %d, which does not occur: %v, %v", f.name, k, got, err)
					}
				}
			}
		})
	}
	for _, c := range s.Regression {
		t.Run("regression/"+c.Name, func(t *testing.T) {
			got, err := metric.MAE(c.Prediction, c.Target)
			equal(t, "MAE", got, err, c.MAE)
			got, err = metric.RMSE(c.Prediction, c.Target)
			equal(t, "RMSE", got, err, c.RMSE)
			got, err = metric.R2(c.Prediction, c.Target)
			equal(t, "R2", got, err, c.R2)
		})
	}
	for _, c := range s.Multitask {
		t.Run("multitask/"+c.Name, func(t *testing.T) {
			for name, f := range map[string]struct {
				of   func(score, target []float32) (float64, error)
				want float64
			}{"ROC-AUC": {metric.ROCAUC, c.ROCAUC}, "average precision": {metric.AveragePrecision, c.AveragePrecision}} {
				got, counted, err := metric.OverTasks(c.Score, c.Target, c.Tasks, f.of)
				equal(t, name, got, err, f.want)
				if counted != c.Counted {
					t.Errorf("%s: %d tasks count, want %d", name, counted, c.Counted)
				}
			}
		})
	}
}

// scored is a random binary task with ties, missing targets and both classes.
func scored(r *rand.Rand, n int) (score, target []float32) {
	for i := range n {
		score = append(score, float32(r.IntN(9)-4))
		switch {
		case i < 2:
			target = append(target, float32(i))
		case r.IntN(4) == 0:
			target = append(target, nan)
		default:
			target = append(target, float32(r.IntN(2)))
		}
	}
	return score, target
}

// What only reads the order of scores does not change when they are mapped by a
// rising function, nor when the samples are listed in another order; turned
// around, the area is that of the complement; and it is the share of ordered pairs.
func TestRankingProperties(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	mapped := func(x []float32, f func(float64) float64) []float32 {
		out := make([]float32, len(x))
		for i, v := range x {
			out[i] = float32(f(float64(v)))
		}
		return out
	}
	for range 200 {
		score, target := scored(r, 2+r.IntN(40))
		for name, of := range map[string]func(s, t []float32) (float64, error){"ROC-AUC": metric.ROCAUC, "average precision": metric.AveragePrecision} {
			value := func(s, y []float32) float64 {
				v, err := of(s, y)
				if err != nil || !(v >= 0 && v <= 1) {
					t.Fatalf("%s is %v, %v", name, v, err)
				}
				return v
			}
			want := value(score, target)
			for form, f := range map[string]func(float64) float64{
				"exp": math.Exp, "sigmoid": func(x float64) float64 { return 1 / (1 + math.Exp(-x)) },
				"cube": func(x float64) float64 { return x * x * x }, "shift": func(x float64) float64 { return x/8 + 100 },
				"infinite ends": func(x float64) float64 {
					if math.Abs(x) == 4 {
						return math.Inf(int(x))
					}
					return x
				},
			} {
				if got := value(mapped(score, f), target); got != want {
					t.Errorf("%s after %s is %v, want %v", name, form, got, want)
				}
			}
			s, y := slices.Clone(score), slices.Clone(target)
			r.Shuffle(len(s), func(i, j int) { s[i], s[j], y[i], y[j] = s[j], s[i], y[j], y[i] })
			if got := value(s, y); got != want {
				t.Errorf("%s of shuffled samples is %v, want %v", name, got, want)
			}
		}
		auc, _ := metric.ROCAUC(score, target)
		back, _ := metric.ROCAUC(mapped(score, func(x float64) float64 { return -x }), target)
		if math.Abs(auc+back-1) > 1e-15 {
			t.Errorf("areas %v and, of the scores turned around, %v", auc, back)
		}
		pairs, right := 0.0, 0.0
		for i, y := range target {
			for j, z := range target {
				if y == 1 && z == 0 {
					pairs++
					switch {
					case score[i] > score[j]:
						right++
					case score[i] == score[j]:
						right += 0.5
					}
				}
			}
		}
		if math.Abs(auc-right/pairs) > 1e-15 {
			t.Errorf("area %v, %v of %v pairs are in order", auc, right, pairs)
		}
	}
}

// What has no label changes nothing, whatever the prediction beside it.
func TestUnlabelledDoNotCount(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	score, target := scored(r, 60)
	var s, y []float32
	for i, v := range target {
		if v == v {
			s, y = append(s, score[i]), append(y, v)
		} else {
			score[i] = nan // may be anything
		}
	}
	for name, of := range map[string]func(s, t []float32) (float64, error){"ROC-AUC": metric.ROCAUC, "average precision": metric.AveragePrecision,
		"MAE": metric.MAE, "RMSE": metric.RMSE, "R2": metric.R2} {
		all, err := of(score, target)
		some, other := of(s, y)
		if err != nil || other != nil || all != some {
			t.Errorf("%s with samples that have no label is %v, %v; without %v, %v", name, all, err, some, other)
		}
	}
	m, err := metric.NewConfusion([]int32{1, 99, 0, -7}, []int32{1, -1, 1, -1}, 2)
	if err != nil {
		t.Fatal(err)
	}
	if got, err := m.Accuracy(); err != nil || got != 0.5 {
		t.Errorf("accuracy %v, %v, want 0.5", got, err)
	}
}

// What is refused, and how: undefined numbers and broken predictions can be told
// from misuse.
func TestRefused(t *testing.T) {
	inf := float32(math.Inf(1))
	type f = func(p, t []float32) (float64, error)
	ranking := map[string]f{"ROC-AUC": metric.ROCAUC, "average precision": metric.AveragePrecision}
	regression := map[string]f{"MAE": metric.MAE, "RMSE": metric.RMSE, "R2": metric.R2}
	all := maps.Clone(ranking)
	maps.Copy(all, regression)
	for name, of := range all {
		if _, err := of(nil, nil); !errors.Is(err, metric.ErrUndefined) {
			t.Errorf("%s of nothing: %v", name, err)
		}
		if _, err := of([]float32{1, 2}, []float32{nan, nan}); !errors.Is(err, metric.ErrUndefined) {
			t.Errorf("%s without targets: %v", name, err)
		}
		if _, err := of([]float32{1, nan, 0}, []float32{1, 0, 0}); !errors.Is(err, metric.ErrNaN) || !strings.Contains(err.Error(), "sample 1") {
			t.Errorf("%s of a NaN: %v", name, err)
		}
		_, err := of([]float32{1}, []float32{1, 0})
		if err == nil || errors.Is(err, metric.ErrUndefined) || !strings.HasPrefix(err.Error(), "metric: "+name+": 1 predictions") {
			t.Errorf("%s of slices of different lengths: %v", name, err)
		}
	}
	for name, of := range ranking {
		for _, class := range []float32{0, 1} {
			if _, err := of([]float32{1, 2}, []float32{class, class}); !errors.Is(err, metric.ErrUndefined) {
				t.Errorf("%s of one class: %v", name, err)
			}
		}
		if _, err := of([]float32{1, 2}, []float32{1, 0.5}); err == nil || errors.Is(err, metric.ErrUndefined) {
			t.Errorf("%s of a target 0.5: %v", name, err)
		}
	}
	for name, of := range regression {
		got, err := of([]float32{inf, 0}, []float32{1, 2})
		want := math.Inf(1)
		if name == "R2" {
			want = math.Inf(-1)
		}
		if err != nil || got != want {
			t.Errorf("%s of an infinite prediction: %v, %v, want %v", name, got, err, want)
		}
	}
	for _, target := range [][]float32{{5}, {0.1, 0.1, 0.1}} {
		if _, err := metric.R2(make([]float32, len(target)), target); !errors.Is(err, metric.ErrUndefined) {
			t.Errorf("R2 of targets %v: %v", target, err)
		}
	}

	if _, _, err := metric.OverTasks([]float32{1, 2}, []float32{1, 1}, 2, metric.ROCAUC); !errors.Is(err, metric.ErrUndefined) {
		t.Errorf("no task counts: %v", err)
	}
	if _, _, err := metric.OverTasks([]float32{1, nan, 1, 2}, []float32{1, 1, 0, 0}, 2, metric.ROCAUC); !errors.Is(err, metric.ErrNaN) || !strings.Contains(err.Error(), "task 1") {
		t.Errorf("NaN in task 1: %v", err)
	}
	for _, tasks := range []int{0, -1, 3} {
		if _, _, err := metric.OverTasks(make([]float32, 4), make([]float32, 4), tasks, metric.ROCAUC); err == nil || errors.Is(err, metric.ErrUndefined) {
			t.Errorf("4 numbers for %d tasks: %v", tasks, err)
		}
	}

	for _, c := range []struct{ predicted, label []int32 }{{[]int32{0}, nil}, {[]int32{2}, []int32{0}}, {[]int32{-1}, []int32{0}}, {[]int32{0}, []int32{2}}} {
		if _, err := metric.NewConfusion(c.predicted, c.label, 2); err == nil || errors.Is(err, metric.ErrUndefined) {
			t.Errorf("%v predicted for %v: %v", c.predicted, c.label, err)
		}
	}
	if _, err := metric.NewConfusion(nil, nil, 0); err == nil {
		t.Error("a confusion of no class")
	}
	empty, err := metric.NewConfusion([]int32{1}, []int32{-1}, 2)
	if err != nil {
		t.Fatal(err)
	}
	for name, of := range map[string]func() (float64, error){"accuracy": empty.Accuracy, "balanced accuracy": empty.BalancedAccuracy,
		"macro F1": empty.MacroF1} {
		if _, err := of(); !errors.Is(err, metric.ErrUndefined) {
			t.Errorf("%s without labels: %v", name, err)
		}
	}
	for _, k := range []int{-1, 2} {
		if _, err := empty.F1(k); err == nil || errors.Is(err, metric.ErrUndefined) {
			t.Errorf("F1 of class %d of 2: %v", k, err)
		}
	}
}

// Batches added one by one count as all at once; a bad batch adds nothing.
func TestConfusionAdd(t *testing.T) {
	c := load(t).Classes[2]
	whole, err := metric.NewConfusion(c.Predicted, c.Label, c.Classes)
	if err != nil {
		t.Fatal(err)
	}
	parts, err := metric.NewConfusion(nil, nil, c.Classes)
	if err != nil {
		t.Fatal(err)
	}
	for lo := 0; lo < len(c.Label); lo += 17 {
		hi := min(lo+17, len(c.Label))
		if err := parts.Add(c.Predicted[lo:hi], c.Label[lo:hi]); err != nil {
			t.Fatal(err)
		}
		if err := parts.Add([]int32{0, 99}, []int32{0, 0}); err == nil {
			t.Fatal("class 99 was counted")
		}
	}
	if !slices.Equal(parts.Count, whole.Count) {
		t.Errorf("in batches %v, at once %v", parts.Count, whole.Count)
	}
}

func ExampleROCAUC() {
	logits := []float32{2.5, -1, 0.5, 0.5, -3}
	active := []float32{1, 0, 1, 0, float32(math.NaN())} // the last one was not measured
	auc, err := metric.ROCAUC(logits, active)
	fmt.Println(auc, err)
	// Output: 0.875 <nil>
}

func ExampleConfusion_F1() {
	c, err := metric.NewConfusion([]int32{0, 0, 0, 1, 1}, []int32{0, 0, 0, 0, 1}, 2)
	if err != nil {
		fmt.Println(err)
		return
	}
	accuracy, _ := c.Accuracy()
	f1, _ := c.F1(1)
	fmt.Printf("accuracy %.2f, F1 of class 1 %.2f\n", accuracy, f1)
	// Output: accuracy 0.80, F1 of class 1 0.67
}
