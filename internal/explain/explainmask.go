package explain

import (
	"context"
	"math"
	"slices"

	"github.com/ehgnn/ehgnn/graph"
	"github.com/ehgnn/ehgnn/internal/lists"
	"github.com/ehgnn/ehgnn/internal/rng"
	"github.com/ehgnn/ehgnn/internal/settings"
	"github.com/ehgnn/ehgnn/internal/task"
	"github.com/ehgnn/ehgnn/nn"
	"github.com/ehgnn/ehgnn/optim"
	"github.com/ehgnn/ehgnn/tensor"
)

// Mask learns a weight between 0 and 1 for each edge, such that the prediction is kept with a small
// sum of weights (GNNExplainer, Ying et al., 2019), from several starts.
const Mask = "mask"

// Settings of GNNExplainer as published, and the number of starts: a single start is not reliable.
const (
	maskStarts  = 5
	maskSteps   = 100
	maskRate    = 0.1
	maskSize    = 0.005 // weight of the sum of the mask
	maskEntropy = 1     // weight of the mean entropy of its entries
)

// mask returns the mean of the weights over the starts and their deviation.
func (x *explained) mask(ctx context.Context) (scores, spread []float32, err error) {
	m := len(x.edges)
	if m == 0 {
		return nil, nil, nil
	}
	starts := make([][]float32, maskStarts)
	for k := range starts {
		if starts[k], err = x.maskFrom(ctx, k); err != nil {
			return nil, nil, err
		}
	}
	scores, spread = make([]float32, m), make([]float32, m)
	of := make([]float32, maskStarts)
	for e := range m {
		for k, w := range starts {
			of[k] = w[e]
			scores[e] += w[e] / maskStarts
		}
		spread[e] = task.Std(of)
	}
	return scores, spread, nil
}

// maskFrom learns the mask from one start.
func (x *explained) maskFrom(ctx context.Context, start int) ([]float32, error) {
	s := x.session
	m := len(x.edges)
	logit := &tensor.Param{Name: "mask", Value: tensor.New(m)}
	random := rng.Stream(s.Settings.Train.Seed, "explain", "mask", start)
	for e := range logit.Value.Data() {
		logit.Value.Data()[e] = float32(0.1 * random.NormFloat64())
	}
	opt, err := optim.NewAdam([]*tensor.Param{logit}, optim.AdamConfig{})
	if err != nil {
		return nil, err
	}
	var entry *tensor.Index
	for step := range maskSteps {
		err := x.onGraph(ctx, func(p *nn.Pass, b *graph.Batch) error {
			if entry == nil {
				entry = x.masked(b)
			}
			w := p.Tape.Watch(logit).Sigmoid()
			with := *b
			with.W = tensor.Gather(tensor.Concat(0, w, tensor.Full(1, 1)), entry)
			if b.W != nil {
				with.W = with.W.Mul(b.W)
			}
			fit := x.keepLoss(x.row(p, &with))
			if step == 0 && start == 0 && !depends(p.Tape.Grad(fit, p.Tape.Watch(logit))[0]) {
				return settings.Misuse("model %s does not read weights of edges, which method %s learns; %s works with every model", s.Settings.ModelName, Mask, Occlusion)
			}
			loss := fit.Add(w.Sum().MulScalar(maskSize)).Add(entropy(w).MulScalar(maskEntropy / float32(m)))
			opt.Step(maskRate, p.Tape.Grad(loss, p.Tape.Watch(logit)))
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	return lists.Map(logit.Value.Data(), func(z float32) float32 { return float32(1 / (1 + math.Exp(-float64(z)))) }), nil
}

// masked returns the mask entry of each edge of a batch. The last entry is 1, for edges without a
// mask.
func (x *explained) masked(b *graph.Batch) *tensor.Index {
	of := x.scored(b)
	for i, k := range of {
		if k < 0 {
			of[i] = int32(len(x.edges))
		}
	}
	return tensor.MustIndex(of, len(x.edges)+1)
}

// depends reports whether some element of a gradient is not 0.
func depends(g *tensor.Tensor) bool {
	return slices.ContainsFunc(g.Data(), func(v float32) bool { return v != 0 })
}

// keepLoss is a loss that is small if outputs [1,out] agree with the prediction for the whole graph:
// for classes the negative log probability of the target, for labels that of the predicted value,
// for numbers the squared difference in units of the training deviation.
func (x *explained) keepLoss(y *tensor.Tensor) *tensor.Tensor {
	set := &x.session.Settings
	pick := tensor.New(1, y.Dim(1))
	pick.Data()[x.target] = 1
	switch {
	case set.Classifies():
		return y.LogSoftmax().Mul(pick).Sum().MulScalar(-1)
	case set.Target.Units != nil:
		u := set.Target.Units[x.target]
		return y.Mul(pick).Sum().AddScalar(-float32((x.full.value - u.Mean) / u.Scale)).Square()
	}
	if x.full.class == 1 {
		pick.Data()[x.target] = -1
	}
	return y.Mul(pick).Sum().Softplus()
}

// entropy is the sum of the binary entropies of numbers between 0 and 1.
func entropy(w *tensor.Tensor) *tensor.Tensor {
	const least = 1e-6
	not := w.MulScalar(-1).AddScalar(1)
	return w.Mul(w.AddScalar(least).Log()).Add(not.Mul(not.AddScalar(least).Log())).Sum().MulScalar(-1)
}
