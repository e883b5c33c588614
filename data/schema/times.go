package schema

import (
	"fmt"
	"math/bits"
	"strings"
	"time"
)

// times summarises what the texts of a column say about the notation of times.
type times struct {
	orders []string // with which all texts are times
	first  place    // first text for which the first two orders differ
	short  shortYears
	zoned  place // first time with a zone
	plain  place // first time of a day without a zone
}

// begin returns the orders that a format allows: all of them for an empty format.
func (e *times) begin(format string) {
	if *e = (times{orders: orders}); format != "" {
		e.orders, e.short.told = []string{format}, true
	}
}

// shortYears has dates with two-digit years that may start with the day or the year, such as 22/11/02.
type shortYears struct {
	first       place
	years, days uint64 // the values that occur, with the year first, as bits
	told        bool   // the order is known
}

// add adds a date.
func (s *shortYears) add(text string, line int) {
	t, ok := parseDated("20"+text, yearFirst)
	if s.told = s.told || !ok; s.told {
		return
	}
	date := time.Unix(int64(t), 0).UTC()
	s.years, s.days = s.years|1<<(date.Year()%100), s.days|1<<date.Day()
	s.first.set(text, line)
}

// monthEnd is the smallest day at the end of a month.
const monthEnd = 28

// check returns an error if the first numbers of dates vary less than the last ones, like years, and are not all ends of months.
func (s *shortYears) check() error {
	if s.told || bits.OnesCount64(s.days) <= bits.OnesCount64(s.years) || bits.TrailingZeros64(s.years) >= monthEnd {
		return nil
	}
	mark := strings.Trim(s.first.text, "0123456789")[:1]
	return fmt.Errorf("is %s, which may have the day or the year first: say it with --time-format day-first or --time-format %%y%s%%m%s%%d", Shown(s.first.text), mark, mark)
}

// add adds a text and returns its time in the first order with which all texts are times.
func (e *times) add(text string, line int) (seconds float64, ok bool) {
	var alive []string
	var first float64
	for i, order := range e.orders {
		t, ok := parseTime(text, order)
		if !ok {
			if alive == nil && i+1 < len(e.orders) {
				continue
			}
			if alive == nil {
				return 0, false
			}
			continue
		}
		if alive == nil {
			first = t
		} else if t != first {
			e.first.set(text, line)
		}
		alive = append(alive, order)
	}
	if alive == nil {
		return 0, false
	}
	if !e.short.told {
		e.short.add(text, line)
	}
	if _, clock, ok := strings.Cut(text, ":"); ok && hasZone(clock) {
		e.zoned.set(text, line)
	} else if ok {
		e.plain.set(text, line)
	}
	if len(alive) < len(e.orders) {
		e.orders = alive
	}
	return first, true
}

// hasZone reports whether the minutes of a time, and the text after them, have a zone: a sign, or letters other than AM and PM.
func hasZone(clock string) bool {
	for i := 0; i < len(clock); i++ {
		switch c := clock[i] | 0x20; {
		case (c == 'a' || c == 'p') && i+1 < len(clock) && clock[i+1]|0x20 == 'm':
			i++
		case clock[i] == '+', clock[i] == '-', c >= 'a' && c <= 'z':
			return true
		}
	}
	return false
}

// zoneRemark is the remark on times of which only some have a zone.
func (e *times) zoneRemark() string {
	if e.zoned.text == "" || e.plain.text == "" {
		return ""
	}
	return fmt.Sprintf("has times with a zone, such as %v, and others without, such as %v, which are read as UTC", e.zoned, e.plain)
}

// order is the order of the texts; an error if two orders are possible and give different times.
func (e *times) order() (string, error) {
	if len(e.orders) > 1 && e.first.line > 0 {
		a, _ := parseTime(e.first.text, e.orders[0])
		b, _ := parseTime(e.first.text, e.orders[1])
		return "", fmt.Errorf("is %s, which is %s with the month first and %s with the day first, and no value of the column decides: say which with --time-format month-first or --time-format day-first",
			Shown(e.first.text), formatTime(a), formatTime(b))
	}
	return e.orders[0], e.short.check()
}
