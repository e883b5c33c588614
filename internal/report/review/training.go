package review

import (
	"fmt"
	"maps"
	"math"
	"path/filepath"
	"slices"

	"github.com/ehgnn/ehgnn/internal/lists"
	"github.com/ehgnn/ehgnn/internal/report"
	"github.com/ehgnn/ehgnn/internal/session"
	"github.com/ehgnn/ehgnn/internal/source"
	"github.com/ehgnn/ehgnn/internal/task"
	"github.com/ehgnn/ehgnn/model"
	"github.com/ehgnn/ehgnn/train"
)

// mostEpochs is how many epochs of a curve are drawn. Of more, the lowest and the highest of each interval are drawn.
const mostEpochs = 400

// TrainingCurve is a score by epoch, without epochs that do not have it.
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

// LossCurves returns the validation loss by epoch of the run in a folder; for several seeds, the mean and the range as
// a band. It returns nil for fewer than two epochs.
func LossCurves(dir string) ([]report.Series, error) {
	if _, several, err := seedHistories(dir); err != nil || several != nil {
		return meanCurve(several, "", ValidLoss), err
	}
	history, err := train.ReadHistory(dir)
	if err != nil {
		return nil, err
	}
	s := TrainingCurve(history, ValidLoss)
	if len(s.X) < 2 {
		return nil, nil
	}
	return []report.Series{s}, nil
}

// CurveAxes returns the axes of curves by epoch, with their bands; losses have a logarithmic axis if all are positive.
func CurveAxes(name string, loss bool, series []report.Series) (x, y report.Axis) {
	last, low, high := 1.0, math.Inf(1), math.Inf(-1)
	for _, s := range withBands(series) {
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

// training has the losses and the score that selects the epoch.
func (r *Review) training() ([]report.Part, error) {
	heading := report.Heading{Name: "Training", Title: "Training"}
	if len(r.history) < 2 {
		return nil, nil
	}
	if several, err := r.seedCurves(); err != nil || several != nil {
		return several, err
	}
	best := r.environment.Result.BestEpoch
	trained := TrainingCurve(r.history, func(e train.EpochInfo) float64 { return e.TrainLoss })
	trained.Name, trained.Colour, trained.Dash, trained.Thin = "training", "c1", true, true
	valid := TrainingCurve(r.history, ValidLoss)
	valid.Name, valid.Colour = "validation", "c1"
	losses := slices.DeleteFunc([]report.Series{trained, valid}, func(s report.Series) bool { return len(s.X) == 0 })
	var charts []report.Part
	if len(losses) > 0 {
		of, note := r.curveOf()
		c := &report.Chart{Title: "Loss" + of, Series: losses, Hide: len(losses) > 1, Caption: fmt.Sprintf("Thin and dashed: training; thick: validation. The dot is the epoch that was kept, %d.%s", best, note)}
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

// curveOf says which of several learners the curve belongs to, and whether this learner is not part of the final predictor.
func (r *Review) curveOf() (of, note string) {
	m, ok := r.session.Model.(*model.Auto)
	if !ok {
		return "", ""
	}
	at := slices.IndexFunc(m.Config.Learners, func(l model.Learner) bool { return l.Kind == model.LearnerDual && l.Weight > 0 })
	if at < 0 {
		at = slices.IndexFunc(m.Config.Learners, func(l model.Learner) bool { return l.Kind == model.LearnerNetwork && l.Quantile == 0 })
	}
	if at < 0 {
		return "", ""
	}
	l := m.Config.Learners[at]
	if l.Weight == 0 {
		note = " It is the best network, which gives embeddings; predictions are those of other learners."
	}
	return " of the " + l.Kind, note
}

// seedCurves returns the losses and the score over several seeds: the mean, and the range as a band; nil for one seed.
func (r *Review) seedCurves() ([]report.Part, error) {
	seeds, histories, err := seedHistories(r.dir)
	if err != nil || histories == nil {
		return nil, err
	}
	over := fmt.Sprintf("the mean over %d seeds; the band reaches from the lowest to the highest", len(histories))
	draw := func(title, axis, caption string, loss bool, lines ...[]report.Series) report.Part {
		c := &report.Chart{Title: title, Series: slices.Concat(lines...), Hide: len(lines) > 1, Caption: caption}
		if len(c.Series) == 0 {
			return nil
		}
		c.X, c.Y = CurveAxes(axis, loss, c.Series)
		return c
	}
	trained := meanCurve(histories, "training", func(e train.EpochInfo) float64 { return e.TrainLoss })
	for i := range trained {
		trained[i].Dash, trained[i].Thin, trained[i].Colour = true, true, "c2"
	}
	var charts []report.Part
	if c := draw("Loss", "loss", "Dashed: training; solid: validation; each line is "+over+".", true, trained, meanCurve(histories, "validation", ValidLoss)); c != nil {
		charts = append(charts, c)
	}
	if s, ok := r.keptScore(); ok {
		title := task.ScoreTitle(s.Name)
		if c := draw("Validation "+title, title, "The line is "+over+".", false, meanCurve(histories, "validation", validScore(s.Name))); c != nil {
			charts = append(charts, c)
		}
	}
	t := &report.DataTable{Label: "Scores over the seeds", Class: "narrow w1", Columns: []report.DataColumn{{Name: "score", Left: true}, {Name: "mean", Sort: true}, {Name: "standard deviation"}}, Note: fmt.Sprintf("Of the test set, over the seeds %d to %d; the run of %[1]d is the one that predicts.", seeds.Runs[0].Seed, seeds.Runs[len(seeds.Runs)-1].Seed)}
	for _, x := range seeds.Scores {
		if x.Part == source.PartTest && !r.averaged(x.Name) {
			t.Rows = append(t.Rows, report.DataRow{Cells: []report.DataCell{report.TextCell(task.ScoreTitle(x.Name)), report.NumberCell(Number(x.Mean), x.Mean), report.NumberCell(Number(x.Deviation), x.Deviation)}})
		}
	}
	out := []report.Part{report.Heading{Name: "Training", Title: fmt.Sprintf("Training, %d seeds", len(histories))}, report.Cards{Parts: charts}}
	if len(t.Rows) > 0 {
		out = append(out, t)
	}
	return out, nil
}

// seedHistories returns the epochs of the finished runs of several seeds; nil for fewer than two.
func seedHistories(dir string) (*session.Seeds, [][]train.EpochInfo, error) {
	seeds, err := session.ReadSeeds(dir)
	if err != nil || seeds == nil {
		return nil, nil, err
	}
	var out [][]train.EpochInfo
	for _, run := range seeds.Runs {
		if run.Result == nil {
			continue
		}
		h, err := train.ReadHistory(filepath.Join(dir, run.Dir))
		if err != nil {
			return nil, nil, err
		}
		out = append(out, h)
	}
	if len(out) < 2 {
		return nil, nil, nil
	}
	return seeds, out, nil
}

// meanCurve is the mean of a score over runs by epoch, with the range as a band; epochs that fewer than two runs reached are left out.
func meanCurve(of [][]train.EpochInfo, name string, value func(e train.EpochInfo) float64) []report.Series {
	at := map[int][]float64{}
	for _, history := range of {
		for _, e := range history {
			if v := value(e); !math.IsNaN(v) && !math.IsInf(v, 0) {
				at[e.Epoch] = append(at[e.Epoch], v)
			}
		}
	}
	mean := report.Series{Name: name, Colour: "c1"}
	low, high := map[float64]float64{}, map[float64]float64{}
	for _, epoch := range slices.Sorted(maps.Keys(at)) {
		values, x := at[epoch], float64(epoch)
		if len(values) < 2 {
			continue
		}
		sum := lists.Sum(values)
		low[x], high[x] = slices.Min(values), slices.Max(values)
		mean.X, mean.Y = append(mean.X, x), append(mean.Y, sum/float64(len(values)))
	}
	if len(mean.X) < 2 {
		return nil
	}
	mean = fewer(mean)
	band := mean
	band.Kind = report.Band
	for _, x := range mean.X {
		band.Low, band.High = append(band.Low, low[x]), append(band.High, high[x])
	}
	return []report.Series{band, mean}
}

// withBands returns series, with the ends of their bands as further series, to compute axes.
func withBands(of []report.Series) (out []report.Series) {
	for _, s := range of {
		out = append(out, s)
		for _, y := range [][]float64{s.Low, s.High} {
			if y != nil {
				out = append(out, report.Series{X: s.X, Y: y})
			}
		}
	}
	return out
}

// keptDot is a dot at the selected epoch.
func keptDot(s report.Series, best int) []report.Series {
	for i, x := range s.X {
		if int(x) == best {
			return []report.Series{{Kind: report.Dots, Colour: s.Colour, X: []float64{x}, Y: []float64{s.Y[i]}}}
		}
	}
	return nil
}

// keptScore is the validation score that selects the epoch, or else the first important score, by epoch.
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

// fewer is a curve reduced to at most mostEpochs points.
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
