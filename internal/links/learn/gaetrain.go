package learn

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/ehgnn/ehgnn/internal/links"
	"github.com/ehgnn/ehgnn/internal/lists"
	"github.com/ehgnn/ehgnn/internal/rng"
	"github.com/ehgnn/ehgnn/nn"
	"github.com/ehgnn/ehgnn/nn/loss"
	"github.com/ehgnn/ehgnn/optim"
	"github.com/ehgnn/ehgnn/tensor"
)

// poolSources is the largest number of nodes of a fold for which negatives are drawn, and poolEach
// is the number of negatives of each node.
const (
	poolSources = 4000
	poolEach    = 20
)

// GAETraining trains a GAE epoch by epoch.
type GAETraining struct {
	State
	Model *GAE

	folds    *Folds
	threads  int
	positive []float32 // structure columns of training pairs, standardised
	pool     [FoldCount]negativePool
}

// negativePool has uniform negatives of a fold with their structure columns.
type negativePool struct {
	pairs   [][2]int32
	columns []float32
}

// NewGAETraining computes the structure columns of training pairs and of pools of negatives.
func NewGAETraining(ctx context.Context, f *Folds, features *links.Features, c GAEConfig, threads int) (*GAETraining, error) {
	t := &GAETraining{Model: NewGAE(f.Data, features, c), folds: f, threads: threads}
	var err error
	if t.State, err = newState(t.Model.Params()); err != nil {
		return nil, err
	}
	return t, t.prepare(ctx)
}

func (t *GAETraining) prepare(ctx context.Context) error {
	f := t.folds
	var candidates []Candidate
	for i, p := range f.Pairs {
		candidates = append(candidates, Candidate{Fold: int(f.Fold[i]), Kept: p[0], Other: p[1]})
	}
	sources, targets := f.Data.Ends()
	r := rng.Stream(t.Model.Config.Seed, "links", "gae", "pool")
	for k := range FoldCount {
		for _, at := range r.Perm(len(sources))[:min(poolSources, len(sources))] {
			for range poolEach {
				if w, ok := f.draw(sources[at], false, targets, r.IntN); ok {
					candidates = append(candidates, Candidate{Fold: k, Kept: sources[at], Other: w})
				}
			}
		}
	}
	m := len(f.Pairs)
	for _, c := range candidates[m:] {
		t.pool[c.Fold].pairs = append(t.pool[c.Fold].pairs, c.Pair())
	}
	for k, p := range t.pool {
		if len(p.pairs) == 0 {
			return fmt.Errorf("gae: no pair of nodes is left that is not a training pair, of which negatives of fold %d could be drawn", k)
		}
	}
	if t.Model.columns == nil {
		return nil
	}
	return t.structure(ctx, candidates)
}

// structure computes and standardises the columns of training pairs and pools.
func (t *GAETraining) structure(ctx context.Context, candidates []Candidate) error {
	width := structureWidth(t.Model.kind)
	rows := make([]float32, len(candidates)*width)
	err := t.folds.Rows(ctx, t.threads, candidates, func(i int, w *links.Worker) {
		raw := w.Raw(candidates[i].Other, candidates[i].Reverse)
		structureOf(t.Model.kind, &raw, rows[i*width:(i+1)*width])
	})
	if err != nil {
		return err
	}
	m := len(t.folds.Pairs)
	sample := slices.Clone(rows[:m*width])
	step := max(1, (len(candidates)-m)/max(1, m))
	for i := m; i < len(candidates); i += step { // about as many negatives as there are pairs
		sample = append(sample, rows[i*width:(i+1)*width]...)
	}
	s := newStandard(sample, width)
	copy(t.Model.mean.Value.Data(), s.Mean)
	copy(t.Model.scale.Value.Data(), s.Scale)
	for i := range candidates {
		s.apply(rows[i*width : (i+1)*width])
	}
	t.positive = rows[:m*width]
	for i, c := range candidates[m:] {
		p := &t.pool[c.Fold]
		p.columns = append(p.columns, rows[(m+i)*width:(m+i+1)*width]...)
	}
	return nil
}

// BatchSize returns the number of training pairs in a step.
func (t *GAETraining) BatchSize() int {
	if b := t.Model.Config.Batch; b > 0 {
		return b
	}
	return max(512, min(8192, (len(t.folds.Pairs)+3)/4))
}

// Epoch trains one epoch.
func (t *GAETraining) Epoch(ctx context.Context, arena *tensor.Arena) (Epoch, error) {
	c := &t.Model.Config
	r := rng.Stream(c.Seed, "links", "gae", "epoch", t.Done)
	return t.run(ctx, "gae", r, len(t.folds.Pairs), t.BatchSize(), c.Rate, func(of []int) (float32, error) { return t.step(arena, of, r) })
}

// batch has the pairs of a step, positives before negatives.
type batch struct {
	pairs   [][2]int32
	columns []float32
	hidden  map[[2]int32]bool // the positives, which are not in the graph
}

func (t *GAETraining) batch(places []int, r *rand.Rand) *batch {
	width := structureWidth(t.Model.kind)
	b := &batch{hidden: map[[2]int32]bool{}}
	for _, i := range places {
		p := t.folds.Pairs[i]
		b.pairs = append(b.pairs, p)
		b.hidden[[2]int32{min(p[0], p[1]), max(p[0], p[1])}] = true
		if t.positive != nil {
			b.columns = append(b.columns, t.positive[i*width:(i+1)*width]...)
		}
	}
	for _, i := range places {
		pool := &t.pool[t.folds.Fold[i]]
		for range t.Model.Config.Negatives {
			k := r.IntN(len(pool.pairs))
			b.pairs = append(b.pairs, pool.pairs[k])
			if pool.columns != nil {
				b.columns = append(b.columns, pool.columns[k*width:(k+1)*width]...)
			}
		}
	}
	return b
}

// step updates the weights with one batch. The graph of the step does not have the pairs of the
// batch.
func (t *GAETraining) step(arena *tensor.Arena, places []int, r *rand.Rand) (l float32, err error) {
	defer tensor.Catch(&err)
	m, b := t.Model, t.batch(places, r)
	tape := arena.Tape()
	defer tape.Close()
	p := &nn.Pass{Tape: tape, Train: true, Rand: r}
	e := m.encodeGraph(p, t.folds.Graph, b.hidden)
	h := e.nodes
	n := len(b.pairs)
	us, vs := make([]int32, n), make([]int32, n)
	for i, pair := range b.pairs {
		us[i], vs[i] = pair[0], pair[1]
	}
	var columns *tensor.Tensor
	if m.columns != nil {
		columns = tensor.FromSlice(b.columns, n, structureWidth(m.kind))
	}
	logits := m.decode(p, tensor.Gather(h, tensor.MustIndex(us, m.nodes)), tensor.Gather(h, tensor.MustIndex(vs, m.nodes)), columns, m.common(e, b.pairs))
	k := len(places)
	total := loss.BCEWithLogits(logits.Slice(0, 0, k), tensor.Full(1, k, 1)).Add(
		loss.BCEWithLogits(logits.Slice(0, k, n), tensor.New(n-k, 1)))
	wrt := lists.Map(t.Opt.Params(), tape.Watch)
	grads := tape.Grad(total, wrt...)
	optim.ClipGradNorm(grads, 1)
	t.Opt.Step(m.Config.Rate, grads)
	return total.Item(), nil
}
