package schema

import "strings"

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

// wordSet are more words that stand for no value, compared exactly, and behind a minus sign those of IsMissing that are values.
type wordSet map[string]bool

func newWordSet(words []string) wordSet {
	if len(words) == 0 {
		return nil
	}
	s := make(wordSet, len(words))
	for _, w := range words {
		s[Trim(w)] = true
	}
	return s
}

// missing reports whether a text stands for no value.
func (s wordSet) missing(text string) bool {
	if !IsMissing(text) {
		return s[text]
	}
	return len(s) == 0 || !s["-"+text]
}

// MissingAmong is IsMissing with the words of a user: further ones and, behind a minus sign, those that are values.
func MissingAmong(words []string) func(text string) bool { return newWordSet(words).missing }
