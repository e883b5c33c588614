package review

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/ehgnn/ehgnn/internal/lists"
	"github.com/ehgnn/ehgnn/internal/report"
	"github.com/ehgnn/ehgnn/internal/session"
	"github.com/ehgnn/ehgnn/internal/settings"
	"github.com/ehgnn/ehgnn/internal/source"
	"github.com/ehgnn/ehgnn/internal/task"
	"github.com/ehgnn/ehgnn/metric"
	"github.com/ehgnn/ehgnn/train"
)

// score is a score of the test part; NaN if it is missing.
type score struct {
	name        string
	test, valid float64
	low, high   float64 // 95 % interval
	usual       float64 // score of the constant baseline
}

// scorer computes the scores of some rows of an outcome, by the names that tasks use; NaN if a
// score is undefined for the rows.
type scorer func(rows []int32) (train.Scores, error)

// score collects the scores that the run recorded, in their order, and further scores of classes,
// with intervals and the scores of the constant baseline.
func (r *Review) score(ctx context.Context) error {
	recorded := r.environment.Result.Test
	var here, usual train.Scores
	var intervals map[string][2]float64
	if all := r.rows(); len(all) > 0 {
		score, units := scorerOf(r.outcome, r.settings.Target.Binary), unitsOf(r.outcome, r.manyGraphs(), all)
		var err error
		if intervals, err = bootstrap(ctx, score, units, ranked(r.outcome, r.settings.Target.Binary, all), r.environment.Seed, r.session.Threads); err != nil {
			return err
		}
		r.intervals = describeIntervals(intervals, r.outcome, len(units))
		if here, err = score(all); err != nil {
			return err
		}
		if usual, err = scorerOf(usualOutcome(r.outcome, r.session.Usual(), false), r.settings.Target.Binary)(all); err != nil {
			return err
		}
	}
	for _, v := range here {
		if _, ok := recorded.Get(v.Name); !ok {
			recorded = append(slices.Clone(recorded), v)
		}
	}
	for _, v := range recorded {
		s := score{name: v.Name, test: v.Value, low: math.NaN(), high: math.NaN()}
		s.valid, _ = r.environment.Result.Valid.Get(v.Name)
		s.usual, _ = usual.Get(v.Name)
		if i, ok := intervals[v.Name]; ok {
			s.low, s.high = i[0], i[1]
		}
		r.scores = append(r.scores, s)
	}
	return nil
}

// scoreList collects scores.
type scoreList struct {
	train.Scores
	err error
}

// add adds the result of a metric.
func (l *scoreList) add(name string, v float64, err error) {
	if v, err = defined(v, err); err != nil && l.err == nil {
		l.err = fmt.Errorf("review: %s: %w", name, err)
	}
	l.Scores = append(l.Scores, train.Score{Name: name, Value: v})
}

// defined replaces the error of a metric that is undefined for the data by NaN.
func defined(v float64, err error) (float64, error) {
	if errors.Is(err, metric.ErrUndefined) {
		return math.NaN(), nil
	}
	return v, err
}

// rows returns the rows of the outcome with a known true value.
func (r *Review) rows() []int32 { return knownRows(r.outcome) }

func knownRows(o *task.Outcome) []int32 {
	if o == nil {
		return nil
	}
	return lists.Where[int32](o.At, func(i int, _ source.Place) bool { return hasTruth(o, i) })
}

func hasTruth(o *task.Outcome, i int) bool {
	if o.Classes != nil {
		return o.Classes.True[i] >= 0
	}
	return slices.ContainsFunc(o.Targets, func(t task.TargetOutcome) bool { return t.True[i] == t.True[i] })
}

// scorerOf returns the scorer of an outcome.
func scorerOf(o *task.Outcome, binary *settings.Binary) scorer {
	if o.Classes != nil {
		return classScorer(o.Classes, binary)
	}
	of := []struct {
		name string
		of   func(prediction, target []float32) (float64, error)
	}{{"mae", metric.MAE}, {"rmse", metric.RMSE}, {"r2", metric.R2}}
	if o.Labels {
		of = of[:2]
		of[0].name, of[0].of, of[1].name, of[1].of = "roc_auc", metric.ROCAUC, "average_precision", metric.AveragePrecision
	}
	return func(rows []int32) (train.Scores, error) {
		var l scoreList
		predicted, truth := overTargets(o.Targets, rows)
		for _, m := range of {
			mean, _, err := metric.OverTasks(predicted, truth, len(o.Targets), m.of)
			l.add(m.name, mean, err)
		}
		return l.Scores, l.err
	}
}

func classScorer(c *task.ClassOutcome, binary *settings.Binary) scorer {
	return func(rows []int32) (train.Scores, error) {
		var l scoreList
		m, err := metric.NewConfusion(lists.Take(c.Predicted, rows), lists.Take(c.True, rows), len(c.Names))
		if err != nil {
			return nil, fmt.Errorf("review: %w", err)
		}
		add := func(name string, of func() (float64, error)) {
			v, err := of()
			l.add(name, v, err)
		}
		add("accuracy", m.Accuracy)
		add("macro_f1", m.MacroF1)
		if len(c.Names) != 2 {
			return l.Scores, l.err
		}
		if k := positive(binary); binary != nil {
			add("f1", func() (float64, error) { return m.F1(k) })
			add("precision", func() (float64, error) { return m.Precision(k) })
			add("recall", func() (float64, error) { return m.Recall(k) })
		}
		score, target := lists.Take(c.Probability[positive(binary)], rows), isClass(c.True, rows, positive(binary))
		add("roc_auc", func() (float64, error) { return metric.ROCAUC(score, target) })
		add("average_precision", func() (float64, error) { return metric.AveragePrecision(score, target) })
		return l.Scores, l.err
	}
}

// positive is the class, of two, whose probability ranks items: the one that tasks score, else the
// second.
func positive(binary *settings.Binary) int {
	if binary != nil {
		return binary.Positive
	}
	return 1
}

// ranked sorts rows by decreasing probability of the positive one of two classes. Metrics sort rows
// again, which is fast for sorted rows; this matters because the bootstrap repeats it.
func ranked(o *task.Outcome, binary *settings.Binary, rows []int32) []int32 {
	c := o.Classes
	if c == nil || len(c.Names) != 2 {
		return rows
	}
	p := c.Probability[positive(binary)]
	return slices.SortedStableFunc(slices.Values(rows), func(a, b int32) int { return cmp.Compare(p[b], p[a]) })
}

// isClass is 1 for the rows of a class, else 0.
func isClass(class, rows []int32, k int) []float32 {
	out := make([]float32, len(rows))
	for i, r := range rows {
		if int(class[r]) == k {
			out[i] = 1
		}
	}
	return out
}

// overTargets returns predictions and true values of some rows as matrices with a column for each target.
func overTargets(targets []task.TargetOutcome, rows []int32) (predicted, truth []float32) {
	k := len(targets)
	predicted, truth = make([]float32, len(rows)*k), make([]float32, len(rows)*k)
	for j, t := range targets {
		for i, r := range rows {
			predicted[i*k+j], truth[i*k+j] = t.Predicted[r], t.True[r]
		}
	}
	return predicted, truth
}

// usualOutcome is the outcome of a constant prediction, the baseline; for numbers the mean, or the median.
func usualOutcome(o *task.Outcome, u session.Usual, median bool) *task.Outcome {
	out := &task.Outcome{Level: o.Level, At: o.At, Labels: o.Labels}
	if c := o.Classes; c != nil {
		n := len(c.True)
		usual := &task.ClassOutcome{Names: c.Names, True: c.True, Predicted: make([]int32, n)}
		most, total := 0, 0
		for k, count := range u.Counts {
			if total += count; count > u.Counts[most] {
				most = k
			}
		}
		for k := range c.Names {
			usual.Probability = append(usual.Probability, repeated(float32(u.Counts[k])/float32(max(total, 1)), n))
		}
		for i := range usual.Predicted {
			usual.Predicted[i] = int32(most)
		}
		out.Classes = usual
	}
	numbers := u.Means
	if median && u.Medians != nil {
		numbers = u.Medians
	}
	for k, t := range o.Targets {
		out.Targets = append(out.Targets, task.TargetOutcome{Name: t.Name, True: t.True, Predicted: repeated(float32(numbers[k]), len(t.True))})
	}
	return out
}

func repeated(v float32, n int) []float32 {
	return lists.Repeat(v, n)
}

// headline lists the most important scores, in order.
var headline = []string{"average_precision", "roc_auc", "accuracy", "macro_f1", "mrr", "mae", "r2"}

// Headline is the most important score of a run; for several numbers it is a score without a unit. It returns false if
// there is no such score.
func Headline(r *session.TrainResult) (train.Score, bool) {
	names := headline
	if r.Numbers > 1 {
		names = []string{"r2"}
	}
	for _, name := range names {
		if v, ok := r.Test.Get(name); ok {
			return train.Score{Name: name, Value: v}, true
		}
	}
	return train.Score{}, false
}

// Number formats a score or another number for reports.
func Number(v float64) string { return number(v) }

// allScores are all scores as a collapsed table.
func (r *Review) allScores() report.Part {
	list := &report.Listing{Columns: []report.ListingColumn{{Name: "score", Left: true}, {Name: "validation"}, {Name: "test"}, {Name: "95 % interval"}, {Name: "baseline"}}, Fold: "All scores"}
	for _, s := range r.scores {
		if r.averaged(s.name) {
			continue
		}
		name := task.ScoreTitle(s.name)
		if class := r.environment.Result.PositiveClass; class != "" && slices.Contains([]string{"f1", "precision", "recall"}, s.name) {
			name += " of " + class
		}
		list.Rows = append(list.Rows, []string{name, number(s.valid), number(s.test), s.interval(), number(s.usual)})
	}
	return list
}

func (s score) interval() string {
	if math.IsNaN(s.low) {
		return report.None
	}
	return number(s.low) + " to " + number(s.high)
}

// number formats a score or another number for a table of mixed numbers: scores in [0, 1] with three decimals,
// others with three significant digits.
func number(v float64) string {
	if v >= 0 && v <= 1 {
		return report.Score(v)
	}
	return report.Significant(v)
}
