package task

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/ehgnn/ehgnn/data/tables"
	"github.com/ehgnn/ehgnn/internal/safetensors"
	"github.com/ehgnn/ehgnn/model"
	"github.com/ehgnn/ehgnn/train"
)

// edgesFile keeps the settings of a run on edges.
const edgesFile = "edges.json"

// IsEdgeRun reports whether a folder holds a run on edges, for LoadEdges and not for
// Load.
func IsEdgeRun(dir string) bool {
	_, err := os.Stat(filepath.Join(dir, edgesFile))
	return err == nil
}

// save writes the settings.
func (s *EdgeSession) save(dir string) error {
	return writeJSON(filepath.Join(dir, edgesFile), s.Settings)
}

// readEdgeSettings reads what save wrote.
func readEdgeSettings(dir string) (s EdgeSettings, err error) {
	text, err := os.ReadFile(filepath.Join(dir, edgesFile))
	if errors.Is(err, os.ErrNotExist) {
		return s, misuse("task: %s is no folder of a run on edges: there is no %s in it", dir, edgesFile)
	}
	if err != nil {
		return s, fmt.Errorf("task: run %s: %w", dir, err)
	}
	if err := json.Unmarshal(text, &s); err != nil {
		return s, usageError{fmt.Errorf("task: run %s: %s: %w", dir, edgesFile, err)}
	}
	if s.Encoder == nil {
		return s, misuse("task: run %s: %s has no encoder", dir, edgesFile)
	}
	return s, nil
}

// prepareEdgesDir is prepareDir of a folder whose settings are in edgesFile.
func prepareEdgesDir(dir string, resume bool) (begun bool, err error) {
	if begun = IsEdgeRun(dir); begun && !resume {
		return begun, misuse("task: %s holds a run already; choose another folder, remove it, or continue it with --resume", dir)
	}
	if _, err := os.Stat(filepath.Join(dir, configFile)); err == nil {
		return begun, misuse("task: %s holds a run of another task; choose another folder or remove it", dir)
	}
	_, err = prepareDir(dir, resume)
	return begun, err
}

// sameRun refuses settings under which the run that was begun in a folder cannot go
// on, naming each that differs. The data may have moved, and a run whose rate does
// not depend on its length may get longer.
func (s *EdgeSession) sameRun(dir string) error {
	begun, err := readEdgeSettings(dir)
	if err != nil {
		return err
	}
	now := s.Settings
	if now.Train.Schedule.Name != "cosine" {
		begun.Train.Epochs = now.Train.Epochs
	}
	differ := differences(begun.flat(), now.flat())
	if differ != nil {
		return misuse("task: %s was begun with other settings: %s; repeat them to continue it, or choose another folder", dir, strings.Join(differ, ", "))
	}
	return nil
}

// flat lists what decides the numbers of a run as JSON, by dotted names. Features
// are too long to show.
func (s EdgeSettings) flat() map[string]string {
	columns := s.Encoder.Options
	columns.Numbers, columns.Categories = nil, nil // which follow from the features
	return flatten(map[string]any{
		"task": s.Task, "model_name": s.ModelName, "checksum": s.Checksum, "columns": columns,
		"digest of features": digest(mustJSON([][]tables.Field{s.Encoder.Nodes, s.Encoder.Edges})), "class_weights": s.ClassWeights,
		"split": s.Split, "input": s.Input, "model": s.Model, "train": s.Train,
	})
}

// EdgeLoadOptions say on what a trained run on edges is used.
type EdgeLoadOptions struct {
	Data string // path of the tables; empty for those of the training
	// Nodes is the file of the nodes; empty for the name that the training gave, if
	// any.
	Nodes   string
	Threads int
}

// LoadEdges opens the folder of a run on edges with the tables it was trained on or
// others, which are encoded as those were. Others are one part, PartAll, and need no
// labels.
func LoadEdges(ctx context.Context, dir string, o EdgeLoadOptions) (*EdgeSession, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	s := &EdgeSession{Threads: o.Threads, inputs: map[string]*tables.Input{}}
	var err error
	if s.Settings, err = readEdgeSettings(dir); err != nil {
		return nil, err
	}
	if s.Model, err = s.Settings.trained(dir); err != nil {
		return nil, err
	}
	own := o.Data == ""
	if own {
		o.Data = s.Settings.Path
	}
	e := *s.Settings.Encoder
	if e.Options.Nodes != tables.None {
		e.Options.Nodes = cmp.Or(o.Nodes, s.Settings.Nodes)
	}
	if info, err := os.Stat(o.Data); own || err == nil && info.IsDir() {
		e.Options.Edges = s.Settings.Edges
	}
	if s.Set, err = e.Open(o.Data); err != nil {
		if own {
			err = fmt.Errorf("task: the tables of run %s cannot be read again; name them as DATA: %w", dir, err)
		}
		return nil, usageError{err}
	}
	switch {
	case s.Set.Checksum == s.Settings.Checksum:
		return s, s.divide(false)
	case own:
		return nil, misuse("task: %s has changed since run %s was trained (checksum %s, expected %s); name it as DATA to use it all the same",
			o.Data, dir, s.Set.Checksum, s.Settings.Checksum)
	}
	_, err = s.part(PartAll) // so that what does not fit is told now
	return s, err
}

// trained builds the model with the weights of a run.
func (s EdgeSettings) trained(dir string) (model.Model, error) {
	spec, err := FindEdgeModel(s.ModelName)
	if err != nil {
		return nil, fmt.Errorf("task: run %s: %w", dir, err)
	}
	m, err := s.Model.build(spec)
	if err != nil {
		return nil, fmt.Errorf("task: run %s: %w", dir, err)
	}
	weights, err := safetensors.ReadFile(filepath.Join(dir, modelFile))
	if errors.Is(err, os.ErrNotExist) {
		return nil, misuse("task: run %s has no weights yet: there is no %s in it", dir, modelFile)
	}
	if err == nil {
		err = train.LoadParams(m, weights)
	}
	if err != nil {
		return nil, fmt.Errorf("task: run %s: %w", dir, err)
	}
	return m, nil
}
