package schema

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
)

var errNoID = errors.New("is empty, expected an id")

// ID is the id in a cell, as text. A rounded number is an error: spreadsheets and data frames round ids with more than
// 15 digits, which then identify other nodes.
func (c Cell) ID() (string, error) {
	id := Trim(c.String())
	switch {
	case id == "":
		return "", errNoID
	case c.Kind == Number && math.Abs(c.Number) > maxExact && c.Number == math.Trunc(c.Number), c.Kind == Text && isRounded(id):
		return "", fmt.Errorf("is %s, which was rounded, like all numbers with so many digits: write ids as text or as whole numbers", Shown(id))
	}
	return id, nil
}

// exactDigits is the largest number of digits in numbers that spreadsheets and R write.
const exactDigits = 15

// isRounded reports whether a text is a whole number such as 1.23E+18, whose last digits are lost.
func isRounded(text string) bool {
	_, power, ok := cutPower(text)
	return ok && power >= exactDigits
}

// cutPower splits a number written by R or a spreadsheet, such as 1.5e+06, into its digits, 15, and its exponent, 6.
// Hexadecimal digits have no plus.
func cutPower(text string) (digits string, power int, ok bool) {
	at := strings.IndexByte(text, '+')
	if at < 2 || text[at-1]|0x20 != 'e' {
		return "", 0, false
	}
	power, err := strconv.Atoi(text[at+1:])
	if err != nil || len(text)-at < len("+05") || len(text)-at > len("+308") {
		return "", 0, false
	}
	digits = text[:at-1]
	if len(digits) > 1 && digits[1] == '.' {
		digits = digits[:1] + digits[2:]
	}
	return digits, power, IsWhole(digits) && digits[0] >= '1' && (len(digits) == 1 || text[1] == '.')
}
