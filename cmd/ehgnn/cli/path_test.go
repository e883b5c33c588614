package cli_test

import (
	"encoding/json"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"

	"github.com/ehgnn/ehgnn/graph"
	"github.com/ehgnn/ehgnn/internal/safetensors"
)

// The most important task: train, and then evaluate, predict and embed with the run folder alone.
// The data are a folder or a zip.
func TestPath(t *testing.T) {
	s := small(t)
	path, dir := s.zip(t), filepath.Join(t.TempDir(), "runs", "small")
	nodes, edges := count(smallList(t))
	r := run(t, "train", path, "--out", dir, "--epochs", "3", "--hidden", "24", "--edge-hidden", "5", "--constant-lr", "--fold", "2", "--learners=false")
	if r.code != 0 || !strings.Contains(r.stderr, "epoch 3/3  loss ") {
		t.Fatalf("train: %+v", r)
	}
	for _, want := range []string{"hyperdrop on SMALL: ", "  validation    test\n  accuracy ", "\n  loss ", "\nRun     " + dir + "\n"} {
		if !strings.Contains(r.stdout, want) {
			t.Errorf("train prints\n%s\nwant it to hold %q", r.stdout, want)
		}
	}
	checkRunFolder(t, dir)

	t.Run("config.yaml", func(t *testing.T) {
		var c struct {
			Model  struct{ Hidden, Layers int }
			Split  struct{ Kind, Fold string }
			Data   struct{ Name string }
			Target struct{ Classes []string }
		}
		if err := yaml.Unmarshal([]byte(read(t, dir, "config.yaml")), &c); err != nil {
			t.Fatal(err)
		}
		if c.Model.Hidden != 24 || c.Model.Layers != 3 || c.Split.Kind != "fold" || c.Split.Fold != "2" || !slices.Equal(c.Target.Classes, []string{"-1", "1"}) {
			t.Errorf("config.yaml holds %+v", c)
		}
	})

	t.Run("weights", func(t *testing.T) {
		f, err := safetensors.ReadFile(filepath.Join(dir, "model.safetensors"))
		if err != nil {
			t.Fatal(err)
		}
		if f.Metadata["format"] != "pt" || f.Metadata["label_names"] != `["-1","1"]` || f.Metadata["ehgnn.version"] == "" {
			t.Errorf("metadata %v", f.Metadata)
		}
		var settings struct{ Model map[string]any }
		if err := json.Unmarshal([]byte(f.Metadata["ehgnn.settings"]), &settings); err != nil || settings.Model["hidden"] != 24.0 {
			t.Errorf("settings in the metadata: %v, %v", settings, err)
		}
		if w, ok := f.Lookup("hyperconvs.0.weight"); !ok || !slices.Equal(w.Shape, []int{3, 5}) && !slices.Equal(w.Shape, []int{5, 3}) {
			t.Errorf("hyperconvs.0.weight is there: %v, with shape %v", ok, w.Shape)
		}
	})

	t.Run("evaluate", func(t *testing.T) {
		// The scores of train equal those of evaluate to the bit.
		var trained struct {
			Result struct{ Valid, Test map[string]float64 }
		}
		document(t, read(t, dir, "environment.json"), &trained)
		for split, want := range map[string]map[string]float64{"": trained.Result.Test, "test": trained.Result.Test, "valid": trained.Result.Valid} {
			args := []string{"evaluate", dir, "--json"}
			if split != "" {
				args = append(args, "--split", split)
			}
			var e evaluation
			document(t, succeed(t, args...), &e)
			if len(want) != 2 || !maps.Equal(e.Scores, want) || e.Graphs != 2 || e.Data != "SMALL" || e.Run != dir {
				t.Errorf("evaluate --split %q: %+v, want scores %v of 2 graphs", split, e, want)
			}
		}
		var e evaluation
		document(t, succeed(t, "evaluate", dir, path, "--json"), &e)
		if e.Graphs != smallGraphs || e.Part != "all" {
			t.Errorf("evaluate RUN DATA: %+v, want all graphs", e)
		}
		refused(t, `holds a run already; choose another folder, remove it, or continue it with --resume`, "train", path, "--out", dir)
	})

	t.Run("predict", func(t *testing.T) {
		text := succeed(t, "predict", dir, path)
		checkPredictions(t, table(t, text), smallGraphs)
		// The predictions of training are those of the test fold.
		whole := strings.SplitAfter(text, "\n")
		if got, want := read(t, dir, "predictions.csv"), strings.NewReplacer(",part,", ",", ",test,", ",").Replace(whole[0]+whole[3]+whole[4]); got != want {
			t.Errorf("predictions.csv holds\n%s\nwant\n%s", got, want)
		}
		if got := succeed(t, "predict", dir, path, "--split", "test"); got != read(t, dir, "predictions.csv") {
			t.Errorf("predict --split test prints\n%s", got)
		}
	})

	t.Run("formats", func(t *testing.T) { checkFormats(t, dir, path) })

	t.Run("embed", func(t *testing.T) {
		for _, test := range []struct {
			level string
			rows  int
			width int
			ids   []string
		}{
			{"edge", edges, 5, []string{"graph", "source", "target", "score", "dropped_at"}},
			{"node", nodes, 24, []string{"graph", "node"}},
			{"graph", smallGraphs, 72, []string{"graph"}},
		} {
			rows := table(t, succeed(t, "embed", dir, path, "--level", test.level))
			if len(rows) != test.rows {
				t.Errorf("%d vectors of %ss, want %d", len(rows), test.level, test.rows)
			}
			want := slices.Clone(test.ids)
			for k := range test.width {
				want = append(want, "vector_"+itoa(k))
			}
			if test.level == "node" {
				checkNodeIDs(t, rows, smallList(t))
			}
			slices.Sort(want)
			if got := slices.Sorted(maps.Keys(rows[0])); !slices.Equal(got, want) {
				t.Errorf("columns of %ss are %v, want %v", test.level, got, want)
			}
		}
		checkEdgeIDs(t, table(t, succeed(t, "embed", dir, path)), smallList(t))
	})
}

type evaluation struct {
	Run, Data, Part string
	Graphs          int
	Scores          map[string]float64
}

// checkRunFolder checks the files that every finished run has.
func checkRunFolder(t *testing.T, dir string, more ...string) {
	t.Helper()
	var names []string
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		name := e.Name()
		if strings.HasPrefix(name, "events.out.tfevents.") {
			name = "events"
		}
		names = append(names, name)
		if info, err := e.Info(); err != nil || info.Size() == 0 {
			t.Errorf("%s: %v, empty: %v", name, err, err == nil)
		}
	}
	want := []string{"README.md", "checkpoint.safetensors", "config.yaml", "environment.json", "events", "input_example.json", "metrics.jsonl", "model.safetensors", "predictions.csv", "report.html", "schema.json", "state.json"}
	want = append(want, more...)
	slices.Sort(want)
	slices.Sort(names)
	if names = slices.Compact(names); !slices.Equal(names, want) { // each session has its own events
		t.Errorf("the run folder holds %v, want %v", names, want)
	}
}

// checkPredictions checks rows of a classifier: the prediction is the most probable class, and
// probabilities sum to one.
func checkPredictions(t *testing.T, rows []map[string]string, n int) {
	t.Helper()
	if len(rows) != n {
		t.Fatalf("%d predictions, want %d", len(rows), n)
	}
	distinct := map[string]bool{}
	for i, row := range rows {
		distinct[row["probability_1"]] = true
		minus, plus := number(t, row["probability_-1"]), number(t, row["probability_1"])
		want := "-1"
		if plus > minus {
			want = "1"
		}
		if row["graph"] != itoa(i) || row["prediction"] != want || math.Abs(minus+plus-1) > 1e-5 {
			t.Errorf("row %d: %v", i, row)
		}
		if label := row["label"]; label != itoa(2*(i%2)-1) {
			t.Errorf("row %d: label %q", i, label)
		}
	}
	if len(distinct) < n/2 {
		t.Errorf("%d different predictions for %d graphs: a model that does not look shows no mistake", len(distinct), n)
	}
}

func number(t *testing.T, text string) float64 {
	t.Helper()
	v, err := strconv.ParseFloat(text, 64)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// checkEdgeIDs compares graph, source and target of each row with the edges.
func checkEdgeIDs(t *testing.T, rows []map[string]string, graphs []*graph.Graph) {
	t.Helper()
	for g, list := range graphs {
		for e := range list.NumEdges() {
			row := rows[0]
			rows = rows[1:]
			if row["graph"] != itoa(g) || row["source"] != itoa(int(list.Ends[2*e])) || row["target"] != itoa(int(list.Ends[2*e+1])) {
				t.Fatalf("graph %d, edge %d: %v, want %d to %d", g, e, row, list.Ends[2*e], list.Ends[2*e+1])
			}
		}
	}
}

// checkNodeIDs compares graph and node of each row with the nodes.
func checkNodeIDs(t *testing.T, rows []map[string]string, graphs []*graph.Graph) {
	t.Helper()
	for g, list := range graphs {
		for v := range list.NumNodes {
			if rows[0]["graph"] != itoa(g) || rows[0]["node"] != itoa(v) {
				t.Fatalf("graph %d, node %d: %v", g, v, rows[0])
			}
			rows = rows[1:]
		}
	}
}
