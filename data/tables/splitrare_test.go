package tables_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/ehgnn/ehgnn/data/tables"
)

// A class with a single edge has it in training, for any seed.
func TestSplitTrainsEachClass(t *testing.T) {
	table := func() *tables.Set {
		var text strings.Builder
		text.WriteString("source,target,group,label\n")
		for e := range 60 {
			label := []string{"ok", "ok", "fraud"}[e%3]
			if e%30 == 7 {
				label = fmt.Sprint("only ", e)
			}
			fmt.Fprintf(&text, "%d,%d,%d,%s\n", e, e+1, e%20, label)
		}
		return read(t, tables.Options{}, "edges.csv", text.String())
	}
	rare := table()
	for name, o := range map[string]tables.SplitOptions{
		"random": {}, "pairs": {Pairs: true}, "folds": {Folds: 4, Fold: 2}, "group": {By: tables.ByGroup}, "folds of groups": {By: tables.ByGroup, Folds: 4, Fold: 3},
	} {
		for seed := range uint64(10) {
			o.Seed, o.Fractions = seed, [3]float64{0.6, 0.2, 0.2}
			split, err := rare.Split(o)
			if err != nil {
				t.Fatal(err)
			}
			partsOf(t, split, 60)
			for _, e := range []int{7, 37} {
				if !slices.Contains(split.Train, e) {
					t.Errorf("%s, seed %d: edge %d, alone of its class, is not trained on", name, seed, e)
				}
			}
			if o.By == tables.ByGroup { // edges 17 and 37 are in one group, and so are 7 and 27
				if !slices.Contains(split.Train, 27) || !slices.Contains(split.Train, 17) {
					t.Errorf("%s, seed %d: a group is torn apart", name, seed)
				}
			}
		}
	}
	moved := 0
	for seed := range uint64(10) {
		a, err := rare.Split(tables.SplitOptions{Seed: seed, Fractions: [3]float64{0.6, 0.2, 0.2}})
		if err != nil {
			t.Fatal(err)
		}
		if len(a.Train) > 36 {
			moved++
		}
	}
	if moved == 0 {
		t.Error("no split would have left a class out: the test cannot tell")
	}
}
