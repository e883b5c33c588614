// Package lists makes slices from other slices in one expression: what NumPy calls map, take, arange and full, and what the
// package slices of the standard library leaves out. It knows nothing of what the elements mean. No result but those of
// Filter, Where and TakeRows is nil, so that an empty list stays one where nil means that there is none.
package lists

// Integer is the type of an index.
type Integer interface{ ~int | ~int32 | ~int64 }

// Number is the type of an element that can be converted.
type Number interface {
	~int | ~int32 | ~int64 | ~byte | ~float32 | ~float64
}

// Map is of(x) of each element, in their order.
func Map[T, U any](list []T, of func(T) U) []U {
	out := make([]U, len(list))
	for i, x := range list {
		out[i] = of(x)
	}
	return out
}

// Filter is the elements for which keep is true, in their order; nil for none.
func Filter[T any](list []T, keep func(T) bool) (out []T) {
	for _, x := range list {
		if keep(x) {
			out = append(out, x)
		}
	}
	return out
}

// Where is the indices of the elements for which holds is true, rising; nil for none.
func Where[I Integer, T any](list []T, holds func(i int, x T) bool) (at []I) {
	for i, x := range list {
		if holds(i, x) {
			at = append(at, I(i))
		}
	}
	return at
}

// Places is the index of each element of a list, the last one of equal elements.
func Places[I Integer, T comparable](list []T) map[T]I {
	at := make(map[T]I, len(list))
	for i, x := range list {
		at[x] = I(i)
	}
	return at
}

// Inverse is the index in a list of each number from 0 to n-1, -1 of those that the list has not.
func Inverse[I Integer](list []I, n int) []I {
	at := Repeat(I(-1), n)
	for i, x := range list {
		at[x] = I(i)
	}
	return at
}

// Marked is n times false, but true at some indices.
func Marked[I Integer](n int, at []I) []bool {
	out := make([]bool, n)
	for _, i := range at {
		out[i] = true
	}
	return out
}

// Count is the number of elements for which holds is true.
func Count[T any](list []T, holds func(T) bool) (n int) {
	for _, x := range list {
		if holds(x) {
			n++
		}
	}
	return n
}

// Sum is the sum of some numbers, added in their order.
func Sum[N Number](list []N) (sum N) {
	for _, x := range list {
		sum += x
	}
	return sum
}

// SumOf is the sum of of(x) of each element, added in their order.
func SumOf[T any, N Number](list []T, of func(T) N) (sum N) {
	for _, x := range list {
		sum += of(x)
	}
	return sum
}

// Take is the elements of a list at some indices, in the order of the indices. It panics on an index that the list has not.
func Take[T any, I Integer](list []T, at []I) []T {
	out := make([]T, len(at))
	for i, k := range at {
		out[i] = list[k]
	}
	return out
}

// TakeRows is the rows of some width at some indices of a table whose rows are behind one another; nil of nil.
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

// Range is the numbers from 0 to n-1.
func Range[I Integer](n int) []I {
	out := make([]I, n)
	for i := range out {
		out[i] = I(i)
	}
	return out
}

// Repeat is a list of n times the same element.
func Repeat[T any](x T, n int) []T {
	out := make([]T, n)
	for i := range out {
		out[i] = x
	}
	return out
}

// Convert is each number as one of another type.
func Convert[U, T Number](list []T) []U {
	out := make([]U, len(list))
	for i, x := range list {
		out[i] = U(x)
	}
	return out
}
