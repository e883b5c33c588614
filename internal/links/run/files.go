package run

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strconv"

	"github.com/ehgnn/ehgnn/internal/boost"
	"github.com/ehgnn/ehgnn/internal/links/learn"
	"github.com/ehgnn/ehgnn/internal/safetensors"
	"github.com/ehgnn/ehgnn/optim"
	"github.com/ehgnn/ehgnn/tensor"
)

const (
	modelFile      = "model.safetensors"
	checkpointFile = "-checkpoint.safetensors" // behind the name of the model
)

// paramTensors are parameters for a file.
func paramTensors(params []*tensor.Param) []safetensors.Tensor {
	var out []safetensors.Tensor
	for _, p := range params {
		out = append(out, safetensors.Tensor{Name: p.Name, Shape: p.Value.Shape(), Data: p.Value.Data()})
	}
	return out
}

// loadParams fills parameters from a file, each of the same size.
func loadParams(f *safetensors.File, params []*tensor.Param, prefix string) error {
	for _, p := range params {
		t, ok := f.Lookup(prefix + p.Name)
		if !ok || len(t.Data) != len(p.Value.Data()) {
			return misuse("the weights have no array %s of %d numbers, which the data and the settings of the run need", prefix+p.Name, len(p.Value.Data()))
		}
		copy(p.Value.Data(), t.Data)
	}
	return nil
}

// saveModel writes the weights of a run.
func saveModel(dir string, m *trained) error {
	f := &safetensors.File{Metadata: map[string]string{"task": Task}}
	switch {
	case m.gae != nil:
		f.Tensors = paramTensors(m.gae.Params())
	case m.ials != nil:
		items := make([]float32, len(m.ials.Items))
		for i, x := range m.ials.Items {
			items[i] = float32(x)
		}
		f.Tensors = []safetensors.Tensor{{Name: "items", Shape: []int{len(m.ials.Targets), m.ials.Config.Dim}, Data: items}}
	default:
		for name, x := range m.trees.Model.Arrays() {
			f.Tensors = append(f.Tensors, safetensors.Tensor{Name: name, Shape: []int{len(x)}, Data: x})
		}
	}
	return safetensors.WriteFile(filepath.Join(dir, modelFile), f)
}

// loadModel reads the weights of a run for its data.
func loadModel(dir string, s *Settings, d *Data) (*trained, error) {
	f, err := safetensors.ReadFile(filepath.Join(dir, modelFile))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, misuse("%s has no weights yet; ehgnn train --resume --out %s completes it", dir, dir)
	}
	if err != nil {
		return nil, err
	}
	switch s.Chosen {
	case GAE, GAECN, EHGNN:
		c := s.GAE
		c.Seed, c.Common, c.Edges = s.Seed, s.Chosen == GAECN, s.Chosen == EHGNN
		m := learn.NewGAE(d.Data, d.Features, c)
		return &trained{gae: m}, loadParams(f, m.Params(), "")
	case IALS:
		m := learn.NewIALS(d.Data, s.IALS)
		t, ok := f.Lookup("items")
		if !ok || len(t.Data) != len(m.Items) {
			return nil, misuse("the weights have no array items of %d numbers, which the data and the settings of the run need", len(m.Items))
		}
		for i, x := range t.Data {
			m.Items[i] = float64(x)
		}
		return &trained{ials: m}, nil
	case Trees:
		arrays := map[string][]float32{}
		for _, t := range f.Tensors {
			arrays[t.Name] = t.Data
		}
		m, err := boost.FromArrays(arrays)
		if err != nil {
			return nil, err
		}
		m.Threads = 1
		return &trained{trees: &learn.Trees{Model: m}}, nil
	}
	return nil, misuse("%s names the model %q, of which there are no weights", filepath.Join(dir, SettingsFile), s.Chosen)
}

// saveCheckpoint writes a training under way.
func saveCheckpoint(file string, g *learn.GAETraining, curve []Point) error {
	text, err := json.Marshal(curve)
	if err != nil {
		return err
	}
	state := g.Opt.State()
	steps, err := json.Marshal(state.Steps)
	if err != nil {
		return err
	}
	f := &safetensors.File{Metadata: map[string]string{"done": strconv.Itoa(g.Done), "best_epoch": strconv.Itoa(g.BestEpoch),
		"best": strconv.FormatFloat(g.Best, 'g', -1, 64), "curve": string(text), "steps": string(steps), "optimizer": state.Optimizer}}
	f.Tensors = append(paramTensors(g.Model.Params()), paramTensors(state.Tensors)...)
	for i, p := range g.Model.Params() {
		f.Tensors = append(f.Tensors, safetensors.Tensor{Name: "best." + p.Name, Shape: p.Value.Shape(), Data: g.Kept[i]})
	}
	return safetensors.WriteFile(file, f)
}

// loadCheckpoint continues a training from a file; where there is none it stays as it is.
func loadCheckpoint(file string, g *learn.GAETraining, curve *[]Point) error {
	f, err := safetensors.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	damaged := func(err error) error { return misuse("%s: %v; remove it to train from the beginning", file, err) }
	params := g.Model.Params()
	for range params {
		g.Kept = append(g.Kept, nil)
	}
	for i, p := range params {
		t, ok := f.Lookup("best." + p.Name)
		if !ok || len(t.Data) != len(p.Value.Data()) {
			return damaged(fmt.Errorf("no array best.%s of %d numbers", p.Name, len(p.Value.Data())))
		}
		g.Kept[i] = t.Data
	}
	if err := loadParams(f, params, ""); err != nil {
		return damaged(err)
	}
	state := g.Opt.State()
	if err := loadParams(f, state.Tensors, ""); err != nil {
		return damaged(err)
	}
	var done, best, epoch error
	g.Done, done = strconv.Atoi(f.Metadata["done"])
	g.BestEpoch, epoch = strconv.Atoi(f.Metadata["best_epoch"])
	g.Best, best = strconv.ParseFloat(f.Metadata["best"], 64)
	steps := json.Unmarshal([]byte(f.Metadata["steps"]), &state.Steps)
	points := json.Unmarshal([]byte(f.Metadata["curve"]), curve)
	if err := errors.Join(done, best, epoch, steps, points); err != nil {
		return damaged(err)
	}
	return g.Opt.LoadState(optim.State{Optimizer: state.Optimizer, Steps: state.Steps, Tensors: state.Tensors})
}
