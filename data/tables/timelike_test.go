package tables_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/ehgnn/ehgnn/data/tables"
)

// Columns of dates, and of whole numbers whose names say so, are recognised as times. Other columns are not.
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
		{"years of this century", "begin_date", func(e int) string { return fmt.Sprint(2000 + e%7) }, "begin_date"},
		{"hours and minutes", "departure_time", func(e int) string { return fmt.Sprint(e%24*100 + 2*e) }, ""},
		{"times of day", "departure_time", func(e int) string { return fmt.Sprintf("%d:%02d", e, 2*e) }, ""},
		{"dates beside hours and minutes", "trans_date,trans_time", func(e int) string { return fmt.Sprintf("2024-03-%02d,%d", e+1, e%24*100+2*e) }, "trans_date"},
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

// A remark names a column that may have the times of day for a column of dates.
func TestTimesOfDay(t *testing.T) {
	for name, c := range map[string]struct {
		dates, column [2]string
		noted         bool
	}{
		"times of day":             {[2]string{"2024-01-31", "2024-02-01"}, [2]string{"07:30", "18:05:10"}, true},
		"all before noon":          {[2]string{"2024-01-31", "2024-02-01"}, [2]string{"07:30", "08:05"}, false},
		"spans of more than a day": {[2]string{"2024-01-31", "2024-02-01"}, [2]string{"18:30:00", "25:05:00"}, false},
		"times beside the spans":   {[2]string{"2024-01-31 10:00", "2024-02-01 11:00"}, [2]string{"07:30", "18:05"}, false},
		"numbers":                  {[2]string{"2024-01-31", "2024-02-01"}, [2]string{"27000", "65110"}, false},
	} {
		t.Run(name, func(t *testing.T) {
			var text strings.Builder
			text.WriteString("source,target,date,clock,label\n")
			for e := range 20 {
				fmt.Fprintf(&text, "%d,%d,%s,%s,%d\n", e%5, e%7, c.dates[e%2], c.column[e%2], e/2%2)
			}
			notes := strings.Join(read(t, tables.Options{}, "edges.csv", text.String()).Notes, "\n")
			if got := strings.Contains(notes, `column "clock" may have the times of day of the dates in column "date"`); got != c.noted {
				t.Errorf("notes %q, noted %v", notes, c.noted)
			}
		})
	}
}
