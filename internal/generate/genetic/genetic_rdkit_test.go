//go:build rdkit

package genetic

import (
	"bytes"
	"context"
	"errors"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/ehgnn/ehgnn/chem/rdkit"
	"github.com/ehgnn/ehgnn/internal/generate/operator"
)

// startList are molecules to begin with.
var startList = []string{
	"CCN(Cc1ccc(OC)c(OC)c1)C(=O)c1ccsc1", "Cc1ccc(CNc2ncnc(N3CC4(C)CC3CC(C)(C)C4)c2N)cc1", "CN1CC([NH2+]C(c2cccs2)C2CC2)CC1=O",
	"CC(=O)CCc1ccc(OCC(=O)Nc2ccn(C)n2)cc1", "Cc1ccc(-c2cc(C(F)(F)F)nn2-c2ccc(S(N)(=O)=O)cc2)cc1", "O=C([O-])c1ccc(NC=O)cc1Cl",
	"CC1CCC(C(C)C)C(O)C1", "C#CCN1CCC(=C2c3ccccc3CCc3ccccc32)CC1", "CCCCCCCN", "OCC1CCCCC1O", "c1ccc2[nH]ccc2c1CCN", "CC(C)Cc1ccc(C(C)C(=O)O)cc1",
	"this is none", "CCCCCCCN", "CCOC(=O)CCC", "NCCc1ccc(O)c(O)c1",
}

// counting scores molecules by their numbers of nitrogen and oxygen atoms, and counts the scored
// molecules.
type counting struct {
	asked map[string]int
	fail  int // number of calls after which it fails, 0 for never
	calls int
}

var errStopped = errors.New("stopped")

func (c *counting) Score(_ context.Context, smiles []string) ([][]float64, error) {
	if c.calls++; c.fail > 0 && c.calls > c.fail {
		return nil, errStopped
	}
	out := make([][]float64, len(smiles))
	for i, s := range smiles {
		c.asked[s]++
		n, o := float64(strings.Count(strings.ToUpper(s), "N")), float64(strings.Count(strings.ToUpper(s), "O"))
		out[i] = []float64{math.Exp(-(n - 4) * (n - 4) / 4), math.Exp(-(o - 5) * (o - 5) / 4)}
	}
	return out, nil
}

func (c *counting) Combine(parts []float64) float64 { return (parts[0] + parts[1]) / 2 }
func (c *counting) Bound(parts []float64) float64   { return c.Combine(parts) }

// budgets are the calls of some rounds of each search.
var budgets = map[string]int{GA: 74, GraphGA: 130, Random: 130}

func config(search string) Config {
	c := NewConfig()
	c.Search, c.Calls, c.Start, c.Threads, c.Seed = search, budgets[search], 10, 1, 3
	c.Stagnation, c.Fresh = 20, 4
	return c
}

// configs returns the settings of the searches, and of GA with other proposals.
func configs() map[string]Config {
	all := map[string]Config{GA: config(GA), GraphGA: config(GraphGA)}
	for _, name := range Proposals()[1:] {
		c := config(GA)
		c.Proposal, c.PerCall = name, 5
		all[name] = c
	}
	return all
}

func task(t *testing.T, journal string) (Task, *counting) {
	t.Helper()
	tk, err := rdkit.Toolkit()
	if err != nil {
		t.Fatal(err)
	}
	o := &counting{asked: map[string]int{}}
	return Task{Maker: &operator.Maker{Toolkit: tk}, Objective: o, Start: startList, Journal: journal}, o
}

// The budget is kept, no molecule is scored twice, scores rise, and the molecules are the same for
// any number of threads.
func TestSearches(t *testing.T) {
	for name, config := range configs() {
		t.Run(name, func(t *testing.T) {
			one, asked := task(t, "")
			var last Progress
			one.OnRound = func(p Progress) { last = p }
			r, err := Run(t.Context(), one, config)
			if err != nil {
				t.Fatal(err)
			}
			if n := config.Calls; len(r.All) != n || len(asked.asked) != n || last.Calls != n {
				t.Errorf("%d molecules, %d asked, %d calls of progress, expected %d", len(r.All), len(asked.asked), last.Calls, n)
			}
			for s, n := range asked.asked {
				if n > 1 {
					t.Errorf("%s was asked %d times", s, n)
				}
			}
			start, best := 0.0, 0.0
			for i, m := range r.All {
				if m.Call != i+1 || m.Total != (m.Values[0]+m.Values[1])/2 {
					t.Fatalf("molecule %d: %+v", i+1, m)
				}
				if m.Start {
					start = max(start, m.Total)
				}
				best = max(best, m.Total)
			}
			if best <= start {
				t.Errorf("the best score is %v, that of the start molecules %v", best, start)
			}
			many, _ := task(t, "")
			c := config
			c.Threads = 3
			again, err := Run(t.Context(), many, c)
			if err != nil || !reflect.DeepEqual(r.All, again.All) {
				t.Errorf("three threads find other molecules than one (%v)", err)
			}
			c.Seed++
			if other, err := Run(t.Context(), many, c); err != nil || reflect.DeepEqual(r.All, other.All) {
				t.Errorf("another seed finds the same molecules (%v)", err)
			}
		})
	}
}

// A search that is interrupted after any round, or within a line of the journal, continues with the
// same molecules and the same journal.
func TestResume(t *testing.T) {
	for name, config := range configs() {
		t.Run(name, func(t *testing.T) {
			stops := []int{1, 2}
			if config.Proposal != "" {
				stops = []int{3} // rounds after which a network has learned
			}
			whole := filepath.Join(t.TempDir(), "whole.jsonl")
			first, _ := task(t, whole)
			want, err := Run(t.Context(), first, config)
			if err != nil {
				t.Fatal(err)
			}
			wantText, err := os.ReadFile(whole)
			if err != nil {
				t.Fatal(err)
			}
			for _, stop := range stops {
				path := filepath.Join(t.TempDir(), "part.jsonl")
				part, o := task(t, path)
				o.fail = stop
				if _, err := Run(t.Context(), part, config); !errors.Is(err, errStopped) {
					t.Fatalf("%v, expected that the objective stops it", err)
				}
				file, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0)
				if err != nil {
					t.Fatal(err)
				}
				file.WriteString(`{"round": 3, "SMI`)
				file.Close()
				rest, o := task(t, path)
				got, err := Run(t.Context(), rest, config)
				if err != nil || !reflect.DeepEqual(got.All, want.All) {
					t.Fatalf("stopped after %d rounds, it finds other molecules (%v)", stop, err)
				}
				if len(o.asked) >= len(want.All) {
					t.Errorf("stopped after %d rounds, it asks all molecules again", stop)
				}
				if text, _ := os.ReadFile(path); !bytes.Equal(text, wantText) {
					t.Errorf("stopped after %d rounds, the journal differs", stop)
				}
			}
			// A search with a smaller budget finds the first molecules of the larger one.
			c := config
			c.Calls = 60
			less, _ := task(t, whole)
			if r, err := Run(t.Context(), less, c); err != nil || !reflect.DeepEqual(r.All, want.All[:60]) {
				t.Errorf("60 calls are not the first ones (%v)", err)
			}
		})
	}
}

func TestJournalDamaged(t *testing.T) {
	for text, want := range map[string]string{
		"{}\n{}\n":                          "line 2: round 0",
		"[1]\n":                             "line 1",
		`{"round":0,"SMILES":["C"]}`:        "", // incomplete
		`{"round":0,"SMILES":["C"]}` + "\n": "1 molecules with 0 scores",
		`{"round":0,"SMILES":["C("],"Values":[[1,2]]}` + "\n":                    "the journal has C(",
		`{"round":0,"SMILES":["CCCCCC","CCCCCCC"],"Values":[[1,2],[1]]}` + "\n":  "the journal has 1 scores of CCCCCCC",
		`{"round":0,"SMILES":["CCCCCC","CCCCCC"],"Values":[[1,2],[1,2]]}` + "\n": "twice",
	} {
		path := filepath.Join(t.TempDir(), "rounds.jsonl")
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		of, _ := task(t, path)
		c := config(GA)
		c.Calls = 12
		if _, err := Run(t.Context(), of, c); want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%s: %v, expected %q", text, err, want)
		}
	}
}

// The start list alone, a list that ends, and tasks that are errors.
func TestEnds(t *testing.T) {
	of, _ := task(t, "")
	r, err := Run(t.Context(), of, config(Random))
	if err != nil || len(r.All) != 14 || r.Ended == "" {
		t.Errorf("%d molecules, %q, %v, expected the 14 different ones of the list", len(r.All), r.Ended, err)
	}
	of.Start = []string{"C("}
	if r, err := Run(t.Context(), of, config(GA)); err != nil || len(r.All) > 0 || r.Ended == "" {
		t.Errorf("%+v, %v of no molecule", r, err)
	}
	for _, change := range []func(c *Config){func(c *Config) { c.Calls = 0 }, func(c *Config) { c.Search = "x" }, func(c *Config) { c.Start = 0 }} {
		c := config(GA)
		change(&c)
		if _, err := Run(t.Context(), of, c); err == nil {
			t.Errorf("%+v runs", c)
		}
	}
	// A separate population cannot begin if the rest of the start list has no valid molecules.
	of, _ = task(t, "")
	of.Start = append(slices.Clone(startList), "C(", "CCCCCCCN", "C)")
	c := config(GA)
	c.Start, c.Stagnation = 14, 15
	if r, err := Run(t.Context(), of, c); err != nil || len(r.All) != c.Calls {
		t.Errorf("%v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	of, _ = task(t, "")
	if _, err := Run(ctx, of, config(GA)); !errors.Is(err, context.Canceled) {
		t.Errorf("%v of an ended context", err)
	}
}
