//go:build rdkit

package benchmark

import (
	"testing"

	"github.com/ehgnn/ehgnn/chem/rdkit"
)

func TestDescribe(t *testing.T) {
	tk, err := rdkit.Toolkit()
	if err != nil {
		t.Fatal(err)
	}
	h, err := Describe(tk, []string{"CCc1ccccc1", "CCCc1ccccc1", "O=C1CCCN1"}, []int{7, 900, 1200}, 1000, 3000)
	if err != nil || h.First != 7 || h.Within[1000] != 2 || h.Within[3000] != 3 || h.Scaffolds != 2 || h.Circles != 2 || h.Diversity <= 0.5 || h.Diversity >= 1 {
		t.Errorf("%+v, %v", h, err)
	}
	if h, err := Describe(tk, nil, nil, 1000); err != nil || h.First != 0 || h.Scaffolds != 0 || h.Diversity != 0 {
		t.Errorf("no molecule: %+v, %v", h, err)
	}
	if _, err := Describe(tk, []string{"C("}, []int{1}); err == nil {
		t.Error("what does not parse is described")
	}
}
