package task

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/goccy/go-yaml"

	"github.com/ehgnn/ehgnn/internal/atomicfile"
)

// Files of a run folder besides those of package train.
const (
	configFile      = "config.yaml"
	modelFile       = "model.safetensors"
	predictionsFile = "predictions.csv"
	environmentFile = "environment.json"
)

// settingsKey is where the weights' metadata keep the settings, as JSON.
const settingsKey = "ehgnn.settings"

func digest(text []byte) string {
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:8])
}

// writeConfig writes the resolved settings as YAML. Keys are those of the JSON
// form.
func writeConfig(dir string, s Settings) error {
	text, err := json.Marshal(s)
	if err != nil {
		return fmt.Errorf("task: settings: %w", err)
	}
	out, err := toYAML(text)
	if err != nil {
		return fmt.Errorf("task: settings: %w", err)
	}
	return atomicfile.Write(filepath.Join(dir, configFile), func(w io.Writer) error {
		_, err := fmt.Fprintf(w, "# Every setting of this run, resolved. Written by ehgnn.\n%s", out)
		return err
	})
}

// withExponent matches strings of JSON, to skip them, and numbers as 1e-07.
var withExponent = regexp.MustCompile(`"(?:\\.|[^"\\])*"|[-.\d]+e[-+]\d+`)

// toYAML writes JSON as YAML. A number with an exponent gets a decimal point, without which
// the YAML reader takes it for a text.
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

// pointed is a match of withExponent with a decimal point.
func pointed(number []byte) []byte {
	if number[0] == '"' || bytes.Contains(number, []byte(".")) {
		return number
	}
	return bytes.Replace(number, []byte("e"), []byte(".0e"), 1)
}

// readConfig reads what writeConfig wrote.
func readConfig(dir string) (s Settings, err error) {
	path := filepath.Join(dir, configFile)
	text, err := os.ReadFile(path)
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
	plain, err := yaml.YAMLToJSON(text)
	if err != nil {
		return errors.New(yaml.FormatError(err, false, true))
	}
	return json.Unmarshal(plain, s)
}

// ReadConfig reads the config.yaml of a run as a request that leads to the same run
// again. ok is false for YAML that is none.
func ReadConfig(text []byte) (r Request, ok bool, err error) {
	var probe struct {
		ModelName string `yaml:"model_name"`
	}
	if yaml.Unmarshal(text, &probe) != nil || probe.ModelName == "" {
		return r, false, nil
	}
	var s Settings
	if err := s.parseYAML(text); err != nil {
		return r, true, usageError{err}
	}
	return s.request(), true, nil
}

// ReadRun reads the settings of a run folder as a request to train it again.
func ReadRun(dir string) (r Request, err error) {
	s, err := readConfig(dir)
	if errors.Is(err, os.ErrNotExist) {
		return r, misuse("task: %s holds no run: there is no %s in it", dir, configFile)
	}
	if err != nil {
		return r, usageError{err}
	}
	r = s.request()
	r.Path = s.Data.from(dir)
	return r, nil
}

// request asks for these settings.
func (s *Settings) request() Request {
	return Request{Path: s.Data.Path, Task: s.Task, Model: s.ModelName, Given: s.Given(), Seed: s.Train.Seed}
}

// sameRun refuses settings under which a run that was begun cannot go on, naming
// each that differs. The data may have moved, and a run whose rate does not
// depend on its length may get longer.
func sameRun(dir string, now Settings) error {
	begun, err := readConfig(dir)
	if err != nil {
		return usageError{err}
	}
	begun.withoutPaths()
	now.withoutPaths()
	if now.Train.Schedule.Name != "cosine" {
		begun.Train.Epochs = now.Train.Epochs
	}
	differ := differences(begun.flat(), now.flat())
	if differ != nil {
		return misuse("task: %s was begun with other settings: %s; repeat them to continue it, or choose another folder", dir, strings.Join(differ, ", "))
	}
	return nil
}

// flat lists the settings as JSON by dotted names. Fields of features are too long to
// show.
func (s Settings) flat() map[string]string {
	out := map[string]string{}
	s.Data = s.Data.clone()
	if t := s.Data.Tables; t != nil && t.Encoder != nil {
		e := *t.Encoder
		out["digest of features"] = digest(mustJSON(e))
		t.Encoder = nil
	}
	maps.Copy(out, flatten(s))
	return out
}

// flatten lists what is in plain data as JSON by dotted names; what is null is not
// there.
func flatten(plain any) map[string]string {
	out := map[string]string{}
	var walk func(name string, v any)
	walk = func(name string, v any) {
		switch v := v.(type) {
		case nil:
		case map[string]any:
			for key, field := range v {
				walk(strings.TrimPrefix(name+"."+key, "."), field)
			}
		default:
			out[name] = string(mustJSON(v))
		}
	}
	dec := json.NewDecoder(bytes.NewReader(mustJSON(plain)))
	dec.UseNumber() // seeds do not fit into a float64
	var tree any
	if err := dec.Decode(&tree); err != nil {
		panic(err) // it was encoded just now
	}
	walk("", tree)
	return out
}

// differences names the settings that were and are not the same, with both values.
func differences(was, is map[string]string) []string {
	keys := maps.Clone(was)
	maps.Copy(keys, is)
	var out []string
	for _, key := range slices.Sorted(maps.Keys(keys)) {
		if was[key] != is[key] {
			out = append(out, fmt.Sprintf("%s was %s and is %s now", key, cmp.Or(was[key], "none"), cmp.Or(is[key], "none")))
		}
	}
	return out
}

// mustJSON encodes settings and their parts, which are plain data.
func mustJSON(v any) []byte {
	text, err := json.Marshal(v)
	if err != nil {
		panic(fmt.Sprintf("task: settings cannot be written as JSON: %v", err))
	}
	return text
}

func writeJSON(path string, v any) error {
	return atomicfile.Write(path, func(w io.Writer) error {
		enc := json.NewEncoder(w)
		enc.SetIndent("", "  ")
		return enc.Encode(v)
	})
}

// prepareDir makes a run folder and reports whether it holds a run, which is
// refused unless it is to be resumed.
func prepareDir(dir string, resume bool) (begun bool, err error) {
	_, err = os.Stat(filepath.Join(dir, configFile))
	begun = err == nil
	if begunBy01(dir) {
		return begun, misuse("task: %s holds a run of version 0.1, which is not continued; it can be used as it is, or trained again in another folder", dir)
	}
	if begun && !resume {
		return begun, misuse("task: %s holds a run already; choose another folder, remove it, or continue it with --resume", dir)
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return begun, usageError{fmt.Errorf("task: run folder: %w", err)}
	}
	// A kill in the middle of a write leaves a hidden temporary file; the folder
	// belongs to this run alone.
	left, _ := filepath.Glob(filepath.Join(dir, ".*.tmp-*")) // the pattern is well formed
	for _, path := range left {
		if err := os.Remove(path); err != nil {
			return begun, fmt.Errorf("task: run folder: %w", err)
		}
	}
	return begun, nil
}
