package session

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/ehgnn/ehgnn/internal/settings"
	"github.com/ehgnn/ehgnn/internal/testsets"
)

// The same training gives the same bytes of weights wherever the data and the run folder are.
func TestWeightsAnywhere(t *testing.T) {
	from := testsets.Transactions(t, 60, 300, nil)
	var all [][]byte
	for _, depth := range []string{"a", "b/c/d"} {
		data := filepath.Join(t.TempDir(), depth, "payments")
		if err := os.CopyFS(data, os.DirFS(from)); err != nil {
			t.Fatal(err)
		}
		s, err := Open(t.Context(), Request{Path: data, Model: "mlp-edge", Threads: 1, Given: settings.Values{"epochs": 1}})
		if err != nil {
			t.Fatal(err)
		}
		dir := filepath.Join(t.TempDir(), depth, "x", "run")
		if _, err := s.Train(t.Context(), TrainOptions{Dir: dir}); err != nil {
			t.Fatal(err)
		}
		weights, err := os.ReadFile(filepath.Join(dir, ModelFile))
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, weights)
		if run, err := LoadRun(dir); err != nil || run.Settings.Data.Path != data {
			t.Errorf("the run has its data at %+v, %v, want %s", run, err, data)
		}
	}
	if !bytes.Equal(all[0], all[1]) {
		t.Error("the weights differ by folder")
	}
}
