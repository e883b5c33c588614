package dedup_test

import (
	"slices"
	"testing"

	"github.com/ehgnn/ehgnn/internal/dedup"
)

func TestRows(t *testing.T) {
	for _, c := range []struct {
		rows      string
		first, of []int32
	}{
		{"abaabaaa", []int32{0, 1}, []int32{0, 1, 0, 0, 1, 0, 0, 0}},
		{"abaabac", nil, nil}, // fewer than four rows for each of two distinct rows
		{"aaaa", []int32{0}, []int32{0, 0, 0, 0}},
		{"aaa", nil, nil},
		{"", nil, nil},
	} {
		first, of := dedup.Rows(len(c.rows), func(b []byte, i int) []byte { return append(b, c.rows[i]) })
		if !slices.Equal(first, c.first) || !slices.Equal(of, c.of) {
			t.Errorf("%q: first %v, of %v, want %v and %v", c.rows, first, of, c.first, c.of)
		}
	}
}
