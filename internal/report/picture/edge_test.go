package picture

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/ehgnn/ehgnn/internal/explain"
	"github.com/ehgnn/ehgnn/internal/rng"
)

// madeUp is an explanation with a number of edges of each side and a rest.
func madeUp(edges, rest int, id func(k int) string) explain.EdgeExplanation {
	r := rng.Stream(uint64(edges), "made up")
	x := explain.EdgeExplanation{Edge: "38706", ID: id(0), Source: id(1), Target: id(2), Class: "fraud", Directed: true, Unit: explain.LogOdds, Base: -4.18,
		Shown: []string{"amount", "time"}, Labels: []string{"20297.4", "29 Mar 2026, 04:12"}, Columns: []explain.ColumnPart{
			{Column: "amount", Value: "20297.4", Contribution: 3.117}, {Column: "type", Value: "transfer", Contribution: 0.93},
			{Column: "balance of the source", Value: "0", Contribution: -0.723}, {Column: "hour", Value: "4", Contribution: 0.644}}}
	for k := range edges {
		side := explain.AtTarget
		switch {
		case k%3 == 0:
			side = explain.AtSource
		case k%7 == 4:
			side = explain.AtBoth
		}
		e := explain.EdgePart{Edge: strconv.Itoa(k), ID: id(10 + k), Side: side, Steps: 1, Source: id(100 + k), Target: x.Source,
			Labels: []string{fmt.Sprintf("%.2f", 50000*r.Float64()), "27 Mar 2026, 21:11"}, Contribution: (r.Float64() - 0.3) / float64(1+k)}
		switch {
		case side == explain.AtBoth:
			e.Source, e.Target = x.Source, x.Target
		case side == explain.AtTarget:
			e.Source, e.Target = x.Target, id(100+k)
		}
		if k%11 == 5 {
			e.Steps, e.Source, e.Target = 2, id(300), id(301)
		}
		x.Edges = append(x.Edges, e)
	}
	if rest > 0 {
		x.Rest = []explain.RestPart{{Side: explain.AtSource, Steps: 1, Edges: 3, Contribution: 0.021}, {Side: explain.AtTarget, Steps: 1, Edges: rest, Contribution: -0.382},
			{Side: explain.AtTarget, Steps: 2, Edges: 12, Contribution: 0.0004}}
	}
	x.Value = x.Base
	for _, c := range x.Columns {
		x.Value += c.Contribution
	}
	for _, e := range x.Edges {
		x.Value += e.Contribution
	}
	for _, e := range x.Rest {
		x.Value += e.Contribution
	}
	x.Score = 1 / (1 + math.Exp(-x.Value))
	if edges > 0 {
		x.Fidelity = &explain.EdgeFidelity{Edges: edges, Alone: 0.9, Without: 0.4, Random: 0.5, Low: 0.45, High: 0.55, Draws: 20, Moves: edges%4 != 2, Holds: edges%2 == 1}
	}
	return x
}

func short(k int) string { return "C" + strconv.Itoa(1000+97*k) }

func hostile(k int) string {
	return []string{"<b>&\"' id</b> with\nlines\tand a very long tail of words", "=cmd|' /C calc'!A0", "مرحبا بالعالم", "WWWWWWWWWWWWWWWWWWWWWWWW", "\u202Eevil", ""}[k%6] + strconv.Itoa(k)
}

// edgeCases are explanations of all sizes.
func edgeCases() map[string]explain.EdgeExplanation {
	out := map[string]explain.EdgeExplanation{"hub": madeUp(6, 1994, short), "hostile": madeUp(15, 12, hostile)}
	for _, n := range []int{0, 1, 5, 15, 40} {
		out[strconv.Itoa(n)] = madeUp(n, 0, short)
	}
	number := madeUp(5, 11, short)
	number.Unit, number.Directed, number.StandardError = explain.Number, false, 0.04
	out["number"] = number
	return out
}

// At any width, no text of a picture overlaps another one or leaves the picture. The SVG is valid XML and is the same each time.
func TestEdgeGeometry(t *testing.T) {
	for name, x := range edgeCases() {
		for _, width := range []float64{NarrowEdge, 700, 918, 1280, WideEdge} {
			scene := Edge(x, EdgeWords{}, width)
			for _, fault := range scene.Faults() {
				t.Errorf("%s, %v: %s", name, width, fault)
			}
			svg, err := scene.SVG()
			if err != nil {
				t.Fatal(err)
			}
			if again, _ := Edge(x, EdgeWords{}, width).SVG(); !bytes.Equal(svg, again) {
				t.Errorf("%s: the same explanation gives another picture", name)
			}
			if len(svg) > 60<<10 {
				t.Errorf("%s: %d bytes", name, len(svg))
			}
			for d := xml.NewDecoder(bytes.NewReader(svg)); ; {
				if _, err := d.Token(); errors.Is(err, io.EOF) {
					break
				} else if err != nil {
					t.Fatalf("%s: %v", name, err)
				}
			}
			if dir := os.Getenv("EHGNN_KEEP"); dir != "" {
				os.WriteFile(filepath.Join(dir, fmt.Sprintf("edge-%s-%v.svg", name, width)), svg, 0o644)
				if image, err := scene.PNG(); err == nil {
					os.WriteFile(filepath.Join(dir, fmt.Sprintf("edge-%s-%v-go.png", name, width)), image, 0o644)
				} else {
					t.Error(err)
				}
			}
		}
	}
}

// The shown numbers sum up: base and bars give the value, to the last digit.
func TestEdgeAddsUp(t *testing.T) {
	for name, x := range edgeCases() {
		p := newEdgePicture(x, EdgeWords{}.filled())
		sum := p.base
		for _, b := range p.bars() {
			sum += b.v
		}
		if math.Abs(sum-p.value) > 1e-9 {
			t.Errorf("%s: bars sum to %v, the value is %v", name, sum, p.value)
		}
		for i, c := range p.x.Columns {
			if math.Abs(c.Contribution-x.Columns[i].Contribution) > math.Pow(10, -float64(p.decimals)) {
				t.Errorf("%s: %v is shown as %v", name, x.Columns[i].Contribution, c.Contribution)
			}
		}
	}
	svg, _ := Edge(madeUp(5, 11, short), EdgeWords{"payment", "payer", "payee"}, WideEdge).SVG()
	for _, want := range []string{"base −4.18, all of these", "11 more payments of the payee", "together −0.38", "20,297", "3 more payments of the payer", ">11 others of the payee<"} {
		if !strings.Contains(string(svg), want) {
			t.Errorf("no %q", want)
		}
	}
}

// Long names of bars take several lines. Names that fit are not truncated.
func TestLongBars(t *testing.T) {
	x := madeUp(5, 11, short)
	x.Columns[0].Column = "share of fraud among the source's other outgoing edges"
	for _, width := range []float64{NarrowEdge, WideEdge} {
		svg, err := Edge(x, EdgeWords{}, width).SVG()
		if err != nil || strings.Contains(string(svg), "…") || !strings.Contains(string(svg), ">share of fraud") {
			t.Errorf("width %v, error %v: the name of a bar is cut", width, err)
		}
	}
}

// The sentence about the edges follows from the numbers.
func TestVerdict(t *testing.T) {
	near := madeUp(6, 1994, short)
	near.Base, near.Score = math.Log(0.02/0.98), 0.004
	bare := madeUp(6, 0, short)
	bare.Columns, bare.Fidelity.Alone = nil, bare.Score
	for want, x := range map[string]explain.EdgeExplanation{"The score is near the base, 0.020: as a probability, nothing moves it much.": near,
		"The neighbourhood matters little: without these 6 edges the score is nearly the same.": bare} {
		if got, _ := newEdgePicture(x, EdgeWords{}.filled()).verdict(); got != want {
			t.Errorf("%q, expected %q", got, want)
		}
	}
}

// Numbers of the data are shown without exponents if they are surely numbers. Names do not change.
func TestCell(t *testing.T) {
	for in, want := range map[string]string{"5.5073e-17": "5.51·10⁻¹⁷", "1e+20": "1·10²⁰", "3e8": "3e8", "0x1p-2": "0x1p-2", "1234.6": "1,235", "0.926": "0.926", "a<b": "a<b"} {
		if got := cell(in); got != want {
			t.Errorf("%s is %q, expected %q", in, got, want)
		}
	}
}
