package schema

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"unicode"
)

// Remark is a remark on a word that was read as missing but may be a value, on times with and without a zone, on texts
// that are nearly numbers, lists of numbers or dates, or on a column without values that had values in training.
func (b *Builder) Remark() string {
	if b.field != nil && !b.o.Field.Gaps && b.rows > 1 && b.present == 0 {
		return NoValues(b.rows)
	}
	if remark := cmp.Or(b.absentRemark(), b.times.zoneRemark()); remark != "" || b.field != nil || b.o.Want != AnyFeature && b.o.Want != Feature {
		return remark
	}
	return cmp.Or(b.listRemark(), b.markedRemark(), b.datedRemark())
}

// NoValues is the remark on a column that had values in training and has none now.
func NoValues(rows int) string {
	return fmt.Sprintf("has no value in any of %d rows, and had values in training", rows)
}

// listRemark is the remark on lists of numbers that are texts because their lengths differ. Lists of whole numbers are sets.
func (b *Builder) listRemark() string {
	short, long, least, most, fraction := "", "", 0, 0, false
	for _, text := range b.texts {
		items, ok := NumberList(TextCell(text))
		switch n := len(items); {
		case !ok:
			return ""
		case n == 0: // missing, as in Vectors
			continue
		case least == 0 || n < least:
			short, least = text, n
			fallthrough
		default:
			if n > most {
				long, most = text, n
			}
		}
		fraction = fraction || slices.ContainsFunc(items, func(c Cell) bool { return c.Kind == Number })
	}
	if least == most || !fraction {
		return ""
	}
	return fmt.Sprintf("is text, because its lists of numbers have different lengths, such as %s and %s; lists of one length become a column for each position", Shown(short), Shown(long))
}

// absentRemark is the remark on a word that was read as missing but may be a value: in classes, and NA among codes of
// two letters, for example of countries.
func (b *Builder) absentRemark() string {
	class := b.o.Want == AnyLabel || b.o.Want == ClassOnly
	if b.absent == "" || b.field != nil || len(b.texts) == 0 || !class && (b.absent != "NA" || len(b.texts) < leastCodes) {
		return ""
	}
	for _, text := range b.texts {
		if _, number := scanNumber(text); class && number || !class && (len(text) != 2 || !isCapital(text[0]) || !isCapital(text[1])) {
			return ""
		}
	}
	return fmt.Sprintf("has %q in %d rows, which is read as missing; if it is a value, --missing -%s keeps it", b.absent, b.absents, b.absent)
}

// A text column is a column of numbers with marks from this many different numbers, with at most this many different marks.
const (
	leastMarked = 5
	mostMarks   = 5
)

// markedRemark is the remark on texts that are numbers except for some marks, such as "24*" and "~3" among 17 and 4,
// and "1.50 CR" among "2.75 DR".
func (b *Builder) markedRemark() string {
	numbers, decimals, example, marks := 0, true, "", map[string]bool{}
	for _, text := range b.texts {
		if _, ok := scanNumber(text); ok {
			numbers++
			continue
		}
		number := strings.TrimFunc(text, func(r rune) bool { return !unicode.IsDigit(r) })
		before, behind, _ := strings.Cut(text, number)
		marks[before+" "+behind] = true
		n, ok := scanNumber(number)
		if !ok || len(marks) > mostMarks {
			return ""
		}
		decimals = decimals && n.point
		example = cmp.Or(example, text)
	}
	if numbers < leastMarked && !(decimals && len(b.texts) > fewValues) || example == "" {
		return ""
	}
	return fmt.Sprintf("is text, because its numbers have marks, such as %s; with the marks in a separate column it becomes a column of numbers", Shown(example))
}

// leastCodes is the smallest number of two-letter codes in a column that may hold countries.
const leastCodes = 3

func isCapital(c byte) bool { return c >= 'A' && c <= 'Z' }

// mostDateWords is the largest number of words in dates: months, days of the week and a few others.
const mostDateWords = 30

// datedRemark is the remark on texts that look like dates and are not read as dates: each has a year of four digits,
// and other numbers of at most two digits.
func (b *Builder) datedRemark() string {
	if len(b.texts) <= fewValues {
		return ""
	}
	words := map[string]bool{}
	for _, text := range b.texts {
		years, others := 0, 0
		for run := range strings.FieldsFuncSeq(text, func(r rune) bool { return !unicode.IsDigit(r) }) {
			switch {
			case len(run) == 4 && (run[:2] == "19" || run[:2] == "20"):
				years++
			case len(run) <= 2:
				others++
			default:
				return ""
			}
		}
		for word := range strings.FieldsFuncSeq(text, func(r rune) bool { return !unicode.IsLetter(r) }) {
			words[word] = true
		}
		if years != 1 || others == 0 || len(words) > mostDateWords {
			return ""
		}
		for _, order := range orders {
			if _, ok := parseTime(text, order); ok {
				return ""
			}
		}
	}
	return fmt.Sprintf("is text and looks like dates in an unknown notation, such as %s; --time-format says how they are written", Shown(b.texts[0]))
}

// ThousandsRemark is a remark on a column whose numbers were read with a decimal point although each may have separated thousands, as
// 1.234; empty for other columns. comma is another column, whose numbers have a decimal comma.
func (b *Builder) ThousandsRemark(comma string) string {
	n := &b.numbers
	if b.field != nil || b.o.Decimal != "" || n.marks != withBoth || n.comma.line > 0 || n.point.line == 0 {
		return ""
	}
	return fmt.Sprintf("has numbers such as %s, which are read with a decimal point, and column %q has decimal commas: --decimal comma reads %s", n.point.text, comma, readAs(n.point.text, withComma))
}
