package graphfile_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ehgnn/ehgnn/data"
	"github.com/ehgnn/ehgnn/data/graphfile"
)

// TestRecogniseNot checks that files of other readers are left to them.
func TestRecogniseNot(t *testing.T) {
	for _, tt := range []struct{ name, file, text string }{
		{"TU", "TOY_A.txt", "1, 2\n2, 1\n"},
		{"DGCNN", "TOY.txt", "1\n2 0\n0 1 1\n0 1 0\n"},
		{"a table", "edges.csv", "source,target,amount\n1,2,3\n2,3,4\n"},
		{"a table with a comment", "edges.csv", "# exported 2024-05-01\nsource,target,amount\n1,2,3\n"},
		{"a table of text with a comment", "edges.csv", "# exported\nwho,whom,how\nann,bob,well\n"},
		{"a table of text", "t.tsv", "giver\tway\ttaker\nann\tcash\tbob\nbob\tcash\tann\neve\tcash\tann\n"},
		{"a table of relations", "t.tsv", "head\trelation\ttail\na\tr\tb\nb\tr\ta\nc\tr\ta\n"},
		{"a table of names", "t.txt", "ann bob\nbob eve\n"},
		{"SMILES", "m.smi", "CCO 1\nCC 2\n"},
		{"features", "x.txt", "0.5 1.5\n1 2\n"},
		{"many columns", "m.txt", "1 2 3 4 5 6 7\n2 3 4 5 6 7 8\n"},
		{"JSON", "g.json", `{"nodes": [], "edges": []}`},
		{"NDJSON", "g.json", "{\"a\": 1}\n{\"a\": 2}\n"},
		{"empty", "e.txt", ""},
		{"comments", "e.txt", "# one\n# two\n"},
		{"binary", "b.txt", "1 2\x00\n"},
		{"other XML", "a.xml", "<?xml version='1.0'?><svg/>"},
		{"adjacency list", "a.txt", "#x.py\n# GMT Wed Nov 25 10:00:27 2026\n# \n1 2\n2 3\n"},
		{"METIS", "m.graph", "2 1\n2 1\n"},
		{"LGL", "m.lgl", "# v0\nv16 0.69\nv3 0.5\n# v1\nv2 0.25\n"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			for _, path := range []string{write(t, tt.file, tt.text), write(t, tt.file+".gz", zipped(t, tt.text))} {
				if format, ok := graphfile.Recognise(path); ok || format != "" {
					t.Errorf("%s is recognised as %q", filepath.Base(path), format)
				}
			}
		})
	}
	t.Run("OGB", func(t *testing.T) {
		dir := folder(t, map[string]string{"edge.csv": "0,1\n1,2\n", "num-node-list.csv": "3\n"})
		if format, ok := graphfile.Recognise(filepath.Join(dir, "edge.csv")); ok {
			t.Errorf("is recognised as %q", format)
		}
	})
	t.Run("folders", func(t *testing.T) {
		dgcnn := "1\n2 0\n0 1 1\n0 1 0\n"
		for _, files := range []map[string]string{
			{"train.txt": dgcnn, "valid.txt": dgcnn, "test.txt": dgcnn},
			{"train.txt": "a\tr\tb\nb\tr\ta\n"},
			{"edges.csv": "source,target\n1,2\n"},
			{},
		} {
			if format, ok := graphfile.Recognise(folder(t, files)); ok || format != "" {
				t.Errorf("a folder of %d files is recognised as %q", len(files), format)
			}
		}
	})
	if _, ok := graphfile.Recognise(filepath.Join(t.TempDir(), "missing")); ok {
		t.Error("a missing file is recognised")
	}
}

// A first line whose values are ids is an edge, and one whose values are not has names of columns.
func TestRecogniseFirstLine(t *testing.T) {
	for _, tt := range []struct {
		name, text string
		edges      bool
	}{
		{"numbered ids", "p1 p7\np2 p9\np4 p3\n", true},
		{"ids of two kinds", "u1,i7\nu2,i9\nu4,i3\n", true},
		{"names that come again", "ada grace\ngrace alan\nalan ada\n", true},
		{"names of columns", "customer item\nu2 i9\nu4 i3\n", false},
		{"one of two comes again", "ada grace\nada alan\nalan ada\n", false},
		{"two lines", "p1 p7\np2 p9\n", false},
	} {
		if format, _ := graphfile.Recognise(write(t, "e.txt", tt.text)); (format == graphfile.EdgeList) != tt.edges {
			t.Errorf("%s: recognised as %q", tt.name, format)
		}
	}
}

func TestOpenUnknown(t *testing.T) {
	path := write(t, "x.txt", "nothing\n")
	if _, err := graphfile.Open(path, "", data.NewBudget(0)); !errors.Is(err, data.ErrUnknownFormat) {
		t.Errorf("error %v, expected one that is ErrUnknownFormat", err)
	}
	if _, err := graphfile.Open(path, "gml", data.NewBudget(0)); err == nil || !strings.HasPrefix(err.Error(), `graphfile: format "gml", expected one of`) {
		t.Errorf("error %v", err)
	}
	if _, err := graphfile.Open(path+"x", "mtx", data.NewBudget(0)); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("error %v, expected one that is ErrNotExist", err)
	}
}

func TestRefuse(t *testing.T) {
	for _, tt := range []struct{ file, text, message string }{
		{"g.gml", "graph [\n  directed 1\n]\n", `is a GML file, which is not read; convert it: python -c "import networkx as nx; nx.write_graphml(nx.read_gml('g.gml'), 'g.graphml')"`},
		{"g.txt", "Creator \"igraph version 1.0.0\"\nVersion 1\ngraph\n[\n", `is a GML file, which is not read; convert it: python -c "import networkx as nx; nx.write_graphml(nx.read_gml('g.txt', label='id'), 'g.graphml')"`},
		{"h.txt", "# made by hand\nVersion 1\nGraph [\n", `is a GML file, which is not read; convert it: python -c "import networkx as nx; nx.write_graphml(nx.read_gml('h.txt'), 'h.graphml')"`},
		{"g.net", "*vertices 3\n", `is a Pajek file, which is not read; convert it: python -c "import networkx as nx; nx.write_graphml(nx.read_pajek('g.net'), 'g.graphml')"`},
		{"g.dot", "strict digraph \"G\" {\na -> b\n}\n", `is a DOT file of Graphviz, which is not read; convert it: python -c "import networkx as nx; nx.write_graphml(nx.nx_pydot.read_dot('g.dot'), 'g.graphml')"`},
		{"g.gdf", "nodedef>name VARCHAR\na\n", `is a GDF file of GUESS, which is not read; convert it: awk 'sub(/^edgedef> */, "") {p=1; gsub(/ (VARCHAR|DOUBLE|FLOAT|INTEGER|INT|BOOLEAN)/, ""); sub(/node1/, "source"); sub(/node2/, "target")} p' g.gdf > g.csv`},
		{"g.tgf", "a A\n#\na a x\n", `is a TGF file, which is not read; convert it: awk -v OFS=, 'BEGIN {print "source", "target", "label"} p {print $1, $2, $3} /^#/ {p=1}' g.tgf > g.csv`},
		{"g.gr", "c made\np sp 2 1\na 1 2 3\n", `is a DIMACS file, which is not read; convert it: awk -v OFS=, 'BEGIN {print "source", "target", "weight"} /^[ae] / {print $2, $3, $4}' g.gr > g.csv`},
		{"g.graph", "% made\n3 2\n2\n1 3\n2\n", `is a METIS file, which is not read; convert it: grep -v '^%' g.graph | awk 'NR>1 {for (i=1; i<=NF; i++) if ($i>=NR-1) print NR-1, $i}' > g.edges`},
		{"g.g6", "Ch\n", `is a graph6 or sparse6 file, which is not read; convert it: python -c "import networkx as nx; nx.write_graphml(nx.read_graph6('g.g6'), 'g.graphml')"`},
		{"g.lgl", "# a\nb 1.5\n", `is an LGL file, which is not read; convert it: awk '/^#/ {u=$2; next} NF {print u, $0}' g.lgl > g.edges`},
		{"g.adjlist", "1 2\n2 3\n", `is an adjacency list, which is not read; convert it: python -c "import networkx as nx; nx.write_graphml(nx.read_adjlist('g.adjlist'), 'g.graphml')"`},
		{"a.txt", "#x.py\n# GMT Wed Nov 25 10:00:27 2026\n# \n1 2\n2 3\n", `is an adjacency list, which is not read; convert it: python -c "import networkx as nx; nx.write_graphml(nx.read_adjlist('a.txt'), 'a.graphml')"`},
		{"g.edgelist", "1 2 {'weight': 3}\n", `is an edge list with attributes as Python writes them, which is not read; convert it: python -c "import networkx as nx; nx.write_graphml(nx.read_edgelist('g.edgelist'), 'g.graphml')"`},
		{"data.pt", "PK\x03\x04", `is a file of PyTorch, which is not read; convert it: python -c "import torch, numpy; numpy.savetxt('data.edges', torch.load('data.pt', weights_only=False).edge_index.t().numpy(), fmt='%d')"`},
		{"net.sif", "a pd b c\nb pd c\n", `is a SIF file of Cytoscape with several targets on a line, which is not read; convert it: awk '{for (i=3; i<=NF; i++) print $1 "\t" $2 "\t" $i}' net.sif > net.txt`},
		{"frame.pkl", "\x80\x05\x95\x00\x8c\x06pandas\x94\x8c\x1epandas.core.internals.managers\x94", `is a pickle of pandas, which is not read; convert it: python -c "import pandas; pandas.read_pickle('frame.pkl').to_csv('frame.csv', index=False)"`},
		{"a b.gml", "graph [", `is a GML file, which is not read; convert it: python -c "import networkx as nx; nx.write_graphml(nx.read_gml('FILE'), 'NAME.graphml')"`},
		{"entity2id.txt", "2\na 0\nb 1\n", `is a file of OpenKE with numbers instead of names, which is not read; convert it: for p in train valid test; do awk 'NR>1 {print "e"$1 "\tr"$3 "\te"$2}' ${p}2id.txt > $p.txt; done`},
		{"g.ttl", "@prefix : <x> .\n", `is an RDF file, which is not read; convert it: python -c "import rdflib; rdflib.Graph().parse('g.ttl').serialize('g.nt', format='nt', encoding='utf-8')"`},
	} {
		t.Run(tt.file, func(t *testing.T) {
			err := graphfile.Refuse(write(t, tt.file, tt.text))
			var parse *data.ParseError
			if !errors.As(err, &parse) || err.Error() != tt.file+": "+strings.ReplaceAll(tt.message, `\t`, "\\t") {
				t.Errorf("error %v\nexpected %s: %s", err, tt.file, tt.message)
			}
		})
	}
	for file, text := range map[string]string{"a.csv": "source,target\n1,2\n", "ind.cora.graph": "\x80\x02ccollections", "g.graphml": "<graphml/>", "map.gml": "<?xml version='1.0'?><gml/>", "e.txt": "", "graph.txt": "graph of friends\n"} {
		if err := graphfile.Refuse(write(t, file, text)); err != nil {
			t.Errorf("%s: %v, expected none", file, err)
		}
	}
	if err := graphfile.Refuse(folder(t, map[string]string{"train2id.txt": "1\n0 1 0\n"})); err == nil {
		t.Error("a folder of OpenKE is not refused")
	}
}
