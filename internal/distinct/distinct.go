// Package distinct finds rows that are equal.
package distinct

// fewRows is how many rows there are at least to each different one where working on
// the different ones alone pays.
const fewRows = 4

// Rows numbers the different rows of n in the order in which they occur: row i is
// number of[i], and row first[k] is the first of number k. key appends what a row
// holds to a buffer. Where there are fewer than four rows to a different one, it gives
// up and returns nil twice.
func Rows(n int, key func(buffer []byte, row int) []byte) (first, of []int32) {
	known := map[string]int32{}
	of = make([]int32, n)
	var buffer []byte
	for i := range of {
		buffer = key(buffer[:0], i)
		k, ok := known[string(buffer)]
		if !ok {
			if k = int32(len(first)); (int(k)+1)*fewRows > n {
				return nil, nil
			}
			known[string(buffer)] = k
			first = append(first, int32(i))
		}
		of[i] = k
	}
	return first, of
}
