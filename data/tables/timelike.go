package tables

import (
	"math"
	"slices"
	"strings"
)

// Names, as their words, of columns of whole numbers that say when an edge was, and last words of such names.
var (
	timeLikeNames = []string{"year", "step", "timestep", "time step", "tick", "ts", "epoch", "unixtime"}
	timeLikeLast  = []string{"time", "date", "at", "ts", "timestamp"}
)

// TimeLike names the first feature of edges that says when an edge was, by its values, which are dates, or by its name;
// empty where there is none. It is not read as a time, because a name can mislead.
func (s *Set) TimeLike() string {
	for _, c := range s.EdgeColumns {
		if c.Times() {
			return c.Name
		}
	}
	for _, c := range s.EdgeColumns {
		words := wordsOf(c.Name)
		named := slices.Contains(timeLikeNames, strings.Join(words, " ")) || len(words) > 1 && slices.Contains(timeLikeLast, words[len(words)-1])
		if named && c.Numeric() && several(c.Value) {
			return c.Name
		}
	}
	return ""
}

// several reports whether numbers are whole and not all alike; missing ones do not count.
func several(numbers []float64) bool {
	differ, first := false, math.NaN()
	for _, v := range numbers {
		switch {
		case v != v:
		case v != math.Trunc(v):
			return false
		case first != first:
			first = v
		default:
			differ = differ || v != first
		}
	}
	return differ
}
