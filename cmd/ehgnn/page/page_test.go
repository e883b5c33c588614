package page_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/ehgnn/ehgnn"
	"github.com/ehgnn/ehgnn/cmd/ehgnn/items"
	"github.com/ehgnn/ehgnn/cmd/ehgnn/page"
	"github.com/ehgnn/ehgnn/internal/explain"
	"github.com/ehgnn/ehgnn/internal/golden"
	"github.com/ehgnn/ehgnn/internal/links/run"
	"github.com/ehgnn/ehgnn/internal/report/review"
	"github.com/ehgnn/ehgnn/internal/session"
	"github.com/ehgnn/ehgnn/internal/settings"
)

// rings writes rings of two classes as a folder in TU layout. The class depends on the edges of kind 1.
func rings(t *testing.T) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "RINGS")
	if err := golden.WriteRings(dir, 60, 4, false); err != nil {
		t.Fatal(err)
	}
	return dir
}

// payments writes one graph of 700 nodes as a table. The rare class has a hostile name.
func payments(t *testing.T) string {
	t.Helper()
	random := rand.New(rand.NewPCG(1, 2))
	text := "source,target,amount,label\n"
	for i := range 1400 {
		label := "ok"
		if random.IntN(8) == 0 {
			label = "<script>"
		}
		text += fmt.Sprintf("n%d,n%d,%.3f,%s\n", i%700, random.IntN(700), random.Float64(), label)
	}
	return folder(t, "payments", "%s.csv", map[string]string{"edges": text})
}

func folder(t *testing.T, name, pattern string, files map[string]string) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), name)
	if err := os.Mkdir(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	for of, text := range files {
		if err := os.WriteFile(filepath.Join(dir, fmt.Sprintf(pattern, of)), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// trained returns a run on some data, with its report.
func trained(t *testing.T, name, path string, r session.Request) page.Run {
	t.Helper()
	dir := filepath.Join(t.TempDir(), name)
	r.Path, r.Seed, r.Threads = path, 1, 1
	s, err := session.Open(t.Context(), r)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Train(t.Context(), session.TrainOptions{Dir: dir}); err != nil {
		t.Fatal(err)
	}
	of, err := review.Of(t.Context(), s, dir, review.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := of.Write(); err != nil {
		t.Fatal(err)
	}
	m, err := ehgnn.Open(context.Background(), dir, ehgnn.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return page.Run{Name: name, Dir: dir, Model: func() *ehgnn.Model { return m }, Stored: (&items.Kept{Dir: dir}).Set}
}

// site returns a page for runs, to which a test can send requests.
type site struct {
	*testing.T
	http.Handler
}

func (s site) answer(method, path, body string) *http.Response {
	s.Helper()
	w := httptest.NewRecorder()
	s.ServeHTTP(w, httptest.NewRequest(method, path, strings.NewReader(body)))
	return w.Result()
}

// shows requests a screen, which must have a status and contain texts.
func (s site) shows(path string, status int, want ...string) string {
	s.Helper()
	r := s.answer("GET", path, "")
	text, err := io.ReadAll(r.Body)
	if err != nil || r.StatusCode != status {
		s.Errorf("%s: %s, %v, want %d\n%.1000s", path, r.Status, err, status, text)
	}
	for _, w := range want {
		if !strings.Contains(string(text), w) {
			s.Errorf("%s has no %q: %.300s", path, w, text[max(0, len(text)-300):])
		}
	}
	if strings.Contains(string(text), "<script>") || strings.Contains(string(text), " style=") {
		s.Errorf("%s has inline scripts or styles", path)
	}
	return string(text)
}

func TestScreens(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds")
	}
	few := settings.Values{"epochs": 2}
	data := rings(t)
	runs := []page.Run{
		trained(t, "a run", data, session.Request{Model: "hyperdrop", Given: few}),
		trained(t, "other", data, session.Request{Model: "gcn", Given: few}),
		trained(t, "payments", payments(t), session.Request{Task: "edge-classification", Given: settings.Values{"epochs": 1, "label": "label", "hidden": 8}}),
	}
	h, err := page.New(page.Options{Runs: runs})
	if err != nil {
		t.Fatal(err)
	}
	s := site{t, h}
	s.shows("/", 200, `<a href="./runs/a%20run">a run</a>`, "hyperdrop", "test score")
	s.shows("/runs/a%20run", 200, "Leaderboard", `<svg role="img"`)
	s.shows("/runs/a%20run/items", 200, "probability_1", `"graph?graph=`, "1 to 6 of 6")
	s.shows("/runs/payments/items", 200, "&lt;script&gt;", "1 to 25 of 280", "after=25")
	if text := s.shows("/runs/payments/items?sort=edge", 200); !regexp.MustCompile(`(?s)class="left"><a href="\?sort=-target">target</a></th>.*class="p1">amount</th>.*class="left"><a href="\?sort=-label">label</a></th>`).MatchString(text) {
		t.Errorf("no column of the data between the ends and the label: %.2000s", text)
	}
	s.shows("/runs/payments/items?after=100&sort=edge&filter=amount", 200, "No items")
	s.shows("/runs/payments/items?after=25&sort=edge", 200, "26 to 50 of 280", `rel="prev"`, `aria-sort="ascending"><a href="?sort=-edge">edge</a>`)
	s.shows("/runs/payments/items?sort=-edge&filter=edge%3E9", 200, `aria-sort="descending"><a href="?filter=edge%3E9&amp;sort=edge">edge</a>`)
	s.shows("/runs/payments/items?filter=x%3D1", 200, "expected COLUMN=VALUE")
	// A request that exceeds its time gets an error that says so, and the next request is answered.
	over, end := context.WithCancel(t.Context())
	end()
	late := httptest.NewRecorder()
	s.ServeHTTP(late, httptest.NewRequest("GET", "/runs/a%20run/graph", nil).WithContext(over))
	if late.Code != http.StatusServiceUnavailable || !strings.Contains(late.Body.String(), "--timeout") {
		t.Errorf("too late: %d %.300s", late.Code, late.Body)
	}
	s.shows("/runs/a%20run/graph", 200, "Explained is class", "Which edges the prediction of", "fidelity&#43;", "random fidelity&#43;")
	s.shows("/runs/a%20run/graph?method=record&layer=1", 200, "layer 1 of 2", "what layer 1 kept and dropped", `value="1" aria-label="Layer" aria-valuetext`)
	s.shows("/runs/other/graph?method=record", 200, "neither drops nor clusters", `data-line="0"`)
	s.shows("/runs/payments/graph?graph=0&node=n5", 200, "of 700 nodes: those up to 2 edges away from node n5")
	row := s.shows("/runs/payments/items?sort=edge", 200)
	_, link, _ := strings.Cut(row, `<a href="graph?`)
	link, _, _ = strings.Cut(link, `"`)
	link = strings.ReplaceAll(link, "&amp;", "&")
	s.shows("/runs/payments/graph?method=record&"+link, 200, "edge from n", "of 700 nodes")
	s.shows("/runs/payments/graph?"+link, 200, "Why edge ", "contribution to the log-odds", "all of these", `name="item" value="`)
	s.shows("/runs/payments/graph", 200, "Why edge ")
	s.shows("/runs/payments/graph/record.json?item=17", 200, `"unit": "log-odds"`)
	s.shows("/runs/payments/graph?item=17&method=gradient", 200, "Surroundings of edge 17:", "(gradient)")
	s.shows("/runs/payments/graph?item=none", 200, "no edge &#34;none&#34;")
	s.shows("/runs/payments/graph/figure.svg?item=17", 200, "<svg")
	s.shows("/runs/payments/graph?node=nobody", 404, "no node")
	s.shows("/runs/a%20run/graph?graph=nobody", 404, "no graph")
	s.shows("/runs/a%20run/graph?method=guess", 400, "no method")
	s.shows("/runs/a%20run/map", 200, "of their variance", "the layer that dropped the edge")
	s.shows("/runs/payments/map", 200, "the true class of the edge", "class &lt;script&gt;")
	s.shows("/runs/a%20run/try", 200, "&#34;nodes&#34;: [", `data-api="../../v1/models/a%20run"`, `edge <code data-of="edge">label</code>`)
	if text := s.shows("/runs/payments/try", 200, `edge <code data-of="edge">amount</code> (number).`); strings.Contains(text, "degree") {
		t.Error("the form asks for columns that are made of the graph")
	}
	s.shows("/compare?a=a+run&b=other", 200, "other less a run, on items that both predicted: 6", "95\u00a0% interval of the difference", "model_name", "Validation loss")
	s.shows("/compare?a=a+run&b=payments", 200, "no item in common", "Settings that differ")
	s.shows("/compare?run=a+run&run=other&run=payments", 200, "other less a run", "no item in common", `aria-pressed="true" data-group="1"`)
	s.shows("/compare?run=other", 200, "Choose two runs")
	s.shows("/?find=gcn", 200, "1 of 3 runs")
	s.shows("/docs", 200, "no description of its API")
	s.shows("/assets/report.js", 200, "enliven")
	s.shows("/compare?a=x", 404, "no run")
	s.shows("/runs/x/items", 404, "no run")
	s.shows("/other", 404, "no such page")
	s.shows("/assets/page.css", 200, "color-scheme", ".skip")
	s.shows("/assets/nothing.js", 404)
	if _, err := page.New(page.Options{Runs: append(runs, runs[0])}); err == nil {
		t.Error("two runs have one name")
	}
}

// A run of link prediction lists partners of a node. Names from the data are shown as text, and an unknown node gives an error.
func TestRecommend(t *testing.T) {
	dir := folder(t, "friends", "%s.html", map[string]string{"report": "<html><body><main class=\"page\"></main></body></html>"})
	partners := func(_ context.Context, id string, top int, known bool) ([]run.Recommendation, error) {
		if id != "n1" {
			return nil, fmt.Errorf("%q is no node", id)
		}
		list := []run.Recommendation{{Source: id, Rank: 1, Target: "<script>", Score: 0.5, Text: "via n7 (0.25)"}}
		if known {
			list = append(list, run.Recommendation{Source: id, Rank: 2, Target: "n3", Score: 0.4, Known: true})
		}
		return list[:min(len(list), top)], nil
	}
	h, err := page.New(page.Options{Listed: []page.Listed{{Name: "friends", Dir: dir, Partners: partners}}})
	if err != nil {
		t.Fatal(err)
	}
	s := site{t, h}
	s.shows("/runs/friends/recommend", 200, `name="for"`, "they are no probabilities")
	if text := s.shows("/runs/friends/recommend?for=n1&top=25", 200, "&lt;script&gt;", "via n7 (0.25)", "0.5", `value="25" selected`, "Without the partners"); strings.Contains(text, ">n3<") {
		t.Error("a known partner is listed")
	}
	s.shows("/runs/friends/recommend?for=n1&known=1", 200, ">n3<", "known", "faint")
	s.shows("/runs/friends/recommend?for=n2", 200, "is no node")
	s.shows("/runs/other/recommend?for=n1", 404, "no run of link prediction")
}

// For a run whose data are gone, everything that does not need their graphs is available, and the rest says how to get them.
func TestWithoutData(t *testing.T) {
	data := rings(t)
	run := trained(t, "lost", data, session.Request{Given: settings.Values{"epochs": 1}})
	if err := os.RemoveAll(data); err != nil {
		t.Fatal(err)
	}
	h, err := page.New(page.Options{Runs: []page.Run{run}})
	if err != nil {
		t.Fatal(err)
	}
	s := site{t, h}
	for _, path := range []string{"/", "/runs/lost", "/runs/lost/items", "/runs/lost/try", "/compare"} {
		s.shows(path, 200)
	}
	for _, path := range []string{"/runs/lost/graph", "/runs/lost/map"} {
		s.shows(path, 200, "cannot be opened", data, "ehgnn data fetch")
	}
	if r := s.answer("GET", "/runs/lost/graph/figure.svg", ""); r.StatusCode != 404 {
		t.Errorf("figure.svg: %s", r.Status)
	}

	// Without the data, a record from the API is still drawn. An invalid record is refused.
	record := explain.GraphRecord{Graph: "g", Nodes: []string{"a", "b", "<c>"}, Edges: [][2]int32{{0, 1}, {1, 2}},
		Explanation: &explain.Explanation{Method: "gradient", Target: "1", Scores: []float32{0.5, -0.25}}}
	ask := func(r explain.GraphRecord) (int, string) {
		body, err := json.Marshal(r)
		if err != nil {
			t.Fatal(err)
		}
		answer := s.answer("POST", "/runs/lost/explained", string(body))
		text, _ := io.ReadAll(answer.Body)
		return answer.StatusCode, string(text)
	}
	if status, text := ask(record); status != 200 || !strings.Contains(text, "<title>a – b: +0.500</title>") || !strings.Contains(text, ">−0.2500<") || strings.Contains(text, "<c>") {
		t.Errorf("%d %s", status, text)
	}
	for want, spoil := range map[string]func(r *explain.GraphRecord){
		"no nodes":            func(r *explain.GraphRecord) { r.Nodes = nil },
		"ends in node 9 of 3": func(r *explain.GraphRecord) { r.Edges = [][2]int32{{0, 1}, {1, 9}} },
		"1 scores of 2 edges": func(r *explain.GraphRecord) { r.Explanation = &explain.Explanation{Scores: []float32{1}} },
		"1 labels of 3 nodes": func(r *explain.GraphRecord) { r.Labels = []string{"x"} },
		"has edge 5 of 2": func(r *explain.GraphRecord) {
			r.Drops = []explain.DropRecord{{Edges: []int32{5}, Scores: []float32{1}, Kept: []bool{true}}}
		},
		"0 scores and 0 decis": func(r *explain.GraphRecord) { r.Drops = []explain.DropRecord{{Edges: []int32{1}}} },
		"1 names of 2 edges":   func(r *explain.GraphRecord) { r.EdgeNames = []string{"x"} },
		"explains edge 2 of 2": func(r *explain.GraphRecord) {
			r.Explanation = &explain.Explanation{Scores: []float32{1, 2}, Item: &explain.ExplainedItem{Kind: settings.Edges, Number: 2}}
		},
		"0 clusters and 0 wei": func(r *explain.GraphRecord) { r.Clusters = &explain.ClusterRecord{} },
	} {
		bad := record
		spoil(&bad)
		if status, text := ask(bad); status != 400 || !strings.Contains(text, want) {
			t.Errorf("%s: %d %s", want, status, text)
		}
	}
}
