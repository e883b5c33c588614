package schema

import (
	"math"
	"testing"
)

func TestScanNumber(t *testing.T) {
	const none = math.MaxFloat64
	for text, want := range map[string][2]float64{ // value with a decimal point, and with a decimal comma
		"12": {12, 12}, "-3": {-3, -3}, "+4": {4, 4}, "1.5": {1.5, none}, "1,5": {none, 1.5}, "355,90": {none, 355.9},
		"1,234.56": {1234.56, none}, "1.234,56": {none, 1234.56}, "1,234": {1234, 1.234}, "1.234": {1.234, 1234},
		"1.234.567": {none, 1234567}, "1,234,567": {1234567, none}, "12,34,567.5": {1234567.5, none},
		"0.123": {0.123, none}, "0,123": {none, 0.123}, "1234.567": {1234.567, none}, "1 234,56": {none, 1234.56},
		"1\u00a0234\u00a0567": {1234567, 1234567}, "1'234.50": {1234.5, none}, "1’234": {1234, 1234},
		"$1,234.56": {1234.56, none}, "-$5": {-5, -5}, "$-5": {-5, -5}, "12,70 €": {none, 12.7}, "€12": {12, 12}, "12 EUR": {12, 12}, "USD 7.5": {7.5, none},
		"US$3": {3, 3}, "(1,234.50)": {-1234.5, none}, "−2": {-2, -2}, "3.5%": {0.035, none}, "3,5 %": {none, 0.035},
		"1e3": {1000, 1000}, "4.2D+03": {4200, none}, "-.5d-01": {-.05, none}, "4D+03": {none, none}, "4.2D03": {none, none}, "1.5E-2": {0.015, none}, "2,5e1": {none, 25}, ".5": {0.5, none}, "5.": {5, none},
		"007": {7, 7}, "0": {0, 0}, "-0": {0, 0},
		"12.50-": {-12.5, none}, "5.4 km": {5.4, none}, "5,4 kcal/mol": {none, 5.4}, "12 m": {12, 12}, "12m": {none, none}, "12A": {none, none}, "km": {none, none}, "-12.50-": {none, none}, "3 apples": {none, none},
		"54.4k": {54400, none}, "54,4k": {none, 54400}, "-1.2M": {-1.2e6, none}, "$3B": {3e9, 3e9}, "1.5 bn": {1.5e9, none}, "2K": {2000, 2000}, "1.2 M €": {none, none}, "5 K": {none, none}, "k": {none, none}, "5kk": {none, none}, "3e38M": {none, none},
		"١٢٣": {123, 123}, "١٢٫٥": {12.5, none}, "١٬٢٣٤٫٥": {1234.5, none}, "۷": {7, 7}, "１２.５": {12.5, none}, "−４": {-4, -4}, "१२": {12, 12}, "१x": {none, none},
		"1:30": {5400, 5400}, "2 days 00:00:01": {172801, 172801},
		"": {none, none}, "-": {none, none}, "1_12": {none, none}, "0x1f": {none, none}, "inf": {none, none}, "Infinity": {none, none}, "nan": {none, none},
		"12e": {none, none}, "1.2.3": {none, none}, "1,23,4": {none, none}, "192.168.100.200": {none, none}, "12 34": {none, none}, "48.85,2.35": {none, none},
		"1e400": {none, none}, "1e39": {none, none}, "$": {none, none}, "%": {none, none}, "5€%": {none, none}, "--5": {none, none}, "12a": {none, none}, "2024-01-02": {none, none}, "1,234.5.6": {none, none},
	} {
		n, ok := scanNumber(text)
		for k, m := range []marks{withPoint, withComma} {
			got := none
			if ok && n.marks&m != 0 {
				if v, finite := n.value(m); finite {
					got = v
				}
			}
			if got != want[k] {
				t.Errorf("%q with a decimal %s is %v, expected %v", text, decimalNames[markOf(m)], got, want[k])
			}
		}
	}
}

func TestScanDuration(t *testing.T) {
	for text, want := range map[string]float64{
		"0:00": 0, "1:30": 5400, "01:30:05": 5405, "26:00:00": 93600, "00:00:00.25": 0.25, "-02:00:00": -7200, "3 days": 259200, "1 day": 86400,
		"2 days 03:04:05": 183845, "2 days, 3:04:05": 183845, "0 days 00:00:01.500000": 1.5, "-1 days +23:59:59": -1, "-1 day, 23:59:59": -1, "2 days -01:00:00": 169200,
		"PT54M1S": 3241, "P1DT2H": 93600, "P2W": 1209600, "PT0.5S": 0.5, "-PT1M": -60, "PT36H": 129600, "10:30 PM": 81000, "12:05 a.m.": 300, "2h 50m": 10200, "1 d 3 hours": 97200, "15h59": 57540, "-5m 30s": -330,
	} {
		if got, ok := scanDuration(text); !ok || math.Abs(got-want) > 1e-9 {
			t.Errorf("%q is %v %v, expected %v", text, got, ok, want)
		}
	}
	for _, text := range []string{"", "-", "1:2", "1:60", "1:30:60", "1:30:5", "1:30:05.", "P", "PT", "P1Y", "P1M", "P1DT", "PT5", "5 daysx", "2 days03:04:05", "days", "12", "1:30x", "::", "2024-01-02 03:04:05", "123456:00"} {
		if got, ok := scanDuration(text); ok {
			t.Errorf("%q is %v s, expected none", text, got)
		}
	}
}

func TestParseTime(t *testing.T) {
	const day = 1706659200 // 2024-01-31
	for _, c := range []struct {
		text, order string
		want        float64
	}{
		{"2024-01-31", yearFirst, day}, {"2024-01-31T13:05:07.25Z", yearFirst, day + 47107.25}, {"2024-01-31 13:05:07+01:00", yearFirst, day + 43507},
		{"2024-01-31 13:05:07.123456-0230", yearFirst, day + 56107.123456}, {"2024/01/31 00:20", yearFirst, day + 1200}, {"2024-01-31 13:05:07 UTC", yearFirst, day + 47107},
		{"2024-01-31 13:05:07 +0000 UTC", yearFirst, day + 47107}, {"Q1 2024", period, day - 30*86400}, {"2024 Q1", period, day - 30*86400}, {"1/2024", period, day - 30*86400}, {"Jan 2024", monthNamed, day - 30*86400}, {"janvier 2024", monthNamed, day - 30*86400}, {"2024-1-5", yearFirst, day - 26*86400}, {"2024年1月31日 13:05:07", yearFirst, day + 47107}, {"2024년 1월 31일", yearFirst, day}, {"2024-01-30 24:00:00", yearFirst, day}, {"2024-01-31 10:00:00.0", yearFirst, day + 36000},
		{"1/31/2024 1:05 PM", monthFirst, day + 47100}, {"01/31/24 12:00 am", monthFirst, day}, {"31.01.2024", dayFirst, day}, {"31.01.2024 13:05", dayFirst, day + 47100}, {"31.01.24", dayFirst, day}, {"31. 1. 2024", dayFirst, day},
		{"Wed, 31 Jan 2024 13:05:07 GMT", monthNamed, day + 47107}, {"Wed, 31 Jan 2024 13:05:07 CET", monthNamed, day + 43507}, {"31 Jan 2024", monthNamed, day}, {"31. Jänner 2024", monthNamed, day}, {"31 janv. 2024 13:05", monthNamed, day + 47100}, {"31 de enero de 2024", monthNamed, day}, {"31-gen-2024", monthNamed, day}, {"Jan. 31, 2024", monthNamed, day},
		{"Jan 31, 2024", monthNamed, day},
		{"20240131", compact, day}, {"20240131T130507Z", compact, day + 47107}, {"20240131130507", compact, day + 47107},
		{"31|01|2024", "02|01|2006", day},
		{"2024-01", period, day - 30*86400}, {"2024/02", period, day + 86400}, {"2024Q2", period, day + 61*86400}, {"2024-Q1", period, day - 30*86400}, {"2024-W05", period, day - 2*86400}, {"2024-W05-3", period, day}, {"2021-W01", period, 1609718400},
		{"2024-01-31 13:05:07 CET", yearFirst, day + 43507}, {"2024-01-31 01:00 EST", yearFirst, day + 21600},
	} {
		if got, ok := parseTime(c.text, c.order); !ok || got != c.want {
			t.Errorf("%q %s is %v %v, expected %v", c.text, c.order, got, ok, c.want)
		}
	}
	for _, text := range []string{"2024-02-30", "2024-13-01", "24-01-31", "2024-01/31", "2024-01-31 25:00", "2024-01-31x", "2024-01-31 13:05 Nowhere", "2024-13", "2024-1", "2024Q5", "2024Q01", "2024-W54", "2024/Q1", "0024-01", "2024-01-", "202401x", "1/2", "", "12", "2024-01-31 13:5", "1.2.24", "10.2.124"} {
		for _, order := range orders {
			if got, ok := parseTime(text, order); ok {
				t.Errorf("%q is the time %v %s, expected none", text, got, order)
			}
		}
	}
}

// As in Python, the directives of strptime read numbers with and without leading zeros.
func TestTimeFormatOf(t *testing.T) {
	for format, texts := range map[string][]string{"%d.%m.%Y %H:%M:%S": {"5.1.2024 3:04:05", "05.01.2024 03:04:05"}, "%d%m%Y%H%M%S": {"05012024030405"}, "%A %B %d %Y, %I:%M:%S %p": {"Friday January 5 2024, 3:04:05 AM"}} {
		for _, text := range texts {
			layout, err := TimeFormatOf(format)
			if got, ok := parseTime(text, layout); err != nil || !ok || got != 1704423845 {
				t.Errorf("%q %s is %v %v %v", text, format, got, ok, err)
			}
		}
	}
	if _, err := TimeFormatOf("%q"); err == nil {
		t.Error("an unknown directive is read")
	}
}
