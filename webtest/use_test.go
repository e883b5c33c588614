package webtest

import (
	"encoding/csv"
	"encoding/json"
	"encoding/xml"
	"fmt"
	"image/png"
	"io"
	"net/http"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// press sends keys to what has the focus.
func (w *window) press(keys string) { w.do(chromedp.KeyEvent(keys)) }

// eventually waits until an expression is true.
func (w *window) eventually(expression string) {
	w.t.Helper()
	if _, err := chromedp.Run(w.ctx, chromedp.Poll[bool](expression)); err != nil {
		w.t.Fatalf("%s: %v", expression, err)
	}
}

// The whole of a screen is in reach of the tabulator, and what has the focus is marked.
func TestKeyboard(t *testing.T) {
	at := site(t)
	w := open(t, look{1000, "light", false, false})
	for _, path := range []string{"/", "/runs/rings/items", "/runs/rings/graph?method=record", "/compare", "/runs/rings/try"} {
		w.visit(at + path)
		want := value[int](w, `[...document.querySelectorAll("a[href], button, input:not([type=hidden]), select, textarea, [tabindex='0']")].length`)
		seen := map[string]bool{}
		for range want + 2 {
			w.press(kb.Tab)
			seen[value[string](w, `(e => { e.dataset.seen ??= String(Math.random()); return e === document.body ? "" : e.dataset.seen + (getComputedStyle(e).outlineStyle === "none" ? " unmarked " + e.outerHTML.slice(0, 100) : "") })(document.activeElement)`)] = true
		}
		delete(seen, "")
		if len(seen) < want {
			t.Errorf("%s: the tabulator reaches %d of %d", path, len(seen), want)
		}
		for s := range seen {
			if strings.Contains(s, "unmarked") {
				t.Errorf("%s: the focus does not show: %s", path, s)
			}
		}
	}
	w.visit(at + "/")
	w.press(kb.Tab)
	w.press(kb.Enter)
	if got := value[string](w, "document.activeElement.id"); got != "main" {
		t.Errorf("the link that skips to the content leads to %q", got)
	}
	w.calm("keyboard")
}

// A row that has the focus lights up its edge, the slider redraws the figure, and arrows go from
// row to row.
func TestGraph(t *testing.T) {
	at := site(t)
	w := open(t, look{1000, "light", false, false})
	w.visit(at + "/runs/rings/graph?method=record&layer=0")
	lit := `[...new Set([...document.querySelectorAll("[data-line].lit")].map(e => e.dataset.line))].join()`
	w.do(chromedp.Evaluate[chromedp.Void](`document.querySelector("tr[tabindex='0']").focus()`))
	if got := value[string](w, lit); got != "0" {
		t.Errorf("lines %q are lit, want 0", got)
	}
	w.press(kb.ArrowDown)
	w.press(kb.ArrowDown)
	if got := value[string](w, lit); got != "2" {
		t.Errorf("after two arrows lines %q are lit, want 2", got)
	}
	dashed := `document.querySelectorAll("[data-line][stroke-dasharray]").length`
	if n := value[int](w, dashed); n != 0 {
		t.Errorf("the whole graph has %d dashed lines", n)
	}
	w.do(chromedp.Evaluate[chromedp.Void](`document.getElementById("layer").focus()`))
	w.press(kb.ArrowRight)
	w.press(kb.ArrowRight)
	w.eventually(`document.getElementById("layer-text").textContent === "layer 2 of 2" && document.querySelector("figcaption").textContent.includes("layer 2")`)
	dropped := value[int](w, `[...document.querySelectorAll("tbody tr")].filter(r => r.lastElementChild.textContent !== "").length`)
	if n := value[int](w, dashed); n != dropped || n == 0 {
		t.Errorf("%d lines are dashed, %d edges were dropped", n, dropped)
	}
	w.do(chromedp.Evaluate[chromedp.Void](`document.querySelector("tr[tabindex='0']").focus()`))
	if got := value[string](w, lit); got != "0" {
		t.Errorf("in the new figure lines %q are lit, want 0", got)
	}
	if got := value[string](w, "location.search"); !strings.Contains(got, "layer=2") {
		t.Errorf("the address is %s", got)
	}
	w.calm("graph")
}

// The example is predicted and explained; a fault is shown at its line.
func TestTry(t *testing.T) {
	at := site(t)
	w := open(t, look{1000, "light", false, false})
	w.visit(at + "/runs/rings/try")
	ask := func(button, text string) {
		if text != "" {
			w.do(chromedp.Evaluate[chromedp.Void](fmt.Sprintf(`document.getElementById("graph-text").value = %q`, text)))
		}
		w.do(chromedp.Evaluate[chromedp.Void](fmt.Sprintf(`document.querySelector("button[value=%s]").click()`, button)))
	}
	ask("predict", "")
	w.eventually(`document.querySelectorAll("#try-answer meter").length === 2`)
	w.accessible("prediction")
	w.fits("prediction")
	w.keep("try-predicted")
	ask("explain", "")
	w.eventually(`document.querySelectorAll("#try-answer [data-line]").length > 3 && document.querySelectorAll("#try-answer tr[tabindex]").length > 3`)
	w.accessible("explanation")
	w.fits("explanation")
	w.keep("try-explained")
	w.calm("try")
	for text, want := range map[string]string{
		"{\n \"nodes\": [\n}":       "Line 3: this is no JSON",
		"{\"nodes\": [],\n\"x\" 1}": "Line 2: this is no JSON",
		"{\"nodes\": [{\"id\": 1,\"label\":0}],\n \"edges\": [\n {\"source\": 1, \"target\": 7,\"label\":0}]}": "Line 3, edges/0",
	} {
		ask("predict", text)
		w.eventually(`document.getElementById("try-error").textContent !== ""`)
		if got := value[string](w, `document.getElementById("try-error").textContent`); !strings.HasPrefix(got, want) {
			t.Errorf("%s: %q, want %q", text, got, want)
		}
		if value[string](w, `document.getElementById("graph-text").getAttribute("aria-invalid")`) != "true" {
			t.Errorf("%s: the field is not marked", text)
		}
	}
	w.forget("422") // which the browser notes
	w.calm("faults")
	w.visit(at + "/runs/payments/try")
	ask("predict", "")
	w.eventually(`document.querySelectorAll("#try-answer tbody tr").length > 3`)
	if got, want := value[string](w, `[...document.querySelectorAll("#try-answer th")].map(h => h.textContent).join()`), "edge,source,target,class,probability of "+attack+",probability of ok"; got != want {
		t.Errorf("the columns of edges are %s, want %s", got, want)
	}
	w.accessible("predictions of edges")
	w.fits("predictions of edges")
	w.do(chromedp.Evaluate[chromedp.Void](`document.getElementById("try-item").value = "1"`))
	ask("explain", "")
	w.eventually(`document.querySelectorAll("#try-answer [data-line]").length > 0 && document.querySelectorAll("#try-answer tr[tabindex]").length > 0`)
	w.accessible("explanation of an edge")
	w.fits("explanation of an edge")
	w.keep("try-explained-edge")
	w.calm("a prediction for an edge")
	w.visit(at + "/runs/lost/try")
	ask("explain", "")
	w.eventually(`document.querySelectorAll("#try-answer [data-line]").length > 3`)
	w.calm("a run without its data")
}

// Files that the screens offer are what they are called.
func TestDownloads(t *testing.T) {
	at := site(t)
	get := func(path string) io.Reader {
		t.Helper()
		r, err := http.Get(at + path)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { r.Body.Close() })
		if r.StatusCode != http.StatusOK || !strings.HasPrefix(r.Header.Get("Content-Disposition"), "attachment") {
			t.Errorf("%s: %s, %s", path, r.Status, r.Header.Get("Content-Disposition"))
		}
		return r.Body
	}
	rows, err := csv.NewReader(get("/runs/payments/items.csv?filter=error%3E0")).ReadAll()
	if err != nil || len(rows) < 2 || len(rows[0]) != len(rows[1]) {
		t.Errorf("items.csv: %d rows, %v", len(rows), err)
	}
	if _, err := png.Decode(get("/runs/rings/graph/figure.png?method=record&layer=1")); err != nil {
		t.Errorf("figure.png: %v", err)
	}
	d := xml.NewDecoder(get("/runs/rings/graph/figure.svg?method=record&layer=1"))
	for {
		if _, err := d.Token(); err == io.EOF {
			break
		} else if err != nil {
			t.Fatalf("figure.svg: %v", err)
		}
	}
	var record struct{ Edges [][2]int }
	if err := json.NewDecoder(get("/runs/rings/graph/record.json")).Decode(&record); err != nil || len(record.Edges) == 0 {
		t.Errorf("record.json: %d edges, %v", len(record.Edges), err)
	}
}

// The report of a run opens from the disk: no errors, nothing from elsewhere, no scripts, and
// names of the data stay text.
func TestReport(t *testing.T) {
	dir, err := trained()
	if err != nil {
		t.Fatal(err)
	}
	for _, l := range []look{{1400, "light", false, false}, {400, "dark", false, false}} {
		w := open(t, l)
		for _, run := range []string{"rings", "payments"} {
			w.visit("file://" + filepath.Join(dir, run, "report.html"))
			w.fits("report.html of " + run)
			w.accessible("report.html of " + run)
			w.calm("report.html of " + run)
			if n := value[int](w, "document.scripts.length"); n != 0 {
				t.Errorf("report.html of %s has %d scripts", run, n)
			}
		}
		if !value[bool](w, fmt.Sprintf("document.body.textContent.includes(%q)", attack)) {
			t.Error("the hostile name is not in the report")
		}
	}
}
