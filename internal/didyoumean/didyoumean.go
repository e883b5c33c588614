// Package didyoumean suggests known names for mistyped ones.
package didyoumean

import (
	"fmt"
	"math"
	"strings"
)

// Name returns the candidate with the smallest edit distance from name, ignoring case, the first of
// several. It returns an empty text if all are more than most edits away.
func Name(name string, candidates []string, most int) string {
	best, at := "", most+1
	for _, c := range candidates {
		if d := Distance(strings.ToLower(name), strings.ToLower(c)); d < at {
			best, at = c, d
		}
	}
	return best
}

// Unknown returns the error for the name of a thing, such as a model, that is not among the known
// names. It suggests the nearest known name.
func Unknown(thing, name string, known []string) error {
	return fmt.Errorf("unknown %s %q, did you mean %q? (known: %s)", thing, name, Name(name, known, math.MaxInt-1), strings.Join(known, ", "))
}

// Distance returns the smallest number of edits that change a to b, in bytes: insertions,
// deletions, replacements and exchanges of neighbours. It is the Damerau-Levenshtein distance in
// which no part is edited twice.
func Distance(a, b string) int {
	before, last, row := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		before, last, row = last, row, before
		row[0] = i + 1
		for j := range len(b) {
			cost := last[j]
			if a[i] != b[j] {
				cost++
			}
			row[j+1] = min(cost, last[j+1]+1, row[j]+1)
			if i > 0 && j > 0 && a[i] == b[j-1] && a[i-1] == b[j] {
				row[j+1] = min(row[j+1], before[j-1]+1)
			}
		}
	}
	return row[len(b)]
}
