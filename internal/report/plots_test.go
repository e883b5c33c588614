package report

import (
	"strings"
	"testing"
)

// In a document with files, charts are charts on the page and one picture in the files. Its texts do not overlap, and it has one legend.
func TestCharted(t *testing.T) {
	chart := func(title string) *Chart {
		x := []float64{1, 50, 100}
		return &Chart{Title: title, X: LinearAxis("epoch", 0, 100), Y: LinearAxis("share [%]", 0, 12000), Series: []Series{
			{Group: "one", Kind: Band, Colour: "c1", X: x, Low: []float64{1, 2, 3}, High: []float64{4000, 5000, 6000}},
			{Name: "one", Colour: "c1", X: x, Y: []float64{3000, 4000, 5000}},
			{Name: "two <b>", Colour: "c2", Dash: true, X: x, Y: []float64{9000, 8000, 12000}},
			{Name: "three", Kind: Dots, Colour: "c5", X: x, Y: []float64{1, 2, 3}}}}
	}
	charts := []*Chart{chart("first"), chart("second"), chart("a third with a long title that has no room in a chart of its width at all")}
	if faults := plots("label", 2, charts).Faults(); faults != nil {
		t.Errorf("faults: %q", faults)
	}
	f, err := Charted("curves", "Curves of <all>", 2, charts)
	if err != nil {
		t.Fatal(err)
	}
	svg := string(f.SVG)
	for text, n := range map[string]int{">one<": 1, ">two &lt;b&gt;<": 1, ">three<": 1, ">first<": 1, ">epoch<": 3, ">share [%]<": 3, `opacity=".15"`: 3, "stroke-dasharray": 4, ">5,000<": 3} {
		if have := strings.Count(svg, text); have != n {
			t.Errorf("%s is there %d times, want %d", text, have, n)
		}
	}
	d := &Document{Title: "t", Parts: []Part{f}}
	var b strings.Builder
	if err := d.WriteHTML(&b); err != nil {
		t.Fatal(err)
	}
	if page := b.String(); strings.Count(page, "data-chart=") != 3 || !strings.Contains(page, "Curves of &lt;all&gt;") || strings.Contains(page, "data:image/png") {
		t.Errorf("the page has no charts: %.2000s", page)
	}
	if names := strings.Join(d.FileNames(), " "); !strings.Contains(names, "curves.svg curves.png") {
		t.Errorf("files %s", names)
	}
}
