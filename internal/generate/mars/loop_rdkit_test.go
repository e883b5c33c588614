//go:build rdkit

package mars

import (
	"testing"

	"github.com/ehgnn/ehgnn/internal/generate/score"
	"github.com/ehgnn/ehgnn/internal/realdata"
)

// Chains that maximise QED and SA end above the first step. There are enough steps for the
// temperature to fall to 0.13; at higher temperatures the chains move randomly.
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

// kinase returns the random forest of MARS for a list.
func kinase(t *testing.T, list string) score.Property {
	t.Helper()
	of, err := score.ReadActives(realdata.Path(t, "molecules", list+".csv.gz"), list)
	if err != nil {
		t.Fatal(err)
	}
	o, err := score.OpenOracle(t.Context(), kit(t), 0, t.TempDir(), of, score.NewOracleConfig(list))
	if err != nil {
		t.Fatal(err)
	}
	return o.Property
}

// With the four scores of MARS, 64 chains of 150 steps have a higher mean target with learned
// proposals than with uniform ones, on at least two of three seeds. To finish in minutes, a step
// has at most eight minibatches, not 25, each with a fifth of the usual number of molecules.
func TestLearningHelps(t *testing.T) {
	if testing.Short() {
		t.Skip("trains four forests on 50,000 molecules each and runs up to six populations: takes three minutes of a core")
	}
	of := drugTask(t)
	of.Thresholds = nil
	var err error
	if of.Scores, err = score.NewSet(kit(t), 0,
		score.Term{Name: "qed", Property: score.QED, Weight: 1, Clip: 0.7}, score.Term{Name: "sa", Property: score.SA, Weight: 1, Clip: 0.7},
		score.Term{Name: "gsk3b", Property: kinase(t, "gsk3"), Weight: 1, Clip: 0.6}, score.Term{Name: "jnk3", Property: kinase(t, "jnk3"), Weight: 1, Clip: 0.6}); err != nil {
		t.Fatal(err)
	}
	mean := func(seed uint64, uniform bool) float64 {
		c := NewConfig()
		c.Chains, c.Steps, c.Batches, c.BatchAtoms, c.Edges, c.Seed, c.Uniform = 64, 150, 8, 512, EdgesEHGNN, seed, uniform
		r := run(t, of, c)
		return r.History[len(r.History)-1].Mean
	}
	ahead := 0
	for seed := uint64(0); seed < 3 && ahead < 2; seed++ {
		learned, uniform := mean(seed, false), mean(seed, true)
		t.Logf("seed %d: mean target %.4f, without learning %.4f, a difference of %+.4f", seed, learned, uniform, learned-uniform)
		if learned > uniform {
			ahead++
		}
	}
	if ahead < 2 {
		t.Errorf("learning helps on %d of 3 seeds, expected 2", ahead)
	}
}
