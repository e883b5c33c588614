package cli_test

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/ehgnn/ehgnn/data/synth"
)

// The pictures of the start pages are those that their commands make. Weights differ by rounding
// from one kind of processor to another, and with them which of two equal edges is drawn, so that
// it is compared which nodes a picture names.
func TestPictures(t *testing.T) {
	if testing.Short() {
		t.Skip("it trains for some seconds")
	}
	x, err := synth.NewTransactions(300, 2000, 42) // as examples/edges -accounts 300 -payments 2000
	if err != nil {
		t.Fatal(err)
	}
	var nodes, edges strings.Builder
	if err := x.WriteNodes(&nodes); err != nil {
		t.Fatal(err)
	}
	if err := x.WriteEdges(&edges); err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	for name, text := range map[string]string{"nodes.csv": nodes.String(), "edges.csv": edges.String()} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	run, made := filepath.Join(t.TempDir(), "run"), filepath.Join(t.TempDir(), "why.svg")
	succeed(t, "train", dir, "--split", "time", "--epochs", "100", "--out", run, "--quiet")
	succeed(t, "explain", run, "--edge", "1892", "--out", made)

	path := filepath.Join("..", "..", "..", "docs", "pictures", "payment.svg")
	if *update {
		if err := os.WriteFile(path, []byte(read(t, made)), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, got := texts(read(t, path)), texts(read(t, made))
	shared := 0
	for _, text := range got {
		if slices.Contains(want, text) {
			shared++
		}
	}
	if len(got) < 10 || shared < 3*len(got)/4 || !slices.Contains(got, "132") || !slices.Contains(got, "117") {
		t.Errorf("the picture names %q, %s has %q; go test ./cmd/ehgnn/cli -run TestPictures -update makes it again", got, path, want)
	}
}

// texts are those of an SVG file, without the title of the panel.
func texts(svg string) (out []string) {
	for _, m := range regexp.MustCompile(`<text[^>]*>([^<]*)</text>`).FindAllStringSubmatch(svg, -1) {
		if text := strings.TrimSpace(m[1]); !strings.Contains(text, " ") {
			out = append(out, text)
		}
	}
	return out
}
