package task

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/ehgnn/ehgnn/graph"
	"github.com/ehgnn/ehgnn/internal/settings"
	"github.com/ehgnn/ehgnn/internal/source"
	"github.com/ehgnn/ehgnn/metric"
	"github.com/ehgnn/ehgnn/model"
	"github.com/ehgnn/ehgnn/nn"
	"github.com/ehgnn/ehgnn/nn/loss"
	"github.com/ehgnn/ehgnn/tensor"
	"github.com/ehgnn/ehgnn/train"
)

// classScorer scores one class per item. For nodes and graphs it sums loss and accuracy. For edges
// it keeps the probabilities of all edges that have a class, which ROC-AUC needs. During training
// the threshold is one half and there is no temperature; classChooser sets both after training.
type classScorer struct {
	model         model.Model
	loss          classLoss
	target        *settings.Target
	total, weight float64 // sums for the loss
	right         int     // for nodes and graphs
	rows          []float32
	class, item   []int32 // class, and row of the batch, of each of rows

	full    bool
	others  map[int32][]int32 // see Part.Others
	written bool              // the loss is that of the final predictions
}

// FullScorer is a scorer that has more scores for an evaluation of a part than for an epoch of
// training.
type FullScorer interface{ EnableFull(p *source.Part) }

// Final is a scorer whose loss changes after training to the loss of the final predictions:
// calibrated probabilities without class weights, or numbers in the unit of the data.
type Final interface{ Settle() }

func (c *classScorer) Settle() { c.written = true }

func (c *classScorer) EnableFull(p *source.Part) {
	c.full = true
	if p.Others != nil && c.loss.classes > 2 {
		c.others = p.Others()
	}
}

func (c *classScorer) Add(p *nn.Pass, b *graph.Batch) {
	l := c.loss.labels(b)
	if l.Total == 0 {
		return
	}
	out := OutputOf(c.loss.items, c.model.Forward(p, b))
	c.weight += l.Total
	if c.loss.items == settings.Edges {
		c.total += float64(c.loss.value(out, l).Item()) * l.Total
	} else {
		logp := out.LogSoftmax()
		c.total += float64(loss.NLLSum(logp, l).Item())
		for i, k := range argmaxRows(logp) {
			if k == l.Class[i] {
				c.right++
			}
		}
	}
	if c.loss.items == settings.Edges || c.target.Binary != nil || c.target.Temperature != 0 || c.target.Conformal != nil || c.rescored() {
		class := classesOf(c.loss.items, b)
		c.rows, c.class = appendLabelled(c.rows, c.class, out.Softmax(), class)
		for i, k := range class {
			if k >= 0 {
				c.item = append(c.item, int32(i))
			}
		}
	}
}

// rescored reports whether the final loss differs from the training loss.
func (c *classScorer) rescored() bool {
	return c.written && (c.target.Temperature != 0 || c.loss.weights != nil)
}

// logLoss is the mean negative logarithm of the probabilities of the true classes. A probability of
// 0 is replaced by the smallest positive number.
func (c *classScorer) logLoss() float64 {
	sum := 0.0
	for i, k := range c.class {
		p := c.rows[i*c.loss.classes+int(k)]
		sum -= math.Log(max(float64(p), math.SmallestNonzeroFloat32))
	}
	return sum / float64(len(c.class))
}

// appendLabelled appends the rows and classes of the items that have a class.
func appendLabelled(rows []float32, class []int32, from *tensor.Tensor, label []int32) ([]float32, []int32) {
	k := from.Dim(1)
	for i, c := range label {
		if c >= 0 {
			rows, class = append(rows, from.Data()[i*k:][:k]...), append(class, c)
		}
	}
	return rows, class
}

// scoreList collects scores. A score that is undefined for the data is NaN.
type scoreList struct {
	train.Scores
	failed error
}

func (l *scoreList) Add(name string, v float64, err error) {
	if v, err = orNaN(v, err); err != nil && l.failed == nil {
		l.failed = err
	}
	l.Scores = append(l.Scores, train.Score{Name: name, Value: v})
}

// Scores returns loss and accuracy; the loss of a trained model is the log loss of its predictions.
// Edges also have macro_f1 and, for two classes, roc_auc, average_precision, and f1, precision and
// recall of the rarer class at the threshold. A full evaluation of edges adds mrr and hit@k, or for
// two classes the recall at each budget. ece is the expected calibration error, for edges and for
// calibrated nodes and graphs. coverage and set_size exist if sets are predicted.
func (c *classScorer) Scores() (train.Scores, error) {
	var out scoreList
	out.Add("loss", c.total/c.weight, nil)
	k := c.loss.classes
	// Scores that depend on the order of probabilities use the softmax probabilities: a temperature
	// keeps the order, but may round different probabilities to the same number.
	ranks, err := c.ranks()
	if err != nil {
		return nil, err
	}
	var score, target []float32
	if b := c.target.Binary; b != nil {
		score, target = positives(c.rows, c.class, k, b.Positive)
	}
	predicted := make([]int32, len(c.class))
	for i := range predicted {
		predicted[i] = c.target.Decide(c.rows[i*k:][:k])
	}
	if c.rescored() {
		out.Scores[0].Value = c.logLoss()
	}
	if c.loss.items == settings.Edges || c.target.Binary != nil {
		if err := c.ofClasses(&out, predicted); err != nil {
			return nil, err
		}
	} else {
		out.Add("accuracy", float64(c.right)/c.weight, nil)
	}
	switch {
	case c.target.Binary != nil:
		c.ofPositives(&out, score, target)
	case ranks != nil:
		c.ofRanks(&out, ranks)
	}
	if c.full && (c.loss.items == settings.Edges || c.target.Temperature != 0) {
		ece, err := calibrationError(c.rows, c.class, k)
		out.Add("ece", ece, err)
	}
	if c.target.Conformal != nil {
		c.ofSets(&out)
	}
	return out.Scores, out.failed
}

// ofClasses adds the scores of predicted classes, for edges and for other items with a threshold.
func (c *classScorer) ofClasses(out *scoreList, predicted []int32) error {
	confusion, err := metric.NewConfusion(predicted, c.class, c.loss.classes)
	if err != nil {
		return err
	}
	accuracy, err := confusion.Accuracy()
	out.Add("accuracy", accuracy, err)
	macro, err := confusion.MacroF1()
	out.Add("macro_f1", macro, err)
	if c.target.Binary == nil {
		return nil
	}
	pos := c.target.Binary.Positive
	f1, err := confusion.F1(pos)
	out.Add("f1", f1, err)
	precision, err := confusion.Precision(pos)
	out.Add("precision", precision, err)
	recall, err := confusion.Recall(pos)
	out.Add("recall", recall, err)
	return nil
}

// ofPositives adds the scores of edges ordered by the probability of the positive class.
func (c *classScorer) ofPositives(out *scoreList, score, target []float32) {
	auc, err := metric.ROCAUC(score, target)
	out.Add("roc_auc", auc, err)
	ap, err := metric.AveragePrecision(score, target)
	out.Add("average_precision", ap, err)
	if !c.full {
		return
	}
	for _, budget := range c.target.Budget {
		recall, err := metric.RecallAt(score, target, Budgeted(budget, len(score)))
		out.Add(settings.RecallScore(budget), recall, err)
	}
}

// Budgeted is how many of n items a budget covers, at least 1.
func Budgeted(budget float64, n int) int {
	if budget < 1 {
		budget *= float64(n)
	}
	return max(int(math.Round(budget)), 1)
}

// ofRanks adds the scores of the ranks of true classes, if there are many classes.
func (c *classScorer) ofRanks(out *scoreList, ranks []float64) {
	mrr, err := metric.MRR(ranks)
	out.Add("mrr", mrr, err)
	for _, k := range []int{1, 3, 10} {
		if k < c.loss.classes {
			hits, err := metric.HitsAt(ranks, k)
			out.Add(fmt.Sprintf("hit@%d", k), hits, err)
		}
	}
}

// ranks returns the ranks of the true classes, filtered: other true classes of edges between the same nodes do not count.
func (c *classScorer) ranks() ([]float64, error) {
	if !c.full || c.loss.items != settings.Edges || c.loss.classes < 3 {
		return nil, nil
	}
	known := make([][]int32, len(c.class))
	for i, item := range c.item {
		known[i] = c.others[item]
	}
	return metric.Ranks(c.rows, c.class, c.loss.classes, known)
}

// calibrationBins is the number of bins of the expected calibration error, as published.
const calibrationBins = 15

// calibrationError is the expected calibration error of the most probable classes.
func calibrationError(rows []float32, class []int32, classes int) (float64, error) {
	confidence, right := make([]float32, len(class)), make([]float32, len(class))
	for i, label := range class {
		row := rows[i*classes:][:classes]
		best := settings.Argmax(row)
		confidence[i] = min(row[best], 1) // softmax may round to more than 1
		if best == label {
			right[i] = 1
		}
	}
	return metric.ExpectedCalibrationError(confidence, right, calibrationBins)
}

// ofSets adds the share of items whose class is in their set, and the mean size of the sets.
func (c *classScorer) ofSets(out *scoreList) {
	k := c.loss.classes
	covered, size := 0, 0
	for i, label := range c.class {
		set := c.target.Conformal.Set(c.rows[i*k:][:k])
		if size += len(set); slices.Contains(set, label) {
			covered++
		}
	}
	n := float64(len(c.class))
	out.Add("coverage", float64(covered)/n, nil)
	out.Add("set_size", float64(size)/n, nil)
}

// positives returns the probabilities of class pos and, for each item, 1 if it is in this class,
// else 0.
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

// Selection describes how the tested epoch is selected.
func Selection(s settings.Settings) string {
	which, metric := "lowest", s.Train.Monitor.Metric
	metric = cmp.Or(metric, "loss")
	if s.Train.Monitor.Maximize {
		which = "highest"
	}
	part := "set"
	if s.Split.Kind == settings.SplitFold || s.Split.Folds > 0 {
		part = "fold"
	}
	return fmt.Sprintf("%s validation %s, then one look at the test %s", which, ScoreTitle(metric), part)
}

// ScoreTitle is the name of a score in texts.
func ScoreTitle(name string) string {
	if title, ok := scoreTitles[name]; ok {
		return title
	}
	return strings.ReplaceAll(name, "_", " ")
}

var scoreTitles = map[string]string{"roc_auc": "ROC-AUC", "rmse": "RMSE", "mae": "MAE", "r2": "R²", "mrr": "MRR", "f1": "F1", "macro_f1": "macro F1", "ece": "calibration error"}
