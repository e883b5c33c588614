package ehgnn

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"

	"github.com/ehgnn/ehgnn/data/nodelink"
	"github.com/ehgnn/ehgnn/data/schema"
	"github.com/ehgnn/ehgnn/internal/lists"
	"github.com/ehgnn/ehgnn/internal/settings"
)

// documentColumns holds the attributes that the run reads of the nodes or the edges of a document.
type documentColumns struct {
	of      string // "node" or "edge"
	list    []documentColumn
	names   *schema.Names
	vectors map[string]int // lists of numbers whose elements are columns (schema.VectorWidths)
	key     []byte         // buffer for a name such as NAME_0
	remarks []string       // on names that differ in case
}

// documentColumn is one attribute.
type documentColumn struct {
	Field
	reader  *schema.FieldReader // nil for codes
	numbers Numbers
	codes   Categories
	texts   Strings // of an attribute with several values
	row     int     // the last row that has a value, -1 at first
	equal   bool    // that value's name had the same case as in training
	said    bool    // a remark on its name was added
}

// columnsOf collects those attributes of n items that are in the schema.
func (m *Model) columnsOf(g *Graph, of string, fields []Field, n int, attributes func(i int) []nodelink.Attribute) (Columns, error) {
	c := &documentColumns{of: of, vectors: schema.VectorWidths(fields)}
	out := Columns{}
	var names []string
	for _, f := range fields {
		x := documentColumn{Field: f, reader: m.Reader(of, f.Name), row: -1}
		switch {
		case f.IsSet():
			x.texts = make(Strings, n)
			out[f.Name] = x.texts
		case f.Kind == settings.KindNumber || f.Kind == settings.KindCode:
			x.numbers = make(Numbers, n)
			for i := range x.numbers {
				x.numbers[i] = math.NaN()
			}
			out[f.Name] = x.numbers
		case f.Kind == settings.KindCategory:
			x.codes.Codes = make(Codes, n)
			for i := range x.codes.Codes {
				x.codes.Codes[i] = -1
			}
		default:
			continue
		}
		c.list, names = append(c.list, x), append(names, f.Name)
	}
	for k := range c.list {
		if x := &c.list[k]; x.Kind == settings.KindCategory && !x.IsSet() {
			out[x.Name] = &x.codes
		}
	}
	c.names = schema.NewNames(names)
	for i := range n {
		for _, at := range attributes(i) {
			if err := c.read(i, at, attributes(i)); err != nil {
				return nil, fmt.Errorf("attribute %q of %s %d %w", at.Name, of, i, err)
			}
		}
	}
	g.Remarks = append(g.Remarks, c.remarks...)
	return out, nil
}

// read reads one of the attributes of an item. A list NAME of numbers stands for the attributes NAME_0,
// NAME_1, ...
func (c *documentColumns) read(row int, at nodelink.Attribute, all []nodelink.Attribute) error {
	k, equal := c.names.Find([]byte(at.Name))
	if k >= 0 {
		if at.Value.Kind == nodelink.Nested || at.Value.Kind > nodelink.Bool && !c.list[k].IsSet() {
			return fmt.Errorf("is %s, expected what the training had", at.Value.Kind)
		}
		cell, err := at.Value.Cell()
		if date := c.list[k].Date; err == nil && date != "" {
			cell, err = nodelink.WithDate(all, date, cell, c.list[k].reader.Missing)
		}
		if err != nil {
			return err
		}
		return c.set(k, row, at.Name, equal, cell)
	}
	v, width := at.Value, c.vectors[schema.FoldName(at.Name)]
	items := lists.Map(v.List, schema.NumberCell)
	if cell, err := v.Cell(); v.Kind != nodelink.List && err == nil { // such as null: every element has this value
		if list, ok := schema.NumberList(cell); ok && len(list) > 0 {
			items = list
		} else if ok { // an empty list: every element is missing
			items = make([]schema.Cell, width)
		} else {
			items = slices.Repeat([]schema.Cell{cell}, width)
		}
	}
	if len(items) < width {
		return fmt.Errorf("is a list of %d numbers, expected %d as in training", len(items), width)
	}
	for i, cell := range items {
		c.key = strconv.AppendInt(append(append(c.key[:0], at.Name...), '_'), int64(i), 10)
		if k, equal := c.names.Find(c.key); k >= 0 {
			if err := c.set(k, row, string(c.key), equal, cell); err != nil {
				return err
			}
		}
	}
	return nil
}

// set reads the cell of an attribute. If two names of an item differ only in case, the name that
// training had wins.
func (c *documentColumns) set(k, row int, name string, equal bool, cell schema.Cell) (err error) {
	x := &c.list[k]
	switch again := x.row == row; {
	case again && equal == x.equal:
		return errors.New("is there twice")
	case again && !equal:
		return nil
	}
	x.row, x.equal = row, equal
	if !equal && !x.said {
		x.said = true
		c.remarks = append(c.remarks, schema.ReadAs(name, x.Name))
	}
	switch {
	case x.IsSet():
		x.texts[row] = x.reader.Key(cell)
	case x.Kind == settings.KindCategory:
		return x.codes.Read(row, cell, x.reader)
	case x.reader != nil:
		x.numbers[row], err = x.reader.Number(cell)
	case cell.Kind == schema.Missing:
		x.numbers[row] = math.NaN()
	case cell.Kind == schema.Integer || cell.Kind == schema.Number:
		x.numbers[row] = cell.Number
	default:
		err = fmt.Errorf("is a %s, expected a number", cell.Kind)
	}
	return err
}
