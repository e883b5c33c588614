package tablefile

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/ehgnn/ehgnn/data"
	"github.com/ehgnn/ehgnn/data/schema"
)

// readRow reads the cells of a row, which just started.
func (x *xlsxSource) readRow(start tag) (schema.Row, error) {
	number := x.row + 1
	if r := string(start.attribute("r")); r != "" {
		n, err := strconv.Atoi(r)
		if err != nil || n < number {
			return nil, x.sheet.failed(fmt.Sprintf("has row %q behind row %d", r, x.row), nil)
		}
		number = n
	}
	if number > lastRow {
		return nil, x.sheet.failed(fmt.Sprintf("has more than %d rows", lastRow), nil)
	}
	x.row = number
	clear(x.cells[:min(x.width, len(x.cells))])
	x.cells = x.cells[:min(x.width, len(x.cells))]
	for column := 0; ; column++ {
		t, err := x.sheet.next()
		switch {
		case err != nil:
			return nil, err
		case t.end: // of the row
			x.grow(x.width)
			return x.cells, nil
		case !t.starts("c"):
			if err := x.sheet.skip(); err != nil {
				return nil, err
			}
			column--
			continue
		}
		if r := t.attribute("r"); len(r) > 0 {
			at := cellColumn(r)
			if at < column {
				return nil, x.sheet.failed(fmt.Sprintf("has a cell %q in row %d, which is invalid or not in order", r, x.row), nil)
			}
			column = at
		}
		if column >= lastColumn {
			return nil, x.sheet.failed(fmt.Sprintf("has more than %d columns", lastColumn), nil)
		}
		if err := x.readCell(t, column); err != nil {
			return nil, err
		}
	}
}

// grow makes the row n values wide.
func (x *xlsxSource) grow(n int) {
	for len(x.cells) < n {
		x.cells = append(x.cells, schema.Cell{})
	}
}

// readCell reads a cell, which just started.
func (x *xlsxSource) readCell(start tag, column int) error {
	kind := string(start.attribute("t"))
	style := 0
	if s := string(start.attribute("s")); s != "" {
		n, err := strconv.Atoi(s)
		if err != nil || n < 0 {
			return x.cellError(column, "has style "+strconv.Quote(s))
		}
		style = n
	}
	hasValue, formula := false, false
	for {
		t, err := x.sheet.next()
		if err != nil {
			return err
		}
		if t.end {
			break
		}
		switch string(t.name) {
		case "v":
			hasValue = true
			x.value, err = x.sheet.chars(x.value[:0])
		case "is":
			hasValue = true
			x.value, err = x.sheet.richText(x.value[:0])
		case "f":
			formula = true
			err = x.sheet.skip()
		default:
			err = x.sheet.skip()
		}
		if err != nil {
			return err
		}
	}
	if !hasValue {
		if formula {
			return x.cellError(column, "has a formula without its value; open the workbook in a spreadsheet program and save it")
		}
		return nil
	}
	c, err := x.cell(kind, style, string(x.value), column)
	if err != nil || c.Kind == schema.Missing {
		return err
	}
	x.grow(column + 1)
	x.cells[column] = c
	return nil
}

// cell is a value of a kind.
func (x *xlsxSource) cell(kind string, style int, value string, column int) (schema.Cell, error) {
	switch kind {
	case "s":
		i, err := strconv.Atoi(strings.TrimSpace(value))
		if err != nil || i < 0 || i >= len(x.texts) {
			return schema.Cell{}, x.cellError(column, fmt.Sprintf("has text %q, of %d", value, len(x.texts)))
		}
		return schema.TextCell(x.texts[i]), nil
	case "str", "inlineStr", "d":
		return schema.TextCell(trim(unescape(value))), nil
	case "e": // #N/A and others
		return schema.Cell{}, nil
	case "b":
		if value = strings.TrimSpace(value); value != "0" && value != "1" {
			return schema.Cell{}, x.cellError(column, fmt.Sprintf("has truth value %q, expected 0 or 1", value))
		}
		return schema.BooleanCell(value == "1"), nil
	case "", "n":
		if value = strings.TrimSpace(value); value == "" {
			return schema.Cell{}, nil
		}
		v, err := strconv.ParseFloat(value, 64)
		if err != nil || strings.ContainsAny(value, "xXpP_iInN") { // Go's number syntax has these as well
			return schema.Cell{}, x.cellError(column, fmt.Sprintf("has number %q", value))
		}
		if style < len(x.styles) {
			return numberCell(v, x.styles[style], x.since), nil
		}
		return numberCell(v, plainNumber, x.since), nil
	}
	return schema.Cell{}, x.cellError(column, fmt.Sprintf("is of type %q", kind))
}

func (x *xlsxSource) cellError(column int, msg string) error {
	return &data.ParseError{File: x.file.name, Line: x.row, Msg: fmt.Sprintf("cell %s %s", cellName(column, x.row), msg)}
}

// formatKind is the kind of value that a number format shows.
type formatKind uint8

const (
	plainNumber formatKind = iota
	dateNumber             // days since the first day, a time
	clockNumber            // a time of day, unless it has a day
	spanNumber             // a duration, in days
)

// Days from day 0 of the two calendars to 1970. The calendar of 1900 has an extra day, February 29.
const (
	days1900 = 25569
	days1904 = 24107
	lastDay  = 2958466 // after the year 9999
)

// numberCell is a number as its format shows it: a time, the seconds of a time of day or duration,
// or a number.
func numberCell(v float64, kind formatKind, since int) schema.Cell {
	if kind == clockNumber && v >= 1 {
		kind = dateNumber
	}
	switch {
	case kind == spanNumber, kind == clockNumber:
		return wholeCell(math.Round(v*daySeconds*1000) / 1000)
	case kind == dateNumber && v >= 0 && v < lastDay:
		days := v - days1900
		switch {
		case since == 1904:
			days = v - days1904
		case v < 60:
			days++
		}
		return schema.TimeCell(math.Round(days*daySeconds*1000) / 1000)
	}
	return wholeCell(v)
}

// wholeCell is the cell of a whole number, if it is one.
func wholeCell(v float64) schema.Cell {
	if v == math.Trunc(v) && math.Abs(v) < 1<<53 {
		return schema.IntegerCell(int64(v))
	}
	return schema.NumberCell(v)
}

// builtInFormat is a format that every workbook has, by its number.
func builtInFormat(id int) formatKind {
	switch {
	case id >= 14 && id <= 17, id == 22, id >= 27 && id <= 31, id == 36, id >= 50 && id <= 58:
		return dateNumber
	case id >= 18 && id <= 21, id >= 32 && id <= 35, id == 45, id == 47:
		return clockNumber
	case id == 46:
		return spanNumber
	}
	return plainNumber
}

// formatOfCode is the kind of a format by its code, such as yyyy-mm-dd or [h]:mm or 0.00.
func formatOfCode(code string) formatKind {
	code = strings.ToLower(code)
	if code == "general" {
		return plainNumber
	}
	day, month, clock := false, false, false
	for i := 0; i < len(code); i++ {
		switch c := code[i]; c {
		case ';': // formats of negative numbers and of texts follow
			i = len(code)
		case '\\', '_', '*':
			i++
		case '"', '[':
			closing := strings.IndexByte(code[i+1:], map[byte]byte{'"': '"', '[': ']'}[c])
			if closing < 0 {
				return plainNumber
			}
			if inside := code[i+1 : i+1+closing]; c == '[' && inside != "" && strings.Trim(inside, inside[:1]) == "" && strings.Contains("hms", inside[:1]) {
				return spanNumber
			}
			i += closing + 1
		case 'y', 'd':
			day = true
		case 'm':
			month = true
		case 'h', 's':
			clock = true
		}
	}
	switch {
	case day, month && !clock:
		return dateNumber
	case clock:
		return clockNumber
	}
	return plainNumber
}
