package mars

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/ehgnn/ehgnn/internal/generate/score"
	"github.com/ehgnn/ehgnn/internal/safetensors"
	"github.com/ehgnn/ehgnn/nn"
	"github.com/ehgnn/ehgnn/train"
)

// Checkpoint stores a run in a folder, in checkpoint.safetensors: weights and moments as tensors,
// all other state as JSON in the metadata. Run continues from it, with the same results.
type Checkpoint struct {
	Dir string // made if there is none
	// Interval is the minimum time between two checkpoints. At the end, and if the context ends,
	// one is written in any case.
	Interval time.Duration
	// Identity names what determines the results apart from Config: scores, vocabulary, start
	// molecules. A checkpoint with another identity or other settings is an error. A checkpoint
	// with more steps is not.
	Identity string
}

const checkpointFile = "checkpoint.safetensors"

// ErrOther is wrapped by the error for a folder that has another run.
var ErrOther = errors.New("mars: the folder has a run of other settings")

// state is the state of a sampler without its network.
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

// kept is an example in a checkpoint.
type kept struct {
	SMILES string `json:"s"`
	Add    bool   `json:"a,omitempty"`
	At     int32  `json:"i"`
	Arm    int32  `json:"f,omitempty"`
}

// keeper writes checkpoints. nil writes none.
type keeper struct {
	Checkpoint
	last time.Time
}

// open reads the checkpoint, if there is one to resume from. Otherwise it starts the chains.
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
	if err := s.write(filepath.Join(k.Dir, checkpointFile), k.Identity); err != nil {
		return err
	}
	k.last = time.Now()
	return nil
}

// write writes the state of the sampler to a file.
func (s *sampler) write(path, identity string) error {
	of := state{Identity: identity, Config: s.Config, Step: s.step, Annealing: s.annealing, Progress: s.progress, Atoms: s.atoms, Loss: s.loss, Result: s.result, Calls: s.calls()}
	of.Result.UniformDraws += int(s.proposer.uniform.Load())
	for _, c := range s.chains {
		of.Chains = append(of.Chains, Scored{c.at.SMILES, c.values, c.target})
	}
	for _, e := range s.buffer {
		of.Buffer = append(of.Buffer, kept{e.of.SMILES, e.add, e.at, e.arm})
	}
	if l := s.learner; l != nil {
		of.Updates = l.steps
		for i, o := range l.optimizers {
			of.Moments[i] = o.State().Steps
		}
	}
	text, err := json.Marshal(of)
	if err != nil {
		return fmt.Errorf("mars: %w", err)
	}
	return train.SaveParams(path, s.learner.params(), map[string]string{"state": string(text)})
}

// params returns the tensors of a checkpoint: weights and moments. Without a learner there are
// none.
func (l *learner) params() (out nn.ParamList) {
	if l != nil {
		for _, o := range l.optimizers {
			out = append(append(out, o.Params()...), o.State().Tensors...)
		}
	}
	return out
}

// restore sets the state of the sampler from a file.
func (s *sampler) restore(f *safetensors.File, identity string) error {
	var of state
	if err := train.CheckParams(f); err != nil {
		return err
	}
	if err := json.Unmarshal([]byte(f.Metadata["state"]), &of); err != nil {
		return err
	}
	want := s.Config
	want.Threads = 0
	if want.Steps > of.Config.Steps && !want.Cosine {
		of.Config.Steps = want.Steps // more steps are allowed
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
	if err := train.LoadParams(s.learner.params(), f); err != nil || s.learner == nil {
		return err
	}
	s.learner.steps = of.Updates
	for i, o := range s.learner.optimizers {
		moments := o.State() // tensors are already loaded
		moments.Steps = of.Moments[i]
		if err := o.LoadState(moments); err != nil {
			return err
		}
	}
	return nil
}
