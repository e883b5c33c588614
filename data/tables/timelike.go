package tables

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/ehgnn/ehgnn/data/schema"
)

// Names, as words, of whole-number columns with the time of an edge, and last words of such names.
var (
	timeLikeNames = []string{"year", "step", "timestep", "time step", "tick", "ts", "epoch", "unixtime"}
	timeLikeLast  = []string{"time", "date", "at", "ts", "timestamp"}
)

// TimeLike is the first edge feature that seems to be a time, by its values, which are dates, or by its name; empty if
// there is none. It is not read as a time, because a name may be misleading.
func (s *Set) TimeLike() string {
	for _, c := range s.EdgeColumns {
		if c.Times() {
			return c.Name
		}
	}
	for _, c := range s.EdgeColumns {
		words := wordsOf(c.Name)
		named := slices.Contains(timeLikeNames, strings.Join(words, " ")) || len(words) > 1 && slices.Contains(timeLikeLast, words[len(words)-1])
		if named && c.Numeric() && several(c.Value) && !timeOfDay(c) {
			return c.Name
		}
	}
	return ""
}

// day is the length of a day in seconds.
const day = 24 * 60 * 60

// noteTimesOfDay notes columns that seem to have the times of day for the dates in the time column.
func (l *loader) noteTimesOfDay() {
	s := l.set
	if !s.Dates || slices.ContainsFunc(s.Time, func(t float64) bool { return math.Mod(t, day) != 0 }) { // also for NaN
		return
	}
	for _, c := range s.EdgeColumns {
		if c.Notation != nil && c.Notation.Duration && timeOfDay(c) {
			l.note("column %q may have the times of day of the dates in column %q, and is a feature: for a split by both write them in one column, such as 2024-01-31 13:05, or call the columns date and time", c.Name, s.Options.Time)
		}
	}
}

// timeOfDay reports whether numbers seem to be times of day, some before noon: seconds in a column of durations, such
// as 13:05, or hours and minutes in one number, such as 1305.
func timeOfDay(c *Column) bool {
	noon, minutes := 1200.0, true
	if c.Notation != nil && c.Notation.Duration {
		noon, minutes = day/2, false
	}
	early, late := false, false
	for _, v := range c.Value {
		if v < 0 || v > 2*noon || minutes && math.Mod(v, 100) >= 60 {
			return false
		}
		early, late = early || v < noon, late || v >= noon
	}
	return early && late
}

// CheckTimeFormat returns an error for a format of times (Options.TimeFormat) that no column has.
func (s *Set) CheckTimeFormat(format string) error {
	notations, tried := []*schema.Notation{s.TimeNotation}, []string{}
	for _, c := range slices.Concat(s.NodeColumns, s.NodeKeys, s.EdgeColumns, s.EdgeKeys) {
		notations = append(notations, c.Notation)
		if !c.Numeric() && len(c.Text) > 0 {
			tried = append(tried, fmt.Sprintf("%q (as %s)", c.Name, schema.Shown(c.Text[0])))
		}
	}
	if format == "" || slices.ContainsFunc(notations, func(n *schema.Notation) bool { return n != nil && n.Time == format }) {
		return nil
	}
	text := "; no column has texts"
	if len(tried) > 0 {
		text = "; tried the columns " + listed(tried)
	}
	return fmt.Errorf("no column has times written as --time-format says%s; --time names a column of numbers that are times", text)
}

// several reports whether numbers are whole and not all equal; missing ones do not count.
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
