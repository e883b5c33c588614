package data_test

import (
	"math"
	"slices"
	"testing"

	"github.com/ehgnn/ehgnn/data"
)

// units puts items into units of one to five, and labels the items by their unit.
func units(n int) (labels, unit []int32) {
	for u := int32(0); len(unit) < n; u++ {
		for range u%5 + 1 {
			if len(unit) < n {
				unit, labels = append(unit, u), append(labels, u%3-1)
			}
		}
	}
	return labels, unit
}

// Units stay together, parts have their shares of the items and of each class, and the split is a
// function of its arguments.
func TestUnitSplit(t *testing.T) {
	labels, unit := units(600)
	for _, fractions := range [][3]float64{{0.8, 0.1, 0.1}, {0.6, 0.2, 0.2}, {0.5, 0, 0.5}, {1, 0, 0}} {
		for seed := range uint64(20) {
			train, valid, test, err := data.UnitSplit(labels, unit, fractions, seed)
			if err != nil {
				t.Fatal(err)
			}
			parts := [][]int{train, valid, test}
			partition(t, len(unit), parts...)
			whole(t, unit, parts)
			for p, part := range parts {
				if d := math.Abs(float64(len(part)) - fractions[p]*600); d > 3 {
					t.Errorf("%v: part %d has %d items", fractions, p, len(part))
				}
				for _, class := range []int32{-1, 0, 1} {
					share := fractions[p] * float64(count(labels, seq(len(labels)), class))
					if d := math.Abs(float64(count(labels, part, class)) - share); d > 6 {
						t.Errorf("%v: class %d in part %d is off by %v", fractions, class, p, d)
					}
				}
			}
			again, _, _, _ := data.UnitSplit(labels, unit, fractions, seed)
			other, _, _, _ := data.UnitSplit(labels, unit, fractions, seed+100)
			if !slices.Equal(again, train) || fractions[0] < 1 && slices.Equal(other, train) {
				t.Errorf("%v, seed %d: the split is not a function of the seed", fractions, seed)
			}
		}
	}
	if _, _, _, err := data.UnitSplit(labels, unit, [3]float64{0.5, 0.1, 0.1}, 1); err == nil {
		t.Error("fractions that do not sum to 1")
	}
}

// whole fails where a unit is in two parts.
func whole(t *testing.T, unit []int32, parts [][]int) {
	t.Helper()
	in := map[int32]int{}
	for p, part := range parts {
		if !slices.IsSorted(part) {
			t.Errorf("part %d is not sorted", p)
		}
		for _, i := range part {
			if was, ok := in[unit[i]]; ok && was != p {
				t.Fatalf("unit %d is in parts %d and %d", unit[i], was, p)
			}
			in[unit[i]] = p
		}
	}
}

func TestUnitFolds(t *testing.T) {
	labels, unit := units(600)
	folds, err := data.UnitFolds(labels, unit, 10, 3)
	if err != nil {
		t.Fatal(err)
	}
	partition(t, len(unit), folds...)
	whole(t, unit, folds)
	for k, fold := range folds {
		if len(fold) < 56 || len(fold) > 64 {
			t.Errorf("fold %d has %d items, expected 60", k, len(fold))
		}
	}
	for _, k := range []int{1, 3} {
		if _, err := data.UnitFolds([]int32{0, 0, 0}, []int32{0, 1, 1}, k, 1); err == nil {
			t.Errorf("%d folds of two units", k)
		}
	}
	// A unit that is larger than a part leaves the others what it can.
	train, valid, test, err := data.UnitSplit(make([]int32, 10), []int32{0, 0, 0, 0, 0, 0, 1, 2, 3, 4}, [3]float64{0.6, 0.2, 0.2}, 1)
	if err != nil || len(train) != 6 || len(valid) != 2 || len(test) != 2 {
		t.Errorf("%v: %v, %v, %v", err, train, valid, test)
	}
}
