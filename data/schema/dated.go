package schema

import (
	"math"
	"strings"
)

// Dated returns a time of day as a time of a date: 13:05 on 2024-01-31 is 2024-01-31 13:05. It is missing if the date is missing. ok is
// false unless the first cell has a date without a time of day, or is missing, and the second has a time of day without a date. A
// number is a time of day, in seconds, only if the file says that the first column holds dates.
func Dated(date, clock Cell) (c Cell, ok bool) {
	seconds, isClock := timeOfDay(clock)
	if !isClock {
		return clock, false
	}
	switch text := strings.TrimSpace(date.Text); {
	case date.Kind == Missing:
		return Cell{}, clock.Kind == Text
	case date.Kind == Time:
		return Cell{Kind: Time, Number: date.Number + seconds}, math.Mod(date.Number, day) == 0
	case date.Kind == Text && clock.Kind == Text && text != "":
		if at := strings.LastIndexAny(text, "T "); at > 0 { // midnight, as pandas and Excel write dates
			if midnight, isTime := clockText(text[at+1:]); isTime {
				text, ok = text[:at], midnight != 0
			}
		}
		_, isClock = clockText(text)
		return TextCell(text + " " + strings.TrimSpace(clock.Text)), !ok && !isClock
	}
	return clock, false
}

// Time reads a time whose date may be in a cell of its own, as Dated joins them.
func (r *FieldReader) Time(date, clock Cell) (float64, error) {
	if r.Missing(date) {
		date = Cell{}
	}
	if c, ok := Dated(date, clock); ok {
		clock = c
	}
	return r.Number(clock)
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
