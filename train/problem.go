package train

import (
	"errors"
	"fmt"
	"slices"

	"github.com/ehgnn/ehgnn/graph"
	"github.com/ehgnn/ehgnn/nn"
	"github.com/ehgnn/ehgnn/tensor"
)

// Problem is what is trained. Only one goroutine at a time calls its functions, except Prepare.
// They must depend only on their arguments and the model's parameters.
type Problem struct {
	// Model is trained in place. Its parameters have different names.
	Model nn.Module

	// Loss returns the mean loss of a batch as a scalar on the tape of the pass, and the number of
	// items in the mean: graphs, nodes or edges. The number is the weight of the batch in the loss
	// of an epoch. 0 means that the batch has nothing to learn from, such as no labels or no edges:
	// the step is skipped and the loss, which may be nil, is ignored.
	Loss func(p *nn.Pass, b *graph.Batch) (loss *tensor.Tensor, weight float64)

	// Score opens an evaluation. If nil, evaluations have one score, "loss": the weighted mean of
	// Loss.
	Score func() Scorer

	// Prepare, if not nil, is called once for every batch before it is used, possibly in another
	// goroutine while the model trains on an earlier batch. It can build what a batch caches, such
	// as its adjacency.
	Prepare func(b *graph.Batch)
}

// Scorer measures a model over the batches of one evaluation. It may keep predictions until the
// end, for example for the area under a ROC curve. Sums makes a Scorer for ratios of sums.
type Scorer interface {
	// Add scores one batch. Tensors of the pass are invalid after it returns.
	Add(p *nn.Pass, b *graph.Batch)
	// Scores returns the result after the last batch.
	Scores() (Scores, error)
}

// Sum is a part of a score that is a ratio of sums over all batches: Total/Weight. For a mean loss
// Total is loss·items and Weight is items. For an accuracy Total is the number of correct
// predictions.
type Sum struct {
	Name          string
	Total, Weight float64
}

// Sums makes a Scorer from a function that returns the sums of one batch. Sums with the same name
// are added, in the order of batches. A score is NaN if all its weights are zero.
func Sums(batch func(p *nn.Pass, b *graph.Batch) []Sum) func() Scorer {
	return func() Scorer { return &sumScorer{batch: batch} }
}

type sumScorer struct {
	batch func(*nn.Pass, *graph.Batch) []Sum
	sums  []Sum
}

func (s *sumScorer) Add(p *nn.Pass, b *graph.Batch) {
	for _, part := range s.batch(p, b) {
		i := slices.IndexFunc(s.sums, func(have Sum) bool { return have.Name == part.Name })
		if i < 0 {
			i = len(s.sums)
			s.sums = append(s.sums, Sum{Name: part.Name})
		}
		s.sums[i].Total += part.Total
		s.sums[i].Weight += part.Weight
	}
}

func (s *sumScorer) Scores() (Scores, error) {
	out := make(Scores, len(s.sums))
	for i, sum := range s.sums {
		out[i] = Score{Name: sum.Name, Value: sum.Total / sum.Weight}
	}
	return out, nil
}

// scorer returns Score(), or a scorer of the mean loss if Score is nil.
func (p *Problem) scorer() Scorer {
	if p.Score != nil {
		return p.Score()
	}
	return Sums(func(pass *nn.Pass, b *graph.Batch) []Sum {
		loss, weight := p.Loss(pass, b)
		if weight == 0 {
			return []Sum{{Name: lossScore}}
		}
		return []Sum{{Name: lossScore, Total: float64(loss.Item()) * weight, Weight: weight}}
	})()
}

// lossScore is the score that Monitor compares by default.
const lossScore = "loss"

func (p *Problem) validate() error {
	switch {
	case p.Model == nil:
		return errors.New("train: Problem.Model is nil")
	case p.Loss == nil:
		return errors.New("train: Problem.Loss is nil")
	}
	return checkNames(p.Model.Params())
}

// checkNames checks that the names of parameters differ, as files require. A parameter that is
// listed twice would also be updated twice.
func checkNames(params []*tensor.Param) error {
	seen := make(map[string]bool, len(params))
	for _, p := range params {
		if seen[p.Name] {
			return fmt.Errorf("train: the model lists two parameters named %q", p.Name)
		}
		seen[p.Name] = true
	}
	return nil
}
