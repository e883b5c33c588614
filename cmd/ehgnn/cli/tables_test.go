package cli_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/ehgnn/ehgnn/data/synth"
	"github.com/ehgnn/ehgnn/data/tables"
	"github.com/ehgnn/ehgnn/graph"
)

// data info describes tables by their columns.
func TestDataInfoTables(t *testing.T) {
	path := payments(t, 400, "nodes.csv", "edges.csv")
	text := succeed(t, "data", "info", path)
	for _, want := range []string{"Payments, tables format\n", "  nodes     60\n", "  edges     400, directed\n", "  task      label \"label\": 2 classes: edge-classification\n",
		"\nnodes.csv, 60 rows\n", "\n  kind    feature  category    2: person (48), shop (12) ", "\nedges.csv, 400 rows\n", " 2: ok (382), fraud (1", " time     time, unit", " 11 to 4113 ", "  checksum  sha256 "} {
		if !strings.Contains(text, want) {
			t.Errorf("info prints\n%s\nwant %q in it", text, want)
		}
	}
	var i tables.Info
	document(t, succeed(t, "data", "info", filepath.Join(path, "edges.csv"), "--nodes", "-", "--label", "amount", "--task", "edge-regression", "--json"), &i)
	if i.NumEdges != 400 || len(i.NodeFeatures) != 0 || i.Label == nil || !i.Label.Numeric || i.Label.Name != "amount" {
		t.Errorf("info %+v", i)
	}
	refused(t, "--label does not apply to graphs", "data", "info", small(t).folder(t), "--label", "x")
	refused(t, "--name does not apply to tables", "data", "info", path, "--name", "x")
	refused(t, `unknown task "graphs"`, "data", "info", path, "--task", "graphs")
	refused(t, "Payments is read from tables, expected a collection of graphs", "data", "convert", path, path+"-2")
}

// Tables that data convert writes are read with the same numbers of nodes and edges, and can be
// used for training if edges have labels. CSV and Parquet give the same result.
func TestConvertedTables(t *testing.T) {
	one, err := synth.EdgeClass(1, 5)
	if err != nil {
		t.Fatal(err)
	}
	// One graph of many edges: disjoint copies with the labels of the original.
	g := graph.Graph{Node: graph.Features{Codes: one[0].Node.Codes}, Edge: graph.Features{Codes: one[0].Edge.Codes}}
	for _, x := range edgeClass(t, 8) {
		for _, v := range x.Ends {
			g.Ends = append(g.Ends, v+int32(g.NumNodes))
		}
		g.NumNodes += x.NumNodes
		g.Node.Code, g.Edge.Code = append(g.Node.Code, x.Node.Code...), append(g.Edge.Code, x.Edge.Code...)
	}
	single := newSet("ONE", []*graph.Graph{&g}).folder(t)
	nodes, edges := count(smallList(t))
	for _, test := range []struct {
		name, path   string
		nodes, edges int
		labels       bool
	}{
		{"one graph", single, g.NumNodes, g.NumEdges(), true},
		{"many graphs", small(t).folder(t), nodes, edges, true},
		{"planetoid", tinyNodes, 90, 171, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			var infos []tables.Info
			for _, layout := range []string{"csv", "parquet"} {
				out := filepath.Join(t.TempDir(), "set")
				succeed(t, "data", "convert", test.path, out, "--to", layout)
				var i tables.Info
				document(t, succeed(t, "data", "info", out, "--edges", "undirected", "--json"), &i)
				if i.NumNodes != test.nodes || i.NumEdges != test.edges || i.Directed || (i.Label != nil) != test.labels {
					t.Errorf("%s: %d nodes and %d edges, label %v; want %d and %d", layout, i.NumNodes, i.NumEdges, i.Label, test.nodes, test.edges)
				}
				if i.Checksum == "" {
					t.Error("no checksum")
				}
				i.Checksum = ""
				for k := range i.Tables {
					i.Tables[k].File = ""
				}
				infos = append(infos, i)
				dir := filepath.Join(t.TempDir(), "run")
				args := []string{"train", out, "--edges", "undirected", "--out", dir, "--epochs", "1", "--hidden", "4", "--quiet"}
				if !test.labels {
					refused(t, "have no labels to learn from", args...)
					continue
				}
				succeed(t, args...)
				if rows := table(t, succeed(t, "predict", dir, out)); len(rows) != test.edges || !strings.Contains(rows[0]["source"], "0/") {
					t.Errorf("%d predictions, the first %v", len(rows), rows[0])
				}
			}
			a, _ := json.Marshal(infos[0])
			if b, _ := json.Marshal(infos[1]); string(a) != string(b) {
				t.Errorf("CSV is read as\n%s\nParquet as\n%s", a, b)
			}
		})
	}
}

// payments writes generated payments between 60 accounts, as tables with the given names or the
// names nodes and edges.
func payments(t *testing.T, n int, nodes, edges string) string {
	t.Helper()
	x, err := synth.NewTransactions(60, n, 3)
	if err != nil {
		t.Fatal(err)
	}
	var accounts, list strings.Builder
	if err := x.WriteNodes(&accounts); err != nil {
		t.Fatal(err)
	}
	if err := x.WriteEdges(&list); err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(t.TempDir(), "Payments")
	writeFiles(t, dir, nodes, accounts.String(), edges, list.String())
	return dir
}

func writeFiles(t *testing.T, dir string, files ...string) {
	t.Helper()
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	for i := 0; i < len(files); i += 2 {
		if err := os.WriteFile(filepath.Join(dir, files[i]), []byte(files[i+1]), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// without drops columns of a CSV without quotes.
func without(text string, names ...string) string {
	var keep []int
	var out strings.Builder
	for line := range strings.Lines(text) {
		fields := strings.Split(strings.TrimSpace(line), ",")
		if out.Len() == 0 {
			for i, f := range fields {
				if !slices.Contains(names, f) {
					keep = append(keep, i)
				}
			}
		}
		for k, i := range keep {
			if k > 0 {
				out.WriteByte(',')
			}
			out.WriteString(fields[i])
		}
		out.WriteByte('\n')
	}
	return out.String()
}

// Edges of a class that no training edge has are predicted and not scored, and a remark says so.
func TestUnseenClass(t *testing.T) {
	var rows, unlike strings.Builder
	rows.WriteString("source,target,amount,label,part\n")
	unlike.WriteString("source,target,amount,label\n")
	for i := range 60 {
		class := []string{"ok", "fraud"}[i%2]
		if i == 45 || i == 55 {
			class = "new"
		}
		fmt.Fprintf(&rows, "u%d,v%d,%d,%s,%d\n", i%7, i%5, i%2, class, max(0, i/10-3))
		fmt.Fprintf(&unlike, "u%d,v%d,%d,%d\n", i%7, i%5, i%2, i%2)
	}
	dir := t.TempDir()
	writeFiles(t, dir, "edges.csv", rows.String(), "other.csv", unlike.String())
	trained, table := filepath.Join(dir, "run"), filepath.Join(dir, "edges.csv")
	const said = `column \"label\" of 1 edges has a class that training has not seen; scores leave them out; the first is \"new\", expected one of [\"fraud\" \"ok\"]" part=`
	r := run(t, "train", table, "--part", "part", "--model", "mlp-edge", "--epochs", "1", "--out", trained)
	if r.code != 0 || !strings.Contains(r.stderr, said+"valid") || !strings.Contains(r.stderr, said+"test") {
		t.Fatalf("exit code %d, %s", r.code, r.stderr)
	}
	var e struct{ Edges int }
	document(t, succeed(t, "evaluate", trained, "--split", "test", "--json"), &e)
	if e.Edges != 9 {
		t.Errorf("%d edges are scored, want 9", e.Edges)
	}
	if lines := strings.Count(succeed(t, "predict", trained, table), "\n"); lines != 61 {
		t.Errorf("%d lines of predictions, want 61", lines)
	}
	unlabelled := regexp.MustCompile(`(?m),[a-z]+,1$`).ReplaceAllString(rows.String(), ",,1")
	writeFiles(t, dir, "unlabelled.csv", unlabelled)
	r = run(t, "train", filepath.Join(dir, "unlabelled.csv"), "--part", "part", "--out", filepath.Join(dir, "none"))
	if r.code != 2 || !strings.Contains(r.stderr, "model auto chooses by validation, and unlabelled has no validation part with a label") {
		t.Errorf("exit code %d, %s", r.code, r.stderr)
	}
	refused(t, `other, part all: column "label" of 60 edges has a class that training has not seen`, "evaluate", trained, filepath.Join(dir, "other.csv"))
}
