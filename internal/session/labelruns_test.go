package session

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/ehgnn/ehgnn/data/tables"
	"github.com/ehgnn/ehgnn/internal/lists"
	"github.com/ehgnn/ehgnn/internal/settings"
)

// Each label has a folder of its own, whatever its name is, and the other labels are ignored.
func TestPerLabel(t *testing.T) {
	several := fmt.Errorf("table: %w", tables.ErrSeveralLabels)
	r := Request{Given: settings.Values{"label": "a/b, a:b,."}, Defaults: settings.Values{"ignore": []string{"id"}}}
	requests, runs := PerLabel(r, several)
	if got, want := lists.Map(runs, func(r LabelRun) string { return r.Dir }), []string{"a_b", "a_b_", "_"}; !slices.Equal(got, want) {
		t.Errorf("folders %q, want %q", got, want)
	}
	if got := requests[1].Given; got["label"] != "a:b" || !slices.Equal(got["ignore"].([]string), []string{"id", "a/b", "."}) {
		t.Errorf("settings of the second run: %v", got)
	}
	if none, _ := PerLabel(r, os.ErrNotExist); none != nil {
		t.Errorf("another error makes %d requests", len(none))
	}

	dir := filepath.Join(t.TempDir(), "runs")
	if err := BeginLabelRuns(dir, runs, false); err != nil {
		t.Fatal(err)
	}
	if err := BeginLabelRuns(dir, runs, true); err != nil {
		t.Errorf("resumed: %v", err)
	}
	for name, text := range map[string]string{"no JSON": "{", "no runs": `{"runs":[]}`, "outside": `{"runs":[{"label":"a","dir":"../a"}]}`} {
		if err := os.WriteFile(filepath.Join(dir, LabelsFile), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		if runs, err := ReadLabelRuns(dir); !settings.IsUsage(err) {
			t.Errorf("%s: runs %v, error %v", name, runs, err)
		}
	}
}
