package task

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strconv"

	"github.com/goccy/go-yaml"

	"github.com/ehgnn/ehgnn/internal/atomicfile"
	"github.com/ehgnn/ehgnn/internal/plainyaml"
)

// writeConfig writes the resolved settings as YAML, with the keys of their JSON form.
func writeConfig(dir string, s Settings) error {
	text, err := json.Marshal(s)
	if err != nil {
		return fmt.Errorf("task: settings: %w", err)
	}
	out, err := toYAML(text)
	if err != nil {
		return fmt.Errorf("task: settings: %w", err)
	}
	if len(out) > plainyaml.MaxBytes/2 {
		return misuse("task: the settings take %d MiB, most of it categories of columns, expected less than %d; leave columns out with --ignore", len(out)>>20, plainyaml.MaxBytes>>21)
	}
	return atomicfile.Write(filepath.Join(dir, configFile), func(w io.Writer) error {
		_, err := fmt.Fprintf(w, "# Every setting of this run, resolved. Written by ehgnn.\n%s", out)
		return err
	})
}

// withExponent matches numbers with an exponent, such as 1e-07, and strings of JSON, in
// which nothing is to be replaced.
var withExponent = regexp.MustCompile(`"(?:\\.|[^"\\])*"|[-.\d]+e[-+]\d+`)

// toYAML writes JSON as YAML. Numbers with an exponent get a decimal point: without one the
// YAML reader takes them for text.
func toYAML(text []byte) ([]byte, error) {
	text = withExponent.ReplaceAllFunc(text, pointed)
	var tree any
	if err := yaml.UnmarshalWithOptions(text, &tree, yaml.UseOrderedMap()); err != nil {
		return nil, err
	}
	return yaml.MarshalWithOptions(tree, yaml.CustomMarshaler(func(v float64) ([]byte, error) {
		return withExponent.ReplaceAllFunc(strconv.AppendFloat(nil, v, 'g', -1, 64), pointed), nil
	}))
}

// pointed adds a decimal point to a match of withExponent that is a number without one.
func pointed(number []byte) []byte {
	if number[0] == '"' || bytes.Contains(number, []byte(".")) {
		return number
	}
	return bytes.Replace(number, []byte("e"), []byte(".0e"), 1)
}

// readConfig reads what writeConfig wrote.
func readConfig(dir string) (s Settings, err error) {
	path := filepath.Join(dir, configFile)
	text, err := plainyaml.ReadFile(path)
	if errors.Is(err, os.ErrNotExist) {
		if old, err := os.ReadFile(filepath.Join(dir, edgesFile01)); err == nil {
			if err := s.fromEdges01(old); err != nil {
				return s, fmt.Errorf("task: run %s: %s: %w", dir, edgesFile01, err)
			}
			return s, nil
		}
	}
	if err != nil {
		return s, fmt.Errorf("task: run folder: %w", err)
	}
	if err := s.parseYAML(text); err != nil {
		return s, fmt.Errorf("task: %s: %w", path, err)
	}
	return s, nil
}

// parseYAML reads settings as writeConfig writes them.
func (s *Settings) parseYAML(text []byte) error {
	plain, err := plainyaml.ToJSON(text)
	if err != nil {
		return err
	}
	return json.Unmarshal(plain, s)
}

// ReadConfig takes the text of the config.yaml of a run, which lies in dir, and makes a
// request that trains the same run again. ok is false for YAML that is no run's settings.
func ReadConfig(dir string, text []byte) (r Request, ok bool, err error) {
	var probe struct {
		ModelName string `yaml:"model_name"`
	}
	if plainyaml.Unmarshal(text, &probe) != nil || probe.ModelName == "" {
		return r, false, nil
	}
	var s Settings
	if err := s.parseYAML(text); err != nil {
		return r, true, usageError{err}
	}
	return s.request(dir), true, nil
}

// ReadRun reads the settings of a run folder as a request that trains the run again.
func ReadRun(dir string) (r Request, err error) {
	s, err := readConfig(dir)
	if errors.Is(err, os.ErrNotExist) {
		return r, misuse("task: %s holds no run: there is no %s in it", dir, configFile)
	}
	if err != nil {
		return r, usageError{err}
	}
	return s.request(dir), nil
}

// request asks for a run with these settings, which were read in dir.
func (s *Settings) request(dir string) Request {
	return Request{Path: s.Data.from(dir), Task: s.Task, Model: s.ModelName, Given: s.Given(), Seed: s.Train.Seed}
}
