package experiment

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/ehgnn/ehgnn/data/synth"
	"github.com/ehgnn/ehgnn/internal/report"
	"github.com/ehgnn/ehgnn/internal/settings"
	"github.com/ehgnn/ehgnn/nn/pool"
	"github.com/ehgnn/ehgnn/tensor"
)

// runMoon runs the experiment with a few epochs.
func runMoon(ctx context.Context, t *testing.T, onStage func(string, int, int, string), options map[string]any) (*report.Document, error) {
	t.Helper()
	of := map[string]any{"preset": presetQuick, "epochs": 4, "colours": []string{"arc"}, "model": []string{"hypercluster", "rgcn-gmpool", "egnn-topkpool"}}
	maps.Copy(of, options)
	return twoMoon.Run(ctx, Env{Seed: 1, Threads: 2, Options: of, OnStage: onStage})
}

// ofMoon compares results. withoutTimes ignores fields that may differ between equal trainings.
var (
	ofMoon       = cmp.AllowUnexported(moonResult{})
	withoutTimes = cmpopts.IgnoreFields(moonResult{}, "Seconds")
)

// The experiment writes tables and figures of every model and of the mean colour.
func TestTwoMoon(t *testing.T) {
	dir := t.TempDir()
	d, err := runMoon(t.Context(), t, nil, map[string]any{"out": dir, "seeds": 2})
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"table.md", "table.csv", "table.json", "report.html", "two-moon-arc.svg", "two-moon-arc.png", seriesFile} {
		if info, err := os.Stat(filepath.Join(dir, name)); err != nil || info.Size() == 0 {
			t.Errorf("%s: %v", name, err)
		}
	}
	v := d.Value.(moonValue)
	if len(v.Trainings) != 6 || math.Abs(v.MeanError["arc"]-0.1019) > 2e-3 {
		t.Errorf("%d trainings, mean colour %v", len(v.Trainings), v.MeanError)
	}
	for i, want := range []int{(v.Edges + 99) / 100, 20, 20} {
		r := v.Trainings[2*i]
		if r.Clusters != want || !(r.MSE > 0 && r.MSE < 1) || r.Right <= 0 || r.Trained != 4 || r.Seed != 1 || v.Trainings[2*i+1].Seed != 2 {
			t.Errorf("%+v, want %d clusters", r, want)
		}
		if r.MSE == v.Trainings[2*i+1].MSE {
			t.Errorf("%s: two seeds with one error", r.Row)
		}
	}
	text := d.Text()
	for _, want := range []string{"arc      mean colour", "arc      HyperCluster", "R-GCN + GMPool", "EGNN + TopKPool", " ± ", "Preset quick:"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
	// A second call uses the stored results.
	again, err := runMoon(t.Context(), t, func(string, int, int, string) { t.Error("it trains again") }, map[string]any{"out": dir, "seeds": 2})
	if err != nil {
		t.Fatal(err)
	}
	same(t, "result", again.Value, d.Value, ofMoon)
}

// An experiment that was interrupted during a training continues there.
func TestTwoMoonResumes(t *testing.T) {
	options := map[string]any{"out": t.TempDir(), "epochs": 20, "model": []string{"mpnn-topkpool", "egcn-gmpool"}}
	want, err := runMoon(t.Context(), t, nil, options)
	if err != nil {
		t.Fatal(err)
	}
	options["out"] = t.TempDir()
	for range 3 {
		ctx, cancel := context.WithCancel(t.Context())
		steps := 0
		_, err := runMoon(ctx, t, func(string, int, int, string) {
			if steps++; steps == 6 {
				cancel()
			}
		}, options)
		cancel()
		stopped := new(Interrupted)
		if !errors.As(err, &stopped) || stopped.Dir != options["out"] {
			t.Fatalf("error %v, want an interruption", err)
		}
	}
	most := 0
	got, err := runMoon(t.Context(), t, func(_ string, _, total int, _ string) { most = total }, options)
	if err != nil {
		t.Fatal(err)
	}
	same(t, "result", got.Value, want.Value, ofMoon, withoutTimes)
	if most != 40 {
		t.Errorf("%d epochs to do", most)
	}
}

// There are twice as many directed edges, and HyperCluster has twice as many clusters.
func TestTwoMoonDirected(t *testing.T) {
	d, err := runMoon(t.Context(), t, nil, map[string]any{"out": t.TempDir(), "edges": "directed", "epochs": 1, "model": []string{"hypercluster"}})
	if err != nil {
		t.Fatal(err)
	}
	g, _, err := synth.TwoMoon(synth.Arc, 1)
	if err != nil {
		t.Fatal(err)
	}
	if v := d.Value.(moonValue); v.Edges != 2*g.NumEdges() || v.Trainings[0].Clusters != (2*g.NumEdges()+99)/100 {
		t.Errorf("%d edges, %d clusters of %d edges", v.Edges, v.Trainings[0].Clusters, g.NumEdges())
	}
}

// Contradictory options are usage errors.
func TestTwoMoonErrors(t *testing.T) {
	for want, options := range map[string]map[string]any{
		`--preset is "slow"`:                   {"preset": "slow"},
		`two-moon colouring "rainbow"`:         {"colours": []string{"rainbow"}},
		`--model is "gcn", expected one of`:    {"model": []string{"gcn"}},
		`--edges is "both"`:                    {"edges": "both"},
		"--lr -1 and --seed-scale 0, expected": {"lr": -1.0},
	} {
		_, err := runMoon(t.Context(), t, nil, options)
		if fails(t, err, want); !settings.IsUsage(err) {
			t.Errorf("%v is not marked as the user's to mend", err)
		}
	}
}

// The entropy is the logarithm of the number of clusters if an item belongs to all equally, and 0
// if it belongs to one.
func TestAssignmentEntropy(t *testing.T) {
	even := tensor.Full(0.25, 3, 4)
	if got := assignmentEntropy(pool.Attention{even}); math.Abs(got-math.Log(4)) > 1e-9 {
		t.Errorf("evenly: %v", got)
	}
	one := tensor.FromSlice([]float32{1, 0, 0, 1}, 2, 2)
	if got := assignmentEntropy(pool.Attention{one}); got != 0 {
		t.Errorf("to one each: %v", got)
	}
	if got := fmt.Sprintf("%.4f", assignmentEntropy(pool.Attention{one, tensor.Full(0.5, 2, 2)})); got != "0.3466" {
		t.Errorf("over two heads: %s", got)
	}
}
