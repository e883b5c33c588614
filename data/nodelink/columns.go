package nodelink

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/ehgnn/ehgnn/data"
	"github.com/ehgnn/ehgnn/data/schema"
	"github.com/ehgnn/ehgnn/data/tables"
)

// The memory of the parts of a set, in bytes, including what is made of them before models read
// them.
const (
	setNodeBytes = 64
	setEdgeBytes = 96
	columnBytes  = 768
	valueBytes   = 16
)

// columns collects the attributes of graphs, of nodes or of edges.
type columns struct {
	o      *Options
	fields []schema.Field // of training; may be nil
	budget *data.Budget
	rows   int // complete rows
	list   []*builder
	at     map[string]*builder // nil for an attribute that is ignored
	notes  []string

	date, clock string // two attributes that are one time, see findDates; empty if there are none
	missing     func(schema.Cell) bool
}

// add reads the attributes of the next row.
func (c *columns) add(list []Attribute, at spot) error {
	for _, a := range list {
		b, ok := c.at[a.Name]
		if !ok {
			if err := c.budget.Charge(columnBytes+int64(len(a.Name)), "columns"); err != nil {
				return at.wrap(err)
			}
			name := c.inTraining(a.Name)
			if b, ok = c.at[name]; !ok {
				if b = c.begin(name); b != nil {
					c.list = append(c.list, b)
				}
				c.at[name] = b
			}
			c.at[a.Name] = b
		}
		if b == nil || b.name != a.Name && slices.ContainsFunc(list, func(x Attribute) bool { return x.Name == b.name }) {
			continue // it is ignored, or there is also an attribute with exactly the name in training
		}
		if b.rows > c.rows {
			return at.wrap(fmt.Errorf("attribute %q appears twice", a.Name))
		}
		err := b.pad(c.rows, c.budget)
		var v Value
		if err == nil {
			v, err = c.joinDate(list, b.name, a.Value)
		}
		if err == nil {
			err = b.add(v, at.line, c.budget)
		}
		if errors.Is(err, data.ErrTooLarge) {
			return at.wrap(err)
		}
		if err != nil {
			return at.wrap(fmt.Errorf("attribute %q %w", a.Name, err))
		}
	}
	c.rows++
	return nil
}

// begin returns the builder of an attribute, or nil if it is ignored.
func (c *columns) begin(name string) *builder {
	if slices.Contains(c.o.Ignore, name) {
		return nil
	}
	o := c.options(name)
	b := &builder{name: name, known: o.Field != nil || c.trained(name), set: o.Field != nil && o.Field.IsSet(), o: o}
	b.scalar = schema.NewBuilder(name, 0, o)
	return b
}

// options returns how an attribute is read, or an element of one that is a list.
func (c *columns) options(name string) schema.BuilderOptions {
	o := schema.BuilderOptions{Missing: c.o.Missing, Decimal: c.o.Decimal, TimeFormat: c.o.TimeFormat, Budget: c.budget}
	switch {
	case slices.Contains(c.o.Categories, name):
		o.Want = schema.CategoryOnly
	case slices.Contains(c.o.Features, name):
		o.Want = schema.Feature
	}
	if k := slices.IndexFunc(c.fields, func(f schema.Field) bool { return f.Name == name }); k >= 0 {
		o.Field = &c.fields[k]
	}
	return o
}

// trained reports whether training had a list with this name, or compared the attribute for its
// split.
func (c *columns) trained(name string) bool {
	if c.o.known == nil {
		return false
	}
	return slices.Contains(c.o.known.Unused, name) || slices.ContainsFunc(c.fields, func(f schema.Field) bool {
		number, ok := strings.CutPrefix(f.Name, name+"_")
		_, err := strconv.Atoi(number)
		return ok && err == nil
	})
}

// inTraining returns the name of an attribute in training, which may differ in case.
func (c *columns) inTraining(name string) string {
	if c.o.known == nil || c.trained(name) || slices.ContainsFunc(c.fields, func(f schema.Field) bool { return f.Name == name }) {
		return name
	}
	for _, f := range c.fields {
		list := f.Name[:max(strings.LastIndexByte(f.Name, '_'), 0)]
		for _, x := range []string{f.Name, list} {
			if strings.EqualFold(x, name) && (x == f.Name || c.trained(x)) {
				c.notes = append(c.notes, schema.ReadAs(name, x))
				return x
			}
		}
	}
	return name
}

// finish extends all columns to their full length.
func (c *columns) finish() error {
	for _, b := range c.list {
		if err := b.pad(c.rows, c.budget); err != nil {
			return err
		}
	}
	return nil
}

// spot is a position in a text.
type spot struct {
	file     string
	document int
	part     string // "node", "edge" or empty
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

// builder collects the values of one attribute: single values, or lists of numbers of the same
// length.
type builder struct {
	name   string
	known  bool // training had the attribute
	set    bool // lists become texts of sets
	o      schema.BuilderOptions
	scalar *schema.Builder
	line   int // of the current value
	rows   int
	any    bool      // there is a value
	width  int       // of lists, 0 before the first list
	value  []float64 // of lists
	nested bool      // it has a nested value, which is left out
}

// Line returns the line of the current value.
func (b *builder) Line(int) int { return b.line }

// pad extends the column to a number of rows.
func (b *builder) pad(rows int, budget *data.Budget) error {
	n := rows - b.rows
	b.rows = rows
	return b.missing(n, budget)
}

// missing appends rows without a value. A text can name many attributes once and have many rows
// without them.
func (b *builder) missing(n int, budget *data.Budget) error {
	if n <= 0 {
		return nil
	}
	if err := budget.Charge(int64(n)*int64(max(b.width, 1))*valueBytes, "missing values of columns"); err != nil {
		return err
	}
	for range n {
		if err := b.scalar.Add(schema.Cell{}, b); err != nil {
			return err
		}
	}
	for range n * b.width {
		b.value = append(b.value, math.NaN())
	}
	return nil
}

// add reads the value of the next row.
func (b *builder) add(v Value, line int, budget *data.Budget) error {
	b.rows++
	b.line = line
	switch {
	case v.Kind == Nested:
		b.nested = true
		return b.missing(1, budget)
	case v.Kind == List && !b.set:
		return b.addList(v, budget)
	}
	c, err := v.Cell()
	if err != nil {
		return err
	}
	if v.Kind == Texts && b.width > 0 && b.toSet() != nil {
		return errors.New("is a list of texts, and a list of numbers that are not whole before")
	}
	b.set = b.set || v.Kind == Texts
	if c.Kind == schema.Missing {
		return b.missing(1, budget)
	}
	if err := budget.Charge(int64(max(b.width, 1))*valueBytes, "values of columns"); err != nil {
		return err
	}
	err = b.scalar.Add(c, b)
	present := b.scalar.Present() > 0 // it is not a word for a missing value
	if present && b.width > 0 {
		return fmt.Errorf("is %s, expected a list as before", v.shown())
	}
	b.any = b.any || present
	for range b.width {
		b.value = append(b.value, math.NaN())
	}
	return err
}

// toSet converts the lists of numbers in previous rows to texts of sets, because their lengths
// differ.
func (b *builder) toSet() error {
	b.scalar = schema.NewBuilder(b.name, 0, b.o)
	for row := range slices.Chunk(b.value, b.width) {
		var c schema.Cell
		if slices.ContainsFunc(row, func(x float64) bool { return x == x }) {
			var err error
			if c, err = (Value{Kind: List, List: row}).Cell(); err != nil {
				return err
			}
		}
		if err := b.scalar.Add(c, b); err != nil {
			return err
		}
	}
	b.set, b.width, b.value = true, 0, nil
	return nil
}

// addList reads a list of numbers: a vector, or a set of whole numbers if the lengths differ.
func (b *builder) addList(v Value, budget *data.Budget) error {
	if b.scalar.Present() > 0 {
		return errors.New("is a list, expected a single value as before")
	}
	if !b.any {
		b.any, b.width = true, len(v.List)
		for range (b.rows - 1) * b.width {
			b.value = append(b.value, math.NaN())
		}
	}
	if err := budget.Charge(int64(max(b.rows*b.width-len(b.value), 1))*valueBytes, "values of columns"); err != nil {
		return err
	}
	if len(v.List) != b.width {
		c, err := v.Cell()
		if err != nil || b.toSet() != nil {
			return fmt.Errorf("is a list of %d numbers, expected %d as in the first", len(v.List), b.width)
		}
		return b.scalar.Add(c, b)
	}
	for _, x := range v.List {
		if math.Abs(x) > math.MaxFloat32 {
			return fmt.Errorf("has %s in a list, which is too large", number(x))
		}
	}
	b.value = append(b.value, v.List...)
	return nil
}

// Cell returns the value as a cell of a table. A list becomes text, a nested value is missing. It
// returns an error for a list of numbers that are not whole.
func (v Value) Cell() (schema.Cell, error) {
	switch v.Kind {
	case Bool:
		return schema.BooleanCell(v.Text == "true"), nil
	case String, Texts:
		return schema.TextCell(v.Text), nil
	case List:
		items, whole := v.wholeItems()
		if !whole {
			return schema.Cell{}, errors.New("is a list of numbers that are not whole, expected texts or whole numbers as in training")
		}
		return schema.TextCell(schema.ListText(items)), nil
	case Number:
		return schema.ParseNumber(v.Text)
	}
	return schema.Cell{}, nil
}

// wholeItems returns the numbers of a list as texts. whole is false if one has a fraction.
func (v Value) wholeItems() (items []string, whole bool) {
	for _, x := range v.List {
		if x == x && x != math.Trunc(x) {
			return nil, false
		}
		items = append(items, schema.ListItem(schema.NumberCell(x)))
	}
	return items, true
}

// isList reports whether the values are lists.
func (b *builder) isList() bool { return b.any && b.scalar.Present() == 0 }

// columns returns the columns of a builder with all rows, or no columns and the reason why the
// attribute is left out.
func (b *builder) columns() (out []*tables.Column, note string, err error) {
	switch {
	case !b.any && b.nested:
		return nil, "is nested", nil
	case !b.any && !b.known:
		return nil, "is empty", nil
	case !b.isList():
		c, note, err := b.scalar.Column()
		if c == nil {
			return nil, note, err
		}
		return []*tables.Column{c}, note, err
	}
	for k := range b.width {
		c := &tables.Column{Name: b.name + "_" + strconv.Itoa(k), Value: make([]float64, b.rows)}
		for row := range c.Value {
			c.Value[row] = b.value[row*b.width+k]
		}
		out = append(out, c)
	}
	return out, "", nil
}
