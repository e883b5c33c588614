package review

import (
	"fmt"
	"math"
	"slices"

	"github.com/ehgnn/ehgnn/internal/report"
	"github.com/ehgnn/ehgnn/internal/task"
	"github.com/ehgnn/ehgnn/train"
)

// mostEpochs is how many epochs of a curve are drawn. Of more, the lowest and the highest of each stretch stand for it.
const mostEpochs = 400

// TrainingCurve is a score by epoch; epochs without the score are left out.
func TrainingCurve(history []train.EpochInfo, value func(e train.EpochInfo) float64) report.Series {
	var s report.Series
	for _, e := range history {
		if v := value(e); !math.IsNaN(v) && !math.IsInf(v, 0) {
			s.X, s.Y = append(s.X, float64(e.Epoch)), append(s.Y, v)
		}
	}
	return fewer(s)
}

// ValidLoss is the validation loss of an epoch; NaN for none.
func ValidLoss(e train.EpochInfo) float64 { return validScore("loss")(e) }

func validScore(name string) func(e train.EpochInfo) float64 {
	return func(e train.EpochInfo) float64 {
		if v, ok := e.Valid.Get(name); ok {
			return v
		}
		return math.NaN()
	}
}

// CurveAxes are those of curves by epoch; losses are on a logarithmic axis where all are above 0.
func CurveAxes(name string, loss bool, series []report.Series) (x, y report.Axis) {
	last, low, high := 1.0, math.Inf(1), math.Inf(-1)
	for _, s := range series {
		for i := range s.X {
			last, low, high = max(last, s.X[i]), min(low, s.Y[i]), max(high, s.Y[i])
		}
	}
	x = report.LinearAxis("epoch", 0, last)
	switch {
	case loss && low > 0 && high >= 5*low:
		y = report.LogAxis(name, low, high)
	case !loss && low >= 0 && high <= 1:
		y = report.LinearAxis(name, low, 1)
	default:
		y = report.LinearAxis(name, low, high)
	}
	return x, y
}

// training are the losses and the score that epochs were kept by.
func (r *Review) training() ([]report.Part, error) {
	heading := report.Heading{Name: "Training", Title: "Training"}
	if len(r.history) < 2 {
		return nil, nil
	}
	best := r.environment.Result.BestEpoch
	trained := TrainingCurve(r.history, func(e train.EpochInfo) float64 { return e.TrainLoss })
	trained.Name, trained.Colour, trained.Dash, trained.Thin = "training", "c1", true, true
	valid := TrainingCurve(r.history, ValidLoss)
	valid.Name, valid.Colour = "validation", "c1"
	losses := slices.DeleteFunc([]report.Series{trained, valid}, func(s report.Series) bool { return len(s.X) == 0 })
	var charts []report.Part
	if len(losses) > 0 {
		c := &report.Chart{Title: "Loss", Series: losses, Hide: len(losses) > 1, Caption: fmt.Sprintf("Thin and dashed: training; thick: validation. The dot is the epoch that was kept, %d.", best)}
		c.X, c.Y = CurveAxes("loss", true, losses)
		c.Series = append(c.Series, keptDot(valid, best)...)
		charts = append(charts, c)
	}
	if s, ok := r.keptScore(); ok {
		title := task.ScoreTitle(s.Name)
		s.Name, s.Colour = "validation", "c1"
		c := &report.Chart{Title: "Validation " + title, Series: []report.Series{s}, Caption: "The dot is the epoch that was kept."}
		c.X, c.Y = CurveAxes(title, false, c.Series)
		c.Series = append(c.Series, keptDot(s, best)...)
		charts = append(charts, c)
	}
	if charts == nil {
		return nil, nil
	}
	return []report.Part{heading, report.Cards{Parts: charts}}, nil
}

// keptDot is the dot of the epoch that was kept.
func keptDot(s report.Series, best int) []report.Series {
	for i, x := range s.X {
		if int(x) == best {
			return []report.Series{{Kind: report.Dots, Colour: s.Colour, X: []float64{x}, Y: []float64{s.Y[i]}}}
		}
	}
	return nil
}

// keptScore is a validation score by epoch: that which epochs were kept by, or else the first of those that matter.
func (r *Review) keptScore() (report.Series, bool) {
	for _, name := range append([]string{r.settings.Train.Monitor.Metric}, headline...) {
		if name == "loss" || r.averaged(name) {
			continue
		}
		s := TrainingCurve(r.history, validScore(name))
		if s.Name = name; len(s.X) > 1 {
			return s, true
		}
	}
	return report.Series{}, false
}

// fewer is a curve of at most mostEpochs points.
func fewer(s report.Series) report.Series {
	n := len(s.X)
	if n <= mostEpochs {
		return s
	}
	out := s
	out.X, out.Y = nil, nil
	stretches := mostEpochs / 2
	for k := range stretches {
		lo, hi := k*n/stretches, (k+1)*n/stretches
		low, high := lo, lo
		for i := lo; i < hi; i++ {
			if s.Y[i] < s.Y[low] {
				low = i
			}
			if s.Y[i] > s.Y[high] {
				high = i
			}
		}
		for _, i := range []int{min(low, high), max(low, high)} {
			out.X, out.Y = append(out.X, s.X[i]), append(out.Y, s.Y[i])
		}
	}
	return out
}
