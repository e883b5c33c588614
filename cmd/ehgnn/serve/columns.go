package serve

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/ehgnn/ehgnn"
	"github.com/ehgnn/ehgnn/data/schema"
	"github.com/ehgnn/ehgnn/task"
)

// columns are the attributes of nodes or edges that a run reads.
type columns struct {
	list  []column
	index map[string]int
	out   ehgnn.Columns
	key   []byte // NAME_0
}

// column is an attribute. Its slices are used again for the next graph.
type column struct {
	task.Field
	reader  *schema.FieldReader // nil for codes
	numbers ehgnn.Numbers
	codes   ehgnn.Codes
	last    int // row of which a value was read, -1 for none
}

func newColumns(m *ehgnn.Model, of string, fields []ehgnn.Field) columns {
	c := columns{index: map[string]int{}, out: ehgnn.Columns{}}
	for _, f := range fields {
		switch f.Kind {
		case task.KindNumber, task.KindCode, task.KindCategory:
			c.index[f.Name] = len(c.list)
			c.list = append(c.list, column{Field: f, reader: m.Reader(of, f.Name)})
		}
	}
	return c
}

// clear forgets the columns of the last graph.
func (c *columns) clear() ehgnn.Columns {
	clear(c.out)
	return c.out
}

// begin gives a column so many rows, all of them missing.
func (c *columns) begin(k, rows int) *column {
	to := &c.list[k]
	to.last = -1
	if to.Kind == task.KindCategory {
		to.codes = sized(to.codes, rows)
		for i := range to.codes {
			to.codes[i] = -1
		}
		c.out[to.Name] = to.codes
		return to
	}
	to.numbers = sized(to.numbers, rows)
	for i := range to.numbers {
		to.numbers[i] = math.NaN()
	}
	c.out[to.Name] = to.numbers
	return to
}

// keep is the number of values up to which a slice is kept for the next graph.
const keep = 1 << 12

func sized[S ~[]E, E any](s S, n int) S {
	if n <= cap(s) {
		return s[:n]
	}
	return make(S, n)
}

// release gives back the memory of large graphs.
func (c *columns) release() {
	for k := range c.list {
		if to := &c.list[k]; cap(to.numbers) > keep || cap(to.codes) > keep {
			to.numbers, to.codes = nil, nil
		}
	}
}

// attributes reads {"label":["C","C","O"]}, a value for each row.
func (d *decoder) attributes(c *columns, rows int) *Problem {
	return d.object(func(name []byte) *Problem {
		k, ok := c.index[string(name)]
		if !ok {
			return wrong(fmt.Sprintf("the attribute %q", shortened(name)), c.wanted())
		}
		field := c.list[k].Name
		if _, twice := c.out[field]; twice {
			return wrong("the attribute twice", "once")
		}
		start, items := d.at, 0
		if first := d.peek(); first != '[' {
			return d.unlike(first, "a list")
		}
		if p := d.list(func(int) *Problem { items++; return d.skip() }); p != nil {
			return p
		}
		if items != rows {
			return wrong(fmt.Sprintf("%d values", items), strconv.Itoa(rows))
		}
		d.at = start
		to := c.begin(k, rows)
		return d.list(func(i int) *Problem { return d.value(to, i) })
	})
}

// value reads the value of a row.
func (d *decoder) value(c *column, row int) *Problem {
	if c.Kind == task.KindCategory {
		text, ok, p := d.category()
		if p == nil && ok {
			p = c.set(row, schema.Cell{Kind: schema.Text, Text: string(text)})
		}
		return p
	}
	if d.peek() == '"' && c.reader != nil {
		text, p := d.str()
		if p == nil {
			p = c.set(row, schema.TextCell(string(text)))
		}
		return p
	}
	v, p := d.float()
	if p == nil && c.reader != nil {
		return c.set(row, schema.NumberCell(v))
	}
	c.numbers[row] = v
	return p
}

// set takes the cell of a row.
func (c *column) set(row int, cell schema.Cell) (p *Problem) {
	var err error
	if c.Kind == task.KindCategory {
		c.codes[row], err = c.reader.Code(cell)
	} else {
		c.numbers[row], err = c.reader.Number(cell)
	}
	if err != nil {
		return wrongCell(cell, err)
	}
	return nil
}

// wrongCell is the problem of a cell that a field does not read.
func wrongCell(c schema.Cell, err error) *Problem {
	_, expected, _ := strings.Cut(err.Error(), "expected ")
	return wrong(strconv.Quote(shortened([]byte(c.String()))), expected)
}

// wanted lists the attributes that the run reads.
func (c *columns) wanted() string {
	if len(c.list) == 0 {
		return "no attributes"
	}
	out := ""
	for k, f := range c.list {
		if k > 0 {
			out += ", "
		}
		out += fmt.Sprintf("%q", f.Name)
	}
	return out
}
