package webtest

import (
	_ "embed"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

//go:embed testdata/geometry.js
var explainedGeometry string

// The pictures of explanations in docs/pictures, as a browser shows them: no text overlaps another, is cut or too small, none
// and no mark leaves the picture, in light and in dark.
func TestExplained(t *testing.T) {
	folder := filepath.Join("..", "docs", "pictures")
	files, err := filepath.Glob(filepath.Join(folder, "explain-*.svg"))
	if err != nil || len(files) < 10 {
		t.Fatalf("%d pictures of explanations, %v", len(files), err)
	}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		svg, err := os.ReadFile(filepath.Join(folder, filepath.Base(r.URL.Path)))
		if err != nil {
			http.NotFound(w, r)
			return
		}
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		_, _ = w.Write([]byte(`<!DOCTYPE html><html lang="en"><title>picture</title><link rel="icon" href="data:,"><style>body{margin:0}svg{display:block}</style><body>` + string(svg) + `</body></html>`))
	}))
	t.Cleanup(server.Close)
	for _, scheme := range []string{"light", "dark"} {
		wide := open(t, look{1420, scheme, false, false})
		narrow := open(t, look{400, scheme, false, false})
		for _, file := range files {
			w, name := wide, filepath.Base(file)
			if strings.HasSuffix(name, "-narrow.svg") {
				w = narrow
			}
			w.visit(server.URL + "/" + name)
			for _, fault := range value[[]string](w, "(() => {"+explainedGeometry+"; return geometryFaults(); })()") {
				t.Errorf("%s, %s: %s", name, scheme, fault)
			}
		}
	}
}
