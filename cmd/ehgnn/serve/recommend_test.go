package serve

import (
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/ehgnn/ehgnn/internal/links/learn"
	"github.com/ehgnn/ehgnn/internal/links/run"
	"github.com/ehgnn/ehgnn/internal/links/score"
)

// linkRun trains a small run of link prediction.
func linkRun(t *testing.T, split string) *run.Run {
	t.Helper()
	var b strings.Builder
	b.WriteString("source,target,time\n")
	for k := 1; k <= 3; k++ {
		for u := range 20 {
			fmt.Fprintf(&b, "u%d,i%d,2024-%02d-%02d\n", u, (u*k)%13, k, u+1)
		}
	}
	file := filepath.Join(t.TempDir(), "edges.csv")
	if err := os.WriteFile(file, []byte(b.String()), 0o644); err != nil {
		t.Fatal(err)
	}
	s := &run.Settings{Version: 1, Data: file, Split: split, Fractions: [3]float64{0.6, 0.2, 0.2}, Model: run.Trees, Select: score.Lists, GAE: learn.NewGAEConfig()}
	d, err := run.Read(t.Context(), s, 0)
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(t.TempDir(), "shop")
	if _, err := run.Train(t.Context(), s, d, run.Options{Dir: dir, Forms: []string{score.Uniform}}); err != nil {
		t.Fatal(err)
	}
	r, err := run.Load(t.Context(), dir, run.LoadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestRecommend(t *testing.T) {
	r := linkRun(t, run.ByRandom)
	s := New(nil, Options{Workers: 1, Queue: 4, Timeout: 10 * time.Second, Hosts: []string{"example.com"}, Log: slog.New(slog.DiscardHandler), Links: Links{"shop": r}})
	defer s.Close()
	call := func(verb, model, body string) *httptest.ResponseRecorder {
		req := httptest.NewRequest(http.MethodPost, "/v1/models/"+model+"/"+verb, strings.NewReader(body))
		req.Header.Set("Content-Type", "application/json")
		w := httptest.NewRecorder()
		s.ServeHTTP(w, req)
		return w
	}
	post := func(model, body string) *httptest.ResponseRecorder { return call("recommend", model, body) }
	w := post("shop", `{"for":["u3"],"top":4}`)
	var got Recommended
	if err := json.Unmarshal(w.Body.Bytes(), &got); err != nil || w.Code != http.StatusOK {
		t.Fatalf("status %d, %v: %s", w.Code, err, w.Body)
	}
	want, err := r.Recommend(t.Context(), run.Query{For: []string{"u3"}, Top: 4})
	if err != nil {
		t.Fatal(err)
	}
	if fmt.Sprint(got.Recommendations) != fmt.Sprint(want) || len(want) != 4 {
		t.Errorf("the reply is %v, the command has %v", got.Recommendations, want)
	}
	for _, c := range []struct {
		model, body, pointer string
		status               int
	}{
		{"shop", `{"for":["u3","nobody"]}`, "/for/1", http.StatusUnprocessableEntity},
		{"shop", `{"for":["u3"],"among":["x"]}`, "/among/0", http.StatusUnprocessableEntity},
		{"shop", `{"for":["u3"],"top":-1}`, "/top", http.StatusUnprocessableEntity},
		{"shop", `{"for":["u1","i3"]}`, "/for/1", http.StatusUnprocessableEntity},
		{"shop", `{"for":["u1"],"sources":true}`, "/for/0", http.StatusUnprocessableEntity},
		{"other", `{"for":["u3"]}`, "", http.StatusNotFound},
	} {
		w := post(c.model, c.body)
		var p Problem
		if err := json.Unmarshal(w.Body.Bytes(), &p); err != nil || w.Code != c.status || p.Pointer != c.pointer {
			t.Errorf("%s: status %d, %v, %s, want %d and %q", c.body, w.Code, err, w.Body, c.status, c.pointer)
		}
	}
	for id, want := range map[string]string{"u33": `similar ids are \"u13\", \"u3\"`, "i3": `found the target \"i3\", expected a source; \"sources\": true asks for partners of a target`, "somebody": `none is similar; they have 33 nodes, such as the source \"u0\" and the target \"i0\"`} {
		if w := post("shop", `{"for":["`+id+`"]}`); !strings.Contains(w.Body.String(), want) {
			t.Errorf("the reply to an unknown id is %s, want %s in it", w.Body, want)
		}
	}
	pairScores, predicted := call("score", "shop", `{"pairs":[["u3","i0"]]}`), call("predict", "shop", `{"pairs":[["u3","i0"]]}`)
	if predicted.Code != http.StatusOK || predicted.Body.String() != pairScores.Body.String() {
		t.Errorf("predict answers pairs with status %d, %s, score with %s", predicted.Code, predicted.Body, pairScores.Body)
	}
	w = post("shop", `{"for":["new"],"top":4,"context":{"edges":[["new","i0"],["new","i6"],["u3","item"]]}}`)
	with, err := r.With(t.Context(), [][2]string{{"new", "i0"}, {"new", "i6"}, {"u3", "item"}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if want, err = with.Recommend(t.Context(), run.Query{For: []string{"new"}, Top: 4}); err != nil || len(want) != 4 || !want[0].Cold {
		t.Fatalf("%v, %v", want, err)
	}
	if err := json.Unmarshal(w.Body.Bytes(), &got); err != nil || w.Code != http.StatusOK || fmt.Sprint(got.Recommendations) != fmt.Sprint(want) {
		t.Errorf("with context: status %d, %v: %s, want %v", w.Code, err, w.Body, want)
	}
	if w = post("shop", `{"for":["new"]}`); w.Code != http.StatusUnprocessableEntity {
		t.Errorf("the context of a request is there in the next: %s", w.Body)
	}
	for edges, pointer := range map[string]string{`[["new","i0"],["new"]]`: "/context/edges/1", `[["u1","i0"],["i1","x"]]`: "/context/edges/1", `[["x","x"]]`: "/context/edges/0"} {
		var p Problem
		w := post("shop", `{"for":["u1"],"context":{"edges":`+edges+`}}`)
		if err := json.Unmarshal(w.Body.Bytes(), &p); err != nil || w.Code != http.StatusUnprocessableEntity || p.Pointer != pointer {
			t.Errorf("context %s: status %d, %v, %s, want 422 at %q", edges, w.Code, err, w.Body, pointer)
		}
	}
	w = call("score", "shop", `{"pairs":[["u3","i3"],["u4","i9"]]}`)
	var scores ScoredPairs
	if err := json.Unmarshal(w.Body.Bytes(), &scores); err != nil || w.Code != http.StatusOK {
		t.Fatalf("status %d, %v: %s", w.Code, err, w.Body)
	}
	scored, err := r.Score(t.Context(), [][2]string{{"u3", "i3"}, {"u4", "i9"}})
	if w := call("score", "shop", `{"pairs":[["new","i3"]],"context":{"edges":[["new","i0"]]}}`); w.Code != http.StatusOK || !strings.Contains(w.Body.String(), `"cold":true`) {
		t.Errorf("status %d: %s", w.Code, w.Body)
	}
	if err != nil || fmt.Sprint(scores.Pairs) != fmt.Sprint(scored) || !scored[0].Known {
		t.Errorf("the reply is %v, the command has %v, %v", scores.Pairs, scored, err)
	}
	for body, pointer := range map[string]string{`{"pairs":[["u3","i3"],["u3","i99"]]}`: "/pairs/1/1", `{"pairs":[["u3"]]}`: "/pairs/0", `{"pairs":[["u3","i3"],["i3","u3"]]}`: "/pairs/1"} {
		w := call("score", "shop", body)
		var p Problem
		if err := json.Unmarshal(w.Body.Bytes(), &p); err != nil || w.Code != http.StatusUnprocessableEntity || p.Pointer != pointer {
			t.Errorf("%s: status %d, %v, %s, want 422 at %q", body, w.Code, err, w.Body, pointer)
		}
	}
}

// In a run split by time, each context edge needs a time.
func TestRecommendByTime(t *testing.T) {
	r := linkRun(t, run.ByTime)
	s := New(nil, Options{Workers: 1, Queue: 4, Timeout: 10 * time.Second, Hosts: []string{"example.com"}, Log: slog.New(slog.DiscardHandler), Links: Links{"shop": r}})
	defer s.Close()
	for _, c := range []struct{ edge, pointer, want string }{
		{`["new","i0","2024-04-01"]`, "", `"cold":true`},
		{`["new","i0"]`, "/context/edges/0", "expected three, source, target and time"},
		{`["new","i0","yesterday"]`, "/context/edges/0/2", `the time is \"yesterday\", expected a time`},
		{`["new","i0",""]`, "/context/edges/0/2", "the time is missing"},
	} {
		req := httptest.NewRequest(http.MethodPost, "/v1/models/shop/recommend", strings.NewReader(`{"for":["new"],"top":2,"context":{"edges":[`+c.edge+`]}}`))
		req.Header.Set("Content-Type", "application/json")
		w := httptest.NewRecorder()
		s.ServeHTTP(w, req)
		var p Problem
		if err := json.Unmarshal(w.Body.Bytes(), &p); err != nil || p.Pointer != c.pointer || !strings.Contains(w.Body.String(), c.want) {
			t.Errorf("%s: %v, %s, want %q at %q", c.edge, err, w.Body, c.want, c.pointer)
		}
	}
}
