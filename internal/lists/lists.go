// Package lists makes slices from other slices in one expression, as NumPy does with take, arange and full. It has what
// package slices of the standard library lacks. Only Filter, Where and TakeRows can return nil. All other functions
// return an empty slice that is not nil, because callers use nil for "no list".
package lists

// Integer is the type of an index.
type Integer interface{ ~int | ~int32 | ~int64 }

// Number is the type of an element that can be converted.
type Number interface {
	~int | ~int32 | ~int64 | ~byte | ~float32 | ~float64
}

// Map returns of(x) for each element x, in the order of the list.
func Map[T, U any](list []T, of func(T) U) []U {
	out := make([]U, len(list))
	for i, x := range list {
		out[i] = of(x)
	}
	return out
}

// Filter returns the elements for which keep is true, in the order of the list, or nil if there are none.
func Filter[T any](list []T, keep func(T) bool) (out []T) {
	for _, x := range list {
		if keep(x) {
			out = append(out, x)
		}
	}
	return out
}

// Where returns the indices of the elements for which holds is true, in ascending order, or nil if there are none.
func Where[I Integer, T any](list []T, holds func(i int, x T) bool) (at []I) {
	for i, x := range list {
		if holds(i, x) {
			at = append(at, I(i))
		}
	}
	return at
}

// Places maps each element of a list to its index. Equal elements have the index of the last one.
func Places[I Integer, T comparable](list []T) map[T]I {
	at := make(map[T]I, len(list))
	for i, x := range list {
		at[x] = I(i)
	}
	return at
}

// Inverse returns the index in a list of each number from 0 to n-1, or -1 for a number that is not in the list.
func Inverse[I Integer](list []I, n int) []I {
	at := Repeat(I(-1), n)
	for i, x := range list {
		at[x] = I(i)
	}
	return at
}

// Marked returns a list of length n that is true at the given indices and false elsewhere.
func Marked[I Integer](n int, at []I) []bool {
	out := make([]bool, n)
	for _, i := range at {
		out[i] = true
	}
	return out
}

// Count returns the number of elements for which holds is true.
func Count[T any](list []T, holds func(T) bool) (n int) {
	for _, x := range list {
		if holds(x) {
			n++
		}
	}
	return n
}

// Sum returns the sum of a list. It adds the numbers in the order of the list.
func Sum[N Number](list []N) (sum N) {
	for _, x := range list {
		sum += x
	}
	return sum
}

// SumOf returns the sum of of(x) over the elements x. It adds in the order of the list.
func SumOf[T any, N Number](list []T, of func(T) N) (sum N) {
	for _, x := range list {
		sum += of(x)
	}
	return sum
}

// Take returns the elements of a list at the given indices, in the order of the indices. It panics if an index is out of range.
func Take[T any, I Integer](list []T, at []I) []T {
	out := make([]T, len(at))
	for i, k := range at {
		out[i] = list[k]
	}
	return out
}

// TakeRows returns the given rows of a table that is stored row by row, each row with width values. It returns nil for a nil table.
func TakeRows[S ~[]T, T any, I Integer](table S, width int, rows []I) S {
	if table == nil {
		return nil
	}
	out := make(S, 0, len(rows)*width)
	for _, r := range rows {
		out = append(out, table[int(r)*width:][:width]...)
	}
	return out
}

// Range returns the numbers from 0 to n-1.
func Range[I Integer](n int) []I {
	out := make([]I, n)
	for i := range out {
		out[i] = I(i)
	}
	return out
}

// Repeat returns a list with n copies of x.
func Repeat[T any](x T, n int) []T {
	out := make([]T, n)
	for i := range out {
		out[i] = x
	}
	return out
}

// Convert converts each number to another type.
func Convert[U, T Number](list []T) []U {
	out := make([]U, len(list))
	for i, x := range list {
		out[i] = U(x)
	}
	return out
}
