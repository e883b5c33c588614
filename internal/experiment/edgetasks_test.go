package experiment

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/ehgnn/ehgnn/graph"
	"github.com/ehgnn/ehgnn/internal/report"
	"github.com/ehgnn/ehgnn/internal/settings"
	"github.com/ehgnn/ehgnn/nn"
	"github.com/ehgnn/ehgnn/tensor"
)

// friends is a table of edges. Every third node is distrusted by all others, except in one of seven
// edges. part has the split, and hint equals the label.
func friends(t *testing.T) string {
	t.Helper()
	f := files{}
	f.add("edges.csv", "source,target,hint,label,part\n")
	r := rand.New(rand.NewPCG(1, 2))
	for i := range 420 {
		u, v, label := r.IntN(40), int(40*math.Pow(r.Float64(), 2)), "trust"
		if shady := v%3 == 1; shady != (i%7 == 0) {
			label = "distrust"
		}
		f.add("edges.csv", "n%d,n%d,%s,%s,%d\n", u, v, label, label, []int{0, 0, 0, 1, 2}[i%5])
	}
	return f.write(t, "friends")
}

// prices is a table of edges whose numbers are the sum of a value of the source and a value of the target.
func prices(t *testing.T) string {
	t.Helper()
	f := files{}
	f.add("edges.csv", "source,target,hint,label,part\n")
	for i := range 400 {
		u, v := i%20, (i/20*3+i)%20
		f.add("edges.csv", "u%d,v%d,%d,%d,%s\n", u, v, i, 10*u+v*v, []string{"train", "train", "train", "valid", "test"}[(i+i/5)%5])
	}
	return f.write(t, "prices")
}

// runEdges runs the experiment on tables, given by paths, with few epochs.
func runEdges(ctx context.Context, options map[string]any, onStage func(string, int, int, string)) (*report.Document, error) {
	of := map[string]any{"part": "part", "ignore": []string{"hint"}}
	maps.Copy(of, options)
	return edgeTasks.Run(ctx, Env{Seed: 1, Threads: 2, Options: of, Settings: settings.Values{"epochs": 4, "hidden": 8}, OnStage: onStage, Changed: []string{"--epochs 4"},
		Find: func(name string) (DatasetColumn, error) {
			if _, err := os.Stat(name); err != nil {
				return DatasetColumn{}, settings.Misuse("no data set %q", name)
			}
			return DatasetColumn{Path: name}, nil
		}})
}

// resultOf returns the first result of a row.
func resultOf(t *testing.T, d *report.Document, row string) edgeResult {
	t.Helper()
	for _, r := range d.Value.(edgeValue).Trainings {
		if r.Row == row {
			return r
		}
	}
	t.Fatalf("no result of %s", row)
	return edgeResult{}
}

// The experiment trains models and fits baselines under both protocols, and writes its files.
func TestEdges(t *testing.T) {
	dir := t.TempDir()
	options := map[string]any{"dataset": []string{friends(t)}, "model": []string{"ehgnn-roles", "ehgnn-roles-0-unlabelled", "majority", "degrees", "labels"}, "seeds": 2, "out": dir}
	d, err := runEdges(t.Context(), options, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"table.md", "table.csv", "table.json", "report.html", seriesFile} {
		if info, err := os.Stat(filepath.Join(dir, name)); err != nil || info.Size() == 0 {
			t.Errorf("%s: %v", name, err)
		}
	}
	if n := len(d.Value.(edgeValue).Trainings); n != 2*(2*2+3) {
		t.Errorf("%d trainings, want two seeds of two models and three baselines, twice", n)
	}
	// The majority has its share among the test edges, and no order of the edges is better than another.
	if r := resultOf(t, d, "majority"); r.Test["roc_auc"] != 0.5 || r.Test["accuracy"] < 0.5 || r.Test["recall"] != 0 {
		t.Errorf("the majority has %v", r.Test)
	}
	// Labels at the target determine the label, except for one edge in seven.
	if r := resultOf(t, d, "labels"); r.Test["accuracy"] < 0.8 || r.Test["accuracy"] > 0.95 {
		t.Errorf("training labels have %v", r.Test)
	}
	if r := resultOf(t, d, "ehgnn-roles"); r.Epochs != 4 || r.Params == 0 || r.Protocol != inductive || len(r.Valid) == 0 {
		t.Errorf("%+v", r)
	}
	text := d.Text()
	for _, want := range []string{"friends ROC-AUC", "friends macro F1", "transductive  ehgnn-roles, 0 layers, no labels", " ± ", "--epochs 4", "never that of the edge itself"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
	again, err := runEdges(t.Context(), options, func(string, int, int, string) { t.Error("it trains again") })
	if err != nil {
		t.Fatal(err)
	}
	same(t, "result", again.Value, d.Value)
}

// The effects of both ends predict numbers that depend on the ends, and the median predicts constants.
func TestEdgesNumbers(t *testing.T) {
	d, err := runEdges(t.Context(), map[string]any{"dataset": []string{prices(t)}, "task": "edge-regression", "preset": presetQuick, "out": t.TempDir()}, nil)
	if err != nil {
		t.Fatal(err)
	}
	majority, labels := resultOf(t, d, "majority").Test, resultOf(t, d, "labels").Test
	if !(labels["mae"] < majority["mae"]/3) || labels["r2"] < 0.9 {
		t.Errorf("effects have %v, the median %v", labels, majority)
	}
	if text := d.Text(); !strings.Contains(text, "prices MAE") || !strings.Contains(text, "Preset quick") || strings.Contains(text, "transductive  ") {
		t.Errorf("%s", text)
	}
}

// An experiment that was interrupted continues where it stopped.
func TestEdgesResumes(t *testing.T) {
	options := map[string]any{"dataset": []string{friends(t)}, "model": []string{"gin-edge", "mlp-edge"}, "protocol": []string{inductive}, "seeds": 1, "out": t.TempDir()}
	want, err := runEdges(t.Context(), options, nil)
	if err != nil {
		t.Fatal(err)
	}
	options["out"] = t.TempDir()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	_, err = runEdges(ctx, options, func(_ string, done, _ int, _ string) {
		if done > 2 {
			cancel()
		}
	})
	if stopped := new(Interrupted); !errors.As(err, &stopped) || stopped.Dir != options["out"] {
		t.Fatalf("error %v, want an interruption", err)
	}
	got, err := runEdges(t.Context(), options, nil)
	if err != nil {
		t.Fatal(err)
	}
	same(t, "result", got.Value, want.Value, cmpopts.IgnoreFields(edgeResult{}, "Seconds"))
}

// Contradictory options are usage errors.
func TestEdgesErrors(t *testing.T) {
	set := friends(t)
	for want, options := range map[string]map[string]any{
		`--preset is "slow", expected quick or full`: {"preset": "slow"},
		`--model is "gcn", expected one of`:          {"model": []string{"gcn"}},
		"--model has labels twice":                   {"model": []string{"labels", "labels"}},
		`--protocol is "both"`:                       {"protocol": []string{"both"}},
		"--dataset has friends twice":                {"dataset": []string{set, set}},
		`no data set "nothing"`:                      {"dataset": []string{"nothing"}},
		"--seeds is 0, expected at least 1":          {"seeds": 0},
		"split":                                      {"part": "source"},
	} {
		of := map[string]any{"dataset": []string{set}, "out": t.TempDir()}
		maps.Copy(of, options)
		if _, err := runEdges(t.Context(), of, nil); !settings.IsUsage(err) {
			t.Errorf("%q: %v is not marked as the user's to mend", want, err)
		} else if want != "split" {
			fails(t, err, want)
		}
	}
	_, err := edgeTasks.Run(t.Context(), Env{DataDir: "none", Find: func(name string) (DatasetColumn, error) { return DatasetColumn{}, fmt.Errorf("no %s", name) }})
	fails(t, err, "none of the data sets bitcoin_alpha, wn18rr, alfabet_bde is in the folder edges of the data folder none")
}

// Known data sets are read as published. Columns that reveal the label are ignored.
func TestEdgeSets(t *testing.T) {
	for _, s := range edgeSets {
		if s.generate != nil {
			continue
		}
		if found, ok := findEdgeSet(s.name); !ok || found.reading["part"] != "part" || len(s.scores) == 0 || len(s.published) == 0 {
			t.Errorf("%+v", s)
		}
		if err := s.reading.Validate(); err != nil {
			t.Errorf("%s: %v", s.name, err)
		}
		for _, p := range s.published {
			if p.Set != s.name || p.Value == "" || p.Split == "" || p.Source == "" {
				t.Errorf("%+v", p)
			}
		}
	}
}

// Degrees count edges by direction, parallel edges included. In undirected graphs both ends are
// treated alike. Columns of labels leave out the edge's own label.
func TestEdgeColumns(t *testing.T) {
	ln := func(n float64) float32 { return float32(math.Log1p(n)) }
	// The edges are 0→1 twice and 1→2.
	b, pass := edgesOf(t, []int32{0, 1, 0, 1, 1, 2}, []float32{0, 1, 0})
	same(t, "directed degrees", degreeColumns(pass, b, nn.LabelContext{Classes: 2, Directed: true}, nil).Data(),
		[]float32{ln(2), ln(0), ln(1), ln(2), ln(2), ln(0), ln(1), ln(2), ln(1), ln(2), ln(0), ln(1)})
	same(t, "undirected degrees", degreeColumns(pass, b, nn.LabelContext{Classes: 2}, nil).Data(),
		[]float32{ln(2) + ln(3), ln(3) - ln(2), ln(2) + ln(3), ln(3) - ln(2), ln(3) + ln(1), ln(3) - ln(1)}, cmpopts.EquateApprox(0, 1e-6))

	c := nn.LabelContext{Classes: 2, Directed: true}
	before := labelColumns(pass, b, c, b.Observed.Label).Clone()
	k := before.Dim(1)
	// The counts at the source of the first edge: the parallel edge has class 1.
	same(t, "counts", before.Data()[:2], []float32{0, ln(1)})
	b.Observed.Label[1] = 0
	after := labelColumns(pass, b, c, b.Observed.Label)
	if after.Data()[0] == before.Data()[0] {
		t.Error("a label changes nothing around it")
	}
	// The counts of the edge itself stay the same. Only its shares depend on the priors.
	same(t, "own counts", after.Data()[k:][:2], before.Data()[k:][:2])
}

func TestMedian(t *testing.T) {
	if a, b := median([]float64{3, 1, 2}), median([]float64{4, 1, 3, 2}); a != 2 || b != 2.5 {
		t.Errorf("%v, %v", a, b)
	}
}

// edgesOf returns a batch of one graph whose labels are shown, and a pass.
func edgesOf(t *testing.T, ends []int32, shown []float32) (*graph.Batch, *nn.Pass) {
	t.Helper()
	n := int32(0)
	for _, v := range ends {
		n = max(n, v+1)
	}
	g, err := graph.New(graph.Graph{NumNodes: int(n), Ends: ends, Directed: true, Label: graph.NoLabel, Observed: &graph.ObservedLabels{Label: shown}})
	if err != nil {
		t.Fatal(err)
	}
	b, err := graph.Collate([]*graph.Graph{g})
	if err != nil {
		t.Fatal(err)
	}
	return b, &nn.Pass{Tape: tensor.NewArena(1).Tape()}
}

// Ratings are generated on request, and effects of users and items predict them.
func TestEdgesRatings(t *testing.T) {
	dir := t.TempDir()
	options := map[string]any{"dataset": []string{"ratings"}, "model": []string{"majority", "labels"}, "protocol": []string{inductive}, "seeds": 1, "out": dir}
	d, err := runEdges(t.Context(), options, nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(dir, "data", "ratings.csv")); err != nil {
		t.Error(err)
	}
	majority, labels := resultOf(t, d, "majority").Test["rmse"], resultOf(t, d, "labels").Test["rmse"]
	if !(labels < 0.9*majority) {
		t.Errorf("RMSE %v by effects and %v by the median", labels, majority)
	}
	if text := d.Text(); !strings.Contains(text, "ratings RMSE") {
		t.Errorf("%s", text)
	}
}
