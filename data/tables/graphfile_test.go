package tables_test

import (
	"bytes"
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/ehgnn/ehgnn/data"
	"github.com/ehgnn/ehgnn/data/tables"
)

// graphFiles are small files in formats that graph programs write.
const (
	snapText = "# Undirected graph: mail.txt\n# FromNodeId\tToNodeId\n3\t1\n3\t2\n1\t4\n"

	votesText = "6\t2\t4\t1289241911\n6\t5\t2\t1289241941\n1\t15\t1\t1289243140\n"

	triplesText = "Rome\tin\tItaly\nItaly\tborders\tFrance\nParis\tin\tFrance\n"

	matrixText = "%%MatrixMarket matrix coordinate real symmetric\n3 3 2\n2 1 0.5\n3 1 2\n"

	graphMLText = `<graphml><key id="k0" for="node" attr.name="age" attr.type="int"/>
<key id="k1" for="edge" attr.name="label" attr.type="string"/><key id="k2" for="edge" attr.name="weight" attr.type="double"/>
<graph edgedefault="undirected">
<node id="a"><data key="k0">30</data></node><node id="b"/><node id="c"><data key="k0">5</data></node>
<edge id="e1" source="a" target="b"><data key="k1">friend</data><data key="k2">1.5</data></edge>
<edge id="e2" source="b" target="c"><data key="k1">foe</data></edge>
</graph></graphml>`

	gexfText = `<gexf version="1.2"><graph defaultedgetype="directed">
<attributes class="node"><attribute id="0" title="team" type="string"/></attributes>
<nodes><node id="n1" label="Ann"><attvalues><attvalue for="0" value="red"/></attvalues></node><node id="n2" label="Bob"/></nodes>
<edges><edge id="0" source="n1" target="n2" label="likes" weight="2"/><edge id="1" source="n2" target="n1" label="knows"/></edges>
</graph></gexf>`
)

// saved writes files into a new folder.
func saved(t *testing.T, files ...string) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "Graphs")
	if err := os.Mkdir(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	for i := 0; i < len(files); i += 2 {
		if err := os.WriteFile(filepath.Join(dir, files[i]), []byte(files[i+1]), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// outlineOf describes a set in a few words: its graph, its columns and its label.
func outlineOf(s *tables.Set) string {
	names := func(columns []*tables.Column) (out []string) {
		for _, c := range columns {
			out = append(out, c.Name)
		}
		return out
	}
	label := "none"
	if s.Label != nil {
		label = fmt.Sprint(s.Label.Name, s.Label.Text)
	}
	return fmt.Sprintf("%s %s directed %v nodes %v edges %d features %v %v label %s part %v", s.Name, s.Format, s.Directed, s.NodeIDs, s.NumEdges(), names(s.NodeColumns), names(s.EdgeColumns), label, s.Part)
}

// Graph files are read like tables: directed or undirected as the file says, with attributes, label
// and parts.
func TestGraphFiles(t *testing.T) {
	for _, tt := range []struct {
		name, path string // path in the folder
		files      []string
		o          tables.Options
		want       string
		notes      string
	}{
		{name: "SNAP", path: "mail.txt", files: []string{"mail.txt", snapText},
			want: "mail edge-list directed false nodes [3 1 2 4] edges 3 features [] [] label none part []", notes: "mail.txt: is an edge list without column names; its columns are called source, target"},
		{name: "SNAP read as directed", path: "mail.txt", files: []string{"mail.txt", snapText}, o: tables.Options{Form: data.Directed},
			want: "mail edge-list directed true nodes [3 1 2 4] edges 3 features [] [] label none part []"},
		{name: "a weight as the label", path: "soc.csv", files: []string{"soc.csv", strings.ReplaceAll(votesText, "\t", ",")}, o: tables.Options{Label: "weight", Class: true},
			want: "soc edge-list directed true nodes [6 2 5 1 15] edges 3 features [] [] label weight[4 2 1] part []"},
		{name: "weights that are all different", path: "w.txt", files: []string{"w.txt", counted(30)},
			want: "w edge-list directed true nodes " + fmt.Sprint(strings.Fields(ids(30))) + " edges 30 features [] [weight] label none part []"},
		{name: "edges.csv without a header", path: ".", files: []string{"edges.csv", "1,2\n2,3\n", "nodes.csv", "id,age\n1,5\n2,7\n3,9\n"},
			want: "Graphs edge-list directed true nodes [1 2 3] edges 2 features [age] [] label none part []", notes: "its columns are called source, target"},
		{name: "edges.csv with a header", path: ".", files: []string{"edges.csv", "source,target\n1,2\n2,3\n"},
			want: "Graphs tables directed true nodes [1 2 3] edges 2 features [] [] label none part []"},
		{name: "an edge list with a table of nodes", path: "mail.txt", files: []string{"mail.txt", snapText, "people.csv", "id,age\n1,5\n2,7\n3,9\n4,\n"}, o: tables.Options{Nodes: tables.Files{"people.csv"}},
			want: "mail edge-list directed false nodes [1 2 3 4] edges 3 features [age] [] label none part []"},
		{name: "triples", path: "facts.tsv", files: []string{"facts.tsv", triplesText},
			want: "facts triples directed true nodes [Rome Italy France Paris] edges 3 features [] [] label relation[in borders] part []"},
		{name: "triples of parts", path: ".", files: []string{"train.txt", triplesText, "valid.txt", "Nice\tin\tFrance\n", "test.txt", "Nice\tin\tItaly\n"},
			want: "Graphs triples directed true nodes [Rome Italy France Paris Nice] edges 5 features [] [] label relation[in borders] part [0 0 0 1 2]"},
		{name: "triples of parts, which do not count", path: ".", files: []string{"train.txt", triplesText, "test.txt", "Nice\tin\tItaly\n"}, o: tables.Options{Part: tables.None},
			want: "Graphs triples directed true nodes [Rome Italy France Paris Nice] edges 4 features [] [] label relation[in borders] part []"},
		{name: "Matrix Market", path: "a.mtx", files: []string{"a.mtx", matrixText},
			want: "a mtx directed false nodes [2 1 3] edges 2 features [] [weight] label none part []"},
		{name: "GraphML", path: "g.graphml", files: []string{"g.graphml", graphMLText},
			want: "g graphml directed false nodes [a b c] edges 2 features [age] [weight] label label[friend foe] part []"},
		{name: "GEXF", path: "g.gexf", files: []string{"g.gexf", gexfText},
			want: "g gexf directed true nodes [n1 n2] edges 2 features [team] [weight] label label[likes knows] part []", notes: "g.gexf: the label of a node is its name to display and no feature; --feature label brings it in"},
		{name: "GEXF with names as a feature", path: "g.gexf", files: []string{"g.gexf", gexfText}, o: tables.Options{Features: []string{"label"}},
			want: "g gexf directed true nodes [n1 n2] edges 2 features [label team] [weight] label label[likes knows] part []"},
		{name: "GEXF of which the nodes are not read", path: "g.gexf", files: []string{"g.gexf", gexfText}, o: tables.Options{Nodes: tables.NoFiles},
			want: "g gexf directed true nodes [n1 n2] edges 2 features [] [weight] label label[likes knows] part []"},
		{name: "an edge list by its format", path: "n.txt", files: []string{"n.txt", "ann bob\nbob eve\n"}, o: tables.Options{Format: "edge-list"},
			want: "n edge-list directed true nodes [ann bob eve] edges 2 features [] [] label none part []"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			path := filepath.Join(saved(t, tt.files...), tt.path)
			if tt.o.Format == "" && !tables.Recognise(path) {
				t.Error("is not recognised")
			}
			s, err := tables.Open(path, tt.o)
			if err != nil {
				t.Fatal(err)
			}
			if got := outlineOf(s); got != tt.want {
				t.Errorf("got\n%s\nwant\n%s", got, tt.want)
			}
			if notes := strings.Join(s.Notes, "\n"); !strings.Contains(notes, tt.notes) || strings.Contains(notes, ": "+tt.path+": ") {
				t.Errorf("notes\n%s\nwant\n%s", notes, tt.notes)
			}
			if len(s.Checksum) != 64 {
				t.Errorf("checksum %q", s.Checksum)
			}
		})
	}
}

// counted returns an edge list of n edges with the weights 0 to n-1.
func counted(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "%d %d %d\n", i, i+1, i)
	}
	return b.String()
}

// ids returns the node ids of counted.
func ids(n int) string {
	var b strings.Builder
	for i := range n + 1 {
		fmt.Fprint(&b, i, " ")
	}
	return b.String()
}

func TestGraphFileErrors(t *testing.T) {
	for _, tt := range []struct {
		name, file, text string
		o                tables.Options
		want             string
	}{
		{"GML", "g.gml", "graph [\n  node [ id 0 ]\n]\n", tables.Options{}, "g.gml: is a GML file, which is not read; convert it: python -c"},
		{"Pajek", "g.net", "*Vertices 2\n1 \"a\"\n2 \"b\"\n*Arcs\n1 2 1\n", tables.Options{}, "g.net: is a Pajek file, which is not read; convert it: python -c"},
		{"another source", "m.txt", snapText, tables.Options{Source: "from"}, `--source is "from", but m.txt is of format edge-list, whose columns of ids are source and target of edges`},
		{"two lists of nodes", "g.graphml", graphMLText, tables.Options{Nodes: tables.Files{"n.csv"}}, `--nodes is "n.csv", but g.graphml lists its nodes itself`},
		{"no edges", "g.graphml", `<graphml><graph edgedefault="directed"><node id="a"/></graph></graphml>`, tables.Options{}, "g.graphml: has no edges"},
		{"an end that is no node", "g.gexf", strings.Replace(gexfText, `target="n2"`, `target="n9"`, 1), tables.Options{}, "n9"},
		{"too large", "m.txt", snapText, tables.Options{MaxMemory: 600}, "memory"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			path := filepath.Join(saved(t, tt.file, tt.text), tt.file)
			if !tables.Recognise(path) {
				t.Error("is not recognised")
			}
			if _, err := tables.Open(path, tt.o); err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("error %v, want %q", err, tt.want)
			}
		})
	}
}

// An encoder fitted on a graph file reads another format by column names, and gives an edge the
// same features.
func TestGraphFileReread(t *testing.T) {
	dir := saved(t, "g.graphml", graphMLText, "edges.csv", "source,target,weight\na,b,1.5\nb,c,\n", "nodes.csv", "id,age\na,30\nb,\nc,5\n",
		"x.txt", "# source target weight\na b 1.5\nb c 7\n")
	s, err := tables.Open(filepath.Join(dir, "g.graphml"), tables.Options{})
	if err != nil {
		t.Fatal(err)
	}
	e, err := s.Fit([]int{0, 1})
	if err != nil {
		t.Fatal(err)
	}
	whole, err := s.Whole(e, tables.InputOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		path, format string
		same         bool
	}{{dir, tables.Format, true}, {filepath.Join(dir, "g.graphml"), "graphml", true}, {filepath.Join(dir, "x.txt"), "edge-list", false}} {
		if got := tables.FormatOf(tt.path, "graphml"); got != tt.format {
			t.Errorf("%s is read as %s, want %s", filepath.Base(tt.path), got, tt.format)
		}
		e.Options.Form = data.Undirected
		other, err := e.Open(tt.path)
		if err != nil {
			t.Fatal(err)
		}
		in, err := other.Whole(e, tables.InputOptions{})
		if err != nil {
			t.Fatal(err)
		}
		if same := slices.Equal(in.Graph.Edge.Dense, whole.Graph.Edge.Dense) && slices.Equal(in.Graph.Node.Dense, whole.Graph.Node.Dense); same != tt.same {
			t.Errorf("%s has the features %v, want %v", filepath.Base(tt.path), in.Graph.Edge.Dense, whole.Graph.Edge.Dense)
		}
	}
	if got := tables.FormatOf(filepath.Join(dir, "absent"), "triples"); got != "triples" {
		t.Errorf("a path that says nothing is read as %s", got)
	}
}

// New triples may lack a relation, or be too few to recognise the column of relations.
func TestFewTriples(t *testing.T) {
	last := "ann\tbob\tlikes\nbob\teve\tknows\neve\tann\tlikes\n"
	for _, tt := range []struct{ name, training, file, text, want string }{
		{"the relation between", triplesText, "q.txt", "Rome\tin\tItaly\n", "[Rome Italy] [borders in]"},
		{"the relation last", last, "q.txt", "ann\tbob\tlikes\n", "[ann bob] [knows likes]"},
		{"called as a table", last, "q.tsv", "ann\tbob\tlikes\n", "[ann bob] [knows likes]"},
		{"no relation", triplesText, "q.txt", "Rome\tItaly\n", "[Rome Italy] none"},
		{"a table", triplesText, "q.csv", "source,target,relation\nRome,Italy,in\n", "[Rome Italy] [borders in]"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			dir := saved(t, "facts.txt", tt.training, tt.file, tt.text)
			s, err := tables.Open(filepath.Join(dir, "facts.txt"), tables.Options{})
			if err != nil {
				t.Fatal(err)
			}
			e, err := s.Fit([]int{0, 1, 2})
			if err != nil {
				t.Fatal(err)
			}
			path := filepath.Join(dir, tt.file)
			e.Options.Format = tables.FormatOf(path, "triples")
			fresh, err := e.Open(path)
			if err != nil {
				t.Fatal(err)
			}
			got := fmt.Sprint(fresh.NodeIDs) + " none"
			if fresh.Label != nil {
				got = fmt.Sprint(fresh.NodeIDs, " ", fresh.Label.Text)
			}
			if got != tt.want {
				t.Errorf("got %s, want %s", got, tt.want)
			}
		})
	}
}

// Edge lists, triples and matrices are outlined and scanned as streams.
func TestGraphFileStreams(t *testing.T) {
	dir := saved(t, "mail.txt", snapText, "facts.tsv", triplesText, "a.mtx", matrixText, "g.gexf", gexfText)
	for _, tt := range []struct {
		file   string
		edges  int64
		labels bool
		want   string // last row
		err    string
	}{
		{file: "mail.txt", edges: 3, want: "1 4"},
		{file: "facts.tsv", edges: 3, labels: true, want: "Paris France"},
		{file: "a.mtx", edges: 2, want: "3 1"},
		{file: "g.gexf", err: "g.gexf: is of format gexf, which is not read row by row: expected a table of edges"},
	} {
		t.Run(tt.file, func(t *testing.T) {
			path := filepath.Join(dir, tt.file)
			if out := (tables.Options{}).Outline(path); out.Edges != tt.edges {
				t.Errorf("outline %+v, want %d edges", out, tt.edges)
			}
			s, err := tables.ScanEdges([]string{path}, tables.Options{})
			if tt.err != "" {
				if err == nil || !strings.Contains(err.Error(), tt.err) {
					t.Errorf("error %v, want %q", err, tt.err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			defer s.Close()
			last := ""
			for s.Next() == nil {
				from, to, err := s.Ends()
				if err != nil {
					t.Fatal(err)
				}
				last = from + " " + to
			}
			if labels, _, _ := s.Has(); last != tt.want || s.Row()+1 != tt.edges || labels != tt.labels {
				t.Errorf("the last of %d rows is %q, labels %v; want %q", s.Row()+1, last, labels, tt.want)
			}
		})
	}
}

// FuzzGraphFile reads damaged graph files. The result is an error or a consistent set.
func FuzzGraphFile(f *testing.F) {
	for k, text := range []string{snapText, votesText, triplesText, matrixText, graphMLText, gexfText} {
		f.Add(uint8(k), []byte(text))
	}
	names := []string{"m.txt", "m.csv", "m.tsv", "m.mtx", "m.graphml", "m.gexf"}
	dir := f.TempDir()
	f.Fuzz(func(t *testing.T, k uint8, text []byte) {
		path := filepath.Join(dir, names[int(k)%len(names)])
		if err := os.WriteFile(path, bytes.Clone(text), 0o600); err != nil {
			t.Fatal(err)
		}
		defer os.Remove(path)
		s, err := tables.Open(path, tables.Options{MaxMemory: 1 << 20})
		if err != nil {
			return
		}
		for _, v := range s.Ends {
			if int(v) >= len(s.NodeIDs) {
				t.Fatalf("edge at node %d of %d", v, len(s.NodeIDs))
			}
		}
		for _, c := range slices.Concat(s.EdgeColumns, s.EdgeKeys) {
			if n := cmp.Or(len(c.Value), len(c.Code)); n != s.NumEdges() {
				t.Fatalf("column %s has %d rows of %d", c.Name, n, s.NumEdges())
			}
		}
	})
}
