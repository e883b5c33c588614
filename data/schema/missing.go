package schema

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/ehgnn/ehgnn/internal/lists"
)

// missingWords are the texts, in lower case, for missing values in pandas, R, SQL databases and
// spreadsheets.
var missingWords = map[string]bool{
	"na": true, "n/a": true, "nan": true, "-nan": true, "null": true, "(null)": true, "none": true, "nat": true,
	"<na>": true, `\n`: true, "#n/a": true, "#n/a n/a": true, "#na": true, "#null!": true, "#div/0!": true, "#value!": true,
	"#ref!": true, "#name?": true, "#num!": true, "1.#ind": true, "-1.#ind": true, "1.#qnan": true, "-1.#qnan": true,
}

// longestMissing is the length of the longest of missingWords.
const longestMissing = 9

// The date and the time that MySQL writes for missing values.
const (
	zeroDate = "0000-00-00"
	zeroTime = "0000-00-00 00:00:00"
)

// IsMissing reports whether a text is a missing value: only blanks, or one of the words NA, N/A,
// NaN, NaT, null, (null), None, <NA>, \N, in any case, the error values of spreadsheets such as #N/A
// and #DIV/0!, and the date 0000-00-00 of MySQL.
func IsMissing(text string) bool {
	text = Trim(text)
	if len(text) > longestMissing {
		return text == zeroDate || text == zeroTime
	}
	if text == "" {
		return true
	}
	switch text[0] | 0x20 {
	case 'n', '-', '(', '<', '#', '1', '|': // '|' is \ with this bit set
		return missingWords[strings.ToLower(text)]
	}
	return false
}

// wordSet has additional words for missing values, compared exactly except for zeros at the end of a fraction, and,
// after a minus sign, words of IsMissing that are values.
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

// missing reports whether a text is a missing value.
func (s wordSet) missing(text string) bool {
	if !IsMissing(text) {
		return len(s) > 0 && s[withoutZeros(text)]
	}
	return len(s) == 0 || !s["-"+text]
}

// missingCell is missing for a cell of any kind.
func (s wordSet) missingCell(c Cell) bool {
	if c.Kind == Text {
		return s.missing(c.Text)
	}
	return c.Kind == Missing || len(s) > 0 && s[c.String()]
}

// withoutZeros removes the zeros at the end of a fraction: -999 for -999.0.
func withoutZeros(text string) string {
	if !strings.HasSuffix(text, "0") || strings.Count(text, ".") != 1 {
		return text
	}
	return strings.TrimSuffix(strings.TrimRight(text, "0"), ".")
}

// Values other than nines that programs write for missing values: the limits of 16-bit and 32-bit whole numbers, and open dates.
var (
	wholeEnds = []string{"32767", "-32768", "65535", "2147483647", "-2147483648", "4294967295"}
	openDates = []string{"9999-12-31", "2999-12-31", "2099-12-31", "9999-01-01", "1970-01-01", "1900-01-01", "1899-12-30", "1899-12-31", "0001-01-01"}
)

// decade is ten years in seconds.
const decade = 10 * 365 * 86400

// standIn describes a value that may stand for a missing value, or is "". Such a value is in several rows, is the
// smallest or the largest, and is far from the others. It consists of nines, such as 999 or -9999, or is a limit of
// whole numbers, an open date or, among times in a unit, 0 or -1.
func standIn(values []float64, time string) string {
	least, most := Span(values, math.NaN())
	for _, v := range []float64{least, most} {
		text := formatNumber(v)
		nines := strings.TrimPrefix(text, "-")
		apart := func(low, high float64) bool { return v > 0 && high <= v/2 || v < 0 && low >= v/2 }
		var is bool
		switch time {
		case "":
			is = len(nines) > 1 && strings.Trim(nines, "9") == "" || slices.Contains(wholeEnds, text)
		case plainTime:
			is = v == 0 || v == -1
			apart = func(low, high float64) bool { return unitAt(low) >= 0 && unitAt(low) == unitAt(high) }
		default:
			text = formatTime(v)
			is = len(text) >= len(openDates[0]) && slices.Contains(openDates, text[:len(openDates[0])])
			apart = func(low, high float64) bool { return v-high > decade || low-v > decade }
		}
		if !is {
			continue
		}
		low, high := Span(values, v)
		rows := lists.Count(values, func(x float64) bool { return x == v })
		if rows < leastStandIns || low > high || !apart(low, high) {
			continue
		}
		switch time {
		case plainTime:
			return fmt.Sprintf("has %s in %d rows and otherwise %s; if it stands for no value, leave these cells empty", text, rows, describeTime(units[unitAt(low)].name))
		case "":
			return fmt.Sprintf("has %s in %d rows and otherwise numbers from %s to %s; if it stands for no value, --missing %s says so",
				text, rows, formatNumber(low), formatNumber(high), text)
		default:
			return fmt.Sprintf("has %s in %d rows and otherwise times from %s to %s; if it stands for no value, name it in --missing as it is written",
				text, rows, formatTime(low), formatTime(high))
		}
	}
	return ""
}

// Span returns the smallest and the largest of numbers other than one of them; infinities if there is none.
func Span(values []float64, but float64) (low, high float64) {
	low, high = math.Inf(1), math.Inf(-1)
	for _, x := range values {
		if x == x && x != but {
			low, high = min(low, x), max(high, x)
		}
	}
	return low, high
}

// leastStandIns is the smallest number of rows with a number that may stand for a missing value.
const leastStandIns = 3

// MissingAmong reports whether a cell is missing, given the user's words: additional words and, after a minus sign,
// words that are values.
func MissingAmong(words []string) func(c Cell) bool { return newWordSet(words).missingCell }
