package report

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"strconv"

	"github.com/ehgnn/ehgnn/internal/lists"
)

// jsonLines writes an object for each row, with keys in the order of columns.
type jsonLines struct{ w io.Writer }

func newJSONLines(w io.Writer) pieces { return jsonLines{w} }

func (jsonLines) end() error { return nil }

func (l jsonLines) piece(t *Table, rows int) error {
	keys := lists.Map(t.Columns, func(c Column) []byte { return append(appendText(nil, c.Name), ':') })
	var line []byte
	var err error
	for i := range rows {
		line = append(line[:0], '{')
		for j := range t.Columns {
			c := &t.Columns[j]
			line = append(line, keys[j]...)
			switch c.kind {
			case kindStrings:
				if c.optional && c.strings[i] == "" {
					line = append(line, "null"...)
					break
				}
				line = appendText(line, c.strings[i])
			case kindCells:
				if c.strings[i] == "" {
					line = append(line, "null"...)
				}
				line = append(line, c.strings[i]...)
			case kindInts:
				line = strconv.AppendInt(line, c.ints[i], 10)
			case kindFloats:
				line, err = appendJSONNumber(line, c.floats[i])
			case kindVectors:
				line, err = appendJSONArray(line, c.vector(i))
			}
			if err != nil {
				return fmt.Errorf("column %q, row %d: %w", c.Name, i, err)
			}
			line = append(line, ',')
		}
		line[len(line)-1] = '}'
		line = append(line, '\n')
		if _, err := l.w.Write(line); err != nil {
			return err
		}
	}
	return nil
}

// MarshalJSON writes the table as an array with an object for each row.
func (t *Table) MarshalJSON() ([]byte, error) {
	rows, err := t.check()
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	if err := newJSONLines(&b).piece(t, rows); err != nil {
		return nil, err
	}
	return append(append([]byte("["), joined(b.Bytes())...), ']'), nil
}

// joined joins lines of JSON as the elements of an array.
func joined(lines []byte) []byte {
	// Each object ends with a line break, and has no line break inside.
	return bytes.ReplaceAll(bytes.TrimSuffix(lines, []byte("\n")), []byte("}\n"), []byte("},\n"))
}

func appendJSONArray(b []byte, vector []float32) ([]byte, error) {
	b = append(b, '[')
	for _, v := range vector {
		var err error
		if b, err = appendJSONNumber(b, v); err != nil {
			return b, err
		}
		b = append(b, ',')
	}
	b[len(b)-1] = ']' // width is at least 1
	return b, nil
}

func appendJSONNumber(b []byte, v float32) ([]byte, error) {
	switch {
	case v != v:
		return append(b, "null"...), nil
	case math.IsInf(float64(v), 0):
		return b, fmt.Errorf("JSON cannot hold %v; CSV, Parquet and NPY can", v)
	}
	return AppendFloat(b, v), nil
}

// appendText appends s as a JSON string, without the escapes for HTML.
func appendText(b []byte, s string) []byte {
	var buf bytes.Buffer
	enc := json.NewEncoder(&buf)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(s); err != nil {
		panic(err) // a string can always be encoded
	}
	return append(b, bytes.TrimSuffix(buf.Bytes(), []byte("\n"))...)
}
