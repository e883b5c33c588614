package cli_test

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"log/slog"
	"math"
	"math/rand/v2"
	"mime/multipart"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/ehgnn/ehgnn"
	"github.com/ehgnn/ehgnn/cmd/ehgnn/serve"
	"github.com/ehgnn/ehgnn/data/tables"
	"github.com/ehgnn/ehgnn/graph"
	"github.com/ehgnn/ehgnn/internal/session"
)

// answered is what an interface gives for a table: the probabilities of a class, as they are written, and
// what it says of categories that training lacks; or why it refuses.
type answered struct {
	probabilities []string
	unseen        []string
	refused       bool
}

// interfaces are the ways into a run.
type interfaces struct {
	t       *testing.T
	dir     string // of tables that are written
	run     string
	model   *ehgnn.Model
	server  http.Handler
	columns []mannerColumn
}

// unseenText is what all interfaces say of categories that training lacks.
var unseenText = regexp.MustCompile(`column "(?:[^"\\]|\\.)*" of \d+ (?:edge|node)s has a category that training has not seen, which is taken for none; the first is "(?:[^"\\]|\\.)*"`)

// unseenIn are the remarks in a text of which messages are quoted.
func unseenIn(text string) (out []string) {
	for _, m := range regexp.MustCompile(`"(?:[^"\\]|\\.)*"`).FindAllString(text, -1) {
		if plain, err := strconv.Unquote(m); err == nil && unseenText.MatchString(plain) {
			out = append(out, unseenText.FindString(plain))
		}
	}
	return out
}

// file is predict of a file.
func (x *interfaces) file(name, text string) answered {
	writeFiles(x.t, x.dir, name, text)
	r := runOnInput(x.t, "", "predict", x.run, filepath.Join(x.dir, name))
	if r.code != 0 {
		return answered{refused: true}
	}
	return answered{probabilities: x.column(r.stdout), unseen: unseenIn(r.stderr)}
}

// column are the probabilities in CSV.
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

// document is a table as node-link JSON, with its nodes as they come, and own the same in the form of this
// program.
func (x *interfaces) document(rows [][]manner) (linked, own string) {
	var nodes, edges, pairs []string
	number := map[float64]int{}
	values := map[string][]string{}
	for _, row := range rows {
		var ends [2]int
		for k := range 2 {
			id := row[k].typed.(float64)
			if _, ok := number[id]; !ok {
				number[id] = len(nodes)
				nodes = append(nodes, `{"id":`+row[k].json+`}`)
			}
			ends[k] = number[id]
		}
		pairs = append(pairs, fmt.Sprintf("[%d,%d]", ends[0], ends[1]))
		edge := fmt.Sprintf(`{"source":%s,"target":%s`, row[0].json, row[1].json)
		for k := 2; k < len(row); k++ {
			edge += fmt.Sprintf(",%q:%s", x.columns[k].name, row[k].json)
			values[x.columns[k].name] = append(values[x.columns[k].name], row[k].json)
		}
		edges = append(edges, edge+"}")
	}
	linked = `{"directed":true,"nodes":[` + strings.Join(nodes, ",") + `],"edges":[` + strings.Join(edges, ",") + `]}`
	var attributes []string
	for _, c := range x.columns[2:] {
		attributes = append(attributes, fmt.Sprintf("%q:[%s]", c.name, strings.Join(values[c.name], ",")))
	}
	own = fmt.Sprintf(`{"num_nodes":%d,"edges":[%s],"edge":{%s}}`, len(nodes), strings.Join(pairs, ","), strings.Join(attributes, ","))
	return linked, own
}

// stream is predict of standard input.
func (x *interfaces) stream(text string) answered {
	r := runOnInput(x.t, text+"\n", "predict", x.run, "-")
	if r.code != 0 {
		return answered{refused: true}
	}
	var p ehgnn.Prediction
	document(x.t, r.stdout, &p)
	return answered{x.items(p), unseenIn(r.stderr), false}
}

// items are the probabilities of edges.
func (x *interfaces) items(p ehgnn.Prediction) (out []string) {
	k := slices.Index(x.model.Classes(), "ok")
	for _, e := range p.Edges {
		out = append(out, strconv.FormatFloat(e.Probabilities[k], 'g', -1, 32))
	}
	return out
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

// served is the answer of the server to graphs as JSON.
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

// form is the answer of the server to a table as a form; warnings are those of JSON.
func (x *interfaces) form(table string) answered {
	var b bytes.Buffer
	w := multipart.NewWriter(&b)
	to, err := w.CreateFormFile("edges", "edges")
	if err != nil {
		x.t.Fatal(err)
	}
	to.Write([]byte(table))
	w.Close()
	reply := x.post(b.String(), w.FormDataContentType(), "text/csv")
	if reply.Code != http.StatusOK {
		return answered{refused: true}
	}
	var got struct{ Predictions []struct{ Warnings []string } }
	if err := json.Unmarshal(x.post(b.String(), w.FormDataContentType(), "application/json").Body.Bytes(), &got); err != nil {
		x.t.Fatal(err)
	}
	return answered{x.column(reply.Body.String()), got.Predictions[0].Warnings, false}
}

// library predicts for slices of texts or, of numbers, of numbers.
func (x *interfaces) library(rows [][]manner, typed bool) answered {
	g := &ehgnn.Graph{Edge: ehgnn.Columns{}}
	number := map[float64]int32{}
	for _, row := range rows {
		for k := range 2 {
			id := row[k].typed.(float64)
			if _, ok := number[id]; !ok {
				number[id] = int32(len(number))
			}
			g.Ends = append(g.Ends, number[id])
		}
	}
	g.NumNodes = len(number)
	for k, c := range x.columns[2:] {
		texts, numbers := make(ehgnn.Strings, len(rows)), make(ehgnn.Numbers, len(rows))
		for i, row := range rows {
			texts[i] = row[k+2].text
			numbers[i], _ = row[k+2].typed.(float64)
			if row[k+2].typed == nil {
				numbers[i] = nan()
			}
		}
		if g.Edge[c.name] = texts; typed && (c.name == "amount" || c.name == "rate" || c.name == "code") {
			g.Edge[c.name] = numbers
		}
	}
	ps, err := x.model.Predict(x.t.Context(), g)
	if err != nil {
		return answered{refused: true}
	}
	out := answered{probabilities: x.items(ps[0])}
	for _, u := range ps[0].Unseen {
		out.unseen = append(out.unseen, u.String())
	}
	return out
}

func nan() float64 { return math.NaN() }

// scan compares the features of rows that are read one by one, as ehgnn-scale does, with those of a set.
func (x *interfaces) scan(file string) (unseen []string, refused bool) {
	r, err := session.LoadRun(x.run)
	if err != nil {
		x.t.Fatal(err)
	}
	e := r.Settings.Data.Tables.Encoder
	s, err := tables.ScanEdges([]string{filepath.Join(x.dir, file)}, e.Reading())
	if err != nil {
		x.t.Fatal(err)
	}
	defer s.Close()
	rows, err := s.Encoder(e)
	if err != nil {
		x.t.Fatal(err)
	}
	f := rows.Layout()
	var ends []string
	for s.Next() == nil {
		if err := rows.Append(&f); err != nil {
			return nil, true
		}
		from, to, err := s.Ends()
		if err != nil {
			x.t.Fatal(err)
		}
		ends = append(ends, from+">"+to)
	}
	set, err := e.Open(filepath.Join(x.dir, file))
	if err != nil {
		return nil, true
	}
	in, err := set.Whole(e, tables.InputOptions{})
	if err != nil {
		x.t.Fatal(err)
	}
	for i := range ends {
		if want := set.NodeIDs[set.Ends[2*i]] + ">" + set.NodeIDs[set.Ends[2*i+1]]; ends[i] != want {
			x.t.Errorf("%s: edge %d is %s in a scan, %s in a set", file, i, ends[i], want)
		}
	}
	if !reflect.DeepEqual(f, graph.Features{Dim: f.Dim, Dense: in.Graph.Edge.Dense, Codes: in.Graph.Edge.Codes, Code: in.Graph.Edge.Code}) {
		x.t.Errorf("%s: a scan has other features than a set", file)
	}
	for _, u := range rows.Unseen() {
		unseen = append(unseen, u.String())
	}
	return unseen, false
}

// all asks every interface and compares the answers with that of the table as text.
func (x *interfaces) all(name string, rows [][]manner) answered {
	x.t.Helper()
	text := csvOf(x.columns, rows, func(int) string { return "" }, "label")
	record := recordOf(x.t, x.columns, rows)
	linked, own := x.document(rows)
	want := x.file("new.csv", text)
	for other, got := range map[string]answered{
		"Parquet": x.file("new.parquet", parquetOf(x.t, record)), "Arrow": x.file("new.arrow", arrowOf(x.t, record)),
		"standard input": x.stream(linked), "node-link JSON to the server": x.served(linked), "JSON to the server": x.served(own),
		"a form": x.form(text), "a form with Parquet": x.form(parquetOf(x.t, record)), "a form with Arrow": x.form(arrowOf(x.t, record)),
		"texts in the library": x.library(rows, false), "numbers in the library": x.library(rows, true),
	} {
		if !reflect.DeepEqual(got, want) {
			x.t.Errorf("%s: %s gives %+v, the table as text %+v\n%s\n%s", name, other, got, want, text, linked)
		}
	}
	for _, file := range []string{"new.csv", "new.parquet", "new.arrow"} {
		if unseen, refused := x.scan(file); refused != want.refused || !slices.Equal(unseen, want.unseen) {
			x.t.Errorf("%s: a scan of %s says %q, refused %v, want %q, %v", name, file, unseen, refused, want.unseen, want.refused)
		}
	}
	return want
}

// One row has one answer, to the bit, and the same remarks, through every interface, and what one refuses all
// refuse.
func TestOneAnswer(t *testing.T) {
	const seed = 11
	r := rand.New(rand.NewPCG(seed, seed))
	x := &interfaces{t: t, dir: t.TempDir(), columns: mannerColumns()}
	x.run = filepath.Join(x.dir, "run")
	label := func(int) string { return pick(r, "ok", "fraud") }
	writeFiles(t, x.dir, "train.csv", csvOf(x.columns, drawRows(r, x.columns, 150, false), label, "label"))
	succeed(t, "train", filepath.Join(x.dir, "train.csv"), "--categories", "code", "--structure", "none", "--epochs", "1", "--hidden", "8", "--quiet", "--out", x.run)
	var err error
	if x.model, err = ehgnn.Open(t.Context(), x.run, ehgnn.Options{}); err != nil {
		t.Fatal(err)
	}
	limits := serve.Limits{Body: 1 << 20, Nodes: 1000, Edges: 1000}
	runs, err := serve.Load(t.Context(), []string{x.run}, serve.LoadOptions{Workers: 1, Limits: limits})
	if err != nil {
		t.Fatal(err)
	}
	s := serve.New(runs, serve.Options{Workers: 1, Queue: 4, Timeout: 30 * time.Second, Hosts: []string{"localhost"}, Log: slog.New(slog.DiscardHandler)})
	defer s.Close()
	x.server = s
	unseen := 0
	for k := range 8 {
		got := x.all(fmt.Sprint("table ", k), drawRows(r, x.columns, 12, true))
		if unseen += len(got.unseen); got.refused || len(got.probabilities) != 12 {
			t.Fatalf("table %d: %+v", k, got)
		}
	}
	if unseen < 8 {
		t.Errorf("%d remarks on categories, expected some in every table", unseen)
	}
	for name, wrong := range map[string]struct {
		column string
		value  manner
	}{
		"a number beyond all":   {"rate", manner{"1e39", 1e39, "1e39"}},
		"an infinity":           {"rate", manner{"inf", inf(), "Infinity"}},
		"a word for a number":   {"amount", manner{"much", nil, `"much"`}},
		"a boolean as a number": {"day", manner{"soon", nil, `"soon"`}},
	} {
		rows := drawRows(r, x.columns, 6, false)
		at := slices.IndexFunc(x.columns, func(c mannerColumn) bool { return c.name == wrong.column })
		rows[3][at] = wrong.value
		if wrong.value.typed == nil { // what no typed column holds
			text := csvOf(x.columns, rows, func(int) string { return "" }, "label")
			linked, own := x.document(rows)
			for i, got := range []answered{x.file("new.csv", text), x.stream(linked), x.served(linked), x.served(own), x.form(text), x.library(rows, false)} {
				if !got.refused {
					t.Errorf("%s: interface %d gives %+v", name, i, got)
				}
			}
			continue
		}
		if got := x.all(name, rows); !got.refused {
			t.Errorf("%s: %+v", name, got)
		}
	}
	if _, err := os.Stat(x.run); err != nil {
		t.Fatal(err)
	}
}

func inf() float64 { return math.Inf(1) }
