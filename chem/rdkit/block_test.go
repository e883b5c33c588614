//go:build rdkit

package rdkit

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/ehgnn/ehgnn/chem"
)

// molBlock is a mol block of atoms, "C 0 0 0", and bonds, "1 2 1 0": ends, order and wedge.
func molBlock(atoms, bonds []string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "title\n  program\n\n%3d%3d  0  0  0  0  0  0  0  0999 V2000\n", len(atoms), len(bonds))
	for _, a := range atoms {
		var symbol string
		var x, y, z float64
		fmt.Sscan(a, &symbol, &x, &y, &z)
		fmt.Fprintf(&b, "%10.4f%10.4f%10.4f %-3s 0  0  0  0  0  0  0  0  0  0  0  0\n", x, y, z, symbol)
	}
	for _, c := range bonds {
		var u, v, order, wedge int
		fmt.Sscan(c, &u, &v, &order, &wedge)
		fmt.Fprintf(&b, "%3d%3d%3d%3d\n", u, v, order, wedge)
	}
	return b.String() + "M  END\n"
}

const ethanolV3000 = `
  program

  0  0  0     0  0            999 V3000
M  V30 BEGIN CTAB
M  V30 COUNTS 3 2 0 0 0
M  V30 BEGIN ATOM
M  V30 1 C 0 0 0 0
M  V30 2 C 1.5 0 0 0
M  V30 3 O 3 0 0 0
M  V30 END ATOM
M  V30 BEGIN BOND
M  V30 1 1 1 2
M  V30 2 1 2 3
M  V30 END BOND
M  V30 END CTAB
M  END
`

// Blocks are read with hydrogens as counts, and with the arrangement that wedges, or coordinates in
// space, give.
func TestParseBlock(t *testing.T) {
	centre := []string{"C 0 0 0", "F 1 0 0.5", "Cl -0.5 0.9 0.5", "Br -0.5 -0.9 0.5", "I 0 0 -1"}
	single := []string{"1 2 1 0", "1 3 1 0", "1 4 1 0", "1 5 1 0"}
	for name, test := range map[string]struct{ block, smiles string }{
		"hydrogens":  {molBlock([]string{"H 0 1 0", "C 0 0 0", "H 1 0 0", "H 0 -1 0", "O -1 0 0", "H -2 0 0"}, []string{"1 2 1 0", "2 3 1 0", "2 4 1 0", "2 5 1 0", "5 6 1 0"}), "CO"},
		"order":      {molBlock([]string{"O 0 0 0", "C 1 0 0", "N 2 0 0"}, []string{"1 2 2 0", "2 3 1 0"}), "NC=O"},
		"V3000":      {ethanolV3000, "CCO"},
		"space":      {molBlock(centre, single), "F[C@](Cl)(Br)I"},
		"wedge":      {molBlock([]string{"C 0 0 0", "F 1 0 0", "Cl -0.5 0.9 0", "Br -0.5 -0.9 0"}, []string{"1 2 1 1", "1 3 1 0", "1 4 1 0"}), "F[C@H](Cl)Br"},
		"flat":       {molBlock([]string{"C 0 0 0", "F 1 0 0", "Cl -0.5 0.9 0", "Br -0.5 -0.9 0"}, []string{"1 2 1 0", "1 3 1 0", "1 4 1 0"}), "FC(Cl)Br"},
		"CR LF ends": {strings.ReplaceAll(ethanolV3000, "\n", "\r\n"), "CCO"},
	} {
		m, err := kit(t).ParseBlock(test.block)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		got, err := m.SMILES()
		if m.Close(); err != nil || got != test.smiles {
			t.Errorf("%s: %s (%v), expected %s", name, got, err, test.smiles)
		}
	}
	m, err := kit(t).ParseBlock(molBlock([]string{"O 0 0 0", "H 0 1 0", "C 1 0 0", "N 2 0 0"}, []string{"1 3 2 0", "3 4 1 0", "3 2 1 0"}))
	if err != nil {
		t.Fatal(err)
	}
	defer m.Close()
	if s, err := m.Structure(); err != nil || len(s.Atoms) != 3 || s.Atoms[0].Number != 8 || s.Atoms[1].Number != 6 || s.Atoms[2].Number != 7 {
		t.Errorf("%v: atoms %+v, expected them in the order of the block", err, s)
	}
}

func TestParseBlockErrors(t *testing.T) {
	large := strings.ReplaceAll(ethanolV3000, "COUNTS 3 2", "COUNTS 1001 0")
	large = strings.ReplaceAll(large, "M  V30 BEGIN BOND\nM  V30 1 1 1 2\nM  V30 2 1 2 3\nM  V30 END BOND\n", "")
	var atoms strings.Builder
	for i := range 1001 {
		fmt.Fprintf(&atoms, "M  V30 %d C 0 0 0 0\n", i+1)
	}
	large = strings.ReplaceAll(large, "M  V30 1 C 0 0 0 0\nM  V30 2 C 1.5 0 0 0\nM  V30 3 O 3 0 0 0\n", atoms.String())
	for name, test := range map[string]struct {
		block string
		class chem.Class
		want  string
	}{
		"empty":   {"", chem.Invalid, "0 characters"},
		"text":    {"no block", chem.Syntax, ""},
		"cut":     {ethanolV3000[:100], chem.Syntax, ""},
		"valence": {molBlock([]string{"F 0 0 0", "C 1 0 0", "C -1 0 0"}, []string{"1 2 1 0", "1 3 1 0"}), chem.Valence, "valence"},
		"atoms":   {large, chem.Invalid, "1001 atoms, expected at most 1000"},
		"none":    {molBlock(nil, nil), chem.Invalid, "without atoms"},
	} {
		_, err := kit(t).ParseBlock(test.block)
		var e *chem.Error
		if !errors.As(err, &e) || e.Class != test.class || !strings.Contains(e.Text, test.want) || strings.Contains(e.Text, "\n") {
			t.Errorf("%s: %v, expected class %s with %q", name, err, test.class, test.want)
		}
	}
}

// An extension behind a SMILES changes the molecule where it says so, and only there.
func TestExtensions(t *testing.T) {
	for text, want := range map[string]string{
		"CCO |$;;foo$|":                           "CCO",
		"CC |^1:0| a radical":                     "[CH2]C",
		"C[C@H](F)Cl |&1:1|":                      "C[C@H](F)Cl",
		"CC(F)Cl |(0,0,;1,0,;2,1,;2,-1,),wU:1.0|": "C[C@@H](F)Cl",
		"F/C=C/F |w:0.0|":                         "FC=CF",
		"CC=CC |c:1|":                             "",
		"CCO |garbage|":                           "",
	} {
		m, err := kit(t).Parse(text)
		if err != nil {
			if want != "" || !strings.Contains(err.Error(), "CXSMILES") {
				t.Errorf("%s: %v, expected %s", text, err, want)
			}
			continue
		}
		if got, err := m.SMILES(); err != nil || got != want {
			t.Errorf("%s: %s (%v), expected %s", text, got, err, want)
		}
		m.Close()
	}
}

// FuzzBlock reads any text as a mol block.
func FuzzBlock(f *testing.F) {
	f.Add(ethanolV3000)
	f.Add(molBlock([]string{"C 0 0 0", "O 1 0 0", "H 2 0 0"}, []string{"1 2 1 1", "2 3 1 0"}))
	f.Add(strings.Replace(molBlock([]string{"C 0 0 0", "C 1 0 0"}, []string{"1 2 1 0"}), "M  END", "M  CHG  1   1   1\nM  ISO  1   1  13\nM  RAD  1   2   2\nM  END", 1))
	f.Fuzz(func(t *testing.T, block string) {
		m, err := kit(t).ParseBlock(block)
		if err != nil {
			var e *chem.Error
			if !errors.As(err, &e) || e.Text == "" {
				t.Fatalf("%q: %v", block, err)
			}
			return
		}
		defer m.Close()
		if m.NumAtoms() > 100 {
			return // right, but slow
		}
		examine(t, m)
	})
}
