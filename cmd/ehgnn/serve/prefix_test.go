package serve

import (
	"net/http"
	"strings"
	"testing"
)

// A server with a prefix answers with and without it, and names it to clients.
func TestPrefix(t *testing.T) {
	page := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { w.Write([]byte("page " + r.URL.EscapedPath())) })
	for name, test := range map[string]struct {
		base, path string
		header     map[string]string
		body       string
	}{
		"kept":               {"/ehgnn", "/ehgnn/runs/a%2Fb", nil, "page /runs/a%2Fb"},
		"kept, alone":        {"/ehgnn", "/ehgnn", nil, "page /"},
		"taken off":          {"/ehgnn", "/runs/x", nil, "page /runs/x"},
		"another":            {"/ehgnn", "/ehgnnx", nil, "page /ehgnnx"},
		"described":          {"/ehgnn", "/ehgnn/openapi.json", nil, `"servers":[{"url":"/ehgnn"}]`},
		"forwarded":          {"", "/openapi.json", map[string]string{forwardedPrefix: "/a/b/"}, `"servers":[{"url":"/a/b"}]`},
		"forwarded, no path": {"", "/openapi.json", map[string]string{forwardedPrefix: "//evil.example"}, `"openapi":`},
		"an API":             {"/ehgnn", "/ehgnn/v1/models", nil, `"models":`},
	} {
		s := started(t, loadRuns(t, ordinary, ringsDir(t)), func(o *Options) { o.Base, o.Page = test.base, page })
		r := ask(t, s, asked{method: http.MethodGet, path: test.path, header: test.header})
		if !strings.Contains(r.body, test.body) || strings.Contains(r.body, "evil") {
			t.Errorf("%s: %.300s, want %s", name, r.body, test.body)
		}
	}
	s := started(t, loadRuns(t, ordinary, ringsDir(t)), func(o *Options) { o.Base, o.Token, o.Page = "/ehgnn", "0123456789abcdef", page })
	r := ask(t, s, asked{path: "/ehgnn/token", body: "token=0123456789abcdef", header: map[string]string{"Content-Type": "application/x-www-form-urlencoded"}})
	if r.status != http.StatusSeeOther || r.header.Get("Location") != "./" || !strings.Contains(r.header.Get("Set-Cookie"), "Path=/ehgnn/;") {
		t.Errorf("the token: %+v", r)
	}
	if r := ask(t, s, asked{method: http.MethodGet, path: "/ehgnn/runs/x"}); !strings.Contains(r.body, `action="../token"`) {
		t.Errorf("the form: %+v", r)
	}
	for path, ok := range map[string]bool{"": true, "/": true, "/a": true, "/a/b-c.d/": true, "a": false, "//a": false, "/a/../b": false, "/a b": false, "/a?b": false, "http://a": false} {
		if _, is := BasePath(path); is != ok {
			t.Errorf("%q is a prefix: %v, want %v", path, is, ok)
		}
	}
}
