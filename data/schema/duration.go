package schema

import (
	"math"
	"strings"
)

// scanDuration reads a span of time or a time of day in seconds: 1:30, 01:30:05.25, 2 days 03:04:05 and 2 days, 3:04:05 (pandas,
// Python, PostgreSQL), 3 days, and P2DT3H4M5.5S (ISO 8601, without years and months, which have no length).
func scanDuration(text string) (seconds float64, ok bool) {
	sign := 1.0
	if rest, negative := strings.CutPrefix(text, "-"); negative {
		text, sign = rest, -1
	}
	if rest, iso := strings.CutPrefix(text, "P"); iso {
		seconds, ok = scanISODuration(rest)
		return sign * seconds, ok
	}
	return scanDays(text, sign)
}

const day = 24 * 60 * 60 // seconds

// scanDays reads days and a clock, one of which may be absent. The sign is that of the days: -1 days +23:59:59 is a second
// before 0.
func scanDays(text string, sign float64) (seconds float64, ok bool) {
	r := &reader{text: text}
	n, _ := r.digits(9)
	rest, days := strings.CutPrefix(strings.TrimPrefix(r.text, " "), "day")
	if r.bad || !days {
		seconds, ok = scanClock(text)
		return sign * seconds, ok
	}
	rest = strings.TrimPrefix(rest, "s")
	if rest == "" {
		return sign * float64(n) * day, true
	}
	clock, blank := strings.CutPrefix(strings.TrimPrefix(rest, ","), " ")
	back := 1.0
	switch {
	case strings.HasPrefix(clock, "+"):
		clock = clock[1:]
	case strings.HasPrefix(clock, "-"):
		clock, back = clock[1:], -1
	}
	seconds, ok = scanClock(clock)
	return sign*float64(n)*day + back*seconds, ok && blank
}

// scanClock reads hours and minutes, and seconds with a fraction or without.
func scanClock(text string) (seconds float64, ok bool) {
	r := &reader{text: text}
	hours, _ := r.digits(5)
	colon := r.take(":")
	minutes, n := r.digits(2)
	if r.bad || colon == 0 || n != 2 || minutes > 59 {
		return 0, false
	}
	seconds = float64(hours*60*60 + minutes*60)
	if r.text == "" {
		return seconds, true
	}
	colon = r.take(":")
	s, n := r.digits(2)
	if r.bad || colon == 0 || n != 2 || s > 59 {
		return 0, false
	}
	return seconds + float64(s) + r.fraction(), !r.bad && r.text == ""
}

// fraction takes a point and digits, if a point comes.
func (r *reader) fraction() float64 {
	if r.take(".") == 0 {
		return 0
	}
	v, n := r.digits(9)
	r.text = strings.TrimLeft(r.text, "0123456789")
	return float64(v) / math.Pow10(n)
}

// scanISODuration reads what follows the P.
func scanISODuration(text string) (seconds float64, ok bool) {
	units := "WD"
	for text != "" {
		if text[0] == 'T' && units != "HMS" {
			if text, units = text[1:], "HMS"; text == "" {
				return 0, false
			}
		}
		r := &reader{text: text}
		whole, _ := r.digits(9)
		v := float64(whole) + r.fraction()
		unit := r.take(units)
		if r.bad || unit == 0 {
			return 0, false
		}
		seconds += v * map[byte]float64{'W': 7 * day, 'D': day, 'H': 60 * 60, 'M': 60, 'S': 1}[unit]
		text, ok = r.text, true
	}
	return seconds, ok
}
