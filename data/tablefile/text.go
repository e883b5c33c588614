package tablefile

import (
	"bufio"
	"bytes"
	"fmt"
	"slices"
	"unicode/utf8"

	"github.com/ehgnn/ehgnn/data"
	"github.com/ehgnn/ehgnn/data/schema"
	"github.com/ehgnn/ehgnn/internal/lists"
)

// textBuffer is the size of the read buffer.
const textBuffer = 1 << 16

// textSource reads the records of separated text.
type textSource struct {
	file  *file
	text  *data.Text
	split splitter
	head  header
	skips string // note about skipped lines
	cells schema.Row
	// single says that values have single quotation marks, because all names of the header do.
	single bool
}

// openText opens separated text, or JSON records.
func openText(f *file) (Reader, error) {
	text, err := f.budget.NewText(f)
	if err != nil {
		return nil, f.failed("cannot be unpacked", err)
	}
	head, err := text.Head()
	if err != nil {
		return nil, f.failed("cannot be read", err)
	}
	if isRecords(head) {
		return openRecords(f, text)
	}
	if err := checkText(f, head); err != nil {
		return nil, err
	}
	t := &textSource{file: f, text: text}
	t.split = splitter{buf: bufio.NewReaderSize(text, textBuffer), name: f.name}
	h := textHeader{splitter: &t.split}
	if err := h.find(); err != nil {
		return nil, err
	}
	t.skips = h.note()
	t.head = header{line: t.split.begin, quoted: t.split.quoted, comma: t.split.comma}
	for _, n := range t.split.values {
		if n = schema.Trim(n); !utf8.ValidString(n) {
			return nil, &data.ParseError{File: f.name, Line: t.head.line, Msg: fmt.Sprintf("column name %q is not UTF-8", n)}
		}
		t.head.names = append(t.head.names, n)
	}
	if t.single = !slices.ContainsFunc(t.head.names, func(n string) bool { return unquoted(n) == n }); t.single {
		t.head.names = lists.Map(t.head.names, unquoted)
	}
	t.head.names = withoutTypes(t.head.names)
	return newTidy(f, t, t.head)
}

// checkText returns an error for text that is not separated text.
func checkText(f *file, head []byte) error {
	switch formatOf(head) {
	case parquetFormat, arrowFormat, zipFormat:
		return f.failed("is a compressed file of a format that is read only without compression; decompress it with gunzip or unzstd", nil)
	}
	if err := refused(f.name, head); err != nil {
		return err
	}
	return refusedText(f.name, bytes.TrimPrefix(head, []byte("\xef\xbb\xbf")))
}

// next returns the next record.
func (t *textSource) next() (schema.Row, error) {
	t.text.Record(t.split.buf.Buffered())
	if err := t.split.next(); err != nil {
		return nil, err
	}
	n := len(t.split.values)
	if n > len(t.cells) {
		t.cells = make(schema.Row, n)
	}
	cells := t.cells[:n]
	for i, v := range t.split.values { // as schema.TextCell, but writing only what changes
		if v = trim(v); t.single {
			v = unquoted(v)
		}
		cells[i].Text, cells[i].Kind = v, schema.Text
		if v == "" {
			cells[i].Kind = schema.Missing
		}
	}
	return cells, nil
}

// unquoted is a value without single quotation marks.
func unquoted(v string) string {
	if n := len(v) - 1; n > 0 && v[0] == '\'' && v[n] == '\'' {
		return v[1:n]
	}
	return v
}

// trim is a value without blanks around it.
func trim(v string) string {
	if n := len(v); n == 0 || plainEnd(v[0]) && plainEnd(v[n-1]) {
		return v
	}
	return schema.Trim(v)
}

// plainEnd reports whether a byte is neither a blank nor part of a character that may be blank.
func plainEnd(c byte) bool { return c > ' ' && c < utf8.RuneSelf }

// quoted reports whether the first value of the record is quoted.
func (t *textSource) quoted() bool { return t.split.quoted }

func (t *textSource) line(field int) int {
	if field < len(t.split.lines) {
		return t.split.lines[field]
	}
	return t.split.begin
}

// widthHelp is a hint about a record with the wrong number of values.
func (t *textSource) widthHelp(row schema.Row, _, want int) string {
	switch {
	case commentMark([]byte(row[0].Text)) > 0:
		return "; comments are allowed only before the header"
	case len(row) > want && t.split.comma != doubleColon:
		return fmt.Sprintf("; a value with the separator %q inside needs quotation marks around it", t.split.comma)
	}
	return ""
}

func (t *textSource) total() (int64, bool) { return 0, false }

func (t *textSource) share() float64 { return t.file.share(t.text, t.split.buf.Buffered()) }

func (t *textSource) notes() []string {
	return lists.Filter([]string{t.skips, t.split.chars.note()}, func(n string) bool { return n != "" })
}

func (t *textSource) close() (string, error) { return t.text.Sum(), t.file.Close() }
