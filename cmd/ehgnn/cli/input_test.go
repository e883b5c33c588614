package cli_test

import (
	"archive/zip"
	"encoding/csv"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ehgnn/ehgnn/cmd/ehgnn/cli"
	"github.com/ehgnn/ehgnn/graph"
)

// tiny are the flags of a very short training.
var tiny = []string{"--epochs", "2", "--hidden", "16", "--constant-lr", "--quiet"}

// badInput is a wrong input and the expected message.
type badInput struct {
	name string
	path func(t *testing.T) string
	want string // after "ehgnn: "
}

// badInputs lists wrong inputs.
func badInputs(t *testing.T) []badInput {
	s := small(t)
	nodes, edges := count(smallList(t))
	folder := func(changes ...string) func(*testing.T) string {
		return func(t *testing.T) string { return s.with(changes...).folder(t) }
	}
	lines := func(file string) []string { return strings.SplitAfter(s.files["SMALL_"+file], "\n") }
	edit := func(file string, line int, text string) string {
		l := lines(file)
		l[line-1] = text + "\n"
		return strings.Join(l, "")
	}
	cut := func(file string, keep int) string { return strings.Join(lines(file)[:keep], "") }
	return []badInput{
		{"no such file", func(t *testing.T) string { return filepath.Join(t.TempDir(), "none.zip") },
			"none.zip: no such file or directory"},
		{"folder without data", func(t *testing.T) string { return t.TempDir() },
			"no data set recognised: expected NAME_A.txt with NAME_graph_indicator.txt (TU), one NAME.txt (DGCNN text) or raw/num-node-list.csv (OGB), found no files"},
		{"not a zip", func(t *testing.T) string {
			path := filepath.Join(t.TempDir(), "SMALL.zip")
			if err := os.WriteFile(path, []byte("404 not found\n"), 0o644); err != nil {
				t.Fatal(err)
			}
			return path
		}, "SMALL.zip: no data set recognised: expected a table (CSV, Parquet, xlsx, JSON Lines), a graph file, node-link JSON, a folder, a zip or tar, NAME.txt in DGCNN text or NAME_A.txt"},
		{"truncated zip", func(t *testing.T) string {
			path := s.zip(t)
			if err := os.Truncate(path, 3000); err != nil {
				t.Fatal(err)
			}
			return path
		}, "SMALL.zip: zip: not a valid zip file"},
		{"damaged zip", func(t *testing.T) string {
			path := s.zip(t)
			b := []byte(read(t, path))
			copy(b[offset(t, path, "SMALL/SMALL_A.txt"):], strings.Repeat("\xff", 40))
			if err := os.WriteFile(path, b, 0o644); err != nil {
				t.Fatal(err)
			}
			return path
		}, "SMALL: SMALL_A.txt:1: cannot be read: flate: corrupt input"},
		{"node out of range", folder("A.txt", edit("A.txt", 17, "3, 100000")),
			"SMALL: SMALL_A.txt:17: node 100000 of " + itoa(nodes)},
		{"node zero", folder("A.txt", edit("A.txt", 2, "0, 1")),
			"SMALL: SMALL_A.txt:2: node 0, expected numbers from 1"},
		{"edge between graphs", folder("A.txt", edit("A.txt", 1, "1, 26")),
			"SMALL: SMALL_A.txt:1: node 1 is of graph 1 and node 26 of graph 2, expected an edge inside one graph"},
		{"text for a number", folder("A.txt", edit("A.txt", 5, "1, b")),
			`SMALL: SMALL_A.txt:5: target node is "b", expected an integer`},
		{"graph labels too short", folder("graph_labels.txt", cut("graph_labels.txt", 20)),
			"SMALL: SMALL_graph_labels.txt:20: file ends early, expected 24 lines, one per graph"},
		{"node labels too short", folder("node_labels.txt", cut("node_labels.txt", 9)),
			"SMALL: SMALL_node_labels.txt:9: file ends early, expected " + itoa(nodes) + " lines, one per node"},
		{"edge labels too many", folder("edge_labels.txt", s.files["SMALL_edge_labels.txt"]+"1\n"),
			"SMALL: SMALL_edge_labels.txt:" + itoa(2*edges+1) + ": more lines than the " + itoa(2*edges) + " expected, one per edge"},
		{"no graph indicator", folder("graph_indicator.txt", "-"),
			"SMALL: SMALL_graph_indicator.txt: file is missing"},
		{"NaN node attribute", folder("node_attributes.txt", "0.5\nnan\n"),
			`SMALL: SMALL_node_attributes.txt:2: node attribute is "nan", expected a finite number`},
		{"infinite edge attribute", folder("edge_attributes.txt", "0.5, 1\n0.5, 1e999\n"),
			`SMALL: SMALL_edge_attributes.txt:2: edge attribute "1e999" is too large a number`},
		{"fold names no graph", func(t *testing.T) string {
			d := s.with()
			d.files["10fold_idx/test_idx-3.txt"] = "4\n24\n"
			return d.folder(t)
		}, "SMALL: 10fold_idx/test_idx-3.txt:2: graph 24, expected 0 to 23"},
		{"no classes", folder("graph_labels.txt", "-"),
			"graph-classification needs graphs with at least 2 classes, found 0 in SMALL"},
	}
}

// offset returns the position in a zip at which the compressed text of a file begins.
func offset(t *testing.T, path, name string) int64 {
	t.Helper()
	z, err := zip.OpenReader(path)
	if err != nil {
		t.Fatal(err)
	}
	defer z.Close()
	for _, f := range z.File {
		if f.Name == name {
			at, err := f.DataOffset()
			if err != nil {
				t.Fatal(err)
			}
			return at
		}
	}
	t.Fatalf("%s has no %s", path, name)
	return 0
}

// A wrong input is refused before anything is written: exit code 2, one message with file and line,
// no run folder.
func TestBadInput(t *testing.T) {
	for _, bad := range badInputs(t) {
		t.Run(bad.name, func(t *testing.T) {
			path := bad.path(t)
			dir := filepath.Join(t.TempDir(), "run")
			r := run(t, append([]string{"train", path, "--out", dir, "--json"}, tiny...)...)
			checkRefusal(t, r, bad.want)
			if exists(dir) {
				t.Error("the run folder was made")
			}
			if bad.name != "no classes" {
				checkRefusal(t, run(t, "data", "info", path, "--json"), bad.want)
			}
		})
	}
}

func checkRefusal(t *testing.T, r result, want string) {
	t.Helper()
	if r.code != cli.ExitUsage || r.stdout != "" {
		t.Errorf("exit code %d, standard output %q; want 2 and nothing", r.code, r.stdout)
	}
	if !strings.HasPrefix(r.stderr, "ehgnn: ") || strings.Count(r.stderr, "\n") != 1 || !strings.Contains(r.stderr, want) {
		t.Errorf("standard error %q\nwant one line with %q", r.stderr, want)
	}
}

// The same test with the real program and with commands that use a trained run: nothing is written
// to --out, and the run does not change.
func TestBadInputOfUse(t *testing.T) {
	trained := smallRun(t)
	before := listing(t, trained)
	for _, bad := range badInputs(t) {
		if bad.name == "no classes" { // predictions need no classes
			continue
		}
		t.Run(bad.name, func(t *testing.T) {
			path := bad.path(t)
			out := filepath.Join(t.TempDir(), "out")
			for _, verb := range []string{"predict", "embed"} {
				checkRefusal(t, run(t, verb, trained, path, "--out", filepath.Join(out, verb+".csv")), bad.want)
			}
			checkRefusal(t, run(t, "evaluate", trained, path), bad.want)
			if exists(out) {
				t.Error("something was written")
			}
		})
	}
	if after := listing(t, trained); after != before {
		t.Errorf("the run folder changed:\n%s\nbefore:\n%s", after, before)
	}
	t.Run("real program", func(t *testing.T) {
		bad := badInputs(t)[5]
		dir := filepath.Join(t.TempDir(), "run")
		checkRefusal(t, program(t, "train", bad.path(t), "--out", dir), bad.want)
		checkRefusal(t, program(t, "predict", trained, bad.path(t)), bad.want)
		if exists(dir) {
			t.Error("the run folder was made")
		}
	})
}

// A folder that is not a run, or has a damaged run, is refused.
func TestBadRun(t *testing.T) {
	trained, path := smallRun(t), small(t).folder(t)
	whole := read(t, trained, "model.safetensors")
	with := func(text string) string {
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, "model.safetensors"), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		return dir
	}
	tests := []struct{ name, run, want string }{
		{"no such folder", filepath.Join(t.TempDir(), "none"), "is no run folder: there is no model.safetensors in it"},
		{"empty folder", t.TempDir(), "is no run folder: there is no model.safetensors in it"},
		{"truncated weights", with(whole[:len(whole)-100]), "model.safetensors: "},
		{"weights of another program", with("\x02\x00\x00\x00\x00\x00\x00\x00{}"), "has no settings in its metadata (ehgnn.settings): it was not written by ehgnn"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			for _, args := range [][]string{{"evaluate", test.run}, {"predict", test.run, path}, {"embed", test.run, path}} {
				refused(t, test.want, args...)
			}
		})
	}
}

// Graphs without nodes and graphs without edges are normal data.
func TestDegenerateGraphs(t *testing.T) {
	graphs := smallList(t)
	graphs[5] = &graph.Graph{Label: 1, Node: graph.Features{Codes: []int{3}}, Edge: graph.Features{Codes: []int{3}}}
	graphs[6] = &graph.Graph{NumNodes: 2, Label: 0, Node: graph.Features{Code: []int32{0, 1}, Codes: []int{3}}, Edge: graph.Features{Codes: []int{3}}}
	nodes, edges := count(graphs)
	bare := make([]*graph.Graph, smallGraphs)
	for i := range bare {
		bare[i] = &graph.Graph{NumNodes: 1 + i%2, Label: int32(i % 2), Node: graph.Features{Code: []int32{0, 1}[:1+i%2], Codes: []int{3}}}
	}
	tests := []struct {
		name  string
		set   set
		model string
		nodes int
		edges int
	}{
		{"hyperdrop", newSet("ODD", graphs), "hyperdrop", nodes, edges},
		{"hypercluster", newSet("ODD", graphs), "hypercluster", -1, edges},
		{"gcn", newSet("ODD", graphs), "gcn", nodes, -1},
		{"no edges at all", newSet("BARE", bare), "hyperdrop", smallGraphs * 3 / 2, 0},
		{"no edges and no edge labels", newSet("BARE", bare).with("edge_labels.txt", "-"), "hyperdrop", smallGraphs * 3 / 2, 0},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			path, dir := test.set.folder(t), filepath.Join(t.TempDir(), "run")
			// With batches of two, some batches have only such graphs.
			succeed(t, append([]string{"train", path, "--out", dir, "--model", test.model, "--batch-size", "2"}, tiny...)...)
			succeed(t, "evaluate", dir, "--split", "all")
			if rows := table(t, succeed(t, "predict", dir, path)); test.model != "hypercluster" && len(rows) != smallGraphs {
				t.Errorf("%d predictions, want %d", len(rows), smallGraphs)
			}
			for level, want := range map[string]int{"node": test.nodes, "edge": test.edges, "graph": smallGraphs} {
				if want < 0 {
					refused(t, "learns no vectors of "+level+"s", "embed", dir, path, "--level", level)
					continue
				}
				if rows := table(t, succeed(t, "embed", dir, path, "--level", level)); len(rows) != want {
					t.Errorf("%d vectors of %ss, want %d", len(rows), level, want)
				}
			}
		})
	}
}

// table reads CSV: for each row, a map from column to text.
func table(t *testing.T, text string) []map[string]string {
	t.Helper()
	lines, err := csv.NewReader(strings.NewReader(text)).ReadAll()
	if err != nil || len(lines) == 0 {
		t.Fatalf("not CSV (%v):\n%.500s", err, text)
	}
	rows := make([]map[string]string, len(lines)-1)
	for i, line := range lines[1:] {
		rows[i] = map[string]string{}
		for j, field := range line {
			rows[i][lines[0][j]] = field
		}
	}
	return rows
}
