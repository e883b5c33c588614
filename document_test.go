package ehgnn_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ehgnn/ehgnn"
	"github.com/ehgnn/ehgnn/internal/safetensors"
	"github.com/ehgnn/ehgnn/internal/session"
	"github.com/ehgnn/ehgnn/train"
)

// The example of a run folder is one of its training graphs, and tells weights that predict
// finite numbers from those that do not.
func TestExample(t *testing.T) {
	dir := trained(t, session.Request{Path: filepath.Join(sets, "RINGS"), Model: "hyperdrop"})
	m := open(t, dir, ehgnn.Options{})
	g, text, err := m.Example()
	if err != nil || g.NumNodes == 0 || len(g.Ends) == 0 || !strings.Contains(string(text), `"prediction"`) {
		t.Fatalf("example %+v, %.200s (%v)", g, text, err)
	}
	if err := m.Check(t.Context()); err != nil {
		t.Error(err)
	}

	path := filepath.Join(dir, "model.safetensors")
	r, err := session.LoadRun(dir)
	if err != nil {
		t.Fatal(err)
	}
	f, err := safetensors.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range r.Model.Params() {
		for i := range p.Value.Data() {
			p.Value.Data()[i] *= 1e30
		}
	}
	if err := train.SaveParams(path, r.Model, f.Metadata); err != nil {
		t.Fatal(err)
	}
	if err := open(t, dir, ehgnn.Options{}).Check(t.Context()); err == nil || !strings.Contains(err.Error(), "expected a finite number") {
		t.Errorf("weights that overflow: %v", err)
	}
	if err := os.Remove(filepath.Join(dir, session.ExampleFile)); err != nil {
		t.Fatal(err)
	}
	if err := m.Check(t.Context()); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a folder without an example: %v", err)
	}
}
