//go:build rdkit

package smiles

import (
	"reflect"
	"slices"
	"testing"

	"github.com/ehgnn/ehgnn/chem"
	"github.com/ehgnn/ehgnn/chem/rdkit"
	"github.com/ehgnn/ehgnn/data"
	"github.com/ehgnn/ehgnn/internal/realdata"
)

func toolkit(t testing.TB) chem.Toolkit {
	t.Helper()
	tk, err := rdkit.Toolkit()
	if err != nil {
		t.Fatal(err)
	}
	return tk
}

// The SMILES of BBBP give the graphs and targets of OGB's own folder, and nearly its split.
func TestOGB(t *testing.T) {
	dir := realdata.Path(t, "ogb", "ogbg_molbbbp")
	for _, form := range []data.Edges{data.Undirected, data.Directed} {
		want, err := data.Open(dir, data.Options{Edges: form})
		if err != nil {
			t.Fatal(err)
		}
		got, err := Open(t.Context(), dir+"/mapping/mol.csv.gz", Options{Toolkit: toolkit(t), Edges: form, Same: true})
		if err != nil {
			t.Fatal(err)
		}
		if len(got.Graphs) != len(want.Graphs) || got.Invalid != 0 {
			t.Fatalf("%d molecules and %d invalid rows, expected %d", len(got.Graphs), got.Invalid, len(want.Graphs))
		}
		differ := 0
		for i, g := range got.Graphs {
			if !reflect.DeepEqual(g, want.Graphs[i]) {
				if differ++; differ < 4 {
					t.Errorf("row %d, %s:\n%v\nOGB:\n%v", got.Rows[i], got.SMILES[i], g, want.Graphs[i])
				}
			}
		}
		if differ > 0 {
			t.Errorf("%d of %d graphs differ from OGB's", differ, len(got.Graphs))
		}
		parts, err := got.ScaffoldSplit(t.Context(), toolkit(t), 0, [3]float64{0.8, 0.1, 0.1})
		if err != nil {
			t.Fatal(err)
		}
		// OGB's split is of an RDKit whose scaffolds of a few molecules are others.
		for k, ids := range [][]int{want.Split.Train, want.Split.Valid, want.Split.Test} {
			same := 0
			for _, id := range ids {
				if _, found := slices.BinarySearch(parts[k], id); found {
					same++
				}
			}
			if len(parts[k]) != len(ids) || same < len(ids)*3/4 || k == 0 && same < len(ids)*95/100 {
				t.Errorf("part %d has %d molecules, %d of them among OGB's %d", k, len(parts[k]), same, len(ids))
			}
		}
	}
}
