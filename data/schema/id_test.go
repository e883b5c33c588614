package schema

import "testing"

// TestID: an id is text. A number that lost digits is refused.
func TestID(t *testing.T) {
	for _, test := range []struct {
		cell Cell
		want string // "" if an error is expected
	}{
		{TextCell(" a7 "), "a7"},
		{IntegerCell(1<<62 + 1), "4611686018427387905"},
		{Cell{Kind: Integer, Text: "18446744073709551615"}, "18446744073709551615"},
		{NumberCell(1 << 53), "9007199254740992"},
		{NumberCell(1.5), "1.5"},
		{TextCell("1e+05"), "1e+05"},
		{TextCell("12e4567"), "12e4567"},
		{TextCell("3E18"), "3E18"}, // hexadecimal digits
		{TextCell("a+b"), "a+b"},
		{TextCell("+491515550100"), "+491515550100"},
		{TextCell(" "), ""},
		{Cell{}, ""},
		{NumberCell(1.23e18), ""},
		{TextCell("1.23E+18"), ""},
		{TextCell("1e+15"), ""},
	} {
		got, err := test.cell.ID()
		if got != test.want || (err == nil) != (test.want != "") {
			t.Errorf("%v: %q %v, expected %q", test.cell, got, err, test.want)
		}
	}
	for text, want := range map[string]string{"1e+05": "100000", "1.23e+05": "123000", "1E+00": "1", "1.23e+01": "1.23e+01", "12e+05": "12e+05", "1e+15": "1e+15",
		"0e+05": "0e+05", "+": "+", "1e+": "1e+", "1e+5": "1e+5", "27.0": "27", "1.5e+06.0": "1.5e+06.0", "-1e+05": "-1e+05"} {
		if got := WholeOf(text); got != want {
			t.Errorf("WholeOf(%q) = %q, expected %q", text, got, want)
		}
	}
}

// TestLastTime: the last day of the calendar is written as a time.
func TestLastTime(t *testing.T) {
	for text, want := range map[string]string{"9999-12-31": "9999-12-31", "9999-12-31 23:59:59": "9999-12-31T23:59:59Z", "0001-01-01": "0001-01-01"} {
		v, ok := parseTime(text, yearFirst)
		if got := formatTime(v); !ok || got != want {
			t.Errorf("%s: %s %v, expected %s", text, got, ok, want)
		}
	}
}
