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

// TrainResult is the result of a training.
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
	// PositiveClass is the class whose f1, precision and recall are scored, if there is one.
	PositiveClass string `json:"positive_class,omitempty"`
	// Numbers is how many numbers are predicted for an item, if there are several; their errors have different units.
	Numbers int          `json:"numbers,omitempty"`
	Valid   train.Scores `json:"valid,omitempty"`
	Test    train.Scores `json:"test,omitempty"`
	// Threshold says what the threshold of two classes does on the validation set; nil for other tasks.
	Threshold *ThresholdResult `json:"threshold,omitempty"`
	// Warnings describe problems of the run, for example a score below that of a constant prediction.
	Warnings []string `json:"warnings,omitempty"`
	// Leaderboard has the learners of model.Auto; nil for other models.
	Leaderboard []auto.Entry `json:"leaderboard,omitempty"`
	// Seeds has the results of all seeds, if there are several; the result itself is that of the first.
	Seeds *Seeds `json:"seeds,omitempty"`
	// Interrupted says that Resume can continue the run.
	Interrupted bool `json:"interrupted,omitempty"`
}

// Text prints the result for people, without paths.
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

// unprinted are scores that only documents contain: no option asks for them, and they add little to
// the other scores.
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

// scoresText lists scores in short, with the name of the positive class. A score that is undefined
// for the data, for example ROC-AUC if all items have the same class, is printed as undefined.
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

// Take stores the result of training m.
func (r *TrainResult) Take(res *train.Result, m model.Model) {
	r.Epochs, r.BestEpoch, r.Stopped, r.Seconds = len(res.History), res.BestEpoch, res.Stopped, res.Seconds
	r.Interrupted = res.Stopped == train.StoppedCancelled
	for _, p := range m.Params() {
		if !p.Buffer {
			r.Params += p.Value.Size()
		}
	}
}
