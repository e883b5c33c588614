package session

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/ehgnn/ehgnn/internal/auto"
	"github.com/ehgnn/ehgnn/internal/settings"
	"github.com/ehgnn/ehgnn/internal/source"
	"github.com/ehgnn/ehgnn/internal/task"
	"github.com/ehgnn/ehgnn/model"
	"github.com/ehgnn/ehgnn/train"
)

// TrainResult is the outcome of a run.
type TrainResult struct {
	Run       string        `json:"run"`
	Task      string        `json:"task"`
	Model     string        `json:"model"`
	Dataset   string        `json:"dataset"`
	Epochs    int           `json:"epochs"`
	BestEpoch int           `json:"best_epoch"`
	Stopped   train.Stopped `json:"stopped"`
	Seconds   float64       `json:"seconds"`
	Params    int           `json:"parameters"`
	// PositiveClass is the class whose f1, precision and recall are scored, if they are.
	PositiveClass string `json:"positive_class,omitempty"`
	// Numbers is how many numbers are predicted of an item, where they are several; their errors have units of their own.
	Numbers int          `json:"numbers,omitempty"`
	Valid   train.Scores `json:"valid,omitempty"`
	Test    train.Scores `json:"test,omitempty"`
	// Threshold says what the threshold of two classes does on the validation set; nil for other tasks.
	Threshold *ThresholdResult `json:"threshold,omitempty"`
	// Warnings say what is wrong with the run, such as a score below that of the same answer for all.
	Warnings []string `json:"warnings,omitempty"`
	// Leaderboard has the learners that competed, where the model is model.Auto.
	Leaderboard []auto.Entry `json:"leaderboard,omitempty"`
	// Seeds are all seeds, where there were several; the result is that of the first.
	Seeds *Seeds `json:"seeds,omitempty"`
	// Interrupted says that Resume can continue the run.
	Interrupted bool `json:"interrupted,omitempty"`
}

// Text prints the result for people, without where it is.
func (r *TrainResult) Text(w io.Writer) error {
	why := map[train.Stopped]string{train.StoppedEpochs: "all done", train.StoppedPatience: "no better one for long enough"}[r.Stopped]
	lines := r.leaderboardLines()
	if lines == nil {
		lines = []string{fmt.Sprintf("%s on %s: %d parameters, best epoch %d of %d (%s), %.1f s",
			r.Model, r.Dataset, r.Params, r.BestEpoch, r.Epochs, why, r.Seconds)}
	}
	if table := r.scoreLines(); table != nil {
		lines = append(append(lines, ""), table...)
	}
	if n := r.Seeds; n != nil {
		lines = append(lines, fmt.Sprintf("  mean and standard deviation over the seeds %d to %d; the run of %d is used to predict", n.Runs[0].Seed, n.Runs[len(n.Runs)-1].Seed, n.Runs[0].Seed))
	}
	if r.Numbers > 1 {
		lines = append(lines, "  MAE and RMSE of each number, in its own unit, are in the report")
	}
	if r.Threshold != nil {
		lines = append(lines, "  "+r.Threshold.text(r.PositiveClass))
	}
	for _, w := range r.Warnings {
		lines = append(lines, "Warning: "+w)
	}
	return source.WriteLines(w, lines...)
}

// unprinted are the scores that are in documents only: those that nobody asked for by an
// option, and that say little more than the others.
func unprinted(s train.Scores) []string {
	out, byDefault := []string{"ece", "hit@3", "hit@10"}, true
	for _, budget := range settings.DefaultBudget() {
		_, ok := s.Get(settings.RecallScore(budget))
		byDefault = byDefault && ok
	}
	if byDefault {
		for _, budget := range settings.DefaultBudget() {
			out = append(out, settings.RecallScore(budget))
		}
	}
	return out
}

// scoresText lists scores in short; those of the positive class name it. One that the data do
// not define, as the area under a curve where all are of one class, is said to be undefined.
func scoresText(s train.Scores, class string) string {
	var parts []string
	hidden := unprinted(s)
	for _, v := range s {
		if slices.Contains(hidden, v.Name) {
			continue
		}
		digits, name := 4, strings.ReplaceAll(v.Name, "_", " ")
		if v.Name == task.CountedScore {
			digits = 0
		}
		if class != "" && (slices.Contains([]string{"f1", "precision", "recall"}, v.Name) || strings.HasPrefix(v.Name, "recall@")) {
			name += " of " + class
		}
		value := "undefined"
		if !math.IsNaN(v.Value) {
			value = strconv.FormatFloat(v.Value, 'f', digits, 64)
		}
		parts = append(parts, name+" "+value)
	}
	return strings.Join(parts, ", ")
}

// Take adopts the outcome of training m.
func (r *TrainResult) Take(res *train.Result, m model.Model) {
	r.Epochs, r.BestEpoch, r.Stopped, r.Seconds = len(res.History), res.BestEpoch, res.Stopped, res.Seconds
	r.Interrupted = res.Stopped == train.StoppedCancelled
	for _, p := range m.Params() {
		if !p.Buffer {
			r.Params += p.Value.Size()
		}
	}
}
