package task

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/ehgnn/ehgnn/internal/safetensors"
	"github.com/ehgnn/ehgnn/model"
	"github.com/ehgnn/ehgnn/train"
)

// Run is a trained model with its settings, without data.
type Run struct {
	Dir      string
	Settings Settings
	Model    model.Model
	// NodeNames are the nodes that have learned vectors, by their numbers; nil for none.
	NodeNames []string
}

// LoadRun reads the settings and weights of a run folder.
func LoadRun(dir string) (*Run, error) {
	set, weights, err := readRun(dir)
	if err != nil {
		return nil, err
	}
	r := &Run{Dir: dir, Settings: set}
	if r.Model, err = loadModel(set, weights); err != nil {
		return nil, fmt.Errorf("task: run %s: %w", dir, err)
	}
	r.NodeNames, err = readNodeNames(dir, &r.Settings)
	return r, err
}

// DecodeRun reads a run from the content of its file of weights, which has the settings, too. The
// run has no folder and no names of nodes.
func DecodeRun(weights []byte) (*Run, error) {
	f, err := safetensors.Read(bytes.NewReader(weights), int64(len(weights)))
	if err != nil {
		return nil, fmt.Errorf("task: run: %w", err)
	}
	if err := train.CheckParams(f); err != nil {
		return nil, fmt.Errorf("task: run: %w", err)
	}
	r := &Run{}
	if r.Settings, err = settingsOf(f, modelFile); err != nil {
		return nil, err
	}
	if r.Model, err = loadModel(r.Settings, f); err != nil {
		return nil, fmt.Errorf("task: run: %w", err)
	}
	return r, nil
}

// loadModel builds the model of settings, once its outline is seen to be that of the weights:
// a small file with large settings takes no memory.
func loadModel(set Settings, weights *safetensors.File) (model.Model, error) {
	outline, err := set.spec().Outline(set.Model)
	if err != nil {
		return nil, err
	}
	if err := train.MatchParams(outline, weights); err != nil {
		return nil, err
	}
	m, err := set.spec().New(set.Model)
	if err != nil {
		return nil, err
	}
	return m, train.LoadParams(m, weights)
}

// Load opens a run folder with the data of its training or with others, which are encoded
// as those were and need no labels. The split of the training applies to its own data.
// Other data are one part, PartAll, unless they come as a set per part.
func Load(ctx context.Context, dir string, o LoadOptions) (*Session, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	r, err := LoadRun(dir)
	if err != nil {
		return nil, asUsage(err)
	}
	s := &Session{Settings: r.Settings, Model: r.Model, Threads: o.Threads, maxMemory: o.MaxMemory, toolkit: o.Toolkit, parts: map[string]*Part{}}
	set := &s.Settings
	if s.task, err = FindTask(set.Task); err != nil {
		return nil, fmt.Errorf("task: run %s: %w", dir, err)
	}
	s.spec = set.spec()
	src, err := findSource(set.Data.Source)
	if err != nil {
		return nil, asUsage(err)
	}
	own, err := o.complete(dir, set, src)
	if err != nil {
		return nil, err
	}
	if s.Data, err = src.Reread(ctx, set, o, own); err != nil {
		if own {
			err = fmt.Errorf("task: the data of run %s cannot be read again; name them as DATA: %w", dir, err)
		}
		return nil, asUsage(err)
	}
	if c, ok := s.Data.(*columnData); ok {
		c.nodeNames = r.NodeNames
	}
	s.own = s.Data.Checksum() == set.Data.Checksum && o.Context == ""
	if own && !s.own {
		return nil, Misuse("task: %s has changed since run %s was trained (checksum %s, expected %s); name it as DATA to use it all the same",
			o.Data, dir, s.Data.Checksum(), set.Data.Checksum)
	}
	if m, ok := s.Data.(*moleculeData); ok {
		s.own = s.own && m.set.Column == set.Data.Molecules.Column // others would be divided otherwise
	}
	// The checksum is also that of the training where only one part of its data is given;
	// then the split does not apply.
	kind := set.Split
	if s.own && s.Data.ResolveSplit(&kind, &s.task.Kind) == nil && kind.Kind == set.Split.Kind {
		if s.parts, err = s.Data.Divide(ctx, set, &s.task.Kind, s.spec.Form); err != nil {
			return nil, asUsage(err)
		}
		return s, nil
	}
	s.own = false
	if p, ok := s.Data.(*graphData); ok && p.whole == nil {
		if s.parts, err = s.Data.Divide(ctx, set, &s.task.Kind, s.spec.Form); err != nil {
			return nil, asUsage(err)
		}
		return s, nil
	}
	_, err = s.part(PartAll) // so that data that do not fit are reported here
	return s, err
}

// complete fills in what the run knows about its own data; own says that no other data were
// named.
func (o *LoadOptions) complete(dir string, set *Settings, src *Source) (own bool, err error) {
	for _, f := range []struct{ name, value string }{{"nodes", o.Nodes}, {"context", o.Context}, {"name", o.Set}, {"format", o.Format}, {"smiles", o.SMILES}, {"on-invalid", o.OnInvalid}} {
		reads := slices.Contains(src.Rereads, f.name) && (f.name != "format" || slices.Contains(src.Formats, f.value))
		if f.value != "" && !reads {
			return false, Misuse("task: --%s does not apply to %s, which is a run on %s", f.name, dir, set.Data.Source)
		}
	}
	path := set.Data.from(dir)
	if own = o.Data == ""; own {
		for name, value := range map[string]string{"nodes": o.Nodes, "context": o.Context} {
			if value != "" {
				return own, Misuse("task: --%s is given without DATA, the tables that it belongs to", name)
			}
		}
		o.Data, o.Format = path, set.Data.Format
	}
	if o.Context == ContextTraining {
		o.Context = path
	}
	if g := set.Data.Graphs; g != nil && o.Set == "" && (own || o.Data == set.Data.Path) {
		o.Set = g.Set
	}
	return own, nil
}

func readRun(dir string) (set Settings, f *safetensors.File, err error) {
	path := filepath.Join(dir, modelFile)
	f, err = safetensors.ReadFile(path)
	if errors.Is(err, os.ErrNotExist) {
		if _, err := os.Stat(filepath.Join(dir, configFile)); err == nil {
			return set, nil, fmt.Errorf("task: run %s has no weights yet: there is no %s in it", dir, modelFile)
		}
		return set, nil, fmt.Errorf("task: %s is no run folder: there is no %s in it", dir, modelFile)
	}
	if err != nil {
		return set, nil, fmt.Errorf("task: run %s: %w", dir, err)
	}
	if err := train.CheckParams(f); err != nil {
		return set, nil, fmt.Errorf("task: %s: %w", path, err)
	}
	if set, err = settingsOf(f, path); err != nil {
		return set, nil, err
	}
	return set, f, sameSettings(dir, set)
}

// settingsOf are the settings in the metadata of weights, whose name is for errors.
func settingsOf(f *safetensors.File, name string) (set Settings, err error) {
	text, ok := f.Metadata[settingsKey]
	if !ok {
		return set, fmt.Errorf("task: %s has no settings in its metadata (%s): it was not written by ehgnn", name, settingsKey)
	}
	if err := json.Unmarshal([]byte(text), &set); err != nil {
		return set, fmt.Errorf("task: %s: settings: %w", name, err)
	}
	if err := checkSettings(&set); err != nil {
		return set, fmt.Errorf("task: %s: settings: %w", name, err)
	}
	return set, nil
}

// checkSettings finds the task of settings and refuses those that do not hold together. Those of a
// run do when they are written; a file of weights may come from a stranger.
func checkSettings(s *Settings) error {
	t, err := FindTask(s.Task)
	if err != nil {
		return err
	}
	s.Kind = t.Kind
	if err := s.Data.check(); err != nil {
		return err
	}
	return s.check()
}

// sameSettings refuses weights of other settings than config.yaml has, if the run folder
// has one: those of another run.
func sameSettings(dir string, weights Settings) error {
	config, err := readConfig(dir)
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	config.Train, weights.Train = train.Config{}, train.Config{} // a run may have been made longer
	if differ := config.changes(weights); differ != nil {
		return fmt.Errorf("task: run %s: the weights in %s are those of another run: %s", dir, modelFile, strings.Join(differ, ", "))
	}
	return nil
}
