package tablefile

import (
	"errors"
	"fmt"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"

	"github.com/ehgnn/ehgnn/data/schema"
)

// isList reports whether values of a type are lists.
func isList(t arrow.DataType) bool {
	switch t.ID() {
	case arrow.LIST, arrow.LARGE_LIST, arrow.FIXED_SIZE_LIST:
		return true
	}
	return false
}

// itemType is the type of the items of a list.
func itemType(t arrow.DataType) arrow.DataType { return t.(arrow.ListLikeType).Elem() }

// lengths returns the number of items in the first list of an array that is not missing, and whether others have another number.
func lengths(a arrow.Array) (first int, differ bool, err error) {
	lists := a.(array.ListLike)
	first = -1
	for i := range a.Len() {
		if !a.IsValid(i) {
			continue
		}
		from, to := lists.ValueOffsets(i)
		if from < 0 || to < from || to > int64(lists.ListValues().Len()) {
			return 0, false, errors.New("the places of a list are damaged")
		}
		if first < 0 {
			first = int(to - from)
		}
		differ = differ || int(to-from) != first
	}
	return max(first, 0), differ, nil
}

// hasTexts reports whether the items are texts, or have no type because all lists are empty.
func hasTexts(t arrow.DataType) bool {
	switch t.ID() {
	case arrow.STRING, arrow.LARGE_STRING, arrow.STRING_VIEW, arrow.NULL:
		return true
	case arrow.DICTIONARY:
		return hasTexts(t.(*arrow.DictionaryType).ValueType)
	}
	return false
}

// listFill converts lists of width items to a column for each position. A missing list has missing
// items.
func listFill(a arrow.Array, width int) (fill, error) {
	lists := a.(array.ListLike)
	item, err := fillOf(lists.ListValues())
	if err != nil {
		return nil, err
	}
	return func(from, n int, cells []schema.Cell, stride int) (int, error) {
		for k := range n {
			row := cells[k*stride : k*stride+width]
			if a.IsNull(from + k) {
				clear(row)
				continue
			}
			begin, end := lists.ValueOffsets(from + k)
			if end-begin != int64(width) {
				return k, fmt.Errorf("a list has %d values, expected %d as in the first row", end-begin, width)
			}
			if width == 0 {
				continue
			}
			if _, err := item(int(begin), width, row, 1); err != nil {
				return k, err
			}
		}
		return 0, nil
	}, nil
}

// listTextFill converts lists, or lists of lists, to texts: [1.5,null] or [[1,2],null]. Numbers are
// unchanged, texts are quoted.
func listTextFill(a arrow.Array) (fill, error) {
	w, err := newListWriter(a)
	if err != nil {
		return nil, err
	}
	return func(from, n int, cells []schema.Cell, stride int) (int, error) {
		for k := range n {
			if a.IsNull(from + k) {
				cells[k*stride] = schema.Cell{}
				continue
			}
			text, err := w.text(from + k)
			if err != nil {
				return k, err
			}
			cells[k*stride] = schema.Cell{Kind: schema.Text, Text: text}
		}
		return 0, nil
	}, nil
}

// listWriter formats the lists of an array.
type listWriter struct {
	lists array.ListLike
	inner *listWriter // for a list of lists
	item  fill        // for other lists
}

func newListWriter(a arrow.Array) (w *listWriter, err error) {
	w = &listWriter{lists: a.(array.ListLike)}
	if items := w.lists.ListValues(); isList(items.DataType()) {
		w.inner, err = newListWriter(items)
	} else {
		w.item, err = fillOf(items)
	}
	return w, err
}

// text formats a list, null if it is missing.
func (w *listWriter) text(i int) (string, error) {
	if !w.lists.IsValid(i) {
		return schema.ListItem(schema.Cell{}), nil
	}
	begin, end := w.lists.ValueOffsets(i)
	var items []string
	for k := int(begin); k < int(end); k++ {
		item, err := w.itemText(k)
		if err != nil {
			return "", err
		}
		items = append(items, item)
	}
	return schema.ListText(items), nil
}

func (w *listWriter) itemText(i int) (string, error) {
	if w.inner != nil {
		return w.inner.text(i)
	}
	var c [1]schema.Cell
	_, err := w.item(i, 1, c[:], 1)
	return schema.ListItem(c[0]), err
}
