package data_test

import (
	"math"
	"slices"
	"testing"

	"github.com/ehgnn/ehgnn/data"
)

// partition checks that the parts divide 0..n-1.
func partition(t *testing.T, n int, parts ...[]int) {
	t.Helper()
	seen := make([]bool, n)
	total := 0
	for _, part := range parts {
		for _, id := range part {
			if id < 0 || id >= n || seen[id] {
				t.Fatalf("index %d twice or outside 0 to %d", id, n-1)
			}
			seen[id] = true
		}
		total += len(part)
	}
	if total != n {
		t.Fatalf("parts hold %d of %d", total, n)
	}
}

// classes has 63, 125 and 7 labels of three classes, mixed.
func classes() []int32 {
	var labels []int32
	for i := range 195 {
		switch {
		case i%3 == 0 && i < 189:
			labels = append(labels, 0)
		case i%28 == 1:
			labels = append(labels, -1)
		default:
			labels = append(labels, 2)
		}
	}
	return labels
}

func count(labels []int32, ids []int, class int32) int {
	n := 0
	for _, id := range ids {
		if labels[id] == class {
			n++
		}
	}
	return n
}

func TestStratifiedSplit(t *testing.T) {
	labels := classes()
	for _, fractions := range [][3]float64{{0.8, 0.1, 0.1}, {0.5, 0.1, 0.4}, {1, 0, 0}, {0, 0.5, 0.5}, {1. / 3, 1. / 3, 1. / 3}, {0.98, 0.01, 0.01}} {
		for seed := range uint64(20) {
			train, valid, test, err := data.StratifiedSplit(labels, fractions, seed)
			if err != nil {
				t.Fatal(err)
			}
			partition(t, len(labels), train, valid, test)
			for p, part := range [][]int{train, valid, test} {
				if !slices.IsSorted(part) {
					t.Errorf("part %d is not sorted", p)
				}
				if fractions[p] == 0 && len(part) > 0 {
					t.Errorf("%v: part %d has %d items", fractions, p, len(part))
				}
				if d := math.Abs(float64(len(part)) - fractions[p]*float64(len(labels))); d >= 2 {
					t.Errorf("%v: part %d is off by %v", fractions, p, d)
				}
				for _, class := range []int32{-1, 0, 2} {
					share := fractions[p] * float64(count(labels, seq(len(labels)), class))
					if d := math.Abs(float64(count(labels, part, class)) - share); d >= 2 {
						t.Errorf("%v: class %d in part %d is off by %v", fractions, class, p, d)
					}
				}
			}
		}
	}
}

func seq(n int) []int {
	ids := make([]int, n)
	for i := range ids {
		ids[i] = i
	}
	return ids
}

func TestRandomSplit(t *testing.T) {
	tests := []struct {
		n         int
		fractions [3]float64
		sizes     [3]int
	}{
		{188, [3]float64{0.8, 0.1, 0.1}, [3]int{150, 19, 19}},
		{10, [3]float64{0.8, 0.1, 0.1}, [3]int{8, 1, 1}},
		{3, [3]float64{0.7, 0.3, 0}, [3]int{2, 1, 0}},
		{1, [3]float64{0.5, 0.5, 0}, [3]int{1, 0, 0}},
		{0, [3]float64{0.5, 0.25, 0.25}, [3]int{}},
		{7, [3]float64{0, 0, 1}, [3]int{0, 0, 7}},
	}
	for _, test := range tests {
		train, valid, held, err := data.RandomSplit(test.n, test.fractions, 1)
		if err != nil {
			t.Fatal(err)
		}
		partition(t, test.n, train, valid, held)
		if got := [3]int{len(train), len(valid), len(held)}; got != test.sizes {
			t.Errorf("%d items by %v give %v, want %v", test.n, test.fractions, got, test.sizes)
		}
	}
}

func TestStratifiedFolds(t *testing.T) {
	labels := classes()
	folds, err := data.StratifiedFolds(labels, 10, 42)
	if err != nil {
		t.Fatal(err)
	}
	partition(t, len(labels), folds...)
	for _, class := range []int32{-1, 0, 2} {
		lo, hi := len(labels), 0
		for _, fold := range folds {
			n := count(labels, fold, class)
			lo, hi = min(lo, n), max(hi, n)
		}
		if hi-lo > 1 {
			t.Errorf("folds hold %d to %d of class %d", lo, hi, class)
		}
	}
	for _, fold := range folds {
		if len(fold) != 19 && len(fold) != 20 {
			t.Errorf("a fold of %d of 195", len(fold))
		}
	}
}

// TestSplitsAreSeeded: the same seed gives the same split, another seed another.
func TestSplitsAreSeeded(t *testing.T) {
	labels := classes()
	fractions := [3]float64{0.8, 0.1, 0.1}
	splits := map[string]func(seed uint64) []int{
		"random": func(seed uint64) []int {
			_, _, test, _ := data.RandomSplit(len(labels), fractions, seed)
			return test
		},
		"stratified": func(seed uint64) []int {
			_, _, test, _ := data.StratifiedSplit(labels, fractions, seed)
			return test
		},
		"folds": func(seed uint64) []int {
			folds, _ := data.StratifiedFolds(labels, 10, seed)
			return folds[0]
		},
	}
	for name, split := range splits {
		if !slices.Equal(split(42), split(42)) {
			t.Errorf("%s: one seed gives two splits", name)
		}
		if slices.Equal(split(42), split(43)) {
			t.Errorf("%s: two seeds give one split", name)
		}
	}
}

func TestSplitErrors(t *testing.T) {
	labels := classes()
	for _, fractions := range [][3]float64{{0.5, 0.5, 0.5}, {0.5, 0.1, 0.1}, {-0.5, 1, 0.5}, {math.NaN(), 0.5, 0.5}, {math.Inf(1), 0, 0}, {}} {
		if _, _, _, err := data.RandomSplit(10, fractions, 1); err == nil {
			t.Errorf("RandomSplit by %v: no error", fractions)
		}
		if _, _, _, err := data.StratifiedSplit(labels, fractions, 1); err == nil {
			t.Errorf("StratifiedSplit by %v: no error", fractions)
		}
	}
	if _, _, _, err := data.RandomSplit(-1, [3]float64{1, 0, 0}, 1); err == nil {
		t.Error("RandomSplit of -1 items: no error")
	}
	for _, k := range []int{-1, 0, 1, 196} {
		if _, err := data.StratifiedFolds(labels, k, 1); err == nil {
			t.Errorf("%d folds: no error", k)
		}
	}
}
