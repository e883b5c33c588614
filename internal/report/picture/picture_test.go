package picture

import (
	"bytes"
	"errors"
	"fmt"
	"image/color"
	"image/png"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/ehgnn/ehgnn/chem"
	"github.com/ehgnn/ehgnn/internal/explain"
	"github.com/ehgnn/ehgnn/internal/report/draw"
	"github.com/ehgnn/ehgnn/internal/settings"
)

// square is a record of a square with a diagonal: one pool keeps four of five edges, the next
// two of four.
func square() explain.GraphRecord {
	return explain.GraphRecord{Graph: "7", Nodes: []string{"0", "1", "2", "3"}, Labels: []string{"a", "b", "a", "b"},
		Edges: [][2]int32{{0, 1}, {1, 2}, {2, 3}, {3, 0}, {0, 2}},
		Drops: []explain.DropRecord{
			{Layer: 1, Edges: []int32{0, 1, 2, 3, 4}, Scores: []float32{0.5, 0.4, 0.3, 0.2, 0.1}, Kept: []bool{true, true, true, true, false}},
			{Layer: 2, Edges: []int32{0, 1, 2, 3}, Scores: []float32{0.9, 0.1, 0.8, 0.2}, Kept: []bool{true, false, true, false}},
		}}
}

// hexadecimal is a colour as SVG has it.
func hexadecimal(c color.NRGBA) string { return fmt.Sprintf("#%02X%02X%02X", c.R, c.G, c.B) }

// counts counts strokes of a colour in a figure.
func counts(t *testing.T, f *draw.Figure) func(color.NRGBA) int {
	t.Helper()
	svg, err := f.SVG()
	if err != nil {
		t.Fatal(err)
	}
	image, err := f.PNG()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := png.Decode(bytes.NewReader(image)); err != nil {
		t.Fatal(err)
	}
	return func(c color.NRGBA) int { return strings.Count(string(svg), `stroke="`+hexadecimal(c)) }
}

// A figure has the graph and a panel for each pool, in which kept edges have bands and those
// that were dropped, now or before, dashes.
func TestFigure(t *testing.T) {
	f, err := Figure([]explain.GraphRecord{square()}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if len(f.Panels) != 3 || f.Columns != 3 {
		t.Fatalf("%d panels, %d a row", len(f.Panels), f.Columns)
	}
	first, second := f.Panels[1].(draw.Diagram), f.Panels[2].(draw.Diagram)
	if first.Title != "layer 1: 4 of 5 kept" || second.Title != "layer 2: 2 of 4 kept" || f.Panels[0].(draw.Diagram).Title != "graph 7" {
		t.Errorf("titles %q, %q", first.Title, second.Title)
	}
	bands := 0
	for _, d := range []draw.Diagram{first, second} {
		for _, l := range d.Edges {
			if (l.Band.A > 0) == l.Dashed {
				t.Errorf("%s: %+v is kept and dropped", d.Title, l)
			}
			if l.Band.A > 0 {
				bands++
			}
		}
	}
	n := counts(t, f)
	if now, before := n(droppedNow), n(droppedBefore); bands != 6 || now != 1+2+1 || before != 1+1 { // with those of the key
		t.Errorf("%d bands, %d and %d dropped", bands, now, before)
	}
	if strong, pale := n(shade(1)), n(shade(0)); strong != 2+1 || pale != 2+1 {
		t.Errorf("%d and %d of the highest and lowest score, want one a panel and one in the key", strong, pale)
	}
	if f, err = Figure([]explain.GraphRecord{square()}, Options{By: ByComponent}); err != nil {
		t.Fatal(err)
	}
	last := f.Panels[2].(draw.Diagram)
	n = counts(t, f)
	if last.Title != "layer 2: 2 of 4 kept, 2 components" || n(group(0)) != 4+1+1 || n(group(1)) != 1 {
		t.Errorf("%q, %d and %d", last.Title, n(group(0)), n(group(1)))
	}
}

// Components are numbered by size.
func TestComponents(t *testing.T) {
	edges := [][2]int32{{0, 1}, {2, 3}, {3, 4}, {5, 5}, {1, 2}}
	of, n := components(7, edges, []int32{0, 1, 2, 3})
	if want := []int{1, 1, 0, 0, 0, 2, -1}; n != 3 || !slices.Equal(of, want) {
		t.Errorf("%d components, %v, want %v", n, of, want)
	}
	if of, n = components(2, edges, nil); n != 0 || !slices.Equal(of, []int{-1, -1}) {
		t.Errorf("%d components, %v without edges", n, of)
	}
}

// Edges have the colours of their clusters; two arcs of one pair share a line.
func TestClusters(t *testing.T) {
	g := explain.GraphRecord{Graph: "0", Nodes: []string{"0", "1", "2"}, Directed: true, Edges: [][2]int32{{0, 1}, {1, 0}, {1, 2}},
		Clusters: &explain.ClusterRecord{Of: 30, Cluster: []int32{4, 4, 25}, Weight: []float32{1, 0.5, 0.4}}}
	f, err := Figure([]explain.GraphRecord{g, g}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	d := f.Panels[0].(draw.Diagram)
	if len(f.Panels) != 2 || f.Columns != 2 || d.Title != "graph 0: 2 of 30 clusters" || !d.Edges[0].Half || !d.Edges[1].Half || d.Edges[2].Half || len(f.Key) != 2 {
		t.Errorf("%+v", f)
	}
	n := counts(t, f)
	if n(group(0)) != 2*2+1 || n(group(1)) != 2+1 {
		t.Errorf("%d and %d", n(group(0)), n(group(1)))
	}
	if c := Clusters([]int32{7, 25, 4, 25, 4, 25}); len(c) != 3 || c[25] != group(0) || c[4] != group(1) || c[7] != group(2) {
		t.Errorf("%v", c)
	}
	seen := map[color.NRGBA]bool{}
	for k := range 60 {
		seen[group(k)] = true
	}
	if len(seen) != 60 {
		t.Errorf("60 groups have %d colours", len(seen))
	}
}

// placing is a toolkit that lays atoms out on a line, or fails.
type placing struct {
	chem.Toolkit
	err error
}

func (p placing) Layout(s *chem.Structure) ([][2]float64, error) {
	points := make([][2]float64, len(s.Atoms))
	for i := range points {
		points[i][0] = float64(10 * i)
	}
	return points, p.err
}

// Molecules are placed by the toolkit, and without one all the same; carbons have no label,
// and what is no bond is dashed.
func TestMolecule(t *testing.T) {
	s := &chem.Structure{Atoms: []chem.Atom{{Number: 6}, {Number: 6, Charge: -1}, {Number: 7, ExplicitHs: 2}, {Number: 6}},
		Bonds: []chem.Bond{{Begin: 0, End: 1, Type: chem.Double}, {Begin: 1, End: 2, Type: chem.NoBond}}}
	points, err := Place(s, placing{})
	if err != nil || points[2][0] != 20 {
		t.Errorf("%v, %v", points, err)
	}
	for _, tk := range []chem.Toolkit{nil, placing{err: errors.New("none")}} {
		if points, err = Place(s, tk); err != nil || len(points) != 4 || points[2][0] == 20 {
			t.Errorf("%v, %v", points, err)
		}
	}
	d := Molecule(s, points)
	if !slices.Equal(d.Labels, []string{"", "C−", "NH2", "C"}) || d.Edges[0].Strokes != draw.Double || d.Edges[0].Dashed || !d.Edges[1].Dashed {
		t.Errorf("%+v", d)
	}
	g := explain.GraphRecord{Nodes: make([]string, 4), Edges: [][2]int32{{2, 1}, {1, 0}}, Molecule: s}
	drawn, err := sketch(g, nil)
	if err != nil || drawn.Dots || drawn.Edges[1].Strokes != draw.Double || drawn.Edges[1].From != 1 || !slices.Equal(drawn.Labels, d.Labels) {
		t.Errorf("%+v, %v", drawn, err)
	}
}

// What is too large to draw is refused with what to do instead.
func TestFigureRefuses(t *testing.T) {
	large := explain.GraphRecord{Graph: "5", Nodes: make([]string, draw.MaxLayout+1)}
	many := slices.Repeat([]explain.GraphRecord{square()}, maxPanels/3+1)
	for want, records := range map[string][]explain.GraphRecord{"graph 5: draw: 2001 nodes": {large}, "--out FILE.json": {large}, "name fewer graphs": many, "no record": nil} {
		if _, err := Figure(records, Options{}); err == nil || !settings.IsUsage(err) || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q", err, want)
		}
	}
}

// The document lists each edge with its scores and the layer that dropped it, or its cluster.
func TestDocument(t *testing.T) {
	d, err := Document([]explain.GraphRecord{square()}, "hyperdrop", nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	text := d.Text()
	for _, want := range []string{"Record of hyperdrop: edges that it kept and dropped", "\n7         4  0       2        0.1000                    1\n", "\n7         1  1       2        0.4000   0.1000           2\n", "\n7         0  0       1        0.5000   0.9000            \n"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
	g := square()
	g.Drops, g.Clusters = nil, &explain.ClusterRecord{Of: 2, Cluster: []int32{0, 1, 0, 1, 1}, Weight: []float32{1, 1, 1, 1, 0.75}}
	f, err := Figure([]explain.GraphRecord{g}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if d, err = Document([]explain.GraphRecord{g}, "hypercluster", f, nil); err != nil {
		t.Fatal(err)
	}
	var page strings.Builder
	if err := d.WriteHTML(&page); err != nil || !strings.Contains(page.String(), `<svg role="img"`) || !strings.Contains(page.String(), "0.7500") {
		t.Errorf("%v\n%.500s", err, page.String())
	}
	if text := d.Text(); !strings.Contains(text, "edges and their clusters") || !strings.Contains(text, "7         4  0       2             1  0.7500\n") {
		t.Errorf("\n%s", text)
	}
}

// Scores can be told by lightness alone, and black lines are seen on all of their colours.
func TestShade(t *testing.T) {
	luminance := func(share float64) float64 {
		c, sum := shade(share), 0.0
		for k, v := range []uint8{c.R, c.G, c.B} {
			x := float64(v) / 255
			if x = x / 12.92; x > 0.04045/12.92 {
				x = math.Pow((x*12.92+0.055)/1.055, 2.4)
			}
			sum += []float64{0.2126, 0.7152, 0.0722}[k] * x
		}
		return sum
	}
	last := math.Inf(1)
	for k := range 21 {
		at := luminance(float64(k) / 20)
		if at > last-0.01 {
			t.Errorf("share %v has luminance %.3f after %.3f, want less", float64(k)/20, at, last)
		}
		if contrast := (at + 0.05) / 0.05; contrast < 3 {
			t.Errorf("black on share %v has contrast %.1f, want 3 or more (WCAG 1.4.11)", float64(k)/20, contrast)
		}
		last = at
	}
	if a, b := shade(-1), shade(0); a != b || shade(2) != shade(1) {
		t.Errorf("shares outside of 0 to 1 have other colours: %v, %v", a, b)
	}
}
