package review

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"

	"github.com/ehgnn/ehgnn/metric"
	"github.com/ehgnn/ehgnn/report"
	"github.com/ehgnn/ehgnn/task"
)

// score is one score of the test part; NaN where there is none.
type score struct {
	name        string
	test, valid float64
	low, high   float64 // the 95 % interval
	usual       float64 // without a model
}

// measure is a score that can be taken of any rows of an outcome.
type measure struct {
	name  string
	lower bool // is better
	of    func(rows []int32) (float64, error)
}

// score takes the scores that the run has recorded, in their order, and those that say more
// about classes, with intervals and what is scored without a model.
func (r *Review) score(ctx context.Context) error {
	var measures, usual []measure
	var intervals map[string][2]float64
	if r.outcome != nil {
		measures = measuresOf(r.outcome, r.settings.Target.Binary)
		usual = measuresOf(usualOutcome(r.outcome, r.session.Usual()), r.settings.Target.Binary)
	}
	all := r.rows()
	if len(all) > 0 {
		units := r.units(all)
		var err error
		if intervals, err = bootstrap(ctx, measures, units, len(all), r.environment.Seed); err != nil {
			return err
		}
		r.intervals = describeIntervals(intervals, r.outcome, len(units))
	}
	add := func(name string, test float64) {
		s := score{name: name, test: test, valid: math.NaN(), low: math.NaN(), high: math.NaN(), usual: math.NaN()}
		if v, ok := r.environment.Result.Valid.Get(name); ok {
			s.valid = v
		}
		if i, ok := intervals[name]; ok {
			s.low, s.high = i[0], i[1]
		}
		for _, m := range usual {
			if m.name == name {
				s.usual, _ = defined(m.of(all))
			}
		}
		r.scores = append(r.scores, s)
	}
	for _, s := range r.environment.Result.Test {
		add(s.Name, s.Value)
	}
	for _, m := range measures {
		if _, ok := r.environment.Result.Test.Get(m.name); ok || len(all) == 0 {
			continue
		}
		v, err := defined(m.of(all))
		if err != nil {
			return fmt.Errorf("review: %s: %w", m.name, err)
		}
		add(m.name, v)
	}
	return nil
}

// defined turns the error of a metric that the data do not define into NaN.
func defined(v float64, err error) (float64, error) {
	if errors.Is(err, metric.ErrUndefined) {
		return math.NaN(), nil
	}
	return v, err
}

// rows are those of the outcome of which something true is known.
func (r *Review) rows() (out []int32) {
	if r.outcome == nil {
		return nil
	}
	for i := range r.outcome.At {
		if known(r.outcome, i) {
			out = append(out, int32(i))
		}
	}
	return out
}

func known(o *task.Outcome, i int) bool {
	if o.Classes != nil {
		return o.Classes.True[i] >= 0
	}
	return slices.ContainsFunc(o.Targets, func(t task.TargetOutcome) bool { return t.True[i] == t.True[i] })
}

// measuresOf are the scores of an outcome, by the names that tasks give them.
func measuresOf(o *task.Outcome, binary *task.Binary) []measure {
	switch {
	case o.Classes != nil:
		return classMeasures(o.Classes, binary)
	case o.Labels:
		return []measure{{"roc_auc", false, overTargets(o, metric.ROCAUC)}, {"average_precision", false, overTargets(o, metric.AveragePrecision)}}
	case o.Targets != nil:
		return []measure{{"mae", true, overTargets(o, metric.MAE)}, {"rmse", true, overTargets(o, metric.RMSE)}, {"r2", false, overTargets(o, metric.R2)}}
	}
	return nil
}

func classMeasures(c *task.ClassOutcome, binary *task.Binary) []measure {
	confused := func(of func(m *metric.Confusion) (float64, error)) func(rows []int32) (float64, error) {
		return func(rows []int32) (float64, error) {
			m, err := metric.NewConfusion(picked(c.Predicted, rows), picked(c.True, rows), len(c.Names))
			if err != nil {
				return 0, err
			}
			return of(m)
		}
	}
	out := []measure{{"accuracy", false, confused((*metric.Confusion).Accuracy)}, {"macro_f1", false, confused((*metric.Confusion).MacroF1)}}
	if len(c.Names) != 2 {
		return out
	}
	positive := 1
	if binary != nil {
		positive = binary.Positive
		out = append(out, measure{"f1", false, confused(func(m *metric.Confusion) (float64, error) { return m.F1(positive) })},
			measure{"precision", false, confused(func(m *metric.Confusion) (float64, error) { return m.Precision(positive) })},
			measure{"recall", false, confused(func(m *metric.Confusion) (float64, error) { return m.Recall(positive) })})
	}
	ranked := func(of func(score, target []float32) (float64, error)) func(rows []int32) (float64, error) {
		return func(rows []int32) (float64, error) {
			return of(picked(c.Probability[positive], rows), isClass(c.True, rows, positive))
		}
	}
	return append(out, measure{"roc_auc", false, ranked(metric.ROCAUC)}, measure{"average_precision", false, ranked(metric.AveragePrecision)})
}

// isClass is 1 for the rows that are of a class, else 0.
func isClass(class, rows []int32, k int) []float32 {
	out := make([]float32, len(rows))
	for i, r := range rows {
		if int(class[r]) == k {
			out[i] = 1
		}
	}
	return out
}

func picked[T any](from []T, rows []int32) []T {
	out := make([]T, len(rows))
	for i, r := range rows {
		out[i] = from[r]
	}
	return out
}

// overTargets is the mean of a metric over the targets, as tasks score them.
func overTargets(o *task.Outcome, of func(prediction, target []float32) (float64, error)) func(rows []int32) (float64, error) {
	return func(rows []int32) (float64, error) {
		k := len(o.Targets)
		predicted, truth := make([]float32, len(rows)*k), make([]float32, len(rows)*k)
		for j, t := range o.Targets {
			for i, r := range rows {
				predicted[i*k+j], truth[i*k+j] = t.Predicted[r], t.True[r]
			}
		}
		mean, _, err := metric.OverTasks(predicted, truth, k, of)
		return mean, err
	}
}

// usualOutcome is that of predicting the same for every item, as one would without a model.
func usualOutcome(o *task.Outcome, u task.Usual) *task.Outcome {
	out := &task.Outcome{Items: o.Items, At: o.At, Labels: o.Labels}
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
	for k, t := range o.Targets {
		out.Targets = append(out.Targets, task.TargetOutcome{Name: t.Name, True: t.True, Predicted: repeated(float32(u.Means[k]), len(t.True))})
	}
	return out
}

func repeated(v float32, n int) []float32 {
	out := make([]float32, n)
	for i := range out {
		out[i] = v
	}
	return out
}

// headline are the scores that matter most, in this order.
var headline = []string{"roc_auc", "average_precision", "accuracy", "macro_f1", "mrr", "mae", "r2"}

// summary is the headline as tiles and all scores as a table.
func (r *Review) summary() ([]report.Part, error) {
	if len(r.scores) == 0 {
		return []report.Part{report.Heading{Title: "Scores", Lines: []string{"The run has no test part, and nothing was scored."}}}, nil
	}
	var facts report.Facts
	for _, name := range headline {
		if i := slices.IndexFunc(r.scores, func(s score) bool { return s.name == name }); i >= 0 && len(facts) < 4 {
			facts = append(facts, report.Fact{Name: "test " + task.ScoreTitle(name), Value: number(r.scores[i].test), Note: r.scores[i].note()})
		}
	}
	list := &report.Listing{Columns: []report.ListingColumn{{Name: "score", Left: true}, {Name: "validation"}, {Name: "test"}, {Name: "95 % interval"}, {Name: "without a model"}}}
	for _, s := range r.scores {
		name := task.ScoreTitle(s.name)
		if class := r.environment.Result.PositiveClass; class != "" && slices.Contains([]string{"f1", "precision", "recall"}, s.name) {
			name += " of " + class
		}
		list.Rows = append(list.Rows, []string{name, number(s.valid), number(s.test), s.interval(), number(s.usual)})
	}
	lines := []string{"Without a model: the most frequent class of the training part, or the mean of its numbers, for every item."}
	if r.intervals != "" {
		lines = append([]string{r.intervals}, lines...)
	}
	parts := []report.Part{report.Heading{Title: "Scores", Lines: lines}, list}
	if facts != nil {
		parts = append([]report.Part{facts}, parts...)
	}
	return parts, nil
}

func (s score) interval() string {
	if math.IsNaN(s.low) {
		return none
	}
	return number(s.low) + " to " + number(s.high)
}

func (s score) note() string {
	note := ""
	if !math.IsNaN(s.low) {
		note = s.interval()
	}
	if !math.IsNaN(s.usual) {
		if note != "" {
			note += "; "
		}
		note += "without a model " + number(s.usual)
	}
	return note
}

// none stands for what is not there.
const none = "–"

// number is a number with four digits that count.
func number(v float64) string {
	switch a := math.Abs(v); {
	case math.IsNaN(v):
		return none
	case a >= 10 && a < 1e9 && a == math.Trunc(a):
		return strconv.FormatFloat(v, 'f', 0, 64) // a count
	case a == 0 || a >= 0.1 && a < 1000:
		return strconv.FormatFloat(v, 'f', digits(a), 64)
	default:
		return strconv.FormatFloat(v, 'g', 4, 64)
	}
}

func digits(a float64) int {
	switch {
	case a <= 1:
		return 4
	case a < 10:
		return 3
	case a < 100:
		return 2
	}
	return 1
}
