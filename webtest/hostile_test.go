package webtest

import (
	"bufio"
	"encoding/csv"
	"encoding/json"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// hostileIDs are ids of nodes, edges and classes that a page, a picture or a spreadsheet could take for something else than text:
// markup, formulas, ends of lines, quotes, a text from right to left and one that turns others round.
var hostileIDs = []string{`<img src=x onerror=alert(1)>`, `</text></svg><script>alert(2)</script>`, "two\nlines", `=cmd|'/c calc'!A1`, "@SUM(1)", "+1-2", `"quoted", 'id' & more`, "שלום עולם", "\u202eabc", "{{.}}${x}`", "a very long name of an account that does not fit into any place for it"}

// writeHostile writes payments whose accounts, ids, categories and classes have such names.
func writeHostile(dir string) error {
	r := rand.New(rand.NewPCG(3, 4))
	var b strings.Builder
	w := csv.NewWriter(&b)
	rows := [][]string{{"id", "source", "target", "amount", "shop", "label"}}
	account := func() string {
		k := r.IntN(60)
		return fmt.Sprintf("%s %d", hostileIDs[k%len(hostileIDs)], k/len(hostileIDs))
	}
	for k := range 900 {
		amount, label := r.Float64(), "=ok"
		if amount+0.1*r.NormFloat64() > 0.8 {
			label = attack
		}
		rows = append(rows, []string{fmt.Sprintf("%s %d", hostileIDs[k%len(hostileIDs)], k), account(), account(), fmt.Sprintf("%.3f", amount), hostileIDs[r.IntN(4)], label})
	}
	if err := w.WriteAll(rows); err != nil {
		return err
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, "edges.csv"), []byte(b.String()), 0o644)
}

// Every screen and every file shows names of the data as text, whatever they are.
func TestHostileNames(t *testing.T) {
	ehgnn, err := program()
	if err != nil {
		t.Fatal(err)
	}
	data, run, out := filepath.Join(t.TempDir(), "hostile"), filepath.Join(t.TempDir(), "run"), t.TempDir()
	if err := writeHostile(data); err != nil {
		t.Fatal(err)
	}
	do := func(args ...string) {
		t.Helper()
		if text, err := exec.Command(ehgnn, append(args, "--quiet")...).CombinedOutput(); err != nil {
			t.Fatalf("ehgnn %q: %v %s", args, err, text)
		}
	}
	do("train", data, "--model", "auto", "--quality", "fast", "--out", run)
	for _, file := range []string{"why.svg", "why.html", "why.png"} {
		do("explain", run, "--edge", "7", "--words", `<b>,"payer",=payee`, "--out", filepath.Join(out, file))
	}
	do("explain", run, "--edge", "7", "--width", "368", "--out", filepath.Join(out, "narrow.svg"))
	do("explain", run, "--edge", "7", "--method", "occlusion", "--out", filepath.Join(out, "occlusion.html"))
	do("predict", run, data, "--top", "50", "--why", "--spreadsheet-safe", "--out", filepath.Join(out, "look-at.csv"))

	w := open(t, look{1400, "light", false, false})
	checked := 0
	text := func(where string) {
		t.Helper()
		checked++
		for what, found := range map[string]string{
			"an element of a name": `document.querySelectorAll("img[src=x], [onerror], script:not([src]):not(main ~ script)").length > 0`,
			"markup in a name":     `[...document.querySelectorAll("text, td, th, h1, h2, h3, p, a, option")].some(e => /<\/?(title|desc|g|svg)>/.test(e.textContent) && !e.textContent.includes("</text></svg>"))`,
		} {
			if value[bool](w, found) {
				t.Errorf("%s has %s", where, what)
			}
		}
		w.fits(where)
		w.tidy(where)
		w.calm(where)
	}
	at := servedAlone(t, ehgnn, run)
	get := func(path string) *http.Response {
		t.Helper()
		r, err := http.Get(at + path)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { r.Body.Close() })
		return r
	}
	node := url.QueryEscape(hostileIDs[0] + " 0")
	for _, path := range []string{"/", "/runs/run", "/runs/run/items", "/runs/run/items?filter=" + url.QueryEscape(`label="`+attack+`"`), "/runs/run/graph", "/runs/run/graph?item=7", "/runs/run/graph?item=7&method=occlusion",
		"/runs/run/graph?method=record&node=" + node, "/runs/run/graph?node=" + node + "&to=" + url.QueryEscape(hostileIDs[3]+" 0"), "/runs/run/graph?graph=" + node, "/runs/run/map", "/runs/run/try", "/docs", "/?find=" + node, "/runs/" + node} {
		w.visit(at + path)
		w.forget("404") // which the browser notes
		w.forget("400")
		for _, width := range []int64{1400, 400} {
			w.resize(width)
			text(fmt.Sprintf("%s at %d", path, width))
		}
	}
	for _, file := range []string{filepath.Join(run, "report.html"), filepath.Join(out, "why.html"), filepath.Join(out, "occlusion.html"), filepath.Join(out, "why.svg"), filepath.Join(out, "narrow.svg")} {
		w.visit("file://" + file)
		if strings.HasSuffix(file, ".html") {
			text(file)
		}
		w.calm(file)
	}
	w.visit("file://" + filepath.Join(run, "report.html"))
	if !value[bool](w, fmt.Sprintf("document.body.textContent.includes(%q)", attack)) {
		t.Error("the report does not show the name of the class")
	}
	for _, path := range []string{"/runs/run/graph/figure.svg?item=7", "/runs/run/graph/figure.svg?method=record&node=" + node} {
		isXML(t, path, get(path).Body)
	}
	for _, name := range []string{"why.svg", "narrow.svg"} {
		f, err := os.Open(filepath.Join(out, name))
		if err != nil {
			t.Fatal(err)
		}
		isXML(t, name, f)
		f.Close()
	}
	var record any
	if err := json.NewDecoder(get("/runs/run/graph/record.json?item=7").Body).Decode(&record); err != nil {
		t.Errorf("record.json: %v", err)
	}
	table, err := os.Open(filepath.Join(out, "look-at.csv"))
	if err != nil {
		t.Fatal(err)
	}
	defer table.Close()
	for name, body := range map[string]io.Reader{"look-at.csv": table, "items.csv": get("/runs/run/items.csv").Body} {
		rows, err := csv.NewReader(body).ReadAll()
		if err != nil || len(rows) < 50 {
			t.Errorf("%s: %d rows, %v", name, len(rows), err)
		}
		for _, row := range rows {
			for _, cell := range row {
				if cell != "" && strings.ContainsRune("=+@-\t\r", rune(cell[0])) && !strings.HasPrefix(cell, "-0.") {
					t.Fatalf("%s: a spreadsheet takes %q for a formula", name, cell)
				}
			}
		}
	}
	if checked < 30 {
		t.Errorf("%d screens were checked", checked)
	}
}

// isXML fails the test where a picture is no XML.
func isXML(t *testing.T, name string, from io.Reader) {
	t.Helper()
	for d := xml.NewDecoder(from); ; {
		switch _, err := d.Token(); {
		case errors.Is(err, io.EOF):
			return
		case err != nil:
			t.Errorf("%s: %v", name, err)
			return
		}
	}
}

// servedAlone starts the program on a run for one test and returns its address.
func servedAlone(t *testing.T, ehgnn, run string) string {
	t.Helper()
	cmd := exec.Command(ehgnn, "serve", "--addr", "127.0.0.1:0", "--timeout", "5m", run)
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { cmd.Process.Kill(); cmd.Wait() })
	line, err := bufio.NewReader(out).ReadString('\n')
	at, ok := strings.CutPrefix(strings.TrimSpace(line), "serving ")
	if !ok {
		t.Fatalf("ehgnn serve prints %q, %v", line, err)
	}
	return at
}
