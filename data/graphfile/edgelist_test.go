package graphfile_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/ehgnn/ehgnn/data"
	"github.com/ehgnn/ehgnn/data/graphfile"
)

const named = "is an edge list without column names; its columns are called "

func TestEdgeList(t *testing.T) {
	for _, tt := range []struct {
		name, file, text string
		want             want
	}{
		{"SNAP", "votes.txt", "# Directed graph: votes.txt\r\n# Nodes: 3 Edges: 2\r\n# FromNodeId\tToNodeId\r\n30\t1412\r\n30\t3352\r\n",
			want{directed: data.Directed, edges: "source|target\n4: 30|1412\n5: 30|3352", notes: named + "source, target"}},
		{"SNAP undirected", "com.ungraph.txt", "# Undirected graph: com.ungraph.txt\n# FromNodeId\tToNodeId\n1\t2\n",
			want{directed: data.Undirected, edges: "source|target\n3: 1|2", notes: named + "source, target"}},
		{"SNAP with a third name", "signs.txt", "# Directed graph\n# FromNodeId\tToNodeId\tSign\n0\t1\t-1\n1\t2\t1\n",
			want{directed: data.Directed, edges: "source|target|Sign\n3: 0|1|-1\n4: 1|2|1", notes: named + "source, target, Sign"}},
		{"names that do not fit", "n.txt", "# FromNodeId\tToNodeId\n0\t1\t7\n",
			want{edges: "source|target|weight\n2: 0|1|7", notes: named + "source, target, weight"}},
		{"text ids behind names", "n.txt", "# from to\nann bob\nbob eve\n",
			want{edges: "source|target\n2: ann|bob\n3: bob|eve", notes: named + "source, target"}},
		{"trust", "soc-sign.csv", "6,2,4,1289241911.72836\n6,5,-2,1289241941.53378\n",
			want{edges: "source|target|weight|time\n1: 6|2|4|1289241911.72836\n2: 6|5|-2|1289241941.53378", notes: named + "source, target, weight, time"}},
		{"ratings with text ids", "Books.csv", "A2CX7,0321732944,5.0,1341100800\nA3QQ1,0439886341,1.0,1367193600\n",
			want{edges: "source|target|weight|time\n1: A2CX7|0321732944|5.0|1341100800\n2: A3QQ1|0439886341|1.0|1367193600", notes: named + "source, target, weight, time"}},
		{"a time in place of a weight", "sx.txt", "9 8 1217567877\n1 1 1217573801\n",
			want{edges: "source|target|time\n1: 9|8|1217567877\n2: 1|1|1217573801", notes: named + "source, target, time"}},
		{"four columns without a time", "w.edges", "1 2 0.5 7\n2 3 0.25 8\n",
			want{edges: "source|target|weight|column_4\n1: 1|2|0.5|7\n2: 2|3|0.25|8", notes: named + "source, target, weight, column_4"}},
		{"a class", "c.tsv", "1\t2\tspam mail\n2\t3\tham\n",
			want{edges: "source|target|column_3\n1: 1|2|spam mail\n2: 2|3|ham", notes: named + "source, target, column_3"}},
		{"KONECT", "out.college", "% asym positive\n% 3 3 3\n1 2\t1 1082008561\n3 4\t-1 1082123439\n",
			want{directed: data.Directed, edges: "source|target|weight|time\n3: 1|2|1|1082008561\n4: 3|4|-1|1082123439", notes: named + "source, target, weight, time"}},
		{"KONECT undirected", "out.x", "% sym unweighted\n1 2\n", want{directed: data.Undirected, edges: "source|target\n2: 1|2", notes: named + "source, target"}},
		{"KONECT bipartite", "out.b", "% bip weighted\n1 1 3\n1 2 5\n",
			want{directed: data.Undirected, edges: "source|target|weight\n2: r1|c1|3\n3: r1|c2|5",
				notes: named + "source, target, weight\nsources and targets are different nodes with equal numbers; their ids get r and c before the number"}},
		{"networkx", "g.edgelist", "a b {}\nb c {}\n", want{edges: "source|target\n1: a|b\n2: b|c", notes: named + "source, target"}},
		{"NumPy", "np.txt", "0.000000000000000000e+00 1.000000000000000000e+00\n1.000000000000000000e+00 2.000000000000000000e+00\n",
			want{edges: "source|target\n1: 0.000000000000000000e+00|1.000000000000000000e+00\n2: 1.000000000000000000e+00|2.000000000000000000e+00", notes: named + "source, target"}},
		{"MovieLens", "ratings.dat", "1::1193::5::978300760\n1::661::3::978302109\n",
			want{edges: "source|target|weight|time\n1: 1|1193|5|978300760\n2: 1|661|3|978302109", notes: named + "source, target, weight, time"}},
		{"comments and empty lines among edges", "l.txt", "1 2\n\n# half\n2 3\n",
			want{edges: "source|target\n1: 1|2\n4: 2|3", notes: named + "source, target\ncomments among the rows are left out: 1, the first on line 3"}},
		{"names with blanks", "n.edges", "# source\ttarget\nAnn Lee\tBob Roe\nBob Roe\tEve\n",
			want{edges: "source|target\n2: Ann Lee|Bob Roe\n3: Bob Roe|Eve", notes: named + "source, target"}},
		{"equal names", "n.txt", "# from,to,Source,source\n1,2,3,4\n",
			want{edges: "source|target|Source.1|source.2\n2: 1|2|3|4", notes: named + "source, target, Source.1, source.2"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			tt.want.format = "edge-list"
			check(t, tt.file, tt.text, tt.want)
		})
	}
}

func TestEdgeListErrors(t *testing.T) {
	for _, tt := range []struct{ name, text, message string }{
		{"no edges", "# nothing\n", "e.txt: has no edges in its first 10 bytes, expected lines of two ids"},
		{"header", "source target w\n1 2 3\n", "e.txt: has a line of column names, expected an edge list without one; it is read as a table without --format"},
		{"one value", "1\n2\n", "e.txt: is no edge list: expected the same number of values, 2 to 6, on each line"},
		{"Python", "1 2 {'weight': 3}\n", `e.txt: is an edge list with attributes as Python writes them, which is not read; convert it: python -c "import networkx as nx; nx.write_graphml(nx.read_edgelist('e.txt'), 'e.graphml')"`},
	} {
		t.Run(tt.name, func(t *testing.T) { refuses(t, "e.txt", tt.text, "edge-list", tt.message) })
	}
	t.Run("behind the sample", func(t *testing.T) {
		text := make([]byte, 0, 1<<18)
		for len(text) < 1<<17 {
			text = append(text, "12 34\n"...)
		}
		refuses(t, "e.txt", string(text)+"56\n", "edge-list", "e.txt:21847: number of values is 1, expected 2 as on the first lines")
		refuses(t, "e.txt", string(text)+"56 \xff\n", "edge-list", "e.txt:21847: is not UTF-8")
	})
}

func TestLongLine(t *testing.T) {
	path := write(t, "e.txt", "1 2\n"+strings.Repeat("3", 1<<20)+" 4\n")
	if err := readAll(path, "edge-list", data.NewBudget(8<<20)); !errors.Is(err, data.ErrTooLarge) {
		t.Errorf("error %v, expected one that is ErrTooLarge", err)
	}
	if err := readAll(path, "edge-list", data.NewBudget(0)); err != nil {
		t.Errorf("with more memory: %v", err)
	}
}

// TestCloseEarly checks that a graph that is not read to its end has no checksum.
func TestCloseEarly(t *testing.T) {
	for name, text := range map[string]string{"e.txt": "1 2\n2 3\n", "g.gexf": `<gexf><graph><edges><edge source="a" target="b"/></edges></graph></gexf>`} {
		g, err := graphfile.Open(write(t, name, text), "", data.NewBudget(0))
		if err != nil {
			t.Fatal(err)
		}
		if sum, err := g.Edges.Close(); sum != "" || err != nil {
			t.Errorf("%s: Close gives %q, %v", name, sum, err)
		}
	}
}
