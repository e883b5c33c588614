package tables_test

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/ehgnn/ehgnn/data"
	"github.com/ehgnn/ehgnn/data/tables"
	"github.com/ehgnn/ehgnn/internal/report"
)

const nodesCSV = `id,kind,age
alice,person,30
bob,person,
shop,"company, limited",4
`

// Two payments from alice to bob, one in the other direction, one loop, one without a label.
const edgesCSV = `id,source,target,amount,channel,label,time
1,alice,bob,10,card,ok,2024-01-01
2,alice,bob,20,wire,fraud,2024-01-02
3,bob,alice,10,card,ok,2024-01-03
4,shop,shop,,card,ok,2024-01-04
5,alice,shop,5,cash,,2024-01-05
`

// folderOf returns a folder of text files.
func folderOf(files ...string) fstest.MapFS {
	fs := fstest.MapFS{}
	for i := 0; i < len(files); i += 2 {
		fs[files[i]] = &fstest.MapFile{Data: []byte(files[i+1])}
	}
	return fs
}

func read(t *testing.T, o tables.Options, files ...string) *tables.Set {
	t.Helper()
	s, err := tables.Read(folderOf(files...), "toy", o)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func column(t *testing.T, columns []*tables.Column, name string) *tables.Column {
	t.Helper()
	i := slices.IndexFunc(columns, func(c *tables.Column) bool { return c.Name == name })
	if i < 0 {
		t.Fatalf("no column %q", name)
	}
	return columns[i]
}

func TestRead(t *testing.T) {
	s := read(t, tables.Options{}, "nodes.csv", nodesCSV, "edges.csv", edgesCSV)
	if want := []string{"alice", "bob", "shop"}; !slices.Equal(s.NodeIDs, want) {
		t.Errorf("nodes %q, want %q", s.NodeIDs, want)
	}
	// Parallel edges stay separate edges.
	if want := []int32{0, 1, 0, 1, 1, 0, 2, 2, 0, 2}; !slices.Equal(s.Ends, want) {
		t.Errorf("ends %v, want %v", s.Ends, want)
	}
	if !s.Directed {
		t.Error("undirected, want directed: not every edge has a mirror")
	}
	if len(s.EdgeColumns) != 2 || len(s.NodeColumns) != 2 {
		t.Fatalf("%d edge and %d node columns, want 2 and 2: id, label, time and ends are none", len(s.EdgeColumns), len(s.NodeColumns))
	}
	amount := column(t, s.EdgeColumns, "amount")
	if !amount.Numeric() || amount.Value[1] != 20 || !math.IsNaN(amount.Value[3]) {
		t.Errorf("amount %v", amount.Value)
	}
	if kind := column(t, s.NodeColumns, "kind"); kind.Numeric() || kind.Text[kind.Code[2]] != "company, limited" {
		t.Errorf("kind %v %q", kind.Code, kind.Text)
	}
	if want := []int32{0, 1, 0, 0, -1}; !slices.Equal(s.Label.Code, want) {
		t.Errorf("labels %v, want %v", s.Label.Code, want)
	}
	if s.Time[1]-s.Time[0] != 24*3600 {
		t.Errorf("times %v, want a day apart", s.Time)
	}
	if id := s.Tables()[1].Columns[0]; id.Name != "id" || id.Role != tables.RoleKey || id.LeftOut != "numbers the edges" || id.Flag != "--feature id" {
		t.Errorf("the column that numbers the edges is %+v", id)
	}
}

func TestReadWithoutNodes(t *testing.T) {
	s := read(t, tables.Options{}, "edges.csv", "from\tto\tw\nb\ta\t1\n007\t7\t2\n")
	if want := []string{"b", "a", "007", "7"}; !slices.Equal(s.NodeIDs, want) {
		t.Errorf("nodes %q, want %q", s.NodeIDs, want)
	}
	if s.Label != nil || s.Time != nil || s.Group != nil {
		t.Error("a label, times or groups from nowhere")
	}
}

func TestMirrors(t *testing.T) {
	const both = "source,target,w,label\na,b,1,x\nb,a,1,x\na,b,1,x\nb,a,1,x\nc,a,2,y\na,c,2,y\nc,c,3,x\n"
	for _, c := range []struct {
		name, text string
		form       data.Edges
		directed   bool
		edges      int
	}{
		{"both directions", both, data.Auto, false, 4}, // a-b occurs twice
		{"demanded directed", both, data.Directed, true, 7},
		{"another feature", strings.Replace(both, "a,c,2", "a,c,9", 1), data.Auto, true, 7},
		{"another label", strings.Replace(both, "a,c,2,y", "a,c,2,x", 1), data.Auto, true, 7},
		{"one is missing", strings.Replace(both, "a,c,2,y\n", "", 1), data.Auto, true, 6},
		{"one is missing, demanded", strings.Replace(both, "a,c,2,y\n", "", 1), data.Undirected, false, 6},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := read(t, tables.Options{Form: c.form}, "edges.csv", c.text)
			if s.Directed != c.directed || s.NumEdges() != c.edges {
				t.Errorf("directed %v with %d edges, want %v with %d", s.Directed, s.NumEdges(), c.directed, c.edges)
			}
		})
	}
}

func TestRoles(t *testing.T) {
	s := read(t, tables.Options{Label: "Risk", Group: "bank", Number: true, Categories: []string{"code"}, Ignore: []string{"memo"}},
		"edges.csv", "src,dst,target,risk,bank,code,memo\na,b,1,0.5,x,7,hello\nb,c,2,,y,8,bye\n")
	if s.Label == nil || s.Label.Name != "risk" || !s.Label.Numeric() {
		t.Fatalf("label %+v, want the numbers of risk", s.Label)
	}
	if len(s.EdgeColumns) != 2 || column(t, s.EdgeColumns, "code").Numeric() || !column(t, s.EdgeColumns, "target").Numeric() {
		t.Errorf("features are not the numbers of target and the categories of code")
	}
	if want := []int32{0, 1}; !slices.Equal(s.Group, want) {
		t.Errorf("groups %v, want %v", s.Group, want)
	}
	// If other columns are the ends, target is the label.
	s = read(t, tables.Options{}, "edges.csv", "src,dst,target\na,b,yes\n")
	if s.Label == nil || s.Label.Name != "target" {
		t.Errorf("label %+v, want target", s.Label)
	}
	if s = read(t, tables.Options{Label: tables.None}, "edges.csv", "src,dst,label\na,b,yes\n"); s.Label != nil || len(s.EdgeColumns) != 1 {
		t.Error("a label although none was asked for")
	}
	// Names are compared word by word. Joined words are recognised as ends if no other columns are.
	for columns, ends := range map[string]string{"SRCIP,dstip,Is Fraud?,Created-At": "SRCIP dstip", "FROMNODEID,TONODEID,isFraud,createdAt": "FROMNODEID TONODEID",
		"srcip,dstip,fraud,date_time,from,to": "from to", "toip,fromip,IS_LAUNDERING,Date": "fromip toip"} {
		cells := "a,b,yes,2024-01-01" + strings.Repeat(",c", strings.Count(columns, ",")-3)
		s := read(t, tables.Options{}, "edges.csv", columns+"\n"+cells+"\n")
		if got := s.Options.Source + " " + s.Options.Target; got != ends || s.Label == nil || s.Time == nil {
			t.Errorf("%s: ends %s, label %v, times %v", columns, got, s.Label, s.Time)
		}
	}
}

func TestErrors(t *testing.T) {
	for _, c := range []struct {
		name, nodes, edges string
		o                  tables.Options
		want               string
	}{
		{"unknown node", nodesCSV, "source,target\nalice,carol\n", tables.Options{}, `edges.csv:2: column "target" is "carol", which is not a node of nodes.csv`},
		{"empty id", "", "source,target\na,b\na,\n", tables.Options{}, `edges.csv:3: column "target" is empty, expected an id`},
		{"two nodes of a name", "id\na\na\n", "source,target\na,a\n", tables.Options{}, `nodes.csv:3: column "id" is "a", which is the id of an earlier line`},
		{"number of values", "", "source,target\na,b\na,b,c\n", tables.Options{}, `edges.csv:3: number of values`},
		{"quote", "", "source,target\na,b\na,\"b\n", tables.Options{}, `edges.csv:`},
		{"infinite", "", "source,target,w\na,b,1\na,b,inf\n", tables.Options{}, `edges.csv:3: column "w" is "inf", expected a finite number`},
		{"number", "", "source,target,label\na,b,1\nb,c,\nc,d,x\n", tables.Options{Number: true}, `edges.csv:4: column "label" is "x", expected a number`},
		{"time", "", "source,target,time\na,b,noon\n", tables.Options{}, `edges.csv:2: column "time" is "noon", expected a number or a time`},
		{"no ends below a title", "", "Report\na,b\n1,2\n", tables.Options{}, `the columns are a, b; line 1 before the header was skipped as a comment, a title or a blank line`},
		{"export of Neo4j", "", "_id,_labels,age,_start,_end,_type,fraud\n0,:User,42,,,,\n,,,0,0,KNOWS,yes\n", tables.Options{}, `a table with nodes and edges, as Neo4j exports it (apoc.export.csv), is divided by: python -c "import pandas; t = pandas.read_csv('edges.csv', dtype=str); `},
		{"export of Cytoscape", "", "SUID,interaction,name,selected,shared interaction,shared name\n1,pp,a (pp) b,false,pp,a (pp) b\n", tables.Options{}, `an edge table of Cytoscape, with both ends in one column, is converted by: python -c "`},
		{"no ends", "", "source,weight\na,1\n", tables.Options{}, `edges.csv:1: no two columns have names of edge ends`},
		{"adjacency matrix", "", ",a,b,c,d\na,0,1,0,1\n", tables.Options{}, `an adjacency matrix is converted by: python -c "import pandas; pandas.read_csv('edges.csv'`},
		{"no such column", "", "source,target\na,b\n", tables.Options{Label: "fraud"}, `edges.csv:1: there is no column "fraud", found source, target`},
		{"mistyped column", "", "source,target,label\na,b,1\n", tables.Options{Label: "lable"}, `there is no column "lable", found source, target, label; did you mean "label"?`},
		{"several labels", "", "source,target,x,y\na,b,1,2\n", tables.Options{Label: "x, y"}, `edges.csv:1: a model predicts one of the columns x, y: several labels`},
		{"a label twice", "", "source,target,x,y\na,b,1,2\n", tables.Options{Label: "x,y,X"}, `edges.csv:1: column "X" is twice among the labels`},
		{"several labels of nodes", "id,x,y\na,1,2\nb,2,3\n", "source,target\na,b\n", tables.Options{Label: "x,y"}, `nodes.csv:1: a model predicts one of the columns x, y: several labels`},
		{"mistyped one of several labels", "", "source,target,price,days\na,b,1,2\n", tables.Options{Label: "price,day"}, `there is no column "day", found source, target, price, days; did you mean "days"?`},
		{"no such feature", "", "source,target\na,b\n", tables.Options{Categories: []string{"kind"}}, `there is no column "kind"`},
		{"two roles", "", "source,target\na,b\n", tables.Options{Label: "source", Time: "source"}, `column "source" has two roles`},
		{"no rows", "", "source,target,label\n\n", tables.Options{}, `edges.csv: has a header and no rows`},
		{"no rows of nodes", "id\n", "source,target\na,b\n", tables.Options{}, `nodes.csv: has a header and no rows`},
		{"empty", "", "", tables.Options{}, `edges.csv: is empty`},
		{"too large", "", "source,target\n" + strings.Repeat("a,b\n", 100), tables.Options{MaxMemory: 100}, `edges.csv: cannot be read: too large: the text has more bytes than the bound of 100 B on memory allows; raise it with --max-memory`},
		{"word among numbers", "", "source,target,w\na,b,\na,b,oops\n" + strings.Repeat("a,b,1.5\n", 9), tables.Options{}, `edges.csv:3: column "w" is "oops", expected a number, as 9 of 10 values are: leave it empty`},
		{"word among very many numbers", "", "source,target,w\n" + manyNumbers() + "a,b,oops\n", tables.Options{}, `edges.csv:70002: column "w" is "oops", expected a number, as 70000 of 70001 values are`},
		{"word before very many numbers", "", "source,target,w\na,b,oops\n" + manyNumbers(), tables.Options{}, `edges.csv:2: column "w" is "oops", expected a number, as 65536 of 65537 values are`},
		{"graph in one", "id,graph\na,1\n", "source,target\na,a\n", tables.Options{}, `a column that --graph names is in one of nodes.csv and edges.csv only`},
	} {
		t.Run(c.name, func(t *testing.T) {
			files := []string{"edges.csv", c.edges}
			if c.nodes != "" {
				files = append(files, "nodes.csv", c.nodes)
			}
			_, err := tables.Read(folderOf(files...), "toy", c.o)
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("error %v, want one with %q", err, c.want)
			}
		})
	}
	_, err := tables.Read(folderOf("x.csv", ""), "toy", tables.Options{})
	if !errors.Is(err, data.ErrUnknownFormat) {
		t.Errorf("error %v, want ErrUnknownFormat", err)
	}
}

// TestWordsAndNumbers: a column of categories may contain numbers.
func TestWordsAndNumbers(t *testing.T) {
	edges := "source,target,w\na,b,oops\n" + strings.Repeat("a,b,1.5\n", 9)
	for _, c := range []struct {
		edges string
		o     tables.Options
	}{{edges, tables.Options{Categories: []string{"w"}}}, {edges + "a,b,other\n", tables.Options{}}, {strings.ReplaceAll(edges, "oops", "NA"), tables.Options{}}} {
		read(t, c.o, "edges.csv", c.edges)
	}
}

// manyNumbers has more different numbers than a column may have categories.
func manyNumbers() string {
	var b strings.Builder
	for i := range 70000 {
		b.WriteString("a,b," + strconv.Itoa(i) + "\n")
	}
	return b.String()
}

// TestForms: the same tables as CSV, compressed with gzip, in a zip and as Parquet.
func TestForms(t *testing.T) {
	want := read(t, tables.Options{}, "nodes.csv", nodesCSV, "edges.csv", edgesCSV)
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	if _, err := z.Write([]byte(edgesCSV)); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	gz := read(t, tables.Options{}, "nodes.csv", nodesCSV, "edges.csv.gz", packed.String())
	if gz.Checksum != want.Checksum || !slices.Equal(gz.Ends, want.Ends) {
		t.Error("gzipped tables differ")
	}

	dir := t.TempDir()
	zipped := func(name string, files map[string]string) string {
		var b bytes.Buffer
		zw := zip.NewWriter(&b)
		for name, text := range files {
			w, err := zw.Create(name)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := w.Write([]byte(text)); err != nil {
				t.Fatal(err)
			}
		}
		archive := filepath.Join(dir, name)
		if err := errors.Join(zw.Close(), os.WriteFile(archive, b.Bytes(), 0o600)); err != nil {
			t.Fatal(err)
		}
		return archive
	}
	archive := zipped("toy.zip", map[string]string{"toy/nodes.csv": nodesCSV, "toy/edges.csv": edgesCSV})
	if !tables.Recognise(archive) || tables.Recognise(dir) {
		t.Error("a zip of tables is not recognised, or a folder without is")
	}
	if s, err := tables.Open(archive, tables.Options{}); err != nil || s.Checksum != want.Checksum || s.Name != "toy" {
		t.Errorf("zip: %v", err)
	}
	only := zipped("payments.csv.zip", map[string]string{"payments.csv": edgesCSV, "__MACOSX/._payments.csv": "\x00", "read me.txt": "of a bank"})
	if s, err := tables.Open(only, tables.Options{}); err != nil || !tables.Recognise(only) || s.Name != "payments" || !slices.Equal(s.Ends, want.Ends) {
		t.Errorf("zip with one table: %v", err)
	}
	more := "account,balance\n1,5\n2,7\n4,1\n7,0\n"
	payments := "sender,receiver,label\n1,2,x\n2,4.0,y\n1,4,x\n2,1,y\n"
	for _, x := range []struct {
		name  string
		files map[string]string
		o     tables.Options
		want  string // the number of nodes and their columns, or an error
	}{
		{"accounts and payments", map[string]string{"payments.csv": payments, "accounts.csv": more}, tables.Options{}, "payments: 4 nodes, balance"},
		{"ends that are named", map[string]string{"payments.csv": strings.Replace(payments, "sender,receiver", "p,q", 1), "accounts.csv": more}, tables.Options{Source: "p", Target: "q"}, "payments: 4 nodes, balance"},
		{"usual names of ids", map[string]string{"x/payments.csv": edgesCSV, "x/accounts.csv": nodesCSV}, tables.Options{}, "payments: 3 nodes, kind age"},
		{"ids not all there", map[string]string{"payments.csv": payments, "accounts.csv": "account,balance\n1,5\n2,7\n"}, tables.Options{},
			"it has the tables accounts.csv, payments.csv: if one or two list nodes, name them in --nodes; else unpack it and name the table of edges"},
		{"two tables of edges", map[string]string{"feb.csv": payments, "jan.csv": payments}, tables.Options{}, "it has the tables feb.csv, jan.csv"},
		{"the nodes are named", map[string]string{"payments.csv": payments, "accounts.csv": more}, tables.Options{Nodes: tables.Files{"accounts.csv"}, NodeID: "account"}, "payments: 4 nodes, balance"},
		{"damaged", map[string]string{"payments.csv": payments, "accounts.csv": "account,balance\n1,5,5\n"}, tables.Options{}, "accounts.csv:2: number of values is 3"},
		{"three tables", map[string]string{"a.csv": payments, "b.csv": payments, "c.csv": payments}, tables.Options{}, "it has the tables a.csv, b.csv, c.csv"},
		{"two tables of nodes are named", map[string]string{"ratings.csv": "userId,movieId,label\n1,1,x\n2,1,y\n", "users.csv": "userId,age\n1,5\n2,6\n", "movies.csv": "id,year\n1,7\n"},
			tables.Options{Nodes: tables.Files{"users.csv", "movies.csv"}}, "ratings: 3 nodes, age year"},
		{"four tables", map[string]string{"a.csv": payments, "b.csv": payments, "c.csv": payments, "d.csv": payments}, tables.Options{}, "no table of edges in it"},
	} {
		path := zipped("two.zip", x.files)
		if tables.Recognise(path) != (len(x.files) < 4) {
			t.Errorf("%s: is not recognised", x.name)
		}
		got := ""
		if s, err := tables.Open(path, x.o); err != nil {
			got = err.Error()
		} else {
			got = fmt.Sprintf("%s: %d nodes,", s.Name, len(s.NodeIDs))
			for _, c := range s.NodeColumns {
				got += " " + c.Name
			}
			if e, err := s.Fit([]int{0, 1}); err != nil {
				t.Error(err)
			} else if again, err := e.Open(path); len(x.o.Nodes) == 0 && (err != nil || !slices.Equal(again.NodeIDs, s.NodeIDs)) {
				t.Errorf("%s: read for a run: %v", x.name, err)
			}
		}
		if !strings.Contains(got, x.want) {
			t.Errorf("%s: %s, want %s", x.name, got, x.want)
		}
	}

	var tgz bytes.Buffer
	z = gzip.NewWriter(&tgz)
	tw := tar.NewWriter(z)
	for name, text := range map[string]string{"toy/nodes.csv": nodesCSV, "toy/edges.csv": edgesCSV} {
		if err := tw.WriteHeader(&tar.Header{Name: name, Size: int64(len(text))}); err != nil {
			t.Fatal(err)
		}
		if _, err := tw.Write([]byte(text)); err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(tw.Close(), z.Close(), os.WriteFile(filepath.Join(dir, "tarred.tar.gz"), tgz.Bytes(), 0o600)); err != nil {
		t.Fatal(err)
	}
	if s, err := tables.Open(filepath.Join(dir, "tarred.tar.gz"), tables.Options{}); err != nil || s.Checksum != want.Checksum || s.Name != "tarred" {
		t.Errorf("tar: %v", err)
	}
	if !tables.Recognise(filepath.Join(dir, "tarred.tar.gz")) {
		t.Error("a tar of tables is not recognised")
	}

	table := &report.Table{Columns: []report.Column{
		report.Strings("source", []string{"a", "b", "a"}), report.Ints("target", []int{1, 2, 1}),
		report.Floats("amount", []float32{0.1, float32(math.NaN()), 3}), report.Strings("label", []string{"x", "", "y"}),
		report.Vectors("v", []float32{1, 2, 3, 4, 5, 6}, 2)}}
	file := filepath.Join(dir, "edges.parquet")
	if err := report.WriteTable(file, table); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{file, dir} {
		if !tables.Recognise(name) {
			t.Errorf("%s is not recognised", filepath.Base(name))
		}
		s, err := tables.Open(name, tables.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if want := []int32{0, 1, 2, 3, 0, 1}; !slices.Equal(s.Ends, want) {
			t.Errorf("ends %v, want %v", s.Ends, want)
		}
		amount := column(t, s.EdgeColumns, "amount")
		if math.Abs(amount.Value[0]-0.1) > 1e-15 || !math.IsNaN(amount.Value[1]) {
			t.Errorf("amount %v", amount.Value)
		}
		if v := column(t, s.EdgeColumns, "v_1"); !slices.Equal(v.Value, []float64{2, 4, 6}) {
			t.Errorf("second of each vector %v", v.Value)
		}
		if want := []int32{0, -1, 1}; !slices.Equal(s.Label.Code, want) {
			t.Errorf("labels %v, want %v", s.Label.Code, want)
		}
	}
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for i := 4; i < len(text); i += 7 { // a damaged file gives an error
		broken := slices.Clone(text)
		broken[i] ^= 0xff
		tables.Read(fstest.MapFS{"edges.parquet": {Data: broken}}, "toy", tables.Options{MaxMemory: 1 << 20})
	}
}

// TestGraphs: ids are unique within a graph only, as in the tables of data convert.
func TestGraphs(t *testing.T) {
	s := read(t, tables.Options{}, "nodes.csv", "graph,node\n0,0\n0,1\n1,0\n1,1\n", "edges.csv", "graph,source,target,label\n0,0,1,3\n1,1,0,4\n")
	if want := []int32{0, 1, 3, 2}; !slices.Equal(s.Ends, want) {
		t.Errorf("ends %v, want %v", s.Ends, want)
	}
	if !slices.Equal(s.GraphIDs, []string{"0", "1"}) || !slices.Equal(s.GraphOf, []int32{0, 0, 1, 1}) || s.Level != tables.OfEdges {
		t.Errorf("graphs %q of nodes %v, labels of %s", s.GraphIDs, s.GraphOf, s.Level)
	}
	// Two nodes whose shown names are equal, with and without a table of nodes.
	for _, nodes := range []string{"", "graph,id\na,b/c\na/b,c\n"} {
		files := []string{"edges.csv", "graph,source,target\na,b/c,b/c\na/b,c,c\n"}
		if nodes != "" {
			files = append(files, "nodes.csv", nodes)
		}
		s := read(t, tables.Options{}, files...)
		if !slices.Equal(s.NodeIDs, []string{"a/b/c", "a/b/c"}) || !slices.Equal(s.Ends, []int32{0, 0, 1, 1}) || !slices.Equal(s.GraphOf, []int32{0, 1}) {
			t.Errorf("nodes %q, ends %v, graphs %v: two nodes became one", s.NodeIDs, s.Ends, s.GraphOf)
		}
	}
	if s := read(t, tables.Options{}, "edges.csv", edgesCSV); s.GraphIDs != nil || s.GraphOf != nil || s.NumGraphs() != 1 {
		t.Error("graphs of a table without a graph column")
	}
}

func FuzzRead(f *testing.F) {
	f.Add(nodesCSV, edgesCSV)
	f.Add("", "source,target\na,b\nb,a\n")
	f.Add("id;x\na;1\n", "\xef\xbb\xbfu;v;w;label;time;group\na;a;1e5;x;2024-01-01T00:00:00Z;g\n")
	f.Add("", "src\tdst\t\"q\"\"x\"\na\tb\t\n")
	f.Add("", "source,target,label\r\na,b,nan\r\nb,c,1e999\r\n")
	f.Fuzz(func(t *testing.T, nodes, edges string) {
		files := []string{"edges.csv", edges}
		if nodes != "" {
			files = append(files, "nodes.csv", nodes)
		}
		for _, o := range []tables.Options{{MaxMemory: 1 << 20}, {MaxMemory: 1 << 20, Number: true, Form: data.Undirected}} {
			s, err := tables.Read(folderOf(files...), "toy", o)
			if err != nil {
				continue
			}
			for _, v := range s.Ends {
				if int(v) >= len(s.NodeIDs) || v < 0 {
					t.Fatalf("end %d of %d nodes", v, len(s.NodeIDs))
				}
			}
			for _, by := range []string{tables.ByRandom, tables.ByTime, tables.ByGroup} {
				split, err := s.Split(tables.SplitOptions{By: by, Fractions: [3]float64{0.5, 0, 0.5}})
				if err != nil {
					continue
				}
				if len(split.Train)+len(split.Valid)+len(split.Test) != s.NumEdges() {
					t.Fatalf("split %s is not of all %d edges", by, s.NumEdges())
				}
				e, err := s.Fit(split.Train)
				if err != nil {
					continue // Fit refuses a column name with two kinds
				}
				if in, err := s.Input(e, split, tables.Train, tables.InputOptions{}); err != nil {
					t.Fatalf("input for training: %v", err)
				} else if in.Graph.NumEdges() != len(split.Train) {
					t.Fatalf("%d edges in training, want %d", in.Graph.NumEdges(), len(split.Train))
				}
			}
		}
	})
}

func writeFolder(t *testing.T, files ...string) string {
	t.Helper()
	dir := t.TempDir()
	for i := 0; i < len(files); i += 2 {
		if err := os.WriteFile(filepath.Join(dir, files[i]), []byte(files[i+1]), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// TestAlikeIDs: a remark names nodes whose ids are nearly equal.
func TestAlikeIDs(t *testing.T) {
	const more = " nodes have an id that differs from another id only in capital letters, leading zeros, blanks or an apostrophe in front, such as "
	for _, c := range []struct{ rows, want string }{
		{"a1,A1\nb,c\n", "1 of 4" + more + `"a1" and "A1": if these`},
		{"007,7\n8,x\n012,12\n", "2 of 6" + more + `"007" and "7": if these`},
		{"a1,a2\n0,00x\n000,0y\n", ""},
		{"7,8\n8,7\n", ""},
		{"a  b,a b\n'5,5\n", "2 of 4" + more + `"a  b" and "a b"`},
		{"a,b,caf\u00e9\nb,a,x\na,c,cafe\u0301\n", `the label has classes that look the same, such as "caf\u00e9" and "cafe\u0301"`},
		{"caf\u00e9,b\ncaf\u00c3\u00a9,b\n", `1 of 3 nodes have an id that looks like another id, such as "caf\u00e9" and "caf\u00c3\u00a9"`},
		{"caf\u00e9,b\ncafe\u0301,b\n", `1 of 3 nodes have an id that looks like another id, such as "caf\u00e9" and "cafe\u0301"`},
		{"a b,c\na\u00a0b,c\na\u200b b,c\na\ufeffc,c\n", `2 of 5 nodes have an id that looks like another id, such as "a\u00a0b" and "a\u200b b"`},
		{"12,\uff12\n\uff11\uff12,b\n", "1 of 4 nodes have an id that looks like"},
		{"-1,2\n3,4\n", `a node has the id "-1", a word for missing values`},
		{"0.5,1.25\n-3e-1,7\n", "3 of 4 nodes have a number with a fraction as id, such as 0.5"},
		{"1.1,1.2\na,b\n", ""},
		{"NaN,NaN\n", ""},
		{"cafe\u0301,b\nx,y\n", ""},
		{"a@x,b@x; c@x\na@x,b@x\nc@x,d@x; a@x; e@x\n", `1 of 5 nodes have an id that lists several, such as "b@x; c@x"`},
		{"a,b|c\na,c|b\n", `2 of 3 nodes have an id that lists several`},
		{"a,x;1\nb,y;2\n", ""},
		{"a,b\nTotal,b\n", `a node has the id "Total", like rows of totals`},
		{"a,b\nnan,b\n", `a node has the id "nan", a word for missing values`},
		{"a,b,Ja\nb,a,nein\na,c,ja\n", `the label has classes that differ only in capital letters, leading zeros, blanks or an apostrophe in front, such as "Ja" and "ja"`},
		{"a,b,1\nb,a,unknown\na,c,2\n", `the label has the class "unknown", a word for missing values: if it is one, --missing unknown reads`},
		{"a,b,-1\nb,a,1\n", ""},
		{"a,b,-1\nb,a,1\na,c,0\n", `the label has the class -1 in addition to 0 and 1: if it is a missing value, --missing -1 reads`},
		{"a,b,999\nb,a,1\na,c,0\nc,a,999\nc,d,999\n", `the label has 999 in 3 rows and otherwise numbers from 0 to 1`},
		{"a,b,u|v\nb,a,u\na,c,v\nc,a,v|w\nc,d,w|u\nd,a,w\n", `the label has several values in a cell, in the form of "|"`},
		{"a,b,True\nb,a,false\na,c,true\n", ""},
	} {
		head := "source,target,label\n"
		if strings.Count(c.rows, ",") == strings.Count(c.rows, "\n") {
			head = "source,target\n"
		}
		s := read(t, tables.Options{}, "edges.csv", head+c.rows)
		if got := strings.Join(s.Notes, "\n"); !strings.Contains(got, c.want) || c.want == "" && (strings.Contains(got, "capital letters") || strings.Contains(got, "looks like") || strings.Contains(got, "fraction") || strings.Contains(got, "lists several")) {
			t.Errorf("%q: notes %q, want %q", c.rows, got, c.want)
		}
	}
}

// A remark names a column that determines the class of every row.
func TestTelling(t *testing.T) {
	for name, c := range map[string]struct {
		value func(i int) string // value of row i, whose class is i%2
		told  bool
	}{
		"a copy":             {func(i int) string { return []string{"NO", "YES"}[i%2] }, true},
		"parts of a class":   {func(i int) string { return []string{"a", "b", "c", "d"}[i%4] }, true},
		"a number":           {func(i int) string { return fmt.Sprint(i%2*100 + i) }, true},
		"there for one":      {func(i int) string { return []string{"", "3"}[i%2] + strings.Repeat("1", i%2*(i%3)) }, true},
		"nearly all":         {func(i int) string { return []string{"NO", "YES"}[i%2*min(i, 1)*min(40-i-1, 1)] }, false},
		"numbers that cross": {func(i int) string { return fmt.Sprint(i%2*30 + i) }, false},
		"others":             {func(i int) string { return []string{"x", "y", "z"}[i%3] }, false},
	} {
		text := "source,target,v,label\n"
		for i := range 40 {
			text += fmt.Sprintf("%d,%d,%s,%s\n", i%7, i%5, c.value(i), []string{"ok", "fraud"}[i%2])
		}
		s := read(t, tables.Options{}, "edges.csv", text)
		const want = `column "v" determines the class of every row: if it is known only with the label, --ignore v leaves it out`
		if told := strings.Contains(strings.Join(s.Notes, "\n"), want); told != c.told {
			t.Errorf("%s: notes %q, want %v", name, s.Notes, c.told)
		}
	}
}

// Labels of the nodes of one end are compared with the columns of both tables of nodes.
func TestTellingOfTwoTables(t *testing.T) {
	edges, users, movies := "userId,movieId\n", "userId,age,label\n", "movieId,year\n"
	for i := range 20 {
		edges += fmt.Sprintf("%d,%d\n", i, 19-i)
		users += fmt.Sprintf("%d,%d,%s\n", i, 20+i, []string{"a", "b"}[i/10])
		movies += fmt.Sprintf("%d,%d\n", i, 1990+i)
	}
	for _, nodes := range []tables.Files{{"users.csv", "movies.csv"}, {"movies.csv", "users.csv"}} {
		s := read(t, tables.Options{Nodes: nodes, Level: tables.OfNodes, Label: "label"}, "edges.csv", edges, "users.csv", users, "movies.csv", movies)
		if notes := strings.Join(s.Notes, "\n"); !strings.Contains(notes, `column "age" determines the class`) {
			t.Errorf("%q: notes %q", nodes, notes)
		}
	}
}
