package report

import (
	"fmt"
	"io"
	"strconv"
	"strings"
)

// csvPieces writes RFC 4180 with LF line ends. It does not use encoding/csv, which needs a string
// for each field, so that millions of numbers take long. encoding/csv also writes a row of one
// empty field as an empty line, which readers skip.
type csvPieces struct {
	w     io.Writer
	begun bool
}

func newCSV(w io.Writer) pieces { return &csvPieces{w: w} }

func (*csvPieces) end() error { return nil }

func (p *csvPieces) header(t *Table) error {
	names, err := csvHeader(t)
	if err != nil {
		return err
	}
	var line []byte
	for _, name := range names {
		line = appendField(line, name)
		line = append(line, ',')
	}
	p.begun = true
	return writeLine(p.w, line)
}

func (p *csvPieces) piece(t *Table, rows int) error {
	if !p.begun {
		if err := p.header(t); err != nil {
			return err
		}
	}
	var line []byte
	for i := range rows {
		line = line[:0]
		for j := range t.Columns {
			c := &t.Columns[j]
			switch c.kind {
			case kindStrings, kindCells:
				line = append(appendField(line, c.strings[i]), ',')
			case kindInts:
				line = append(strconv.AppendInt(line, c.ints[i], 10), ',')
			case kindFloats:
				line = append(appendNumber(line, c.floats[i]), ',')
			case kindVectors:
				for _, v := range c.vector(i) {
					line = append(appendNumber(line, v), ',')
				}
			}
		}
		if err := writeLine(p.w, line); err != nil {
			return err
		}
	}
	return nil
}

// writeLine writes a line, given with a comma after each field.
func writeLine(w io.Writer, line []byte) error {
	line[len(line)-1] = '\n'
	if len(line) == 1 {
		line = []byte("\"\"\n") // a single empty field; readers would skip an empty line
	}
	_, err := w.Write(line)
	return err
}

// csvHeader returns the field names.
func csvHeader(t *Table) ([]string, error) {
	var names []string
	seen := make(map[string]bool)
	for _, c := range t.Columns {
		first := len(names)
		if c.kind == kindVectors {
			for k := range c.width {
				names = append(names, fmt.Sprintf("%s_%d", c.Name, k))
			}
		} else {
			names = append(names, c.Name)
		}
		for _, name := range names[first:] {
			if seen[name] {
				return nil, fmt.Errorf("two fields are named %q once vectors take a field per number", name)
			}
			seen[name] = true
		}
	}
	return names, nil
}

// appendField appends s, quoted if necessary.
func appendField(b []byte, s string) []byte {
	if !strings.ContainsAny(s, "\",\r\n") && strings.TrimSpace(s) == s {
		return append(b, s...)
	}
	b = append(b, '"')
	b = append(b, strings.ReplaceAll(s, `"`, `""`)...)
	return append(b, '"')
}

// appendNumber appends v, or nothing for a missing value.
func appendNumber(b []byte, v float32) []byte {
	if v != v {
		return b
	}
	return AppendFloat(b, v)
}
