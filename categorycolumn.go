package ehgnn

import (
	"fmt"
	"strconv"

	"github.com/ehgnn/ehgnn/data/schema"
	"github.com/ehgnn/ehgnn/data/tables"
	"github.com/ehgnn/ehgnn/internal/settings"
)

// categoryColumn holds the codes of a categorical attribute while it is encoded.
type categoryColumn struct {
	field  settings.Field
	unseen Unseen
	// raw has a code for each row. A category that training lacks has a code above those of
	// Field.Values.
	raw    []int32
	others map[string]int32
}

func newCategoryColumn(of string, f settings.Field, rows int) *categoryColumn {
	return &categoryColumn{field: f, unseen: Unseen{Of: tables.Level(of), Column: f.Name}, raw: make([]int32, rows), others: map[string]int32{}}
}

// cell returns the cell of a row of Strings or Numbers.
func cell(values Values, row int) schema.Cell {
	switch v := values.(type) {
	case Strings:
		return schema.TextCell(v[row])
	case Numbers:
		return schema.NumberCell(v[row])
	}
	return schema.Cell{}
}

// unreadable returns the error for a cell that the reader refuses.
func (c *categoryColumn) unreadable(row int, cell schema.Cell, err error) error {
	return &AttributeError{string(c.unseen.Of), c.field.Name, row, strconv.Quote(cell.String()), "a category as in training: it " + err.Error()}
}

// parts returns the codes of an attribute with several values: one code for each of Field.Values
// and each row.
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

// cells returns the codes of texts or numbers. The code is -1 where the category is missing and
// where training lacks it.
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

// places returns the codes of categories that are given by their places in Field.Values.
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

// lacks counts a category that training lacks. It does not count if training had more categories
// than Field.Values keeps: then nobody knows whether training had this one.
func (c *categoryColumn) lacks(row int, name string) {
	c.number(row, name)
	if len(c.field.Values) >= schema.MaxValues {
		return
	}
	if c.unseen.Rows++; c.unseen.Rows == 1 {
		c.unseen.Example = name
	}
}

// number gives a row the raw code of a category that is not in Field.Values.
func (c *categoryColumn) number(row int, text string) {
	k, ok := c.others[text]
	if !ok {
		k = int32(len(c.others))
		c.others[text] = k
	}
	c.raw[row] = int32(len(c.field.Values)) + k
}
