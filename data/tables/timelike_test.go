package tables_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/ehgnn/ehgnn/data/tables"
)

// Columns of dates, and whole numbers whose names say so, are recognised as times; others are not.
func TestTimeLike(t *testing.T) {
	for _, c := range []struct {
		name, column string
		value        func(e int) string
		want         string
	}{
		{"dates", "opened", func(e int) string { return fmt.Sprintf("2024-03-%02d", e+1) }, "opened"},
		{"a year", "Year", func(e int) string { return fmt.Sprint(2000 + e%7) }, "Year"},
		{"steps", "step", func(e int) string { return fmt.Sprint(e / 2) }, "step"},
		{"an ending", "paid_at", func(e int) string { return fmt.Sprint(1000 + e) }, "paid_at"},
		{"words with blanks", "Booking Time", func(e int) string { return fmt.Sprint(1000 + e) }, "Booking Time"},
		{"all alike", "year", func(int) string { return "2001" }, ""},
		{"fractions", "step", func(e int) string { return fmt.Sprint(float64(e) / 2) }, ""},
		{"another name", "amount", func(e int) string { return fmt.Sprint(e) }, ""},
		{"words", "step", func(e int) string { return string(rune('a' + e%3)) }, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			var text strings.Builder
			fmt.Fprintf(&text, "source,target,%s,label\n", c.column)
			for e := range 20 {
				fmt.Fprintf(&text, "%d,%d,%s,%d\n", e%5, e%7, c.value(e), e%2)
			}
			s := read(t, tables.Options{}, "edges.csv", text.String())
			if got := s.TimeLike(); got != c.want {
				t.Errorf("column of times %q, expected %q", got, c.want)
			}
		})
	}
}
