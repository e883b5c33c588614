package cli_test

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"
)

// ring is an edge list of n edges, each written with a format. Edges to an even node are of the
// first kind.
func ring(n int, edge func(from, to int, even bool) string) string {
	var b strings.Builder
	for i := range n {
		b.WriteString(edge(i%23, (i*7+3)%23, (i*7+3)%23%2 == 0))
	}
	return b.String()
}

// kindOf returns one of two kinds.
func kindOf(even bool) string {
	if even {
		return "likes"
	}
	return "knows"
}

// graphML is a GraphML document of 23 nodes and n edges.
func graphML(n int) string {
	var b strings.Builder
	b.WriteString(`<graphml><key id="a" for="node" attr.name="age" attr.type="int"/><key id="w" for="edge" attr.name="weight" attr.type="double"/>` +
		`<key id="l" for="edge" attr.name="label" attr.type="string"/><graph edgedefault="undirected">`)
	for v := range 23 {
		fmt.Fprintf(&b, `<node id="p%d"><data key="a">%d</data></node>`+"\n", v, 20+v)
	}
	b.WriteString(ring(n, func(from, to int, even bool) string {
		return fmt.Sprintf(`<edge source="p%d" target="p%d"><data key="w">%d.5</data><data key="l">%s</data></edge>`+"\n", from, to, from%5, kindOf(even))
	}))
	return b.String() + "</graph></graphml>"
}

// The real program inspects graph files, trains on them, and predicts for files of the same format.
func TestGraphFiles(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds")
	}
	t.Parallel()
	triple := func(from, to int, even bool) string {
		return fmt.Sprintf("p%d\t%s\tp%d\n", from, kindOf(even), to)
	}
	votes := ring(120, func(from, to int, even bool) string {
		return fmt.Sprintf("%d %d %v\n", from, to, map[bool]int{true: 1, false: -1}[even])
	})
	for _, test := range []struct {
		name, path string
		files      []string
		args       string   // arguments of train
		info       []string // expected output of data info
		fresh      string   // new data
		rows       int
	}{
		{"SNAP", "votes.txt", []string{"votes.txt", "# Directed graph: votes.txt\n# FromNodeId\tToNodeId\tSign\n" + strings.ReplaceAll(votes, " ", "\t"), "new.txt", "# FromNodeId\tToNodeId\n1\t2\n5\t4\n"}, "--label Sign",
			[]string{"votes, edge-list format\n", "  edges     120, directed\n", "called source, target, Sign"}, "new.txt", 2},
		{"an edge list by its format", "n.txt", []string{"n.txt", strings.ReplaceAll(votes, " ", " p"), "new.txt", "3 p4 p1\n"}, "--format edge-list --label column_3 --edges directed",
			[]string{"n, edge-list format\n"}, "new.txt", 1},
		{"triples", ".", []string{"train.txt", ring(80, triple), "valid.txt", ring(20, triple), "test.txt", ring(20, triple), "new.tsv", "p1\tknows\tp2\np5\tlikes\tp1\np1\tlikes\tp4\n"}, "",
			[]string{", triples format\n", "  relation  label   category  2: likes (64), knows (56)", "  part      part    category  3: train (80), test (20), valid"}, "new.tsv", 3},
		{"GraphML", "g.graphml", []string{"g.graphml", graphML(120), "new.graphml", graphML(5)}, "",
			[]string{"g, graphml format\n", "  edges     120, undirected\n", "nodes of g.graphml, 23 rows\n", "  age     feature  number    20 to 42", "  weight  weight  number    0.5 to 4.5"}, "new.graphml", 5},
		{"Matrix Market", "m.mtx", []string{"m.mtx", "%%MatrixMarket matrix coordinate integer general\n24 24 120\n" + strings.ReplaceAll(ring(120, func(from, to int, even bool) string {
			return fmt.Sprintf("%d %d %d\n", from+1, to+1, len(kindOf(even))+to%2)
		}), "\n\n", "\n"), "new.mtx", "%%MatrixMarket matrix coordinate pattern general\n24 24 1\n1 2\n"}, "--label weight",
			[]string{"m, mtx format\n"}, "new.mtx", 1},
	} {
		t.Run(test.name, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "Graph")
			writeFiles(t, dir, test.files...)
			path := filepath.Join(dir, test.path)
			args := strings.Fields(test.args)
			if text := exits0(t, append([]string{"data", "info", path}, args...)...); !containsAll(text, test.info) {
				t.Errorf("info prints\n%s\nwant %q in it", text, test.info)
			}
			run := filepath.Join(t.TempDir(), "run")
			exits0(t, append([]string{"train", path, "--out", run, "--epochs", "2", "--hidden", "4", "--quiet"}, args...)...)
			tested := exits0(t, "predict", run, path, "--split", "test", "--keep-columns=false")
			if tested != read(t, run, "predictions.csv") {
				t.Error("the predictions of the test part are not those of the run")
			}
			exits0(t, "evaluate", run)
			exits0(t, "train", path, "--config", filepath.Join(run, "config.yaml"), "--out", run+"-again", "--quiet")
			if read(t, run+"-again", "predictions.csv") != tested {
				t.Error("the same settings give other predictions")
			}
			rows := table(t, exits0(t, "predict", run, filepath.Join(dir, test.fresh)))
			if len(rows) != test.rows || rows[0]["source"] == "" || rows[0]["prediction"] == "" {
				t.Errorf("%d predictions, the first %v; want %d", len(rows), rows[0], test.rows)
			}
		})
	}
}

func containsAll(text string, want []string) bool {
	for _, w := range want {
		if !strings.Contains(text, w) {
			return false
		}
	}
	return true
}

// Missing parts of a graph file, and unsupported formats, are named, and the error says what to do.
func TestGraphFilesRefused(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "Graph")
	writeFiles(t, dir, "links.txt", "1 2\n2 3\n3 1\n", "g.gml", "graph [\n  node [ id 0 label \"a\" ]\n]\n", "net.net", "*Vertices 1\n1 \"a\"\n*Edges\n",
		"both.graphml", `<graphml><graph edgedefault="directed"><node id="a"/><edge source="a" target="a"/><edge source="a" target="a" directed="false"/></graph></graphml>`)
	for _, test := range []struct{ file, want string }{
		{"links.txt", "the edges have no labels to learn from: expected a column called label, class or y, or one that --label names; the features are none; which edges are missing is learned without labels: --task link-prediction; classes of nodes are a column of their table: --task node-classification --label COLUMN --nodes FILE"},
		{"g.gml", `g.gml: is a GML file, which is not read; convert it: python -c "import networkx as nx; nx.write_graphml(nx.read_gml('g.gml'), 'g.graphml')"`},
		{"net.net", "net.net: is a Pajek file, which is not read; convert it: "},
		{"both.graphml", "graphs with both are not read"},
	} {
		refused(t, test.want, "train", filepath.Join(dir, test.file), "--out", filepath.Join(dir, "run"))
	}
	refused(t, "g.gml: is a GML file", "data", "info", filepath.Join(dir, "g.gml"))
	refused(t, `--format is "gml", expected one of`, "data", "info", filepath.Join(dir, "g.gml"), "--format", "gml")
}
