package webtest

import (
	"encoding/csv"
	"encoding/json"
	"encoding/xml"
	"fmt"
	"image/png"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/input"
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
		want := value[int](w, `[...document.querySelectorAll("a[href], button, input:not([type=hidden]):not([disabled]), select, textarea, [tabindex='0']")].filter(e => e.getClientRects().length > 0).length`)
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
	dashed := `[...document.querySelectorAll("[data-line]:has([stroke-dasharray])")].filter(e => e.getClientRects().length > 0 && !e.querySelector("text")).length`
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
	w.eventually(`document.querySelectorAll("#try-answer svg[role=img]").length > 0 && document.querySelectorAll("#try-answer tbody tr").length > 3`)
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
	w.eventually(`document.querySelectorAll("#try-answer svg[role=img]").length > 0 && document.querySelectorAll("#try-answer tbody tr").length > 0`)
	w.accessible("explanation of an edge")
	w.fits("explanation of an edge")
	w.keep("try-explained-edge")
	w.calm("a prediction for an edge")
	w.visit(at + "/runs/lost/try")
	ask("explain", "")
	w.eventually(`document.querySelectorAll("#try-answer svg[role=img]").length > 0 && document.querySelectorAll("#try-answer tbody tr").length > 3`)
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

// The report of a run opens from the disk, at every width, light and dark: no errors, nothing from elsewhere, one
// script, and names of the data stay text.
func TestReport(t *testing.T) {
	dir, err := trained()
	if err != nil {
		t.Fatal(err)
	}
	for _, scheme := range []string{"light", "dark"} {
		w := open(t, look{1400, scheme, false, false})
		for _, run := range []string{"rings", "payments", "auto", "amounts"} {
			path := filepath.Join(dir, run, "report.html")
			w.visit("file://" + path)
			w.looked("-report-"+run, scheme)
			if n := value[int](w, "document.scripts.length"); n != 1 {
				t.Errorf("the report of %s has %d scripts", run, n)
			}
			if info, err := os.Stat(path); err != nil || info.Size() > 400_000 {
				t.Errorf("the report of %s: %v, %d bytes", run, err, info.Size())
			}
		}
	}
	w := open(t, look{1400, "light", false, false})
	w.visit("file://" + filepath.Join(dir, "payments", "report.html"))
	if !value[bool](w, fmt.Sprintf("document.body.textContent.includes(%q)", attack)) {
		t.Error("the hostile name is not in the report")
	}
}

// With scripts off a report has its verdict, leaderboard, threshold and drawings.
func TestReportStatic(t *testing.T) {
	dir, err := trained()
	if err != nil {
		t.Fatal(err)
	}
	w := open(t, look{800, "light", false, true})
	w.visit("file://" + filepath.Join(dir, "auto", "report.html"))
	text, err := chromedp.Run(w.ctx, chromedp.OuterHTML(chromedp.CSS("html")))
	w.must(err)
	for _, want := range []string{`class="verdict`, "Leaderboard", "Confusion matrix", `<path class="best"`, "Largest errors"} {
		if !strings.Contains(text, want) {
			t.Errorf("the report has no %q", want)
		}
	}
}

// In a report that is a file the name of an item leads to the command that explains it, which is marked and copied as it stands; where the
// browser does not let the page copy, it is selected.
func TestReportCommand(t *testing.T) {
	dir, err := trained()
	if err != nil {
		t.Fatal(err)
	}
	w := open(t, look{1400, "light", false, false})
	w.visit("file://" + filepath.Join(dir, "auto", "report.html"))
	click := func(what string) {
		w.do(chromedp.Evaluate[chromedp.Void](fmt.Sprintf("document.querySelector(%q).click()", what)))
	}
	click(`td a[href="#explain"]`)
	if outline := value[string](w, `getComputedStyle(document.querySelector(".box:target")).outlineStyle`); outline != "solid" {
		t.Errorf("the command that a name leads to has the outline %q", outline)
	}
	w.do(chromedp.Evaluate[chromedp.Void](`Object.defineProperty(navigator, "clipboard", { configurable: true, value: { writeText: async t => { window.copied = t; } } })`))
	click("#explain [data-copy]")
	if got := value[string](w, "window.copied"); !regexp.MustCompile(`^ehgnn explain \S+ --split test --edge [\w,]+ --out why\.html$`).MatchString(got) {
		t.Errorf("copied is %q", got)
	}
	w.do(chromedp.Evaluate[chromedp.Void](`Object.defineProperty(navigator, "clipboard", { value: undefined })`))
	click("#explain [data-copy]")
	if got := value[string](w, `new Promise(done => setTimeout(() => done(getSelection().toString()), 50))`); !strings.HasPrefix(got, "ehgnn explain ") {
		t.Errorf("selected is %q", got)
	}
	w.calm("the command")
}

// Charts show values on hover and by arrow keys, legends hide series, the slider moves the matrix, the curves and the
// cost, and tables are sorted and filtered.
func TestReportUse(t *testing.T) {
	dir, err := trained()
	if err != nil {
		t.Fatal(err)
	}
	w := open(t, look{1400, "light", false, false})
	w.visit("file://" + filepath.Join(dir, "auto", "report.html"))
	tip := `[...document.querySelectorAll(".tip")].filter(t => !t.hidden).map(t => t.textContent).join()`
	w.hover(`document.querySelector("[data-role=pr] svg")`, 0.5, 0.5)
	if got := value[string](w, tip); !strings.HasPrefix(got, "recall 0.") || !strings.Contains(got, "network") {
		t.Errorf("hover shows %q", got)
	}
	if over := value[bool](w, `(() => { const t = [...document.querySelectorAll(".tip")].find(t => !t.hidden), p = t.parentElement.getBoundingClientRect(), b = t.getBoundingClientRect(); return b.left < p.left - 1 || b.right > p.right + 1 })()`); over {
		t.Error("the box of values leaves its plot")
	}
	w.do(chromedp.Evaluate[chromedp.Void](`document.querySelector("[data-role=pr] svg").focus()`))
	w.press(kb.ArrowRight)
	before := value[string](w, tip)
	w.press(kb.ArrowRight)
	w.press(kb.ArrowRight)
	if after := value[string](w, tip); after == before || after == "" {
		t.Errorf("arrow keys lead from %q to %q", before, after)
	}
	w.press(kb.Escape)
	if got := value[string](w, tip); got != "" {
		t.Errorf("after Escape there is %q", got)
	}

	zoomAndSave(w)

	state := `[document.querySelector("[data-count=fp]").textContent, document.querySelector("[data-role=pr] .at").getAttribute("cy"), document.querySelector("[data-role=cost] .at").getAttribute("cx")]`
	first := value[[]string](w, state)
	slider := `document.getElementById("threshold-slider")`
	w.click(slider, 0.9, 0.5, 1)
	if at := value[float64](w, slider+".value / "+slider+".max"); at < 0.8 || at > 0.99 {
		t.Errorf("a click at nine tenths of the slider leads to %v of it", at)
	}
	left, top := w.place(slider, 0.9, 0.5)
	w.mouse(input.DispatchMouseEventTypeMousePressed, left, top, 1)
	left, top = w.place(slider, 0.02, 0.5)
	w.mouse(input.DispatchMouseEventTypeMouseMoved, left, top, 1)
	w.mouse(input.DispatchMouseEventTypeMouseReleased, left, top, 1)
	low := value[[]string](w, state)
	for k := range first {
		if first[k] == low[k] {
			t.Errorf("the slider leaves %q", low[k])
		}
	}
	all := value[[]int](w, `["tp", "fn", "fp", "tn"].map(k => +document.querySelector(`+"`[data-count=${k}]`"+`).textContent.replaceAll(",", ""))`)
	if test := value[[]int](w, `JSON.parse(document.querySelector("[data-threshold]").dataset.threshold).test`); all[0]+all[1] != test[0] || all[2]+all[3] != test[1] {
		t.Errorf("the matrix has %v, of %v items", all, test)
	}
	path := `document.querySelector("[data-role=cost] path").getAttribute("d")`
	cheap := value[string](w, path)
	w.write(`document.getElementById("cost-missed")`, "500")
	w.click(`document.getElementById("cheapest")`, 0.5, 0.5, 1)
	if value[string](w, path) == cheap {
		t.Error("other costs leave the curve")
	}
	// The marked threshold has the lowest cost by the counts of the validation set.
	if !value[bool](w, `(() => { const { grid, valid } = JSON.parse(document.querySelector("[data-threshold]").dataset.threshold), cost = (g) => (valid[0] - g[1]) * 500 + g[2];
		return cost(grid[document.getElementById("threshold-slider").value]) === Math.min(...grid.map(cost)) })()`) {
		t.Error("the chosen threshold is not the cheapest on validation")
	}
	w.tidy("the report after use")

	column := `[...document.querySelectorAll(".board tbody tr")].map(r => r.cells[2].dataset.v).map(Number)`
	w.click(`document.querySelectorAll(".board th button")[0]`, 0.5, 0.5, 1)
	if got := value[[]float64](w, column); !slices.IsSorted(got) {
		t.Errorf("after a click on a column that falls it is %v", got)
	}
	w.click(`document.querySelectorAll(".pills .b")[1]`, 0.5, 0.5, 1)
	if n := value[int](w, `[...document.querySelectorAll("tr[data-k]")].filter(r => !r.hidden && !r.dataset.k.startsWith("missed")).length`); n != 0 {
		t.Errorf("%d rows of another kind are shown", n)
	}
	w.click(`document.querySelector("[data-group]")`, 0.5, 0.5, 1)
	if n := value[int](w, `document.querySelectorAll(".plot .off").length`); n == 0 {
		t.Error("a button of a legend hides nothing")
	}
	w.calm("use of a report")
}

// zoomAndSave drags over a part of a chart, which then shows that part, with ticks of its own; a double click shows all again, as do keys; and the
// chart is saved as SVG and PNG.
func zoomAndSave(w *window) {
	w.t.Helper()
	w.do(chromedp.Evaluate[chromedp.Void](`window.pr = document.querySelector("[data-role=pr] > svg"); pr.scrollIntoView({ block: "center", behavior: "instant" }); window.saved = [];
		HTMLAnchorElement.prototype.click = function () { saved.push([this.download, this.href]); }`))
	state := `[...pr.querySelectorAll(":scope > svg")].map(e => e.getAttribute("viewBox")).concat([...pr.querySelectorAll(".xgrid text, .ygrid text")].map(e => e.textContent)).join()`
	whole := value[string](w, state)
	drag := func(what input.DispatchMouseEventType, x, y float64) {
		left, top := w.place("pr", x, y)
		w.mouse(what, left, top, 1)
	}
	w.hover("pr", 0.5, 0.1)
	drag(input.DispatchMouseEventTypeMousePressed, 0.5, 0.1)
	drag(input.DispatchMouseEventTypeMouseMoved, 0.7, 0.4)
	if n := value[int](w, `pr.querySelectorAll(".frame").length`); n != 1 {
		w.t.Errorf("a drag shows %d frames", n)
	}
	drag(input.DispatchMouseEventTypeMouseMoved, 0.75, 0.6)
	drag(input.DispatchMouseEventTypeMouseReleased, 0.75, 0.6)
	zoomed := value[string](w, state)
	if box := value[string](w, `pr.querySelector(":scope > svg").getAttribute("viewBox")`); zoomed == whole || !strings.HasPrefix(box, "5000 1000 2500 5000") && !strings.HasPrefix(box, "49") && !strings.HasPrefix(box, "50") {
		w.t.Errorf("a drag over a part shows %s", zoomed)
	}
	w.tidy("a zoomed chart")
	w.click("pr", 0.5, 0.5, 2)
	if got := value[string](w, state); got != whole {
		w.t.Errorf("after a double click the chart shows %s, before %s", got, whole)
	}
	w.do(chromedp.Evaluate[chromedp.Void](`pr.focus()`))
	w.press("+")
	if value[string](w, state) == whole {
		w.t.Error("the key + does not zoom")
	}
	w.press("0")
	if got := value[string](w, state); got != whole {
		w.t.Errorf("after the key 0 the chart shows %s", got)
	}
	w.do(chromedp.Evaluate[chromedp.Void](`pr.closest("figure").querySelectorAll(".save button").forEach(b => b.click())`))
	w.eventually(`saved.length === 2`)
	for i, want := range []string{"data:image/svg+xml", "data:image/png;base64,"} {
		if got := value[string](w, fmt.Sprintf(`saved[%d].join(" ").slice(0, 200)`, i)); !strings.Contains(got, want) || !strings.HasPrefix(got, "precision-and-recall") {
			w.t.Errorf("saved is %s", got)
		}
	}
	if !value[bool](w, `(() => { const d = new DOMParser().parseFromString(decodeURIComponent(saved[0][1].split(",").slice(1).join(",")), "image/svg+xml"); return !d.querySelector("parsererror") && d.querySelectorAll("text").length > 8 && !d.documentElement.outerHTML.includes("var(--") })()`) {
		w.t.Error("the saved SVG is no picture by itself")
	}
}

// The curves of several seeds have a band that shows, holds their mean and is as wide as their range says, in their report and beside other runs.
func TestBands(t *testing.T) {
	dir, err := trained()
	if err != nil {
		t.Fatal(err)
	}
	compared := site(t) + "/compare?run=rings-again&run=repeated&run=clusters"
	for _, scheme := range []string{"light", "dark"} {
		for address, want := range map[string]struct {
			title string
			bands int
		}{"file://" + filepath.Join(dir, "repeated", "report.html"): {"Training, 3 seeds", 2}, compared: {"Training", 1}} {
			w := open(t, look{1400, scheme, false, false})
			w.visit(address)
			for _, width := range []int64{1400, 400} {
				w.resize(width)
				faults := value[[]string](w, fmt.Sprintf(`[...document.querySelectorAll("h2")].some(h => h.textContent === %q) ? (() => {
				const out = [], bands = [...document.querySelectorAll("path.band")];
				if (bands.length < %d) out.push(bands.length + " bands");
				for (const band of bands) {
					const style = getComputedStyle(band), plot = band.closest(".plot").querySelector("svg").getBoundingClientRect(), b = band.getBoundingClientRect();
					if (style.fill === "none" || +style.fillOpacity < 0.05) out.push("a band is not filled: " + style.fill);
					if (b.height < 1 || b.width < plot.width / 2) out.push("a band of " + b.width + " by " + b.height);
					if (b.left < plot.left - 1 || b.right > plot.right + 1 || b.top < plot.top - 1 || b.bottom > plot.bottom + 1) out.push("a band leaves its plot");
					const points = (e) => e.getAttribute("d").match(/[0-9.]+ [0-9.]+/g).map(p => p.split(" ").map(Number));
					const line = points(band.parentElement.nextElementSibling.querySelector("path")), edge = points(band);
					line.forEach(([x, y], i) => { if (!(edge[i][0] === x && edge[i][1] <= y + 1 && edge[edge.length - 1 - i][1] >= y - 1)) out.push("the mean leaves its band at " + x); });
				}
				return out;
			})() : ["no curves of 3 seeds"]`, want.title, want.bands))
				for _, fault := range faults {
					t.Errorf("%s, %s, %d: %s", address, scheme, width, fault)
				}
				w.fits("bands")
				w.tidy(fmt.Sprintf("%s at %d, %s", address, width, scheme))
			}
			w.calm("bands")
		}
	}
}

// Runs are found in the list, sorted by a heading, chosen and compared.
func TestRuns(t *testing.T) {
	at := site(t)
	w := open(t, look{1000, "light", false, false})
	w.visit(at + "/")
	names := func() []string {
		return value[[]string](w, `[...document.querySelectorAll("tbody tr")].map(r => r.cells[0].textContent.trim())`)
	}
	w.write(`document.querySelector("[name=find]")`, "RINGS-a")
	w.leads(func() { w.press(kb.Enter) })
	if got := names(); !slices.Equal(got, []string{"rings-again"}) {
		t.Errorf("a search finds %q", got)
	}
	w.visit(at + "/")
	head := `document.querySelector("th button")`
	for _, falling := range []bool{true, false} {
		w.click(head, 0.5, 0.5, 1)
		want := slices.Sorted(slices.Values(runs))
		if falling {
			slices.Reverse(want)
		}
		if got := names(); !slices.Equal(got, want) {
			t.Errorf("after a click on the heading the runs are %q, want %q", got, want)
		}
	}
	for _, name := range []string{"rings", "rings-again"} {
		w.click(fmt.Sprintf("document.querySelector('td input[value=%s]')", name), 0.5, 0.5, 1)
	}
	w.leads(func() { w.click(`document.querySelector("button[form=compare]")`, 0.5, 0.5, 1) })
	if got := value[string](w, `location.pathname + [...document.querySelectorAll("input[name=run]:checked")].map(e => " " + e.value).sort().join("")`); got != "/compare rings rings-again" {
		t.Errorf("compared are %q", got)
	}
	w.calm("chosen runs")
}

// A long table has pages of 25; a search leaves what holds its words, and the order is that which was chosen or that of the column whose heading was clicked.
func TestItems(t *testing.T) {
	dir, err := trained()
	if err != nil {
		t.Fatal(err)
	}
	file, err := os.Open(filepath.Join(dir, "payments", "predictions.csv"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	rows, err := csv.NewReader(file).ReadAll()
	if err != nil || len(rows) < 101 {
		t.Fatalf("%d predictions, %v", len(rows), err)
	}
	column := func(name string) int { return slices.Index(rows[0], name) }
	edge, target, label := column("edge"), column("target"), column("label")
	number := func(row []string) int { n, _ := strconv.Atoi(row[edge]); return n }
	byEdge := func(a, b []string) int { return number(a) - number(b) }
	byTarget := func(a, b []string) int { return strings.Compare(b[target], a[target]) } // the last first
	all := rows[1:]
	early := slices.DeleteFunc(slices.Clone(all), func(row []string) bool { return number(row) >= 900 || row[label] != "ok" })
	w := open(t, look{1400, "light", false, false})
	w.visit(site(t) + "/runs/payments/items")
	// shows checks that the page has the items of an order from the k-th on.
	shows := func(what string, items [][]string, k int) {
		t.Helper()
		last := min(k+25, len(items))
		if got, want := value[string](w, `document.querySelector(".pages [role=status]").textContent`), fmt.Sprintf("%d to %d of %d", k+1, last, len(items)); got != want {
			t.Errorf("%s: the page says %q, want %q", what, got, want)
		}
		var want []string
		for _, row := range items[k:last] {
			want = append(want, row[edge])
		}
		if got := value[[]string](w, `[...document.querySelectorAll("#body tbody tr")].map(r => r.cells[0].textContent)`); !slices.Equal(got, want) {
			t.Errorf("%s: the page has the edges %v, want %v", what, got, want)
		}
	}
	sorted := func(items [][]string, by func(a, b []string) int) [][]string {
		out := slices.Clone(items)
		slices.SortStableFunc(out, by)
		return out
	}
	click := func(element string) { w.leads(func() { w.click(element, 0.5, 0.5, 1) }) }
	show, find := `document.querySelector("form.tools button")`, `document.querySelector("[name=filter]")`

	w.choose(`document.querySelector("[name=sort]")`, "edge")
	click(show)
	shows("ordered by edge", sorted(all, byEdge), 0)
	w.write(find, "edge<900 label=ok")
	click(show)
	shows("a search", sorted(early, byEdge), 0)
	click(`document.querySelector("[rel=next]")`)
	shows("the next page", sorted(early, byEdge), 25)
	head := `[...document.querySelectorAll("#body th")].find(h => h.textContent === "target")`
	click(head + ".firstElementChild")
	shows("ordered by a heading", sorted(early, byTarget), 0)
	if got := value[string](w, head+".ariaSort"); got != "descending" {
		t.Errorf("the heading says that it is %q", got)
	}
	click(head + ".firstElementChild")
	shows("ordered the other way round", sorted(early, func(a, b []string) int { return byTarget(b, a) }), 0)
	click(`document.querySelector("[rel=next]")`)
	click(`document.querySelector("[rel=prev]")`)
	shows("there and back", sorted(early, func(a, b []string) int { return byTarget(b, a) }), 0)
	w.write(find, "label=nobody")
	w.leads(func() { w.press(kb.Enter) })
	if got := value[string](w, `document.querySelector("#body tbody").textContent`); !strings.Contains(got, "No item") {
		t.Errorf("without rows the table says %q", got)
	}
	w.visit(site(t) + "/runs/payments/graph")
	if h := value[int](w, "document.documentElement.scrollHeight"); h > 4000 {
		t.Errorf("the screen of a graph of 3,000 edges is %d pixels long", h)
	}
	w.calm("items")
}
