package run

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/ehgnn/ehgnn/internal/links"
	"github.com/ehgnn/ehgnn/internal/links/learn"
	"github.com/ehgnn/ehgnn/internal/links/score"
	"github.com/ehgnn/ehgnn/internal/safetensors"
)

// fitted is a trained model.
type fitted interface {
	// On binds the model to the graph that is known when candidates are scored.
	On(c *links.Columns, name string, threads int) (score.Scorer, error)
	// Arrays returns the weights as arrays of a file.
	Arrays() []safetensors.Tensor
}

// kind is a kind of model that a user can name.
type kind struct {
	name      string
	bipartite bool     // only for bipartite graphs
	reads     []string // the epochSettings that it reads
	train     func(t *training, ctx context.Context, name string) (fitted, error)
	load      func(t *training, name string, f *safetensors.File) (fitted, error)
}

// kinds returns all kinds of models.
func kinds() []kind {
	return []kind{
		{GAE, false, epochSettings, (*training).trainGAE, (*training).loadGAE},
		{secondGAE, false, epochSettings, (*training).trainGAE, (*training).loadGAE},
		{GAECN, false, epochSettings, (*training).trainGAE, (*training).loadGAE},
		{EHGNN, false, epochSettings, (*training).trainGAE, (*training).loadGAE},
		{IALS, true, nil, (*training).trainIALS, (*training).loadIALS},
		{LightGCN, true, []string{"hidden", "layers", "epochs", "batch-size", "lr"}, (*training).trainLightGCN, (*training).loadLightGCN},
		{Trees, false, nil, (*training).trainTrees, (*training).loadTrees},
		{Average, false, epochSettings, nil, (*training).loadAverage},
		{itemKNN, true, nil, (*training).trainOfPairs, (*training).loadOfPairs},
		{ease, true, nil, (*training).trainOfPairs, (*training).loadOfPairs},
	}
}

// kindOf returns the kind of model with this name.
func kindOf(name string) (kind, bool) {
	for _, k := range kinds() {
		if k.name == name {
			return k, true
		}
	}
	return kind{}, false
}

// Reads reports whether a model reads one of SettingNames.
func Reads(model, setting string) bool {
	k, ok := kindOf(model)
	return !ok || !slices.Contains(epochSettings, setting) || slices.Contains(k.reads, setting) // auto reads each setting that one of its models reads
}

// candidates returns the names of the models that are trained for a given name.
func candidates(name string, s *Settings, d *Data) []string {
	switch {
	case name != Auto:
		return []string{name}
	case d.Kind == links.Bipartite && d.Nodes() > denseNodes:
		return []string{IALS}
	case d.Kind == links.Bipartite && s.EASE > 0:
		return []string{IALS, itemKNN, ease}
	case d.Kind == links.Bipartite:
		return []string{IALS, itemKNN}
	case d.Nodes() > denseNodes, d.Split.RowPart != nil:
		return []string{Trees}
	}
	if len(d.Pairs) > pairsOfTwo {
		return []string{GAE, Trees}
	}
	return []string{GAE, secondGAE, Trees}
}

// secondGAE is GAE with another seed, a member of the average of Auto for at most pairsOfTwo pairs.
// Two models have less noise than one.
const (
	secondGAE  = "gae-2"
	pairsOfTwo = 10_000
)

// denseNodes is the largest number of nodes for which auto also trains an autoencoder and computes
// similar targets.
const denseNodes = 20_000

// extended returns a model, bound to the graph of the run, for data with additional nodes.
func extended(m fitted, bound score.Scorer, d *links.Data, f *links.Features) fitted {
	switch m := m.(type) {
	case *learn.GAE:
		return m.Extend(d, f)
	case *learn.IALS:
		return m.Extend(d)
	case *learn.LightGCN:
		return m.Extend(d)
	case *average:
		return m.extend(bound, d, f)
	case *ofPairs:
		return &extendedPairs{m, bound.(pairCounts)}
	}
	return m // it reads only columns
}

// trainModel trains the model with this name.
func (t *training) trainModel(ctx context.Context, name string) (fitted, error) {
	k, _ := kindOf(name)
	return k.train(t, ctx, name)
}

// checkModel returns an error if a model does not suit the kind of graph.
func checkModel(name string, d *Data) error {
	if k, _ := kindOf(name); k.bipartite && d.Kind != links.Bipartite {
		return misuse("--model %s is for bipartite graphs, and this one is %s", name, d.Kind)
	}
	return nil
}

func (t *training) trainTrees(ctx context.Context, _ string) (fitted, error) {
	return learn.TrainTrees(ctx, t.folds(), learn.TreesConfig{Seed: t.s.Seed, Threads: t.threads})
}

func (t *training) loadTrees(_ string, f *safetensors.File) (fitted, error) {
	return learn.LoadTrees(f)
}

// folds returns the training pairs in folds. It makes them once.
func (t *training) folds() *learn.Folds {
	if t.inFolds == nil {
		if t.s.Split == ByTime {
			t.inFolds = learn.NewTimeFolds(t.d.Data, t.d.Split, t.d.Features, t.d.Dates)
			return t.inFolds
		}
		t.inFolds = learn.NewFolds(t.d.Data, t.d.Split.Visible(links.Train, false), t.d.Features, t.s.Seed)
	}
	return t.inFolds
}

// trainIALS chooses settings on the validation part with half the width, then trains with the best
// settings at both widths.
func (t *training) trainIALS(ctx context.Context, _ string) (fitted, error) {
	train := links.NewGraph(t.d.Data, t.d.Split.Visible(links.Train, false))
	best, bestScore := learn.IALSConfig{}, math.Inf(-1)
	var model *learn.IALS
	try := func(c learn.IALSConfig) error {
		m, err := learn.TrainIALS(ctx, t.d.Data, train, c, t.s.Seed, t.threads)
		if err != nil {
			return err
		}
		sc, err := m.On(t.columns(links.Valid), IALS, t.threads)
		if err != nil {
			return err
		}
		v, err := t.setting(links.Valid).Tune(ctx, sc, t.s.Select)
		if err != nil {
			return err
		}
		t.tell("ials, width %d, α₀ %.3g, λ %g: %s of the validation part %.4f", c.Dim, c.Alpha, c.Lambda, measure(v), v.Value)
		if v.Value > bestScore {
			best, bestScore, model = c, v.Value, m
		}
		return nil
	}
	_, targets := t.d.Ends()
	alpha := 0.03 * min(1, alphaTargets/float64(len(targets)))
	large := t.d.Nodes() > learn.ExactNodes
	lambdas := []float64{0.003, 0.01, 0.02, 0.05, 0.1}
	for i, lambda := range lambdas {
		if i > 2 && (large || best.Lambda != lambdas[i-1]) { // larger values only while they improve
			break
		}
		if err := try(learn.IALSConfig{Dim: 64, Alpha: alpha, Lambda: lambda, Sweeps: 8}); err != nil {
			return nil, err
		}
	}
	if large { // width 64 alone, because each sweep takes long
		t.s.IALS = best
		return model, nil
	}
	for _, a := range []float64{0.1, 0.3} {
		if err := try(learn.IALSConfig{Dim: 64, Alpha: a, Lambda: best.Lambda, Sweeps: 8}); err != nil {
			return nil, err
		}
	}
	if err := try(learn.IALSConfig{Dim: 128, Alpha: best.Alpha, Lambda: best.Lambda, Sweeps: 10}); err != nil {
		return nil, err
	}
	t.s.IALS = best
	return model, nil
}

// alphaTargets is the number of targets above which the weight of all cells decreases, so that the
// sum of the weights does not grow. The penalty of a row would grow with it.
const alphaTargets = 20_000

func (t *training) loadIALS(_ string, f *safetensors.File) (fitted, error) {
	return learn.LoadIALS(t.d.Data, t.s.IALS, f)
}

// measure returns the name of the validation score and the negatives that it used.
func measure(v score.Tuned) string { return fmt.Sprintf("%s (%s)", scoreTitle(v.Measure), v.Form) }
