package graphfile

import (
	"math"
	"strconv"
	"strings"

	"github.com/ehgnn/ehgnn/data/schema"
)

// isDecimal reports whether a text is a decimal number as programs write it: a sign, digits, a
// point, an exponent.
func isDecimal(s string) bool {
	if s != "" && (s[0] == '+' || s[0] == '-') {
		s = s[1:]
	}
	digits := 0
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case '0' <= c && c <= '9':
			digits++
		case c == '.' || digits > 0 && (c == 'e' || c == 'E'):
		case (c == '+' || c == '-') && i > 0 && (s[i-1] == 'e' || s[i-1] == 'E'):
		default:
			return false
		}
	}
	if digits == 0 {
		return false
	}
	_, err := strconv.ParseFloat(s, 64)
	return err == nil
}

// isWhole reports whether a text is a whole number from 0, as an id may be.
func isWhole(s string) bool {
	if !isDecimal(s) {
		return false
	}
	v, err := strconv.ParseFloat(s, 64)
	return err == nil && v >= 0 && v == math.Trunc(v)
}

// isEpoch reports whether a text may be a time in seconds since 1970: between 1985 and 2096.
func isEpoch(s string) bool {
	if !isDecimal(s) {
		return false
	}
	v, err := strconv.ParseFloat(s, 64)
	return err == nil && v >= 5e8 && v < 4e9
}

// integerCell reads a whole number. A number out of the range of int64 keeps its digits.
func integerCell(s string) (schema.Cell, bool) {
	if v, err := strconv.ParseInt(s, 10, 64); err == nil {
		return schema.IntegerCell(v), true
	}
	v, err := strconv.ParseFloat(s, 64)
	if err != nil || !isDecimal(s) || strings.ContainsAny(s, ".eE") {
		return schema.Cell{}, false
	}
	return schema.Cell{Kind: schema.Integer, Text: s, Number: v}, true
}

// numberCell reads a decimal number, or the words for infinity and NaN that writers of typed
// formats use.
func numberCell(s string) (schema.Cell, bool) {
	switch strings.ToLower(strings.TrimPrefix(s, "+")) {
	case "nan":
		return schema.Cell{}, true
	case "inf", "infinity":
		return schema.NumberCell(math.Inf(1)), true
	case "-inf", "-infinity":
		return schema.NumberCell(math.Inf(-1)), true
	}
	if !isDecimal(s) {
		return schema.Cell{}, false
	}
	v, err := strconv.ParseFloat(s, 64)
	return schema.NumberCell(v), err == nil
}

// booleanCell reads a boolean as XML and Python write it.
func booleanCell(s string) (schema.Cell, bool) {
	switch strings.ToLower(s) {
	case "true", "1":
		return schema.BooleanCell(true), true
	case "false", "0":
		return schema.BooleanCell(false), true
	}
	return schema.Cell{}, false
}
