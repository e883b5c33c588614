package source

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/ehgnn/ehgnn/data"
	"github.com/ehgnn/ehgnn/data/tables"
	"github.com/ehgnn/ehgnn/internal/lists"
	"github.com/ehgnn/ehgnn/internal/settings"
)

// splitClasses is SplitLabels for classes that must all be trained: an item of a class without
// training items is moved to the training part.
func splitClasses(class []int32, s settings.Split) (ids [3][]int, err error) {
	if ids, err = settings.SplitLabels(class, s); err == nil {
		data.TrainEachClass(class, nil, &ids)
	}
	return ids, err
}

// mostRemarks is how many classes are named, each in its own remark.
const mostRemarks = 5

// rareClasses returns remarks on the classes of a column that occur only in the training part of a
// random split.
func rareClasses(label *tables.Column, ids [3][]int, of settings.Level, s settings.Split) []string {
	if label == nil || label.Numeric() || !slices.Contains([]string{settings.SplitRandom, settings.SplitFolds, settings.SplitGroup}, s.Kind) {
		return nil
	}
	count, held := make([]int, len(label.Text)), make([]bool, len(label.Text))
	for part, items := range ids {
		for _, i := range items {
			if k := label.Code[i]; k >= 0 {
				count[k]++
				held[k] = held[k] || part > 0
			}
		}
	}
	only := lists.Where[int](count, func(k, n int) bool { return n > 0 && !held[k] })
	slices.SortFunc(only, func(a, b int) int {
		return cmp.Or(cmp.Compare(count[a], count[b]), cmp.Compare(label.Text[a], label.Text[b]))
	})
	var out []string
	for i, k := range only {
		if i == mostRemarks {
			return append(out, fmt.Sprintf("%d more classes have %ss only in the training part", len(only)-i, of))
		}
		what := fmt.Sprintf("1 %s, which is in the training part: it is", of)
		if n := count[k]; n > 1 {
			what = fmt.Sprintf("%d %ss, all in the training part: they are", n, of)
		}
		out = append(out, fmt.Sprintf("class %q has %s neither validated nor tested", label.Text[k], what))
	}
	return out
}
