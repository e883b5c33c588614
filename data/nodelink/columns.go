package nodelink

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/ehgnn/ehgnn/data"
	"github.com/ehgnn/ehgnn/data/tables"
)

// maxTexts bounds the different texts of a column of categories, as in tables.
const maxTexts = 1 << 16

// What parts of a set take in memory, in bytes, with what is made of them before models
// see them.
const (
	setNodeBytes = 64
	setEdgeBytes = 96
	columnBytes  = 768
	valueBytes   = 16
	textBytes    = 96
)

// columns collects the attributes of the graphs, of the nodes or of the edges.
type columns struct {
	o      *Options
	budget *data.Budget
	rows   int // that are complete
	list   []*builder
	at     map[string]*builder // nil for one that is ignored
}

// add takes the attributes of the next row.
func (c *columns) add(list []Attribute, at spot) error {
	for _, a := range list {
		b, ok := c.at[a.Name]
		if !ok {
			if err := c.budget.Charge(columnBytes+int64(len(a.Name)), "columns"); err != nil {
				return at.wrap(err)
			}
			if !slices.Contains(c.o.Ignore, a.Name) {
				b = &builder{name: a.Name, category: slices.Contains(c.o.Categories, a.Name), amount: slices.Contains(c.o.Numbers, a.Name)}
				c.list = append(c.list, b)
			}
			c.at[a.Name] = b
		}
		if b == nil {
			continue
		}
		if b.rows > c.rows {
			return at.wrap(fmt.Errorf("attribute %q is there twice", a.Name))
		}
		err := b.pad(c.rows, c.budget)
		if err == nil {
			err = b.add(a.Value, c.budget)
		}
		if errors.Is(err, data.ErrTooLarge) {
			return at.wrap(err)
		}
		if err != nil {
			return at.wrap(fmt.Errorf("attribute %q %w", a.Name, err))
		}
		if b.mixed != nil && b.unlike == nil {
			b.unlike = at.wrap(fmt.Errorf("attribute %q %w", a.Name, b.mixed))
		}
	}
	c.rows++
	return nil
}

// finish brings all columns to their length.
func (c *columns) finish() error {
	for _, b := range c.list {
		if err := b.pad(c.rows, c.budget); err != nil {
			return err
		}
	}
	return nil
}

// spot is a place in a text.
type spot struct {
	file     string
	document int
	part     string // "node" or "edge", empty for neither
	item     int
	line     int
}

func (s spot) wrap(err error) error {
	e := &data.ParseError{File: s.file, Line: s.line, Msg: place(s.document, s.part, s.item)}
	if errors.Is(err, data.ErrTooLarge) {
		e.Msg, e.Err = e.Msg+"cannot be read", err
	} else {
		e.Msg += err.Error()
	}
	return e
}

// builder collects one attribute. Its kind is that of its first value; rows before are
// counted only.
type builder struct {
	name             string
	category, amount bool // kinds that the options demand
	kind             Kind // Null before the first value, then Number, String or List
	rows             int
	width            int // of a list
	value            []float64
	code             []int32
	words            map[string]int32
	texts            []string
	nested           bool // has a value that is left out
	many             bool // has more than maxTexts texts
	// mixed says that a value is of another kind than the first, and unlike where. It
	// is an error only if the column is used.
	mixed, unlike error
}

// pad brings the column to a number of rows.
func (b *builder) pad(rows int, budget *data.Budget) error {
	n := rows - b.rows
	b.rows = rows
	return b.missing(n, budget)
}

// missing appends rows without a value. A text can name many attributes once and have
// many rows without them.
func (b *builder) missing(n int, budget *data.Budget) error {
	if n <= 0 || b.kind == Null {
		return nil
	}
	if err := budget.Charge(int64(n)*int64(max(b.width, 1))*valueBytes, "missing values of columns"); err != nil {
		return err
	}
	if b.kind == String {
		for range n {
			b.code = append(b.code, -1)
		}
		return nil
	}
	for range n * max(b.width, 1) {
		b.value = append(b.value, math.NaN())
	}
	return nil
}

// add takes the value of the next row.
func (b *builder) add(v Value, budget *data.Budget) error {
	b.rows++
	kind := v.Kind
	switch {
	case kind == Bool, kind == Number && b.category:
		kind = String
	case kind == String && v.Text == "":
		kind = Null
	}
	if kind == Nested {
		b.nested, kind = true, Null
	}
	if kind == Null {
		return b.missing(1, budget)
	}
	if b.amount && kind == String {
		return fmt.Errorf("is %s, expected a number", v.shown())
	}
	if b.kind == Null {
		b.kind, b.width = kind, len(v.List)
		if err := b.missing(b.rows-1, budget); err != nil {
			return err
		}
	}
	if kind != b.kind {
		if b.mixed == nil {
			b.mixed = fmt.Errorf("is %s, and %s before; null stands for what is not known, and --categories takes numbers as names", v.shown(), b.kind)
		}
		return b.missing(1, budget)
	}
	if err := budget.Charge(int64(max(len(v.List), 1))*valueBytes, "values of columns"); err != nil {
		return err
	}
	switch kind {
	case Number:
		x, err := strconv.ParseFloat(v.Text, 64)
		if err != nil || math.Abs(x) > math.MaxFloat32 {
			return fmt.Errorf("is %s, too large a number", v.Text)
		}
		b.value = append(b.value, x)
	case List:
		if len(v.List) != b.width {
			return fmt.Errorf("is a list of %d numbers, expected %d as in the first", len(v.List), b.width)
		}
		for _, x := range v.List {
			if math.Abs(x) > math.MaxFloat32 {
				return fmt.Errorf("has %s in a list, too large a number", number(x))
			}
		}
		b.value = append(b.value, v.List...)
	default:
		return b.word(text(v), budget)
	}
	return nil
}

// text is a value as a category.
func text(v Value) string {
	if v.Kind == Number {
		if x, err := strconv.ParseFloat(v.Text, 64); err == nil && strings.ContainsAny(v.Text, ".eE") {
			return number(x)
		}
	}
	return v.Text
}

// word appends a category.
func (b *builder) word(text string, budget *data.Budget) error {
	if b.many {
		b.code = append(b.code, -1)
		return nil
	}
	if b.words == nil {
		b.words = map[string]int32{}
	}
	c, ok := b.words[text]
	if !ok {
		if err := budget.Charge(textBytes+int64(len(text)), "different texts"); err != nil {
			return err
		}
		c = int32(len(b.texts))
		b.words[text] = c
		if b.texts = append(b.texts, text); len(b.texts) > maxTexts {
			b.many, b.words, b.texts = true, nil, nil
		}
	}
	b.code = append(b.code, c)
	return nil
}

// columns are the columns of a builder with all rows; none with the reason why it is
// left out.
func (b *builder) columns() (out []*tables.Column, note string) {
	switch {
	case b.kind == Null && b.nested:
		return nil, "is nested"
	case b.kind == Null:
		return nil, "is empty"
	case b.many:
		return nil, fmt.Sprintf("is text with more than %d different values", maxTexts)
	case b.kind == String:
		return []*tables.Column{{Name: b.name, Code: b.code, Text: b.texts}}, ""
	case b.kind == Number:
		return []*tables.Column{{Name: b.name, Value: b.value}}, ""
	}
	for k := range b.width {
		c := &tables.Column{Name: b.name + "_" + strconv.Itoa(k), Value: make([]float64, b.rows)}
		for row := range c.Value {
			c.Value[row] = b.value[row*b.width+k]
		}
		out = append(out, c)
	}
	return out, ""
}

// classes turns a numeric column into one of categories.
func classes(c *tables.Column, budget *data.Budget) (*tables.Column, error) {
	if !c.Numeric() {
		return c, nil
	}
	b := &builder{name: c.Name}
	for _, v := range c.Value {
		switch {
		case math.IsNaN(v):
			b.code = append(b.code, -1)
		case math.Abs(v) > 1<<53:
			return nil, fmt.Errorf("is %s, too large a number to name a class", number(v))
		default:
			if err := b.word(number(v), budget); err != nil {
				return nil, err
			}
		}
	}
	if b.many {
		return nil, fmt.Errorf("has more than %d different values, too many for classes; numbers to estimate take --task edge-regression or graph-regression", maxTexts)
	}
	return &tables.Column{Name: b.name, Code: b.code, Text: b.texts}, nil
}
