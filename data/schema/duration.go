package schema

import (
	"math"
	"strings"
	"unicode"
)

// scanDuration reads a span of time or a time of day in seconds: 1:30, 01:30:05.25, 1:30 PM, 2 days 03:04:05 and 2 days, 3:04:05
// (pandas, Python, PostgreSQL), 3 days, 2h 50m, and P2DT3H4M5.5S (ISO 8601, without years and months, which have no length).
func scanDuration(text string) (seconds float64, ok bool) {
	sign := 1.0
	if rest, negative := strings.CutPrefix(text, "-"); negative {
		text, sign = rest, -1
	}
	if rest, iso := strings.CutPrefix(text, "P"); iso {
		seconds, ok = scanISODuration(rest)
		return sign * seconds, ok
	}
	if seconds, ok = scanDays(text, sign); ok {
		return seconds, true
	}
	if seconds, ok = scanHalf(text); ok {
		return seconds, true
	}
	seconds, several, ok := scanSpans(text)
	return sign * seconds, ok && several
}

// scanHalf reads a time of day with twelve hours, such as 1:30 PM and 1:30 p.m.
func scanHalf(text string) (seconds float64, ok bool) {
	text = strings.ToUpper(text)
	for _, half := range []struct {
		name string
		from float64
	}{{"AM", 0}, {"A.M.", 0}, {"PM", day / 2}, {"P.M.", day / 2}} {
		if clock, found := strings.CutSuffix(text, half.name); found {
			seconds, ok = scanClock(strings.TrimRight(clock, " \u00a0\u202f"))
			return math.Mod(seconds, day/2) + half.from, ok && seconds >= day/24 && seconds < 13*day/24
		}
	}
	return 0, false
}

// spanUnits are the units of durations in seconds.
var spanUnits = map[string]float64{"d": day, "day": day, "days": day, "h": 3600, "hr": 3600, "hrs": 3600, "hour": 3600, "hours": 3600, "std": 3600,
	"m": 60, "min": 60, "mins": 60, "minute": 60, "minutes": 60, "s": 1, "sec": 1, "secs": 1, "second": 1, "seconds": 1}

// scanSpans reads numbers with descending units of time, such as 2h 50m, 1 d 3 hours and 15h59; several says that there is more than one.
func scanSpans(text string) (seconds float64, several, ok bool) {
	last := math.Inf(1)
	for r := (&reader{text: text}); r.text != ""; several = ok {
		ok = last < math.Inf(1)
		whole, n := r.digits(9)
		v := float64(whole) + r.fraction()
		r.text = strings.TrimLeft(r.text, " ")
		end := strings.IndexFunc(r.text, func(c rune) bool { return !unicode.IsLetter(c) })
		if end < 0 {
			end = len(r.text)
		}
		unit := spanUnits[strings.ToLower(r.text[:end])]
		if r.text == "" && last == 3600 && n == 2 {
			unit = 60
		}
		if r.bad || unit == 0 || unit >= last {
			return 0, false, false
		}
		seconds, last = seconds+v*unit, unit
		r.text = strings.TrimLeft(r.text[end:], " ")
	}
	return seconds, several, last < math.Inf(1)
}

const day = 24 * 60 * 60 // seconds

// scanDays reads days and a clock time, one of which may be absent. The sign belongs to the days: -1 days +23:59:59 is
// -1 second.
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

// scanClock reads hours and minutes, and optional seconds with an optional fraction.
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

// fraction reads a point and digits, if there is a point.
func (r *reader) fraction() float64 {
	if r.take(".") == 0 {
		return 0
	}
	v, n := r.digits(9)
	r.text = strings.TrimLeft(r.text, "0123456789")
	return float64(v) / math.Pow10(n)
}

// scanISODuration reads the text after the P.
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
