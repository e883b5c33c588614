package serve

import (
	"fmt"
	"math"
	"strconv"

	"github.com/ehgnn/ehgnn/data/schema"
)

// name reads a string or number that is a name.
func (d *decoder) name() (string, *Problem) {
	switch c := d.peek(); {
	case c == '"':
		text, p := d.str()
		return string(text), p
	case c == '-' || c-'0' < 10:
		text, p := d.number()
		return string(text), p
	default:
		return "", d.wrongKind(c, "a string or a number")
	}
}

// count reads a whole number from 0 to most.
func (d *decoder) count(most int) (int, *Problem) {
	if c := d.peek(); c != '-' && c-'0' >= 10 {
		return 0, d.wrongKind(c, "a whole number")
	}
	text, p := d.number()
	if p != nil {
		return 0, p
	}
	n, err := strconv.ParseInt(string(text), 10, 64)
	switch {
	case err != nil || n < 0:
		return 0, wrong(shortened(text), "a whole number from 0")
	case n > int64(most):
		return 0, wrong(shortened(text), d.tooMany(true).Expected)
	}
	return int(n), nil
}

// pair reads an edge, [0,1].
func (d *decoder) pair(n int, ends *[]int32) *Problem {
	if c := d.peek(); c != '[' {
		return d.wrongKind(c, "an edge, such as [0,1]")
	}
	d.at++
	if d.peek() == ']' {
		return wrong("an edge without ends", "two nodes, such as [0,1]")
	}
	for k := range 2 {
		v, p := d.node(n)
		if p != nil {
			return p
		}
		*ends = append(*ends, v)
		if !d.take([]byte{',', ']'}[k]) {
			return wrong("an edge without two ends", "two nodes, such as [0,1]")
		}
	}
	return nil
}

// node reads the number of a node.
func (d *decoder) node(n int) (int32, *Problem) {
	c := d.peek()
	if c != '-' && c-'0' >= 10 {
		return 0, d.wrongKind(c, "the number of a node")
	}
	text, p := d.number()
	if p != nil {
		return 0, p
	}
	v := 0
	for _, c := range text {
		if c -= '0'; c >= 10 || v > math.MaxInt32 {
			v = n
			break
		}
		v = 10*v + int(c)
	}
	if v >= n {
		return 0, wrong(shortened(text), fmt.Sprintf("the number of a node, from 0 to %d", n-1))
	}
	return int32(v), nil
}

// float reads a number, NaN for null and NaN.
func (d *decoder) float() (float64, *Problem) {
	switch c := d.peek(); {
	case c == 'n':
		return math.NaN(), d.word("null")
	case c == '-' || c-'0' < 10 || c == 'I':
	default:
		return 0, d.wrongKind(c, "a number")
	}
	text, p := d.number()
	if p != nil {
		return 0, p
	}
	if len(text) <= 9 { // most are short whole numbers
		v, whole := 0, true
		for _, c := range text {
			if c -= '0'; c >= 10 {
				whole = false
				break
			}
			v = 10*v + int(c)
		}
		if whole {
			return float64(v), nil
		}
	}
	v, err := strconv.ParseFloat(string(text), 64)
	if err != nil {
		return 0, wrong(shortened(text), "a number that a double can hold")
	}
	return v, nil
}

// moment reads the time of an edge: a number, or a text in the notation of the training.
func (d *decoder) moment() (float64, *Problem) {
	if d.names.TimeReader == nil {
		return d.float()
	}
	cell, p := d.cell("a time")
	if p != nil {
		return 0, p
	}
	v, err := d.names.TimeReader.Number(cell)
	if err != nil {
		return 0, wrongCell(cell, err)
	}
	return v, nil
}

// cell reads a value as a cell of a table.
func (d *decoder) cell(expected string) (schema.Cell, *Problem) {
	switch c := d.peek(); {
	case c == '"':
		text, p := d.str()
		return schema.TextCell(string(text)), p
	case c == 'n':
		return schema.Cell{}, d.word("null")
	case c == 't':
		return schema.BooleanCell(true), d.word("true")
	case c == 'f':
		return schema.BooleanCell(false), d.word("false")
	case c == '-' || c-'0' < 10 || c == 'I':
	default:
		return schema.Cell{}, d.wrongKind(c, expected)
	}
	text, p := d.number()
	if p != nil {
		return schema.Cell{}, p
	}
	cell, err := schema.ParseNumber(string(text))
	if err != nil {
		return cell, wrongCell(schema.TextCell(string(text)), err)
	}
	return cell, nil
}

// listText reads a list as the text of a set, in place, without the tokens that package nodelink makes of it.
func (d *decoder) listText() (schema.Cell, *Problem) {
	var items []string
	p := d.list(func(int) *Problem {
		c := d.peek()
		if c == '[' || c == '{' || c == 't' || c == 'f' {
			return d.wrongKind(c, "a string or a whole number")
		}
		cell, p := d.cell("a string or a whole number")
		if p == nil && cell.Kind == schema.Number && !schema.IsWhole(cell.String()) {
			p = wrong(cell.String(), "a string or a whole number")
		}
		items = append(items, schema.ListItem(cell))
		return p
	})
	return schema.TextCell(schema.ListText(items)), p
}

// shortened is a text, shortened for an error.
func shortened(text []byte) string {
	const most = 40
	if len(text) > most {
		return string(text[:most]) + "..."
	}
	return string(text)
}

// truth reads true or false.
func (d *decoder) truth() (bool, *Problem) {
	switch c := d.peek(); c {
	case 't':
		return true, d.word("true")
	case 'f':
		return false, d.word("false")
	default:
		return false, d.wrongKind(c, "true or false")
	}
}
