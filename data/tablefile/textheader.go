package tablefile

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/ehgnn/ehgnn/data"
	"github.com/ehgnn/ehgnn/data/schema"
)

// textHead is how much of a text is examined to find its separator and its header.
const textHead = 1 << 14

// textHeader finds the header of a separated text.
type textHeader struct {
	*splitter
	skipped []int  // lines of comments and blanks
	comment []byte // last line, if it is a comment, without its mark
}

// find reads up to the end of the header, whose names are then the values of the splitter.
func (h *textHeader) find() error {
	head, whole, err := h.before()
	if err != nil {
		return err
	}
	if h.comma == 0 {
		h.comma = findSeparator(head, whole, !hasTextEnding(h.name))
	}
	if h.comment != nil && h.isHeader(head, whole) {
		h.begin, h.lines, h.quoted = h.line, nil, false
		h.skipped = h.skipped[:len(h.skipped)-1]
		return h.splitQuoted(h.comment)
	}
	two := hasTwoHeaders(sample(head, whole, h.comma, sampleRecords))
	if err := h.next(); err != io.EOF {
		if err == nil && two {
			err = &data.ParseError{File: h.name, Line: h.line + 1, Msg: twoHeaders}
		}
		return err
	}
	return &data.ParseError{File: h.name, Msg: "is empty, expected a line of column names"}
}

// before reads the lines before the header, including a title, and returns the text after them without consuming it;
// whole reports whether this is all of it.
func (h *textHeader) before() (head []byte, whole bool, err error) {
	for {
		if err := h.skip(); err != nil {
			return nil, false, err
		}
		head, err := h.buf.Peek(textHead)
		if err != nil && !errors.Is(err, io.EOF) {
			return nil, false, &data.ParseError{File: h.name, Line: h.line + 1, Msg: "cannot be read", Err: err}
		}
		if h.comment != nil || !hasTitle(head) && !hasPairs(head) {
			return head, err != nil, nil
		}
		h.skipped = append(h.skipped, h.line+1)
		if _, err := h.readLine(); err != nil {
			return nil, false, err
		}
	}
}

// skip reads the lines before the header: comments, blanks, and Excel's line that names the
// separator.
func (h *textHeader) skip() error {
	for {
		line, err := peekLine(h.buf)
		if err != nil {
			return &data.ParseError{File: h.name, Line: h.line + 1, Msg: "cannot be read", Err: err}
		}
		mark := commentMark(line)
		comma, named := namedSeparator(line)
		switch {
		case len(line) == 0:
			return nil // end of the text
		case named && h.comma == 0:
			h.comma = comma
		case mark > 0, len(bytes.Trim(line, " \t\r\n,;|\"")) == 0:
			h.skipped = append(h.skipped, h.line+1)
		default:
			return nil
		}
		text, err := h.readLine()
		if err != nil {
			return err
		}
		if h.comment = nil; mark > 0 {
			h.comment = bytes.TrimLeft(bytes.Clone(text[mark:]), " ")
		}
	}
}

// mostTitles is the largest number of title lines.
const mostTitles = 10

// hasTitle reports whether a text starts with a title, as in exports of spreadsheets and banks: lines with one value
// above a line with at least two names (none of them a number) and a line with as many values.
func hasTitle(head []byte) bool {
	var rows []string
	titles := 0
	for line := range strings.Lines(string(head)) {
		if strings.Trim(line, " \t\r\n,;|\"") == "" {
			continue
		}
		rows = append(rows, strings.TrimRight(line, "\r\n"))
		if titles == len(rows)-1 && titles < mostTitles && !strings.ContainsAny(strings.Trim(line, " ,;|\t\r\n"), "\t;,|\"") {
			titles++
		} else if len(rows) == titles+2 {
			break
		}
	}
	if titles == 0 || len(rows) < titles+2 {
		return false
	}
	return slices.ContainsFunc(separators, func(c byte) bool {
		names := sample([]byte(rows[titles]), true, c, 1)
		values := sample([]byte(rows[titles+1]), true, c, 1)
		return len(names) == 1 && len(values) == 1 && len(names[0]) == len(values[0]) && areNames(names[0])
	})
}

// hasPairs reports whether a text starts with names and their values in lines of two, as in exports of banks, above a blank line, a line
// with at least four names (none of them a number) and a line with as many values.
func hasPairs(head []byte) bool {
	return slices.ContainsFunc(separators, func(c byte) bool {
		titles, blank, names := 0, false, 0
		for line := range strings.Lines(string(head)) {
			if strings.Trim(line, " \t\r\n,;|\"") == "" {
				blank = true
				continue
			}
			all, filled := sample([]byte(line), true, c, 1), sample([]byte(strings.TrimRight(line, " \t\r\n,;|")), true, c, 1)
			switch {
			case len(all) == 0 || len(filled) == 0:
				return false
			case names > 0:
				return len(all[0]) == names
			case len(filled[0]) <= 2 && titles < mostTitles:
				titles, blank = titles+1, false
			case titles == 0 || !blank || len(all[0]) < 4 || !areNames(all[0]):
				return false
			default:
				names = len(all[0])
			}
		}
		return false
	})
}

// peekLine returns the next line with its end, or the start of a long line, without consuming it; nothing at the end.
func peekLine(buf *bufio.Reader) ([]byte, error) {
	for n := 1 << 9; ; n *= 2 {
		n = min(n, buf.Size())
		b, err := buf.Peek(n)
		if i := bytes.IndexByte(b, '\n'); i >= 0 {
			return b[:i+1], nil
		}
		if err == io.EOF || n == buf.Size() {
			return b, nil
		}
		if err != nil {
			return nil, err
		}
	}
}

// commentMark is the length of the mark at the start of a comment line, 0 for another line.
func commentMark(line []byte) int {
	for _, mark := range []string{"#", "%", "//"} {
		if bytes.HasPrefix(line, []byte(mark)) {
			return len(line) - len(bytes.TrimLeft(line, mark[:1]))
		}
	}
	return 0
}

// namedSeparator is the separator that a line of the form sep=; names.
func namedSeparator(line []byte) (byte, bool) {
	line = bytes.Trim(bytes.TrimRight(line, "\r\n"), `"`)
	const key = "sep="
	if len(line) != len(key)+1 || !strings.EqualFold(string(line[:len(key)]), key) {
		return 0, false
	}
	c := line[len(key)]
	return c, c == '\t' || c > ' ' && c < 0x7f && c != '"'
}

// isHeader reports whether the last comment is the header: it has at least two values and as many
// as the first record after it, and this record does not look like a header.
func (h *textHeader) isHeader(head []byte, whole bool) bool {
	names := sample(h.comment, true, h.comma, 1)
	if len(names) == 0 || len(names[0]) < 2 {
		return false
	}
	records := sample(head, whole, h.comma, sampleRecords)
	return len(records) == 0 || len(names[0]) == len(records[0]) && !namesColumns(records)
}

// namesColumns reports whether the first record has a text in a column of numbers.
func namesColumns(records [][]string) bool {
	first, others := records[0], records[1:]
	for i, name := range first {
		if name == "" || numeric(name) {
			continue
		}
		numbers := len(others) > 0
		for _, r := range others {
			numbers = numbers && i < len(r) && numeric(r[i])
		}
		if numbers {
			return true
		}
	}
	return false
}

const twoHeaders = `is a second line of column names, as pandas writes for columns of two levels; join both lines: in Python dataframe.columns = ["_".join(map(str, c)) for c in dataframe.columns]`

// hasTwoHeaders reports whether the second record has names of columns, like the first: the first repeats names, and
// the second has no number, and has texts in columns of numbers.
func hasTwoHeaders(records [][]string) bool {
	if len(records) < 3 || len(records[0]) != len(records[1]) || slices.ContainsFunc(records[1], func(v string) bool { return numeric(v) || v != "" && schema.IsMissing(v) }) {
		return false
	}
	rows := slices.DeleteFunc(slices.Clone(records[2:]), func(r []string) bool { return !slices.ContainsFunc(r, numeric) }) // without the names of an index
	names := slices.Sorted(slices.Values(slices.DeleteFunc(slices.Clone(records[0]), func(v string) bool { return v == "" })))
	return len(slices.Compact(slices.Clone(names))) < len(names) && namesColumns(append(records[1:2:2], rows...))
}

// numeric reports whether a value looks like a number or a time.
func numeric(value string) bool {
	return strings.ContainsAny(value, "0123456789") && strings.Trim(value, "0123456789+-.,:/ eETZ%") == ""
}

// note says which lines before the header were skipped.
func (h *textHeader) note() string {
	switch n := len(h.skipped); n {
	case 0:
		return ""
	case 1:
		return fmt.Sprintf("line %d before the header was skipped as a comment, a title or a blank line", h.skipped[0])
	default:
		return fmt.Sprintf("%d lines before the header, the last of them line %d, were skipped as comments, titles or blank lines", n, slices.Max(h.skipped))
	}
}
