package draw

import (
	"bytes"
	"image/color"
	"image/png"
	"math"
	"slices"
	"strings"
	"testing"
)

// ring is a ring of six with a double bond, an aromatic one, a dashed one, a band and marks.
func ring() Diagram {
	d := Diagram{Title: "a ring", Labels: make([]string, 6), Squared: []int32{1, 2}}
	for v := range 6 {
		sin, cos := math.Sincos(float64(v) * math.Pi / 3)
		d.Points = append(d.Points, [2]float64{cos, sin})
		d.Edges = append(d.Edges, Line{From: int32(v), To: int32((v + 1) % 6)})
	}
	d.Labels[0], d.Labels[1] = "N", "Cl"
	d.Edges[0].Strokes, d.Edges[1].Strokes, d.Edges[2].Strokes = Double, Aromatic, Triple
	d.Edges[3].Name = "3<" // whose band and stroke are told by it
	d.Edges[3].Band = color.NRGBA{0x12, 0xAB, 0x34, 255}
	d.Edges[4].Dashed, d.Edges[4].Colour = true, color.NRGBA{0x40, 0x50, 0x60, 255}
	d.Edges[5].Circled = true
	return d
}

// Each stroke, band, label and mark of a diagram is there.
func TestDiagram(t *testing.T) {
	f := Figure{Panels: []Panel{ring()}, Columns: 1, Width: 200, Height: 150}
	for _, dots := range []bool{false, true} {
		d := ring()
		d.Dots = dots
		f.Panels[0] = d
		svg, err := f.SVG()
		if err != nil {
			t.Fatal(err)
		}
		wellFormed(t, svg)
		for want, n := range map[string]int{`stroke="#E01020"`: 3, `stroke="#12AB34"`: 1, `stroke="#405060"`: 1, `<path data-line="3&lt;" `: 2, "data-line": 2, " style=": 0, "<path": 1 + 1 + 9 + 1 + 3, ">N<": 1, ">Cl<": 1, ">a ring<": 1, "stroke-dasharray": 3 + 1 + 1} {
			if dots && want == "<path" {
				n += 4
			}
			if have := strings.Count(string(svg), want); have != n {
				t.Errorf("dots %v: %q is there %d times, want %d\n%s", dots, want, have, n, svg)
			}
		}
	}
	text, err := f.PNG()
	if err != nil {
		t.Fatal(err)
	}
	image, err := png.Decode(bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	seen := map[color.NRGBA]int{}
	for y := range image.Bounds().Dy() {
		for x := range image.Bounds().Dx() {
			seen[color.NRGBAModel.Convert(image.At(x, y)).(color.NRGBA)]++
		}
	}
	for _, want := range []color.NRGBA{{0x12, 0xAB, 0x34, 255}, MarkColour} {
		if seen[want] < 20 {
			t.Errorf("%d points of %v", seen[want], want)
		}
	}
}

// Both axes of a diagram have one scale, its middle is that of the panel, and the second
// stroke of a double bond is inside the ring.
func TestDiagramPlaces(t *testing.T) {
	c := newTestCanvas(400, 100)
	d := ring()
	f := d.frame(c)
	for i, e := range d.Edges {
		ends := f.ends(i)
		if length := ends[1].Sub(ends[0]); math.Abs(math.Hypot(float64(length.X), float64(length.Y))-float64(f.unit)) > 1e-6 {
			t.Errorf("edge %d is %v, want %v long", i, length, f.unit)
		}
		if side := f.side(e); side != 1 {
			t.Errorf("edge %d: side %v, want that of the ring", i, side)
		}
	}
	centre := middle(f.at[0], f.at[3])
	if math.Abs(float64(centre.X)-200) > 1e-6 || math.Abs(float64(centre.Y)-50) > 1e-6 {
		t.Errorf("the middle is %v", centre)
	}
	chain := Diagram{Points: [][2]float64{{0, 0}, {1, 0}}, Edges: []Line{{From: 0, To: 1}, {From: 1, To: 0}}}
	if f := chain.frame(c); f.side(chain.Edges[0]) != 0 || len(f.near[0]) != 1 {
		t.Error("the ends of a chain have sides")
	}
	half := Line{From: 0, To: 1, Half: true}
	f = Diagram{Points: chain.Points, Edges: []Line{half}}.frame(c)
	if ends := f.ends(0); ends[1] != middle(f.at[0], f.at[1]) {
		t.Errorf("half a line reaches to %v", ends[1])
	}
}

// A diagram of one point or none, or of points in one place, is drawn.
func TestDiagramDegenerate(t *testing.T) {
	for _, d := range []Diagram{{}, {Points: [][2]float64{{3, 4}}, Dots: true}, {Points: make([][2]float64, 2), Labels: []string{"a", ""}, Edges: []Line{{From: 0, To: 1, Strokes: Double}}, Squared: []int32{0}}} {
		svg, err := Figure{Panels: []Panel{d}, Columns: 1, Width: 50, Height: 40}.SVG()
		if err != nil || bytes.Contains(svg, []byte("NaN")) || bytes.Contains(svg, []byte("Inf")) {
			t.Errorf("%+v: %v\n%s", d, err, svg)
		}
	}
	for want, d := range map[string]Diagram{
		"1 labels of 0 nodes":      {Labels: []string{""}},
		"edge 0 ends in node -1":   {Points: make([][2]float64, 1), Edges: []Line{{From: 0, To: -1}}},
		"edge 0 ends in node 1 of": {Points: make([][2]float64, 1), Edges: []Line{{From: 1}}},
		"node 2 of 1 has a square": {Points: make([][2]float64, 1), Squared: []int32{2}},
	} {
		if _, err := (Figure{Panels: []Panel{d}, Columns: 1, Width: 50, Height: 40}).SVG(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q", err, want)
		}
	}
}

// The key stands below the panels, in as many rows as it needs, with a sample for each entry.
func TestKey(t *testing.T) {
	f := Figure{Panels: []Panel{Diagram{}}, Columns: 1, Width: 200, Height: 100}
	f.Key = []Key{{Text: "cluster 1", Line: Line{Band: color.NRGBA{1, 2, 3, 255}}}, {Text: "wrong bond", Line: Line{Circled: true}}, {Text: "wrong atom", Squared: true}, {Text: "cluster 2", Line: Line{Band: color.NRGBA{4, 5, 6, 255}}}}
	rows := f.keyRows(200)
	if len(rows) != 2 || len(slices.Concat(rows...)) != 4 {
		t.Fatalf("rows %v", rows)
	}
	svg, err := f.SVG()
	if err != nil {
		t.Fatal(err)
	}
	wellFormed(t, svg)
	for _, want := range []string{">cluster 1<", ">wrong bond<", ">wrong atom<", "#010203", "#040506", `height="140pt"`} {
		if !strings.Contains(string(svg), want) {
			t.Errorf("no %q in\n%s", want, svg)
		}
	}
	if n := strings.Count(string(svg), "#E01020"); n != 2 {
		t.Errorf("%d marks", n)
	}
}
