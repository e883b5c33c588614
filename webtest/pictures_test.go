package webtest

import (
	"bytes"
	"image"
	"image/png"
	"os"
	"path/filepath"
	"testing"

	"github.com/chromedp/cdproto/page"
)

// pictures are those of the documents, by the screens that they show.
var pictures = map[string]string{
	"page-report.png": "/runs/rings",
	"page-items.png":  "/runs/rings/items",
	"page-graph.png":  "/runs/rings/graph?method=record&layer=1",
	"page-map.png":    "/runs/rings/map",
}

// The pictures of docs/ show the screens as they are. Fonts and versions of the browser differ,
// so they are compared block by block; EHGNN_UPDATE=1 takes them anew.
func TestPictures(t *testing.T) {
	at := site(t)
	w := open(t, look{1000, "light", false, false})
	for name, path := range pictures {
		w.visit(at + path)
		now := call(w, page.CaptureScreenshot, page.CaptureScreenshotParams{Clip: &page.Viewport{Width: 1000, Height: 860, Scale: 1}}).Data
		file := filepath.Join("..", "docs", "pictures", name)
		if os.Getenv("EHGNN_UPDATE") == "1" {
			w.must(os.WriteFile(file, now, 0o644))
			continue
		}
		kept, err := os.ReadFile(file)
		w.must(err)
		if share := differ(t, kept, now); share > 0.1 {
			t.Errorf("%.0f %% of %s differ from %s as it is now; EHGNN_UPDATE=1 go test -run TestPictures takes it anew", 100*share, file, path)
		}
	}
}

// differ is the share of blocks of pixels that are not alike, of those that show something in
// either picture.
func differ(t *testing.T, a, b []byte) float64 {
	t.Helper()
	const side = 20
	var of [2][]float64
	for i, data := range [][]byte{a, b} {
		picture, err := png.Decode(bytes.NewReader(data))
		if err != nil {
			t.Fatal(err)
		}
		of[i] = blocks(picture, side)
	}
	if len(of[0]) != len(of[1]) {
		return 1
	}
	shown, other := 0, 0
	for i := range of[0] {
		x, y := of[0][i], of[1][i]
		if x > 0.005 || y > 0.005 {
			if shown++; max(x, y) > 4*min(x, y)+0.05 {
				other++
			}
		}
	}
	return float64(other) / float64(max(shown, 1))
}

// blocks is how dark the blocks of a picture are, from 0 to 1.
func blocks(p image.Image, side int) (out []float64) {
	b := p.Bounds()
	for y := b.Min.Y; y < b.Max.Y; y += side {
		for x := b.Min.X; x < b.Max.X; x += side {
			dark := 0.0
			for v := y; v < min(y+side, b.Max.Y); v++ {
				for u := x; u < min(x+side, b.Max.X); u++ {
					r, g, b, _ := p.At(u, v).RGBA()
					dark += 1 - float64(r+g+b)/(3*0xffff)
				}
			}
			out = append(out, dark/float64(side*side))
		}
	}
	return out
}
