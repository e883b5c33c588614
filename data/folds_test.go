package data_test

import (
	"errors"
	"slices"
	"testing"

	"github.com/ehgnn/ehgnn/data"
)

func TestFold(t *testing.T) {
	d := read(t, ten, data.Options{})
	if !d.Info.HasFolds {
		t.Fatal("no folds")
	}
	tests := []struct {
		k                  int
		train, valid, test []int
	}{
		{1, []int{1, 2, 3, 4, 5, 6, 7, 8, 10, 11}, []int{9}, []int{0}},
		{2, []int{2, 3, 4, 5, 6, 7, 8, 9, 10, 11}, []int{0}, []int{1}},
		{10, []int{0, 1, 2, 3, 4, 5, 6, 7, 10, 11}, []int{8}, []int{9}},
	}
	for _, test := range tests {
		train, valid, held, err := d.Fold(test.k)
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(train, test.train) || !slices.Equal(valid, test.valid) || !slices.Equal(held, test.test) {
			t.Errorf("fold %d is %v %v %v, want %v %v %v", test.k, train, valid, held, test.train, test.valid, test.test)
		}
		train[0] = -1 // must not reach the next caller
		if again, _, _, _ := d.Fold(test.k); again[0] == -1 {
			t.Error("Fold returns shared memory")
		}
	}
	for _, k := range []int{0, 11} {
		if _, _, _, err := d.Fold(k); err == nil {
			t.Errorf("fold %d: no error", k)
		}
	}
	if n := d.NumFolds(); n != 10 {
		t.Errorf("%d folds, want 10", n)
	}
	if _, _, _, err := read(t, toy, data.Options{}).Fold(1); !errors.Is(err, data.ErrNoFolds) {
		t.Errorf("set without folds: error %v", err)
	}
}

// TestWithFolds: as with fixed folds, the fold before validates.
func TestWithFolds(t *testing.T) {
	plain := read(t, ten, data.Options{})
	for _, k := range []int{3, 5, 10} {
		d, err := plain.WithFolds(k, 7)
		if err != nil {
			t.Fatal(err)
		}
		want, err := data.StratifiedFolds(plain.Labels(), k, 7)
		if err != nil {
			t.Fatal(err)
		}
		if d.NumFolds() != k {
			t.Errorf("%d folds, want %d", d.NumFolds(), k)
		}
		for i := range k {
			train, valid, test, err := d.Fold(i + 1)
			if err != nil {
				t.Fatal(err)
			}
			partition(t, len(d.Graphs), train, valid, test)
			if !slices.Equal(test, want[i]) || !slices.Equal(valid, want[(i+k-1)%k]) || len(train) == 0 || !slices.IsSorted(train) {
				t.Errorf("fold %d of %d: %v %v %v, want tests %v", i+1, k, train, valid, test, want)
			}
		}
		if _, _, _, err := d.Fold(k + 1); err == nil {
			t.Errorf("fold %d of %d: no error", k+1, k)
		}
		if d.Info.HasFolds != plain.Info.HasFolds {
			t.Error("the files have other folds now")
		}
	}
	if _, _, valid, err := plain.Fold(1); err != nil || len(valid) != 1 {
		t.Errorf("%v: the set itself has other folds", err)
	}
	for _, k := range []int{2, len(plain.Graphs) + 1} {
		if _, err := plain.WithFolds(k, 7); err == nil {
			t.Errorf("%d folds: no error", k)
		}
	}
}
