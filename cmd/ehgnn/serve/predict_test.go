package serve

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/ehgnn/ehgnn"
	"github.com/ehgnn/ehgnn/internal/parquettest"
)

// want returns the prediction of the library for the triangle.
func want(t testing.TB, r *Run) ehgnn.Prediction {
	t.Helper()
	ps, err := r.Model().Predict(t.Context(), &ehgnn.Graph{NumNodes: 3, Ends: []int32{0, 1, 1, 2, 2, 0},
		Node: ehgnn.Columns{"label": ehgnn.Numbers{5, 6, 5}}, Edge: ehgnn.Columns{"label": ehgnn.Numbers{1, 2, 1}}})
	if err != nil {
		t.Fatal(err)
	}
	return ps[0]
}

type predictionReply struct {
	Model, Digest string
	Predictions   []struct {
		ID            string
		Class         string
		Probabilities map[string]float32
		Warnings      []string
	}
}

// The same graph in both forms, alone and with others, gets the bits of the library.
func TestPredict(t *testing.T) {
	runs := loadRuns(t, ordinary, ringsDir(t))
	s := started(t, runs, nil)
	p := want(t, runs[0])
	other := `{"num_nodes":1,"edges":[],"node":{"label":[5]},"edge":{"label":[]}}`
	for _, body := range []string{triangle, linked, strings.Replace(linked, `"edges"`, `"links"`, 1), other + "," + triangle, linked + "," + other} {
		reply := ask(t, s, asked{path: "/v1/models/rings/predict", body: `{"graphs":[` + body + `]}`})
		var r predictionReply
		if err := json.Unmarshal([]byte(reply.body), &r); err != nil || reply.status != http.StatusOK {
			t.Fatalf("%v: %+v", err, reply)
		}
		k := slices.IndexFunc(r.Predictions, func(x struct {
			ID            string
			Class         string
			Probabilities map[string]float32
			Warnings      []string
		}) bool {
			return x.ID == "a"
		})
		got := r.Predictions[k]
		if got.Class != p.Class || r.Model != "rings" || r.Digest != runs[0].now.Load().digest {
			t.Errorf("%+v, want class %s", r, p.Class)
		}
		for k, c := range runs[0].Model().Classes() {
			if got.Probabilities[c] != float32(p.Probabilities[k]) {
				t.Errorf("probability of %s is %v, want %v", c, got.Probabilities[c], p.Probabilities[k])
			}
		}
	}
}

// A graph that is larger than almost all training graphs is answered with a warning.
func TestWarnings(t *testing.T) {
	runs := loadRuns(t, ordinary, ringsDir(t))
	s := started(t, runs, nil)
	schema := &runs[0].now.Load().schema
	if schema.NumNodes.Q99 < 4 || schema.NumEdges.Q99 < 4 {
		t.Fatalf("schema %+v, want the quantiles of the rings", schema)
	}
	warnings := func() []string {
		t.Helper()
		var r predictionReply
		if reply := ask(t, s, asked{path: "/v1/models/rings/predict", body: graphs(triangle)}); json.Unmarshal([]byte(reply.body), &r) != nil || len(r.Predictions) != 1 {
			t.Fatalf("%+v", reply)
		}
		return r.Predictions[0].Warnings
	}
	if got := warnings(); got != nil {
		t.Errorf("%q for a small graph", got)
	}
	schema.NumNodes.Q99, schema.NumEdges.Q99 = 2, 3
	if got := warnings(); len(got) != 1 || got[0] != "3 nodes; 99 % of the graphs of the training had at most 2" {
		t.Errorf("%q", got)
	}
}

// Replies have the requested format.
func TestFormats(t *testing.T) {
	runs := loadRuns(t, ordinary, ringsDir(t))
	s := started(t, runs, nil)
	p := want(t, runs[0])
	q := asked{path: "/v1/models/rings/predict", body: `{"graphs":[` + triangle + `]}`}
	accept := func(media string) got {
		q.header = map[string]string{"Accept": media}
		return ask(t, s, q)
	}
	line := fmt.Sprintf("a,%s,%s,%s\n", p.Class, appendNumber(nil, p.Probabilities[0]), appendNumber(nil, p.Probabilities[1]))
	if r := accept("text/csv"); !strings.HasPrefix(r.body, "graph,prediction,probability_") || !strings.HasSuffix(r.body, "\n"+line) {
		t.Errorf("CSV: %+v, want %s", r, line)
	}
	if r := accept("application/json;q=0.5, application/x-ndjson"); !strings.HasPrefix(r.body, `{"id":"a","class":`) || r.header.Get("Content-Type") != "application/x-ndjson" {
		t.Errorf("NDJSON: %+v", r)
	}
	r := accept("application/vnd.apache.parquet")
	columns, rows := parquettest.Rows(t, []byte(r.body))
	if len(rows) != 1 || strings.Join(columns[:2], " ") != "graph prediction" || rows[0][0] != "a" || rows[0][1] != p.Class {
		t.Errorf("Parquet: %q of %q", rows, columns)
	}
	if r := accept("text/*;q=0.8, image/png"); !strings.HasPrefix(r.header.Get("Content-Type"), "text/csv") {
		t.Errorf("text/*: %+v", r)
	}
	if r := accept("image/png"); r.status != http.StatusNotAcceptable {
		t.Errorf("%+v", r)
	}
	q.header = map[string]string{"Content-Encoding": "gzip"}
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	io.WriteString(z, q.body)
	z.Close()
	q.body = b.String()
	if r := ask(t, s, q); r.status != http.StatusOK {
		t.Errorf("gzip: %+v", r)
	}
	q.body = q.body[:20]
	if r := ask(t, s, q); r.status != http.StatusBadRequest {
		t.Errorf("half of a gzip: %+v", r)
	}
	// Limits count unpacked bytes: a megabyte of blanks packs into about a kilobyte.
	small := loadRuns(t, Limits{Body: 1 << 16, Nodes: 100, Edges: 100}, ringsDir(t))
	b.Reset()
	z = gzip.NewWriter(&b)
	z.Write(bytes.Repeat([]byte(" "), 1<<20))
	z.Close()
	q.body = b.String()
	if r := ask(t, started(t, small, nil), q); r.status != http.StatusRequestEntityTooLarge {
		t.Errorf("a bomb: %+v", r)
	}
}

// A stream of lines continues after a wrong line, and answers are sent before it ends.
func TestStream(t *testing.T) {
	runs := loadRuns(t, Limits{Body: 1 << 10, Nodes: 100, Edges: 100}, ringsDir(t))
	server := httptest.NewServer(started(t, runs, nil))
	defer server.Close()
	in, to := io.Pipe()
	r, err := http.NewRequest(http.MethodPost, server.URL+"/v1/models/rings/predict", in)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/x-ndjson")
	go io.WriteString(to, triangle+"\n")
	reply, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer reply.Body.Close()
	lines := json.NewDecoder(reply.Body)
	type line struct {
		Line  int
		ID    string
		Class string
		Error *Problem
	}
	next := func() (l line) {
		t.Helper()
		if err := lines.Decode(&l); err != nil {
			t.Fatal(err)
		}
		return l
	}
	if l := next(); l.Line != 1 || l.ID != "a" || l.Class == "" {
		t.Fatalf("%+v", l)
	}
	go func() {
		io.WriteString(to, "\n{\"num_nodes\":-1}\nnonsense\n"+strings.Repeat(" ", 1<<12)+"{}\n"+compact(t, linked))
		to.Close()
	}()
	for _, w := range []struct {
		line, status int
	}{{3, 422}, {4, 400}, {5, 413}, {6, 0}} {
		l := next()
		if l.Line != w.line || (w.status == 0) != (l.Error == nil) || l.Error != nil && l.Error.Status != w.status {
			t.Errorf("%+v, want line %d with status %d", l, w.line, w.status)
		}
	}
	var rest line
	if err := lines.Decode(&rest); err != io.EOF {
		t.Errorf("%+v, %v behind the last line", rest, err)
	}
}

// Vectors and explanations equal those of the library.
func TestEmbedExplain(t *testing.T) {
	runs := loadRuns(t, ordinary, ringsDir(t))
	s := started(t, runs, nil)
	body := `{"graphs":[` + triangle + `]}`
	for level, rows := range map[string]int{"graph": 1, "node": 3, "edge": 3} {
		var r struct {
			Level      string
			Embeddings []struct{ Vectors [][]float32 }
		}
		reply := ask(t, s, asked{path: "/v1/models/rings/embed?level=" + level, body: body})
		if err := json.Unmarshal([]byte(reply.body), &r); err != nil || r.Level != level || len(r.Embeddings) != 1 || len(r.Embeddings[0].Vectors) != rows {
			t.Errorf("level %s: %v, %+v", level, err, reply)
		}
	}
	if r := ask(t, s, asked{path: "/v1/models/rings/embed?level=all", body: body}); r.status != 422 {
		t.Errorf("%+v", r)
	}
	for _, method := range []string{"", "gradient", "record"} {
		var r struct {
			Graph       string
			Edges       [][2]int
			Drops       []struct{ Scores []float32 }
			Explanation *struct {
				Method, Target string
				Scores         []float32
			}
		}
		reply := ask(t, s, asked{path: "/v1/models/rings/explain?method=" + method, body: body})
		err := json.Unmarshal([]byte(reply.body), &r)
		if err != nil || r.Graph != "a" || len(r.Edges) != 3 || (method == "record") != (len(r.Drops) > 0) || (method == "record") != (r.Explanation == nil) {
			t.Errorf("method %q: %v, %+v", method, err, reply)
		}
	}
	for path, body := range map[string]string{
		"explain?method=guess": body,
		"explain?target=red":   body,
		"explain":              `{"graphs":[` + triangle + "," + strings.Replace(triangle, `"a"`, `"b"`, 1) + `]}`,
	} {
		if r := ask(t, s, asked{path: "/v1/models/rings/" + path, body: body}); r.status != 422 {
			t.Errorf("%s: %+v", path, r)
		}
	}
}
