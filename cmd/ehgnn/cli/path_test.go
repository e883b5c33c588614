package cli_test

import (
	"bytes"
	"encoding/binary"
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
	"github.com/parquet-go/parquet-go"

	"github.com/ehgnn/ehgnn/graph"
	"github.com/ehgnn/ehgnn/internal/safetensors"
)

// The main job: train, then evaluate, predict and embed from the run folder
// alone, by a path that is a folder or a zip.
func TestPath(t *testing.T) {
	s := small(t)
	path, dir := s.zip(t), filepath.Join(t.TempDir(), "runs", "small")
	nodes, edges := count(smallList(t))
	r := run(t, "train", path, "--out", dir, "--epochs", "3", "--hidden", "24", "--edge-hidden", "5", "--constant-lr", "--fold", "2")
	if r.code != 0 || !strings.Contains(r.stderr, "epoch 3/3  loss ") {
		t.Fatalf("train: %+v", r)
	}
	for _, want := range []string{"hyperdrop on SMALL: ", "valid  loss 0.", "test   loss 0.", "run    " + dir} {
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
		// The scores of train are those of evaluate, to the bit.
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

// checkRunFolder looks at the files that every finished run has.
func checkRunFolder(t *testing.T, dir string) {
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
	want := []string{"checkpoint.safetensors", "config.yaml", "environment.json", "events", "metrics.jsonl", "model.safetensors", "predictions.csv", "state.json"}
	slices.Sort(names)
	if names = slices.Compact(names); !slices.Equal(names, want) { // each session has its events
		t.Errorf("the run folder holds %v, want %v", names, want)
	}
}

// checkPredictions looks at rows of a classifier: the prediction is the class of
// the largest probability, and probabilities sum to one.
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

// checkFormats writes the same vectors in all formats and compares them.
func checkFormats(t *testing.T, dir, path string) {
	t.Helper()
	out := t.TempDir()
	file := func(ext string) string {
		name := filepath.Join(out, "edges"+ext)
		var done struct {
			Out  string
			Rows int
		}
		document(t, succeed(t, "embed", dir, path, "--out", name, "--json"), &done)
		if _, edges := count(smallList(t)); done.Out != name || done.Rows != edges {
			t.Errorf("embed --out %s --json prints %+v, want %d rows", name, done, edges)
		}
		return name
	}
	want := table(t, read(t, file(".csv")))
	type edge struct {
		Graph, Source, Target int
		Vector                []float32
	}
	same := func(format string, i int, e edge) {
		row := want[i]
		ok := row["graph"] == itoa(e.Graph) && row["source"] == itoa(e.Source) && row["target"] == itoa(e.Target) && len(e.Vector) == 5
		for k, v := range e.Vector {
			ok = ok && float32(number(t, row["vector_"+itoa(k)])) == v
		}
		if !ok {
			t.Fatalf("%s, row %d: %+v, in CSV %v", format, i, e, row)
		}
	}

	lines := strings.Split(strings.TrimSpace(read(t, file(".jsonl"))), "\n")
	if len(lines) != len(want) {
		t.Fatalf("%d lines of JSON, want %d", len(lines), len(want))
	}
	for i, line := range lines {
		var e edge
		document(t, line, &e)
		same("JSON Lines", i, e)
	}

	type row struct {
		Graph  int64     `parquet:"graph"`
		Source int64     `parquet:"source"`
		Target int64     `parquet:"target"`
		Vector []float32 `parquet:"vector,list"`
	}
	rows, err := parquet.ReadFile[row](file(".parquet"))
	if err != nil || len(rows) != len(want) {
		t.Fatalf("%d rows of Parquet (%v), want %d", len(rows), err, len(want))
	}
	for i, r := range rows {
		same("Parquet", i, edge{int(r.Graph), int(r.Source), int(r.Target), r.Vector})
	}

	b := []byte(read(t, file(".npy")))
	ids := table(t, read(t, out, "edges.ids.csv"))
	header := 10 + int(binary.LittleEndian.Uint16(b[8:]))
	if shape := "'shape': (" + itoa(len(want)) + ", 5)"; !bytes.Contains(b[:header], []byte(shape)) || len(b) != header+len(want)*5*4 || len(ids) != len(want) {
		t.Fatalf("NPY header %q and %d bytes, want %s", b[:header], len(b), shape)
	}
	for i := range want {
		e := edge{int(number(t, ids[i]["graph"])), int(number(t, ids[i]["source"])), int(number(t, ids[i]["target"])), make([]float32, 5)}
		if _, err := binary.Decode(b[header+20*i:], binary.LittleEndian, e.Vector); err != nil {
			t.Fatal(err)
		}
		same("NPY", i, e)
	}
}

// New data are encoded as those of the training, whichever labels they show.
func TestNewData(t *testing.T) {
	dir := smallRun(t)
	alone := newSet("ALONE", []*graph.Graph{special})
	path := alone.folder(t)
	whole := table(t, succeed(t, "predict", dir, small(t).folder(t)))
	checkPredictions(t, whole, smallGraphs)
	want := whole[specialID]
	rows := table(t, succeed(t, "predict", dir, path))
	if len(rows) != 1 || rows[0]["probability_1"] != want["probability_1"] || rows[0]["label"] != "1" || rows[0]["graph"] != "0" {
		t.Errorf("a set of one graph gives %v, in the whole set it has %v", rows, want)
	}
	unlabelled := alone.with("graph_labels.txt", "-").folder(t)
	if rows := table(t, succeed(t, "predict", dir, unlabelled)); rows[0]["label"] != "" || rows[0]["probability_1"] != want["probability_1"] {
		t.Errorf("without a label: %v", rows)
	}
	var e evaluation
	document(t, succeed(t, "evaluate", dir, path, "--json"), &e)
	if e.Data != "ALONE" || e.Graphs != 1 || e.Part != "all" {
		t.Errorf("evaluate on other data: %+v", e)
	}
	refused(t, "ALONE, part all: no graph has a label to score predictions by", "evaluate", dir, unlabelled)

	nodes := alone.files["ALONE_node_labels.txt"]
	edges := alone.files["ALONE_edge_labels.txt"]
	for _, test := range []struct{ file, text, want string }{
		{"node_labels.txt", strings.Replace(nodes, "7", "8", 1), "data: ALONE: ALONE_node_labels.txt:2: node label 8, expected 5 to 7"},
		{"node_labels.txt", strings.Replace(nodes, "7", "4", 1), "data: ALONE: ALONE_node_labels.txt:2: node label 4, expected 5 to 7"},
		{"edge_labels.txt", strings.ReplaceAll(edges, "3", "9"), "data: ALONE: ALONE_edge_labels.txt:3: edge label 9, expected 1 to 3"},
		{"graph_labels.txt", "2\n", `data: ALONE: graph 0 has label 2, expected one of ["-1" "1"]`},
		{"edge_labels.txt", "-", "data: ALONE: edge codes fixed to 3, but the set has no edge labels"},
		{"node_attributes.txt", "1\n2\n3\n4\n", "has node features of width 4 and edge features of width 3; the run was trained with 3 and 3"},
		{"A.txt", "1, 2\n2, 1\n2, 3\n3, 2\n3, 4\n4, 2\n", "arcs do not pair up"},
	} {
		changed := alone.with(test.file, test.text).folder(t)
		for _, verb := range []string{"predict", "embed", "evaluate"} {
			refused(t, test.want, verb, dir, changed)
		}
	}
	refused(t, `no part "test" of ALONE, expected one of ["all"]`, "evaluate", dir, path, "--split", "test")
}

// A run finds its own data again, and says so when it cannot or when they are
// no longer the same.
func TestOwnData(t *testing.T) {
	s := small(t)
	path, dir := s.folder(t), filepath.Join(t.TempDir(), "run")
	succeed(t, append([]string{"train", path, "--out", dir}, tiny...)...)
	want := succeed(t, "evaluate", dir)
	s.with("graph_labels.txt", strings.Replace(s.files["SMALL_graph_labels.txt"], "-1", "1", 1)).write(t, path)
	refused(t, "has changed since run "+dir+" was trained", "evaluate", dir)
	if got := succeed(t, "evaluate", dir, path); got == want {
		t.Errorf("evaluate RUN DATA prints %q for changed data", got)
	}
	if err := os.RemoveAll(path); err != nil {
		t.Fatal(err)
	}
	refused(t, "task: the data of run "+dir+" cannot be read again; name them as DATA: data: stat "+path, "evaluate", dir)
	// The same text in a zip is the same data, with the same split.
	if got := succeed(t, "evaluate", dir, s.zip(t), "--split", "test"); got != want {
		t.Errorf("evaluate on a zip of the data prints %q, want %q", got, want)
	}
}

// Edge reconstruction predicts a row for each edge, in labels as the files have
// them.
func TestReconstruction(t *testing.T) {
	path, dir := small(t).folder(t), filepath.Join(t.TempDir(), "run")
	graphs := smallList(t)
	_, edges := count(graphs)
	out := succeed(t, append([]string{"train", path, "--model", "hypercluster", "--out", dir, "--json"}, tiny...)...)
	var res struct {
		Task  string
		Valid map[string]float64
	}
	if document(t, out, &res); res.Task != "edge-reconstruction" || len(res.Valid) != 3 {
		t.Errorf("train --json prints %+v", res)
	}
	rows := table(t, succeed(t, "predict", dir, path))
	if len(rows) != edges {
		t.Fatalf("%d predictions, want %d", len(rows), edges)
	}
	checkEdgeIDs(t, rows, graphs)
	right, i := 0, 0
	for _, g := range graphs {
		for _, code := range g.Edge.Code {
			if rows[i]["label"] != itoa(int(code)+edgeOffset) {
				t.Fatalf("row %d: %v, want label %d", i, rows[i], code+edgeOffset)
			}
			if rows[i]["prediction"] == rows[i]["label"] {
				right++
			}
			i++
		}
	}
	var e evaluation
	document(t, succeed(t, "evaluate", dir, path, "--json"), &e)
	if got := e.Scores["accuracy"]; got != float64(right)/float64(edges) {
		t.Errorf("accuracy %v, but %d of %d predictions are right", got, right, edges)
	}
	if rows := table(t, succeed(t, "embed", dir, path, "--level", "edge")); len(rows) != edges {
		t.Errorf("%d vectors of edges, want %d", len(rows), edges)
	}
	refused(t, "task: model hypercluster learns no vectors of nodes", "embed", dir, path, "--level", "node")

	bare := newSet("BARE", []*graph.Graph{special, special}).with("A.txt", "", "edge_labels.txt", "").folder(t)
	refused(t, "task: edge-reconstruction needs edges, the training graphs of BARE have none", "train", bare, "--model", "hypercluster", "--out", dir+"2")
	refused(t, "task: edge-reconstruction needs edge labels or attributes, SMALL has none", "train", small(t).with("edge_labels.txt", "-").folder(t), "--model", "hypercluster", "--out", dir+"2")
	if exists(dir + "2") {
		t.Error("a run folder was made for data that are refused")
	}
}
