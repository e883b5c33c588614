// Package dedup removes duplicates of rows: it finds the rows that are equal.
package dedup

// fewRows is the smallest number of rows for each distinct row with which it is faster to compute
// on distinct rows only.
const fewRows = 4

// Rows numbers the distinct rows among n rows, in the order of their first occurrence. of[i] is the
// number of row i, and first[k] is the first row with number k. key appends the content of a row to
// a buffer. If there are fewer than four rows for each distinct row, Rows stops and returns nil,
// nil.
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
