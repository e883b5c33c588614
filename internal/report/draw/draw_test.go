package draw

import (
	"bytes"
	"encoding/xml"
	"errors"
	"image/png"
	"io"
	"strings"
	"testing"
)

// square is a scene with a text, a line with a colour of the theme, a band and a line with its own colour.
func square() *Scene {
	s := &Scene{Width: 150, Height: 100, Label: "a <square>"}
	s.Text(10, 20, "one & two", TextStyle{})
	s.Path(Data("M", 10, 30, "H", 90), Stroke{Line: UpInk, Width: 4})
	s.Path(Data("M", 10, 40, "H", 90, "V", 60, "H", 10, "Z"), Stroke{Fill: DownInk, Pale: true})
	s.Path(Data("M", 10, 80, "L", 90, 80), Stroke{Line: "#00ff00", Width: 4})
	return s
}

// Both files show the same and have the same bytes each time. The image has twice the size, and a band is pale.
func TestScene(t *testing.T) {
	svg, err := square().SVG()
	if err != nil {
		t.Fatal(err)
	}
	for d := xml.NewDecoder(bytes.NewReader(svg)); ; {
		if _, err := d.Token(); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
	}
	for _, want := range []string{"a &lt;square&gt;", "one &amp; two", `class="s-up"`, `opacity=".15"`, `stroke="#00ff00"`} {
		if !strings.Contains(string(svg), want) {
			t.Errorf("no %q in %s", want, svg)
		}
	}
	image, err := square().PNG()
	if err != nil {
		t.Fatal(err)
	}
	if again, err := square().PNG(); err != nil || !bytes.Equal(image, again) {
		t.Errorf("a second image differs: %v", err)
	}
	picture, err := png.Decode(bytes.NewReader(image))
	if err != nil {
		t.Fatal(err)
	}
	if size := picture.Bounds(); size.Dx() != 300 || size.Dy() != 200 {
		t.Errorf("the image is %v", size)
	}
	at := func(x, y int) [3]uint32 {
		r, g, b, _ := picture.At(x, y).RGBA()
		return [3]uint32{r >> 8, g >> 8, b >> 8}
	}
	if got := at(100, 60); got != [3]uint32{0xb8, 0x52, 0x00} {
		t.Errorf("the line is %v", got)
	}
	if got := at(100, 160); got != [3]uint32{0, 255, 0} {
		t.Errorf("the line of its own colour is %v", got)
	}
	if got := at(100, 100); got[0] < 200 || got[0] == 255 {
		t.Errorf("the band is %v, want a pale blue", got)
	}
}

// Invalid path data give an error when the image is drawn.
func TestPathErrors(t *testing.T) {
	for _, d := range []string{"X1 2", "M1", "M1 nan", "Z1"} {
		s := &Scene{Width: 10, Height: 10}
		s.Path(d, Stroke{Line: UpInk, Width: 1})
		if _, err := s.PNG(); err == nil {
			t.Errorf("%q is drawn", d)
		}
	}
}
