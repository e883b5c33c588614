package data

import (
	"errors"
	"math"
	"strconv"
)

// shown returns a field as an error message quotes it.
func shown(b []byte) string {
	const most = 24
	if len(b) > most {
		return strconv.Quote(string(b[:most])) + "..."
	}
	return strconv.Quote(string(b))
}

// int reads the next field as an integer within int32; all labels and indices of the formats are.
// On failure it records an error that names what.
func (l *lines) int(c *cursor, what string) (int32, bool) {
	start := c.blanks()
	b := c.b
	i := start
	negative := false
	if i < len(b) && (b[i] == '-' || b[i] == '+') {
		negative = b[i] == '-'
		i++
	}
	digits := i
	var v int64
	for ; i < len(b); i++ {
		d := b[i] - '0'
		if d > 9 {
			break
		}
		// Out of range, v only has to stay out of range. Its value does not matter.
		if v <= math.MaxInt32 {
			v = v*10 + int64(d)
		}
	}
	if i == digits || i < len(b) && b[i] != ' ' && b[i] != ',' && b[i] != '\t' {
		l.badInt(c, what)
		return 0, false
	}
	if negative {
		v = -v
	}
	if v > math.MaxInt32 || v < math.MinInt32 {
		l.failf("%s %s is too large a number", what, shown(c.field()))
		return 0, false
	}
	c.i = i
	c.separator()
	return int32(v), true
}

// badInt records why the next field is not an integer.
func (l *lines) badInt(c *cursor, what string) {
	if c.i >= len(c.b) {
		l.failf("%s is missing", what)
		return
	}
	l.failf("%s is %s, expected an integer", what, shown(c.field()))
}

// only records an error when the line has more fields.
func (l *lines) only(c *cursor, expected string) bool {
	if !c.more() {
		return true
	}
	l.failf("%s after the end, expected only %s", shown(c.field()), expected)
	return false
}

// float reads the next field as a finite float32. If missing is set, "nan" and an empty field
// become NaN.
func (l *lines) float(c *cursor, what string, missing bool) (float32, bool) {
	b := c.field()
	if missing && isMissing(b) {
		return float32(math.NaN()), true
	}
	if len(b) == 0 {
		l.failf("%s is missing", what)
		return 0, false
	}
	v, err := strconv.ParseFloat(string(b), 32)
	switch {
	case errors.Is(err, strconv.ErrRange):
		l.failf("%s %s is too large a number", what, shown(b))
		return 0, false
	case err != nil:
		l.failf("%s is %s, expected a number", what, shown(b))
		return 0, false
	case math.IsNaN(v) || math.IsInf(v, 0):
		l.failf("%s is %s, expected a finite number", what, shown(b))
		return 0, false
	}
	return float32(v), true
}

func isMissing(b []byte) bool {
	return len(b) == 0 || len(b) == 3 && b[0]|0x20 == 'n' && b[1]|0x20 == 'a' && b[2]|0x20 == 'n'
}
