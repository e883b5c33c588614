package score_test

import (
	"context"
	"errors"
	"math"
	"slices"
	"sync"
	"testing"

	"github.com/ehgnn/ehgnn/chem"
	"github.com/ehgnn/ehgnn/internal/generate/score"
)

// letters is a toolkit whose molecules are words. X does not parse.
type letters struct{ chem.Toolkit }

type word struct {
	chem.Molecule
	text string
}

func (word) Close() {}

func (letters) Parse(text string) (chem.Molecule, error) {
	if text == "X" {
		return nil, &chem.Error{Class: chem.Syntax}
	}
	return word{text: text}, nil
}

// length is a property of words. Words of seven letters do not have it.
func length(m *score.Molecule) (float64, error) {
	n := len(m.Molecule.(word).text)
	if n == 7 {
		return 0, errors.New("seven")
	}
	return float64(n), nil
}

// slow is a scorer with two numbers that counts its molecules.
type slow struct {
	mu    sync.Mutex
	asked []string
	err   error
}

func (s *slow) Score(_ context.Context, smiles []string) ([][]float64, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.asked = append(s.asked, smiles...)
	out := make([][]float64, len(smiles))
	for i, m := range smiles {
		n := 10 * float64(len(m))
		if len(m) == 5 {
			n = math.Inf(1)
		}
		if len(m) == 6 { // the scorer could not find out
			n = math.Inf(-1)
		}
		out[i] = []float64{n, -n}
	}
	return out, s.err
}

func (s *slow) Close() error { return nil }

// same reports whether numbers are equal. NaN equals NaN.
func same(a, b []float64) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if a[i] != b[i] && !(math.IsNaN(a[i]) && math.IsNaN(b[i])) {
			return false
		}
	}
	return true
}

func TestSet(t *testing.T) {
	other := &slow{}
	set, err := score.NewSet(letters{}, 2,
		score.Term{Name: "length", Property: length, Weight: 1, Clip: 3},
		score.Term{Name: "short", Property: length, Weight: 2, Range: &[2]float64{8, 0}},
		score.Term{Name: "slow", Scorer: other, Weight: 0})
	if err != nil {
		t.Fatal(err)
	}
	var told []string
	set.OnScore = func(smiles []string, values [][]float64) error {
		told = append(told, smiles...)
		if len(values) != len(smiles) || len(values[0]) != 3 {
			t.Errorf("told %v of %v", values, smiles)
		}
		return nil
	}
	if err := set.Remember("CCCCCCCCCC", []float64{10, 0, 100}); err != nil {
		t.Fatal(err)
	}
	if set.Remember("C", nil) == nil {
		t.Error("remembered a molecule without values")
	}
	for range 2 {
		got, err := set.Score(t.Context(), []string{"CC", "CCCC", "X", "CC", "CCCCCCC", "CCCCC", "CCCCCCCCCC", "CCCCCC"})
		if err != nil {
			t.Fatal(err)
		}
		for i, want := range [][]float64{{2, 0.75, 20}, {4, 0.5, 40}, {0, 0, 0}, {2, 0.75, 20}, {0, 0, 70}, {5, 0.375, 0}, {10, 0, 100}, {6, 0.25, 0}} {
			if !same(got[i], want) {
				t.Errorf("molecule %d: %v, expected %v", i, got[i], want)
			}
		}
	}
	if !slices.Equal(told, []string{"CC", "CCCC", "X", "CCCCCCC", "CCCCC"}) {
		t.Errorf("told of %q", told)
	}
	if len(other.asked) != 6 {
		t.Errorf("asked for %q, expected each molecule once", other.asked)
	}
	for k, want := range []score.Calls{{"length", 6, 2}, {"short", 6, 2}, {"slow", 6, 3}} {
		if got := set.Calls()[k]; got != want {
			t.Errorf("calls %+v, expected %+v", got, want)
		}
	}
	for _, c := range []struct {
		values []float64
		want   float64
	}{{[]float64{2, 0.75, 20}, 3.5 / 3}, {[]float64{4, 0.5, 40}, 4.0 / 3}, {[]float64{-9, 1, 0}, 0}} {
		if got := set.Target(c.values); math.Abs(got-c.want) > 1e-12 {
			t.Errorf("target of %v is %v, expected %v", c.values, got, c.want)
		}
	}
	other.err = errors.New("broken")
	if _, err := set.Score(t.Context(), []string{"CCC"}); !errors.Is(err, other.err) {
		t.Error(err)
	}
}

// Terms that share a scorer each use one of its columns, and the scorer runs once.
func TestSetColumns(t *testing.T) {
	both := &slow{}
	set, err := score.NewSet(letters{}, 1, score.Term{Name: "b", Scorer: both, Column: 1, Weight: 1}, score.Term{Name: "a", Scorer: both, Weight: 1})
	if err != nil {
		t.Fatal(err)
	}
	got, err := set.Score(t.Context(), []string{"CC", "C"})
	if err != nil || !same(slices.Concat(got...), []float64{-20, 20, -10, 10}) || len(both.asked) != 2 {
		t.Errorf("%v, %v, asked for %q", got, err, both.asked)
	}
}

// Values are combined with their weights and clips. A product with a value of 0 is 0, but its bound
// is not.
func TestCombinations(t *testing.T) {
	for _, c := range []struct {
		combination          string
		values               []float64
		want, bound, clipped float64
	}{
		{"", []float64{0.25, 0.5}, 1.25 / 3, 1.25 / 3, 1.5 / 3},
		{score.Mean, []float64{0.25, 0.5}, 1.25 / 3, 1.25 / 3, 1.5 / 3},
		{score.Product, []float64{0.25, 0.5}, 0.0625, 0.0625, 0.125},
		{score.GeometricMean, []float64{0.25, 0.5}, math.Cbrt(0.0625), math.Cbrt(0.0625), math.Cbrt(0.125)},
		{score.Product, []float64{-1, 0.5}, 0, 0.00025, 0.125},
		{score.GeometricMean, []float64{0, 0.5}, 0, math.Cbrt(0.00025), math.Cbrt(0.125)},
	} {
		set, err := score.NewSet(letters{}, 1, score.Term{Name: "a", Property: length, Weight: 1, Clip: 0.5}, score.Term{Name: "b", Property: length, Weight: 2}, score.Term{Name: "seen", Property: length})
		if err != nil {
			t.Fatal(err)
		}
		set.Combination = c.combination
		near := func(what string, got, want float64) {
			if math.Abs(got-want) > 1e-12 {
				t.Errorf("%q of %v: %s %v, expected %v", c.combination, c.values, what, got, want)
			}
		}
		values := append(slices.Clone(c.values), 0)
		near("target", set.Combine(values), c.want)
		near("bound", set.Bound(values), c.bound)
		values[0] = 9
		near("clipped", set.Target(values), c.clipped)
	}
}

// patient is a scorer that has no number until it is stopped.
type patient struct{ slow }

func (*patient) Score(ctx context.Context, _ []string) ([][]float64, error) {
	<-ctx.Done()
	return nil, ctx.Err()
}

// If a scorer fails, the errors of the scorers that are stopped because of it do not hide its
// error, in any order.
func TestSetSaysWhatFailed(t *testing.T) {
	broken := errors.New("broken")
	fails := score.Term{Name: "fails", Scorer: &slow{err: broken}, Weight: 1}
	waits := score.Term{Name: "waits", Scorer: &patient{}, Weight: 1}
	for _, terms := range [][]score.Term{{fails, waits}, {waits, fails}} {
		set, err := score.NewSet(letters{}, 1, terms...)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := set.Score(t.Context(), []string{"a"}); !errors.Is(err, broken) {
			t.Errorf("%v, expected %v", err, broken)
		}
	}
}

func TestSetRefused(t *testing.T) {
	for _, terms := range [][]score.Term{
		nil,
		{{Name: "a", Property: length}},
		{{Name: "a", Weight: 1}},
		{{Name: "a", Property: length, Scorer: &slow{}, Weight: 1}},
		{{Name: "a", Property: length, Weight: 1}, {Name: "a", Property: length, Weight: 1}},
		{{Name: "", Property: length, Weight: 1}},
		{{Name: "a", Property: length, Weight: -1}},
		{{Name: "a", Property: length, Weight: math.NaN()}},
		{{Name: "a", Property: length, Weight: 1, Clip: -1}},
		{{Name: "a", Property: length, Weight: 1, Range: &[2]float64{1, 1}}},
	} {
		if _, err := score.NewSet(letters{}, 1, terms...); err == nil {
			t.Errorf("took %+v", terms)
		}
	}
}
