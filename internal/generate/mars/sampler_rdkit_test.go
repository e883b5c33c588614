//go:build rdkit

package mars

import (
	"context"
	"encoding/json"
	"errors"
	"math"
	"testing"

	"github.com/ehgnn/ehgnn/internal/generate/score"
)

// drugs returns QED and SA, with the clips and the thresholds of MARS.
func drugs(t testing.TB) *score.Set {
	t.Helper()
	s, err := score.NewSet(kit(t), 2, score.Term{Name: "qed", Property: score.QED, Weight: 1, Clip: 0.7}, score.Term{Name: "sa", Property: score.SA, Weight: 1, Clip: 0.7})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func drugTask(t testing.TB) Task {
	e := editor(t)
	return Task{Editor: e, Scores: drugs(t), Start: []*Molecule{read(t, e, "CC")}, Thresholds: []Thresholds{{"original", map[string]float64{"qed": 0.6, "sa": 0.67}}}}
}

func tiny(edges string) Config {
	c := NewConfig()
	c.Chains, c.Steps, c.Edges, c.Seed, c.Threads, c.Batches = 24, 10, edges, 7, 2, 4
	return c
}

// text returns a result without its times and counts.
func text(t testing.TB, r *Result) string {
	t.Helper()
	of := *r
	of.Seconds, of.Calls = Seconds{}, nil
	b, err := json.Marshal(of)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func run(t testing.TB, of Task, c Config) *Result {
	t.Helper()
	r, err := Run(t.Context(), of, c)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestThreadsAndResume(t *testing.T) {
	for _, edges := range []string{EdgesMLP, EdgesEHGNN} {
		c := tiny(edges)
		first := run(t, drugTask(t), c)
		want := text(t, first)
		if first.Steps != c.Steps || len(first.Final) != c.Chains || first.Examples == 0 || len(first.Best) == 0 {
			t.Errorf("%d steps, %d chains, %d examples, %d best", first.Steps, len(first.Final), first.Examples, len(first.Best))
		}
		c.Threads = 1
		if got := text(t, run(t, drugTask(t), c)); got != want {
			t.Errorf("%s: one thread gives another result than two", edges)
		}
		of := drugTask(t)
		of.Checkpoint = &Checkpoint{Dir: t.TempDir(), Identity: "a"}
		ctx, cancel := context.WithCancel(t.Context())
		of.OnStep = func(p Progress) {
			if p.Step == 4 {
				cancel()
			}
		}
		if _, err := Run(ctx, of, c); !errors.Is(err, context.Canceled) {
			t.Fatalf("a run that was cancelled: %v", err)
		}
		of.OnStep, of.Scores = nil, drugs(t)
		if got := run(t, of, c); text(t, got) != want {
			t.Errorf("%s: a run that goes on gives another result", edges)
		} else if got.Calls[0].Molecules < first.Calls[0].Molecules {
			t.Errorf("calls %+v, expected at least %+v", got.Calls, first.Calls)
		}
		if text(t, run(t, of, c)) != want { // a finished run
			t.Errorf("%s: a finished run is another", edges)
		}
		for _, change := range []func(*Task, *Config){
			func(t *Task, _ *Config) { t.Checkpoint = &Checkpoint{Dir: of.Checkpoint.Dir, Identity: "b"} },
			func(_ *Task, c *Config) { c.Seed++ },
			func(_ *Task, c *Config) { c.Steps-- },
		} {
			of, c := of, c
			change(&of, &c)
			if _, err := Run(t.Context(), of, c); !errors.Is(err, ErrOther) {
				t.Errorf("another run goes on there: %v", err)
			}
		}
		c.Steps += 2
		if got := run(t, of, c); got.Steps != c.Steps {
			t.Errorf("%d steps, expected %d", got.Steps, c.Steps)
		}
	}
}

// fluorinated scores the number of fluorine atoms.
func fluorinated(m *score.Molecule) (float64, error) {
	s, err := m.Structure()
	if err != nil {
		return 0, err
	}
	n := 0.0
	for _, a := range s.Atoms {
		if a.Number == 9 {
			n++
		}
	}
	return 0.1 + n, nil
}

// Chains learn which edits help: with learning they find more fluorine than without.
func TestOptimises(t *testing.T) {
	of := drugTask(t)
	var err error
	if of.Scores, err = score.NewSet(kit(t), 2, score.Term{Name: "fluorine", Property: fluorinated, Weight: 1}); err != nil {
		t.Fatal(err)
	}
	of.Thresholds = []Thresholds{{"some", map[string]float64{"fluorine": 2}}}
	mean := func(change func(*Config)) float64 {
		c := tiny(EdgesEHGNN)
		c.Steps, c.Rate = 40, 3e-3
		change(&c)
		r := run(t, of, c)
		for i, b := range r.Best {
			values, err := of.Scores.Score(t.Context(), []string{b.SMILES})
			if err != nil || of.Scores.Target(values[0]) != b.Target || i > 0 && b.Target > r.Best[i-1].Target {
				t.Errorf("best %d: %+v, %v", i, b, err)
			}
		}
		for _, path := range r.Paths {
			for i := 1; i < len(path); i++ {
				if path[i].Step <= path[i-1].Step || path[i].SMILES == path[i-1].SMILES {
					t.Errorf("path %+v", path)
				}
			}
		}
		last := r.History[len(r.History)-1]
		if last.Sets[0].Success < 0.5 && !c.Uniform {
			t.Errorf("success %v", last.Sets[0].Success)
		}
		return last.Mean
	}
	learned, uniform := mean(func(*Config) {}), mean(func(c *Config) { c.Uniform = true })
	if learned < 2*uniform {
		t.Errorf("fluorine: %.2f, without learning %.2f", learned, uniform)
	}
}

// If no edit is an improvement, nothing is learned and nothing fails. A molecule of one atom can
// only grow.
func TestNothingToLearn(t *testing.T) {
	of := drugTask(t)
	zero := func(*score.Molecule) (float64, error) { return 0, nil }
	var err error
	if of.Scores, err = score.NewSet(kit(t), 1, score.Term{Name: "zero", Property: zero, Weight: 1}); err != nil {
		t.Fatal(err)
	}
	of.Start = []*Molecule{read(t, of.Editor, "C"), read(t, of.Editor, "CC")}
	of.Thresholds = nil
	r := run(t, of, tiny(EdgesMLP))
	if r.Examples != 0 || r.Final[0].SMILES != "C" || r.Final[1].SMILES != "CC" {
		t.Errorf("%d examples, %+v", r.Examples, r.Final[:2])
	}
}

func TestUniform(t *testing.T) {
	c := tiny("")
	c.Uniform = true
	if r := run(t, drugTask(t), c); r.Examples == 0 || r.DeadShare != 0 {
		t.Errorf("%+v", r)
	}
}

func TestJudge(t *testing.T) {
	names := []string{"a", "b"}
	j, err := newJudge(t.Context(), kit(t), 2, names, []Thresholds{{"both", map[string]float64{"a": 0.5, "b": 0.5}}, {"a", map[string]float64{"a": 0.5}}, {"none", map[string]float64{"a": 9}}}, []string{"CCO", "no molecule"})
	if err != nil {
		t.Fatal(err)
	}
	e := editor(t)
	var population []chain
	for _, c := range []struct {
		smiles string
		a, b   float64
	}{{"CCO", 1, 1}, {"CCO", 1, 1}, {"c1ccccc1", 0.5, 0.5}, {"CCC", 1, 0.4}, {"CC", 0.4, 1}} {
		population = append(population, chain{at: read(t, e, c.smiles), values: []float64{c.a, c.b}})
	}
	got, err := j.evaluate(t.Context(), population)
	if err != nil {
		t.Fatal(err)
	}
	both := got[0]
	near := func(a, b float64) bool { return math.Abs(a-b) < 1e-12 }
	if !near(both.Success, 0.6) || !near(both.Each["a"], 0.8) || !near(both.Each["b"], 0.8) || !near(both.Unique, 2.0/3) || !near(both.Novelty, 1.0/3) {
		t.Errorf("%+v", both)
	}
	// One of the three pairs has equal molecules. The other two are ethanol and benzene, which have
	// nothing in common.
	if both.Diversity == nil || !near(*both.Diversity, 2.0/3) || !near(both.PM, 0.6/3*2/3) {
		t.Errorf("diversity %v, PM %v", both.Diversity, both.PM)
	}
	if !near(got[1].Success, 0.8) || got[1].Each["b"] != 0 || len(got[1].Each) != 1 {
		t.Errorf("%+v", got[1])
	}
	if none := got[2]; none.Success != 0 || none.Diversity != nil || none.PM != 0 {
		t.Errorf("%+v", none)
	}
}
