//go:build rdkit

package smiles

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/ehgnn/ehgnn/data"
)

// Hydrogens that are asked for are atoms behind the others, and their bonds behind the bonds.
func TestHydrogens(t *testing.T) {
	path := filepath.Join(t.TempDir(), "hydrogens.csv")
	if err := os.WriteFile(path, []byte("smiles;atom\nO;[8,1,1]\nC[O-];[6,8,1,1,1]\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	s, err := Open(t.Context(), path, Options{Toolkit: toolkit(t), Hydrogens: true, OnInvalid: Fail})
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
	if ends := s.Graphs[1].Ends; !slices.Equal(ends, []int32{0, 1, 0, 2, 0, 3, 0, 4}) {
		t.Errorf("bonds %v", ends)
	}
}

// Atoms and bonds are in RDKit's order: those of the SMILES, a ring closed where its second
// number stands.
func TestItemOrder(t *testing.T) {
	path := filepath.Join(t.TempDir(), "order.csv")
	text := "smiles;atom;bond\n" +
		"C1CC1O;[6,6,6,8];[[0,1],[1,2],[2,3],[0,2]]\n" + // the last bond closes the ring
		"OC(=O)[H];[8,6,8];[[0,1],[1,2]]\n" // the hydrogen is no atom
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	s, err := Open(t.Context(), path, Options{Toolkit: toolkit(t), Labels: []string{"atom"}})
	if err != nil {
		t.Fatal(err)
	}
	for _, g := range s.Graphs {
		for v, number := range g.NodeTargets {
			if code := g.Node.Code[9*v]; int(number) != int(code)+1 {
				t.Errorf("atom %d has number %d, expected %v", v, code+1, number)
			}
		}
	}
	if s, err = Open(t.Context(), path, Options{Toolkit: toolkit(t), Labels: []string{"bond"}}); err != nil {
		t.Fatal(err)
	}
	for _, g := range s.Graphs {
		for e := range g.NumEdges() {
			low, high := min(g.Ends[2*e], g.Ends[2*e+1]), max(g.Ends[2*e], g.Ends[2*e+1])
			if want := g.EdgeTargets[e/2*2:]; want[0] != float32(low) || want[1] != float32(high) {
				t.Errorf("edge %d joins %d and %d, expected %v", e, low, high, want[:2])
			}
		}
	}
	if s.Labels.Missing != 0 || !s.Info.Directed {
		t.Errorf("labels %+v", s.Labels)
	}
	if _, err := Open(t.Context(), path, Options{Toolkit: toolkit(t), Labels: []string{"bond"}, Edges: data.Undirected}); err == nil {
		t.Error("two values for each bond of an undirected graph")
	}
}
