package task

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"math"
	"slices"

	"github.com/ehgnn/ehgnn/data/tables"
	"github.com/ehgnn/ehgnn/graph"
	"github.com/ehgnn/ehgnn/metric"
	"github.com/ehgnn/ehgnn/model"
	"github.com/ehgnn/ehgnn/nn"
	"github.com/ehgnn/ehgnn/nn/loss"
	"github.com/ehgnn/ehgnn/tensor"
	"github.com/ehgnn/ehgnn/train"
)

// problem is the loss and the scores for package train. The scores of classes are
// at a threshold of one half while training goes on; see chooseThreshold.
func (s *EdgeSession) problem() train.Problem {
	return train.Problem{
		Model: s.Model,
		Loss: func(p *nn.Pass, b *graph.Batch) (*tensor.Tensor, float64) {
			if s.scored(b) == 0 {
				return nil, 0
			}
			return s.loss(s.Model.Forward(p, b).Edge, b)
		},
		Score: func() train.Scorer { return &edgeScorer{s: s} },
	}
}

// scored counts the edges of a batch with a label.
func (s *EdgeSession) scored(b *graph.Batch) int {
	if s.Settings.Task == EdgeRegression {
		return loss.Labelled(b.EdgeTargets)
	}
	n := 0
	for _, c := range b.EdgeLabels {
		if c >= 0 {
			n++
		}
	}
	return n
}

// loss is the weighted cross-entropy, or the mean squared error in units of the
// label's deviation, with its weight.
func (s *EdgeSession) loss(out *tensor.Tensor, b *graph.Batch) (*tensor.Tensor, float64) {
	if s.Settings.Task == EdgeRegression {
		e := s.Settings.Encoder
		n := loss.Labelled(b.EdgeTargets)
		y, mask := tensor.New(out.Shape()...), tensor.New(out.Shape()...)
		for i, v := range b.EdgeTargets.Data() {
			if v := float64(v); !math.IsNaN(v) {
				y.Data()[i], mask.Data()[i] = float32((v-e.Mean)/e.Scale), 1
			}
		}
		return out.Sub(y).Mul(mask).Square().Sum().MulScalar(1 / float32(n)), float64(n)
	}
	l, err := loss.NewLabels(b.EdgeLabels, s.Settings.Model.Out, s.Settings.ClassWeights)
	if err != nil { // the encoder knows the classes
		panic(&tensor.ShapeError{Op: "labels", Shapes: [][]int{{len(b.EdgeLabels)}, {s.Settings.Model.Out}}, Want: err.Error()})
	}
	return loss.CrossEntropy(out, l), l.Total
}

// edgeScorer keeps the outputs for the labelled edges to the end, as ROC-AUC
// demands.
type edgeScorer struct {
	s             *EdgeSession
	total, weight float64 // of the loss
	rows          []float32
	class         []int32
	target        []float32
}

func (c *edgeScorer) Add(p *nn.Pass, b *graph.Batch) {
	if c.s.scored(b) == 0 {
		return
	}
	out := c.s.Model.Forward(p, b)
	l, w := c.s.loss(out.Edge, b)
	c.total, c.weight = c.total+float64(l.Item())*w, c.weight+w
	c.take(out, b)
}

// take keeps the outputs of labelled edges.
func (c *edgeScorer) take(out *model.Output, b *graph.Batch) {
	k := c.s.Settings.Model.Out
	if c.s.Settings.Task == EdgeRegression {
		for e, v := range b.EdgeTargets.Data() {
			if !math.IsNaN(float64(v)) {
				c.rows, c.target = append(c.rows, out.Edge.Data()[e]), append(c.target, v)
			}
		}
		return
	}
	prob := out.Edge.Softmax().Data()
	for e, label := range b.EdgeLabels {
		if label >= 0 {
			c.rows, c.class = append(c.rows, prob[e*k:][:k]...), append(c.class, label)
		}
	}
}

// Scores are, of classes: loss, accuracy, macro_f1; of two also f1, precision and
// recall of the rarer class at the threshold, roc_auc and average_precision. Of
// numbers: loss, mae, rmse and r2, in the unit of the data. What is not defined is
// NaN.
func (c *edgeScorer) Scores() (train.Scores, error) {
	out := train.Scores{{Name: "loss", Value: c.total / c.weight}}
	var failed error
	add := func(name string, v float64, err error) {
		if v, err = orNaN(v, err); err != nil && failed == nil {
			failed = err
		}
		out = append(out, train.Score{Name: name, Value: v})
	}
	if c.s.Settings.Task == EdgeRegression {
		prediction := c.s.restore(c.rows)
		mae, err := metric.MAE(prediction, c.target)
		add("mae", mae, err)
		rmse, err := metric.RMSE(prediction, c.target)
		add("rmse", rmse, err)
		r2, err := metric.R2(prediction, c.target)
		add("r2", r2, err)
		return out, failed
	}
	confusion, err := metric.NewConfusion(c.s.predicted(c.rows), c.class, c.s.Settings.Model.Out)
	if err != nil {
		return nil, err
	}
	accuracy, err := confusion.Accuracy()
	add("accuracy", accuracy, err)
	macro, err := confusion.MacroF1()
	add("macro_f1", macro, err)
	pos := c.s.Settings.Positive
	if pos < 0 {
		return out, failed
	}
	f1, err := confusion.F1(pos)
	add("f1", f1, err)
	precision, err := confusion.Precision(pos)
	add("precision", precision, err)
	recall, err := confusion.Recall(pos)
	add("recall", recall, err)
	score, target := c.positive(pos)
	auc, err := metric.ROCAUC(score, target)
	add("roc_auc", auc, err)
	ap, err := metric.AveragePrecision(score, target)
	add("average_precision", ap, err)
	return out, failed
}

// positive is the probability of the positive class, and 1 for edges that are of it.
func (c *edgeScorer) positive(pos int) (score, target []float32) {
	k := c.s.Settings.Model.Out
	for i, label := range c.class {
		score = append(score, c.rows[i*k+pos])
		target = append(target, 0)
		if int(label) == pos {
			target[i] = 1
		}
	}
	return score, target
}

// EdgeEvaluation is the result of EdgeSession.Evaluate.
type EdgeEvaluation struct {
	Run    string       `json:"run,omitempty"`
	Data   string       `json:"data"`
	Part   string       `json:"part"`
	Edges  int          `json:"edges"` // of the part that have a label
	Scores train.Scores `json:"scores"`
}

// Text prints the evaluation for people.
func (e *EdgeEvaluation) Text(w io.Writer) error {
	_, err := fmt.Fprintf(w, "%s, %s, %d edges: %s\n", e.Data, e.Part, e.Edges, scoresText(e.Scores))
	return err
}

// Evaluate scores the model on the labelled edges of a part. Without any it is an
// error of the input.
func (s *EdgeSession) Evaluate(ctx context.Context, part string) (*EdgeEvaluation, error) {
	in, err := s.part(part)
	if err != nil {
		return nil, err
	}
	e := &EdgeEvaluation{Data: s.Set.Name, Part: part, Edges: labelledEdges(in)}
	if e.Edges == 0 {
		return nil, misuse("task: %s, part %s: no edge has a label to score predictions by", e.Data, part)
	}
	e.Scores, err = s.scores(ctx, part)
	return e, err
}

// labelledEdges counts the edges of an input that have a label.
func labelledEdges(in *tables.Input) int {
	n := 0
	for _, c := range in.Graph.EdgeLabel {
		if c >= 0 {
			n++
		}
	}
	for _, v := range in.Graph.EdgeTargets {
		if !math.IsNaN(float64(v)) {
			n++
		}
	}
	return n
}

// scores is nil for a part without labelled edges.
func (s *EdgeSession) scores(ctx context.Context, part string) (train.Scores, error) {
	in, err := s.part(part)
	if err != nil {
		return nil, err
	}
	return train.Evaluate(ctx, s.problem(), []*graph.Graph{in.Graph}, s.config())
}

// chooseThreshold sets the probability from which an edge counts as positive: that
// with the best F1 over the validation edges.
func (s *EdgeSession) chooseThreshold(ctx context.Context) error {
	if s.Settings.Positive < 0 {
		return nil
	}
	in, err := s.part(PartValid)
	if err != nil {
		return err
	}
	c := &edgeScorer{s: s}
	err = train.ForEachBatch(ctx, []*graph.Graph{in.Graph}, s.config(), func(p *nn.Pass, _ int, b *graph.Batch) error {
		c.take(s.Model.Forward(p, b), b)
		return nil
	})
	if err != nil {
		return err
	}
	s.Settings.Threshold = bestThreshold(c.positive(s.Settings.Positive))
	return nil
}

// bestThreshold is the cut with the best F1 of what scores at least as much: half
// way between two scores, the highest of equally good cuts, and one half without
// positives.
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
		next := 0.0 // the score below
		if n+1 < len(order) {
			if next = float64(score[order[n+1]]); next == float64(score[i]) {
				continue // equal scores are on one side
			}
		}
		if f1 := 2 * float64(found) / float64(n+1+positives); f1 > best {
			best, at = f1, (float64(score[i])+next)/2
		}
	}
	return at
}
