package serve

import (
	"bytes"
	"cmp"
	"context"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"mime/multipart"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/ehgnn/ehgnn/internal/report"
	"github.com/ehgnn/ehgnn/internal/session"
	"github.com/ehgnn/ehgnn/internal/settings"
	"github.com/ehgnn/ehgnn/internal/source"
)

// copyRun copies the files of a run over those of another folder.
func copyRun(t *testing.T, from, to string) {
	t.Helper()
	if err := os.MkdirAll(to, 0o755); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"config.yaml", "schema.json", "input_example.json", "environment.json", "predictions.csv", weightsFile} {
		text, err := os.ReadFile(filepath.Join(from, name))
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(to, name), text, 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// New weights of the same kind replace the old ones. Other weights are refused.
func TestReload(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "served")
	copyRun(t, ringsDir(t), dir)
	r := loadRuns(t, ordinary, dir)[0]
	old := r.now.Load()
	if changed, err := r.reload(t.Context(), true); changed || err != nil {
		t.Errorf("%v, %v of the same weights", changed, err)
	}
	for name, other := range map[string]session.Request{
		"another task":   {Path: filepath.Join(sets, "payments")},
		"another schema": {Path: filepath.Join(sets, "NUMBERS")},
	} {
		copyRun(t, trained(t, other), dir)
		if changed, err := r.reload(t.Context(), true); changed || err == nil || r.now.Load() != old {
			t.Errorf("%s: %v, %v", name, changed, err)
		}
	}
	if err := os.WriteFile(filepath.Join(dir, weightsFile), []byte("half of a fi"), 0o644); err != nil {
		t.Fatal(err)
	}
	if changed, err := r.reload(t.Context(), false); changed || err == nil || r.now.Load() != old {
		t.Errorf("broken weights: %v, %v", changed, err)
	}
	if changed, err := r.reload(t.Context(), false); changed || err != nil {
		t.Errorf("broken weights are said to be so twice: %v, %v", changed, err)
	}
	copyRun(t, trained(t, session.Request{Path: filepath.Join(sets, "RINGS"), Model: "gcn", Seed: 7}), dir)
	changed, err := r.reload(t.Context(), false)
	if !changed || err != nil || r.now.Load().digest == old.digest || r.now.Load().model != r.Model() {
		t.Errorf("%v, %v", changed, err)
	}
}

// The digest of a run belongs to the weights that it has read, even if the file is replaced meanwhile.
func TestLoadMeanwhile(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "served")
	copyRun(t, ringsDir(t), dir)
	r, path := loadRuns(t, ordinary, dir)[0], filepath.Join(dir, weightsFile)
	load := func() (digest, prediction string) {
		l, err := r.load(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		g, _, err := l.model.Example()
		if err != nil {
			t.Fatal(err)
		}
		p, err := l.model.Predict(t.Context(), g)
		if err != nil {
			t.Fatal(err)
		}
		return l.digest, fmt.Sprint(p)
	}
	var weights [2][]byte
	longer := trained(t, session.Request{Path: filepath.Join(sets, "RINGS"), Model: "hyperdrop", Seed: 1, Given: settings.Values{"epochs": 2}})
	for i, from := range []string{dir, longer} {
		var err error
		if weights[i], err = os.ReadFile(filepath.Join(from, weightsFile)); err != nil {
			t.Fatal(err)
		}
	}
	exchange := func(i int) error {
		return cmp.Or(os.WriteFile(path+".new", weights[i%2], 0o644), os.Rename(path+".new", path))
	}
	predicted := map[string]string{} // prediction for the example, by digest
	for i := range weights {
		if err := exchange(i); err != nil {
			t.Fatal(err)
		}
		digest, prediction := load()
		predicted[digest] = prediction
	}
	ctx, stop := context.WithCancel(t.Context())
	var exchanging sync.WaitGroup
	exchanging.Go(func() {
		for i := 0; ctx.Err() == nil; i++ {
			if err := exchange(i); err != nil {
				t.Error(err)
				return
			}
		}
	})
	for range 200 {
		if digest, prediction := load(); predicted[digest] != prediction {
			t.Errorf("digest %s with the predictions of other weights", digest)
			break
		}
	}
	stop()
	exchanging.Wait()
}

func TestLoad(t *testing.T) {
	a, b := filepath.Join(t.TempDir(), "served"), filepath.Join(t.TempDir(), "served")
	copyRun(t, ringsDir(t), a)
	copyRun(t, ringsDir(t), b)
	if _, err := Load(t.Context(), []string{a, b}, LoadOptions{Workers: 1, Limits: ordinary}); err == nil || !strings.Contains(err.Error(), "both called served") {
		t.Errorf("%v", err)
	}
	if _, err := Load(t.Context(), []string{t.TempDir()}, LoadOptions{Workers: 1, Limits: ordinary}); err == nil || !strings.Contains(err.Error(), "no run folder") {
		t.Errorf("%v", err)
	}
	text, err := os.ReadFile(filepath.Join(a, "input_example.json"))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(a, "input_example.json"), bytes.ReplaceAll(text, []byte(`"label": 5`), []byte(`"label": 99`)), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := Load(t.Context(), []string{a}, LoadOptions{Workers: 1, Limits: ordinary}); err == nil || !strings.Contains(err.Error(), "input_example.json: /nodes/") && !strings.Contains(err.Error(), "99") {
		t.Errorf("%v", err)
	}
}

// Every kind of run answers its own example with finite numbers in the documented form.
func TestKinds(t *testing.T) {
	var dirs []string
	for _, path := range []string{"NUMBERS", "payments", "ogbg_molmine"} {
		from := trained(t, session.Request{Path: filepath.Join(sets, path)})
		to := filepath.Join(t.TempDir(), strings.ToLower(path))
		copyRun(t, from, to)
		dirs = append(dirs, to)
	}
	s := started(t, loadRuns(t, ordinary, dirs...), nil)
	var list Models
	if err := json.Unmarshal([]byte(ask(t, s, asked{method: http.MethodGet, path: "/v1/models"}).body), &list); err != nil || len(list.Models) != len(dirs) {
		t.Fatalf("%v: %+v", err, list)
	}
	for _, m := range list.Models {
		for _, accept := range []string{"application/json", "text/csv"} {
			r := ask(t, s, asked{path: "/v1/models/" + m.Name + "/predict", body: graphs(string(m.Example)), header: map[string]string{"Accept": accept}})
			if r.status != http.StatusOK || strings.Contains(r.body, "null") || len(r.body) < 20 {
				t.Errorf("%s: %+v", m.Name, r)
			}
		}
		var page ItemsPage
		r := ask(t, s, asked{method: http.MethodGet, path: "/v1/models/" + m.Name + "/items?sort=row"})
		if err := json.Unmarshal([]byte(r.body), &page); err != nil || page.Total == 0 || len(page.Items) == 0 || page.Items[0]["row"] != 0.0 {
			t.Errorf("%s: %v: %+v", m.Name, err, r)
		}
		if r := ask(t, s, asked{method: http.MethodGet, path: "/v1/models/" + m.Name + "/items?sort=none"}); r.status != 422 {
			t.Errorf("%s: %+v", m.Name, r)
		}
	}
	// A graph that would need too much memory is refused before it is computed.
	tight := ordinary
	tight.Memory = 2 << 10
	small := started(t, loadRuns(t, tight, dirs[0]), nil)
	if r := ask(t, small, asked{path: "/v1/models/numbers/predict", body: graphs(string(list.Models[0].Example))}); r.status != 422 || !strings.Contains(r.body, "--max-memory") {
		t.Errorf("%+v", r)
	}
}

// Runs that read times and labels of edges accept them in both JSON forms and in tables. They also answer their example, which has none.
func TestBeside(t *testing.T) {
	dir := trained(t, session.Request{Path: filepath.Join(sets, "payments"), Model: "ehgnn-roles", Given: settings.Values{"time-features": "on", "label-context": "on"}})
	s := started(t, loadRuns(t, ordinary, dir), nil)
	node := `{"kind":"shop","days":7,"id":`
	edge := `"amount":3,"channel":"card","hour":1`
	linked := `{"directed":true,"nodes":[` + node + `50},` + node + `"8"}],"edges":[{"source":50,"target":"8",` + edge + `,"time":20,"label":"ok"},{"source":50,"target":"8",` + edge + `,"time":30}]}`
	own := `{"num_nodes":2,"edges":[[0,1],[0,1]],"node":{"kind":["shop","shop"],"days":[7,7]},"edge":{"amount":[3,3],"channel":["card","card"],"hour":[1,1]},
		"time":[20,30],"labels":["ok",null],"node_names":[50,"8"]}`
	answer := func(body string) string {
		t.Helper()
		r := ask(t, s, asked{path: "/v1/models/run/predict", body: graphs(body), header: map[string]string{"Accept": "application/x-ndjson"}})
		if r.status != http.StatusOK {
			t.Fatalf("%+v", r)
		}
		return r.body
	}
	a, b := answer(linked), answer(own)
	if a != b {
		t.Errorf("node-link\n%s, own form\n%s", a, b)
	}
	for _, other := range []string{strings.Replace(linked, `"time":20`, `"time":29`, 1), strings.Replace(linked, `"label":"ok"`, `"label":"fraud"`, 1)} {
		if answer(other) == a {
			t.Errorf("the answer does not depend on what is other in %s", other)
		}
	}
	if p := problemOf(t, ask(t, s, asked{path: "/v1/models/run/predict", body: graphs(strings.Replace(linked, `"ok"`, `"fine"`, 1))})); p.Pointer != "/graphs/0/edges/0/label" {
		t.Errorf("%+v", p)
	}
}

// Only marked edges of a graph are answered, in both forms.
func TestScore(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "payments")
	copyRun(t, trained(t, session.Request{Path: filepath.Join(sets, "payments")}), dir)
	runs := loadRuns(t, ordinary, dir, ringsDir(t))
	s := started(t, runs, nil)
	var example map[string]any
	if err := json.Unmarshal(runs[0].now.Load().example, &example); err != nil {
		t.Fatal(err)
	}
	edges := func() []map[string]any {
		t.Helper()
		text, err := json.Marshal(map[string]any{"graphs": []any{example}})
		if err != nil {
			t.Fatal(err)
		}
		r := ask(t, s, asked{path: "/v1/models/payments/predict", body: string(text)})
		var out struct {
			Predictions []struct{ Edges []map[string]any }
		}
		if err := json.Unmarshal([]byte(r.body), &out); err != nil || len(out.Predictions) != 1 {
			t.Fatalf("%v: %+v", err, r)
		}
		return out.Predictions[0].Edges
	}
	list := example["edges"].([]any)
	all := edges()
	body, err := json.Marshal(map[string]any{"graphs": []any{example}})
	if err != nil {
		t.Fatal(err)
	}
	first := list[0].(map[string]any)
	for path, want := range map[string]string{
		"predict":          "graph,edge,source,target,prediction,",
		"embed?level=edge": "graph,edge,source,target,vector_0,",
	} {
		r := ask(t, s, asked{path: "/v1/models/payments/" + path, body: string(body), header: map[string]string{"Accept": "text/csv"}})
		row := fmt.Sprintf("\nexample,0,%v,%v,", first["source"], first["target"])
		if r.status != 200 || !strings.HasPrefix(r.body, want) || !strings.Contains(r.body, row) {
			t.Errorf("%s: %.300s, want the columns %s and a row %q", path, r.body, want, row)
		}
	}
	if len(all) != len(list) || len(list) < 3 {
		t.Fatalf("%d predictions for %d edges", len(all), len(list))
	}
	list[0].(map[string]any)["score"] = false
	list[2].(map[string]any)["score"] = true
	some := edges()
	if len(some) != 1 || some[0]["edge"] != 2.0 || some[0]["class"] != all[2]["class"] {
		t.Errorf("%v, want the prediction for edge 2 of %v", some, all)
	}
	list[2].(map[string]any)["score"] = 1
	text, err := json.Marshal(map[string]any{"graphs": []any{example}})
	if err != nil {
		t.Fatal(err)
	}
	if p := problemOf(t, ask(t, s, asked{path: "/v1/models/payments/predict", body: string(text)})); p.Pointer != "/graphs/0/edges/2/score" {
		t.Errorf("%+v", p)
	}
	marked := strings.Replace(triangle, `"id":"a"`, `"score":[true,false,true]`, 1)
	if p := problemOf(t, ask(t, s, asked{path: "/v1/models/rings/predict", body: graphs(marked)})); p.Pointer != "/graphs/0/score" {
		t.Errorf("%+v", p)
	}
}

// tablesOf returns a request with tables as a form. Tables are given as names and texts.
func tablesOf(t *testing.T, path string, parts ...string) asked {
	t.Helper()
	var b bytes.Buffer
	w := multipart.NewWriter(&b)
	for i := 0; i < len(parts); i += 2 {
		to, err := w.CreateFormFile(parts[i], parts[i]+".csv")
		if err != nil {
			t.Fatal(err)
		}
		to.Write([]byte(parts[i+1]))
	}
	w.Close()
	return asked{path: path, body: b.String(), header: map[string]string{"Content-Type": w.FormDataContentType()}}
}

// A run on tables accepts its tables as a form, and its predictions equal those of ehgnn predict.
func TestTables(t *testing.T) {
	path := filepath.Join(sets, "payments")
	dir := filepath.Join(t.TempDir(), "payments")
	copyRun(t, trained(t, session.Request{Path: path}), dir)
	s := started(t, loadRuns(t, ordinary, dir, ringsDir(t)), nil)
	file := func(name string) string {
		text, err := os.ReadFile(filepath.Join(path, name))
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	send := func(run string, parts ...string) got {
		t.Helper()
		q := tablesOf(t, "/v1/models/"+run+"/predict", parts...)
		q.header["Accept"] = "text/csv"
		return ask(t, s, q)
	}
	whole, err := session.Load(t.Context(), dir, source.LoadOptions{Data: path})
	if err != nil {
		t.Fatal(err)
	}
	want, err := whole.Predict(t.Context(), source.PartAll)
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err := report.WriteCSV(&b, want); err != nil {
		t.Fatal(err)
	}
	column := func(text, name string) (out []string) {
		rows, err := csv.NewReader(strings.NewReader(text)).ReadAll()
		if err != nil {
			t.Fatalf("%v: %s", err, text)
		}
		k := slices.Index(rows[0], name)
		for _, row := range rows[1:] {
			out = append(out, row[k])
		}
		return out
	}
	reply := send("payments", "nodes", file("nodes.csv"), "edges", file("edges.csv"))
	if a, b := column(reply.body, "probability_fraud"), column(b.String(), "probability_fraud"); !slices.Equal(a, b) || len(a) < 100 {
		t.Errorf("%d probabilities, want the %d of ehgnn predict\n%.300s", len(a), len(b), reply.body)
	}
	var marked strings.Builder
	for i, line := range strings.Split(strings.TrimSpace(file("edges.csv")), "\n") {
		marked.WriteString(line + map[bool]string{true: ",score", false: "," + map[bool]string{true: "true"}[i == 3]}[i == 0] + "\n")
	}
	if r := send("payments", "nodes", file("nodes.csv"), "edges", marked.String()); !slices.Equal(column(r.body, "edge"), []string{"2"}) {
		t.Errorf("%+v, want edge 2 alone", r)
	}
	for name, test := range map[string]struct {
		run     string
		parts   []string
		status  int
		pointer string
	}{
		"no edges":       {"payments", []string{"nodes", file("nodes.csv")}, 422, ""},
		"no nodes":       {"payments", []string{"edges", file("edges.csv")}, 422, ""},
		"another part":   {"payments", []string{"links", file("edges.csv")}, 422, ""},
		"no column":      {"payments", []string{"nodes", "id,kind\n1,shop\n", "edges", file("edges.csv")}, 422, "/nodes"},
		"no number":      {"payments", []string{"nodes", "id,kind,days\n1,shop,many\n", "edges", file("edges.csv")}, 422, "/nodes/0/days"},
		"node twice":     {"payments", []string{"nodes", "id,kind,days\n1,shop,1\n1,shop,1\n", "edges", file("edges.csv")}, 422, "/nodes/1/id"},
		"unknown node":   {"payments", []string{"nodes", "id,kind,days\n50,shop,1\n", "edges", file("edges.csv")}, 422, "/edges/0/target"},
		"no CSV":         {"payments", []string{"nodes", "id,kind,days\n1\n", "edges", ""}, 422, "/nodes"},
		"not for tables": {"rings", []string{"edges", file("edges.csv")}, 415, ""},
	} {
		r := send(test.run, test.parts...)
		if r.status != test.status {
			t.Errorf("%s: %+v, want status %d", name, r, test.status)
		} else if p := problemOf(t, r); p.Pointer != test.pointer {
			t.Errorf("%s: %+v, want pointer %s", name, p, test.pointer)
		}
	}
}

// fileOf returns a file of the set payments.
func fileOf(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(sets, "payments", name))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
