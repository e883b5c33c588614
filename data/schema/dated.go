package schema

import (
	"math"
	"strings"
)

// WithDate returns the time of a date and a time of day in two cells of a row: 2024-01-31 and 13:05 are 2024-01-31 13:05. A time of day
// without a date is missing. clock stays as it is if it is not a time of day, or if date has a time of day itself. A number is a time of
// day, in seconds, only if the file says that the column of date holds dates. missing recognises missing dates.
func WithDate(date, clock Cell, missing func(c Cell) bool) Cell {
	seconds, ok := timeOfDay(clock)
	switch {
	case !ok:
	case missing(date):
		return Cell{}
	case date.Kind == Time && math.Mod(date.Number, day) == 0:
		return Cell{Kind: Time, Number: date.Number + seconds}
	case date.Kind == Text && clock.Kind == Text:
		if text, ok := dateOnly(strings.TrimSpace(date.Text)); ok {
			return TextCell(text + " " + strings.TrimSpace(clock.Text))
		}
	}
	return clock
}

// Time reads a time whose date may be in another cell, as WithDate joins them.
func (r *FieldReader) Time(date, clock Cell) (float64, error) {
	return r.Number(WithDate(date, clock, r.Missing))
}

// dateOnly returns a date without midnight, which pandas and Excel write after dates. ok is false if the text has another time of day,
// or only a time of day.
func dateOnly(text string) (date string, ok bool) {
	if at := strings.LastIndexAny(text, "T "); at > 0 {
		if seconds, isTime := clockText(text[at+1:]); isTime {
			return text[:at], seconds == 0
		}
	}
	_, isTime := clockText(text)
	return text, !isTime
}

// timeOfDay is a time of day in seconds: a text, or a number of a day, as typed files have it.
func timeOfDay(c Cell) (seconds float64, ok bool) {
	switch c.Kind {
	case Text:
		return clockText(strings.TrimSpace(c.Text))
	case Number, Integer:
		return c.Number, c.Number >= 0 && c.Number < day
	}
	return 0, false
}

// clockText reads a text that is a time of day and nothing else.
func clockText(text string) (seconds float64, ok bool) {
	r := &reader{text: text}
	seconds, nanos, ok := r.clock()
	return seconds + float64(nanos)/1e9, ok && r.text == ""
}
