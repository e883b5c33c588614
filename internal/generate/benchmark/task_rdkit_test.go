//go:build rdkit

package benchmark

import (
	"math"
	"testing"

	"github.com/ehgnn/ehgnn/chem/rdkit"
)

// Scores equal those of a separate implementation of GuacaMol's definitions in Python with RDKit
// 2026.09.1.
func TestTasks(t *testing.T) {
	tk, err := rdkit.Toolkit()
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range Names() {
		var doc struct {
			Values []struct {
				SMILES string
				Score  float64
			}
		}
		read(t, name+".json", &doc)
		task, err := New(tk, 2, name)
		if err != nil {
			t.Fatal(err)
		}
		var smiles []string
		for _, v := range doc.Values {
			smiles = append(smiles, v.SMILES)
		}
		values, err := task.Score(t.Context(), smiles)
		if err != nil {
			t.Fatal(err)
		}
		for i, v := range doc.Values {
			if got := task.Combine(values[i]); math.Abs(got-v.Score) > 1e-4 {
				t.Errorf("%s: %s scores %v, expected %v", name, v.SMILES, got, v.Score)
			}
		}
		if len(smiles) < 10 {
			t.Errorf("%s: %d molecules", name, len(smiles))
		}
		if v, err := task.Score(t.Context(), []string{"C("}); err != nil || task.Combine(v[0]) != 0 {
			t.Errorf("%s: what does not parse scores %v, %v", name, v, err)
		}
	}
	if _, err := New(tk, 1, "cocaine"); err == nil {
		t.Error("a task that does not exist")
	}
}
