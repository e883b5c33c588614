package schema

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"unicode"
)

// Remark is on a word that was read as no value and may be one, on times with and without a zone, on texts that are nearly
// numbers, lists of numbers or dates, or on a column without values that had them in training.
func (b *Builder) Remark() string {
	if b.field != nil && !b.o.Field.Gaps && b.rows > 1 && b.present == 0 {
		return NoValues(b.rows)
	}
	if remark := cmp.Or(b.absentRemark(), b.times.zoneRemark()); remark != "" || b.field != nil || b.o.Want != AnyFeature && b.o.Want != Feature {
		return remark
	}
	return cmp.Or(b.listRemark(), b.markedRemark(), b.datedRemark())
}

// NoValues is the remark on a column that has values in training and none in some rows.
func NoValues(rows int) string {
	return fmt.Sprintf("has no value in any of %d rows, and had values in training", rows)
}

// listRemark is on lists of numbers that are text because their lengths differ. Lists of whole numbers are sets.
func (b *Builder) listRemark() string {
	short, long, least, most, fraction := "", "", 0, 0, false
	for _, text := range b.texts {
		items, ok := NumberList(TextCell(text))
		switch n := len(items); {
		case !ok:
			return ""
		case n == 0: // no value, as Vectors reads it
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
	return fmt.Sprintf("is text, as its lists of numbers have different lengths, such as %s and %s; lists of one length become a column for each position", Shown(short), Shown(long))
}

// absentRemark is on a word that was read as no value and may be one: of classes, and NA among codes of two letters, as those of countries.
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
	return fmt.Sprintf("has %q in %d rows, which is read as no value; if it is a value, --missing -%s keeps it", b.absent, b.absents, b.absent)
}

// A text column is one of numbers with marks from such a number of different numbers on, with so many different marks at most.
const (
	leastMarked = 5
	mostMarks   = 5
)

// markedRemark is on texts that are numbers but for some marks, as "24*" and "~3" beside 17 and 4, and "1.50 CR" beside "2.75 DR".
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
	return fmt.Sprintf("is text, as its numbers have marks, such as %s; with the marks in a column of their own it is one of numbers", Shown(example))
}

// leastCodes is how many codes of two letters a column has at least that may be one of countries.
const leastCodes = 3

func isCapital(c byte) bool { return c >= 'A' && c <= 'Z' }

// mostDateWords is how many words dates have at most: months, days of the week and a few others.
const mostDateWords = 30

// datedRemark is on texts that look like dates and are not read as such: each has a year of four digits, and other numbers of
// two digits at most.
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
	return fmt.Sprintf("is text and looks like dates written in a way that is not read, such as %s; --time-format says how they are written", Shown(b.texts[0]))
}
