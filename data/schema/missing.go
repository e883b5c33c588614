package schema

import (
	"fmt"
	"math"
	"strings"
)

// missingWords are the texts, in lower case, that stand for no value: those of pandas, R, SQL
// databases and spreadsheets.
var missingWords = map[string]bool{
	"na": true, "n/a": true, "nan": true, "-nan": true, "null": true, "(null)": true, "none": true, "nat": true,
	"<na>": true, `\n`: true, "#n/a": true, "#n/a n/a": true, "#na": true, "#null!": true, "#div/0!": true, "#value!": true,
	"#ref!": true, "#name?": true, "#num!": true, "1.#ind": true, "-1.#ind": true, "1.#qnan": true, "-1.#qnan": true,
}

// longestMissing is the length of the longest of missingWords.
const longestMissing = 9

// The date and the time that MySQL has for none.
const (
	zeroDate = "0000-00-00"
	zeroTime = "0000-00-00 00:00:00"
)

// IsMissing reports whether a text stands for no value: nothing but blanks, or one of the words NA,
// N/A, NaN, NaT, null, (null), None, <NA>, \N, in any case, the error values of spreadsheets such as
// #N/A and #DIV/0!, and the date 0000-00-00 of MySQL.
func IsMissing(text string) bool {
	text = Trim(text)
	if len(text) > longestMissing {
		return text == zeroDate || text == zeroTime
	}
	if text == "" {
		return true
	}
	switch text[0] | 0x20 {
	case 'n', '-', '(', '<', '#', '1', '|': // '|' is \ with that bit
		return missingWords[strings.ToLower(text)]
	}
	return false
}

// wordSet are more words that stand for no value, compared exactly but for zeros that end a fraction, and behind a minus sign
// those of IsMissing that are values.
type wordSet map[string]bool

func newWordSet(words []string) wordSet {
	if len(words) == 0 {
		return nil
	}
	s := make(wordSet, len(words))
	for _, w := range words {
		s[withoutZeros(Trim(w))] = true
	}
	return s
}

// missing reports whether a text stands for no value.
func (s wordSet) missing(text string) bool {
	if !IsMissing(text) {
		return len(s) > 0 && s[withoutZeros(text)]
	}
	return len(s) == 0 || !s["-"+text]
}

// missingCell is missing of a cell of any kind.
func (s wordSet) missingCell(c Cell) bool {
	if c.Kind == Text {
		return s.missing(c.Text)
	}
	return c.Kind == Missing || len(s) > 0 && s[c.String()]
}

// withoutZeros is a text without the zeros that end a fraction: -999 for -999.0.
func withoutZeros(text string) string {
	if !strings.HasSuffix(text, "0") || strings.Count(text, ".") != 1 {
		return text
	}
	return strings.TrimSuffix(strings.TrimRight(text, "0"), ".")
}

// standIn describes a number that may stand for no value, "" for none: nines alone, as 999 or -9999, in several rows of numbers
// that are otherwise at most half of it or, below 0, at least.
func standIn(values []float64) string {
	least, most := spanOf(values, math.NaN())
	for _, v := range []float64{least, most} {
		text := formatNumber(v)
		if nines := strings.TrimPrefix(text, "-"); len(nines) < 2 || strings.Trim(nines, "9") != "" {
			continue
		}
		rows := 0
		for _, x := range values {
			if x == v {
				rows++
			}
		}
		low, high := spanOf(values, v)
		if rows >= leastStandIns && low <= high && (v > 0 && high <= v/2 || v < 0 && low >= v/2) {
			return fmt.Sprintf("has %s in %d rows and otherwise numbers from %s to %s; if it stands for no value, --missing %s says so",
				text, rows, formatNumber(low), formatNumber(high), text)
		}
	}
	return ""
}

// spanOf are the least and the largest of numbers other than one of them, infinities where there is none.
func spanOf(values []float64, but float64) (low, high float64) {
	low, high = math.Inf(1), math.Inf(-1)
	for _, x := range values {
		if x == x && x != but {
			low, high = min(low, x), max(high, x)
		}
	}
	return low, high
}

// leastStandIns is how many rows have a number that may stand for no value, at least.
const leastStandIns = 3

// MissingAmong reports whether a cell has no value, with the words of a user: further ones and, behind a minus sign, those
// that are values.
func MissingAmong(words []string) func(c Cell) bool { return newWordSet(words).missingCell }
