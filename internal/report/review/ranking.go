package review

import (
	"cmp"
	"math"
	"slices"

	"github.com/ehgnn/ehgnn/internal/lists"
	"github.com/ehgnn/ehgnn/internal/settings"
	"github.com/ehgnn/ehgnn/internal/task"
	"github.com/ehgnn/ehgnn/train"
)

// weighing computes scores of items with multiplicities, for a bootstrap sample or a slice. times has an entry for
// each row of an outcome.
type weighing func(times []int32) train.Scores

// ranking has items by decreasing score, and which of them are positive.
type ranking struct {
	order    []int32
	ends     []bool // the next item has a different score
	positive []bool // by index in order
}

func newRanking(score []float32, positive func(i int32) bool, rows []int32) *ranking {
	r := &ranking{order: slices.SortedStableFunc(slices.Values(rows), func(a, b int32) int { return cmp.Compare(score[b], score[a]) })}
	for k, i := range r.order {
		r.positive = append(r.positive, positive(i))
		r.ends = append(r.ends, k+1 == len(r.order) || score[r.order[k+1]] != score[i])
	}
	return r
}

// steps calls f after each group of equal scores with the numbers of positives and others so far.
func (r *ranking) steps(times []int32, f func(place, positives, others int)) {
	positives, others := 0, 0
	for k, i := range r.order {
		n := 1
		if times != nil {
			n = int(times[i])
		}
		if r.positive[k] {
			positives += n
		} else {
			others += n
		}
		if r.ends[k] {
			f(k, positives, others)
		}
	}
}

// scores returns average precision and the area under the ROC curve; NaN if there are no positives or no others.
func (r *ranking) scores(times []int32) (ap, auc float64) {
	hits, alarms := 0, 0
	r.steps(times, func(_, p, o int) {
		if d := p - hits; d > 0 {
			ap += float64(d) * float64(p) / float64(p+o)
		}
		auc += float64(o-alarms) * float64(hits+p) / 2
		hits, alarms = p, o
	})
	if hits == 0 || alarms == 0 {
		return math.NaN(), math.NaN()
	}
	return ap / float64(hits), auc / float64(hits) / float64(alarms)
}

// mainScores are the two scores that compare models; the first is the more important one.
func mainScores(o *task.Outcome) [2]string {
	switch c := o.Classes; {
	case c != nil && len(c.Names) == 2:
		return [2]string{"average_precision", "roc_auc"}
	case c != nil:
		return [2]string{"accuracy", "macro_f1"}
	case o.Labels:
		return [2]string{"roc_auc", "average_precision"}
	}
	return [2]string{"mae", "r2"}
}

// smaller reports whether smaller values of a score are better.
func smaller(name string) bool { return name == "mae" || name == "rmse" || name == "loss" }

// weighingOf returns a function that computes the main scores of an outcome; for several targets, those of one.
func weighingOf(o *task.Outcome, binary *settings.Binary, target int) weighing {
	rows := knownRows(o)
	names := mainScores(o)
	two := func(a, b float64) train.Scores {
		return train.Scores{{Name: names[0], Value: a}, {Name: names[1], Value: b}}
	}
	switch c := o.Classes; {
	case c != nil && len(c.Names) == 2:
		k := positive(binary)
		r := newRanking(c.Probability[k], func(i int32) bool { return int(c.True[i]) == k }, rows)
		return func(times []int32) train.Scores { return two(r.scores(times)) }
	case c != nil:
		return func(times []int32) train.Scores { return two(classScores(c, rows, times)) }
	case o.Labels:
		rankings := lists.Map(o.Targets, func(t task.TargetOutcome) *ranking {
			return newRanking(t.Predicted, func(i int32) bool { return t.True[i] == 1 }, knownOf(t, rows))
		})
		return func(times []int32) train.Scores {
			var ap, auc, n float64
			for _, r := range rankings {
				if a, b := r.scores(times); a == a {
					ap, auc, n = ap+a, auc+b, n+1
				}
			}
			return two(auc/n, ap/n)
		}
	}
	t := o.Targets[target]
	rows = knownOf(t, rows)
	return func(times []int32) train.Scores {
		e := errorsOf(t, rows, times)
		return append(two(e.mae, e.r2), train.Score{Name: "rmse", Value: e.rmse})
	}
}

func knownOf(t task.TargetOutcome, rows []int32) []int32 {
	return lists.Filter(rows, func(i int32) bool { return t.True[i] == t.True[i] })
}

// classScores returns accuracy and the mean F1 of the classes that occur.
func classScores(c *task.ClassOutcome, rows, times []int32) (accuracy, f1 float64) {
	k := len(c.Names)
	right, labelled, said, n := make([]float64, k), make([]float64, k), make([]float64, k), 0.0
	for _, i := range rows {
		w := 1.0
		if times != nil {
			w = float64(times[i])
		}
		n += w
		labelled[c.True[i]] += w
		said[c.Predicted[i]] += w
		if c.True[i] == c.Predicted[i] {
			right[c.True[i]] += w
			accuracy += w
		}
	}
	occur := 0.0
	for j := range k {
		if labelled[j]+said[j] > 0 {
			occur++
			f1 += 2 * right[j] / (labelled[j] + said[j])
		}
	}
	return accuracy / n, f1 / occur
}

// errorSizes returns the errors of a target.
type errorSizes struct{ mae, rmse, r2 float64 }

func errorsOf(t task.TargetOutcome, rows, times []int32) errorSizes {
	var n, sum, squares, size, total float64
	each := func(f func(w, truth, predicted float64)) {
		for _, i := range rows {
			w := 1.0
			if times != nil {
				w = float64(times[i])
			}
			f(w, float64(t.True[i]), float64(t.Predicted[i]))
		}
	}
	each(func(w, y, p float64) {
		n, sum, size, squares = n+w, sum+w*y, size+w*math.Abs(p-y), squares+w*(p-y)*(p-y)
	})
	each(func(w, y, _ float64) { total += w * (y - sum/n) * (y - sum/n) })
	if n == 0 {
		return errorSizes{math.NaN(), math.NaN(), math.NaN()}
	}
	r2 := math.NaN()
	if total > 0 {
		r2 = 1 - squares/total
	}
	return errorSizes{size / n, math.Sqrt(squares / n), r2}
}
