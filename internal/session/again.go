package session

import (
	"errors"
	"os"

	"github.com/ehgnn/ehgnn/data/tables"
	"github.com/ehgnn/ehgnn/internal/plainyaml"
	"github.com/ehgnn/ehgnn/internal/settings"
	"github.com/ehgnn/ehgnn/internal/task"
)

// ReadConfig returns the request that trains the same run again, given the text of its config.yaml
// in dir. ok is false for YAML that does not contain the settings of a run.
func ReadConfig(dir string, text []byte) (r Request, ok bool, err error) {
	var probe struct {
		ModelName string `yaml:"model_name"`
	}
	if plainyaml.Unmarshal(text, &probe) != nil || probe.ModelName == "" {
		return r, false, nil
	}
	var s settings.Settings
	if err := s.ParseYAML(text); err != nil {
		return r, true, settings.Usage(err)
	}
	return requestOf(s, dir), true, repeatable(s, dir)
}

// ReadRun reads the settings of a run folder and returns the request that trains the run again.
func ReadRun(dir string) (r Request, err error) {
	s, err := readBegun(dir)
	if err != nil {
		return r, err
	}
	return requestOf(s, dir), repeatable(s, dir)
}

// ReadSampled is ReadRun for a run trained on sampled neighbourhoods.
func ReadSampled(dir string) (r Request, sampling settings.Sampling, err error) {
	s, err := readBegun(dir)
	if err != nil {
		return r, sampling, err
	}
	if s.Sampling == nil {
		return r, sampling, settings.Misuse("the run in %s was not trained on sampled neighbourhoods; ehgnn train --resume continues it", dir)
	}
	return requestOf(s, dir), *s.Sampling, nil
}

// readBegun reads the settings of a run that was started in a folder.
func readBegun(dir string) (settings.Settings, error) {
	s, err := settings.ReadConfig(dir)
	if errors.Is(err, os.ErrNotExist) {
		return s, settings.Misuse("%s holds no run: there is no %s in it", dir, settings.ConfigFile)
	}
	if err != nil {
		return s, settings.Usage(err)
	}
	return s, nil
}

// repeatable returns an error for a run that was trained on sampled neighbourhoods: this program cannot repeat or continue it.
func repeatable(s settings.Settings, dir string) error {
	if s.Sampling != nil {
		return settings.Misuse("the run in %s was trained on sampled neighbourhoods, which ehgnn-scale train does; here it can be used, not trained", dir)
	}
	return nil
}

// requestOf returns the request for a run with settings that were read in dir.
func requestOf(s settings.Settings, dir string) Request {
	if t, err := task.FindTask(s.Task); err == nil {
		s.Kind = t.Kind
	}
	if t := s.Data.Tables; t != nil && t.Encoder != nil && t.Encoder.Options.Kinds != (tables.Kinds{}) {
		s.Data.Edges = settings.EdgesBipartite // also if it was derived from the names of columns
	}
	return Request{Path: s.Data.From(dir), Task: s.Task, Model: s.ModelName, Given: s.Given(), Seed: s.Train.Seed}
}
