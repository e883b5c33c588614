package train

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/ehgnn/ehgnn/internal/atomicfile"
	"github.com/ehgnn/ehgnn/internal/safetensors"
	"github.com/ehgnn/ehgnn/optim"
	"github.com/ehgnn/ehgnn/tensor"
)

// Files of a run folder that this package writes.
const (
	checkpointFile = "checkpoint.safetensors"
	stateFile      = "state.json"
	modelFile      = "model.safetensors"
)

// Prefixes of the tensors in a checkpoint.
const (
	modelPrefix     = "model."
	bestPrefix      = "best."
	averagePrefix   = "average."
	optimizerPrefix = "optimizer."
	hookPrefix      = "gradients."
)

// Checkpoint stores a run in a folder: checkpoint.safetensors, from which a run resumes, its
// readable copy state.json, and model.safetensors with the best weights. Files are replaced as a
// whole. The package comment says what is on disk after a kill.
type Checkpoint struct {
	Dir string // created if it does not exist
	// Resume continues from the checkpoint in Dir. Without a checkpoint, or without Resume, the run
	// starts from the beginning. Without Resume, files of an earlier run in Dir are removed. A
	// finished run returns its result at once. With a constant schedule it can also continue to a
	// larger number of epochs.
	Resume bool
	// Interval is the least time between two checkpoints. Zero means one second, or more if writing
	// is slow, so that writing takes at most a twentieth of the time. The end of a run and its
	// cancellation always write a checkpoint.
	Interval time.Duration
	// Identity describes everything besides Config that the numbers depend on, such as the model's
	// settings and the data's checksum. A checkpoint with another identity is refused. Identities
	// that are JSON objects are compared field by field. A missing field equals one with a zero
	// value, so that fields can be added and removed.
	Identity string
	// Metadata is stored in model.safetensors.
	Metadata map[string]string
}

const (
	defaultInterval = time.Second
	writingShare    = 20 // checkpoints may take one part in this many of the time
)

// disk is an open Checkpoint. A nil disk writes nothing.
type disk struct {
	Checkpoint
	id      identity
	changed bool          // model.safetensors does not have the best weights yet
	last    time.Time     // of the last checkpoint
	cost    time.Duration // time that writing it took
}

// openDisk creates the folder and, for a new run, removes old files.
func openDisk(c *Checkpoint, id identity) (*disk, error) {
	if c == nil {
		return nil, nil
	}
	if c.Interval < 0 {
		return nil, fmt.Errorf("train: Checkpoint.Interval is %v, expected 0 or more", c.Interval)
	}
	if err := os.MkdirAll(c.Dir, 0o777); err != nil {
		return nil, fmt.Errorf("train: Checkpoint.Dir: %w", err)
	}
	d := &disk{Checkpoint: *c, id: id, last: time.Now()}
	if !c.Resume {
		// Otherwise a kill before the first checkpoint would leave the checkpoint of the old run.
		for _, name := range []string{checkpointFile, stateFile, modelFile} {
			if err := os.Remove(d.path(name)); err != nil && !errors.Is(err, fs.ErrNotExist) {
				return nil, fmt.Errorf("train: %w", err)
			}
		}
	}
	return d, nil
}

func (d *disk) path(name string) string { return filepath.Join(d.Dir, name) }

// modelChanged records that there are new best weights.
func (d *disk) modelChanged() {
	if d != nil {
		d.changed = true
	}
}

// due reports whether it is time for a checkpoint.
func (d *disk) due(now time.Time) bool {
	wait := cmp.Or(d.Interval, max(defaultInterval, writingShare*d.cost))
	return now.Sub(d.last) >= wait
}

func (r *run) saveIfDue() error {
	if r.disk == nil || !r.disk.due(time.Now()) {
		return nil
	}
	return r.save()
}

// save writes a checkpoint and, if the best weights changed, the model.
func (r *run) save() error {
	d := r.disk
	if d == nil {
		return nil
	}
	if p, _ := notFinite(r.params); p != nil {
		return nil // the run will be reported as diverged: keep the last good checkpoint
	}
	begin := time.Now()
	if err := r.record.sync(); err != nil {
		return err
	}
	r.Seconds = r.seconds()
	opt := r.opt.State()
	s := state{Version: stateVersion, Run: d.id.text(), progress: r.progress, OptimizerSteps: opt.Steps}
	text, err := json.Marshal(s)
	if err != nil {
		return fmt.Errorf("train: checkpoint: %w", err)
	}
	tensors := r.tensors(opt)
	sum := digest(text, tensors)
	err = safetensors.WriteFile(d.path(checkpointFile), &safetensors.File{
		Metadata: map[string]string{stateKey: string(text), digestKey: sum},
		Tensors:  tensors,
	})
	if err != nil {
		return fmt.Errorf("train: checkpoint: %w", err)
	}
	if err := writeMirror(d.path(stateFile), s, sum); err != nil {
		return fmt.Errorf("train: checkpoint: %w", err)
	}
	if err := r.saveModel(); err != nil {
		return err
	}
	d.last = time.Now()
	d.cost = d.last.Sub(begin)
	return nil
}

// saveModel writes the best weights if the file does not have them.
func (r *run) saveModel() error {
	if r.disk == nil || !r.disk.changed {
		return nil
	}
	if err := writeParams(r.disk.path(modelFile), r.best, r.disk.Metadata); err != nil {
		return err
	}
	r.disk.changed = false
	return nil
}

// writeMirror writes the state for readers. It leaves out the history, which is in metrics.jsonl.
func writeMirror(path string, s state, sum string) error {
	s.History = nil
	return atomicfile.WriteJSON(path, struct {
		state
		Digest string `json:"digest"`
	}{s, sum})
}

// tensors lists all tensors of a checkpoint.
func (r *run) tensors(opt optim.State) []safetensors.Tensor {
	out := named(modelPrefix, r.params)
	if r.BestEpoch > 0 {
		out = append(out, named(bestPrefix, r.best)...)
	}
	out = append(out, named(averagePrefix, r.average)...)
	out = append(out, named(optimizerPrefix, opt.Tensors)...)
	if r.hook != nil {
		out = append(out, named(hookPrefix, r.hook.State())...)
	}
	return out
}

// resume restores the checkpoint, if Resume is set and there is one.
func (r *run) resume() error {
	d := r.disk
	if d == nil || !d.Resume {
		return nil
	}
	path := d.path(checkpointFile)
	f, err := safetensors.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("train: %w", err)
	}
	s, err := r.restore(f)
	if err != nil {
		return fmt.Errorf("train: %s: %w", path, err)
	}
	// The run may have been killed before the other two files were written.
	d.changed = r.BestEpoch > 0
	if err := writeMirror(d.path(stateFile), *s, f.Metadata[digestKey]); err != nil {
		return fmt.Errorf("train: checkpoint: %w", err)
	}
	return nil
}

// restore continues from the state and the tensors of a checkpoint.
func (r *run) restore(f *safetensors.File) (*state, error) {
	s, err := readState(f)
	if err != nil {
		return nil, err
	}
	if err := differs(s.Run, r.disk.id.text()); err != nil {
		return nil, err
	}
	if err := s.check(r.perEpoch, len(r.groups)); err != nil {
		return nil, err
	}
	if s.Epoch > r.cfg.Epochs {
		return nil, fmt.Errorf("the run has %d epochs behind it, Config.Epochs is %d", s.Epoch, r.cfg.Epochs)
	}
	r.progress = s.progress
	if r.Stopped == StoppedEpochs && r.Epoch < r.cfg.Epochs {
		r.Stopped = ""
	}
	if r.BestEpoch > 0 {
		r.best = copies(r.params)
	}
	own := r.tensors(r.opt.State())
	if err := match(own, f); err != nil {
		return nil, err
	}
	saved := optim.State{Optimizer: r.opt.State().Optimizer, Steps: s.OptimizerSteps}
	for _, t := range f.Tensors {
		if name, ok := strings.CutPrefix(t.Name, optimizerPrefix); ok {
			saved.Tensors = append(saved.Tensors, &tensor.Param{Name: name, Value: tensor.FromSlice(t.Data, t.Shape...)})
		}
	}
	if err := r.opt.LoadState(saved); err != nil {
		return nil, err
	}
	fill(own, f)
	return s, nil
}
