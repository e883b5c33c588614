package schema

import (
	"strings"
)

// Notation says how the cells of a column are written. Only text needs it; typed cells, for example
// of Parquet and JSON, have types.
type Notation struct {
	// Decimal is the decimal mark of numbers, Point or Comma, if some text has a comma; empty if
	// numbers are written as in programs.
	Decimal string `json:"decimal,omitempty"`
	// Percent says that numbers have a percent sign; 3.5% is 0.035.
	Percent bool `json:"percent,omitempty"`
	// Currency is the sign or code next to amounts.
	Currency string `json:"currency,omitempty"`
	// Duration says that the column holds durations or times of day, in seconds.
	Duration bool `json:"duration,omitempty"`
	// Time says that the column holds times, and how they are written: the order of day, month and
	// year, the unit since 1970, or a layout of package time. Values are seconds since 1970, except
	// for times of an unknown unit.
	Time string `json:"time,omitempty"`
	// Boolean says that all categories are spellings of true and false.
	Boolean bool `json:"boolean,omitempty"`
	// Missing are words for missing values in addition to those of IsMissing.
	Missing []string `json:"missing,omitempty"`
}

// truths are the spellings of booleans, in lower case.
var truths = map[string]bool{"true": true, "on": true, "off": false, "false": false, "yes": true, "no": false, "y": true, "n": false, "t": true, "f": false}

// IsTruth reports whether a text is a spelling of true or false.
func IsTruth(text string) bool {
	_, _, ok := truthOf(text)
	return ok
}

// truthOf parses a spelling of a boolean: a word in any case or, in a column with words, 1 or 0.
func truthOf(text string) (value, word, ok bool) {
	switch text {
	case "1", "1.0":
		return true, false, true
	case "0", "0.0":
		return false, false, true
	}
	if len(text) > 5 {
		return false, false, false
	}
	value, ok = truths[strings.ToLower(text)]
	return value, true, ok
}

// keyOf is the form of a category in which categories are compared: 5.0 is 5, and True is true. In
// a boolean column all other spellings are converted as well.
func (n Notation) keyOf(c Cell) string {
	text := c.String()
	if n.Boolean {
		if v, _, ok := truthOf(text); ok {
			if v {
				return "true"
			}
			return "false"
		}
	}
	if c.Kind != Text {
		return text
	}
	if len(text) == 4 && strings.EqualFold(text, "true") || len(text) == 5 && strings.EqualFold(text, "false") {
		return strings.ToLower(text)
	}
	return WholeOf(text)
}

// WholeOf removes a fraction of zeros from a whole number without leading zeros: 27 for 27.0, and
// 150000 for 1.5e+05 (written by R). Other texts are returned unchanged.
func WholeOf(text string) string {
	i := strings.IndexByte(text, '.')
	if digits, power, ok := cutPower(text); ok && power < exactDigits && power >= len(digits)-1 {
		return digits + strings.Repeat("0", power-len(digits)+1)
	}
	if i < 1 || i == len(text)-1 || strings.Trim(text[i+1:], "0") != "" || !IsWhole(text[:i]) {
		return text
	}
	return text[:i]
}

// IsWhole reports whether a text is a whole number in the usual form: digits without leading zeros,
// optionally after a minus.
func IsWhole(text string) bool {
	digits := strings.TrimPrefix(text, "-")
	if digits == "" || digits[0] == '0' && text != "0" {
		return false
	}
	for i := range len(digits) {
		if !isDigit(digits[i]) {
			return false
		}
	}
	return true
}
