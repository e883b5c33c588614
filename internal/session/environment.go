package session

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"

	"github.com/ehgnn/ehgnn/internal/kernel"
	"github.com/ehgnn/ehgnn/internal/settings"
	"github.com/ehgnn/ehgnn/internal/source"
	"github.com/ehgnn/ehgnn/internal/version"
)

// Environment records the version, the seed and the data of a run: environment.json of a finished
// run.
type Environment struct {
	Version      version.Info    `json:"version"`
	DataChecksum string          `json:"data_checksum"`
	Chemistry    string          `json:"chemistry,omitempty"` // toolkit that read molecules
	Seed         uint64          `json:"seed"`
	Threads      int             `json:"threads"`
	Seconds      float64         `json:"seconds"`
	Command      string          `json:"command,omitempty"` // see TrainOptions.Command
	Given        settings.Values `json:"given,omitempty"`   // settings that differ from the defaults of the task and the model
	Result       *TrainResult    `json:"result"`
}

// ReadEnvironment reads environment.json of a run folder. An unfinished run has none, which is a
// usage error.
func ReadEnvironment(dir string) (*Environment, error) {
	text, err := os.ReadFile(filepath.Join(dir, EnvironmentFile))
	if os.IsNotExist(err) {
		return nil, settings.Misuse("run %s has no %s: it has not finished; ehgnn train --resume --out %s continues it", dir, EnvironmentFile, dir)
	}
	if err != nil {
		return nil, settings.Usage(fmt.Errorf("task: %w", err))
	}
	var e Environment
	if err := json.Unmarshal(text, &e); err != nil {
		return nil, settings.Misuse("task: %s: %w", filepath.Join(dir, EnvironmentFile), err)
	}
	if e.Result == nil {
		return nil, settings.Misuse("task: %s has no result", filepath.Join(dir, EnvironmentFile))
	}
	return &e, nil
}

// environment describes a session that ended training with a result.
func (s *Session) environment(r *TrainResult, command string) *Environment {
	e := &Environment{Version: version.Get(kernel.Level()), DataChecksum: s.Settings.Data.Checksum, Seed: s.Settings.Train.Seed,
		Threads: s.Threads, Seconds: r.Seconds, Command: command, Given: s.request.Defaults.Over(s.request.Given), Result: r}
	if d, ok := s.Data.(*source.MoleculeData); ok {
		e.Chemistry = d.Options.Toolkit.Version()
	}
	return e
}
