package schema

import (
	"errors"
	"fmt"
	"math"
	"strings"

	"github.com/ehgnn/ehgnn/data"
)

// MaxTexts is how many different texts of a column are distinguished. A text column with more is
// left out.
const MaxTexts = 1 << 16

// textBytes is the memory of a text in a vocabulary, in bytes, without its letters.
const textBytes = 112

// wordsAmong is the ratio of numbers to words from which the words of a column count as errors, and
// not as categories.
const wordsAmong = 9

// Want is the purpose for which a column is read.
type Want uint8

// The purposes.
const (
	AnyFeature   Want = iota // a feature, unless the column identifies its rows
	Feature                  // always a feature
	NumberOnly               // numbers
	CategoryOnly             // categories, even if all are numbers
	ClassOnly                // classes of a label
	AnyLabel                 // a label: numbers or classes
	TimeOnly                 // the time of an edge
	KeyOnly                  // an identifier of rows, as text
)

// BuilderOptions say how a column is read; the zero value is a feature whose texts determine its kind.
type BuilderOptions struct {
	Want Want
	// Field is the column of the training data, which determines how the column is read. Then Want and
	// the notation below are ignored.
	Field *Field
	// Missing are additional words for missing values, Decimal is the decimal mark, and TimeFormat the
	// notation of times, if the user gave them.
	Missing             []string
	Decimal, TimeFormat string
	// Budget is charged for different texts; it may be nil.
	Budget *data.Budget
	// Stream says that the rows are not kept; Measured returns the statistics.
	Stream bool
}

// Lines returns the line of the file with a cell of the current row.
type Lines interface{ Line(column int) int }

// Row numbers instead of lines.
type noLines struct{}

func (noLines) Line(int) int { return 0 }

// Builder collects the cells of a column whose kind is known only at its end.
type Builder struct {
	name    string
	column  int
	o       BuilderOptions
	missing wordSet
	field   *FieldReader // of a known field
	lines   Lines

	rows, present int
	absent        string // first word that was read as missing
	absents       int    // rows with this word
	// Texts are distinguished and numbered until there are too many.
	codeOf map[string]int32
	texts  []string
	count  []int32   // rows of each text
	train  []int32   // training rows of each text
	line   []int32   // first line of each text
	code   []int32   // of each row, -1 for none; nil before the first text
	value  []float64 // of each row, NaN for none; nil before the first number

	state   state
	numbers numbers // of texts that are numbers, when there are too many
	decimal marks
	times   times
	units   unitPlaces  // of numbers that are times
	seen    numberRange // of typed numbers, and of texts when there are too many
	spread  welford     // of training rows, of the same numbers
	timed   bool        // typed cells are times
	words   distinct    // of texts, when there are too many
	keys    keyTexts
	wrong   int // line of the cell with the error of Column
}

// state is what a builder does with the next text.
type state uint8

const (
	collecting  state = iota // distinguish it from others
	onlyNumbers              // all texts so far are numbers
	onlyTimes                // all texts so far are times
	tooMany                  // the column is left out
)

// NewBuilder starts a column; at is its index in the table.
func NewBuilder(name string, column int, o BuilderOptions) *Builder {
	b := &Builder{name: name, column: column, o: o, missing: newWordSet(o.Missing), lines: noLines{}}
	b.numbers.marks = withBoth
	if o.Want == KeyOnly {
		b.state = tooMany
	}
	if o.Field != nil {
		b.field = NewFieldReader(o.Field)
	}
	return b
}

// Add adds the cell of the next row. The error describes the problem without its place.
func (b *Builder) Add(c Cell, at Lines) error { return b.AddRow(c, at, true) }

// AddText is Add for a text.
func (b *Builder) AddText(text string) error { return b.Add(TextCell(text), nil) }

// AddRow is Add for a row that is in the training part or not, which only Measured uses.
func (b *Builder) AddRow(c Cell, at Lines, train bool) error {
	b.rows++
	if at != nil {
		b.lines = at
	}
	if c.Kind == Text {
		c.Text = Trim(c.Text)
		if b.isMissing(c.Text) {
			c = Cell{}
		}
	} else if b.o.Want != KeyOnly && b.missing.missingCell(c) {
		c = Cell{}
	}
	if c.Kind == Missing {
		b.addMissing()
		return nil
	}
	b.present++
	switch {
	case b.field != nil:
		return b.addKnown(c, train)
	case b.asText(c):
		text := c.Text
		if c.Kind != Text {
			text = c.String()
		}
		if b.value != nil && b.state == collecting {
			if err := b.numbersToTexts(b.rows - 1); err != nil {
				return err
			}
		}
		return b.addText(text, train)
	case c.Kind == Time:
		if b.seen.n > 0 && !b.timed {
			return errors.New("is a time among numbers")
		}
		b.timed = true
	case !(math.Abs(c.Number) <= math.MaxFloat32):
		return infiniteError(c.String())
	case b.timed:
		return fmt.Errorf("is %s among times", c)
	}
	b.seen.add(c.Number)
	if b.o.Want == TimeOnly && c.Kind != Time {
		b.units.add(c.Number, "", b.lines.Line(b.column))
	}
	return b.addNumber(c.Number, train)
}

// isMissing reports whether a text is a missing value. Identifiers of rows are kept unchanged.
func (b *Builder) isMissing(text string) bool {
	if b.o.Want == KeyOnly || !b.missing.missing(text) {
		return text == ""
	}
	if text != "" && !b.missing[withoutZeros(text)] {
		if b.absent == "" {
			b.absent = strings.Clone(text)
		}
		if text == b.absent {
			b.absents++
		}
	}
	return true
}

// addKnown adds a cell of a column of the training. Categories are numbered as in Field.Values; new
// categories get the numbers after them.
func (b *Builder) addKnown(c Cell, train bool) error {
	if b.o.Field.Numeric() {
		v, err := b.field.Number(c)
		if err != nil {
			return err
		}
		return b.addNumber(v, train)
	}
	code, err := b.field.Code(c)
	if err != nil {
		return err
	}
	if code == Unseen {
		if code, err = b.unseen(b.field.n.keyOf(c)); err != nil {
			return err
		}
	}
	b.addCode(code)
	return nil
}

// unseen numbers a category that the training lacks. After MaxTexts, such categories share one number, except in sets.
func (b *Builder) unseen(text string) (int32, error) {
	known := int32(len(b.o.Field.Values))
	code, ok := b.codeOf[text]
	switch {
	case ok:
	case len(b.texts) == MaxTexts && !b.o.Field.IsSet():
		code = MaxTexts - 1
	default:
		if err := b.number(text); err != nil {
			return 0, err
		}
		code = int32(len(b.texts)) - 1
	}
	return known + code, nil
}

// number gives a new text the next number.
func (b *Builder) number(text string) error {
	if err := b.charge(int64(len(text)) + textBytes); err != nil {
		return err
	}
	if b.codeOf == nil {
		b.codeOf = map[string]int32{}
	}
	text = strings.Clone(text) // the next row overwrites this memory
	b.codeOf[text] = int32(len(b.texts))
	b.texts = append(b.texts, text)
	return nil
}

// addCode adds the code of a row.
func (b *Builder) addCode(code int32) {
	if !b.o.Stream {
		b.code = put(b.code, b.rows, code, -1)
	}
}

// put sets the value of the last row; earlier rows without a value are missing.
func put[T any](list []T, rows int, value, missing T) []T {
	for len(list) < rows-1 {
		list = append(list, missing)
	}
	return append(list, value)
}

// asText reports whether a cell is read as text: texts, names of categories, and whole numbers that
// a float64 cannot hold.
func (b *Builder) asText(c Cell) bool {
	switch {
	case c.Kind == Text || c.Kind == Boolean || b.code != nil:
		return true
	case b.o.Want == CategoryOnly, b.o.Want == ClassOnly, b.o.Want == KeyOnly:
		return true
	}
	return c.Kind == Integer && (c.Text != "" || c.Integer > maxExact || c.Integer < -maxExact) && b.o.Want != TimeOnly
}

// addMissing adds a row without a value.
func (b *Builder) addMissing() {
	if b.o.Stream {
		return
	}
	if b.code != nil {
		b.code = append(b.code, -1)
	}
	if b.value != nil {
		b.value = append(b.value, math.NaN())
	}
	if b.state == tooMany {
		b.keys.add("")
	}
}

// addNumber adds the value of a row.
func (b *Builder) addNumber(v float64, train bool) error {
	if train && v == v {
		b.spread.add(v)
	}
	if !b.o.Stream {
		b.value = put(b.value, b.rows, v, math.NaN())
	}
	return nil
}

// numbersToTexts converts the typed numbers of the first rows to texts, because there is a text among
// them, or because they are names of classes.
func (b *Builder) numbersToTexts(first int) error {
	if b.o.Stream {
		return errors.New("is text among numbers")
	}
	value := b.value
	rows := b.rows
	b.value, b.seen, b.spread = nil, numberRange{}, welford{}
	b.code = make([]int32, 0, rows)
	for i := range first {
		v := math.NaN()
		if i < len(value) {
			v = value[i]
		}
		b.rows = i + 1
		c := NumberCell(v)
		if b.timed && v == v {
			c = TimeCell(v)
		}
		if c.Kind == Missing {
			b.code = append(b.code, -1)
		} else if err := b.addText(c.String(), true); err != nil {
			return err
		}
	}
	b.rows, b.timed = rows, false
	return nil
}

// addText adds the text of a row.
func (b *Builder) addText(text string, train bool) error {
	switch b.state {
	case onlyNumbers:
		return b.streamNumber(text, train)
	case onlyTimes:
		return b.streamTime(text, train)
	case tooMany:
		b.words.text(text)
		if b.o.Stream {
			return nil
		}
		b.keys.add(text)
		return b.charge(int64(len(text)) + 8)
	}
	code, ok := b.codeOf[text]
	if !ok {
		if err := checkWord(Cell{Kind: Text, Text: text}); err != nil {
			return err
		}
		if err := b.number(text); err != nil {
			return err
		}
		code = int32(len(b.texts)) - 1
		b.count, b.train = append(b.count, 0), append(b.train, 0)
		b.line = append(b.line, int32(b.lines.Line(b.column)))
	}
	b.count[code]++
	if train {
		b.train[code]++
	}
	b.addCode(code)
	if len(b.texts) > MaxTexts {
		return b.overflow()
	}
	return nil
}

func (b *Builder) charge(n int64) error {
	if b.o.Budget == nil {
		return nil
	}
	return b.o.Budget.Charge(n, "different texts")
}

// streamNumber adds a text after so many different numbers that they are no longer distinguished.
func (b *Builder) streamNumber(text string, train bool) error {
	n, ok := scanAs(text, b.numbers.duration)
	v, finite := n.value(b.decimal)
	switch {
	case !ok || n.duration != b.numbers.duration:
		return wordAmong(text, b.present-1, 1)
	case n.marks&b.decimal == 0:
		return fmt.Errorf("is %s, and the values before it have a decimal %s: say which mark is right with --decimal point or --decimal comma", Shown(text), decimalNames[markOf(b.decimal)])
	case !finite:
		return infiniteError(text)
	case n.zeroLed && !b.numbers.zeroLed && b.o.Want != NumberOnly && b.o.Want != AnyLabel && !b.numbers.decimals:
		return fmt.Errorf("is %s, a code among numbers: name the column in --categories or --ignore if its values are names", Shown(text))
	}
	b.numbers.add(&n, text, b.lines.Line(b.column))
	b.seen.add(v)
	if b.o.Want == TimeOnly {
		b.units.add(v, text, b.lines.Line(b.column))
	}
	return b.addNumber(v, train)
}

// streamTime adds a text after many different times.
func (b *Builder) streamTime(text string, train bool) error {
	order := b.times.orders[0]
	t, ok := b.times.add(text, b.lines.Line(b.column))
	if !ok {
		return fmt.Errorf("is %s, expected a time as in the rows before; --time-format says how times are written", Shown(text))
	}
	if b.times.orders[0] != order {
		return fmt.Errorf("is %s, a time with the day first, while the rows before can have the month first: say it with --time-format day-first", Shown(text))
	}
	return b.addNumber(t, train)
}

// overflow decides the content of a column with too many different texts to distinguish.
func (b *Builder) overflow() error {
	switch d, err := b.decide(); {
	case err != nil:
		return err
	case d == decidedNumbers:
		n, err := b.numbers.notation(b.o.Decimal)
		if err != nil {
			return err
		}
		b.decimal = marksIn(n)
		b.state = onlyNumbers
		return b.textsToNumbers(func(text string) float64 {
			n, _ := scanAs(text, b.numbers.duration)
			v, _ := n.value(b.decimal)
			return v
		})
	case d == decidedTimes:
		b.state = onlyTimes
		return b.textsToNumbers(func(text string) float64 {
			t, _ := parseTime(text, b.times.orders[0])
			return t
		})
	}
	if b.o.Want == ClassOnly {
		return fmt.Errorf("has more than %d different values, too many for classes; --task edge-regression estimates numbers", MaxTexts)
	}
	b.state = tooMany
	for _, text := range b.texts {
		b.words.text(text)
	}
	if !b.o.Stream {
		for _, k := range b.code {
			text := ""
			if k >= 0 {
				text = b.texts[k]
			}
			b.keys.add(text)
		}
	}
	b.codeOf, b.code = nil, nil
	return nil
}

// textsToNumbers converts codes to values, because later texts are not distinguished.
func (b *Builder) textsToNumbers(read func(string) float64) error {
	values := make([]float64, len(b.texts))
	for k, text := range b.texts {
		values[k] = read(text)
		b.units.add(values[k], text, int(b.line[k]))
		b.seen.addTimes(values[k], int(b.count[k]))
		b.spread.addTimes(values[k], int(b.train[k]))
	}
	if !b.o.Stream {
		b.value = make([]float64, len(b.code), 2*len(b.code))
		for i, k := range b.code {
			b.value[i] = math.NaN()
			if k >= 0 {
				b.value[i] = values[k]
			}
		}
	}
	b.codeOf, b.texts, b.code, b.count, b.train, b.line = nil, nil, nil, nil, nil, nil
	return nil
}

// markOf is the character of a decimal mark.
func markOf(m marks) string {
	if m == withComma {
		return Comma
	}
	return Point
}

// marksIn is the decimal mark of the numbers in a notation.
func marksIn(n Notation) marks {
	if n.Decimal == Comma {
		return withComma
	}
	return withPoint
}

// wordAmong is the error of a word in a column of numbers.
func wordAmong(word string, numbers, words int) error {
	return fmt.Errorf("is %s, expected a number, as %d of %d values are: leave it empty or name it in --missing if it is a missing value, or name the column in --categories if its numbers are names",
		Shown(word), numbers, numbers+words)
}

// WrongLine is the line of the cell with the error of Column; 0 for none.
func (b *Builder) WrongLine() int { return b.wrong }

// Present is the number of rows with a value.
func (b *Builder) Present() int { return b.present }
