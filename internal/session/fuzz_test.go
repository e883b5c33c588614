package session

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/ehgnn/ehgnn/internal/safetensors"
	"github.com/ehgnn/ehgnn/train"
)

// FuzzWeights: for any settings in the metadata, weights are refused or equal those of the built
// model.
func FuzzWeights(f *testing.F) {
	dir := f.TempDir()
	path := filepath.Join(dir, ModelFile)
	rings := filepath.Join("..", "..", "testdata", "sets", "RINGS")
	var weights []*safetensors.File
	for i, model := range []string{"gcn", "hyperdrop", "gat"} {
		s, err := Open(f.Context(), Request{Path: rings, Model: model, Given: quick()})
		if err != nil {
			f.Fatal(err)
		}
		metadata, err := s.metadata()
		if err != nil {
			f.Fatal(err)
		}
		if err := train.SaveParams(path, s.Model, metadata); err != nil {
			f.Fatal(err)
		}
		w, err := safetensors.ReadFile(path)
		if err != nil {
			f.Fatal(err)
		}
		delete(w.Metadata, "ehgnn.digest") // an attacker would write the right digest
		weights = append(weights, w)
		f.Add([]byte(metadata[settingsKey]), uint(i))
		f.Add(bytes.ReplaceAll([]byte(metadata[settingsKey]), []byte(`"layers":2`), []byte(`"layers":3`)), uint(i))
	}
	f.Add([]byte(`{"task":"graph-classification","model_name":"gcn","model":{"hidden":-1}}`), uint(0))
	f.Fuzz(func(t *testing.T, settings []byte, which uint) {
		w := weights[which%uint(len(weights))]
		w.Metadata[settingsKey] = string(settings)
		var text bytes.Buffer
		if err := safetensors.Write(&text, w); err != nil {
			return // no file has this metadata
		}
		if err := os.WriteFile(path, text.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
		r, err := LoadRun(dir)
		if err != nil {
			return
		}
		if have := len(r.Model.Params()); have != len(w.Tensors) {
			t.Fatalf("a model of %d parameters took weights of %d", have, len(w.Tensors))
		}
		if _, err := json.Marshal(r.Settings); err != nil {
			t.Fatalf("settings that were read cannot be written: %v", err)
		}
		r.Settings.Schema()
	})
}
