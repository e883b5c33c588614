//go:build rdkit

package picture

import (
	"bytes"
	"image/png"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ehgnn/ehgnn/chem/rdkit"
)

// A grid has every molecule with its texts. Bonds that differ from the start are coloured. The grid is the same each time.
func TestMoleculesGrid(t *testing.T) {
	tk, err := rdkit.Toolkit()
	if err != nil {
		t.Fatal(err)
	}
	g := Grid{Title: "Best 4 of 1,840 molecules", Note: "predicted probability of activity; change to the start (0.412)", Foot: "Rank top left.",
		Start: &Cell{SMILES: "CCNC(=O)c1ccccc1", TopLeft: "start", TopRight: "N-ethylbenzamide", BottomLeft: "probability 0.412"},
		Cells: []Cell{
			{SMILES: "CCNC(=O)c1ccc(C#N)cc1F", TopLeft: "1", TopRight: "4 edits", BottomLeft: "0.948", BottomRight: "+0.536"},
			{SMILES: "O=C(NC1CC1)c1ccc(F)cc1", TopLeft: "2", TopRight: "3 edits", BottomLeft: "0.902", BottomRight: "+0.490"},
			{SMILES: "CCNC(=O)c1ccc(S(C)(=O)=O)cc1", TopLeft: "3", TopRight: "<b>&\n", BottomLeft: "0.836", BottomRight: "+0.424"},
			{SMILES: "CCNC(=O)c1ccccc1", TopLeft: "4", TopRight: "0 edits", BottomLeft: "0.412", BottomRight: "0"},
		}}
	scene, err := Molecules(g, tk)
	if err != nil {
		t.Fatal(err)
	}
	svg, err := scene.SVG()
	if err != nil {
		t.Fatal(err)
	}
	again, err := Molecules(g, tk)
	if err != nil {
		t.Fatal(err)
	}
	if same, _ := again.SVG(); !bytes.Equal(svg, same) {
		t.Error("the same grid differs")
	}
	for _, want := range []string{"4 edits", "&lt;b&gt;&amp;", "+0.424", "N-ethylbenzamide"} {
		if !strings.Contains(string(svg), want) {
			t.Errorf("no %q", want)
		}
	}
	if n := strings.Count(string(svg), `stroke="#e58a2e"`); n != 3+5+4 {
		t.Errorf("%d coloured bonds, want 12", n)
	}
	image, err := scene.PNG()
	if err != nil {
		t.Fatal(err)
	}
	if p, err := png.Decode(bytes.NewReader(image)); err != nil || p.Bounds().Dx() != 2*984 {
		t.Errorf("%v", err)
	}
	if dir := os.Getenv("EHGNN_KEEP"); dir != "" {
		os.WriteFile(filepath.Join(dir, "grid.svg"), svg, 0o644)
		os.WriteFile(filepath.Join(dir, "grid-go.png"), image, 0o644)
	}
}
