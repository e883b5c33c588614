package serve

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/ehgnn/ehgnn"
	"github.com/ehgnn/ehgnn/data/schema"
	"github.com/ehgnn/ehgnn/internal/lists"
	"github.com/ehgnn/ehgnn/internal/settings"
)

// columns are the attributes of nodes or edges that a run reads.
type columns struct {
	list    []column
	names   *schema.Names
	out     ehgnn.Columns
	key     []byte         // NAME_0
	sets    []string       // names of the list attributes that are sets
	vectors map[string]int // lists of numbers whose positions are columns (schema.VectorWidths)
	remarks []string       // about names in another case
}

// column is an attribute. Its slices are reused for the next graph.
type column struct {
	settings.Field
	reader  *schema.FieldReader // nil for codes
	numbers ehgnn.Numbers
	codes   ehgnn.Categories
	texts   ehgnn.Strings // of sets
	last    int           // last row whose value was read, or -1
	equal   bool          // it was read under the exact name
	said    bool          // a remark on its name was made
}

func newColumns(m *ehgnn.Model, of string, fields []ehgnn.Field) columns {
	c := columns{out: ehgnn.Columns{}, sets: schema.ListNames(fields), vectors: schema.VectorWidths(fields)}
	var names []string
	for _, f := range fields {
		switch f.Kind {
		case settings.KindNumber, settings.KindCode, settings.KindCategory:
			names = append(names, f.Name)
			c.list = append(c.list, column{Field: f, reader: m.Reader(of, f.Name)})
		}
	}
	c.names = schema.NewNames(names)
	return c
}

// clear removes the columns of the last graph.
func (c *columns) clear() ehgnn.Columns {
	clear(c.out)
	c.remarks = nil
	return c.out
}

// begin gives a column so many rows, all missing.
func (c *columns) begin(k, rows int) *column {
	to := &c.list[k]
	to.last, to.said = -1, false
	if to.IsSet() {
		to.texts = sized(to.texts, rows)
		clear(to.texts)
		c.out[to.Name] = to.texts
		return to
	}
	if to.Kind == settings.KindCategory {
		to.codes = ehgnn.Categories{Codes: sized(to.codes.Codes, rows)}
		for i := range to.codes.Codes {
			to.codes.Codes[i] = -1
		}
		c.out[to.Name] = &to.codes
		return to
	}
	to.numbers = sized(to.numbers, rows)
	for i := range to.numbers {
		to.numbers[i] = math.NaN()
	}
	c.out[to.Name] = to.numbers
	return to
}

// beginAll gives all columns no rows.
func (c *columns) beginAll() {
	for k := range c.list {
		c.begin(k, 0)
	}
}

// add adds a missing row to a column.
func (c *columns) add(to *column) {
	if to.IsSet() {
		to.texts = append(to.texts, "")
		c.out[to.Name] = to.texts
		return
	}
	if to.Kind == settings.KindCategory {
		to.codes.Codes = append(to.codes.Codes, -1)
		return
	}
	to.numbers = append(to.numbers, math.NaN())
	c.out[to.Name] = to.numbers
}

// pad adds missing rows to each column up to so many.
func (c *columns) pad(rows int) {
	for k := range c.list {
		for to := &c.list[k]; max(len(to.numbers), len(to.codes.Codes), len(to.texts)) < rows; {
			c.add(to)
		}
	}
}

// keep is the number of values up to which a slice is reused for the next graph.
const keep = 1 << 12

func sized[S ~[]E, E any](s S, n int) S {
	if n <= cap(s) {
		return s[:n]
	}
	return make(S, n)
}

// release frees the memory of large graphs.
func (c *columns) release() {
	for k := range c.list {
		to := &c.list[k]
		if cap(to.numbers) > keep || cap(to.codes.Codes) > keep || cap(to.texts) > keep {
			to.numbers, to.codes, to.texts = nil, ehgnn.Categories{}, nil
		}
	}
}

// remarkName makes a remark on the name of an attribute if its case differs from the training.
func (c *columns) remarkName(k int, name string, equal bool) {
	if to := &c.list[k]; !equal && !to.said {
		to.said = true
		c.remarks = append(c.remarks, schema.ReadAs(name, to.Name))
	}
}

// empty returns remarks on attributes without any value, like those of ehgnn predict on columns.
func (c *columns) empty() (out []string) {
	for k := range c.list {
		of := &c.list[k]
		rows, has := 0, false
		switch values := c.out[of.Name].(type) {
		case ehgnn.Numbers:
			rows, has = len(values), slices.ContainsFunc(values, func(v float64) bool { return !math.IsNaN(v) })
		case ehgnn.Strings:
			rows, has = len(values), slices.ContainsFunc(values, func(v string) bool { return v != "" })
		case *ehgnn.Categories:
			rows, has = len(values.Codes), slices.ContainsFunc(values.Codes, func(v int32) bool { return v != -1 })
		}
		if rows > 1 && !has && !of.Gaps {
			out = append(out, fmt.Sprintf("column %q %s", of.Name, schema.NoValues(rows)))
		}
	}
	return out
}

// startValue starts the value of a row under some name. It returns nil if the row already has a value under
// the exact name of the training.
func (c *columns) startValue(k, row int, name []byte, equal bool) (*column, *Problem) {
	to := &c.list[k]
	switch again := to.last == row; {
	case again && equal == to.equal:
		return nil, wrong("the attribute twice", "once")
	case again && !equal:
		return nil, nil
	}
	to.last, to.equal = row, equal
	if !equal {
		c.remarkName(k, string(name), equal)
	}
	return to, nil
}

// attributes reads {"label":["C","C","O"]}, one value for each row.
func (d *decoder) attributes(c *columns, rows int) *Problem {
	return d.object(func(name []byte) *Problem {
		k, equal := c.names.Find(name)
		if width := c.vectors[schema.FoldName(string(name))]; k < 0 && width > 0 {
			return d.vectors(c, string(name), width, rows)
		}
		if k < 0 {
			return wrong(fmt.Sprintf("the attribute %q", shortened(name)), c.fieldList())
		}
		field := c.list[k].Name
		if _, twice := c.out[field]; twice {
			return wrong("the attribute twice", "once")
		}
		called := string(name) // the next string overwrites it
		if p := d.counted(rows); p != nil {
			return p
		}
		to := c.begin(k, rows)
		c.remarkName(k, called, equal)
		return d.list(func(i int) *Problem { return d.value(to, i) })
	})
}

// position finds the attribute of item i of a list; the first bytes of key are NAME_.
func (c *columns) position(stem, i int) (k int, equal bool) {
	c.key = strconv.AppendInt(c.key[:stem], int64(i), 10)
	return c.names.Find(c.key)
}

// short returns a problem for a list with fewer numbers than in training. An empty list is missing.
func short(items, width int) *Problem {
	if items == 0 || items >= width {
		return nil
	}
	return wrong(fmt.Sprintf("a list of %d numbers", items), fmt.Sprintf("%d as in training", width))
}

// textList reads the numbers of a list given as text, like vector.
func (c *columns) textList(row, stem, width int, list []schema.Cell) *Problem {
	if p := short(len(list), width); p != nil {
		return p
	}
	for i, cell := range list {
		k, equal := c.position(stem, i)
		if k < 0 {
			continue
		}
		to, p := c.startValue(k, row, c.key, equal)
		if p == nil && to != nil {
			p = to.set(row, cell)
		}
		if p != nil {
			return p
		}
	}
	return nil
}

// counted returns a problem for a value that is not a list of so many items. It reads only as far as necessary.
func (d *decoder) counted(want int) *Problem {
	start, items := d.at, 0
	if first := d.peek(); first != '[' {
		return d.wrongKind(first, "a list")
	}
	if p := d.list(func(int) *Problem { items++; return d.skip() }); p != nil {
		return p
	}
	if items != want {
		return wrong(fmt.Sprintf("%d values", items), strconv.Itoa(want))
	}
	d.at = start
	return nil
}

// vectors reads {"place":[[0.5,1],null]}, a list of numbers for each row, as the attributes place_0 and place_1.
func (d *decoder) vectors(c *columns, name string, width, rows int) *Problem {
	if p := d.counted(rows); p != nil {
		return p
	}
	for i := range width {
		k, _ := c.names.Find([]byte(name + "_" + strconv.Itoa(i)))
		if _, twice := c.out[c.list[k].Name]; twice {
			return wrong("the attribute twice", "once")
		}
		c.begin(k, rows)
	}
	return d.list(func(row int) *Problem { return d.vector(c, row, []byte(name)) })
}

// vector reads a list NAME of numbers as the attributes NAME_0, NAME_1 and so on of a row. Another value, such as null, applies to each.
func (d *decoder) vector(c *columns, row int, name []byte) *Problem {
	width, items := c.vectors[schema.FoldName(string(name))], 0
	c.key = append(append(c.key[:0], name...), '_')
	stem := len(c.key)
	each := func(i int) *Problem {
		items++
		k, equal := c.position(stem, i)
		if k < 0 {
			return d.skip()
		}
		return d.readAttribute(c, k, row, c.key, equal)
	}
	if d.peek() != '[' {
		start := d.at
		if width > 0 && d.peek() == '"' {
			cell, p := d.cell("a list of numbers")
			if p != nil {
				return p
			}
			if list, ok := schema.NumberList(cell); ok {
				return c.textList(row, stem, width, list)
			}
		}
		for i := range width {
			d.at = start
			if p := each(i); p != nil {
				return p
			}
		}
		if width > 0 {
			return nil
		}
		return d.skip()
	}
	if p := d.list(each); p != nil {
		return p
	}
	return short(items, width)
}

// value reads the value of a row.
func (d *decoder) value(c *column, row int) (p *Problem) {
	if c.reader == nil {
		c.numbers[row], p = d.float()
		return p
	}
	expected := "a number"
	if c.Kind == settings.KindCategory {
		expected = "a string"
	}
	var cell schema.Cell
	if c.IsSet() && d.peek() == '[' {
		cell, p = d.listText()
	} else {
		cell, p = d.cell(expected)
	}
	if p == nil {
		p = c.set(row, cell)
	}
	return p
}

// set stores the cell of a row.
func (c *column) set(row int, cell schema.Cell) (p *Problem) {
	var err error
	if c.IsSet() {
		c.texts[row] = c.reader.Key(cell)
	} else if c.Kind == settings.KindCategory {
		err = c.codes.Read(row, cell, c.reader)
	} else {
		c.numbers[row], err = c.reader.Number(cell)
	}
	if err != nil {
		return wrongCell(cell, err)
	}
	return nil
}

// wrongCell is the problem of a cell that a field does not accept.
func wrongCell(c schema.Cell, err error) *Problem {
	_, expected, _ := strings.Cut(err.Error(), "expected ")
	return wrong(strconv.Quote(shortened([]byte(c.String()))), expected)
}

// fieldList lists the attributes that the run reads.
func (c *columns) fieldList() string {
	if len(c.list) == 0 {
		return "no attributes"
	}
	return strings.Join(lists.Map(c.list, func(f column) string { return strconv.Quote(f.Name) }), ", ")
}
