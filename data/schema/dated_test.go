package schema

import "testing"

func TestWithDate(t *testing.T) {
	const january = 1706659200 // 2024-01-31
	text := func(s string) Cell { return TextCell(s) }
	date := Cell{Kind: Time, Number: january}
	for _, c := range []struct {
		name        string
		date, clock Cell
		want        Cell
		ok          bool // the cells are one time; otherwise clock stays as it is
	}{
		{"texts", text("2024-01-31"), text("13:05"), text("2024-01-31 13:05"), true},
		{"seconds", text("31.01.2024"), text(" 13:05:10 "), text("31.01.2024 13:05:10"), true},
		{"twelve hours", text("1/31/2024"), text("1:05 PM"), text("1/31/2024 1:05 PM"), true},
		{"a name of a month", text("31 January 2024"), text("13:05"), text("31 January 2024 13:05"), true},
		{"midnight of pandas", text("2024-01-31 00:00:00"), text("13:05"), text("2024-01-31 13:05"), true},
		{"midnight of ISO 8601", text("2024-01-31T00:00:00"), text("13:05"), text("2024-01-31 13:05"), true},
		{"types of a file", date, Cell{Kind: Number, Number: 3600}, Cell{Kind: Time, Number: january + 3600}, true},
		{"a type and a text", date, text("01:00"), Cell{Kind: Time, Number: january + 3600}, true},
		{"a time of both", text("2024-01-31 08:00"), text("13:05"), Cell{}, false},
		{"two times of day", text("08:00"), text("13:05"), Cell{}, false},
		{"a time beside a date", text("2024-01-31"), text("2024-01-31 13:05"), Cell{}, false},
		{"a span", text("2024-01-31"), text("2h 50m"), Cell{}, false},
		{"a number of a text file", text("2024-01-31"), text("1305"), Cell{}, false},
		{"more than a day", date, Cell{Kind: Number, Number: 172_792}, Cell{}, false},
		{"a missing date", Cell{}, text("13:05"), Cell{}, true},
		{"a missing date of a number", Cell{}, Cell{Kind: Number, Number: 3600}, Cell{}, true},
		{"a word for a missing date", text("NA"), text("13:05"), Cell{}, true},
		{"seconds since 1970 without a date", Cell{}, Cell{Kind: Number, Number: january}, Cell{}, false},
		{"a time beside a missing date", Cell{}, text("2024-01-31 13:05"), Cell{}, false},
		{"a missing time of day", text("2024-01-31"), Cell{}, Cell{}, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			want := c.want
			if !c.ok {
				want = c.clock
			}
			if got := WithDate(c.date, c.clock, MissingAmong(nil)); got != want {
				t.Errorf("%v, expected %v", got, want)
			}
		})
	}
}
