package data

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/ehgnn/ehgnn/internal/lists"
	"github.com/ehgnn/ehgnn/internal/rng"
)

// RandomSplit divides 0..n-1 at random into training, validation and test indices, each ascending.
// The fractions are of n and sum to 1. Sizes are rounded at the two cuts. The split depends only on
// the arguments.
func RandomSplit(n int, fractions [3]float64, seed uint64) (train, valid, test []int, err error) {
	if n < 0 {
		return nil, nil, nil, fmt.Errorf("data: split of %d items", n)
	}
	if err := checkFractions(fractions); err != nil {
		return nil, nil, nil, err
	}
	order := rng.Stream(seed, "split", "random").Perm(n)
	a := min(int(math.Round(fractions[0]*float64(n))), n)
	b := min(max(int(math.Round((fractions[0]+fractions[1])*float64(n))), a), n)
	if fractions[2] == 0 {
		b = n // in case the sum has a rounding error
	}
	train, valid, test = order[:a:a], order[a:b:b], order[b:]
	for _, part := range [][]int{train, valid, test} {
		slices.Sort(part)
	}
	return train, valid, test, nil
}

// StratifiedSplit is RandomSplit that keeps the share of each class: the size of every part, and of
// every class in every part, differs from its exact share by less than two. A label may be any
// number, also graph.NoLabel: equal labels are a class.
func StratifiedSplit(labels []int32, fractions [3]float64, seed uint64) (train, valid, test []int, err error) {
	if err := checkFractions(fractions); err != nil {
		return nil, nil, nil, err
	}
	var parts [3][]int
	for i, id := range byClass(labels, rng.Stream(seed, "split", "stratified")) {
		// Each graph goes to the part that is furthest below its share. The classes come one after
		// another, so this is true for every class and for the whole.
		best, behind := 0, math.Inf(-1)
		for p, f := range fractions {
			if d := f*float64(i+1) - float64(len(parts[p])); d > behind && f > 0 {
				best, behind = p, d
			}
		}
		parts[best] = append(parts[best], id)
	}
	for _, part := range parts {
		slices.Sort(part)
	}
	return parts[0], parts[1], parts[2], nil
}

// TrainEachClass moves items from the other two parts of a split to the training part, the first,
// if it lacks their class: the first item of each such class, with all items of the same unit. A
// class below 0 is no class. If unit is nil, each item is a unit. If no class is missing, the split
// does not change.
func TrainEachClass(class, unit []int32, parts *[3][]int) {
	trained := map[int32]bool{}
	for _, i := range parts[0] {
		trained[class[i]] = true
	}
	held := slices.Concat(parts[1], parts[2])
	slices.Sort(held)
	lacking := lists.Filter(held, func(i int) bool { return class[i] >= 0 && !trained[class[i]] })
	if lacking == nil {
		return
	}
	unitOf := func(i int) int32 {
		if unit == nil {
			return int32(i)
		}
		return unit[i]
	}
	together := map[int32][]int{}
	for _, i := range held {
		together[unitOf(i)] = append(together[unitOf(i)], i)
	}
	moved := map[int]bool{}
	for _, i := range lacking {
		if trained[class[i]] {
			continue
		}
		for _, j := range together[unitOf(i)] {
			trained[class[j]], moved[j] = true, true
			parts[0] = append(parts[0], j)
		}
	}
	slices.Sort(parts[0])
	for p := range 2 {
		parts[p+1] = slices.DeleteFunc(parts[p+1], func(i int) bool { return moved[i] })
	}
}

// FoldParts makes the parts of a split from folds. Fold number fold, counted from 1, is the test
// set, the fold before it is the validation set, and the others are the training set.
func FoldParts(folds [][]int, fold int) (train, valid, test []int) {
	at := fold - 1
	before := (at + len(folds) - 1) % len(folds)
	for k, ids := range folds {
		switch k {
		case at:
			test = ids
		case before:
			valid = ids
		default:
			train = append(train, ids...)
		}
	}
	return train, valid, test
}

// StratifiedFolds divides the indices of labels at random into k test folds, each ascending. Sizes,
// and the number of each class, differ between folds by at most one. The result depends only on the
// arguments.
func StratifiedFolds(labels []int32, k int, seed uint64) ([][]int, error) {
	if k < 2 || k > len(labels) {
		return nil, fmt.Errorf("data: %d folds of %d items, expected 2 to %d", k, len(labels), len(labels))
	}
	folds := make([][]int, k)
	for i, id := range byClass(labels, rng.Stream(seed, "folds", k)) {
		folds[i%k] = append(folds[i%k], id)
	}
	for _, fold := range folds {
		slices.Sort(fold)
	}
	return folds, nil
}

// byClass returns all indices, class by class, shuffled within each class.
func byClass(labels []int32, r *rand.Rand) []int {
	order := r.Perm(len(labels))
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(labels[a], labels[b]) })
	return order
}

func checkFractions(fractions [3]float64) error {
	sum := 0.0
	for _, f := range fractions {
		if !(f >= 0 && f <= 1) { // also for NaN
			return fmt.Errorf("data: split fractions %v, expected numbers from 0 to 1", fractions)
		}
		sum += f
	}
	if math.Abs(sum-1) > 1e-6 {
		return fmt.Errorf("data: split fractions %v sum to %v, expected 1", fractions, sum)
	}
	return nil
}
