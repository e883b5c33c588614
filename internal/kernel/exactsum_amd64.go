//go:build !noasm

package kernel

//go:generate go -C _gen run ./fixed -out ../exactsum_amd64.s -stubs ../exactsum_stubs_amd64.go -pkg kernel

// fixedMost is how many remainders below 2^32 float64 adds exactly.
const fixedMost = 1 << 21

func addFixedSIMD(sum []int64, x []float32, rows []int32, scale float64) bool {
	if level == levelGeneric {
		return false
	}
	for ; len(rows) > fixedMost; rows = rows[fixedMost:] {
		addFixedSIMD(sum, x, rows[:fixedMost], scale)
	}
	lanes := 8
	if level == levelAVX512 {
		lanes = 16
	}
	var parts [64]float64
	half := lanes / 2
	for j := 0; j < len(sum); j += 2 * lanes {
		tile := sum[j:min(j+2*lanes, len(sum))]
		fixedRows(&parts[0], &x[j], &rows[0], len(rows), 4*len(sum), len(tile), scale)
		for i := range tile {
			at := i/half*lanes + i%half
			tile[i] += int64(parts[at])<<32 + int64(parts[at+half])
		}
	}
	return true
}

// fixedRows adds up n columns, up to two vectors of them, of the rows of x that rows lists, count of them;
// step bytes are from row to row of x. For each half of a vector, to gets two sums: of the numbers divided
// by 2^32, and of the remainders. The calls are direct: with a function variable, to would be allocated on
// the heap.
func fixedRows(to *float64, x *float32, rows *int32, count, step, n int, scale float64) {
	switch {
	case level == levelAVX512 && n > 16:
		fixedRows2AVX512(to, x, rows, count, step, n-16, scale)
	case level == levelAVX512:
		fixedRows1AVX512(to, x, rows, count, step, n, scale)
	case n > 8:
		fixedRows2AVX2(to, x, rows, count, step, n-8, scale)
	default:
		fixedRows1AVX2(to, x, rows, count, step, n, scale)
	}
}
