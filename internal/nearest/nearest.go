// Package nearest finds what a mistyped name was meant to be.
package nearest

import "strings"

// Name is the candidate with the least edit distance from name, the first of several,
// whatever the case; empty where all are more than most edits away.
func Name(name string, candidates []string, most int) string {
	best, at := "", most+1
	for _, c := range candidates {
		if d := Distance(strings.ToLower(name), strings.ToLower(c)); d < at {
			best, at = c, d
		}
	}
	return best
}

// Distance is the Levenshtein distance in bytes.
func Distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := diagonal
			if a[i] != b[j] {
				cost++
			}
			diagonal = row[j+1]
			row[j+1] = min(cost, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}
