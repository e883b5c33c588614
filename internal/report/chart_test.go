package report_test

import (
	"encoding/xml"
	"io"
	"math"
	"strings"
	"testing"

	"github.com/ehgnn/ehgnn/internal/report"
)

// A chart is drawn as valid XML in which hostile names are text. The same chart gives the same bytes, and many dots
// become few paths.
func TestChart(t *testing.T) {
	attack := `<script>alert("x")</script>&`
	var many report.Series
	many.Name, many.Kind, many.Colour = "dots", report.Dots, "c1"
	for i := range 5000 {
		many.X, many.Y = append(many.X, float64(i)), append(many.Y, math.Sqrt(float64(i)))
	}
	x, y := report.ParallelAxes([]report.ChartColumn{{Name: attack, Low: "0", High: attack}, {Name: "b"}})
	for name, c := range map[string]*report.Chart{
		"lines": {Title: attack, Caption: attack, X: report.ScoreAxis(attack), Y: report.LogAxis(attack, 0.01, 3), Hide: true, Marks: []report.Mark{{X: 0.5, Name: attack}},
			Series: []report.Series{{Name: attack, Colour: "c1", X: []float64{0, 1}, Y: []float64{0.02, 2}}, {Kind: report.Points, Name: "p", Colour: "c2", X: []float64{0.5}, Y: []float64{1}, Low: []float64{0.5}, High: []float64{2}, Texts: []string{attack}}}},
		"bars":     {X: report.ChoiceAxis("", []string{attack, "b"}), Y: report.LinearAxis("n", 0, 3), Series: []report.Series{{Name: "n", Kind: report.Bars, Colour: "c1", X: []float64{0}, X2: []float64{1}, Y: []float64{3}}, {Kind: report.Band, Colour: "c1", X: []float64{0, 1}, Low: []float64{0, 1}, High: []float64{1, 2}}}},
		"dots":     {X: report.LinearAxis("", 0, 5000), Y: report.LinearAxis("", 0, 80), Square: true, Diagonal: true, Series: []report.Series{many}},
		"parallel": {X: x, Y: y, Columns: []report.ChartColumn{{Name: attack, Low: "0", High: attack}, {Name: "b"}}, Series: []report.Series{{Colour: "c5", X: []float64{0, 1}, Y: []float64{1, 0}}}},
		"empty":    {Title: "Loss", Empty: "No validation set: no curve."},
	} {
		page := func() string {
			var b strings.Builder
			if err := (&report.Document{Title: "t", Parts: []report.Part{c}}).WriteHTML(&b); err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			return b.String()
		}
		text := page()
		if page() != text {
			t.Errorf("%s: the same chart has other bytes", name)
		}
		if strings.Contains(text, "<script>alert") || len(text) > 150_000 {
			t.Errorf("%s: %d bytes, or a hostile name is no text", name, len(text))
		}
		_, rest, found := strings.Cut(text, `<svg role="img"`)
		if found == (c.Empty != "") {
			t.Errorf("%s: a drawing is there: %v", name, found)
		}
		if !found {
			continue
		}
		drawing, _, _ := strings.Cut(rest, "</svg></div>")
		d := xml.NewDecoder(strings.NewReader("<svg" + drawing + "</svg>"))
		for {
			if _, err := d.Token(); err == io.EOF {
				break
			} else if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
		}
	}
	// NaN never appears on a page.
	bad := &report.Chart{Title: "x", X: report.ScoreAxis(""), Y: report.ScoreAxis(""), Series: []report.Series{{Name: "a", Colour: "c1", X: []float64{0}, Y: []float64{math.NaN()}}}}
	if err := (&report.Document{Parts: []report.Part{bad}}).WriteHTML(io.Discard); err == nil {
		t.Error("NaN is drawn")
	}
	if err := (&report.Document{Parts: []report.Part{&report.DataTable{Columns: make([]report.DataColumn, 2), Rows: []report.DataRow{{Cells: make([]report.DataCell, 1)}}}}}).WriteHTML(io.Discard); err == nil {
		t.Error("a row of fewer cells than columns is written")
	}
}
