package experiment

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ehgnn/ehgnn/internal/settings"
)

// The sizes equal those of the formulas. GMT's are not rounded.
func TestCompressionSizes(t *testing.T) {
	reached := func(vectors int, accuracy ...float64) (out []packResult) {
		for _, a := range accuracy {
			out = append(out, packResult{packSettings: packSettings{Vectors: vectors}, Accuracy: a})
		}
		return out
	}
	for m, want := range map[int][]string{
		1000:  {"57.50 120.00", "7.90 67.29", "8.30 70.13"},
		5000:  {"85.83 105.45", "2.63 30.47", "2.77 31.25"},
		10000: {"92.27 102.86", "1.44 23.90", "1.51 24.30"},
	} {
		z := packSize{edges: m, nodes: reached(150, 80, 90), tried: [][]packResult{reached(6, 74, 75), reached(8, 74, 76), reached(12, 70, 90), reached(16, 94, 98)}}
		for i, row := range z.rows() {
			if got := fmt.Sprintf("%.2f %.2f", row.Features, row.Scalars); got != want[i] {
				t.Errorf("%d edges, %s: %s, want %s", m, row.name(), got, want[i])
			}
			if clusters := []int{0, 8, 16}[i]; row.Clusters != clusters || row.NodeAccuracy != 85 {
				t.Errorf("%d edges, %s: %+v, want %d clusters", m, row.name(), row, clusters)
			}
		}
		z.tried = z.tried[:1]
		for _, row := range z.rows()[1:] {
			if row.Clusters != 0 || row.line()[2] != "–" {
				t.Errorf("a goal that nothing reaches: %+v", row)
			}
		}
	}
}

// The experiment increases the number of clusters until the goals are reached, or until there are as many as edges.
func TestCompression(t *testing.T) {
	options := map[string]any{"preset": presetQuick, "edges": []int{20}, "graphs": 2, "epochs": 2, "out": t.TempDir()}
	d, err := compression.Run(t.Context(), Env{Seed: 1, Threads: 2, Options: options})
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range d.FileNames() {
		if _, err := os.Stat(filepath.Join(d.Dir, name)); err != nil {
			t.Error(err)
		}
	}
	v := d.Value.(packValue)
	tried := map[string]int{}
	for _, r := range v.Trainings {
		tried[fmt.Sprintf("%s to %d", r.Items, r.Vectors)]++
		if r.Accuracy < 0 || r.Accuracy > 100 || r.Trained != 2 {
			t.Errorf("%+v", r)
		}
	}
	same(t, "trainings", tried, map[string]int{"nodes to 150": 2, "edges to 6": 2, "edges to 8": 2, "edges to 12": 2, "edges to 16": 2})
	if text := d.Text(); !strings.Contains(text, "HyperCluster, 95 %             –") || !strings.Contains(text, "Preset quick:") {
		t.Errorf("it prints\n%s", text)
	}
	for want, options := range map[string]map[string]any{
		`--preset is "slow"`:                {"preset": "slow"},
		"Erdos-Renyi graph of 1000 nodes":   {"edges": []int{1 << 20}},
		"--edges is 0, expected at least 1": {"edges": []int{0}},
		"--graphs is -1, expected at least": {"graphs": -1},
		"--lr is -1, expected":              {"lr": -1.0},
	} {
		_, err := compression.Run(t.Context(), Env{Options: options})
		if fails(t, err, want); !settings.IsUsage(err) {
			t.Errorf("%v is not marked as the user's to mend", err)
		}
	}
}
