package tables

import (
	"math"
	"slices"
	"strings"
)

// Names of columns of whole numbers that say when an edge was, and endings of such names.
var (
	timeLikeNames = []string{"year", "step", "timestep", "time_step", "tick", "ts", "epoch", "unixtime"}
	timeLikeEnds  = []string{"_time", "_date", "_at", "_ts", "timestamp"}
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
		name := strings.ToLower(c.Name)
		named := slices.Contains(timeLikeNames, name) || slices.ContainsFunc(timeLikeEnds, func(end string) bool { return strings.HasSuffix(name, end) })
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
