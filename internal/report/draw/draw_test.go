package draw

import (
	"bytes"
	"encoding/xml"
	"errors"
	"image/png"
	"io"
	"math/rand/v2"
	"strings"
	"testing"
)

// triangle has edges of three colours, the last one out of range.
func triangle() Graph {
	return Graph{Title: "a <triangle>", Points: [][2]float64{{0, 0}, {1, 0}, {0.5, 1}}, Ends: []int32{0, 1, 1, 2, 2, 0},
		Colours: [][3]float32{{1, 0, 0}, {0, 1, 0}, {-1, 0, 2}}, Width: 3}
}

// wellFormed parses a document in XML.
func wellFormed(t *testing.T, text []byte) {
	t.Helper()
	for d := xml.NewDecoder(bytes.NewReader(text)); ; {
		if _, err := d.Token(); errors.Is(err, io.EOF) {
			return
		} else if err != nil {
			t.Fatal(err)
		}
	}
}

// Both files show the edges in their colours, and the title.
func TestFigure(t *testing.T) {
	f := Figure{Panels: []Panel{triangle(), triangle(), triangle()}, Columns: 2, Width: 150, Height: 100}
	svg, err := f.SVG()
	if err != nil {
		t.Fatal(err)
	}
	wellFormed(t, svg)
	for _, want := range []string{"#FF0000", "#00FF00", "#0000FF", "a &lt;triangle&gt;"} {
		if n := strings.Count(string(svg), want); n != 3 {
			t.Errorf("%q is there %d times, want 3", want, n)
		}
	}
	image, err := f.PNG()
	if err != nil {
		t.Fatal(err)
	}
	picture, err := png.Decode(bytes.NewReader(image))
	if err != nil {
		t.Fatal(err)
	}
	size, seen := picture.Bounds(), map[[3]uint32]int{}
	for y := range size.Dy() {
		for x := range size.Dx() {
			r, g, b, _ := picture.At(x, y).RGBA()
			seen[[3]uint32{r >> 8, g >> 8, b >> 8}]++
		}
	}
	if w, h := 2*150*resolution/72, 2*100*resolution/72; size.Dx() < w || size.Dx() > w+1 || size.Dy() < h || size.Dy() > h+1 {
		t.Errorf("the image is %v, want %d by %d", size, w, h)
	}
	for _, want := range [][3]uint32{{255, 0, 0}, {0, 255, 0}, {0, 0, 255}} {
		if seen[want] < 50 {
			t.Errorf("%d points of colour %v", seen[want], want)
		}
	}
}

// The same figure is the same file.
func TestFigureRepeats(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	g := Graph{Points: make([][2]float64, 50), Width: 1}
	for i := range g.Points {
		g.Points[i] = [2]float64{r.Float64(), r.Float64()}
	}
	for range 200 {
		g.Ends = append(g.Ends, r.Int32N(50), r.Int32N(50))
		g.Colours = append(g.Colours, [3]float32{r.Float32(), r.Float32(), r.Float32()})
	}
	f := Figure{Panels: []Panel{g}, Columns: 1, Width: 100, Height: 100}
	first, err := f.SVG()
	if err != nil {
		t.Fatal(err)
	}
	if again, err := f.SVG(); err != nil || !bytes.Equal(first, again) {
		t.Errorf("a second rendering differs: %v", err)
	}
}

// Curves have their names in the legend.
func TestCurves(t *testing.T) {
	f := Figure{Panels: []Panel{Curves{Title: "size", X: "edges", Y: "share", Curves: []Curve{{Name: "one", X: []float64{1, 2}, Y: []float64{3, 4}}, {Name: "two", X: []float64{1, 2}, Y: []float64{4, 3}, Spread: []float64{1, 0}}}}},
		Columns: 1, Width: 200, Height: 150}
	svg, err := f.SVG()
	if err != nil {
		t.Fatal(err)
	}
	wellFormed(t, svg)
	for _, want := range []string{">one<", ">two<", ">size<", ">edges<", ">share<"} {
		if !strings.Contains(string(svg), want) {
			t.Errorf("no %q", want)
		}
	}
}

// A band is a pale area in the colour of its line; names can be left to another panel.
func TestBand(t *testing.T) {
	curve := Curve{Name: "one", X: []float64{1, 2}, Y: []float64{3, 4}}
	for _, spread := range [][]float64{nil, {1, 0.5}} {
		curve.Spread = spread
		svg, err := Figure{Panels: []Panel{Curves{Curves: []Curve{curve}, Legend: NoLegend}}, Columns: 1, Width: 200, Height: 150}.SVG()
		if err != nil {
			t.Fatal(err)
		}
		wellFormed(t, svg)
		if pale := strings.Contains(string(svg), `fill-opacity="0.18824"`); pale != (spread != nil) || strings.Contains(string(svg), ">one<") {
			t.Errorf("spread %v:\n%s", spread, svg)
		}
	}
}

func TestErrors(t *testing.T) {
	short, far := triangle(), triangle()
	short.Colours = short.Colours[:2]
	far.Ends[5] = 3
	for want, f := range map[string]Figure{
		"0 panels":                          {Columns: 1, Width: 1, Height: 1},
		"0 a row":                           {Panels: []Panel{triangle()}, Width: 1, Height: 1},
		"by 0 points":                       {Panels: []Panel{triangle()}, Columns: 1, Width: 1},
		"panel 1: 6 ends of edges and 2":    {Panels: []Panel{short}, Columns: 1, Width: 9, Height: 9},
		"panel 1: edge 2 ends in node 3":    {Panels: []Panel{far}, Columns: 1, Width: 9, Height: 9},
		`curve "a": 2 spreads of 1 points`:  {Panels: []Panel{Curves{Curves: []Curve{{Name: "a", X: []float64{1}, Y: []float64{1}, Spread: []float64{1, 2}}}}}, Columns: 1, Width: 9, Height: 9},
		`curve "a" has 1 and 2 coordinates`: {Panels: []Panel{Curves{Curves: []Curve{{Name: "a", X: []float64{1}, Y: []float64{1, 2}}}}}, Columns: 1, Width: 9, Height: 9},
	} {
		if _, err := f.SVG(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q", err, want)
		}
	}
}

// Points of a group share a path of the colour of the group, and the key has its marker.
func TestScatterGroups(t *testing.T) {
	s := Scatter{Title: "map", Points: [][2]float64{{0, 0}, {1, 2}, {3, 1}, {2, 2}}, Groups: []int{0, 1, 5, 1}}
	f := Figure{Panels: []Panel{s}, Columns: 1, Width: 200, Height: 150, Key: []Key{{Text: "first", Group: 1}, {Text: "sixth", Group: 6}}}
	svg, err := f.SVG()
	if err != nil {
		t.Fatal(err)
	}
	wellFormed(t, svg)
	for want, n := range map[string]int{`fill="#0072B2"`: 2, `fill="#E69F00"`: 1, `fill="#D55E00"`: 2} {
		if have := strings.Count(string(svg), want); have != n {
			t.Errorf("%s is there %d times, want %d\n%s", want, have, n, svg)
		}
	}
	s.Groups = s.Groups[:2]
	f.Panels[0] = s
	if _, err := f.SVG(); err == nil {
		t.Error("a group is missing and nothing is said")
	}
}
