package run

import (
	"context"
	"fmt"
	"path/filepath"

	"github.com/ehgnn/ehgnn/internal/links"
	"github.com/ehgnn/ehgnn/internal/links/learn"
	"github.com/ehgnn/ehgnn/internal/safetensors"
	"github.com/ehgnn/ehgnn/tensor"
)

// stepper trains a model epoch by epoch.
type stepper interface {
	Of() *learn.State
	Epoch(ctx context.Context, arena *tensor.Arena) (learn.Epoch, error)
}

// gaeConfig returns the settings of the autoencoder with this name.
func (s *Settings) gaeConfig(name string) learn.GAEConfig {
	c := s.GAE
	c.Seed, c.Common, c.Edges = s.Seed, name == GAECN, name == EHGNN
	if name == secondGAE {
		c.Seed = links.Mix(s.Seed)
	}
	return c
}

func (t *training) trainGAE(ctx context.Context, name string) (fitted, error) {
	c := t.s.gaeConfig(name)
	g, err := learn.NewGAETraining(ctx, t.folds(), t.d.Features, c, t.threads)
	if err != nil {
		return nil, err
	}
	return g.Model, t.trainEpochs(ctx, name, g.Model, g, c.Epochs, c.Every)
}

func (t *training) loadGAE(name string, f *safetensors.File) (fitted, error) {
	m := learn.NewGAE(t.d.Data, t.d.Features, t.s.gaeConfig(name))
	return m, learn.LoadParams(f, m.Params())
}

// lightGCN returns the settings of LightGCN.
func (s *Settings) lightGCN() learn.LightGCNConfig {
	if s.LightGCN == (learn.LightGCNConfig{}) {
		return learn.NewLightGCNConfig()
	}
	return s.LightGCN
}

func (t *training) trainLightGCN(ctx context.Context, name string) (fitted, error) {
	m := learn.NewLightGCN(t.d.Data, t.s.lightGCN(), t.s.Seed)
	g, err := m.Training(t.columns(links.Train).Graph, t.s.Seed)
	if err != nil {
		return nil, err
	}
	return m, t.trainEpochs(ctx, name, m, g, m.Config.Epochs, m.Config.Every)
}

func (t *training) loadLightGCN(_ string, f *safetensors.File) (fitted, error) {
	m := learn.NewLightGCN(t.d.Data, t.s.lightGCN(), t.s.Seed)
	return m, learn.LoadParams(f, m.Params())
}

// patience is the number of validations without a better score after which training stops.
const patience = 5

// trainEpochs trains a model for at most the given number of epochs and gives it the weights of the
// epoch with the best validation score.
func (t *training) trainEpochs(ctx context.Context, name string, m fitted, g stepper, epochs, every int) error {
	s := g.Of()
	file := filepath.Join(t.o.Dir, name+checkpointFile)
	if t.o.Resume {
		if err := loadCheckpoint(file, s, &t.curve); err != nil {
			return err
		}
	}
	arena := tensor.NewArena(t.threads)
	for s.Done < epochs && s.Done-s.BestEpoch < patience*every {
		e, err := g.Epoch(ctx, arena)
		if err != nil {
			return err
		}
		text := ""
		if s.Done%every == 0 || s.Done == epochs {
			sc, err := m.On(t.columns(links.Valid), name, t.threads)
			if err != nil {
				return err
			}
			v, err := t.setting(links.Valid).Tune(ctx, sc, t.s.Select)
			if err != nil {
				return err
			}
			s.Keep(v.Value)
			text = fmt.Sprintf("  valid %s %.4f", measure(v), v.Value)
			t.curve = append(t.curve, Point{Model: name, Epoch: e.Epoch, Loss: e.Loss, Valid: v.Value})
			if err := saveCheckpoint(file, s, t.curve); err != nil {
				return err
			}
		}
		if t.o.OnEpoch != nil {
			t.o.OnEpoch(e.Epoch, epochs, fmt.Sprintf("%s  loss %.4f%s", name, e.Loss, text))
		}
	}
	s.Restore()
	t.tell("%s: epoch %d of %d is the best on the validation part", name, s.BestEpoch, s.Done)
	return nil
}
