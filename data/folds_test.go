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
	if _, _, _, err := read(t, toy, data.Options{}).Fold(1); !errors.Is(err, data.ErrNoFolds) {
		t.Errorf("set without folds: error %v", err)
	}
}
