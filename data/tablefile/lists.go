package tablefile

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

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

// firstLength is how many items the first list of an array has that is not missing.
func firstLength(a arrow.Array) (int, error) {
	lists := a.(array.ListLike)
	for i := range a.Len() {
		if a.IsValid(i) {
			from, to := lists.ValueOffsets(i)
			if from < 0 || to < from || to > int64(lists.ListValues().Len()) {
				return 0, errors.New("the places of a list are damaged")
			}
			return int(to - from), nil
		}
	}
	return 0, nil
}

// listFill converts lists of width items to a column per position. A missing list has missing
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

// listTextFill converts lists, or lists of lists, to texts: [1.5,null] or [[1,2],null]. Numbers
// stand as they are, texts in quotes.
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
			var b strings.Builder
			if err := w.write(&b, from+k); err != nil {
				return k, err
			}
			cells[k*stride] = schema.Cell{Kind: schema.Text, Text: b.String()}
		}
		return 0, nil
	}, nil
}

// listWriter writes the lists of an array.
type listWriter struct {
	lists  array.ListLike
	inner  *listWriter // of a list of lists
	item   fill        // of another one
	single bool        // the items are of 32 bits
}

func newListWriter(a arrow.Array) (w *listWriter, err error) {
	w = &listWriter{lists: a.(array.ListLike)}
	items := w.lists.ListValues()
	if isList(items.DataType()) {
		w.inner, err = newListWriter(items)
		return w, err
	}
	w.single = items.DataType().ID() == arrow.FLOAT32
	w.item, err = fillOf(items)
	return w, err
}

func (w *listWriter) write(b *strings.Builder, i int) error {
	b.WriteByte('[')
	begin, end := w.lists.ValueOffsets(i)
	for k := begin; k < end; k++ {
		if k > begin {
			b.WriteByte(',')
		}
		if err := w.writeItem(b, int(k)); err != nil {
			return err
		}
	}
	b.WriteByte(']')
	return nil
}

var escaped = strings.NewReplacer(`\`, `\\`, `"`, `\"`)

func (w *listWriter) writeItem(b *strings.Builder, i int) error {
	if w.inner != nil {
		if w.inner.lists.IsValid(i) {
			return w.inner.write(b, i)
		}
		b.WriteString("null")
		return nil
	}
	var c [1]schema.Cell
	if _, err := w.item(i, 1, c[:], 1); err != nil {
		return err
	}
	switch c[0].Kind {
	case schema.Missing:
		b.WriteString("null")
	case schema.Text, schema.Time:
		b.WriteString(`"` + escaped.Replace(c[0].String()) + `"`)
	case schema.Number:
		b.WriteString(strconv.FormatFloat(c[0].Number, 'g', -1, w.bits()))
	default:
		b.WriteString(c[0].String())
	}
	return nil
}

func (w *listWriter) bits() int {
	if w.single {
		return 32
	}
	return 64
}
