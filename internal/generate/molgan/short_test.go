package molgan

import "testing"

// A short training on real molecules: no loss is NaN. On two of three seeds far more drawn
// molecules are valid than from the untrained generator, and they are no less drug-like.
func TestShortTraining(t *testing.T) {
	if testing.Short() {
		t.Skip("trains three times")
	}
	tk, list := qm9(t, 26)
	d, err := Read(t.Context(), tk, 0, QM9, list, false)
	if err != nil {
		t.Fatal(err)
	}
	better := 0
	for seed := uint64(1); seed <= 3; seed++ {
		c := Default()
		c.Iterations, c.Samples, c.Seed = 1500, 500, seed
		r, err := Train(t.Context(), d, d.Split(1).Train, c, Options{Judge: &Judge{Toolkit: tk, Space: QM9}})
		if err != nil {
			t.Fatal(err)
		}
		first, last := r.Points[0], last(r)
		t.Logf("seed %d: valid %.1f to %.1f %%, of which different %.1f %%, QED %.3f to %.3f", seed, first.Valid, last.Valid, last.Unique, first.QED.NonZero, last.QED.NonZero)
		if r.Diverged != 0 {
			t.Errorf("seed %d: diverged at iteration %d", seed, r.Diverged)
		}
		if last.Valid >= first.Valid+10 && last.QED.NonZero >= first.QED.NonZero {
			better++
		}
	}
	if better < 2 {
		t.Errorf("better on %d seeds, want at least 2", better)
	}
}
