package webtest

import (
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
)

// screens are the addresses of all screens, each in the states that it can be in.
var screens = []string{
	"/",
	"/runs/rings",
	"/runs/payments",
	"/runs/rings/items",
	"/runs/payments/items",
	"/runs/payments/items?filter=edge%3C3&sort=edge",
	"/runs/rings/items?filter=nonsense%3E3",
	"/runs/rings/graph",
	"/runs/rings/graph?method=record&layer=1",
	"/runs/rings/graph?method=record&layer=0",
	"/runs/clusters/graph",
	"/runs/payments/graph",
	"/runs/payments/graph?method=record&node=n7",
	"/runs/links",
	"/runs/links/recommend",
	"/runs/links/recommend?for=n7&known=1",
	"/runs/lost/graph",
	"/runs/rings/map",
	"/runs/clusters/map",
	"/runs/payments/map",
	"/runs/lost/map",
	"/compare?a=rings&b=rings-again",
	"/compare?a=rings&b=payments",
	"/compare?run=rings&run=rings-again&run=clusters&run=repeated",
	"/?find=ring",
	"/docs",
	"/runs/rings/try",
	"/runs/payments/try",
}

// Every screen, at every width, light and dark, and in forced colours, is without errors, asks for nothing elsewhere, is
// no wider than the window and has no fault in its geometry nor any that axe-core finds.
func TestScreens(t *testing.T) {
	at := site(t)
	for _, scheme := range []string{"light", "dark"} {
		t.Run(scheme, func(t *testing.T) {
			w := open(t, look{1400, scheme, false, false})
			for _, path := range screens {
				w.visit(at + path)
				w.looked(path, scheme)
			}
		})
	}
	t.Run("forced colours", func(t *testing.T) {
		w := open(t, look{1400, "light", true, false})
		for _, path := range screens {
			w.visit(at + path)
			w.fits(path)
			w.accessible(path)
			w.calm(path)
		}
	})
}

// With scripts off every screen has its heading and its content.
func TestStatic(t *testing.T) {
	at := site(t)
	w := open(t, look{1000, "light", false, true})
	for path, want := range map[string]string{
		"/":                            `<a href="./runs/rings">rings</a>`,
		"/runs/rings":                  "Leaderboard",
		"/runs/rings/items":            "probability_1",
		"/runs/rings/graph":            `role="img" aria-label="Which edges`,
		"/runs/clusters/graph":         "cluster",
		"/runs/rings/map":              "of their variance",
		"/runs/links/recommend?for=n7": "Without the partners that the node has",
		"/runs/links":                  "Misses and finds",
		"/compare?a=rings&b=lost":      "Settings that differ",
		"/runs/rings/try":              "This form needs scripts",
		"/runs/lost/graph":             "cannot be opened",
		"/runs/payments/items":         "&lt;script&gt;alert(1)&lt;/script&gt;",
		"/runs/rings/items?sort=x":     "no column",
	} {
		w.visit(at + path)
		text, err := chromedp.Run(w.ctx, chromedp.OuterHTML(chromedp.CSS("html")))
		w.must(err)
		if !strings.Contains(text, want) || !strings.Contains(text, "<h1>") {
			t.Errorf("%s has no heading or no %q:\n%.3000s", path, want, text)
		}
		w.calm(path)
	}
}
