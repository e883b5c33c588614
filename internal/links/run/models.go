package run

import (
	"context"
	"fmt"
	"math"
	"path/filepath"

	"github.com/ehgnn/ehgnn/internal/links"
	"github.com/ehgnn/ehgnn/internal/links/learn"
	"github.com/ehgnn/ehgnn/internal/links/score"
)

// trained is a model that was trained; exactly one of its fields is set.
type trained struct {
	gae   *learn.GAE
	ials  *learn.IALS
	trees *learn.Trees
}

// on binds a model to the graph that is known when candidates are scored.
func (m *trained) on(c *links.Columns, name string, threads int) (score.Scorer, error) {
	switch {
	case m.gae != nil:
		return m.gae.On(c, name, threads)
	case m.ials != nil:
		return m.ials.On(c.Graph, name)
	}
	return m.trees.On(c, name), nil
}

// candidates are the models that are trained for a name.
func candidates(name string, d *Data) []string {
	switch {
	case name != Auto:
		return []string{name}
	case d.Kind == links.Bipartite:
		return []string{IALS}
	case d.Nodes() > denseNodes, d.Split.RowPart != nil:
		return []string{Trees}
	}
	return []string{GAE, Trees}
}

// denseNodes is the number of nodes up to which auto trains an autoencoder, too.
const denseNodes = 20_000

// trainModel trains a model of a name.
func (t *training) trainModel(ctx context.Context, name string) (*trained, error) {
	switch name {
	case IALS:
		return t.trainIALS(ctx)
	case Trees:
		m, err := learn.TrainTrees(ctx, t.folds(), learn.TreesConfig{Seed: t.s.Seed, Threads: t.threads})
		if err != nil {
			return nil, err
		}
		return &trained{trees: m}, nil
	}
	return t.trainGAE(ctx, name)
}

// folds are the training pairs in folds, made once.
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

// trainIALS tries settings on the validation part at half the width, then trains the best at both widths.
func (t *training) trainIALS(ctx context.Context) (*trained, error) {
	if t.d.Kind != links.Bipartite {
		return nil, misuse("--model ials is for bipartite graphs, and this one is %s", t.d.Kind)
	}
	train := links.NewGraph(t.d.Data, t.d.Split.Visible(links.Train, false))
	best, bestScore := learn.IALSConfig{}, math.Inf(-1)
	var model *learn.IALS
	try := func(c learn.IALSConfig) error {
		m, err := learn.TrainIALS(ctx, t.d.Data, train, c, t.s.Seed, t.threads)
		if err != nil {
			return err
		}
		sc, err := m.On(t.columns(links.Valid).Graph, IALS)
		if err != nil {
			return err
		}
		v, err := t.setting(links.Valid).Tune(ctx, sc, t.s.Select)
		if err != nil {
			return err
		}
		t.tell("ials, width %d, α₀ %g, λ %g: %s of the validation part %.4f", c.Dim, c.Alpha, c.Lambda, mainOf(t.s.Select), v[0])
		if v[0] > bestScore {
			best, bestScore, model = c, v[0], m
		}
		return nil
	}
	for _, lambda := range []float64{0.003, 0.01, 0.02} {
		if err := try(learn.IALSConfig{Dim: 64, Alpha: 0.03, Lambda: lambda, Sweeps: 8}); err != nil {
			return nil, err
		}
	}
	for _, c := range []learn.IALSConfig{{Alpha: 0.1}, {Alpha: 0.3}} {
		c.Dim, c.Lambda, c.Sweeps = 64, best.Lambda, 8
		if err := try(c); err != nil {
			return nil, err
		}
	}
	if err := try(learn.IALSConfig{Dim: 128, Alpha: best.Alpha, Lambda: best.Lambda, Sweeps: 10}); err != nil {
		return nil, err
	}
	for i, x := range model.Items { // as the weights of the run are kept
		model.Items[i] = float64(float32(x))
	}
	t.s.IALS = best
	return &trained{ials: model}, nil
}

// mainOf is the main score of a form.
func mainOf(form string) string {
	switch form {
	case score.Lists:
		return "NDCG@20"
	case score.Uniform:
		return "Hits"
	}
	return "MRR"
}

// trainGAE trains an autoencoder and keeps the epoch that is best on the validation part.
func (t *training) trainGAE(ctx context.Context, name string) (*trained, error) {
	c := t.s.GAE
	c.Seed, c.Common, c.Edges = t.s.Seed, name == GAECN, name == EHGNN
	g, err := learn.NewGAETraining(ctx, t.folds(), t.d.Features, c, t.threads)
	if err != nil {
		return nil, err
	}
	file := filepath.Join(t.o.Dir, name+checkpointFile)
	if t.o.Resume {
		if err := loadCheckpoint(file, g, &t.curve); err != nil {
			return nil, err
		}
	}
	arena := newArena(t.threads)
	for g.Done < c.Epochs {
		e, err := g.Epoch(ctx, arena)
		if err != nil {
			return nil, err
		}
		text := ""
		if g.Done%c.Every == 0 || g.Done == c.Epochs {
			sc, err := g.Model.On(t.columns(links.Valid), name, t.threads)
			if err != nil {
				return nil, err
			}
			v, err := t.setting(links.Valid).Tune(ctx, sc, t.s.Select)
			if err != nil {
				return nil, err
			}
			e.Valid = v[0]
			g.Keep(v[0])
			text = fmt.Sprintf("  valid %s %.4f", mainOf(t.s.Select), v[0])
			t.curve = append(t.curve, Point{Model: name, Epoch: e.Epoch, Loss: e.Loss, Valid: v[0]})
			if err := saveCheckpoint(file, g, t.curve); err != nil {
				return nil, err
			}
		}
		if t.o.OnEpoch != nil {
			t.o.OnEpoch(e.Epoch, c.Epochs, fmt.Sprintf("%s  loss %.4f%s", name, e.Loss, text))
		}
	}
	g.Restore()
	t.tell("%s: epoch %d of %d is the best on the validation part", name, g.BestEpoch, c.Epochs)
	return &trained{gae: g.Model}, nil
}
