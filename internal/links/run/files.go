package run

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strconv"

	"github.com/ehgnn/ehgnn/internal/links/learn"
	"github.com/ehgnn/ehgnn/internal/safetensors"
	"github.com/ehgnn/ehgnn/internal/settings"
	"github.com/ehgnn/ehgnn/optim"
)

const (
	modelFile      = "model.safetensors"
	checkpointFile = "-checkpoint.safetensors" // follows the name of the model
	bestPrefix     = "best."                   // begins the names of the arrays of the best weights in a checkpoint
)

// saveModel writes the weights of a run.
func saveModel(dir string, m fitted) error {
	return safetensors.WriteFile(filepath.Join(dir, modelFile), &safetensors.File{Metadata: map[string]string{"task": Task}, Tensors: m.Arrays()})
}

// loadModel reads the weights of a run.
func (t *training) loadModel(dir string) (fitted, error) {
	chosen := t.s.Chosen
	k, ok := kindOf(chosen)
	if !ok && chosen != "" {
		return nil, misuse("%s names the model %q, of which there are no weights", filepath.Join(dir, SettingsFile), chosen)
	}
	f, err := safetensors.ReadFile(filepath.Join(dir, modelFile))
	if errors.Is(err, fs.ErrNotExist) || !ok {
		return nil, misuse("%s has no weights yet; ehgnn train --resume --out %s completes it", dir, dir)
	}
	if err != nil {
		return nil, err
	}
	m, err := k.load(t, chosen, f)
	if err != nil {
		return nil, settings.Usage(err)
	}
	return m, nil
}

// saveCheckpoint writes the state of an unfinished training.
func saveCheckpoint(file string, s *learn.State, curve []Point) error {
	text, err := json.Marshal(curve)
	if err != nil {
		return err
	}
	state := s.Opt.State()
	steps, err := json.Marshal(state.Steps)
	if err != nil {
		return err
	}
	f := &safetensors.File{Metadata: map[string]string{"done": strconv.Itoa(s.Done), "best_epoch": strconv.Itoa(s.BestEpoch),
		"best": strconv.FormatFloat(s.Best, 'g', -1, 64), "curve": string(text), "steps": string(steps), "optimizer": state.Optimizer}}
	params := learn.ParamArrays(s.Opt.Params())
	best := slices.Clone(params)
	for i, p := range params {
		best[i].Name, best[i].Data = bestPrefix+p.Name, s.Kept[i]
	}
	f.Tensors = slices.Concat(params, learn.ParamArrays(state.Tensors), best)
	return safetensors.WriteFile(file, f)
}

// loadCheckpoint reads the state of a training from a file. If there is no file, the state does not
// change.
func loadCheckpoint(file string, s *learn.State, curve *[]Point) error {
	f, err := safetensors.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	damaged := func(err error) error { return misuse("%s: %v; remove it to train from the beginning", file, err) }
	params := s.Opt.Params()
	s.Kept = nil
	for _, p := range params {
		t, ok := f.Lookup(bestPrefix + p.Name)
		if !ok || len(t.Data) != len(p.Value.Data()) {
			return damaged(fmt.Errorf("no array %s of %d numbers", bestPrefix+p.Name, len(p.Value.Data())))
		}
		s.Kept = append(s.Kept, t.Data)
	}
	state := s.Opt.State()
	if err := errors.Join(learn.LoadParams(f, params), learn.LoadParams(f, state.Tensors)); err != nil {
		return damaged(err)
	}
	var done, best, epoch error
	s.Done, done = strconv.Atoi(f.Metadata["done"])
	s.BestEpoch, epoch = strconv.Atoi(f.Metadata["best_epoch"])
	s.Best, best = strconv.ParseFloat(f.Metadata["best"], 64)
	steps := json.Unmarshal([]byte(f.Metadata["steps"]), &state.Steps)
	points := json.Unmarshal([]byte(f.Metadata["curve"]), curve)
	if err := errors.Join(done, best, epoch, steps, points); err != nil {
		return damaged(err)
	}
	return s.Opt.LoadState(optim.State{Optimizer: state.Optimizer, Steps: state.Steps, Tensors: state.Tensors})
}
