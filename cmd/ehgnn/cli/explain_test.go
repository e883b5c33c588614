package cli_test

import (
	"bytes"
	"image/png"
	"math"
	"path/filepath"
	"strings"
	"testing"
)

// The record of a run is the same as text, JSON, picture and page. Pictures show as many dropped
// edges as the numbers say.
func TestExplain(t *testing.T) {
	path, dir := small(t).zip(t), filepath.Join(t.TempDir(), "run")
	succeed(t, "train", path, "--out", dir, "--epochs", "2", "--hidden", "16", "--constant-lr", "--fold", "2", "--quiet")

	type record struct {
		Graph string
		Nodes []string
		Edges [][2]int
		Drops []struct {
			Layer  int
			Edges  []int
			Scores []float64
			Kept   []bool
		}
	}
	var records []record
	document(t, succeed(t, "explain", dir, "--graph", "5,3", "--method", "record", "--json"), &records)
	if len(records) != 2 || records[0].Graph != "5" || records[1].Graph != "3" || len(records[1].Nodes) != special.NumNodes || len(records[1].Edges) != special.NumEdges() || len(records[0].Drops) != 2 {
		t.Fatalf("%+v", records)
	}
	dropped, now := 0, 0
	for _, g := range records {
		gone := 0
		for _, d := range g.Drops {
			before := gone
			for _, kept := range d.Kept {
				if !kept {
					gone++
				}
			}
			dropped, now = dropped+before, now+gone-before
		}
	}
	out := t.TempDir()
	file := func(name string) string {
		var done struct {
			Out    string
			Graphs int
		}
		to := filepath.Join(out, name)
		document(t, succeed(t, "explain", dir, path, "--graph", "5", "--graph", "3", "--method", "record", "--out", to, "--json"), &done)
		if done.Out != to || done.Graphs != 2 {
			t.Errorf("explain --out %s prints %+v", to, done)
		}
		return read(t, to)
	}
	var again []record
	document(t, file("record.json"), &again)
	if len(again) != 2 || len(again[0].Drops[1].Scores) != len(records[0].Drops[1].Scores) || again[0].Drops[1].Scores[0] != records[0].Drops[1].Scores[0] {
		t.Errorf("record.json holds %+v, want %+v", again, records)
	}
	svg := file("record.svg")
	if a, b := strings.Count(svg, " dropped</title>"), strings.Count(svg, " dropped before</title>"); a != now || b != dropped || now == 0 {
		t.Errorf("%d edges are dropped and %d were before, want %d and %d", a, b, now, dropped)
	}
	if picture, err := png.Decode(bytes.NewReader([]byte(file("RECORD.PNG")))); err != nil || picture.Bounds().Dx() < 600 {
		t.Errorf("%v", err)
	}
	if page := file("record.html"); !strings.Contains(page, "Record of hyperdrop") || !strings.Contains(page, `role="img"`) {
		t.Errorf("%.300s", page)
	}
	text := succeed(t, "explain", dir, "--method", "record")
	if lines := strings.Split(text, "\n"); !strings.HasPrefix(text, "Record of hyperdrop: edges that it kept and dropped\n\ngraph  edge  source  target  score 1  score 2  dropped at\n0 ") || len(lines) < 8 {
		t.Errorf("explain prints\n%s", text)
	}

	refused(t, `no graph "24"`, "explain", dir, "--graph", "24")
	refused(t, "--out is "+filepath.Join(out, "x.pdf")+", expected a file .svg, .png, .html or .json", "explain", dir, "--out", filepath.Join(out, "x.pdf"))
	refused(t, "--out is record, expected", "explain", dir, "--out", "record")
	refused(t, "no such file", "explain", dir, "--out", filepath.Join(out, "none", "x.svg"))
	refused(t, `--method is "occlude"`, "explain", dir, "--method", "occlude")
	refused(t, `no target "red", expected one of ["-1" "1"]`, "explain", dir, "--target", "red")
	refused(t, `--colour is "red"`, "explain", dir, "--colour", "red")
	refused(t, "is no run folder", "explain", out)
	if exists(filepath.Join(out, "x.pdf")) {
		t.Error("a refused call has written a file")
	}
}

// By default explain says on which edges a prediction depends, and the fidelity of this explanation.
func TestExplainPrediction(t *testing.T) {
	path, dir := small(t).zip(t), filepath.Join(t.TempDir(), "run")
	succeed(t, "train", path, "--out", dir, "--epochs", "2", "--hidden", "16", "--constant-lr", "--fold", "2", "--quiet")
	var records []struct {
		Edges       [][2]int
		Explanation struct {
			Method, Target string
			Scores         []float64
			Fidelity       []struct{ Edges int }
		}
	}
	document(t, succeed(t, "explain", dir, "--graph", "5,3", "--target", "1", "--json"), &records)
	for _, r := range records {
		if x := r.Explanation; x.Method != "occlusion" || x.Target != "1" || len(x.Scores) != len(r.Edges) || len(x.Fidelity) != 4 {
			t.Errorf("%+v", r)
		}
	}
	out := filepath.Join(t.TempDir(), "why.html")
	succeed(t, "explain", dir, path, "--graph", "5", "--method", "gradient", "--out", out)
	if page := read(t, out); !strings.Contains(page, "Which edges predictions of hyperdrop depend on, by gradient") || strings.Count(page, `role="img"`) != 3 || !strings.Contains(page, "random fidelity") {
		t.Errorf("%.300s", page)
	}
	if text := succeed(t, "explain", dir, "--method", "random"); !strings.HasPrefix(text, "Which edges predictions of hyperdrop depend on, by random\n\ngraph 0, class ") {
		t.Errorf("explain prints\n%s", text)
	}
}

// Predictions for nodes and edges are explained by adjacent edges, in every format, with the
// training data, and with new data if the training data are gone.
func TestExplainItems(t *testing.T) {
	for _, test := range []struct{ items, data, item, other string }{
		{"edge", filepath.Join("..", "..", "..", "testdata", "sets", "payments"), "7", "node"},
		{"node", filepath.Join("..", "..", "..", "testdata", "planetoid"), "3", "edge"},
	} {
		t.Run(test.items, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "run")
			succeed(t, "train", test.data, "--out", dir, "--epochs", "2", "--hidden", "8", "--layers", "2", "--quiet")
			var records []struct {
				Nodes       []string
				Edges       [][2]int
				Explanation struct {
					Method string
					Item   struct {
						Kind, Name   string
						Hops, Within int
					}
					Scores   []float64
					Fidelity []struct{ Edges int }
				}
			}
			document(t, succeed(t, "explain", dir, "--"+test.items, test.item, "--method", "occlusion", "--json"), &records)
			r := records[0]
			if x := r.Explanation; len(records) != 1 || x.Method != "occlusion" || x.Item.Kind != test.items || x.Item.Name != test.item || x.Item.Hops < 1 || len(x.Scores) != len(r.Edges) || len(x.Fidelity) != 4 {
				t.Errorf("%+v", records)
			}
			out := filepath.Join(t.TempDir(), "why")
			for _, ext := range []string{".svg", ".png", ".json", ".html"} {
				succeed(t, "explain", dir, test.data, "--"+test.items, test.item, "--method", "gradient", "--out", out+ext)
			}
			if _, err := png.Decode(strings.NewReader(read(t, out+".png"))); err != nil {
				t.Error(err)
			}
			if page := read(t, out+".html"); !strings.Contains(page, "depends on edges up to") || !strings.Contains(page, "prediction for") {
				t.Errorf("%.300s", page)
			}
			refused(t, "--"+test.other+" does not apply: the run predicts for each "+test.items, "explain", dir, "--"+test.other, "3")
			refused(t, "does not apply to --method record", "explain", dir, "--"+test.items, test.item, "--method", "record")
			refused(t, "no "+test.items+` "x"`, "explain", dir, "--"+test.items, "x")
		})
	}
}

// A prediction for an edge of a table is explained as a sum of columns and edges, in every format and in the documented words.
func TestExplainEdge(t *testing.T) {
	data, dir := filepath.Join("..", "..", "..", "testdata", "sets", "payments"), filepath.Join(t.TempDir(), "run")
	succeed(t, "train", data, "--out", dir, "--epochs", "2", "--hidden", "8", "--layers", "2", "--quiet")
	var records []struct {
		Edge, Unit         string
		Base, Value, Score float64
		Shown              []string
		Columns            []struct{ Contribution float64 }
		Edges, Rest        []struct{ Contribution float64 }
		Fidelity           struct{ Edges int }
	}
	document(t, succeed(t, "explain", dir, "--edge", "7,3", "--top", "4", "--json"), &records)
	for i, r := range records {
		sum := r.Base
		for _, c := range r.Columns {
			sum += c.Contribution
		}
		for _, e := range append(r.Edges, r.Rest...) {
			sum += e.Contribution
		}
		if math.Abs(sum-r.Value) > 1e-6 || math.Abs(1/(1+math.Exp(-r.Value))-r.Score) > 1e-6 {
			t.Errorf("edge %s: parts sum to %v, value %v, score %v", r.Edge, sum, r.Value, r.Score)
		}
		if r.Edge != []string{"7", "3"}[i] || len(r.Columns) == 0 || len(r.Edges) > 4 || r.Fidelity.Edges != len(r.Edges) {
			t.Errorf("%+v", r)
		}
	}
	out := filepath.Join(t.TempDir(), "why")
	words := []string{"explain", dir, data, "--edge", "7", "--words", "payment,payer,payee", "--show", "channel", "--out"}
	for _, ext := range []string{".svg", ".png", ".json", ".html"} {
		succeed(t, append(words, out+ext)...)
	}
	if _, err := png.Decode(strings.NewReader(read(t, out+".png"))); err != nil {
		t.Error(err)
	}
	for _, ext := range []string{".svg", ".html"} {
		if text := read(t, out+ext); !strings.Contains(text, "Why payment 7 has a score of") || !strings.Contains(text, "labels: channel") {
			t.Errorf("%s: %.300s", ext, text)
		}
	}
	refused(t, "--show colour: no such column", "explain", dir, "--edge", "7", "--show", "colour")
	refused(t, "--words has 1 words", "explain", dir, "--edge", "7", "--words", "payment")
	refused(t, "--width is 5", "explain", dir, "--edge", "7", "--width", "5")
	refused(t, "shows one edge, and --edge names 2", "explain", dir, "--edge", "7,3", "--out", out+".svg")
}
