package molgan

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/ehgnn/ehgnn/internal/safetensors"
	"github.com/ehgnn/ehgnn/nn"
	"github.com/ehgnn/ehgnn/train"
)

// checkpointFile has the parameters of all networks, the states of the optimisers and, in its
// metadata under stateKey, all other state.
const (
	checkpointFile = "checkpoint.safetensors"
	stateKey       = "molgan.state"
)

// progress is the state of a training apart from tensors.
type progress struct {
	Iteration int     `json:"iteration"`
	Points    []Point `json:"points"`
	Sums      sums    `json:"sums"` // since the last point
	Diverged  int     `json:"diverged"`
	Calls     int64   `json:"calls"`
	Seconds   float64 `json:"seconds"`
	Measuring float64 `json:"measuring"`
}

// sums are the sums of losses.
type sums struct{ Distance, Penalty, Reward, Generator sum }

type sum struct {
	Total float64
	N     int
}

func (s *sum) add(v float32) { s.Total, s.N = s.Total+float64(v), s.N+1 }

// mean returns the mean, or 0 without numbers.
func (s *sum) mean() float64 { return s.Total / float64(max(s.N, 1)) }

// take returns the mean and resets the sum.
func (s *sum) take() float64 {
	defer func() { *s = sum{} }()
	return s.mean()
}

// state is the metadata of a checkpoint.
type state struct {
	Identity string    `json:"identity"`
	Steps    [][]int64 `json:"steps"` // of each optimiser
	progress
}

// identity returns a digest of what determines the results: the settings and the training part. The
// number of iterations counts only if a learning rate depends on it.
func (t *trainer) identity() string {
	c := t.Config
	if !c.Decay {
		c.Iterations = 0
	}
	h := sha256.New()
	// Neither can fail: plain data, and a hash.
	_ = json.NewEncoder(h).Encode([]any{c, t.data.Space})
	for _, k := range t.train {
		m := t.data.Molecules[k]
		h.Write(m.Atoms)
		h.Write(m.Bonds)
	}
	return hex.EncodeToString(h.Sum(nil)[:16])
}

// open reads the checkpoint of the folder. begun is false if there is none, or if the training
// should not resume.
func (t *trainer) open() (begun bool, err error) {
	if t.options.Dir == "" {
		return false, nil
	}
	if err := os.MkdirAll(t.options.Dir, 0o777); err != nil {
		return false, fmt.Errorf("molgan: %w", err)
	}
	path := filepath.Join(t.options.Dir, checkpointFile)
	if !t.options.Resume {
		if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return false, fmt.Errorf("molgan: %w", err)
		}
		return false, nil
	}
	f, err := safetensors.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err == nil {
		err = t.restore(f)
	}
	if err != nil {
		return false, fmt.Errorf("molgan: %s: %w", path, err)
	}
	return true, nil
}

// params returns all tensors of a checkpoint.
func (t *trainer) params() nn.ParamList {
	var out nn.ParamList
	for _, s := range t.sides {
		out = append(out, s.params()...)
	}
	return out
}

// save writes a checkpoint.
func (t *trainer) save() error {
	if t.options.Dir == "" {
		return nil
	}
	s := state{Identity: t.identity(), progress: t.progress}
	s.Calls = t.calls()
	for _, side := range t.sides {
		for _, o := range side.opts {
			s.Steps = append(s.Steps, o.State().Steps)
		}
	}
	text, err := json.Marshal(s)
	if err == nil {
		err = train.SaveParams(filepath.Join(t.options.Dir, checkpointFile), t.params(), map[string]string{stateKey: string(text)})
	}
	if err != nil {
		return fmt.Errorf("molgan: checkpoint: %w", err)
	}
	return nil
}

// restore sets the state from a checkpoint.
func (t *trainer) restore(f *safetensors.File) error {
	if err := train.CheckParams(f); err != nil {
		return err
	}
	var s state
	if err := json.Unmarshal([]byte(f.Metadata[stateKey]), &s); err != nil {
		return fmt.Errorf("the state is no JSON: %w", err)
	}
	if s.Identity != t.identity() {
		return errors.New("the checkpoint is of a training with other settings or other molecules")
	}
	if err := train.LoadParams(t.params(), f); err != nil {
		return err
	}
	for _, side := range t.sides {
		for _, o := range side.opts {
			of := o.State() // tensors are already loaded
			if len(s.Steps) == 0 {
				return errors.New("the state lacks the steps of an optimiser")
			}
			of.Steps, s.Steps = s.Steps[0], s.Steps[1:]
			if err := o.LoadState(of); err != nil {
				return err
			}
		}
	}
	t.progress = s.progress
	t.keep()
	return nil
}
