//go:build rdkit

package mars

import "testing"

// Chains that maximise QED and SA end above the first step. It takes as many steps as let the
// temperature fall to 0.13: before, they wander.
func TestLoopRises(t *testing.T) {
	if testing.Short() {
		t.Skip("takes half a minute")
	}
	c := tiny(EdgesEHGNN)
	c.Steps, c.Batches, c.BatchAtoms = 240, 1, 512
	r := run(t, drugTask(t), c)
	first, last := r.History[0], r.History[len(r.History)-1]
	t.Logf("mean target %.4f after a step, %.4f after %d, %.0f %% above the thresholds", first.Mean, last.Mean, r.Steps, 100*last.Sets[0].Success)
	if !(last.Mean > first.Mean) {
		t.Errorf("the mean target is %.4f after %d steps, %.4f after the first", last.Mean, r.Steps, first.Mean)
	}
}
