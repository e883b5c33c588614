package serve

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/ehgnn/ehgnn/internal/session"
	"github.com/ehgnn/ehgnn/internal/settings"
)

// sets holds small data sets.
var sets = filepath.Join("..", "..", "..", "testdata", "sets")

// trained trains a run for one epoch and returns its folder.
func trained(t testing.TB, r session.Request) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "run")
	r.Threads = 1
	r.Given = settings.Values{"epochs": 1, "hidden": 8}.Over(r.Given)
	s, err := session.Open(t.Context(), r)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Train(t.Context(), session.TrainOptions{Dir: dir}); err != nil {
		t.Fatal(err)
	}
	return dir
}

// rings is a run on graphs with node labels (5, 6) and edge labels (1, 2), which the tests share.
var rings = sync.OnceValues(func() (string, error) {
	dir, err := os.MkdirTemp("", "ehgnn-serve-")
	if err != nil {
		return "", err
	}
	dir = filepath.Join(dir, "rings")
	s, err := session.Open(context.Background(), session.Request{Path: filepath.Join(sets, "RINGS"), Model: "hyperdrop", Threads: 1, Seed: 1, Given: settings.Values{"epochs": 1, "hidden": 8}})
	if err != nil {
		return "", err
	}
	_, err = s.Train(context.Background(), session.TrainOptions{Dir: dir})
	return dir, err
})

func TestMain(m *testing.M) {
	code := m.Run()
	if dir, err := rings(); err == nil {
		os.RemoveAll(filepath.Dir(dir))
	}
	os.Exit(code)
}

func ringsDir(t testing.TB) string {
	t.Helper()
	dir, err := rings()
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

// ordinary are the limits of the command.
var ordinary = Limits{Body: 16 << 20, Nodes: 100000, Edges: 500000}

// loadRuns loads run folders.
func loadRuns(t testing.TB, limits Limits, dirs ...string) []*Run {
	t.Helper()
	runs, err := Load(t.Context(), dirs, LoadOptions{Workers: 2, Limits: limits})
	if err != nil {
		t.Fatal(err)
	}
	return runs
}

// started returns a server of runs.
func started(t testing.TB, runs []*Run, change func(*Options)) *Server {
	t.Helper()
	o := Options{Workers: 2, Queue: 64, Timeout: 30 * time.Second, Hosts: []string{"127.0.0.1", "localhost"}, Log: slog.New(slog.DiscardHandler)}
	if change != nil {
		change(&o)
	}
	s := New(runs, o)
	t.Cleanup(s.Close)
	return s
}

// asked is a request of a test.
type asked struct {
	method, path, body string
	header             map[string]string
	host               string
}

// got is a reply.
type got struct {
	status int
	header http.Header
	body   string
}

// ask sends a request to a server, as JSON if no type is given.
func ask(t testing.TB, h http.Handler, q asked) got {
	t.Helper()
	if q.method == "" {
		q.method = http.MethodPost
	}
	r := httptest.NewRequest(q.method, q.path, strings.NewReader(q.body))
	if r.Host = "localhost"; q.host != "" {
		r.Host = q.host
	}
	if q.method == http.MethodPost {
		r.Header.Set("Content-Type", "application/json")
	}
	for name, value := range q.header {
		r.Header.Set(name, value)
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	body, _ := io.ReadAll(w.Result().Body) // reading from memory does not fail
	return got{w.Code, w.Result().Header, string(body)}
}

// problemOf returns the problem in a reply.
func problemOf(t testing.TB, g got) Problem {
	t.Helper()
	var p Problem
	if err := json.Unmarshal([]byte(g.body), &p); err != nil || g.header.Get("Content-Type") != map[bool]string{true: "application/json", false: "application/problem+json"}[p.Inferred != ""] || p.Status != g.status {
		t.Fatalf("%v: %+v", err, g)
	}
	return p
}

// triangle is a graph for the run, in the form of this program and as node-link JSON.
const (
	triangle = `{"id":"a","num_nodes":3,"edges":[[0,1],[1,2],[2,0]],"node":{"label":[5,6,5]},"edge":{"label":[1,2,1]}}`
	linked   = `{"directed":false,"multigraph":true,"graph":{"id":"a"},"nodes":[{"id":"x","label":5},{"id":1,"label":6},{"id":"1","label":5}],
		"edges":[{"source":"x","target":1.0,"label":1},{"source":1,"target":"1","label":2,"other":{"a":[1,"b"]}},{"source":"1","target":"x","label":1}]}`
)

func compact(t testing.TB, text string) string {
	t.Helper()
	var b bytes.Buffer
	if err := json.Compact(&b, []byte(text)); err != nil {
		t.Fatal(err)
	}
	return b.String()
}
