package tables

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/ehgnn/ehgnn/data"
)

// maxTexts bounds the categories of a column. A column with more is likely to hold
// names or identifiers, of which new data have others, and is left out.
const maxTexts = 1 << 16

// wordsAmong is the number of numbers per word from which on the words of a column are
// taken for errors, and the column not for one of categories.
const wordsAmong = 9

// Column is a column of features or labels as read, row by row.
type Column struct {
	Name string
	// Value holds the numbers of a numeric column, NaN where missing; nil for a
	// categorical one.
	Value []float64
	// Code is the place in Text of each row's category, -1 where missing.
	Code []int32
	Text []string // the categories, as they were first met
}

// Numeric reports whether the column holds numbers.
func (c *Column) Numeric() bool { return c.Value != nil }

// take keeps the listed rows.
func (c *Column) take(rows []int32) {
	if c.Numeric() {
		out := make([]float64, len(rows))
		for i, r := range rows {
			out[i] = c.Value[r]
		}
		c.Value = out
		return
	}
	out := make([]int32, len(rows))
	for i, r := range rows {
		out[i] = c.Code[r]
	}
	c.Code = out
}

// What tables take in memory, in bytes, with what is made of them before models see them.
const (
	columnBytes = 768 // a column without its rows
	valueBytes  = 16  // a value, as a number and as a feature, or as two codes
	edgeBytes   = 96
	nodeBytes   = 64
	textBytes   = 96 // a text of a vocabulary, beside its letters
	mirrorBytes = 96 // an edge that waits for its mirror, beside its key
)

// edgeRow is what a row of the edges takes with its label, time, group, part and features.
func edgeRow(features int) int64 { return edgeBytes + int64(3+features)*valueBytes }

// vocabulary numbers texts as they come.
type vocabulary struct {
	code   map[string]int32
	texts  []string
	budget *data.Budget
}

func newVocabulary(b *data.Budget) *vocabulary {
	return &vocabulary{code: map[string]int32{}, budget: b}
}

// add is the number of a text; a new one is charged.
func (v *vocabulary) add(text string) (int32, error) {
	c, ok := v.code[text]
	if !ok {
		if err := v.budget.Charge(int64(len(text))+textBytes, "different texts"); err != nil {
			return 0, err
		}
		text = strings.Clone(text) // a part of a row that will be overwritten
		c = int32(len(v.texts))
		v.code[text] = c
		v.texts = append(v.texts, text)
	}
	return c, nil
}

// builder collects a column whose kind is known at its end only. It keeps numbers until
// a value is none, and categories until there are too many.
type builder struct {
	name    string
	words   *vocabulary // nil once there are too many
	code    []int32
	count   []int // rows of each text of words
	number  bool  // may be numeric
	value   []float64
	present int // rows that are not missing
	// must makes a value of another kind an error; otherwise the column is left out.
	must bool
	word string // the first value that is no number, of a feature
	line int    // where it is, 0 until known
	// mixed says that nearly all values are numbers.
	mixed error
}

// missing reports whether a text stands for no value: of a feature, a label, a time or a
// group. These are nothing, NA, N/A, NaN and null, in any case.
func missing(text string) bool {
	switch len(text) {
	case 0:
		return true
	case 2, 3, 4:
		if text[0]|0x20 != 'n' {
			return false
		}
		switch strings.ToLower(text) {
		case "na", "n/a", "nan", "null":
			return true
		}
	}
	return false
}

// add takes the value of the next row; the error says what is wrong with it.
func (b *builder) add(text string) error {
	text = strings.TrimSpace(text)
	missing := missing(text)
	if !missing {
		b.present++
	}
	if b.number {
		switch v, ok, err := numberOf(text); {
		case err != nil:
			return err
		case ok:
			b.value = append(b.value, v)
		case b.must:
			return fmt.Errorf("is %s, expected a number", shown(text))
		case b.words == nil: // so many different values, all numbers so far
			return wordAmong(text, b.present-1, 1)
		default:
			b.number, b.value = false, nil
			b.word = strings.Clone(text)
		}
	}
	if b.words == nil {
		return nil
	}
	if missing {
		b.code = append(b.code, -1)
		return nil
	}
	if err := checkWord(text); err != nil {
		return err
	}
	code, err := b.words.add(text)
	if err != nil {
		return err
	}
	b.code = append(b.code, code)
	if int(code) == len(b.count) {
		b.count = append(b.count, 0)
	}
	b.count[code]++
	if len(b.words.texts) > maxTexts {
		if b.must {
			return fmt.Errorf("has more than %d different values, too many for classes; numbers to estimate are read with Options.Number", maxTexts)
		}
		b.mixed = b.mostlyNumbers()
		b.words, b.code, b.count = nil, nil, nil
	}
	return nil
}

// numberOf is the number that a text says, NaN where it is missing; ok is false for a text that is
// none.
func numberOf(text string) (v float64, ok bool, err error) {
	if missing(text) { // ParseFloat reads nan
		return math.NaN(), true, nil
	}
	switch v, err = strconv.ParseFloat(text, 64); {
	case err == nil && math.IsInf(v, 0), errors.Is(err, strconv.ErrRange), math.Abs(v) > math.MaxFloat32:
		return 0, false, fmt.Errorf("is %s, expected a finite number", shown(text))
	case err == nil:
		return v, true, nil
	}
	return 0, false, nil
}

// checkWord refuses text that is no category.
func checkWord(text string) error {
	if !utf8.ValidString(text) {
		return fmt.Errorf("is %s, expected UTF-8 text", shown(text))
	}
	return nil
}

// mostlyNumbers is an error for a column of numbers with a few words among them, as
// taking all its numbers for categories would hardly be meant.
func (b *builder) mostlyNumbers() error {
	if b.word == "" {
		return nil
	}
	numbers, words := 0, 0
	for i, text := range b.words.texts {
		if _, err := strconv.ParseFloat(text, 64); err == nil {
			numbers += b.count[i]
		} else {
			words += b.count[i]
		}
	}
	if numbers < wordsAmong*words {
		return nil
	}
	return wordAmong(b.word, numbers, words)
}

func wordAmong(word string, numbers, words int) error {
	return fmt.Errorf("is %s, expected a number, as %d of %d values are; leave it empty if it is not known, or name the column in the option Categories if its numbers are names",
		shown(word), numbers, numbers+words)
}

// column returns what was read, or why it is left out. An error is about the value on
// line b.line.
func (b *builder) column() (c *Column, note string, err error) {
	switch {
	case b.present == 0:
		return nil, "is empty", nil
	case b.number:
		return &Column{Name: b.name, Value: b.value}, "", nil
	case b.words == nil:
		return nil, fmt.Sprintf("is text with more than %d different values", maxTexts), b.mixed
	}
	return &Column{Name: b.name, Code: b.code, Text: b.words.texts}, "", b.mostlyNumbers()
}

// moments are the layouts of times that are not numbers.
var moments = []string{time.RFC3339Nano, "2006-01-02 15:04:05.999999999", "2006-01-02T15:04:05.999999999", "2006-01-02 15:04", "2006-01-02"}

// momentOf is a time as a number: as it stands, or, of a date, in seconds since 1970.
func momentOf(text string) (t float64, date bool, err error) {
	text = strings.TrimSpace(text)
	if missing(text) {
		return math.NaN(), false, nil
	}
	if v, err := strconv.ParseFloat(text, 64); err == nil && !math.IsInf(v, 0) {
		return v, false, nil
	}
	for _, layout := range moments {
		if t, err := time.Parse(layout, text); err == nil {
			return float64(t.Unix()) + float64(t.Nanosecond())/1e9, true, nil
		}
	}
	return 0, false, fmt.Errorf("is %s, expected a number or a time such as 2006-01-02 or 2006-01-02T15:04:05Z", shown(text))
}

// shown is a value as an error quotes it.
func shown(text string) string {
	const most = 40
	if len(text) > most {
		return strconv.Quote(text[:most]) + "..."
	}
	return strconv.Quote(text)
}

// at adds file, line and column of a value to an error.
func at(r rows, h *header, column int, err error) error {
	if err == nil {
		return nil
	}
	return h.wrong(r.line(column), column, err)
}

// wrong is an error of a value in a line.
func (h *header) wrong(line, column int, err error) error {
	if errors.Is(err, data.ErrTooLarge) {
		return &data.ParseError{File: h.file, Line: line, Msg: "cannot be read", Err: err}
	}
	return &data.ParseError{File: h.file, Line: line, Msg: fmt.Sprintf("column %q %v", h.names[column], err)}
}
