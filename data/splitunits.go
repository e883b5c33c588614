package data

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/ehgnn/ehgnn/internal/rng"
)

// UnitSplit is StratifiedSplit for items of which some must stay together. unit is the number of
// the unit of each item, from 0. A unit has the class of its first item.
func UnitSplit(labels, unit []int32, fractions [3]float64, seed uint64) (train, valid, test []int, err error) {
	if err := checkFractions(fractions); err != nil {
		return nil, nil, nil, err
	}
	parts := dealItems(labels, unit, fractions[:], seed, "split", "units")
	return parts[0], parts[1], parts[2], nil
}

// UnitFolds is StratifiedFolds for items of which some must stay together.
func UnitFolds(labels, unit []int32, k int, seed uint64) ([][]int, error) {
	n := 0
	if len(unit) > 0 {
		n = int(slices.Max(unit)) + 1
	}
	if k < 2 || k > n {
		return nil, fmt.Errorf("data: %d folds of %d units of items that stay together, expected 2 to %d", k, n, n)
	}
	return dealItems(labels, unit, slices.Repeat([]float64{1 / float64(k)}, k), seed, "folds", "units", k), nil
}

// dealItems deals units class by class, within a class the largest first, so that many small units
// balance the few large ones.
func dealItems(labels, unit []int32, shares []float64, seed uint64, stream ...any) [][]int {
	var units [][]int
	for i, u := range unit {
		for int(u) >= len(units) {
			units = append(units, nil)
		}
		units[u] = append(units[u], i)
	}
	order := rng.Stream(seed, stream...).Perm(len(units))
	slices.SortStableFunc(order, func(a, b int) int {
		return cmp.Or(cmp.Compare(labels[units[a][0]], labels[units[b][0]]), len(units[b])-len(units[a]))
	})
	parts := DealUnits(units, order, shares)
	for _, part := range parts {
		slices.Sort(part)
	}
	return parts
}

// DealUnits gives each unit, in the given order, to the part that is furthest below its share of
// the items dealt so far.
func DealUnits(units [][]int, order []int, shares []float64) [][]int {
	parts := make([][]int, len(shares))
	dealt := 0
	for _, u := range order {
		dealt += len(units[u])
		best, behind := 0, math.Inf(-1)
		for p, f := range shares {
			if d := f*float64(dealt) - float64(len(parts[p])); d > behind && f > 0 {
				best, behind = p, d
			}
		}
		parts[best] = append(parts[best], units[u]...)
	}
	return parts
}
