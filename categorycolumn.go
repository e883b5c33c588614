package ehgnn

import (
	"fmt"
	"strconv"

	"github.com/ehgnn/ehgnn/data/schema"
	"github.com/ehgnn/ehgnn/data/tables"
	"github.com/ehgnn/ehgnn/internal/settings"
)

// categoryColumn is an attribute of categories while it is encoded.
type categoryColumn struct {
	field  settings.Field
	unseen Unseen
	// raw are the codes of the rows, with those of categories that training lacks behind its own.
	raw    []int32
	others map[string]int32
}

func newCategoryColumn(of string, f settings.Field, rows int) *categoryColumn {
	return &categoryColumn{field: f, unseen: Unseen{Of: tables.Level(of), Column: f.Name}, raw: make([]int32, rows), others: map[string]int32{}}
}

// cell is the cell of a row of texts or numbers.
func cell(values Values, row int) schema.Cell {
	switch v := values.(type) {
	case Strings:
		return schema.TextCell(v[row])
	case Numbers:
		return schema.NumberCell(v[row])
	}
	return schema.Cell{}
}

// unreadable is the error of a cell that the reader refuses.
func (c *categoryColumn) unreadable(row int, cell schema.Cell, err error) error {
	return &AttributeError{string(c.unseen.Of), c.field.Name, row, strconv.Quote(cell.String()), "a category as in training: it " + err.Error()}
}

// parts returns the codes of sets, one for each of Field.Values and row.
func (c *categoryColumn) parts(values Values, by *schema.FieldReader) (out []int32, err error) {
	for row := range c.raw {
		cell, lacks := cell(values, row), ""
		if out, lacks, err = by.Codes(out, cell); err != nil {
			return nil, c.unreadable(row, cell, err)
		}
		if lacks != "" {
			if c.unseen.Rows++; c.unseen.Rows == 1 {
				c.unseen.Example = lacks
			}
		}
		c.raw[row] = -1
		if text := by.Key(cell); text != "" {
			c.number(row, text)
		}
	}
	return out, nil
}

// cells returns the codes of texts or numbers: -1 for none, and for one that training lacks.
func (c *categoryColumn) cells(values Values, by *schema.FieldReader) func(row int) (int32, error) {
	return func(row int) (int32, error) {
		cell := cell(values, row)
		k, err := by.Code(cell)
		if err != nil {
			return 0, c.unreadable(row, cell, err)
		}
		if c.raw[row] = k; k == schema.Unseen {
			c.lacks(row, by.Key(cell))
		}
		return max(k, -1), nil
	}
}

// places returns codes that are given by their places.
func (c *categoryColumn) places(codes Codes) func(row int) (int32, error) {
	return func(row int) (int32, error) {
		k := codes[row]
		if k < UnseenCode || int(k) >= len(c.field.Values) {
			return 0, &AttributeError{string(c.unseen.Of), c.field.Name, row, fmt.Sprint(k), fmt.Sprintf("a place from 0 to %d", len(c.field.Values)-1)}
		}
		if c.raw[row] = k; k == UnseenCode {
			c.lacks(row, c.unseen.Example)
		}
		return max(k, -1), nil
	}
}

// lacks counts a category that training lacks. Where training had more categories than are kept, that
// is not known.
func (c *categoryColumn) lacks(row int, name string) {
	c.number(row, name)
	if len(c.field.Values) >= schema.MaxValues {
		return
	}
	if c.unseen.Rows++; c.unseen.Rows == 1 {
		c.unseen.Example = name
	}
}

// number gives a row the code of a text that is not in Field.Values.
func (c *categoryColumn) number(row int, text string) {
	k, ok := c.others[text]
	if !ok {
		k = int32(len(c.others))
		c.others[text] = k
	}
	c.raw[row] = int32(len(c.field.Values)) + k
}
