package metric

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
)

// ranked is a sample of a binary task.
type ranked struct {
	score    float64
	positive bool
}

// rank is sorted for metrics that need both classes: with one class all orders are equivalent.
func rank(name string, score, target []float32) (s []ranked, positives, negatives int, err error) {
	s, positives, negatives, err = sorted(name, score, target)
	if err == nil && (positives == 0 || negatives == 0) {
		err = undefined(name, fmt.Sprintf("%d positive and %d negative samples, expected both", positives, negatives))
	}
	return s, positives, negatives, err
}

// sorted sorts the labelled samples by descending score and counts the classes.
func sorted(name string, score, target []float32) (s []ranked, positives, negatives int, err error) {
	p, t, err := labelled(name, score, target)
	if err != nil {
		return nil, 0, 0, err
	}
	s = make([]ranked, len(p))
	for i, v := range p {
		switch t[i] {
		case 0:
			negatives++
		case 1:
			positives++
		default:
			return nil, 0, 0, fmt.Errorf("metric: %s: target %v, expected 0, 1 or NaN", name, t[i])
		}
		s[i] = ranked{v, t[i] == 1}
	}
	slices.SortFunc(s, func(a, b ranked) int { return cmp.Compare(b.score, a.score) })
	return s, positives, negatives, nil
}

// tied counts the samples of each class that have the same score as the first.
func tied(s []ranked) (positive, negative int) {
	for _, r := range s {
		switch {
		case r.score != s[0].score:
			return positive, negative
		case r.positive:
			positive++
		default:
			negative++
		}
	}
	return positive, negative
}

// ROCAUC is the area under the receiver operating characteristic: the share of pairs of a positive
// and a negative sample in which the positive one has the higher score. A tie counts half. Targets
// are 0, 1, or NaN for none. Scores may be logits, because only their order counts. It returns
// ErrUndefined if a class is missing.
//
// Pairs are counted in integers, so the order of the samples does not change a bit (Hanley and
// McNeil, Radiology 143, 1982).
func ROCAUC(score, target []float32) (float64, error) {
	s, positives, negatives, err := rank("ROC-AUC", score, target)
	if err != nil {
		return 0, err
	}
	var halves, above int64 // twice the number of pairs in order; positives with a higher score
	for len(s) > 0 {
		p, n := tied(s)
		halves += int64(n) * (2*above + int64(p))
		above += int64(p)
		s = s[p+n:]
	}
	return float64(halves) / (2 * float64(positives) * float64(negatives)), nil
}

// AveragePrecision is the area under the precision-recall curve without interpolation. It is the
// sum over the distinct scores, from the highest: the precision of the samples down to that score,
// times the recall that they add. Samples with equal scores are added together. Targets and errors
// are as in ROCAUC. A random guess scores the share of positives.
func AveragePrecision(score, target []float32) (float64, error) {
	s, positives, _, err := rank("average precision", score, target)
	if err != nil {
		return 0, err
	}
	area, found, seen := 0.0, 0, 0
	for len(s) > 0 {
		p, n := tied(s)
		found, seen = found+p, seen+p+n
		area += float64(p) / float64(positives) * float64(found) / float64(seen)
		s = s[p+n:]
	}
	return area, nil
}

// OverTasks returns the mean of a metric over the tasks in which it is defined, and the number of
// these tasks. prediction and target are matrices with a row per sample and a column per task, row
// by row. It returns ErrUndefined if no task counts. Any other error of a task is returned with the
// task's number.
//
//	auc, counted, err := metric.OverTasks(logits, targets, 12, metric.ROCAUC)
//
// is the score of the Open Graph Benchmark for molecules: the mean over the tasks that have both
// classes, each over its labelled graphs.
func OverTasks(prediction, target []float32, tasks int, of func(prediction, target []float32) (float64, error)) (mean float64, counted int, err error) {
	if tasks < 1 || len(prediction)%tasks != 0 || len(prediction) != len(target) {
		return 0, 0, fmt.Errorf("metric: %d predictions and %d targets for %d tasks, expected one of each per sample and task", len(prediction), len(target), tasks)
	}
	sum := 0.0
	p, t := make([]float32, len(target)/tasks), make([]float32, len(target)/tasks)
	for k := range tasks {
		for i := range p {
			p[i], t[i] = prediction[i*tasks+k], target[i*tasks+k]
		}
		v, err := of(p, t)
		switch {
		case err == nil:
			sum, counted = sum+v, counted+1
		case !errors.Is(err, ErrUndefined):
			return 0, 0, fmt.Errorf("metric: task %d: %w", k, err)
		}
	}
	if counted == 0 {
		return 0, 0, undefined("mean over tasks", fmt.Sprintf("none of %d tasks counts", tasks))
	}
	return sum / float64(counted), counted, nil
}

// RecallAt is the share of the positive samples among the n with the highest scores: what a budget
// of n checks finds. If several samples share the last score, each of them is equally likely to be
// among the n. Targets are as in ROCAUC. It returns ErrUndefined without a positive sample. If n is
// larger than the number of samples, it includes all.
func RecallAt(score, target []float32, n int) (float64, error) {
	const name = "recall at a budget"
	if n < 1 {
		return 0, fmt.Errorf("metric: %s of %d samples, expected at least 1", name, n)
	}
	s, positives, _, err := sorted(name, score, target)
	if err != nil {
		return 0, err
	}
	if positives == 0 {
		return 0, undefined(name, "no sample is positive")
	}
	found, left := 0.0, n
	for len(s) > 0 && left > 0 {
		p, negative := tied(s)
		taken := min(p+negative, left)
		found += float64(p) * float64(taken) / float64(p+negative)
		left -= taken
		s = s[p+negative:]
	}
	return found / float64(positives), nil
}
