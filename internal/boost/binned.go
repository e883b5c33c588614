package boost

import (
	"slices"

	"github.com/ehgnn/ehgnn/internal/par"
	"github.com/ehgnn/ehgnn/internal/rng"
)

// sampleRows is how many rows the bins of a column are chosen from.
const sampleRows = 200_000

// groupSize is the number of columns in a group: the bins of a row in a group are one word.
const groupSize = 8

// binned is a matrix in bins. Word i of group g holds the bins of row i in the columns 8g to
// 8g+7, from the lowest byte.
type binned struct {
	rows    int
	columns []column
	groups  [][]uint64
}

// newColumns chooses the bins of all columns from a sample of the rows. Columns without information
// are left out.
func newColumns(x *Matrix, maxBins int, seed uint64, pool *par.Pool) []column {
	rows := sample(x.Rows(), seed)
	found := make([]column, x.Columns)
	useful := make([]bool, x.Columns)
	pool.Rows(x.Columns, 1, func(lo, hi int) {
		keys := make([]uint64, 0, len(rows))
		buffer := make([]uint64, len(rows))
		var t tally
		for c := lo; c < hi; c++ {
			keys = sampled(x, c, rows, keys[:0])
			sortHigh(keys, buffer)
			t.count(keys)
			switch useful[c] = t.informative(len(rows) - len(keys)); {
			case !useful[c]:
			case x.categorical(c):
				found[c] = t.categories(c, maxBins)
			default:
				found[c] = t.numbers(c, maxBins)
			}
		}
	})
	var out []column
	for c, ok := range useful {
		if ok {
			out = append(out, found[c])
		}
	}
	return out
}

// sample draws rows, in ascending order.
func sample(n int, seed uint64) []int {
	out := make([]int, 0, min(n, sampleRows))
	r := rng.Stream(seed, "boost", "bins")
	for i := range n {
		need := sampleRows - len(out)
		if n <= sampleRows || r.IntN(n-i) < need {
			out = append(out, i)
		}
	}
	return out
}

// sampled appends the keys of a column's values that are not missing.
func sampled(x *Matrix, column int, rows []int, keys []uint64) []uint64 {
	at := 0
	x.each(0, x.Rows(), func(first int, values []float32) {
		end := first + len(values)/x.Columns
		for ; at < len(rows) && rows[at] < end; at++ {
			if v := values[(rows[at]-first)*x.Columns+column]; v == v {
				keys = append(keys, uint64(ordered(v))<<32)
			}
		}
	})
	return keys
}

// tileRows is how many rows are put into bins at a time, so that they stay in the cache while all
// columns are read.
const tileRows = 1024

// newBinned puts all rows into the bins of the columns.
func newBinned(x *Matrix, columns []column, pool *par.Pool) *binned {
	b := &binned{rows: x.Rows(), columns: columns}
	for range (len(columns) + groupSize - 1) / groupSize {
		b.groups = append(b.groups, make([]uint64, b.rows))
	}
	pool.Tiles(b.rows, tileRows, 4*tileRows, func(lo, hi int) {
		x.each(lo, hi, func(first int, values []float32) {
			for tile := range slices.Chunk(values, tileRows*x.Columns) {
				b.fill(first, tile, x.Columns)
				first += len(tile) / x.Columns
			}
		})
	})
	return b
}

// fill puts rows of values into bins; the first row has the number first.
func (b *binned) fill(first int, values []float32, width int) {
	n := len(values) / width
	for i := range b.columns {
		c := &b.columns[i]
		words := b.groups[i/groupSize][first : first+n]
		shift := i % groupSize * 8
		at := c.source
		for r := range words {
			x := values[at]
			at += width
			bin := uint8(missing)
			switch {
			case x != x:
			case c.bounds != nil:
				bin = c.finder.bin(x)
			default:
				bin = c.category(x)
			}
			words[r] |= uint64(bin) << shift
		}
	}
}
