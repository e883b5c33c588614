package cli_test

import (
	"encoding/json"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// keys returns the keys of a JSON object, or of the first object in an array, in lower case and
// without underscores.
func keys(t *testing.T, text string) []string {
	t.Helper()
	var v any
	document(t, text, &v)
	if list, ok := v.([]any); ok && len(list) > 0 {
		v = list[0]
	}
	object, ok := v.(map[string]any)
	if !ok {
		t.Fatalf("no object in %.500s", text)
	}
	var out []string
	for k := range maps.Keys(object) {
		out = append(out, strings.ToLower(strings.ReplaceAll(k, "_", "")))
	}
	return out
}

// With --json every command prints one JSON document to standard output and nothing else.
func TestJSON(t *testing.T) {
	dir, path := smallRun(t), small(t).folder(t)
	out := t.TempDir()
	quick := []string{"--hidden", "4", "--constant-lr"}
	tests := []struct {
		name string
		args []string
		long bool
		want string // some of the keys
	}{
		{"version", []string{"version"}, false, "version go os arch cpus simd"},
		{"train", append([]string{"train", path, "--epochs", "1", "--out", filepath.Join(out, "run")}, quick...), false,
			"run task model dataset epochs bestepoch stopped seconds parameters valid test"},
		{"evaluate", []string{"evaluate", dir}, false, "run data part graphs scores"},
		{"predict", []string{"predict", dir, path}, false, "graph label prediction probability-1 probability1"},
		{"predict to a file", []string{"predict", dir, path, "--out", filepath.Join(out, "p.csv")}, false, "out rows"},
		{"embed edges", []string{"embed", dir, path}, false, "graph source target vector"},
		{"embed nodes", []string{"embed", dir, path, "--level", "node"}, false, "graph node vector"},
		{"embed graphs", []string{"embed", dir, path, "--level", "graph"}, false, "graph vector"},
		{"data info", []string{"data", "info", path}, false,
			"name format numgraphs numclasses classnames nodewidth edgewidth meannodes meanedges maxnodes checksum notes"},
		{"reproduce graph-classification", append([]string{"reproduce", "graph-classification", "--dataset", path, "--epochs", "1", "--folds", "1,5"}, quick...), false,
			"dataset model mean std paper folds seeds seconds selection settings difference"},
		{"reproduce transform-time", []string{"reproduce", "transform-time", "--runs", "1"}, true,
			"edges linegraph linepairs dual index copy paperlinegraph paperdual"},
		{"reproduce message-time", []string{"reproduce", "message-time", "--runs", "2"}, false,
			"graph nodes edges nodetime edgetime papernodetime paperedgetime"},
		{"bench --dataset", []string{"bench", "--dataset", path, "--epochs", "1"}, false, "machine threads epochs"},
		{"bench", []string{"bench", "--epochs", "1", "--budget", "1ms"}, true, "machine threads limits kernels epochs"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if test.long && testing.Short() {
				t.Skip("takes seconds")
			}
			text := succeed(t, append(test.args, "--json")...)
			have := keys(t, text)
			for _, want := range strings.Fields(test.want) {
				if !slices.Contains(have, want) {
					t.Errorf("no %s among %v", want, have)
				}
			}
			if strings.Contains(test.name, "time") || strings.Contains(test.name, "bench") {
				return // TestTables checks their text
			}
			if test.name == "train" { // train creates a folder
				if err := os.RemoveAll(filepath.Join(out, "run")); err != nil {
					t.Fatal(err)
				}
			}
			if plain := succeed(t, test.args...); json.Valid([]byte(plain)) || plain == "" {
				t.Errorf("without --json it prints %.200q, want text", plain)
			}
		})
	}
}

// The document of reproduce has all of its fields, and their numbers agree.
func TestReproduce(t *testing.T) {
	// A set with the name of one in the paper has the paper's number.
	data := t.TempDir()
	s := newSet("MUTAG", edgeClass(t, smallGraphs)).folds(smallGraphs)
	s.write(t, filepath.Join(data, "tu", "MUTAG"))
	out := filepath.Join(t.TempDir(), "folds")
	args := []string{"reproduce", "graph-classification", "--dataset", "MUTAG", "--data-dir", data, "--out", out,
		"--seeds", "2", "--folds", "1,4,9", "--epochs", "2", "--hidden", "4", "--constant-lr"}
	var res struct {
		Mean, Std, Paper, Difference, Seconds float64
		PaperStd                              float64 `json:"paper_std"`
		StdOver                               string  `json:"std_over"`
		Seeds                                 []uint64
		Folds                                 []struct {
			Seed     uint64
			Fold     int
			Accuracy float64
			Seconds  float64
			Epochs   int
		}
	}
	text := succeed(t, append(args, "--json")...)
	document(t, text, &res)
	if len(res.Folds) != 6 || res.Paper != 84 || res.PaperStd != 0.69 || res.Difference != res.Mean-84 || res.Seconds <= 0 || res.StdOver != "seeds" {
		t.Fatalf("reproduce prints %+v", res)
	}
	sum := 0.0
	for i, f := range res.Folds {
		if f.Seed != 42+uint64(i/3) || f.Fold != []int{1, 4, 9}[i%3] || f.Epochs != 2 {
			t.Errorf("fold %d is %+v", i, f)
		}
		sum += f.Accuracy
	}
	if math.Abs(res.Mean-sum/6) > 1e-9 {
		t.Errorf("mean %v, but that of the folds is %v", res.Mean, sum/6)
	}

	// The folds are stored: the second call trains nothing.
	var again struct{ Folds []struct{ Seconds float64 } }
	r := run(t, append(args, "--json")...)
	document(t, r.stdout, &again)
	for i, f := range again.Folds {
		if f.Seconds != res.Folds[i].Seconds {
			t.Errorf("fold %d was trained again", i)
		}
	}
	if strings.Contains(r.stderr, "fold ") {
		t.Errorf("progress of nothing: %q", r.stderr)
	}

	plain := succeed(t, args...)
	for _, want := range []string{"seed 42  fold  1  test ", "seed 43  fold  9", "MUTAG", "hyperdrop", "84.00", "Deviation over seeds. Selection: lowest validation loss"} {
		if !strings.Contains(plain, want) {
			t.Errorf("reproduce prints\n%s\nwant it to hold %q", plain, want)
		}
	}
	// EHGNN_DATA has the effect of --data-dir, and --dataset accepts a path.
	t.Setenv("EHGNN_DATA", data)
	for _, name := range []string{"MUTAG", filepath.Join(data, "tu", "MUTAG")} {
		succeed(t, "reproduce", "graph-classification", "--dataset", name, "--folds", "2", "--epochs", "1", "--hidden", "4", "--constant-lr")
	}
}

// The tables of the timing commands name what they measure and have the paper's sizes and numbers.
// The test does not check the times.
func TestTables(t *testing.T) {
	if text := succeed(t, "reproduce", "message-time", "--runs", "2"); !strings.Contains(text, "11,984 edges") || !strings.Contains(text, "Barabasi-Albert") || !strings.Contains(text, "0.0034") {
		t.Errorf("message-time prints\n%s", text)
	}
	path := small(t).folder(t)
	if text := succeed(t, "bench", "--dataset", path, "--epochs", "1"); !strings.Contains(text, "SMALL") || !strings.Contains(text, "20 graphs") {
		t.Errorf("bench --dataset prints\n%s", text)
	}
	text := succeed(t, "data", "info", path)
	for _, want := range []string{"SMALL, tu format", "graphs         24", "undirected: one edge for both directions", "classes        2: -1 (12), 1 (12)", "folds          10, fixed", "sha256 "} {
		if !strings.Contains(text, want) {
			t.Errorf("data info prints\n%s\nwant it to hold %q", text, want)
		}
	}
	// A set of the user in the data folder has a name, too.
	own := t.TempDir()
	if err := os.CopyFS(filepath.Join(own, "tu", "SMALL"), os.DirFS(path)); err != nil {
		t.Fatal(err)
	}
	if byName := succeed(t, "data", "info", "SMALL", "--data-dir", own); byName != text {
		t.Errorf("data info of a name prints\n%s\nand of its path\n%s", byName, text)
	}
	if text := succeed(t, "data", "info", path, "--edges", "directed"); !strings.Contains(text, "directed: each direction an edge of its own") {
		t.Errorf("data info --edges directed prints\n%s", text)
	}
	if testing.Short() {
		t.Skip("the other tables take seconds")
	}
	text = succeed(t, "reproduce", "transform-time", "--runs", "1")
	for _, want := range []string{"\n   2000 ", "\n  64000 ", "1071.31", "0.13"} {
		if !strings.Contains(text, want) {
			t.Errorf("transform-time prints\n%s\nwant it to hold %q", text, want)
		}
	}
}

// The demonstration learns what it claims: the default model ranks frauds well but not perfectly and is better
// than a linear model, HyperCluster finds the colours, and HyperDrop finds the class that a GCN without edge
// features cannot see.
func TestDemo(t *testing.T) {
	if testing.Short() {
		t.Skip("takes half a minute")
	}
	t.Parallel()
	out := filepath.Join(t.TempDir(), "demo")
	r := program(t, "demo", "--json", "--out", out)
	if r.code != 0 {
		t.Fatalf("demo: exit code %d\n%s", r.code, r.stderr)
	}
	var res struct {
		TwoMoon struct {
			Edges, Clusters int
			MSE             float64
			MeanMSE         float64 `json:"mean_mse"`
			Right           float64 `json:"right_colour"`
		} `json:"two_moon"`
		Classes  struct{ HyperDrop, GCN, Chance float64 } `json:"edge_classes"`
		Payments struct {
			ROCAUC      float64 `json:"roc_auc"`
			AP          float64 `json:"average_precision"`
			Chance      float64
			Leaderboard []struct {
				Learner             string
				Behind, BehindError float64
			}
			Run string
		}
		Report string
	}
	document(t, r.stdout, &res)
	if m := res.TwoMoon; m.MSE > m.MeanMSE/10 || m.Right < 0.9 || m.Clusters != (m.Edges+99)/100 {
		t.Errorf("two-moon: %+v", m)
	}
	if c := res.Classes; c.HyperDrop < 0.9 || c.GCN > 0.65 {
		t.Errorf("edge classes: %+v", c)
	}
	p := res.Payments
	if p.ROCAUC < 0.85 || p.ROCAUC > 0.98 || p.AP < 5*p.Chance || p.AP > 0.9 || len(p.Leaderboard) < 5 {
		t.Errorf("payments: %+v", p)
	}
	for _, e := range p.Leaderboard {
		if e.Learner == "linear" && e.Behind < 0.01 || e.Learner == "constant" && e.Behind < 0.05 {
			t.Errorf("leaderboard: %+v", e)
		}
	}
	read(t, p.Run, "config.yaml")
	if page := read(t, out, "report.html"); res.Report != filepath.Join(out, "report.html") || !strings.Contains(page, "<h2>Edge reconstruction: HyperCluster</h2>") || !strings.Contains(page, "linear, all") || strings.Count(page, "<script") > 1 {
		t.Errorf("the page is %s:\n%s", res.Report, page)
	}
	if !strings.Contains(r.stderr, "HyperCluster, two-moon: loss ") || !strings.Contains(r.stderr, "hyperdrop, edge classes: loss ") {
		t.Errorf("progress of the demonstration: %q", r.stderr)
	}
}
