package tablefile

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"unicode/utf8"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/float16"

	"github.com/ehgnn/ehgnn/data/schema"
)

// fill converts n values of an array, from an index on, to cells at a distance of stride. With an
// error it returns the index of the value that it could not convert.
type fill func(from, n int, cells []schema.Cell, stride int) (int, error)

// values is an array of values of one Go type.
type values[T any] interface {
	IsNull(i int) bool
	NullN() int
	Value(i int) T
}

// fillOf converts an array of plain values by its type.
func fillOf(a arrow.Array) (fill, error) {
	switch a := a.(type) {
	case *array.Null:
		return func(_, n int, cells []schema.Cell, stride int) (int, error) {
			for k := range n {
				cells[k*stride] = schema.Cell{}
			}
			return 0, nil
		}, nil
	case *array.Boolean:
		return each(a, schema.BooleanCell), nil
	case array.ExtensionArray:
		return extensionFill(a)
	case *array.Dictionary:
		return dictionaryFill(a)
	}
	if f := numberFill(a); f != nil {
		return f, nil
	}
	if f := timeFill(a); f != nil {
		return f, nil
	}
	if f := textFill(a); f != nil {
		return f, nil
	}
	if f := decimalFill(a); f != nil {
		return f, nil
	}
	return nil, fmt.Errorf("values of type %s are not read", a.DataType())
}

// each converts values that are always valid.
func each[T any](a values[T], cell func(T) schema.Cell) fill {
	nulls := a.NullN() != 0
	return func(from, n int, cells []schema.Cell, stride int) (int, error) {
		for k := range n {
			if i := from + k; nulls && a.IsNull(i) {
				cells[k*stride] = schema.Cell{}
			} else {
				cells[k*stride] = cell(a.Value(i))
			}
		}
		return 0, nil
	}
}

// eachChecked converts values that may be invalid.
func eachChecked[T any](a values[T], cell func(T) (schema.Cell, error)) fill {
	return func(from, n int, cells []schema.Cell, stride int) (int, error) {
		for k := range n {
			if i := from + k; a.IsNull(i) {
				cells[k*stride] = schema.Cell{}
			} else if c, err := cell(a.Value(i)); err != nil {
				return k, err
			} else {
				cells[k*stride] = c
			}
		}
		return 0, nil
	}
}

// numberFill converts numbers; nil for other types.
func numberFill(a arrow.Array) fill {
	switch a := a.(type) {
	case *array.Int8:
		return each(a, integer[int8])
	case *array.Int16:
		return each(a, integer[int16])
	case *array.Int32:
		return each(a, integer[int32])
	case *array.Int64:
		return each(a, schema.IntegerCell)
	case *array.Uint8:
		return each(a, integer[uint8])
	case *array.Uint16:
		return each(a, integer[uint16])
	case *array.Uint32:
		return each(a, integer[uint32])
	case *array.Uint64:
		return each(a, unsigned)
	case *array.Float16:
		return each(a, func(v float16.Num) schema.Cell { return schema.Float32Cell(v.Float32()) })
	case *array.Float32:
		return each(a, schema.Float32Cell)
	case *array.Float64:
		return each(a, schema.NumberCell)
	}
	return nil
}

func integer[T int8 | int16 | int32 | uint8 | uint16 | uint32](v T) schema.Cell {
	return schema.IntegerCell(int64(v))
}

// unsigned is a whole number, by its digits beyond int64.
func unsigned(v uint64) schema.Cell {
	if v <= math.MaxInt64 {
		return schema.IntegerCell(int64(v))
	}
	return schema.Cell{Kind: schema.Integer, Text: strconv.FormatUint(v, 10), Number: float64(v)}
}

var errNotText = errors.New("a value has bytes that are not UTF-8 text: leave the column out or write it as text")

// textFill converts texts, and bytes that are texts; nil for other types.
func textFill(a arrow.Array) fill {
	switch a := a.(type) {
	case *array.String:
		return eachChecked(a, text)
	case *array.LargeString:
		return eachChecked(a, text)
	case *array.StringView:
		return eachChecked(a, text)
	case *array.Binary:
		return eachChecked(asText{a}, text)
	case *array.LargeBinary:
		return eachChecked(asText{a}, text)
	case *array.BinaryView:
		return eachChecked(asText{a}, text)
	case *array.FixedSizeBinary:
		return eachChecked(a, func(b []byte) (schema.Cell, error) { return text(string(b)) })
	}
	return nil
}

func text(s string) (schema.Cell, error) {
	if !utf8.ValidString(s) {
		return schema.Cell{}, errNotText
	}
	return schema.Cell{Kind: schema.Text, Text: s}, nil
}

// asText returns the bytes of an array as texts, without a copy.
type asText struct {
	bytes interface {
		arrow.Array
		ValueString(i int) string
	}
}

func (a asText) IsNull(i int) bool  { return a.bytes.IsNull(i) }
func (a asText) NullN() int         { return a.bytes.NullN() }
func (a asText) Value(i int) string { return a.bytes.ValueString(i) }

// extensionFill converts UUIDs, and other extension types by their storage type.
func extensionFill(a array.ExtensionArray) (fill, error) {
	if a.ExtensionType().ExtensionName() == "arrow.uuid" {
		if b, ok := a.Storage().(*array.FixedSizeBinary); ok {
			return eachChecked(b, uuid), nil
		}
	}
	return fillOf(a.Storage())
}

// uuid formats 16 bytes.
func uuid(b []byte) (schema.Cell, error) {
	if len(b) != 16 {
		return schema.Cell{}, fmt.Errorf("an UUID has %d bytes, expected 16", len(b))
	}
	return schema.Cell{Kind: schema.Text, Text: fmt.Sprintf("%x-%x-%x-%x-%x", b[:4], b[4:6], b[6:8], b[8:10], b[10:])}, nil
}

// dictionaryFill converts dictionary-encoded values; each dictionary value is converted when it is
// used.
func dictionaryFill(a *array.Dictionary) (fill, error) {
	words := a.Dictionary()
	f, err := fillOf(words)
	if err != nil {
		return nil, err
	}
	return func(from, n int, cells []schema.Cell, stride int) (int, error) {
		for k := range n {
			if a.IsNull(from + k) {
				cells[k*stride] = schema.Cell{}
				continue
			}
			i := a.GetValueIndex(from + k)
			if i < 0 || i >= words.Len() {
				return k, fmt.Errorf("word %d of a dictionary of %d", i, words.Len())
			}
			if _, err := f(i, 1, cells[k*stride:], stride); err != nil {
				return k, err
			}
		}
		return 0, nil
	}, nil
}
