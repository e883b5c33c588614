package cli_test

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math"
	"math/rand/v2"
	"mime/multipart"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/ehgnn/ehgnn"
	"github.com/ehgnn/ehgnn/cmd/ehgnn/serve"
	"github.com/ehgnn/ehgnn/data/nodelink"
	"github.com/ehgnn/ehgnn/data/schema"
	"github.com/ehgnn/ehgnn/data/tables"
	"github.com/ehgnn/ehgnn/graph"
	"github.com/ehgnn/ehgnn/internal/lists"
	"github.com/ehgnn/ehgnn/internal/session"
)

// answered is the answer of an interface for a table: the probabilities of a class, as written, and the
// remarks on categories that training lacks, or the reason for a refusal.
type answered struct {
	probabilities []string
	unseen        []string
	refused       bool
}

// interfaces are all ways to use a run.
type interfaces struct {
	t            *testing.T
	dir          string // folder for the tables that are written
	run          string
	model        *ehgnn.Model
	server       http.Handler
	edges, nodes []mannerColumn
}

// graphRows are the rows of a table of edges and of a table of nodes.
type graphRows struct{ edges, nodes [][]manner }

// unseenText is the remark of all interfaces on categories that training lacks.
var unseenText = regexp.MustCompile(`column "(?:[^"\\]|\\.)*" of \d+ (?:edge|node)s has a category that training has not seen, which is taken for none; the first is "(?:[^"\\]|\\.)*"`)

// unseenIn finds the remarks in a text, in which they may be quoted.
func unseenIn(text string) (out []string) {
	for _, m := range regexp.MustCompile(`"(?:[^"\\]|\\.)*"`).FindAllString(text, -1) {
		if plain, err := strconv.Unquote(m); err == nil && unseenText.MatchString(plain) {
			out = append(out, unseenText.FindString(plain))
		}
	}
	return out
}

// file predicts for the tables in one kind of file.
func (x *interfaces) file(kind, edges, nodes string) answered {
	writeFiles(x.t, x.dir, "edges."+kind, edges, "nodes."+kind, nodes)
	r := runOnInput(x.t, "", "predict", x.run, filepath.Join(x.dir, "edges."+kind), "--nodes", "nodes."+kind)
	if r.code != 0 {
		return answered{refused: true}
	}
	return answered{probabilities: x.column(r.stdout), unseen: unseenIn(r.stderr)}
}

// column returns the probabilities in a CSV.
func (x *interfaces) column(text string) (out []string) {
	rows, err := csv.NewReader(strings.NewReader(text)).ReadAll()
	if err != nil {
		x.t.Fatalf("%v: %.300s", err, text)
	}
	k := slices.Index(rows[0], "probability_ok")
	for _, row := range rows[1:] {
		out = append(out, row[k])
	}
	return out
}

// numbered maps ids of nodes to their index.
func (g graphRows) numbered() map[float64]int {
	out := map[float64]int{}
	for i, row := range g.nodes {
		out[row[0].typed.(float64)] = i
	}
	return out
}

// ends returns the indices of the nodes at the edges.
func (g graphRows) ends() (out []int32) {
	at := g.numbered()
	for _, row := range g.edges {
		out = append(out, int32(at[row[0].typed.(float64)]), int32(at[row[1].typed.(float64)]))
	}
	return out
}

// members returns the values of columns by row, as object members, and by column, as lists.
func members(columns []mannerColumn, rows [][]manner, names int) (objects []string, lists string) {
	values := make([][]string, len(columns))
	for _, row := range rows {
		var of []string
		for k, c := range columns {
			of = append(of, fmt.Sprintf("%q:%s", c.name, row[k].json))
			values[k] = append(values[k], row[k].json)
		}
		objects = append(objects, "{"+strings.Join(of, ",")+"}")
	}
	var of []string
	for k, c := range columns[names:] {
		of = append(of, fmt.Sprintf("%q:[%s]", c.name, strings.Join(values[names+k], ",")))
	}
	return objects, "{" + strings.Join(of, ",") + "}"
}

// document returns a graph as node-link JSON. own returns it in the form of this program.
func (x *interfaces) document(g graphRows) (linked, own string) {
	edges, edge := members(x.edges, g.edges, 2)
	nodes, node := members(x.nodes, g.nodes, 1)
	linked = `{"directed":true,"nodes":[` + strings.Join(nodes, ",") + `],"edges":[` + strings.Join(edges, ",") + `]}`
	var pairs []string
	ends := g.ends()
	for e := range g.edges {
		pairs = append(pairs, fmt.Sprintf("[%d,%d]", ends[2*e], ends[2*e+1]))
	}
	return linked, fmt.Sprintf(`{"num_nodes":%d,"edges":[%s],"node":%s,"edge":%s}`, len(g.nodes), strings.Join(pairs, ","), node, edge)
}

// stream predicts for standard input.
func (x *interfaces) stream(text string) answered {
	r := runOnInput(x.t, text+"\n", "predict", x.run, "-")
	if r.code != 0 {
		return answered{refused: true}
	}
	var p ehgnn.Prediction
	document(x.t, r.stdout, &p)
	return answered{x.items(p), unseenIn(r.stderr), false}
}

// items returns the probabilities of edges.
func (x *interfaces) items(p ehgnn.Prediction) (out []string) {
	k := slices.Index(x.model.Classes(), "ok")
	for _, e := range p.Edges {
		out = append(out, strconv.FormatFloat(e.Probabilities[k], 'g', -1, 32))
	}
	return out
}

// serverOf returns a server for a run.
func serverOf(t *testing.T, run string) http.Handler {
	t.Helper()
	runs, err := serve.Load(t.Context(), []string{run}, serve.LoadOptions{Workers: 1, Limits: serve.Limits{Body: 1 << 20, Nodes: 1000, Edges: 1000}})
	if err != nil {
		t.Fatal(err)
	}
	s := serve.New(runs, serve.Options{Workers: 1, Queue: 4, Timeout: 30 * time.Second, Hosts: []string{"localhost"}, Log: slog.New(slog.DiscardHandler)})
	t.Cleanup(func() { s.Close() })
	return s
}

// post sends a body to the server.
func (x *interfaces) post(body, kind, accept string) *httptest.ResponseRecorder {
	q := httptest.NewRequest(http.MethodPost, "/v1/models/run/predict", strings.NewReader(body))
	q.Host = "localhost"
	q.Header.Set("Content-Type", kind)
	q.Header.Set("Accept", accept)
	w := httptest.NewRecorder()
	x.server.ServeHTTP(w, q)
	return w
}

// served returns the answer of the server to graphs as JSON.
func (x *interfaces) served(graph string) answered {
	w := x.post(`{"graphs":[`+graph+`]}`, "application/json", "application/json")
	if w.Code != http.StatusOK {
		return answered{refused: true}
	}
	var got struct {
		Predictions []struct {
			Edges    []struct{ Probabilities map[string]json.Number }
			Warnings []string
		}
	}
	if err := json.Unmarshal(w.Body.Bytes(), &got); err != nil {
		x.t.Fatal(err)
	}
	out := answered{unseen: got.Predictions[0].Warnings}
	for _, e := range got.Predictions[0].Edges {
		out.probabilities = append(out.probabilities, e.Probabilities["ok"].String())
	}
	return out
}

// formFile is a file of a form.
type formFile struct{ part, name, text string }

// formOf returns a form with files, and its content type.
func formOf(t *testing.T, files ...formFile) (body, kind string) {
	t.Helper()
	var b bytes.Buffer
	w := multipart.NewWriter(&b)
	for _, f := range files {
		to, err := w.CreateFormFile(f.part, f.name)
		if err != nil {
			t.Fatal(err)
		}
		to.Write([]byte(f.text))
	}
	w.Close()
	return b.String(), w.FormDataContentType()
}

// form returns the answer of the server to tables sent as a form.
func (x *interfaces) form(edges, nodes string) answered {
	body, kind := formOf(x.t, formFile{"edges", "edges", edges}, formFile{"nodes", "nodes", nodes})
	reply := x.post(body, kind, "text/csv")
	if reply.Code != http.StatusOK {
		return answered{refused: true}
	}
	var got struct{ Predictions []struct{ Warnings []string } }
	if err := json.Unmarshal(x.post(body, kind, "application/json").Body.Bytes(), &got); err != nil {
		x.t.Fatal(err)
	}
	return answered{x.column(reply.Body.String()), got.Predictions[0].Warnings, false}
}

// attributes returns the columns of rows for the library: texts, or numbers where the library needs them.
func attributes(columns []mannerColumn, rows [][]manner, names int, typed bool) ehgnn.Columns {
	out := ehgnn.Columns{}
	for k, c := range columns[names:] {
		texts, numbers := make(ehgnn.Strings, len(rows)), make(ehgnn.Numbers, len(rows))
		for i, row := range rows {
			texts[i] = row[names+k].text
			if numbers[i] = math.NaN(); row[names+k].typed != nil {
				numbers[i], _ = row[names+k].typed.(float64)
			}
		}
		if width := map[string]int{"place": 3, "bits": 2}[c.name]; width > 0 { // the library has a list as several columns
			for i := range width {
				at := make(ehgnn.Numbers, len(rows))
				for row := range rows {
					at[row] = math.NaN()
					if list, ok := rows[row][names+k].typed.([]any); ok && list[i] != nil {
						at[row] = reflect.ValueOf(list[i]).Convert(reflect.TypeFor[float64]()).Float()
					}
				}
				out[fmt.Sprint(c.name, "_", i)] = at
			}
			continue
		}
		if out[c.name] = texts; typed && c.kind == arrow.PrimitiveTypes.Float64 {
			out[c.name] = numbers
		}
	}
	return out
}

// library predicts for slices.
func (x *interfaces) library(g graphRows, typed bool) answered {
	ps, err := x.model.Predict(x.t.Context(), &ehgnn.Graph{NumNodes: len(g.nodes), Ends: g.ends(),
		Node: attributes(x.nodes, g.nodes, 1, typed), Edge: attributes(x.edges, g.edges, 2, typed)})
	if err != nil {
		return answered{refused: true}
	}
	out := answered{probabilities: x.items(ps[0])}
	for _, u := range ps[0].Unseen {
		out.unseen = append(out.unseen, u.String())
	}
	return out
}

// scan compares the features of rows that are read one by one, as in ehgnn-scale, with the features of a set.
func (x *interfaces) scan(kind string) (unseen []string, refused bool) {
	r, err := session.LoadRun(x.run)
	if err != nil {
		x.t.Fatal(err)
	}
	e := *r.Settings.Data.Tables.Encoder
	node, nodeUnseen, err := x.scanned(tables.ScanNodes, &e, "nodes."+kind)
	edge, edgeUnseen, wrong := x.scanned(tables.ScanEdges, &e, "edges."+kind)
	e.Options.Nodes = tables.Files{"nodes." + kind}
	set, read := e.Open(filepath.Join(x.dir, "edges."+kind))
	if err = errors.Join(err, wrong); err != nil || read != nil {
		if err == nil || read == nil {
			x.t.Errorf("%s: a scan says %v, a set %v", kind, err, read)
		}
		return nil, true
	}
	in, err := set.Whole(&e, tables.InputOptions{})
	if err != nil {
		x.t.Fatal(err)
	}
	if !reflect.DeepEqual(node, in.Graph.Node) || !reflect.DeepEqual(edge, in.Graph.Edge) {
		x.t.Errorf("%s: a scan has other features than a set", kind)
	}
	for _, u := range append(nodeUnseen, edgeUnseen...) {
		unseen = append(unseen, u.String())
	}
	return unseen, false
}

// scanned returns the features of the rows of a table.
func (x *interfaces) scanned(begin func([]string, tables.Options) (*tables.Scan, error), e *tables.Encoder, file string) (graph.Features, []tables.Unseen, error) {
	s, err := begin([]string{filepath.Join(x.dir, file)}, e.Reading())
	if err != nil {
		x.t.Fatal(err)
	}
	defer s.Close()
	rows, err := s.Encoder(e)
	if err != nil {
		x.t.Fatal(err)
	}
	f := rows.Layout()
	for {
		if err := s.Next(); errors.Is(err, io.EOF) {
			return f, rows.Unseen(), nil
		} else if err != nil {
			return f, nil, err
		}
		if err := rows.Append(&f); err != nil {
			return f, nil, err
		}
	}
}

// all asks every interface and compares the answers with those for the tables as text. Values that no
// typed column can hold are asked as text only.
func (x *interfaces) all(name string, g graphRows, typed bool) answered {
	x.t.Helper()
	edges, nodes := csvOf(x.edges, g.edges), csvOf(x.nodes, g.nodes)
	linked, own := x.document(g)
	want := x.file("csv", edges, nodes)
	edgeRecords, _ := members(x.edges, g.edges, 2)
	nodeRecords, _ := members(x.nodes, g.nodes, 1)
	got := map[string]answered{
		"records of JSON": x.file("jsonl", strings.Join(edgeRecords, "\n"), strings.Join(nodeRecords, "\n")),
		"standard input":  x.stream(linked), "node-link JSON to the server": x.served(linked), "JSON to the server": x.served(own),
		"a form": x.form(edges, nodes), "texts in the library": x.library(g, false),
	}
	kinds := []string{"csv", "jsonl"}
	if typed {
		kinds = append(kinds, "parquet", "arrow")
		edges, nodes := recordOf(x.t, x.edges, g.edges), recordOf(x.t, x.nodes, g.nodes)
		got["Parquet"] = x.file("parquet", parquetOf(x.t, edges), parquetOf(x.t, nodes))
		got["Arrow"] = x.file("arrow", arrowOf(x.t, edges), arrowOf(x.t, nodes))
		got["a form with Parquet"] = x.form(parquetOf(x.t, edges), parquetOf(x.t, nodes))
		got["a form with Arrow"] = x.form(arrowOf(x.t, edges), arrowOf(x.t, nodes))
		got["numbers in the library"] = x.library(g, true)
	}
	for other, got := range got {
		if !reflect.DeepEqual(got, want) {
			x.t.Errorf("%s: %s gives %+v, the tables as text %+v\n%s\n%s\n%s", name, other, got, want, edges, nodes, linked)
		}
	}
	for _, kind := range kinds {
		if unseen, refused := x.scan(kind); refused != want.refused || !slices.Equal(unseen, want.unseen) {
			x.t.Errorf("%s: a scan of %s says %q, refused %v, want %q, %v", name, kind, unseen, refused, want.unseen, want.refused)
		}
	}
	return want
}

// A row gets the same answer, to the bit, and the same remarks through every interface. If one interface
// refuses it, all do.
func TestOneAnswer(t *testing.T) {
	const seed = 11
	r := rand.New(rand.NewPCG(seed, seed))
	x := &interfaces{t: t, dir: t.TempDir(), edges: edgeColumns(), nodes: nodeColumns()}
	x.run = filepath.Join(x.dir, "run")
	draw := func(edges int, fresh bool) (g graphRows) {
		g.edges = drawRows(r, x.edges, edges, fresh)
		g.nodes = nodesAt(r, x.nodes, g.edges, fresh)
		return g
	}
	past := draw(150, false)
	labelled := slices.Clone(past.edges)
	for i := range labelled {
		labelled[i] = append(labelled[i], manner{text: pick(r, "ok", "fraud")})
	}
	writeFiles(t, x.dir, "train.csv", csvOf(append(edgeColumns(), mannerColumn{name: "label"}), labelled), "nodes.csv", csvOf(x.nodes, past.nodes))
	succeed(t, "train", filepath.Join(x.dir, "train.csv"), "--categories", "code", "--structure", "none", "--epochs", "1", "--hidden", "8", "--quiet", "--out", x.run)
	var err error
	if x.model, err = ehgnn.Open(t.Context(), x.run, ehgnn.Options{}); err != nil {
		t.Fatal(err)
	}
	for _, f := range slices.Concat(x.model.Schema().Nodes, x.model.Schema().Edges) {
		if by := map[string]string{"topics": schema.ListSeparator, "years": schema.ListSeparator, "tags": "|"}[f.Name]; f.Separator != by || by != "" && len(f.Values) != 4 {
			t.Errorf("column %q has %q as separator of %q, expected %q", f.Name, f.Separator, f.Values, by)
		}
	}
	x.server = serverOf(t, x.run)
	unseen := 0
	for k := range 8 {
		got := x.all(fmt.Sprint("table ", k), draw(12, true), true)
		if unseen += len(got.unseen); got.refused || len(got.probabilities) != 12 {
			t.Fatalf("table %d: %+v", k, got)
		}
	}
	if unseen < 8 {
		t.Errorf("%d remarks on categories, expected more than one a table", unseen)
	}
	for name, wrong := range map[string]struct {
		column string
		value  manner
	}{
		"a number beyond all":  {"rate", manner{"1e39", 1e39, "1e39"}},
		"an infinity":          {"rate", manner{"inf", math.Inf(1), "Infinity"}},
		"a word for a number":  {"amount", manner{"much", nil, `"much"`}},
		"an underscore":        {"rate", manner{"1_000", nil, `"1_000"`}},
		"hexadecimal":          {"rate", manner{"0x1f", nil, `"0x1f"`}},
		"another decimal mark": {"rate", manner{"1,5", nil, `"1,5"`}},
		"a word for a day":     {"day", manner{"soon", nil, `"soon"`}},
		"a day that is none":   {"day", manner{"2024-02-30", nil, `"2024-02-30"`}},
		"a boolean for a day":  {"day", manner{"true", nil, "true"}},
	} {
		g := draw(6, false)
		at := slices.IndexFunc(x.edges, func(c mannerColumn) bool { return c.name == wrong.column })
		g.edges[3][at] = wrong.value
		if got := x.all(name, g, wrong.value.typed != nil); !got.refused {
			t.Errorf("%s: %+v", name, got)
		}
	}
}

// Lists of numbers give the same columns in every kind of file.
func TestListsOfNumbers(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 5))
	columns := edgeColumns()
	columns = slices.DeleteFunc(append(columns, nodeColumns()...), func(c mannerColumn) bool {
		return !slices.Contains([]string{"source", "target", "place", "bits", "years"}, c.name)
	})
	rows := drawRows(r, columns, 60, false)
	objects, _ := members(columns, rows, 2)
	var nodes []string
	for k := range 9 {
		nodes = append(nodes, fmt.Sprintf(`{"id":%d}`, k))
	}
	record := recordOf(t, columns, rows)
	dir := t.TempDir()
	writeFiles(t, dir, "edges.csv", csvOf(columns, rows), "edges.jsonl", strings.Join(objects, "\n"), "edges.parquet", parquetOf(t, record),
		"edges.arrow", arrowOf(t, record), "graph.json", `{"directed":true,"nodes":[`+strings.Join(nodes, ",")+`],"edges":[`+strings.Join(objects, ",")+`]}`)
	var want []schema.Field
	for _, file := range []string{"edges.csv", "edges.jsonl", "edges.parquet", "edges.arrow", "graph.json"} {
		var s *tables.Set
		var err error
		if path := filepath.Join(dir, file); file == "graph.json" {
			s, err = nodelink.Open(path, nodelink.Options{})
		} else {
			s, err = tables.Open(path, tables.Options{Nodes: tables.NoFiles})
		}
		if err != nil {
			t.Fatal(err)
		}
		var fields []schema.Field
		for _, c := range s.EdgeColumns {
			f, _ := schema.Fit(c, lists.Range[int32](len(rows)))
			fields = append(fields, f)
		}
		slices.SortFunc(fields, func(a, b schema.Field) int { return strings.Compare(a.Name, b.Name) })
		if want == nil {
			want = fields
		}
		if !reflect.DeepEqual(fields, want) || len(want) != 6 {
			t.Errorf("%s has the columns %+v, the tables as text %+v", file, fields, want)
		}
	}
}
