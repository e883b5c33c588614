package settings

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/ehgnn/ehgnn/train"
)

// Digest is the first 16 hexadecimal digits of the SHA-256 of a text.
func Digest(text []byte) string {
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:8])
}

// SameRun returns an error that names the differing settings, if a run is to be continued with
// other settings than at its start. The data may have moved, and the run may get longer if its
// learning rate does not depend on its length.
func SameRun(dir string, now Settings) error {
	begun, err := ReadConfig(dir)
	if err != nil {
		return Usage(err)
	}
	if now.Train.Schedule.Name != "cosine" {
		begun.Train.Epochs = now.Train.Epochs
	}
	if differ := begun.Changes(now); differ != nil {
		return Misuse("%s was begun with other settings: %s; repeat them to continue it, or choose another folder", dir, strings.Join(differ, ", "))
	}
	return nil
}

// Flat lists the settings as JSON by dotted names. The encoder is long and is replaced by a digest.
func (s Settings) Flat() map[string]string {
	out := map[string]string{}
	s.Data = s.Data.Clone()
	if t := s.Data.Tables; t != nil && t.Encoder != nil {
		e := *t.Encoder
		out["digest of features"] = Digest(MustJSON(e))
		t.Encoder = nil
	}
	maps.Copy(out, flatten(s))
	return out
}

// flatten lists JSON values by dotted names, without nulls.
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
			out[name] = plainJSON(v)
		}
	}
	dec := json.NewDecoder(bytes.NewReader(MustJSON(plain)))
	dec.UseNumber() // float64 cannot hold all seeds
	var tree any
	if err := dec.Decode(&tree); err != nil {
		panic(err) // the text was encoded just before
	}
	walk("", tree)
	return out
}

// Changes lists the settings in which two runs differ, without the paths of their data.
func (s Settings) Changes(now Settings) []string {
	s.withoutPaths()
	now.withoutPaths()
	return Differences(s.Flat(), now.Flat())
}

// Differences lists the settings that differ, with both values.
func Differences(was, is map[string]string) []string {
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

// MustJSON encodes settings and their parts, which are always valid JSON data.
func MustJSON(v any) []byte {
	text, err := json.Marshal(v)
	if err != nil {
		panic(fmt.Sprintf("settings cannot be written as JSON: %v", err))
	}
	return text
}

// plainJSON is a value as JSON for people, without the escapes for HTML.
func plainJSON(v any) string {
	var b strings.Builder
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		panic(err) // the text was decoded just before
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// Identity has the settings that must be equal to continue from a checkpoint: model and data, but
// not the paths of the data.
func (s Settings) Identity() string {
	s.withoutPaths()
	s.Train = train.Config{} // package train compares it
	return string(MustJSON(s))
}

// Key identifies the settings that the result of a training depends on, without seed and fold.
func (s Settings) Key() string {
	s.withoutPaths()
	s.Split.Fold, s.Split.Seed, s.Model.Seed, s.Train.Seed = 0, 0, 0, 0
	if g := s.Data.Graphs; g != nil {
		g.NodeScale, g.EdgeScale = nil, nil // these depend on the fold
	}
	return Digest(MustJSON(s))
}

// withoutPaths clears the paths of the data and the settings used only after training.
func (s *Settings) withoutPaths() {
	s.Data = s.Data.Clone()
	s.Data.Path, s.Data.FromRun, s.Data.Format = "", "", ""
	if g := s.Data.Graphs; g != nil {
		g.Set = ""
	}
	if m := s.Data.Molecules; m != nil {
		m.OnInvalid = ""
	}
	if t := s.Data.Tables; t != nil {
		t.NodesFiles, t.EdgesFile = nil, ""
	}
	if s.Target.Binary != nil {
		s.Target.Binary = &Binary{Positive: s.Target.Binary.Positive}
	}
	s.Model = s.Model.Untrained()
	t := &s.Target
	t.Budget, t.Threshold, t.Calibrate, t.Temperature, t.Coverage, t.Conformal = nil, "", false, 0, 0, nil
}
