package schema

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/ehgnn/ehgnn/internal/lists"
)

// decision says what the texts of a column hold.
type decision uint8

const (
	decidedWords decision = iota
	decidedNumbers
	decidedTimes
)

// decide determines what the distinguished texts hold.
func (b *Builder) decide() (decision, error) {
	switch b.o.Want {
	case CategoryOnly, ClassOnly:
		return decidedWords, nil
	case TimeOnly:
		return b.decideTime()
	}
	numbers, words, infinite := 0, 0, 0
	different := 0 // texts that are numbers
	word := -1     // first text that is not a number
	marked := [2]place{}
	b.numbers.marks = withBoth
	durations := b.allDurations()
	for k, text := range b.texts {
		n, ok := scanAs(text, durations)
		if ok = ok && n.duration == durations; ok {
			_, ok = n.value(n.mark(b.o.Decimal))
		}
		if !ok {
			if isInfinite(text) {
				infinite += int(b.count[k])
			}
			if words += int(b.count[k]); word < 0 {
				word = k
			}
			continue
		}
		numbers += int(b.count[k])
		different++
		b.numbers.add(&n, text, int(b.line[k]))
		if n.marks != withBoth {
			marked[n.marks-1].set(text, int(b.line[k]))
		}
	}
	switch {
	case word < 0 && b.numbers.unit && b.numbers.other.line > 0 && different <= fewValues: // sizes in several units
		return decidedWords, nil
	case word < 0 && b.numbers.marks == 0:
		b.wrong = marked[1].line
		return 0, fmt.Errorf("has %v with a decimal point and %v with a decimal comma: write its numbers in one way, or name the column in --categories if they are names", marked[0], marked[1])
	case word < 0 && b.numbers.zeroLed && !b.numbers.decimals && b.o.Want != NumberOnly:
		return decidedWords, nil
	case word < 0:
		return decidedNumbers, nil
	case numbers > 0 && infinite == words:
		b.wrong = int(b.line[word])
		return 0, infiniteError(b.texts[word])
	case numbers > words && b.isMark(word):
	case different > fewValues && b.numbers.decimals && different >= amountsAmong*(len(b.texts)-different): // amounts, and other texts such as <5.2
	case mostAre(different, len(b.texts)) && !b.numbers.zeroLed: // numbers and a word for a missing value
	case b.o.Want == AnyLabel:
		return decidedWords, nil
	case b.o.Want != NumberOnly && numbers == 0 && b.allTimes():
		return decidedTimes, nil
	case b.o.Want != NumberOnly && (numbers < wordsAmong*words || b.allTruths()):
		if k := b.notTime(); numbers == 0 && k >= 0 {
			b.wrong = int(b.line[k])
			return 0, fmt.Errorf("is %s, expected a time as most other values are, written in one way: leave it empty or name it in --missing if it stands for no value; --time-format says how other times are written, and --categories reads the column as text", Shown(b.texts[k]))
		}
		return decidedWords, nil
	}
	b.wrong = int(b.line[word])
	return 0, wordAmong(b.texts[word], numbers, words)
}

// fewValues is how many different numbers or times a column of categories may have in addition to a few words, or in several units.
const fewValues = 20

// amountsAmong is the ratio of different amounts to other texts from which the others count as errors.
const amountsAmong = 2

// mostAre reports whether so many of the different texts of a column are numbers or times that the others count as errors.
func mostAre(different, texts int) bool {
	return different > fewValues && different >= wordsAmong*(texts-different)
}

// notTime returns the first text that is not a time, in a column that holds times except for a few texts; or, if all
// texts are times, the first one in another notation than the first text. It is -1 for other columns.
func (b *Builder) notTime() int {
	format := orders
	if b.o.TimeFormat != "" && !isUnit(b.o.TimeFormat) {
		format = []string{b.o.TimeFormat}
	}
	word, other, times, first := -1, -1, 0, ""
	for k, text := range b.texts {
		parses := func(order string) bool {
			_, ok := parseTime(text, order)
			return ok
		}
		switch at := slices.IndexFunc(format, parses); {
		case at < 0 && word < 0:
			word = k
		case at < 0:
		case first == "":
			first = format[at]
			times++
		case other < 0 && !parses(first):
			other = k
			times++
		default:
			times++
		}
		if k > 2*times+fewValues { // words
			return -1
		}
	}
	switch {
	case !mostAre(times, len(b.texts)):
		return -1
	case word >= 0:
		return word
	}
	return other
}

// isMark reports whether a text is the only non-number among several different numbers, and has no letter or digit,
// such as "-" and "?": it stands for a missing value.
func (b *Builder) isMark(word int) bool {
	numbers := 0
	for k, text := range b.texts {
		if _, ok := scanNumber(text); ok {
			numbers++
		} else if k != word {
			return false
		}
	}
	return numbers > 2 && strings.IndexFunc(b.texts[word], func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }) < 0
}

// allDurations reports whether all texts are durations, and at least one can be nothing else: 5 m may be metres.
func (b *Builder) allDurations() bool {
	certain := false
	for _, text := range b.texts {
		n, _ := scanNumber(text)
		if _, _, span := scanSpans(text); !n.duration && !span {
			return false
		}
		certain = certain || n.duration
	}
	return certain
}

// isInfinite reports whether a text is infinity or a number that is too large.
func isInfinite(text string) bool {
	v, err := strconv.ParseFloat(text, 64)
	return math.IsInf(v, 0) || err == nil && math.Abs(v) > math.MaxFloat32
}

// infiniteError is the error for infinity and for numbers that are too large.
func infiniteError(text string) error {
	return fmt.Errorf("is %s, expected a finite number: leave it empty or name it in --missing if it stands for no value", Shown(text))
}

// mark is the decimal mark of a numeral before the column is decided.
func (n *numeral) mark(decimal string) marks {
	if m := n.marks & marksOf(decimal); m == withComma || n.marks == withComma {
		return withComma
	}
	return withPoint
}

// allTimes reports whether all texts are times in the same order.
func (b *Builder) allTimes() bool {
	b.times.begin(b.o.TimeFormat)
	for k, text := range b.texts {
		if _, ok := b.times.add(text, int(b.line[k])); !ok {
			b.times = times{}
			return false
		}
	}
	return true
}

// allTruths reports whether all texts are spellings of booleans, at least one of them a word.
func (b *Builder) allTruths() bool {
	words := false
	for _, text := range b.texts {
		_, word, ok := truthOf(text)
		if !ok {
			return false
		}
		words = words || word
	}
	return words
}

// decideTime is decide for a column of times: numbers, or texts in the same order.
func (b *Builder) decideTime() (decision, error) {
	format := b.o.TimeFormat
	if format == "" || isUnit(format) {
		number := func(text string) bool {
			n, ok := scanNumber(text)
			return ok && n.marks&withPoint != 0 && !n.percent && n.currency == "" && !n.duration
		}
		wrong := slices.IndexFunc(b.texts, func(text string) bool { return !number(text) })
		if wrong < 0 {
			b.numbers.marks = withPoint
			return decidedNumbers, nil
		}
		if format != "" && format != compact {
			b.wrong = int(b.line[wrong])
			return 0, fmt.Errorf("is %s, expected %s, as --time-format says", Shown(b.texts[wrong]), describeTime(format))
		}
	}
	b.times.begin(format)
	for k, text := range b.texts {
		before := b.times.orders
		if _, ok := b.times.add(text, int(b.line[k])); ok {
			continue
		}
		b.wrong = int(b.line[k])
		switch n, _ := scanNumber(text); {
		case format == "" && n.duration:
			return 0, fmt.Errorf("is %s, a time of day without a date: --time names another column, of dates, and --time - reads no column as the time", Shown(text))
		case k > 0 || format != "":
			return 0, fmt.Errorf("is %s, expected a time as %s: write all times in one way; leave it empty or name it in --missing if it stands for no value", Shown(text), describeTime(before[0]))
		}
		return 0, fmt.Errorf("is %s, expected a number or a time such as 2006-01-02 or 2006-01-02T15:04:05Z; --time-format says how other times are written, and --time - does not read the column as the time", Shown(text))
	}
	return decidedTimes, nil
}

// result is the decided content of a column.
type result struct {
	note     string // why it is left out; else empty
	key      bool   // it identifies its rows
	numeric  bool
	notation Notation
	values   []float64 // of each text, if the texts are numbers
	text     []string  // categories
	of       []int32   // category of each text
}

// result decides the content of the column. If it fails, b.wrong is the line.
func (b *Builder) result() (r result, err error) {
	r.notation.Missing = b.o.Missing
	switch {
	case b.field != nil:
		r.numeric = b.o.Field.Numeric()
		if b.o.Field.Notation != nil {
			r.notation = *b.o.Field.Notation
		}
		return r, nil
	case b.o.Want == KeyOnly:
		r.key = true
		return r, nil
	case b.present == 0:
		r.note = "is empty"
		return r, nil
	}
	key := b.o.Want == AnyFeature
	switch b.state {
	case onlyNumbers:
		n, err := b.notation()
		if err == nil && marksIn(n) != b.decimal {
			err = fmt.Errorf("has numbers with a decimal %s after numbers that can be read in two ways: name the right mark with --decimal", decimalNames[n.Decimal])
		}
		r.numeric, r.notation, r.key = true, n, key && b.seen.key(b.name)
		return r, err
	case onlyTimes:
		r.numeric = true
		r.notation.Time, err = b.order()
		return r, err
	case tooMany:
		if r.key = key && b.words.count() >= keyShare*float64(b.present); !r.key {
			r.note = fmt.Sprintf("is text with more than %d different values", MaxTexts)
		}
		return r, nil
	}
	if b.texts == nil { // typed numbers
		r.numeric = true
		switch {
		case b.timed:
			r.notation.Time = yearFirst
		case b.o.Want == AnyLabel && !b.manyNumbers(b.value):
			if err := b.numbersToTexts(b.rows); err != nil {
				return r, err
			}
			r.numeric = false
			b.wordResult(&r)
		default:
			r.key = key && b.seen.key(b.name)
		}
		return r, nil
	}
	d, err := b.decide()
	if err != nil {
		return r, err
	}
	switch d {
	case decidedNumbers:
		return b.numberResult(r, key)
	case decidedTimes:
		r.numeric = true
		if r.notation.Time, err = b.order(); err == nil {
			r.values = b.valuesOf(func(text string) float64 {
				t, _ := parseTime(text, r.notation.Time)
				return t
			})
		}
		return r, err
	}
	b.wordResult(&r)
	if r.key = key && !r.notation.Boolean && b.present >= keyRows && float64(len(r.text)) >= keyShare*float64(b.present); r.key {
		separator, _ := setOf(r.notation, r.text, b.rowsOf(&r, b.count))
		r.key = separator == ""
	}
	return r, nil
}

// notation returns the notation of the numbers, with the line of an error.
func (b *Builder) notation() (Notation, error) {
	n, err := b.numbers.notation(b.o.Decimal)
	n.Missing = b.o.Missing
	if err != nil {
		b.wrong = max(b.numbers.comma.line, b.numbers.other.line)
	}
	return n, err
}

func (b *Builder) order() (string, error) {
	order, err := b.times.order()
	if err != nil {
		b.wrong = cmp.Or(b.times.first.line, b.times.short.first.line)
	}
	return order, err
}

func (b *Builder) valuesOf(read func(string) float64) []float64 {
	return lists.Map(b.texts, read)
}

// numberResult is the result for texts that are numbers.
func (b *Builder) numberResult(r result, key bool) (result, error) {
	n, err := b.notation()
	if err != nil {
		return r, err
	}
	m := marksIn(n)
	values := b.valuesOf(func(text string) float64 {
		s, _ := scanAs(text, n.Duration)
		v, _ := s.value(m)
		return v
	})
	if b.o.Want == AnyLabel && !b.manyNumbers(values) {
		b.wordResult(&r)
		return r, nil
	}
	var seen numberRange
	for k, v := range values {
		if b.o.Want == TimeOnly {
			b.units.add(v, b.texts[k], int(b.line[k]))
		}
		seen.addTimes(v, int(b.count[k]))
	}
	if r.key = key && seen.key(b.name); r.key {
		b.wordResult(&r) // whole numbers that a float64 cannot hold stay texts
		return r, nil
	}
	r.numeric, r.notation, r.values = true, n, values
	return r, nil
}

// A label with more different values than this is a number and not a class. The limits are for numbers with fractions,
// whole numbers of both signs, whole numbers with few rows each, and other whole numbers.
const (
	manyFractions = 2
	manySigned    = 5
	manyFew       = 20
	rowsPerClass  = 10
	manyWhole     = 50
)

// manyNumbers reports whether the numbers of a label are amounts, not names of classes.
func (b *Builder) manyNumbers(values []float64) bool {
	different := map[float64]bool{}
	fraction, least, most := false, 0.0, 0.0
	for _, v := range values {
		if v != v {
			continue
		}
		different[v] = true
		fraction = fraction || v != math.Trunc(v)
		least, most = min(least, v), max(most, v)
	}
	n := len(different)
	return n > manyWhole || n > manyFew && b.present < rowsPerClass*n || n > manySigned && least < 0 && most > 0 || n > manyFractions && fraction
}

// wordResult is the result for texts that are categories: different spellings of a category are joined.
func (b *Builder) wordResult(r *result) {
	r.notation.Boolean = b.allTruths()
	at := map[string]int32{}
	r.of = make([]int32, len(b.texts))
	for k, text := range b.texts {
		key := r.notation.keyOf(Cell{Kind: Text, Text: text})
		code, ok := at[key]
		if !ok {
			code = int32(len(r.text))
			at[key] = code
			if WholeOf(text) != text {
				text = key // 5 for 5.0
			}
			r.text = append(r.text, text)
		}
		r.of[k] = code
	}
}

// Column returns the column or, if it is left out, the reason. A column that identifies its rows is
// returned with Key set. The error is about the cell on line WrongLine.
func (b *Builder) Column() (c *Column, note string, err error) {
	r, err := b.result()
	if err != nil || r.note != "" {
		return nil, r.note, err
	}
	c = &Column{Name: b.name, Notation: r.notation.orNil(), Key: r.key, Single: b.o.Want == CategoryOnly}
	switch {
	case b.field != nil:
		return b.knownColumn(c), "", nil
	case b.state == tooMany:
		return b.keys.column(b.name), "", nil
	case r.numeric && r.values == nil:
		if c.Value = b.value; b.o.Want == TimeOnly && !b.timed && b.state != onlyTimes {
			return b.timeColumn(c)
		}
	case r.numeric:
		c.Value = make([]float64, len(b.code))
		for i, k := range b.code {
			c.Value[i] = math.NaN()
			if k >= 0 {
				c.Value[i] = r.values[k]
			}
		}
		if b.o.Want == TimeOnly && r.notation.Time == "" {
			return b.timeColumn(c)
		}
	default:
		c.Text, c.Code = r.text, b.code
		if len(r.text) < len(r.of) {
			for i, k := range c.Code {
				if k >= 0 {
					c.Code[i] = r.of[k]
				}
			}
		}
	}
	return c, "", nil
}

// Again returns a column read for another purpose, for example if an attribute is found to be the label.
func (c *Column) Again(o BuilderOptions) (out *Column, note string, err error) {
	x := NewBuilder(c.Name, 0, o)
	add := func(cell Cell) {
		if err == nil {
			err = x.Add(cell, nil)
		}
	}
	for _, v := range c.Value {
		if c.Times() && v == v {
			add(TimeCell(v))
		} else {
			add(NumberCell(v))
		}
	}
	for row := range c.Code {
		add(TextCell(c.String(row)))
	}
	if err != nil {
		return nil, "", err
	}
	return x.Column()
}

// orNil replaces an empty notation by nil.
func (n Notation) orNil() *Notation {
	if n.Missing == nil && n.Decimal == "" && !n.Percent && n.Currency == "" && !n.Duration && n.Time == "" && !n.Boolean {
		return nil
	}
	return &n
}

// knownColumn is the column of a field of the training.
func (b *Builder) knownColumn(c *Column) *Column {
	c.Name = b.o.Field.Name
	if b.o.Field.Numeric() {
		for len(b.value) < b.rows { // a column without values
			b.value = append(b.value, math.NaN())
		}
		c.Value = b.value
		return c
	}
	for len(b.code) < b.rows {
		b.code = append(b.code, -1)
	}
	c.Text, c.Code = slices.Concat(b.o.Field.Values, b.texts), b.code
	return c
}

// timeColumn converts numbers to seconds since 1970 if their unit is known.
func (b *Builder) timeColumn(c *Column) (*Column, string, error) {
	unit, err := b.unit(c.Value)
	if err != nil {
		return nil, "", err
	}
	c.Notation = &Notation{Time: unit, Missing: b.o.Missing}
	for i, v := range c.Value {
		if v != v {
			continue
		}
		seconds, ok := secondsIn(v, unit)
		if !ok {
			return nil, "", fmt.Errorf("is %s, expected %s, as --time-format says", formatNumber(v), describeTime(unit))
		}
		c.Value[i] = seconds
	}
	return c, "", nil
}

// unit is the notation of numbers that are times.
func (b *Builder) unit(values []float64) (unit string, err error) {
	if unit = b.o.TimeFormat; unit != "" {
		return unit, nil
	}
	if unit = unitOf(values); unit == plainTime {
		b.wrong, err = b.units.mixed()
	}
	return unit, err
}
