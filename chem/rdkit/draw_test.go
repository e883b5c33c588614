//go:build rdkit

package rdkit

import (
	"bytes"
	"encoding/xml"
	"image/color"
	"image/png"
	"io"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/ehgnn/ehgnn/chem"
)

func TestPictures(t *testing.T) {
	m := parsed(t, "CC(=O)Oc1ccccc1C(=O)O")
	d := chem.Depiction{Width: 300, Height: 200,
		Atoms: map[int]color.NRGBA{3: {R: 0x12, G: 0xAB, B: 0x34, A: 255}},
		Bonds: map[int]color.NRGBA{0: {R: 0xFE, G: 0x10, B: 0x20, A: 255}, 11: {R: 0x20, G: 0x30, B: 0xDC, A: 255}}}
	svg := must[[]byte](t)(m.SVG(d))
	for _, want := range []string{"width='300px'", "height='200px'", "#12AB34", "#FE1020", "#2030DC", "bond-0 ", "atom-3"} {
		if !strings.Contains(string(svg), want) {
			t.Errorf("the SVG has no %s", want)
		}
	}
	dec := xml.NewDecoder(bytes.NewReader(svg))
	dec.CharsetReader = func(_ string, in io.Reader) (io.Reader, error) { return in, nil } // it says ISO 8859-1, and is ASCII
	for {
		if _, err := dec.Token(); err == io.EOF {
			break
		} else if err != nil {
			t.Fatal(err)
		}
	}
	if plain := must[[]byte](t)(m.SVG(chem.Depiction{Width: 300, Height: 200})); bytes.Contains(plain, []byte("#12AB34")) {
		t.Error("a colour that was not asked for")
	}
	if again := must[[]byte](t)(m.SVG(d)); !bytes.Equal(svg, again) {
		t.Error("the same picture differs")
	}
	img, err := png.Decode(bytes.NewReader(must[[]byte](t)(m.PNG(d))))
	if err != nil {
		t.Fatal(err)
	}
	if b := img.Bounds(); b.Dx() != 300 || b.Dy() != 200 {
		t.Errorf("a PNG of %v", b)
	}
	found := map[color.NRGBA]int{}
	for y := range 200 {
		for x := range 300 {
			found[color.NRGBAModel.Convert(img.At(x, y)).(color.NRGBA)]++
		}
	}
	for _, c := range []color.NRGBA{d.Atoms[3], d.Bonds[0], d.Bonds[11]} {
		if found[c] < 20 {
			t.Errorf("%d pixels of %v", found[c], c)
		}
	}
	for want, d := range map[string]chem.Depiction{
		"0 by 10 pixels":          {Width: 0, Height: 10},
		"5000 by 10 pixels":       {Width: 5000, Height: 10},
		"a colour for atom 13 of": {Width: 10, Height: 10, Atoms: map[int]color.NRGBA{13: {}}},
		"a colour for bond -1 of": {Width: 10, Height: 10, Bonds: map[int]color.NRGBA{-1: {}}},
	} {
		if _, err := m.SVG(d); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
}

// Every golden molecule has a picture, the smallest size included.
func TestPicturesOfAll(t *testing.T) {
	for i, g := range molecules(t) {
		d := chem.Depiction{Width: 1 + i%200, Height: 1 + i%150}
		if _, err := parsed(t, g.SMILES).SVG(d); err != nil {
			t.Errorf("%s: %v", g.SMILES, err)
		}
	}
}

// Atoms that are bonded lie a bond apart, whether the structure is a molecule or not.
func TestLayout(t *testing.T) {
	ring := &chem.Structure{Atoms: make([]chem.Atom, 7)}
	for i := range ring.Atoms {
		ring.Atoms[i].Number = 6
	}
	for i := range int32(6) {
		ring.Bonds = append(ring.Bonds, chem.Bond{Begin: i, End: (i + 1) % 6, Type: chem.Triple}) // breaks every valence
	}
	ring.Bonds = append(ring.Bonds, chem.Bond{Begin: 0, End: 6, Type: chem.Aromatic}, chem.Bond{Begin: 1, End: 6, Type: chem.NoBond})
	if _, err := kit(t).Build(ring); err == nil {
		t.Fatal("the structure is a molecule")
	}
	aspirin := must[*chem.Structure](t)(parsed(t, "CC(=O)Oc1ccccc1C(=O)O").KekuleStructure())
	for _, s := range []*chem.Structure{ring, aspirin} {
		points := must[[][2]float64](t)(kit(t).Layout(s))
		if again := must[[][2]float64](t)(kit(t).Layout(s)); !slices.Equal(points, again) {
			t.Error("the same structure has another layout")
		}
		for _, b := range s.Bonds {
			p, q := points[b.Begin], points[b.End]
			if d := math.Hypot(p[0]-q[0], p[1]-q[1]); b.Type != chem.NoBond && math.Abs(d-1.5) > 0.1 {
				t.Errorf("atoms %d and %d are %.2f apart, want 1.5", b.Begin, b.End, d)
			}
		}
	}
	for want, s := range map[string]*chem.Structure{"a molecule of 0 atoms": {}, "a molecule of 1001 atoms": {Atoms: make([]chem.Atom, 1001)}} {
		if _, err := kit(t).Layout(s); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
}
