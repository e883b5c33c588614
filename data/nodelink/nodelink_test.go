package nodelink_test

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"testing/iotest"

	"github.com/ehgnn/ehgnn/data"
	"github.com/ehgnn/ehgnn/data/nodelink"
	"github.com/ehgnn/ehgnn/data/schema"
	"github.com/ehgnn/ehgnn/data/tables"
)

func read(t *testing.T, text string, o nodelink.Options) *tables.Set {
	t.Helper()
	s, err := nodelink.Read(strings.NewReader(text), "x.json", o)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func open(t *testing.T, name string, o nodelink.Options) *tables.Set {
	t.Helper()
	s, err := nodelink.Open(filepath.Join("testdata", name), o)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// columnText is a column as a test compares it.
func columnText(columns ...*tables.Column) string {
	var b strings.Builder
	for _, c := range columns {
		fmt.Fprintf(&b, "%s:", c.Name)
		for _, v := range c.Value {
			fmt.Fprintf(&b, " %v", v)
		}
		for _, k := range c.Code {
			if k < 0 {
				b.WriteString(" -")
			} else {
				fmt.Fprintf(&b, " %s", c.Text[k])
			}
		}
		b.WriteString("; ")
	}
	return b.String()
}

// TestAgainstTables: what NetworkX writes as node-link JSON is what it writes as tables.
func TestAgainstTables(t *testing.T) {
	for _, c := range []struct {
		name       string
		o          nodelink.Options
		tables     tables.Options
		idOf       func(string) string
		nodes, all int
	}{
		{"karate", nodelink.Options{Label: []string{tables.None}}, tables.Options{}, func(id string) string { return id }, 34, 78},
		{"grid", nodelink.Options{}, tables.Options{}, strings.NewReplacer("(", "[", ")", "]", ", ", ",").Replace, 6, 7},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := open(t, c.name+".json", c.o)
			c.tables.Nodes, c.tables.Edges, c.tables.Form = tables.Files{c.name + "_nodes.csv"}, c.name+"_edges.csv", data.Undirected
			want, err := tables.Read(os.DirFS("testdata"), c.name, c.tables)
			if err != nil {
				t.Fatal(err)
			}
			for i, id := range want.NodeIDs {
				want.NodeIDs[i] = c.idOf(id)
			}
			if len(got.NodeIDs) != c.nodes || got.NumEdges() != c.all {
				t.Errorf("%d nodes and %d edges, want %d and %d", len(got.NodeIDs), got.NumEdges(), c.nodes, c.all)
			}
			if !slices.Equal(got.NodeIDs, want.NodeIDs) || !slices.Equal(got.Ends, want.Ends) || got.Directed != want.Directed {
				t.Errorf("nodes %q, ends %v, want %q, %v", got.NodeIDs, got.Ends, want.NodeIDs, want.Ends)
			}
			if !reflect.DeepEqual(got.NodeColumns, want.NodeColumns) || !reflect.DeepEqual(got.EdgeColumns, want.EdgeColumns) || !reflect.DeepEqual(got.Label, want.Label) {
				t.Errorf("columns %s%s%v, want %s%s%v", columnText(got.NodeColumns...), columnText(got.EdgeColumns...), got.Label,
					columnText(want.NodeColumns...), columnText(want.EdgeColumns...), want.Label)
			}
			if got.GraphIDs != nil || got.GraphOf != nil || got.Name != c.name || got.Format != nodelink.Format || len(got.Checksum) != 64 {
				t.Errorf("graphs %q, name %q, format %q, checksum %q", got.GraphIDs, got.Name, got.Format, got.Checksum)
			}
		})
	}
}

// TestMultigraph: a directed multigraph with missing values, a list, an object and ids
// of two types, from two versions of NetworkX.
func TestMultigraph(t *testing.T) {
	for _, file := range []string{"multi.json", "multi_old.json"} {
		s := open(t, file, nodelink.Options{})
		if want := []string{"1", `"1"`, `"b"`}; !slices.Equal(s.NodeIDs, want) {
			t.Errorf("%s: nodes %q, want %q", file, s.NodeIDs, want)
		}
		if want := []int32{0, 1, 0, 1, 1, 2, 2, 2}; !slices.Equal(s.Ends, want) || !s.Directed {
			t.Errorf("%s: ends %v, directed %v, want %v", file, s.Ends, s.Directed, want)
		}
		if got, want := columnText(s.NodeColumns...), "kind: shop person -; age: NaN 30 4.5; active: - - true; at_0: NaN NaN 0.5; "; got != want {
			t.Errorf("%s: node columns %s, want %s", file, got, want)
		}
		if got, want := columnText(s.EdgeColumns...), "amount: 10 20 1.5 NaN; "; got != want {
			t.Errorf("%s: edge columns %s, want %s", file, got, want)
		}
		if got, want := columnText(s.Label), "label: ok fraud - ok; "; got != want || s.Level != tables.OfEdges {
			t.Errorf("%s: labels of %s %s, want %s", file, s.Level, got, want)
		}
		text, err := os.ReadFile(filepath.Join("testdata", file))
		if err != nil {
			t.Fatal(err)
		}
		// NaN is null also where a read ends inside it.
		slow, err := nodelink.Read(iotest.OneByteReader(bytes.NewReader(text)), file, nodelink.Options{})
		if err != nil || !sameSets(slow, s) || slow.Checksum != s.Checksum {
			t.Errorf("%s byte by byte: %v, %+v", file, err, slow)
		}
		want := []string{`attribute "where" of nodes is nested and is left out`, `attributes of graphs that are not used: "networkx"`}
		if !slices.Equal(s.Notes, want) {
			t.Errorf("%s: notes %q, want %q", file, s.Notes, want)
		}
	}
}

// Lists of texts, and of whole numbers whose lengths differ, are texts as tables have them, which are read as sets.
func TestLists(t *testing.T) {
	s, err := nodelink.Read(strings.NewReader(`{"nodes":[{"id":1,"a":["x",null,7],"b":[1,2],"c":[1,2]},{"id":2,"a":[]},{"id":3,"a":["y\"\\"],"b":[3.0],"c":[3,4.5]}],"edges":[]}`), "x.json", nodelink.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if got, want := columnText(s.NodeColumns...), `a: ["x",null,7] - ["y\"\\"]; b: [1,2] - [3]; c_0: 1 NaN 3; c_1: 2 NaN 4.5; `; got != want {
		t.Errorf("columns %s, want %s", got, want)
	}
}

// A list of texts is the same set as a|b in a table, also among lists of numbers and single texts.
func TestSets(t *testing.T) {
	for name, c := range map[string]struct{ document, table [5]string }{
		"lists of texts":          {[5]string{`["a","b"]`, `["b","c"]`, `["a","c"]`, `["c"]`, `["b","a"]`}, [5]string{"a|b", "b|c", "a|c", "c", "b|a"}},
		"a text alone":            {[5]string{`"c"`, `["a","b"]`, `["b","c"]`, `["a","c"]`, `"a"`}, [5]string{"c", "a|b", "b|c", "a|c", "a"}},
		"lists of numbers before": {[5]string{`[1,2]`, `[2,1]`, `["a",1]`, `["a"]`, `[2]`}, [5]string{"1|2", "2|1", "a|1", "a", "2"}},
		"missing items":           {[5]string{`["a",null,"b"]`, `["b","c"]`, `["a","c"]`, `[]`, `["c"]`}, [5]string{"a|b", "b|c", "a|c", "", "c"}},
		"quotes":                  {[5]string{`["a\"","b"]`, `["b","c"]`, `["a\"","c"]`, `null`, `["b"]`}, [5]string{`"a""|b"`, "b|c", `"a""|c"`, "", "b"}},
	} {
		t.Run(name, func(t *testing.T) {
			var nodes strings.Builder
			table := "id,tags\n"
			for k := range 5 {
				fmt.Fprintf(&nodes, `,{"id":%d,"tags":%s}`, k, c.document[k])
				table += fmt.Sprintf("%d,%s\n", k, c.table[k])
			}
			fields := func(s *tables.Set, err error) schema.Field {
				if err != nil {
					t.Fatal(err)
				}
				e, err := s.Fit([]int{0, 1, 2})
				if err != nil || len(e.Nodes) != 1 {
					t.Fatal(e, err)
				}
				return e.Nodes[0]
			}
			got := fields(nodelink.Read(strings.NewReader(`{"directed":true,"nodes":[`+nodes.String()[1:]+`],"edges":[{"source":0,"target":1},{"source":2,"target":3},{"source":3,"target":4}]}`), "x.json", nodelink.Options{}))
			want := fields(tables.Read(fstest.MapFS{"edges.csv": {Data: []byte("source,target\n0,1\n2,3\n3,4\n")}, "nodes.csv": {Data: []byte(table)}}, "x", tables.Options{}))
			want.Separator = schema.ListSeparator
			if !got.IsSet() || !reflect.DeepEqual(got, want) {
				t.Errorf("the field is %+v, in a table %+v", got, want)
			}
		})
	}
}

func TestCollections(t *testing.T) {
	one := open(t, "molecules.jsonl", nodelink.Options{})
	list := open(t, "molecules.json", nodelink.Options{})
	if one.Checksum == list.Checksum {
		t.Error("other text, the same checksum")
	}
	for _, s := range []*tables.Set{one, list} {
		if !slices.Equal(s.GraphIDs, []string{"0", "1", "2"}) || !slices.Equal(s.GraphOf, []int32{0, 0, 1, 1, 1, 2}) || s.NodeIDs[2] != "1/0" {
			t.Errorf("graphs %q of nodes %v, %q", s.GraphIDs, s.GraphOf, s.NodeIDs)
		}
		if got := columnText(s.Targets...); got != "label: toxic safe -; " || s.Level != tables.OfGraphs || s.Label != nil {
			t.Errorf("targets of %s %s", s.Level, got)
		}
	}
	s := open(t, "molecules.jsonl", nodelink.Options{Label: []string{"mass"}})
	if got := columnText(s.Targets...); got != "mass_0: 24.022 36.033 12.011; mass_1: 1 1.5 0.5; " {
		t.Errorf("targets %s", got)
	}
	e, err := s.FitGraphs([]int{0, 1})
	if err != nil {
		t.Fatal(err)
	}
	if o := nodelink.OptionsFor(e); !slices.Equal(o.Label, []string{"mass"}) || o.Level != tables.OfGraphs {
		t.Errorf("options %+v of the encoder", o)
	}
	gs, _, err := s.Graphs(e)
	if err != nil || len(gs) != 3 || gs[1].NumNodes != 3 || !slices.Equal(gs[1].Ends, []int32{0, 1, 1, 2}) || gs[2].Targets[1] != 0.5 {
		t.Errorf("%v: graphs %+v", err, gs)
	}
}

func TestNodes(t *testing.T) {
	s := open(t, "karate.json", nodelink.Options{Label: []string{"club"}})
	e, err := s.FitNodes([]int{0, 33})
	if err != nil {
		t.Fatal(err)
	}
	in, err := s.WholeNodes(e)
	if err != nil {
		t.Fatal(err)
	}
	// Mr. Hi and the officer, whose club is called Officer, lead 17 members each.
	count := map[int32]int{}
	for _, c := range in.Graph.NodeLabel {
		count[c]++
	}
	if !slices.Equal(e.Classes, []string{"Mr. Hi", "Officer"}) || count[0] != 17 || count[1] != 17 || s.Level != tables.OfNodes {
		t.Errorf("classes %q of %v nodes, level %s", e.Classes, count, s.Level)
	}
	if o := nodelink.OptionsFor(e); o.Level != tables.OfNodes || !slices.Equal(o.Label, []string{"club"}) {
		t.Errorf("options %+v of the encoder", o)
	}
}

// TestPredict: documents one by one, without labels, encoded as those of the training.
func TestPredict(t *testing.T) {
	s := open(t, "molecules.jsonl", nodelink.Options{})
	e, err := s.FitGraphs([]int{0, 1})
	if err != nil {
		t.Fatal(err)
	}
	text, err := json.Marshal(e)
	if err != nil {
		t.Fatal(err)
	}
	var kept tables.Encoder
	if err := json.Unmarshal(text, &kept); err != nil {
		t.Fatal(err)
	}
	const lines = `{"nodes": [{"id": "a", "element": "N"}, {"id": "b", "element": "C"}], "links": [{"source": "b", "target": "a"}]}
{"nodes": [], "edges": []}
`
	var got []string
	for d, err := range nodelink.Documents(strings.NewReader(lines), "stdin", nodelink.OptionsFor(&kept)) {
		if err != nil {
			t.Fatal(err)
		}
		set, err := nodelink.Join("stdin", []*nodelink.Document{d}, nodelink.OptionsFor(&kept))
		if err != nil {
			t.Fatal(err)
		}
		gs, unseen, err := set.Graphs(&kept)
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, fmt.Sprint(d.Line, len(gs), gs[0].NumNodes, gs[0].Node.Code, gs[0].Edge.Dense, gs[0].Label, unseen))
	}
	want := []string{"1 1 2 [-1 0] [0] -1 [column \"element\" of 1 nodes has a category that training has not seen, which is taken for none; the first is \"N\"]", "2 1 0 [] [] -1 []"}
	if !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

const pair = `"nodes":[{"id":1,"a":%s},{"id":2,"a":%s}],"edges":[{"source":1,"target":2,"w":%s}]`

func TestOptions(t *testing.T) {
	text := `{"graph":{"y":0.5,"z":3,"label":"g"},` + fmt.Sprintf(pair, `"u"`, "7", "1.0") + `}`
	mixed := nodelink.Options{Categories: []string{"a"}}
	for _, c := range []struct {
		name    string
		change  func(o *nodelink.Options)
		level   tables.Level
		label   string
		options string // what an encoder keeps
	}{
		{"convention", func(*nodelink.Options) {}, tables.OfGraphs, "label: g; ", "label"},
		{"number of the graph", func(o *nodelink.Options) { o.Label, o.Number = []string{"y"}, true }, tables.OfGraphs, "y: 0.5; ", "y"},
		{"class of a number", func(o *nodelink.Options) { o.Label = []string{"z"} }, tables.OfGraphs, "z: 3; ", "z"},
		{"several", func(o *nodelink.Options) { o.Label = []string{"z", "y"} }, tables.OfGraphs, "z: 3; y: 0.5; ", ""},
		{"of edges", func(o *nodelink.Options) { o.Label = []string{"w"} }, tables.OfEdges, "w: 1; ", "w"},
		{"of nodes", func(o *nodelink.Options) { o.Label = []string{"a"} }, tables.OfNodes, "a: u 7; ", "a"},
		{"level", func(o *nodelink.Options) { o.Level = tables.OfNodes }, tables.OfNodes, "", "-"},
		{"none", func(o *nodelink.Options) { o.Label = []string{tables.None} }, tables.OfEdges, "", "-"},
	} {
		t.Run(c.name, func(t *testing.T) {
			o := mixed
			c.change(&o)
			s := read(t, text, o)
			got := columnText(s.Targets...)
			if s.Label != nil {
				got += columnText(s.Label)
			}
			if s.Level != c.level || got != c.label || s.Options.Label != c.options {
				t.Errorf("label of %s %q, kept as %q, want of %s %q, kept as %q", s.Level, got, s.Options.Label, c.level, c.label, c.options)
			}
		})
	}
	s := read(t, text, nodelink.Options{Ignore: []string{"a"}, Form: data.Directed})
	if len(s.NodeColumns) != 0 || !s.Directed || !slices.ContainsFunc(s.Notes, func(n string) bool { return strings.Contains(n, "read with directed true") }) {
		t.Errorf("columns %v, directed %v, notes %q", s.NodeColumns, s.Directed, s.Notes)
	}
}

func TestIDs(t *testing.T) {
	// Equal numbers are one node, however they are written; lists are tuples.
	s := read(t, `{"nodes":[{"id":1},{"id":[1,"a"]},{"id":"1.0"},{"id":2.5}],"edges":[{"source":1.0,"target":[1e0,"a"]},{"source":"1.0","target":25e-1}]}`, nodelink.Options{})
	if !slices.Equal(s.Ends, []int32{0, 1, 2, 3}) || !slices.Equal(s.NodeIDs, []string{"1", `[1,"a"]`, `"1.0"`, "2.5"}) {
		t.Errorf("ends %v of nodes %q", s.Ends, s.NodeIDs)
	}
	// Nodes without ids are called by their places, those of each document by their own.
	s = read(t, `[{"links":[{"source":1,"target":0}],"nodes":[{"name":"a"},{"name":"b"}]},{"nodes":[{},{}],"links":[{"source":0,"target":1}]}]`, nodelink.Options{Level: tables.OfGraphs})
	if !slices.Equal(s.Ends, []int32{1, 0, 2, 3}) || !slices.Equal(s.NodeIDs, []string{"0/0", "0/1", "1/0", "1/1"}) {
		t.Errorf("ends %v of nodes %q without ids", s.Ends, s.NodeIDs)
	}
	// Edges may come first.
	s = read(t, `{"links":[{"source":"b","target":"a"}],"nodes":[{"id":"a"},{"id":"b"}],"name":"x"}`, nodelink.Options{Level: tables.OfGraphs})
	if !slices.Equal(s.Ends, []int32{1, 0}) || !slices.Equal(s.GraphIDs, []string{"x"}) || s.NodeIDs[0] != "x/a" {
		t.Errorf("ends %v of nodes %q in %q", s.Ends, s.NodeIDs, s.GraphIDs)
	}
}

func TestErrors(t *testing.T) {
	document := func(a, b, w string) string { return "{" + fmt.Sprintf(pair, a, b, w) + "}" }
	deep := strings.Repeat("[", 100000)
	wide := `{"nodes":[{"id":0` + strings.Repeat(`,"%d":1`, 200) + "}" + strings.Repeat(`,{"id":%d}`, 200) + `],"edges":[]}`
	var numbers []any
	for i := range 400 {
		numbers = append(numbers, i+1)
	}
	wide = fmt.Sprintf(wide, numbers...)
	for _, c := range []struct {
		name, text string
		o          nodelink.Options
		want       string
	}{
		{"empty", " \n", nodelink.Options{}, "x.json:1: has no document"},
		{"empty list", "[]", nodelink.Options{}, "x.json:1: has no document"},
		{"no object", "\n3", nodelink.Options{}, `x.json:2: expected a document {"nodes": ..., "edges": ...}, found 3`},
		{"no JSON", "{nodes}", nodelink.Options{}, "x.json:1: document 1: is not JSON: "},
		{"cut off", `{"nodes":[{"id":1}`, nodelink.Options{}, "document 1, node 2: the text ends within a document"},
		{"no edges", `{"nodes":[]}`, nodelink.Options{}, `document 1: expected the lists "nodes" and "edges" (or "links")`},
		{"both", `{"nodes":[],"edges":[],"links":[]}`, nodelink.Options{}, `document 1: has both "edges" and "links"`},
		{"nodes twice", `{"nodes":[],"nodes":[],"links":[]}`, nodelink.Options{}, `document 1: has "nodes" twice`},
		{"directed", `{"directed":"no"}`, nodelink.Options{}, `document 1: directed is "no", expected true or false`},
		{"nodes", `{"nodes":{}}`, nodelink.Options{}, "document 1: nodes is an object, expected a list"},
		{"node", "{\"nodes\":[{\"id\":1},\n7]}", nodelink.Options{}, "x.json:2: document 1, node 2: node is 7, expected an object"},
		{"graph", `{"graph":[]}`, nodelink.Options{}, "document 1: graph is a list, expected an object"},
		{"no id", `{"nodes":[{"id":1},{"a":1}]}`, nodelink.Options{}, "document 1, node 2: has no id"},
		{"one id", `{"nodes":[{"a":1},{"id":1}]}`, nodelink.Options{}, "document 1, node 2: has an id, but the nodes before it have none"},
		{"names without ids", `{"nodes":[{"name":"a"}],"links":[{"source":"a","target":0}]}`, nodelink.Options{}, `document 1, edge 1: source is "a", which is not a node of the document: its nodes have no ids, so edges name nodes by their positions, from 0`},
		{"null id", `{"nodes":[{"id":null}]}`, nodelink.Options{}, "document 1, node 1: id is null, expected a string, a number or a list of these"},
		{"id of objects", `{"nodes":[{"id":[{}]}]}`, nodelink.Options{}, "document 1, node 1: id has an object in a list"},
		{"id twice", "{\"nodes\":[{\"id\":1},\n{\"id\":1.0}]}", nodelink.Options{}, "x.json:2: document 1, node 2: id is 1, which is the id of node 1"},
		{"unknown end", "{\"nodes\":[{\"id\":1}],\n\"edges\":[{\"source\":1,\n\"target\":\"1\"}]}", nodelink.Options{}, `x.json:3: document 1, edge 1: target is "1", which is not a node of the document`},
		{"no end", `{"nodes":[],"edges":[{"source":1}]}`, nodelink.Options{}, "document 1, edge 1: expected a source and a target"},
		{"end twice", `{"nodes":[],"edges":[{"source":1,"source":1}]}`, nodelink.Options{}, `document 1, edge 1: has "source" twice`},
		{"attribute twice", `{"nodes":[{"id":1,"a":1,"a":2}],"edges":[]}`, nodelink.Options{}, `document 1, node 1: attribute "a" appears twice`},
		{"lengths", document("[1,2.5]", "[1]", "1"), nodelink.Options{}, `document 1, node 2: attribute "a" is a list of 1 numbers, expected 2`},
		{"texts and numbers", document("[1,2.5]", `["x"]`, "1"), nodelink.Options{}, `document 1, node 2: attribute "a" is a list of texts, and a list of numbers that are not whole before`},
		{"too large a number", document("1", "2", "1e39"), nodelink.Options{}, `document 1, edge 1: attribute "w" is "1e39", expected a number of at most 3.4e+38`},
		{"far too large a number", document("1", "2", "[1e999]"), nodelink.Options{}, "the number 1e999 is too large"},
		{"name of a column twice", `{"nodes":[{"id":1,"a":[1],"a_0":2}],"edges":[]}`, nodelink.Options{}, `nodes have two columns "a_0"`},
		{"directedness", "{\"nodes\":[],\"edges\":[]}\n{\"directed\":true,\"nodes\":[],\"edges\":[]}", nodelink.Options{}, "x.json:2: document 2: directed is true, expected false as in the documents before"},
		{"depth", `{"nodes":[],"edges":[],"x":` + deep, nodelink.Options{}, "document 1: values are nested deeper than 64"},
		{"depth of an id", `{"nodes":[{"id":` + deep, nodelink.Options{}, "document 1, node 1: values are nested deeper than 64"},
		{"size", document("1", "2", "3"), nodelink.Options{MaxMemory: 10}, "the text has more bytes than the bound of 10 B on memory allows; raise it with --max-memory"},
		{"cells", wide, nodelink.Options{MaxMemory: 1 << 20}, "missing values of columns take more than the bound of 1 MiB on memory allows"},
		{"behind a list", "[{\"nodes\":[],\"edges\":[]}] {}", nodelink.Options{}, "has more text after the array of documents"},
		{"no label", document("1", "2", "3"), nodelink.Options{Label: []string{"q"}}, `no attribute "q" of graphs, edges, nodes was found`},
		{"one of two labels", `{"q":1,` + fmt.Sprintf(pair, "1", "2", "3") + "}", nodelink.Options{Label: []string{"q", "r"}}, `graphs have no attribute "r", but "q"`},
		{"several labels of nodes", document("1", "2", "3"), nodelink.Options{Label: []string{"a", "a"}}, "expected one label of each node: several labels"},
		{"texts as a label", document("1", "2", `["a","b"]`), nodelink.Options{Label: []string{"w"}}, `attribute "w" is a list, expected one label of each edge`},
		{"a list of labels", document("1", "2", "[3]"), nodelink.Options{Label: []string{"w"}}, `attribute "w" is a list, expected one label of each edge`},
		{"text as a number", document("1", "2", `"many"`), nodelink.Options{Label: []string{"w"}, Number: true}, `attribute "w" is "many", expected a number`},
		{"no attribute", document("1", "2", "3"), nodelink.Options{Ignore: []string{"q"}}, `there is no attribute "q"`},
		{"level", "", nodelink.Options{Level: "edges"}, `nodelink: the level is "edges"`},
		{"form", "", nodelink.Options{Form: 7}, "nodelink: the form is 7"},
		{"bytes", "", nodelink.Options{MaxMemory: -1}, "nodelink: --max-memory is -1"},
	} {
		t.Run(c.name, func(t *testing.T) {
			s, err := nodelink.Read(strings.NewReader(c.text), "x.json", c.o)
			if err == nil || s != nil || !strings.Contains(err.Error(), c.want) || !strings.HasPrefix(err.Error(), "nodelink: ") {
				t.Fatalf("error %v, want one with %q", err, c.want)
			}
			var p *data.ParseError
			if c.text != "" && !errors.As(err, &p) {
				t.Errorf("error %v is no ParseError", err)
			}
			if c.name == "size" || c.name == "cells" {
				if !errors.Is(err, data.ErrTooLarge) {
					t.Errorf("error %v does not wrap ErrTooLarge", err)
				}
			}
		})
	}
}

// TestBound: values that the text does not have are bounded as well.
func TestBound(t *testing.T) {
	ids := make([]any, 20)
	for i := range ids {
		ids[i] = i + 1
	}
	sparse := fmt.Sprintf(`{"edges":[],"nodes":[{"id":0,"v":[0`+strings.Repeat(",1", 999)+`]}`+strings.Repeat(`,{"id":%d}`, 20)+"]}", ids...)
	if _, err := nodelink.Read(strings.NewReader(sparse), "x.json", nodelink.Options{MaxMemory: 1 << 18}); !errors.Is(err, data.ErrTooLarge) {
		t.Errorf("20,000 missing values of a list: error %v", err)
	}
	dense := fmt.Sprintf(`{"edges":[],"nodes":[{"id":0,"a":1,"b":2}`+strings.Repeat(`,{"id":%d,"a":1,"b":2}`, 20)+"]}", ids...)
	if _, err := nodelink.Read(strings.NewReader(dense), "x.json", nodelink.Options{MaxMemory: 1 << 16}); err != nil {
		t.Error(err)
	}
}

// TestDocumentsStream: the bound is one of each document, and documents follow an error.
func TestDocumentsStream(t *testing.T) {
	line := `{"nodes":[{"id":1}],"edges":[]}` + "\n"
	n := 0
	for d, err := range nodelink.Documents(strings.NewReader(strings.Repeat(line, 5000)+"{\n}"+line), "x", nodelink.Options{MaxMemory: 1 << 16}) {
		n++
		switch {
		case n <= 5000 && (err != nil || d.Number != n || d.Line != n):
			t.Fatalf("document %d: %v, %+v", n, err, d)
		case n == 5001 && (err == nil || !strings.Contains(err.Error(), "x:5002: document 5001: expected the lists")):
			t.Errorf("error %v", err)
		case n == 5002 && (err != nil || d.Number != n || d.Line != 5002):
			t.Errorf("document %d: %v, %+v", n, err, d)
		}
	}
	if n != 5002 {
		t.Errorf("%d documents, want 5002", n)
	}
	for range nodelink.Documents(strings.NewReader(line+line), "x", nodelink.Options{}) {
		break
	}
}

func TestForms(t *testing.T) {
	dir := t.TempDir()
	text, err := os.ReadFile(filepath.Join("testdata", "molecules.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	if _, err := z.Write(text); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	long := `{"nodes":[{"id":0}` + strings.Repeat(`,{"id":"`+strings.Repeat("x", 1000)+`"}`, 2000) + `]}`
	for name, c := range map[string]struct {
		text string
		want bool
	}{
		"a.jsonl": {string(text), true}, "a.jsonl.gz": {packed.String(), true}, "list.json": {" [ {\"links\":[],\"nodes\":[]}]", true},
		"other.json": {`{"nodes":[],"settings":{"edges":[]}}`, true}, "number.json": {"3", false}, "edges.csv": {"source,target\n", false},
		"numbers.json": {`{"nodes":3,"edges":4}`, true}, "long.json": {long, true}, "none.json": {"", false},
		"records": {`[{"source":1}]`, false}, "lists.txt": {"[[1,2]]", true}, "list.jsonl": {"[1,2]", true}, "molecules.smi": {"[2H]C\n", false}, "isotope.smi": {"[13]", false},
		"wide.json": {wide(`{"nodes":[`), true}, "empty.json": {"{}", true}, "braces.txt": {"{}", false},
	} {
		file := filepath.Join(dir, name)
		if err := os.WriteFile(file, []byte(c.text), 0o644); err != nil {
			t.Fatal(err)
		}
		if got := nodelink.Recognise(file); got != c.want {
			t.Errorf("%s: recognised %v, want %v", name, got, c.want)
		}
	}
	if nodelink.Recognise(dir) || nodelink.Recognise(filepath.Join(dir, "absent")) {
		t.Error("a folder, or no file, is recognised")
	}
	a, err := nodelink.Open(filepath.Join(dir, "a.jsonl"), nodelink.Options{})
	if err != nil {
		t.Fatal(err)
	}
	b, err := nodelink.Open(filepath.Join(dir, "a.jsonl.gz"), nodelink.Options{})
	if err != nil || a.Checksum != b.Checksum || b.Name != "a" || !reflect.DeepEqual(a.Targets, b.Targets) {
		t.Errorf("%v: gzipped documents differ: %q, %q", err, b.Name, b.Checksum)
	}
	if _, err := nodelink.Open(filepath.Join(dir, "absent"), nodelink.Options{}); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("error %v", err)
	}
}

// jsonOf writes a set as documents.
func jsonOf(s *tables.Set) string {
	type object map[string]any
	values := func(o object, columns []*tables.Column, row int) object {
		for _, c := range columns {
			switch {
			case c.Numeric() && !math.IsNaN(c.Value[row]):
				o[c.Name] = c.Value[row]
			case !c.Numeric() && c.Code[row] >= 0:
				o[c.Name] = c.Text[c.Code[row]]
			default:
				o[c.Name] = nil
			}
		}
		return o
	}
	var b strings.Builder
	for k := range s.NumGraphs() {
		nodes, edges := []object{}, []object{}
		for v := range s.NodeIDs {
			if s.GraphOf == nil || int(s.GraphOf[v]) == k {
				nodes = append(nodes, values(object{"id": v}, s.NodeColumns, v))
			}
		}
		for e := range s.NumEdges() {
			if s.GraphOf == nil || int(s.GraphOf[s.Ends[2*e]]) == k {
				edges = append(edges, values(object{"source": s.Ends[2*e], "target": s.Ends[2*e+1]}, s.EdgeColumns, e))
			}
		}
		text, err := json.Marshal(object{"directed": s.Directed, "graph": values(object{}, s.Targets, k), "nodes": nodes, "edges": edges})
		if err != nil {
			panic(err)
		}
		b.Write(append(text, '\n'))
	}
	return b.String()
}

// byName sorts columns, whose order an object does not keep.
func byName(columns []*tables.Column) []*tables.Column {
	out := slices.Clone(columns)
	slices.SortFunc(out, func(a, b *tables.Column) int { return strings.Compare(a.Name, b.Name) })
	return out
}

func sameSets(a, b *tables.Set) bool {
	return slices.Equal(a.Ends, b.Ends) && a.Directed == b.Directed && slices.Equal(a.GraphOf, b.GraphOf) && len(a.NodeIDs) == len(b.NodeIDs) &&
		columnText(byName(a.NodeColumns)...) == columnText(byName(b.NodeColumns)...) &&
		columnText(byName(a.EdgeColumns)...) == columnText(byName(b.EdgeColumns)...) && columnText(a.Targets...) == columnText(b.Targets...)
}

func TestRoundTrip(t *testing.T) {
	for _, file := range []string{"karate.json", "molecules.jsonl"} {
		s := open(t, file, nodelink.Options{Level: tables.OfGraphs})
		if back := read(t, jsonOf(s), nodelink.Options{Level: tables.OfGraphs}); !sameSets(s, back) {
			t.Errorf("%s: changed on the way: %+v, %+v", file, s, back)
		}
	}
}

// FuzzRead reads any text: it is refused with an error that says where, or gives a set
// that holds together and can be written and read again.
func FuzzRead(f *testing.F) {
	for _, name := range []string{"molecules.jsonl", "molecules.json", "multi.json", "grid.json"} {
		text, err := os.ReadFile(filepath.Join("testdata", name))
		if err != nil {
			f.Fatal(err)
		}
		f.Add(string(text))
	}
	f.Add("{" + fmt.Sprintf(pair, `{"b":[{}]}`, "[NaN,1]", `"\"NaN\\"`) + `,"y":NaN}`)
	f.Add(`{"nodes":[{"id":1,"a":-Infinity},{"id":Infinity,"b":[Infinity]}],"edges":[],"y":Infinit}`)
	f.Add("\xef\xbb\xbf[{" + fmt.Sprintf(pair, "true", `""`, "-0.0") + `,"y":-1e-3,"name":"n"}]`)
	f.Fuzz(func(t *testing.T, text string) {
		for _, o := range []nodelink.Options{{Level: tables.OfGraphs}, {Form: data.Undirected}} {
			o.MaxMemory = 1 << 16
			s, err := nodelink.Read(strings.NewReader(text), "x.json", o)
			if err != nil {
				if p := (*data.ParseError)(nil); !errors.As(err, &p) || p.File != "x.json" {
					t.Fatalf("error %v without a place", err)
				}
				continue
			}
			for i, v := range s.Ends {
				if int(v) >= len(s.NodeIDs) || v < 0 || s.GraphOf != nil && s.GraphOf[v] != s.GraphOf[s.Ends[i^1]] {
					t.Fatalf("end %d of %d nodes", v, len(s.NodeIDs))
				}
			}
			for _, c := range slices.Concat(s.NodeColumns, s.EdgeColumns, s.Targets) {
				if c.Numeric() == (c.Code != nil) {
					t.Fatalf("column %q is of no kind", c.Name)
				}
			}
			if s.Level != tables.OfGraphs {
				continue
			}
			if e, err := s.FitGraphs([]int{0}); err == nil {
				if gs, _, err := s.Graphs(e); err == nil && len(gs) != s.NumGraphs() {
					t.Fatalf("%d graphs of %d", len(gs), s.NumGraphs())
				}
			}
		}
	})
}
