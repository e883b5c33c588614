package serve

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ehgnn/ehgnn/internal/explain"
	"github.com/ehgnn/ehgnn/internal/session"
	"github.com/ehgnn/ehgnn/internal/settings"
	"github.com/ehgnn/ehgnn/internal/source"
)

// clubs is a file of node-link JSON with people who are in one of two clubs.
func clubs(t *testing.T) string {
	t.Helper()
	var nodes, edges []string
	for v := range 30 {
		name := func(v int) string { return fmt.Sprintf("%c%d", 'a'+v%30/10, v%10) }
		nodes = append(nodes, fmt.Sprintf(`{"id":%q,"age":%d,"club":%q}`, name(v), 20+v%2*30+v%3, []string{"chess", "golf"}[v%2]))
		for _, step := range []int{1, 2, 7} {
			edges = append(edges, fmt.Sprintf(`{"source":%q,"target":%q,"years":%d}`, name(v), name(v+step), (v+step)%3))
		}
	}
	path := filepath.Join(t.TempDir(), "clubs.json")
	text := fmt.Sprintf(`{"directed":false,"multigraph":false,"graph":{},"nodes":[%s],"edges":[%s]}`, strings.Join(nodes, ","), strings.Join(edges, ","))
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

// The prediction for a node or an edge gets the explanation that ehgnn explain gives.
func TestExplainItems(t *testing.T) {
	text := func(path ...string) string {
		t.Helper()
		b, err := os.ReadFile(filepath.Join(path...))
		if err != nil {
			t.Fatal(err)
		}
		return string(b)
	}
	payments, people := filepath.Join(sets, "payments"), clubs(t)
	for _, test := range []struct {
		name, param string
		request     session.Request
		asked       asked
		items       []string
	}{
		{"payments", "edge", session.Request{Path: payments}, tablesOf(t, "", "nodes", text(payments, "nodes.csv"), "edges", text(payments, "edges.csv")), []string{"2", "17"}},
		{"clubs", "node", session.Request{Path: people, Given: settings.Values{"label": "club"}}, asked{body: graphs(text(people))}, []string{"a3", "c0"}},
	} {
		dir := filepath.Join(t.TempDir(), test.name)
		copyRun(t, trained(t, test.request), dir)
		s := started(t, loadRuns(t, ordinary, dir, ringsDir(t)), nil)
		whole, err := session.Load(t.Context(), dir, source.LoadOptions{Data: test.request.Path})
		if err != nil {
			t.Fatal(err)
		}
		explaining := func(run, query string) got {
			t.Helper()
			q := test.asked
			q.path = "/v1/models/" + run + "/explain?" + query
			return ask(t, s, q)
		}
		for _, item := range append(test.items, "") {
			var names []string
			query := ""
			if item != "" {
				names, query = []string{item}, test.param+"="+item
			}
			want, err := explain.Items(whole, t.Context(), source.PartAll, explain.Occlusion, "", "", names...)
			if err != nil {
				t.Fatal(err)
			}
			var got explain.GraphRecord
			if r := explaining(test.name, query); r.status != http.StatusOK || json.Unmarshal([]byte(r.body), &got) != nil {
				t.Fatalf("%s %q: %+v", test.name, item, r)
			}
			// The name of the item is that of the request. Without a name it is the first item.
			got.Graph = want[0].Graph
			if diff := cmp.Diff(want[0], got); diff != "" || len(got.Edges) < 3 {
				t.Errorf("%s %q: %d edges, other than those of ehgnn explain:\n%s", test.name, item, len(got.Edges), diff)
			}
		}
		other := map[string]string{"edge": "node", "node": "edge"}[test.param]
		for query, want := range map[string]string{
			test.param + "=none":                        `no ` + test.param + ` "none", expected one of`,
			other + "=1":                                "the run predicts for each " + test.param,
			"method=record&" + test.param + "=1":        "none for method=record",
			url.Values{test.param: test.items}.Encode(): "expected once",
			"target=none":                               `no target`,
			test.param + "=" + url.QueryEscape(strings.Repeat("9", 1000)+":-1"): "no " + test.param,
		} {
			r := explaining(test.name, query)
			if p := problemOf(t, r); r.status != http.StatusUnprocessableEntity || !strings.Contains(p.Detail, want) {
				t.Errorf("%s: %+v, want %q", query, p, want)
			}
		}
	}
	s := started(t, loadRuns(t, ordinary, ringsDir(t)), nil)
	if p := problemOf(t, ask(t, s, asked{path: "/v1/models/rings/explain?node=1", body: graphs(triangle)})); !strings.Contains(p.Detail, "predicts for each graph") {
		t.Errorf("%+v", p)
	}
}

// Nodes of node-link documents are named by their ids. Without a name the first marked edge is
// explained.
func TestExplainNamed(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "payments")
	copyRun(t, trained(t, session.Request{Path: filepath.Join(sets, "payments")}), dir)
	runs := loadRuns(t, ordinary, dir)
	s := started(t, runs, nil)
	var example map[string]any
	if err := json.Unmarshal(runs[0].now.Load().example, &example); err != nil {
		t.Fatal(err)
	}
	edge := example["edges"].([]any)[1].(map[string]any)
	edge["score"] = true
	body, err := json.Marshal(map[string]any{"graphs": []any{example}})
	if err != nil {
		t.Fatal(err)
	}
	var records []Explained
	for _, query := range []string{"", "edge=1", "edge=" + url.QueryEscape(fmt.Sprint(edge["source"], ":", edge["target"]))} {
		r := ask(t, s, asked{path: "/v1/models/payments/explain?" + query, body: string(body)})
		var x Explained
		if r.status != http.StatusOK || json.Unmarshal([]byte(r.body), &x) != nil || x.Explanation == nil {
			t.Fatalf("%q: %+v", query, r)
		}
		ends := x.Edges[x.Explanation.Explanation.Item.Number]
		if x.Nodes[ends[0]] != fmt.Sprint(edge["source"]) || x.Nodes[ends[1]] != fmt.Sprint(edge["target"]) {
			t.Errorf("%q: explained is the edge %v of %v, want that of %v", query, ends, x.Nodes, edge)
		}
		records = append(records, x)
	}
	if !slices.Equal(records[0].Explanation.Explanation.Scores, records[1].Explanation.Explanation.Scores) {
		t.Errorf("%+v, %+v", records[0], records[1])
	}
}
