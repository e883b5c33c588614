package mars

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/ehgnn/ehgnn/generate/score"
	"github.com/ehgnn/ehgnn/internal/safetensors"
	"github.com/ehgnn/ehgnn/optim"
	"github.com/ehgnn/ehgnn/tensor"
)

// Checkpoint keeps a run in a folder, checkpoint.safetensors: weights and moments as tensors, all
// else as JSON in the metadata. Run goes on from it, to the same results.
type Checkpoint struct {
	Dir string // made if there is none
	// Interval is the least time between two of them; the end and a context that ends write one
	// in any case.
	Interval time.Duration
	// Identity says what decides the results beside Config: scores, vocabulary, start. A
	// checkpoint of another identity or other settings is refused; that of more steps is not.
	Identity string
}

const checkpointFile = "checkpoint.safetensors"

// ErrOther is wrapped by the error for a folder that keeps another run.
var ErrOther = errors.New("mars: the folder has a run of other settings")

// state is a sampler without its network.
type state struct {
	Identity  string        `json:"identity"`
	Config    Config        `json:"config"`
	Step      int           `json:"step"`
	Annealing annealing     `json:"annealing"`
	Progress  progress      `json:"progress"`
	Atoms     float64       `json:"atoms"`
	Loss      float64       `json:"loss"`
	Updates   int           `json:"updates"`
	Chains    []Scored      `json:"chains"`
	Buffer    []kept        `json:"buffer"`
	Result    Result        `json:"result"`
	Calls     []score.Calls `json:"calls"`
	Moments   [2][]int64    `json:"moments"` // steps of each parameter
}

// kept is an example.
type kept struct {
	SMILES string `json:"s"`
	Add    bool   `json:"a,omitempty"`
	At     int32  `json:"i"`
	Arm    int32  `json:"f,omitempty"`
}

// keeper writes checkpoints; nil writes none.
type keeper struct {
	Checkpoint
	last time.Time
}

// open reads the checkpoint, if there is one to go on from, and begins the chains otherwise.
func (s *sampler) open(ctx context.Context) (*keeper, error) {
	if s.Checkpoint == nil {
		return nil, s.begin(ctx)
	}
	k := &keeper{Checkpoint: *s.Checkpoint, last: time.Now()}
	if err := os.MkdirAll(k.Dir, 0o777); err != nil {
		return nil, fmt.Errorf("mars: %w", err)
	}
	f, err := safetensors.ReadFile(filepath.Join(k.Dir, checkpointFile))
	if errors.Is(err, os.ErrNotExist) {
		return k, s.begin(ctx)
	}
	if err == nil {
		err = s.restore(f, k.Identity)
	}
	if err != nil {
		return nil, fmt.Errorf("mars: %s: %w", filepath.Join(k.Dir, checkpointFile), err)
	}
	return k, nil
}

func (k *keeper) saveIfDue(s *sampler) error {
	if k == nil || time.Since(k.last) < k.Interval {
		return nil
	}
	return k.save(s)
}

func (k *keeper) save(s *sampler) error {
	if k == nil {
		return nil
	}
	f, err := s.file(k.Identity)
	if err != nil {
		return err
	}
	if err := safetensors.WriteFile(filepath.Join(k.Dir, checkpointFile), f); err != nil {
		return fmt.Errorf("mars: %w", err)
	}
	k.last = time.Now()
	return nil
}

// file is the sampler as a file.
func (s *sampler) file(identity string) (*safetensors.File, error) {
	of := state{Identity: identity, Config: s.Config, Step: s.step, Annealing: s.annealing, Progress: s.progress, Atoms: s.atoms, Loss: s.loss, Result: s.result, Calls: s.calls()}
	of.Result.UniformDraws += int(s.proposer.uniform.Load())
	for _, c := range s.chains {
		of.Chains = append(of.Chains, Scored{c.at.SMILES, c.values, c.target})
	}
	for _, e := range s.buffer {
		of.Buffer = append(of.Buffer, kept{e.of.SMILES, e.add, e.at, e.arm})
	}
	f := &safetensors.File{}
	if l := s.learner; l != nil {
		of.Updates = l.steps
		for i, o := range l.optimizers {
			moments := o.State()
			of.Moments[i] = slices.Clone(moments.Steps)
			for _, p := range slices.Concat(o.Params(), moments.Tensors) {
				f.Tensors = append(f.Tensors, safetensors.Tensor{Name: p.Name, Shape: p.Value.Shape(), Data: p.Value.Data()})
			}
		}
	}
	text, err := json.Marshal(of)
	f.Metadata = map[string]string{"state": string(text)}
	return f, err
}

// restore is the sampler of a file.
func (s *sampler) restore(f *safetensors.File, identity string) error {
	var of state
	if err := json.Unmarshal([]byte(f.Metadata["state"]), &of); err != nil {
		return err
	}
	want := s.Config
	want.Threads = 0
	if want.Steps > of.Config.Steps && !want.Cosine {
		of.Config.Steps = want.Steps // longer
	}
	if of.Identity != identity || of.Config != want {
		return ErrOther
	}
	s.step, s.annealing, s.progress, s.atoms, s.loss, s.result, s.earlier = of.Step, of.Annealing, of.Progress, of.Atoms, of.Loss, of.Result, of.Calls
	for _, b := range s.result.Best {
		s.best[b.SMILES] = true
	}
	read := map[string]*Molecule{}
	molecule := func(smiles string) (m *Molecule, err error) {
		if m = read[smiles]; m == nil {
			m, err = s.Editor.state(smiles)
			read[smiles] = m
		}
		return m, err
	}
	for _, c := range of.Chains {
		m, err := molecule(c.SMILES)
		if err != nil {
			return err
		}
		s.chains = append(s.chains, chain{m, c.Values, c.Target})
	}
	for _, e := range of.Buffer {
		m, err := molecule(e.SMILES)
		if err != nil {
			return err
		}
		s.buffer = append(s.buffer, example{m, edit{add: e.Add, at: e.At, arm: e.Arm}})
	}
	if s.learner == nil {
		return nil
	}
	return s.learner.restore(f, of)
}

// restore reads weights and moments.
func (l *learner) restore(f *safetensors.File, of state) error {
	l.steps = of.Updates
	for i, o := range l.optimizers {
		moments := o.State()
		to := optim.State{Optimizer: moments.Optimizer, Steps: of.Moments[i]}
		for _, p := range moments.Tensors {
			t, ok := f.Lookup(p.Name)
			if !ok || len(t.Data) != p.Value.Size() {
				return fmt.Errorf("tensor %s is missing or of another shape", p.Name)
			}
			to.Tensors = append(to.Tensors, &tensor.Param{Name: p.Name, Value: tensor.FromSlice(t.Data, p.Value.Shape()...)})
		}
		if err := o.LoadState(to); err != nil {
			return err
		}
		for _, p := range o.Params() {
			t, ok := f.Lookup(p.Name)
			if !ok || len(t.Data) != p.Value.Size() {
				return fmt.Errorf("tensor %s is missing or of another shape", p.Name)
			}
			copy(p.Value.Data(), t.Data)
		}
	}
	return nil
}
