package data

import (
	"bytes"
	"errors"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// readClasses reads one graph label per line. The first line decides: all labels are whole numbers,
// which may be written as 1.0, or all are names. The labels of names are their positions in sorted
// order.
func readClasses(f *folder, file string, rows int) (labels []int32, names []string, err error) {
	const one = "graph label"
	place := map[string]int32{}
	first := true
	_, err = readRows(f, file, one, "graph", rows, 1, func(l *lines, c *cursor) bool {
		if first {
			if first = false; !isNumber(c.peek()) {
				names = []string{}
			}
		}
		if names == nil {
			v, ok := l.whole(c, one, "a whole number or, on each line, the name of a class; "+
				"numbers to estimate belong into "+strings.TrimSuffix(file, "labels.txt")+"attributes.txt, which graph-regression reads")
			labels = append(labels, v)
			return ok
		}
		b := bytes.TrimSpace(c.b)
		c.i, c.comma = len(c.b), false
		switch {
		case len(b) == 0:
			l.failf("%s is missing", one)
			return false
		case isNumber(b):
			l.failf("%s is %s, expected the name of a class, as the lines before have", one, shown(b))
			return false
		case !utf8.Valid(b):
			l.failf("%s %s is not UTF-8", one, shown(b))
			return false
		}
		k, ok := place[string(b)]
		if !ok {
			if !l.charge(2*len(b)+classBytes, "classes") {
				return false
			}
			k = int32(len(names))
			names = append(names, string(b))
			place[names[k]] = k
		}
		labels = append(labels, k)
		return true
	})
	if err != nil || names == nil {
		return labels, nil, err
	}
	sorted := slices.Sorted(slices.Values(names))
	for i, k := range labels {
		at, _ := slices.BinarySearch(sorted, names[k])
		labels[i] = int32(at)
	}
	return labels, sorted, nil
}

// isNumber reports whether a text is a number of any kind.
func isNumber(b []byte) bool {
	_, err := strconv.ParseFloat(string(b), 64)
	return len(b) == 0 || err == nil || errors.Is(err, strconv.ErrRange)
}

// peek returns the next field without moving past it.
func (c *cursor) peek() []byte {
	ahead := *c
	return ahead.field()
}

// whole is int for numbers that may have a zero fraction, such as 1.0 and 1e2. expected is what the
// error for another fraction asks for.
func (l *lines) whole(c *cursor, what, expected string) (int32, bool) {
	b := c.peek()
	if len(b) == 0 || !bytes.ContainsAny(b, ".eE") || len(bytes.Trim(b, "+-0123456789.eE")) > 0 {
		return l.int(c, what)
	}
	v, err := strconv.ParseFloat(string(b), 64)
	switch {
	case math.Abs(v) > math.MaxInt32:
		l.failf("%s %s is too large a number", what, shown(b))
		return 0, false
	case err != nil || v != math.Trunc(v):
		l.failf("%s is %s, expected %s", what, shown(b), expected)
		return 0, false
	}
	c.field()
	return int32(v), true
}
