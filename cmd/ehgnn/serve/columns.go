package serve

import (
	"fmt"
	"math"
	"strconv"

	"github.com/ehgnn/ehgnn"
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
	numbers ehgnn.Numbers
	codes   ehgnn.Codes
	last    int // row of which a value was read, -1 for none
}

func newColumns(fields []ehgnn.Field) columns {
	c := columns{index: map[string]int{}, out: ehgnn.Columns{}}
	for _, f := range fields {
		switch f.Kind {
		case task.KindNumber, task.KindCode, task.KindCategory:
			c.index[f.Name] = len(c.list)
			c.list = append(c.list, column{Field: f})
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
func (d *decoder) value(c *column, row int) (p *Problem) {
	if c.Kind != task.KindCategory {
		c.numbers[row], p = d.float()
		return p
	}
	text, ok, p := d.category()
	if p == nil && ok {
		c.codes[row] = placeOf(c.Values, text)
	}
	return p
}

// placeOf finds a text among sorted ones.
func placeOf(sorted []string, text []byte) int32 {
	lo, hi := 0, len(sorted)
	for lo < hi {
		mid := (lo + hi) / 2
		if sorted[mid] < string(text) {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	if lo < len(sorted) && sorted[lo] == string(text) {
		return int32(lo)
	}
	return ehgnn.UnseenCode
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
