package tables

import (
	"fmt"
	"strings"

	"github.com/parquet-go/parquet-go"
)

// listLeaf is a leaf column of lists, or of lists of lists, that is read as text: [1.5,null]
// or [[1,2],null]. Numbers stand as they are, texts in quotes.
type listLeaf struct {
	depth int
	// present are the definition levels from which on there is a list, an item in it and, of
	// lists of lists, an item in that.
	present [3]int
}

// newListLeaf finds the levels of a leaf; ok is false for one that is nested deeper.
func newListLeaf(schema *parquet.Schema, path []string) (l *listLeaf, ok bool) {
	l = &listLeaf{}
	level := 0
	var node parquet.Node = schema
	for _, name := range path {
		at := node.Fields()
		k := 0
		for k < len(at) && at[k].Name() != name {
			k++
		}
		if k == len(at) {
			return nil, false
		}
		if node = at[k]; node.Optional() {
			level++
		}
		if !node.Repeated() {
			continue
		}
		if l.depth == 0 {
			l.present[0] = level
		}
		level++
		if l.depth++; l.depth == len(l.present) {
			return nil, false
		}
		l.present[l.depth] = level
	}
	return l, l.depth > 0
}

// text is the list of a row, whose values of the leaf are given; "" where it is missing.
func (l *listLeaf) text(values []parquet.Value) (string, error) {
	if len(values) == 0 || values[0].DefinitionLevel() < l.present[0] {
		return "", nil
	}
	var b strings.Builder
	b.WriteByte('[')
	for i, v := range values {
		level := v.DefinitionLevel()
		if level < l.present[1] { // the list is empty
			break
		}
		inner := l.depth == 2 && level >= l.present[2]
		goesOn := l.depth == 2 && v.RepetitionLevel() == 2
		if i > 0 {
			b.WriteByte(',')
		}
		if inner && !goesOn {
			b.WriteByte('[')
		}
		if err := writeItem(&b, v); err != nil {
			return "", err
		}
		if inner && (i == len(values)-1 || values[i+1].RepetitionLevel() < 2) {
			b.WriteByte(']')
		}
	}
	b.WriteByte(']')
	return b.String(), nil
}

var escaped = strings.NewReplacer(`\`, `\\`, `"`, `\"`)

// writeItem writes a value of a list.
func writeItem(b *strings.Builder, v parquet.Value) error {
	if v.IsNull() {
		b.WriteString("null")
		return nil
	}
	item, err := text(v)
	switch kind := v.Kind(); {
	case err != nil:
		return err
	case kind == parquet.ByteArray || kind == parquet.FixedLenByteArray:
		b.WriteString(`"` + escaped.Replace(item) + `"`)
	case item == "":
		b.WriteString("null")
	default:
		b.WriteString(item)
	}
	return nil
}

// layLists makes the columns of lists as text.
func (r *parquetRows) layLists(schema *parquet.Schema, leaf int, path []string) error {
	l, ok := newListLeaf(schema, path)
	if !ok {
		return r.failed(fmt.Sprintf("column %q is nested, expected plain values, lists or lists of pairs", path[0]), nil)
	}
	r.lists[leaf], r.width[leaf] = l, 1
	r.names = append(r.names, path[0])
	return nil
}
