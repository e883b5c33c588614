package train

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"

	"github.com/ehgnn/ehgnn/internal/atomicfile"
	"github.com/ehgnn/ehgnn/internal/tfevents"
)

// metricsFile is the file in a run folder with the records of epochs.
const metricsFile = "metrics.jsonl"

// EpochInfo is the record of one epoch: an element of Result.History and a line
// of metrics.jsonl.
type EpochInfo struct {
	Epoch     int     // counted from 1
	Step      int     // batches since the start of the run
	LR        float64 // learning rate of the last step
	TrainLoss float64 // weighted mean over the epoch's batches; NaN if all were skipped
	GradNorm  float64 // mean norm before clipping; NaN if all batches were skipped
	Valid     Scores  // nil without validation graphs
	Improved  bool    // the epoch is the best so far
	Counter   int     // epochs in a row that were not better than the best
	Seconds   float64 // since the start of the run; only this field may differ between equal runs
}

// epochJSON is EpochInfo with names for JSON and numbers that may be null.
type epochJSON struct {
	Epoch     int     `json:"epoch"`
	Step      int     `json:"step"`
	LR        float64 `json:"lr"`
	TrainLoss number  `json:"train_loss"`
	GradNorm  number  `json:"grad_norm"`
	Valid     Scores  `json:"valid,omitempty"`
	Improved  bool    `json:"improved"`
	Counter   int     `json:"counter"`
	Seconds   float64 `json:"seconds"`
}

// MarshalJSON writes the record, with null for NaN.
func (e EpochInfo) MarshalJSON() ([]byte, error) {
	return json.Marshal(epochJSON{e.Epoch, e.Step, e.LR, number(e.TrainLoss), number(e.GradNorm), e.Valid, e.Improved, e.Counter, e.Seconds})
}

// UnmarshalJSON reads the JSON of MarshalJSON.
func (e *EpochInfo) UnmarshalJSON(text []byte) error {
	var j epochJSON
	if err := json.Unmarshal(text, &j); err != nil {
		return err
	}
	*e = EpochInfo{j.Epoch, j.Step, j.LR, float64(j.TrainLoss), float64(j.GradNorm), j.Valid, j.Improved, j.Counter, j.Seconds}
	return nil
}

// ReadHistory reads the epochs of a run from its folder. After an error, such as an incomplete last
// line after a kill, it also returns the epochs before it.
func ReadHistory(dir string) ([]EpochInfo, error) {
	path := filepath.Join(dir, metricsFile)
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("train: %w", err)
	}
	defer f.Close()
	var out []EpochInfo
	for dec := json.NewDecoder(f); ; {
		var e EpochInfo
		switch err := dec.Decode(&e); {
		case err == io.EOF:
			return out, nil
		case err != nil:
			return out, fmt.Errorf("train: %s: epoch %d: %w", path, len(out)+1, err)
		}
		out = append(out, e)
	}
}

// Recorder writes the epochs of a run to files as they end. When a run is resumed, lines after the
// checkpoint are replaced. So metrics.jsonl is that of an uninterrupted run, except for the times.
type Recorder struct {
	Dir         string // the folder for metrics.jsonl, created if it does not exist
	TensorBoard bool   // also write a TensorBoard event file there; its steps are epochs
}

// Write writes the epochs of a training that Fit did not run. It replaces those in the files.
func (r *Recorder) Write(history []EpochInfo) (err error) {
	out, err := r.open(nil)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, out.close()) }()
	for _, e := range history {
		if err := out.epoch(e); err != nil {
			return err
		}
	}
	return out.sync()
}

// recording is an open Recorder. A nil recording writes nothing.
type recording struct {
	lines  *atomicfile.Lines
	events *tfevents.Writer // nil without TensorBoard
}

// open starts after the epochs of history.
func (r *Recorder) open(history []EpochInfo) (*recording, error) {
	if r == nil {
		return nil, nil
	}
	if err := os.MkdirAll(r.Dir, 0o777); err != nil {
		return nil, fmt.Errorf("train: Recorder.Dir: %w", err)
	}
	lines, err := atomicfile.OpenLines(filepath.Join(r.Dir, metricsFile), len(history))
	if err != nil {
		return nil, fmt.Errorf("train: %w", err)
	}
	out := &recording{lines: lines}
	// A power failure or a user may have removed lines of epochs that are in the checkpoint.
	for _, e := range history[lines.Len():] {
		if err := lines.Append(e); err != nil {
			out.close()
			return nil, fmt.Errorf("train: %w", err)
		}
	}
	if r.TensorBoard {
		// A run that starts from the beginning also replaces the file.
		out.events, err = tfevents.Create(r.Dir, tfevents.Options{Resume: true, ResumeStep: int64(len(history) + 1)})
		if err != nil {
			out.close()
			return nil, fmt.Errorf("train: %w", err)
		}
	}
	return out, nil
}

// epoch adds an epoch to the files.
func (r *recording) epoch(e EpochInfo) error {
	if r == nil {
		return nil
	}
	if err := r.lines.Append(e); err != nil {
		return fmt.Errorf("train: %w", err)
	}
	if r.events == nil {
		return nil
	}
	scalars := Scores{{"loss/train", e.TrainLoss}, {"optimizer/lr", e.LR}, {"optimizer/grad_norm", e.GradNorm}}
	for _, s := range e.Valid {
		scalars = append(scalars, Score{s.Name + "/valid", s.Value})
	}
	for _, s := range scalars {
		if math.IsNaN(s.Value) {
			continue // nothing was measured
		}
		if err := r.events.Scalar(s.Name, s.Value, int64(e.Epoch)); err != nil {
			return fmt.Errorf("train: %w", err)
		}
	}
	if err := r.events.Flush(); err != nil {
		return fmt.Errorf("train: %w", err)
	}
	return nil
}

// sync makes the lines durable, before a checkpoint that includes their epochs.
func (r *recording) sync() error {
	if r == nil {
		return nil
	}
	if err := r.lines.Sync(); err != nil {
		return fmt.Errorf("train: %w", err)
	}
	return nil
}

func (r *recording) close() error {
	if r == nil {
		return nil
	}
	err := r.lines.Close()
	if r.events != nil {
		if eerr := r.events.Close(); err == nil {
			err = eerr
		}
	}
	if err != nil {
		return fmt.Errorf("train: %w", err)
	}
	return nil
}
