package schema

import (
	"fmt"
	"math"
	"strings"
)

// TimeStream reads times whose rows are not kept, before the notation of all of them is known:
// texts as seconds since 1970, and numbers unchanged, because their order is that of their times.
type TimeStream struct {
	format string
	times  times
	begun  bool
	number bool
}

// NewTimeStream starts to read times in a format of TimeFormatOf; empty to derive it from the
// texts.
func NewTimeStream(format string) *TimeStream { return &TimeStream{format: format} }

// Read is the time of a cell, NaN if it is missing.
func (s *TimeStream) Read(c Cell, line int) (float64, error) {
	c = trimmed(c)
	switch {
	case c.Kind == Missing || c.Kind == Text && IsMissing(c.Text):
		return math.NaN(), nil
	case c.Kind != Text:
		return c.Number, nil
	}
	if !s.begun {
		s.begun = true
		n, ok := scanNumber(c.Text)
		s.number = ok && n.marks&withPoint != 0 && (s.format == "" || isUnit(s.format))
		s.times.begin(s.format)
	}
	if s.number {
		if n, ok := scanNumber(c.Text); ok && n.marks&withPoint != 0 {
			if v, finite := n.value(withPoint); finite {
				return v, nil
			}
		}
		return 0, fmt.Errorf("is %s, expected a number as in the rows before", Shown(c.Text))
	}
	order := s.times.orders[0]
	t, ok := s.times.add(strings.Clone(c.Text), line)
	switch {
	case !ok:
		return 0, fmt.Errorf("is %s, expected a time as in the rows before; --time-format says how times are written", Shown(c.Text))
	case line > 1 && s.times.orders[0] != order && s.times.first.line > 0:
		return 0, fmt.Errorf("is %s, a time with the day first, while the rows before can have the month first: say it with --time-format day-first", Shown(c.Text))
	}
	return t, nil
}

// Check returns an error if the texts are times in two notations.
func (s *TimeStream) Check() error {
	if !s.begun || s.number {
		return nil
	}
	_, err := s.times.order()
	return err
}
