package session

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/ehgnn/ehgnn/internal/safetensors"
	"github.com/ehgnn/ehgnn/internal/settings"
	"github.com/ehgnn/ehgnn/internal/source"
	"github.com/ehgnn/ehgnn/internal/task"
	"github.com/ehgnn/ehgnn/model"
	"github.com/ehgnn/ehgnn/train"
)

// Run is a trained model with its settings, without data.
type Run struct {
	Dir      string
	Settings settings.Settings
	Model    model.Model
	Digest   string // first 8 bytes of the SHA-256 of the weights, in hexadecimal
	kept     *source.KeptContext
}

// LoadRun reads the settings and weights of a run folder.
func LoadRun(dir string) (*Run, error) {
	file, err := openWeights(dir)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	set, weights, err := readRun(dir, file)
	if err != nil {
		return nil, err
	}
	r := &Run{Dir: dir, Settings: set, kept: &source.KeptContext{}}
	if r.Model, err = loadModel(set, weights); err != nil {
		return nil, fmt.Errorf("run %s: %w", dir, err)
	}
	// Hash the open file: its name may belong to another file by now.
	sum := sha256.New()
	if _, err := io.Copy(sum, file); err != nil {
		return nil, fmt.Errorf("run %s: %w", dir, err)
	}
	r.Digest = hex.EncodeToString(sum.Sum(nil)[:8])
	return r, nil
}

// DecodeRun reads a run from the content of its file of weights, which also has the settings. The
// run has no folder.
func DecodeRun(weights []byte) (*Run, error) {
	f, err := safetensors.Read(bytes.NewReader(weights), int64(len(weights)))
	if err != nil {
		return nil, fmt.Errorf("run: %w", err)
	}
	if err := train.CheckParams(f); err != nil {
		return nil, fmt.Errorf("run: %w", err)
	}
	r := &Run{kept: &source.KeptContext{}}
	if r.Settings, err = settingsOf(f, ModelFile); err != nil {
		return nil, err
	}
	if r.Model, err = loadModel(r.Settings, f); err != nil {
		return nil, fmt.Errorf("run: %w", err)
	}
	return r, nil
}

// loadModel builds the model of settings after checking that its parameters match the weights: so a
// small file with large settings takes no memory.
func loadModel(set settings.Settings, weights *safetensors.File) (model.Model, error) {
	outline, err := set.Spec().Outline(set.Model)
	if err != nil {
		return nil, err
	}
	if err := train.MatchParams(outline, weights); err != nil {
		return nil, err
	}
	m, err := set.Spec().New(set.Model)
	if err != nil {
		return nil, err
	}
	if err := train.LoadParams(m, weights); err != nil {
		return nil, err
	}
	if l, ok := m.(interface{ Ready() error }); ok {
		return m, l.Ready()
	}
	return m, nil
}

// Load opens a run folder with its training data or with other data, which are encoded in the same
// way and need no labels. The split of the training applies to the training data. Other data are
// one part, PartAll, unless they come as one set for each part.
func Load(ctx context.Context, dir string, o source.LoadOptions) (*Session, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	r, err := LoadRun(dir)
	if err != nil {
		return nil, settings.Usage(err)
	}
	return r.Open(ctx, o)
}

// Open is Load for a run whose settings and weights are already read. A run may be opened several
// times, also concurrently.
func (r *Run) Open(ctx context.Context, o source.LoadOptions) (*Session, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	dir := r.Dir
	var err error
	s := &Session{Settings: r.Settings, Model: r.Model, Threads: o.Threads, maxMemory: o.MaxMemory, Toolkit: o.Toolkit, Parts: map[string]*source.Part{}}
	set := &s.Settings
	if s.Task, err = task.FindTask(set.Task); err != nil {
		return nil, fmt.Errorf("run %s: %w", dir, err)
	}
	s.Spec = set.Spec()
	src, err := source.FindSource(set.Data.Source)
	if err != nil {
		return nil, settings.Usage(err)
	}
	own, err := complete(&o, dir, set, src)
	if err != nil {
		return nil, err
	}
	if o.Kept = r.kept; o.RowsAlone {
		o.Rows = r.Model
	}
	if s.Data, err = src.ReadForInference(ctx, set, o, own); err != nil {
		if own {
			err = fmt.Errorf("the data of run %s cannot be read again; name them as DATA: %w", dir, err)
		}
		return nil, settings.Usage(err)
	}
	s.own = s.Data.Checksum() == set.Data.Checksum && o.Context == ""
	if own && !s.own {
		return nil, settings.Misuse("%s has changed since run %s was trained (checksum %s, expected %s); name it as DATA to use it all the same",
			o.Data, dir, s.Data.Checksum(), set.Data.Checksum)
	}
	if m, ok := s.Data.(*source.MoleculeData); ok {
		s.own = s.own && m.Set.Column == set.Data.Molecules.Column // a different column would be divided differently
	}
	// One part of the training data also has the checksum of the training; then the split does not
	// apply.
	kind := set.Split
	if s.own && s.Data.ResolveSplit(&kind, &s.Task.Kind) == nil && kind.Kind == set.Split.Kind {
		if s.Parts, err = s.Data.Split(ctx, set, &s.Task.Kind, s.Spec.Form); err != nil {
			return nil, settings.Usage(err)
		}
		return s, nil
	}
	s.own = false
	if c, ok := s.Data.(*source.ColumnData); ok && c.Beside != nil {
		s.Model = c.Beside.Model
	}
	if p, ok := s.Data.(*source.GraphData); ok && p.Whole == nil {
		if s.Parts, err = s.Data.Split(ctx, set, &s.Task.Kind, s.Spec.Form); err != nil {
			return nil, settings.Usage(err)
		}
		return s, nil
	}
	_, err = s.Part(source.PartAll) // so that memory errors are reported here
	return s, err
}

// complete fills in what the run knows about its training data; own says that no other data were
// given.
func complete(o *source.LoadOptions, dir string, set *settings.Settings, src *source.Source) (own bool, err error) {
	for _, f := range []struct{ name, value string }{{"nodes", strings.Join(o.Nodes, ",")}, {"context", o.Context}, {"name", o.Set}, {"format", o.Format}, {"smiles", o.SMILES}, {"on-invalid", o.OnInvalid}} {
		reads := slices.Contains(src.InferenceOptions, f.name) && (f.name != "format" || slices.Contains(src.Formats, f.value))
		if f.value != "" && !reads {
			return false, settings.Misuse("--%s does not apply to %s, which is a run on %s", f.name, dir, set.Data.Source)
		}
	}
	path := set.Data.From(dir)
	if own = o.Data == ""; own {
		if path == "" {
			return own, settings.Misuse("config.yaml of run %s names no data, because the run was trained on data in memory; name the data as DATA", dir)
		}
		for name, value := range map[string]string{"nodes": strings.Join(o.Nodes, ","), "context": o.Context} {
			if value != "" {
				return own, settings.Misuse("--%s is given without DATA, the tables that it belongs to", name)
			}
		}
		o.Data, o.Format = path, set.Data.Format
	}
	if o.Context == source.ContextTraining {
		o.Context = path
	}
	if g := set.Data.Graphs; g != nil && o.Set == "" && (own || o.Data == set.Data.Path) {
		o.Set = g.Set
	}
	return own, nil
}

// openWeights opens the file of weights of a run folder.
func openWeights(dir string) (*os.File, error) {
	f, err := os.Open(filepath.Join(dir, ModelFile))
	if !errors.Is(err, os.ErrNotExist) {
		return f, err
	}
	if _, err := os.Stat(filepath.Join(dir, settings.ConfigFile)); err == nil {
		return nil, fmt.Errorf("run %s has no weights yet: there is no %s in it", dir, ModelFile)
	}
	if runs, _ := ReadLabelRuns(dir); runs != nil {
		return nil, fmt.Errorf("%s has a run for each label; name one of them: %s", dir, NameDirs(runs))
	}
	return nil, fmt.Errorf("%s is no run folder: there is no %s in it", dir, ModelFile)
}

// readRun reads the settings and weights of a run folder from its open file of weights.
func readRun(dir string, file *os.File) (set settings.Settings, f *safetensors.File, err error) {
	path := file.Name()
	info, err := file.Stat()
	if err == nil {
		f, err = safetensors.Read(file, info.Size())
	}
	if err == nil {
		err = train.CheckParams(f)
	}
	if err != nil {
		return set, nil, fmt.Errorf("%s: %w", path, err)
	}
	if set, err = settingsOf(f, path); err != nil {
		return set, nil, err
	}
	config, err := settings.ReadConfig(dir)
	if errors.Is(err, os.ErrNotExist) {
		return set, f, nil
	}
	if err != nil {
		return set, nil, err
	}
	set.Data.Path, set.Data.FromRun = config.Data.Path, config.Data.FromRun
	return set, f, sameSettings(dir, config, set)
}

// settingsOf returns the settings in the metadata of weights; name is for errors.
func settingsOf(f *safetensors.File, name string) (set settings.Settings, err error) {
	text, ok := f.Metadata[settingsKey]
	if !ok {
		return set, fmt.Errorf("%s has no settings in its metadata (%s): it was not written by ehgnn", name, settingsKey)
	}
	if err := json.Unmarshal([]byte(text), &set); err != nil {
		return set, fmt.Errorf("%s: settings: %w", name, err)
	}
	if err := checkSettings(&set); err != nil {
		return set, fmt.Errorf("%s: settings: %w", name, err)
	}
	if text, ok := f.Metadata[thresholdsKey]; ok {
		if err := json.Unmarshal([]byte(text), &set.Target.Curve); err != nil {
			return set, fmt.Errorf("%s: thresholds: %w", name, err)
		}
		if err := set.Target.Curve.Check(); err != nil {
			return set, fmt.Errorf("%s: thresholds: %w", name, err)
		}
	}
	return set, nil
}

// checkSettings finds the task of settings, and returns an error for inconsistent settings.
// Settings are consistent when a run is written, but a file of weights may come from somebody else.
func checkSettings(s *settings.Settings) error {
	t, err := task.FindTask(s.Task)
	if err != nil {
		return err
	}
	s.Kind = t.Kind
	if err := source.Check(&s.Data); err != nil {
		return err
	}
	return s.Check()
}

// sameSettings returns an error if the weights have other settings than the config.yaml of a run
// folder, so that they belong to another run.
func sameSettings(dir string, config, weights settings.Settings) error {
	config.Train, weights.Train = train.Config{}, train.Config{} // a run may have become longer
	if differ := config.Changes(weights); differ != nil {
		return fmt.Errorf("run %s: the weights in %s are those of another run: %s", dir, ModelFile, strings.Join(differ, ", "))
	}
	return nil
}
