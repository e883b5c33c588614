package schema

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

// Kind is the type of a cell in its file. A text file has only Missing and Text.
type Kind uint8

// The kinds of cells.
const (
	Missing Kind = iota
	Text
	Integer
	Number
	Boolean
	Time
)

func (k Kind) String() string {
	return [...]string{"missing", "text", "whole number", "number", "boolean", "time"}[k]
}

// Cell is one value of a row, as in its file or request.
type Cell struct {
	Kind Kind
	// Text is the text of a Text cell, or the digits of an Integer beyond int64. It may share memory
	// with a buffer that the next row overwrites.
	Text string
	// Number is the value of an Integer or a Number, 1 or 0 for a Boolean, and seconds since 1970
	// (UTC) for a Time.
	Number float64
	// Integer is the value of an Integer without Text.
	Integer int64
}

// Row has the cells of one row, in the order of the columns.
type Row []Cell

// TextCell is a cell of a text file: Missing for "", else Text.
func TextCell(text string) Cell {
	if text == "" {
		return Cell{}
	}
	return Cell{Kind: Text, Text: text}
}

// IntegerCell is the cell of a whole number.
func IntegerCell(v int64) Cell { return Cell{Kind: Integer, Number: float64(v), Integer: v} }

// ParseNumber is the cell of a number in JSON form.
func ParseNumber(text string) (Cell, error) {
	whole := !strings.ContainsAny(text, ".eE")
	if whole {
		if n, err := strconv.ParseInt(text, 10, 64); err == nil {
			return IntegerCell(n), nil
		}
	}
	v, err := strconv.ParseFloat(text, 64)
	switch {
	case err != nil || math.Abs(v) > math.MaxFloat32:
		return Cell{}, fmt.Errorf("is %s, expected a number of at most %.3g", Shown(text), math.MaxFloat32)
	case whole:
		return Cell{Kind: Integer, Number: v, Text: text}, nil
	}
	return NumberCell(v), nil
}

// NumberCell is the cell of a number; NaN is Missing.
func NumberCell(v float64) Cell {
	if math.IsNaN(v) {
		return Cell{}
	}
	return Cell{Kind: Number, Number: v}
}

// Float32Cell is the cell of a 32-bit number. Its value is that of the shortest decimal that reads
// back as the same float32, as in a text file.
func Float32Cell(v float32) Cell {
	if v != v {
		return Cell{}
	}
	var buf [32]byte
	wide, err := strconv.ParseFloat(string(strconv.AppendFloat(buf[:0], float64(v), 'g', -1, 32)), 64)
	if err != nil {
		wide = float64(v) // infinity
	}
	return Cell{Kind: Number, Number: wide}
}

// BooleanCell is the cell of a boolean.
func BooleanCell(v bool) Cell {
	c := Cell{Kind: Boolean}
	if v {
		c.Number = 1
	}
	return c
}

// TimeCell is the cell of a time in seconds since 1970 (UTC).
func TimeCell(seconds float64) Cell { return Cell{Kind: Time, Number: seconds} }

// maxExact is the largest float64 below which every whole number is exact.
const maxExact = 1 << 53

// String is the cell as text in this program's canonical form: whole numbers without a fraction or
// exponent, other numbers with the fewest digits that read back the same, true and false, times as
// RFC 3339 in UTC, "" for a missing value. A Text cell is unchanged.
func (c Cell) String() string {
	switch c.Kind {
	case Missing:
		return ""
	case Text:
		return c.Text
	case Integer:
		if c.Text != "" {
			return c.Text
		}
		return strconv.FormatInt(c.Integer, 10)
	case Boolean:
		return strconv.FormatBool(c.Number != 0)
	case Time:
		return formatTime(c.Number)
	}
	return formatNumber(c.Number)
}

// formatNumber formats a whole number without a fraction or exponent, and others without an exponent unless they are very large or small.
func formatNumber(v float64) string {
	switch a := math.Abs(v); {
	case v == math.Trunc(v) && a <= maxExact:
		return strconv.FormatInt(int64(v), 10)
	case a >= 1e-5 && a < 1e15:
		return strconv.FormatFloat(v, 'f', -1, 64)
	}
	return strconv.FormatFloat(v, 'g', -1, 64)
}

// Seconds since 1970 of the first and the last second of years with four digits.
const (
	firstSecond = -62167219200 // 0000-01-01
	lastSecond  = 253402300799 // 9999-12-31 23:59:59
)

// formatTime formats seconds since 1970 as RFC 3339; a time at midnight becomes a date.
func formatTime(seconds float64) string {
	whole, part := math.Floor(seconds), seconds-math.Floor(seconds)
	if whole < firstSecond || whole > lastSecond { // not a calendar year of four digits
		return formatNumber(seconds)
	}
	t := time.Unix(int64(whole), int64(math.Round(part*1e6))*1000).UTC()
	if t.Hour() == 0 && t.Minute() == 0 && t.Second() == 0 && t.Nanosecond() == 0 {
		return t.Format(time.DateOnly)
	}
	return t.Format("2006-01-02T15:04:05.999999Z07:00")
}

// Trim removes blanks and zero-width characters at both ends of a text.
func Trim(text string) string {
	text = strings.TrimSpace(text)
	if n := len(text); n == 0 || text[0] < utf8.RuneSelf && text[n-1] < utf8.RuneSelf {
		return text
	}
	return strings.TrimFunc(text, func(r rune) bool { return unicode.IsSpace(r) || r == '\u200b' || r == '\u2060' || r == '\ufeff' })
}
