//go:build !noasm

package kernel

//go:generate go -C _gen run ./fixed -out ../exactsum_amd64.s -stubs ../exactsum_stubs_amd64.go -pkg kernel

// fixedRowsFunc adds up, in a tile of columns, the rows of x that rows lists, count of them, step bytes
// being from row to row of x and n the number of valid lanes of the tile's last vector. For each half of
// a vector to gets the sums of the multiples of 2^32 in the numbers, divided by it, and those of the rests.
type fixedRowsFunc func(to *float64, x *float32, rows *int32, count, step, n int, scale float64)

// The functions by the number of vectors of a tile minus one.
var (
	fixedRowsAVX2   = [2]fixedRowsFunc{fixedRows1AVX2, fixedRows2AVX2}
	fixedRowsAVX512 = [2]fixedRowsFunc{fixedRows1AVX512, fixedRows2AVX512}
)

// fixedMost is how many rests below 2^32 float64 adds up exactly.
const fixedMost = 1 << 21

func addFixedSIMD(sum []int64, x []float32, rows []int32, scale float64) bool {
	funcs, lanes := &fixedRowsAVX2, 8
	switch level {
	case levelGeneric:
		return false
	case levelAVX512:
		funcs, lanes = &fixedRowsAVX512, 16
	}
	for ; len(rows) > fixedMost; rows = rows[fixedMost:] {
		addFixedSIMD(sum, x, rows[:fixedMost], scale)
	}
	var parts [64]float64
	half := lanes / 2
	for j := 0; j < len(sum); j += 2 * lanes {
		tile := sum[j:min(j+2*lanes, len(sum))]
		vecs := (len(tile) + lanes - 1) / lanes
		funcs[vecs-1](&parts[0], &x[j], &rows[0], len(rows), 4*len(sum), len(tile)-(vecs-1)*lanes, scale)
		for i := range tile {
			at := i/half*lanes + i%half
			tile[i] += int64(parts[at])<<32 + int64(parts[at+half])
		}
	}
	return true
}
