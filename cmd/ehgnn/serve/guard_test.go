package serve

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/ehgnn/ehgnn/internal/testserver"
)

// A request must use a name of the server and must not come from another site.
func TestGuard(t *testing.T) {
	var log bytes.Buffer
	s := started(t, loadRuns(t, ordinary, ringsDir(t)), func(o *Options) { o.Log = slog.New(slog.NewJSONHandler(&log, nil)) })
	predict := asked{path: "/v1/models/rings/predict", body: graphs(triangle)}
	for name, test := range map[string]struct {
		host   string
		header map[string]string
		status int
	}{
		"itself":       {"localhost:8080", nil, 200},
		"its address":  {"127.0.0.1", nil, 200},
		"another host": {"evil.example", nil, 421},
		"no host":      {" ", nil, 421},
		"own origin":   {"localhost:8080", map[string]string{"Origin": "http://localhost:8080"}, 200},
		"another site": {"localhost:8080", map[string]string{"Origin": "http://evil.example"}, 403},
		"fetched":      {"localhost:8080", map[string]string{"Sec-Fetch-Site": "cross-site"}, 403},
	} {
		q := predict
		q.host, q.header = test.host, test.header
		if r := ask(t, s, q); r.status != test.status {
			t.Errorf("%s: %+v, want status %d", name, r, test.status)
		} else if r.header.Get("X-Content-Type-Options") != "nosniff" || r.header.Get("Content-Security-Policy") != policy || r.header.Get("Access-Control-Allow-Origin") != "" {
			t.Errorf("%s: headers %v", name, r.header)
		}
	}
	log.Reset()
	predict.header = map[string]string{"X-Request-Id": "mine-1", "Traceparent": "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"}
	if r := ask(t, s, predict); r.header.Get("X-Request-Id") != "mine-1" {
		t.Errorf("%v", r.header)
	}
	var line struct {
		ID, Method, Route, Traceparent, Digest string
		Status, Graphs                         int
		QueueMS                                *float64 `json:"queue_ms"`
		ComputeMS                              *float64 `json:"compute_ms"`
	}
	if err := json.Unmarshal(log.Bytes(), &line); err != nil || line.ID != "mine-1" || line.Route != "/v1/models/{m}/predict" || line.Status != 200 || line.Graphs != 1 ||
		line.Traceparent == "" || line.Digest == "" || line.QueueMS == nil || line.ComputeMS == nil || strings.Contains(log.String(), "num_nodes") {
		t.Errorf("%v: %s", err, &log)
	}
	predict.header = map[string]string{"X-Request-Id": "not\tmine"}
	if r := ask(t, s, predict); !ownID.MatchString(r.header.Get("X-Request-Id")) {
		t.Errorf("%v", r.header)
	}
	metrics := ask(t, s, asked{method: http.MethodGet, path: "/metrics"})
	for _, want := range []string{`ehgnn_requests_total{code="200",route="/v1/models/{m}/predict"} 5`, `ehgnn_requests_total{code="421",route="none"} 2`,
		`ehgnn_requests_total{code="403",route="none"} 2`, "ehgnn_queue_seconds_count 5", "ehgnn_batch_graphs_sum 5", "ehgnn_in_flight 1",
		`ehgnn_reloads_total{result="refused"} 0`, `ehgnn_model_info{digest="` + line.Digest + `",model="rings",task="graph-classification"} 1`} {
		if !strings.Contains(metrics.body, want) {
			t.Errorf("no %s in\n%s", want, metrics.body)
		}
	}
}

// With a token, requests without it are answered only for health. A browser exchanges the token for a cookie.
func TestToken(t *testing.T) {
	page := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.Write([]byte("the page")) })
	s := started(t, loadRuns(t, ordinary, ringsDir(t)), func(o *Options) { o.Token, o.Page = "0123456789abcdef", page })
	get := func(path string, header map[string]string) got {
		t.Helper()
		return ask(t, s, asked{method: http.MethodGet, path: path, header: header})
	}
	for _, path := range []string{"/v1/models", "/metrics", "/openapi.json", "/v1/none"} {
		if r := get(path, nil); r.status != 401 || r.header.Get("WWW-Authenticate") == "" {
			t.Errorf("%s without a token: %+v", path, r)
		}
		if r := get(path, map[string]string{"Authorization": "Bearer 0123456789abcdeg"}); r.status != 401 {
			t.Errorf("%s with a wrong token: %+v", path, r)
		}
	}
	if r := get("/v1/models", map[string]string{"Authorization": "Bearer 0123456789abcdef"}); r.status != 200 {
		t.Errorf("with the token: %+v", r)
	}
	for _, path := range []string{"/healthz", "/readyz", "/v2/health/live", "/v2/health/ready"} {
		if r := get(path, nil); r.status != 200 {
			t.Errorf("%s: %+v", path, r)
		}
	}
	if r := get("/runs/rings", nil); r.status != 401 || !strings.Contains(r.body, `<form method="post" action="../token">`) {
		t.Errorf("the page without a token: %+v", r)
	}
	trade := asked{path: "/token", body: "token=wrong", header: map[string]string{"Content-Type": "application/x-www-form-urlencoded"}}
	if r := ask(t, s, trade); r.status != 401 || r.header.Get("Set-Cookie") != "" || !strings.Contains(r.body, "not the token") {
		t.Errorf("a wrong token: %+v", r)
	}
	trade.body = "token=0123456789abcdef"
	r := ask(t, s, trade)
	set := r.header.Get("Set-Cookie")
	for _, want := range []string{"HttpOnly", "SameSite=Strict", "Path=/"} {
		if r.status != http.StatusSeeOther || !strings.Contains(set, want) {
			t.Errorf("%+v, want a cookie with %s", r, want)
		}
	}
	value, _, _ := strings.Cut(set, ";")
	if r := get("/", map[string]string{"Cookie": value}); r.body != "the page" {
		t.Errorf("the page with the cookie: %+v", r)
	}
	if r := get("/", map[string]string{"Cookie": value + "x"}); r.status != 401 {
		t.Errorf("the page with another cookie: %+v", r)
	}
}

// A request that exceeds its time does not affect the next request of the same client.
func TestTimeOver(t *testing.T) { synctest.Test(t, testTimeOver) }

func testTimeOver(t *testing.T) {
	next := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		io.Copy(io.Discard, r.Body)
		if r.URL.Path == "/slow" {
			<-r.Context().Done()
		}
		fmt.Fprint(w, r.Context().Err())
	})
	client := testserver.Client(t, newGuard(next, &Options{Timeout: time.Second, Hosts: []string{"localhost"}, Log: slog.New(slog.DiscardHandler)}, newMetrics(nil)))
	get := func(method, path, body string) string {
		t.Helper()
		r, err := http.NewRequest(method, "http://localhost"+path, strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		answer, err := client.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		defer answer.Body.Close()
		text, err := io.ReadAll(answer.Body)
		if err != nil || answer.StatusCode != http.StatusOK {
			t.Fatalf("%s %s: %s, %v", method, path, answer.Status, err)
		}
		return string(text)
	}
	if text := get(http.MethodGet, "/slow", ""); !strings.Contains(text, "context deadline exceeded") {
		t.Errorf("%q, want a context whose time is over", text)
	}
	for method, body := range map[string]string{http.MethodGet: "", http.MethodPost: "graphs"} {
		if text := get(method, "/quick", body); text != "<nil>" {
			t.Errorf("%s after one that took too long: %q", method, text)
		}
	}
}
