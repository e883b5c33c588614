package boost

import (
	"cmp"
	"math"
	"slices"

	"github.com/ehgnn/ehgnn/internal/lists"
)

// missing is the bin of missing values in every column.
const missing = 0

// column says how the values of a column become bins. Bins of values count from 1.
type column struct {
	source int // index in the matrix

	// bounds are the largest values of the bins in a column of numbers; the last is +Inf.
	bounds []float32
	finder finder

	// codes are the sorted categories of a categorical column; category i has the bin i+1.
	// Other categories share the bin other, the last.
	codes []float32
	other uint8
}

// bins is the number of bins, including the bin of missing values.
func (c *column) bins() int {
	if c.bounds != nil {
		return len(c.bounds) + 1
	}
	return int(c.other) + 1
}

// tally lists the different values of a column in ascending order, with the number of rows of each.
type tally struct {
	values []float32
	counts []int
	rows   int
}

// count counts the values of sorted keys.
func (t *tally) count(sorted []uint64) {
	t.values, t.counts, t.rows = t.values[:0], t.counts[:0], len(sorted)
	for i, k := range sorted {
		if i == 0 || k>>32 != sorted[i-1]>>32 {
			t.values = append(t.values, unordered(uint32(k>>32)))
			t.counts = append(t.counts, 0)
		}
		t.counts[len(t.counts)-1]++
	}
}

// informative reports whether a column has information; missing is a value as well.
func (t *tally) informative(missing int) bool {
	return len(t.values) > 1 || len(t.values) == 1 && missing > 0
}

// numbers makes the bins of a column of numbers.
func (t *tally) numbers(source, maxBins int) column {
	c := column{source: source, bounds: t.bounds(maxBins)}
	c.finder = newFinder(c.bounds)
	return c
}

// bounds returns the upper bounds of bins: one bin for each value if there are few values, else
// bins of about equal counts, in which a frequent value has its own bin. It is the greedy rule of
// LightGBM.
func (t *tally) bounds(maxBins int) []float32 {
	values, counts := t.values, t.counts
	var out []float32
	end := func(i int) { out = append(out, middle(values[i], values[i+1])) }
	if len(values) <= maxBins {
		for i := range len(values) - 1 {
			end(i)
		}
		return append(out, float32(math.Inf(1)))
	}
	most := float64(t.rows) / float64(maxBins)
	frequent := func(i int) bool { return float64(counts[i]) >= most }
	restBins, rest := maxBins, t.rows
	for i, n := range counts {
		if frequent(i) {
			restBins--
			rest -= n
		}
	}
	mean := float64(rest) / float64(max(restBins, 1))
	inBin := 0
	for i := 0; i < len(values)-1 && len(out) < maxBins-1; i++ {
		if !frequent(i) {
			rest -= counts[i]
		}
		inBin += counts[i]
		full := float64(inBin) >= mean || frequent(i+1) && float64(inBin) >= max(1, mean/2)
		if !frequent(i) && !full {
			continue
		}
		end(i)
		inBin = 0
		if !frequent(i) {
			restBins--
			mean = float64(rest) / float64(max(restBins, 1))
		}
	}
	return append(out, float32(math.Inf(1)))
}

// middle is a number t with a <= t < b, halfway if float32 has such a number.
func middle(a, b float32) float32 {
	if t := float32((float64(a) + float64(b)) / 2); t >= a && t < b {
		return t + 0
	}
	return a + 0
}

// categories gives bins to the most frequent categories: at most maxBins-1, so that one bin
// is left for the others.
func (t *tally) categories(source, maxBins int) column {
	values, counts := t.values, t.counts
	order := lists.Range[int](len(values))
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(counts[b], counts[a]) })
	order = order[:min(len(order), maxBins-1)]
	slices.Sort(order)
	c := column{source: source, other: uint8(len(order) + 1)}
	for _, v := range order {
		c.codes = append(c.codes, values[v])
	}
	return c
}

// category is the bin of a value in a categorical column.
func (c *column) category(x float32) uint8 {
	if x != x {
		return missing
	}
	if i, ok := slices.BinarySearch(c.codes, x); ok {
		return uint8(i + 1)
	}
	return c.other
}
