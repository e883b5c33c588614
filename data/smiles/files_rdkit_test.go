//go:build rdkit

package smiles

import (
	"context"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/ehgnn/ehgnn/chem"
)

// sdf is an SD file of molecules in a plane: each is its elements, joined one after the other, and
// its data items by name and value.
func sdf(records ...[]string) string {
	var b strings.Builder
	for i, r := range records {
		atoms := strings.Fields(r[0])
		fmt.Fprintf(&b, "molecule %d\n  test\n\n%3d%3d  0  0  0  0  0  0  0  0999 V2000\n", i+1, len(atoms), len(atoms)-1)
		for k, a := range atoms {
			fmt.Fprintf(&b, "%10.4f%10.4f%10.4f %-3s 0  0\n", float64(k), 0., 0., a)
		}
		for k := 1; k < len(atoms); k++ {
			fmt.Fprintf(&b, "%3d%3d  1  0\n", k, k+1)
		}
		b.WriteString("M  END\n")
		for k := 1; k < len(r); k += 2 {
			fmt.Fprintf(&b, ">  <%s>\n%s\n\n", r[k], r[k+1])
		}
		b.WriteString("$$$$\n")
	}
	return b.String()
}

// An SD file gives the molecules and labels of a table of its SMILES, with hydrogens as
// --explicit-hydrogens says.
func TestSDF(t *testing.T) {
	blocks := written(t, "a.sdf", sdf([]string{"H O C C", "y", "1.5", "note", "a"}, []string{"C F C", "y", "9"}, []string{"C", "y", "2.5", "note", "b"}, []string{"C O", "note", "c"}))
	table := written(t, "a.csv", "smiles,y\nOCC,1.5\nCFC,9\nC,2.5\nCO,\n")
	for _, hydrogens := range []bool{false, true} {
		o := Options{Toolkit: toolkit(t), Hydrogens: hydrogens, Same: true}
		got, err := Open(t.Context(), blocks, o)
		if err != nil {
			t.Fatal(err)
		}
		want, err := Open(t.Context(), table, o)
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(got.SMILES, []string{"CCO", "C", "CO"}) || !slices.Equal(got.Rows, want.Rows) || got.Invalid != 1 || !slices.Equal(got.Info.TargetNames, want.Info.TargetNames) {
			t.Errorf("SMILES %q in rows %v, %d invalid, targets %q", got.SMILES, got.Rows, got.Invalid, got.Info.TargetNames)
		}
		for i, g := range got.Graphs {
			w := want.Graphs[i]
			if !reflect.DeepEqual(g.Ends, w.Ends) || !reflect.DeepEqual(g.Node, w.Node) || !reflect.DeepEqual(g.Edge, w.Edge) {
				t.Errorf("row %d: %v, of a table %v", got.Rows[i], g, w)
			}
			if a, b := g.Targets[0], w.Targets[0]; a != b && (a == a || b == b) {
				t.Errorf("row %d: target %v, expected %v", got.Rows[i], a, b)
			}
		}
		if notes := strings.Join(got.Info.Notes, "\n"); !strings.Contains(notes, "row 2 is no molecule and is left out: valence: ") {
			t.Errorf("notes %q", notes)
		}
	}
	if _, err := Open(t.Context(), blocks, Options{Toolkit: toolkit(t), OnInvalid: Fail}); err == nil || !strings.Contains(err.Error(), "a.sdf:20: row 2 is no molecule: valence") {
		t.Errorf("error %v", err)
	}
}

// Lists of labels are in the order of the atoms of the file, which is not that of the SMILES.
func TestSDFOrder(t *testing.T) {
	path := written(t, "a.sdf", sdf([]string{"O C C N F", "number", "[8, 6, 6, 7, 9]"}, []string{"F C O", "number", "[9, 6, 8]"}))
	s, err := Open(t.Context(), path, Options{Toolkit: toolkit(t), Labels: []string{"number"}})
	if err != nil {
		t.Fatal(err)
	}
	for i, g := range s.Graphs {
		for v, number := range g.NodeTargets {
			if code := g.Node.Code[9*v]; int(number) != int(code)+1 {
				t.Errorf("%s: atom %d has number %d, expected %v", s.SMILES[i], v, code+1, number)
			}
		}
	}
	if len(s.Graphs) != 2 {
		t.Errorf("%d molecules", len(s.Graphs))
	}
}

// Extensions are read and counted; molecules are equal by their canonical SMILES.
func TestExtensionsAndNames(t *testing.T) {
	path := written(t, "a.smi", "CCO |$;;foo$| ethanol\nOCC the same\nC |^1:0|\n[CH3] |(0,0,)|\nCC=CC |c:1|\nC(C)O\n")
	s, err := Open(t.Context(), path, Options{Toolkit: toolkit(t), Same: true})
	if err != nil {
		t.Fatal(err)
	}
	notes := strings.Join(s.Info.Notes, "\n")
	for _, want := range []string{"row 5 is no molecule and is left out: syntax: the extension (CXSMILES) has a field c", "3 rows have an extension (CXSMILES)", "5 rows of 2 molecules (equal canonical SMILES) are kept in one part"} {
		if !strings.Contains(notes, want) {
			t.Errorf("no %q in %s", want, notes)
		}
	}
	if !slices.Equal(s.Same, []int32{0, 0, 1, 1, 0}) || !slices.Equal(s.Units(false), []int32{0, 0, 1, 1, 0}) {
		t.Errorf("same %v, units %v", s.Same, s.Units(false))
	}
	if s.Graphs[2].Node.Code[0] != 5 || !reflect.DeepEqual(s.Graphs[2].Node, s.Graphs[3].Node) {
		t.Errorf("radicals %v and %v", s.Graphs[2].Node, s.Graphs[3].Node)
	}
	if len(s.Info.TargetNames) > 0 {
		t.Errorf("targets %q", s.Info.TargetNames)
	}
}

func TestNoMolecules(t *testing.T) {
	for _, name := range []string{"a.smi", "a.sdf"} {
		if _, err := Open(t.Context(), written(t, name, "\n"), Options{Toolkit: toolkit(t)}); err == nil || err.Error() != name+": has no molecules" {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// A large molecule is told apart by its text, as its canonical SMILES takes long.
func TestLargeMolecules(t *testing.T) {
	long := strings.Repeat("C", chem.MaxScored+1)
	s, err := Open(context.Background(), written(t, "a.smi", long+"\n"+long+"\n"+long+"O\nO"+long+"\n"), Options{Toolkit: toolkit(t), Same: true})
	if err != nil || !slices.Equal(s.Same, []int32{0, 0, 1, 2}) {
		t.Errorf("%v: %v", err, s)
	}
}
