package task

import (
	"cmp"
	"slices"

	"fmt"
	"strings"

	"github.com/ehgnn/ehgnn/graph"
	"github.com/ehgnn/ehgnn/metric"
	"github.com/ehgnn/ehgnn/model"
	"github.com/ehgnn/ehgnn/nn"
	"github.com/ehgnn/ehgnn/tensor"
	"github.com/ehgnn/ehgnn/train"
)

// classScorer keeps the probabilities of all labelled items, which ROC-AUC needs. During
// training an item counts as positive from a probability of one half; thresholdChooser sets
// the threshold afterwards.
type classScorer struct {
	model         model.Model
	loss          classLoss
	target        *Target
	total, weight float64 // sums for the loss
	rows          []float32
	class         []int32
}

func (c *classScorer) Add(p *nn.Pass, b *graph.Batch) {
	l := c.loss.labels(b)
	if l.Total == 0 {
		return
	}
	out := outputOf(c.loss.items, c.model.Forward(p, b))
	c.total, c.weight = c.total+float64(c.loss.of(out, l).Item())*l.Total, c.weight+l.Total
	c.rows, c.class = appendLabelled(c.rows, c.class, out, classesOf(c.loss.items, b))
}

// appendLabelled appends the probabilities and classes of the items that have a class.
func appendLabelled(rows []float32, class []int32, logits *tensor.Tensor, label []int32) ([]float32, []int32) {
	k := logits.Dim(1)
	prob := logits.Softmax().Data()
	for i, c := range label {
		if c >= 0 {
			rows, class = append(rows, prob[i*k:][:k]...), append(class, c)
		}
	}
	return rows, class
}

// Scores are loss, accuracy and macro_f1; for two classes also f1, precision and recall of
// the rarer class at the threshold, roc_auc and average_precision. A score that the data do
// not define is NaN.
func (c *classScorer) Scores() (train.Scores, error) {
	out := train.Scores{{Name: "loss", Value: c.total / c.weight}}
	var failed error
	add := func(name string, v float64, err error) {
		if v, err = orNaN(v, err); err != nil && failed == nil {
			failed = err
		}
		out = append(out, train.Score{Name: name, Value: v})
	}
	predicted := make([]int32, len(c.class))
	for i := range predicted {
		predicted[i] = c.target.Predicted(c.rows[i*c.loss.classes:][:c.loss.classes])
	}
	confusion, err := metric.NewConfusion(predicted, c.class, c.loss.classes)
	if err != nil {
		return nil, err
	}
	accuracy, err := confusion.Accuracy()
	add("accuracy", accuracy, err)
	macro, err := confusion.MacroF1()
	add("macro_f1", macro, err)
	if c.target.Binary == nil {
		return out, failed
	}
	pos := c.target.Binary.Positive
	f1, err := confusion.F1(pos)
	add("f1", f1, err)
	precision, err := confusion.Precision(pos)
	add("precision", precision, err)
	recall, err := confusion.Recall(pos)
	add("recall", recall, err)
	score, target := positives(c.rows, c.class, c.loss.classes, pos)
	auc, err := metric.ROCAUC(score, target)
	add("roc_auc", auc, err)
	ap, err := metric.AveragePrecision(score, target)
	add("average_precision", ap, err)
	return out, failed
}

// positives are the probabilities of class pos and, for each item, 1 if it is of that
// class, else 0.
func positives(rows []float32, class []int32, classes, pos int) (score, target []float32) {
	for i, label := range class {
		score = append(score, rows[i*classes+pos])
		target = append(target, 0)
		if int(label) == pos {
			target[i] = 1
		}
	}
	return score, target
}

// thresholdChooser sets the threshold of the positive class to the one with the best F1 on
// the validation part.
type thresholdChooser struct {
	settings *Settings
	items    Items
	rows     []float32
	class    []int32
}

func (c *thresholdChooser) Add(out *model.Output, b *graph.Batch) {
	c.rows, c.class = appendLabelled(c.rows, c.class, outputOf(c.items, out), classesOf(c.items, b))
}

func (c *thresholdChooser) Choose() {
	b := c.settings.Target.Binary
	b.Threshold = bestThreshold(positives(c.rows, c.class, c.settings.Model.Out, b.Positive))
}

// bestThreshold is the threshold with the best F1: half way between two scores, the highest
// of equally good ones, and one half where there are no positives.
func bestThreshold(score, target []float32) float64 {
	order := make([]int, len(score))
	positives := 0
	for i := range order {
		order[i] = i
		positives += int(target[i])
	}
	if positives == 0 {
		return 0.5
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(score[b], score[a]) })
	best, at, found := -1.0, 0.5, 0
	for n, i := range order {
		found += int(target[i])
		next := 0.0 // the next lower score
		if n+1 < len(order) {
			if next = float64(score[order[n+1]]); next == float64(score[i]) {
				continue // no threshold separates equal scores
			}
		}
		if f1 := 2 * float64(found) / float64(n+1+positives); f1 > best {
			best, at = f1, (float64(score[i])+next)/2
		}
	}
	return at
}

// Selection says how the epoch that is tested is selected.
func (s Settings) Selection() string {
	which, metric := "lowest", s.Train.Monitor.Metric
	if metric == "" {
		metric = "loss"
	}
	if s.Train.Monitor.Maximize {
		which = "highest"
	}
	part := "part"
	if s.Split.Kind == SplitFold || s.Split.Folds > 0 {
		part = "fold"
	}
	return fmt.Sprintf("%s validation %s, then one look at the test %s", which, ScoreTitle(metric), part)
}

// ScoreTitle is the name of a score for people.
func ScoreTitle(name string) string {
	switch name {
	case "roc_auc":
		return "ROC-AUC"
	case "rmse":
		return "RMSE"
	}
	return strings.ReplaceAll(name, "_", " ")
}
