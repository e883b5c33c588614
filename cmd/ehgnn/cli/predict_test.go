package cli_test

import (
	"bytes"
	"encoding/binary"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/ehgnn/ehgnn/graph"
	"github.com/ehgnn/ehgnn/internal/parquettest"
)

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

	columns, rows := parquettest.Rows(t, []byte(read(t, file(".parquet"))))
	if len(rows) != len(want) {
		t.Fatalf("%d rows of columns %q in Parquet, want %d", len(rows), columns, len(want))
	}
	for i, r := range rows {
		value := func(name string) string { return r[slices.Index(columns, name)] }
		e := edge{Graph: int(number(t, value("graph"))), Source: int(number(t, value("source"))), Target: int(number(t, value("target")))}
		document(t, value("vector"), &e.Vector)
		same("Parquet", i, e)
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

// New data are encoded as the training data were, whichever labels they have.
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
		{"node_labels.txt", strings.Replace(nodes, "7", "8", 1), "ALONE: ALONE_node_labels.txt:2: node label 8, expected 5 to 7"},
		{"node_labels.txt", strings.Replace(nodes, "7", "4", 1), "ALONE: ALONE_node_labels.txt:2: node label 4, expected 5 to 7"},
		{"edge_labels.txt", strings.ReplaceAll(edges, "3", "9"), "ALONE: ALONE_edge_labels.txt:3: edge label 9, expected 1 to 3"},
		{"graph_labels.txt", "2\n", `ALONE: graph 0 has label 2, expected one of ["-1" "1"]`},
		{"edge_labels.txt", "-", "ALONE: edge codes fixed to 3, but the set has no edge labels"},
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

// A run finds its own data again. It says so if it cannot, or if they have changed.
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
	refused(t, "the data of run "+dir+" cannot be read again; name them as DATA: data: stat "+path, "evaluate", dir)
	// The same text in a zip counts as the same data, with the same split.
	if got := succeed(t, "evaluate", dir, s.zip(t), "--split", "test"); got != want {
		t.Errorf("evaluate on a zip of the data prints %q, want %q", got, want)
	}
}

// Edge reconstruction predicts a row for each edge, with labels as in the files.
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
	refused(t, "model hypercluster learns no vectors of nodes", "embed", dir, path, "--level", "node")

	bare := newSet("BARE", []*graph.Graph{special, special}).with("A.txt", "", "edge_labels.txt", "").folder(t)
	refused(t, "edge-reconstruction needs edges, the training graphs of BARE have none", "train", bare, "--model", "hypercluster", "--out", dir+"2")
	refused(t, "edge-reconstruction needs edge labels or attributes, SMALL has none", "train", small(t).with("edge_labels.txt", "-").folder(t), "--model", "hypercluster", "--out", dir+"2")
	if exists(dir + "2") {
		t.Error("a run folder was made for data that are refused")
	}
}
