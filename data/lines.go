package data

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"slices"
	"strings"
)

// folder is the location of the files of one set, the budget for reading them, and the checksums of
// the files read so far.
type folder struct {
	fsys fs.FS
	dir  string
	*Budget
	sums []string // lines as in Checksum
}

// has reports whether the set has the file, gzipped or not.
func (f *folder) has(name string) bool {
	_, ok := f.find(name)
	return ok
}

// find returns the path of a file. A file whose state cannot be read counts as found: opening it
// then returns the error, and it is not taken for a missing optional file.
func (f *folder) find(name string) (string, bool) {
	for _, suffix := range []string{"", ".gz"} {
		p := path.Join(f.dir, name+suffix)
		if info, err := fs.Stat(f.fsys, p); err == nil && !info.IsDir() || err != nil && !errors.Is(err, fs.ErrNotExist) {
			return p, true
		}
	}
	return "", false
}

// Checksum returns Info.Checksum of files. lines are "sum  file" with the checksum of each file in
// hexadecimal. It sorts the lines by file.
func Checksum(lines []string) string {
	slices.SortFunc(lines, func(a, b string) int {
		return strings.Compare(a[hex.EncodedLen(sha256.Size):], b[hex.EncodedLen(sha256.Size):])
	})
	h := sha256.New()
	for _, l := range lines {
		fmt.Fprintln(h, l)
	}
	return hex.EncodeToString(h.Sum(nil))
}

// lines reads one file line by line. Only the last lines may be empty.
type lines struct {
	folder *folder
	name   string
	file   fs.File
	text   *Text
	buf    *bufio.Reader
	long   []byte // a line that did not fit into buf
	line   int    // number of the line that next returned
	err    error
}

// open starts reading a file of the set.
func (f *folder) open(name string) (*lines, error) {
	p, ok := f.find(name)
	if !ok {
		return nil, &ParseError{File: name, Msg: "file is missing", Err: fs.ErrNotExist}
	}
	file, err := OpenFile(f.fsys, p)
	if err != nil {
		return nil, &ParseError{File: name, Msg: "cannot be opened", Err: err}
	}
	text, err := f.NewText(file)
	if err != nil {
		file.Close()
		return nil, &ParseError{File: name, Msg: "is not readable as gzip", Err: err}
	}
	text.Unbounded() // lines are bounded where they are read
	return &lines{folder: f, name: name, file: file, text: text, buf: bufio.NewReaderSize(text, 1<<16)}, nil
}

// next returns the next line without its end. It returns false at the end of the file and on an
// error, which close returns. The bytes are valid until the next call.
func (l *lines) next() ([]byte, bool) {
	for empty := 0; ; {
		b, ok := l.row()
		if !ok {
			return nil, false
		}
		if len(b) > 0 {
			if empty > 0 {
				l.line = empty
				l.fail(&ParseError{Msg: "empty line"})
				return nil, false
			}
			return b, true
		}
		if empty == 0 {
			empty = l.line
		}
	}
}

// row is next for a file in which a line may be empty. Call next afterwards to check that only
// empty lines remain.
func (l *lines) row() ([]byte, bool) {
	if l.err != nil {
		return nil, false
	}
	var b []byte
	var err error
	b, l.long, err = l.folder.ReadLine(l.buf, l.long)
	if err != nil && err != io.EOF {
		l.line++
		l.failure(err)
		return nil, false
	}
	if len(b) == 0 && err == io.EOF {
		l.err = io.EOF
		return nil, false
	}
	l.line++
	return bytes.TrimRight(b, " \t\r\n"), true
}

// fail records an error for the current line. The first error is kept.
func (l *lines) fail(e *ParseError) {
	if l.err == nil || l.err == io.EOF {
		e.File = l.name
		if e.Line == 0 {
			e.Line = l.line
		}
		l.err = e
	}
}

// failure records an error of reading.
func (l *lines) failure(err error) { l.fail(&ParseError{Msg: "cannot be read", Err: err}) }

// charge charges the memory for what will be kept of a line.
func (l *lines) charge(n int, what string) bool {
	if err := l.folder.Charge(int64(n), what); err != nil {
		l.failure(err)
		return false
	}
	return true
}

// failf is fail with a formatted message.
func (l *lines) failf(format string, args ...any) {
	l.fail(&ParseError{Msg: fmt.Sprintf(format, args...)})
}

// short records that the file ended too early, unless it ended because of another error.
func (l *lines) short(format string, args ...any) {
	if l.err != io.EOF {
		return
	}
	msg := "file ends early, "
	if l.line == 0 {
		msg = "file is empty, "
	}
	l.err = &ParseError{File: l.name, Line: l.line, Msg: msg + fmt.Sprintf(format, args...)}
}

// close ends reading and returns the error, if there was one. A file that was read to its end is
// added to the checksum of the set.
func (l *lines) close() error {
	if l.err == io.EOF {
		l.err = nil
		l.folder.sums = append(l.folder.sums, l.text.Sum()+"  "+l.name)
	}
	l.file.Close()
	return l.err
}

// cursor reads the fields of a line one by one. Blanks or one comma, with or without blanks around
// it, separate fields.
type cursor struct {
	b []byte
	i int
	// comma says that the last field was followed by a comma, so another field must follow.
	comma bool
}

// more reports whether the line has another field.
func (c *cursor) more() bool { return c.i < len(c.b) || c.comma }

// separator moves past the separator of two fields.
func (c *cursor) separator() {
	c.comma = false
	for c.i < len(c.b) {
		switch c.b[c.i] {
		case ',':
			if c.comma {
				return // the second comma is left as an empty field
			}
			c.comma = true
		case ' ', '\t':
		default:
			return
		}
		c.i++
	}
}

// field returns the next field as text.
func (c *cursor) field() []byte {
	start := c.blanks()
	for c.i < len(c.b) && c.b[c.i] != ' ' && c.b[c.i] != '\t' && c.b[c.i] != ',' {
		c.i++
	}
	f := c.b[start:c.i]
	c.separator()
	return f
}

// blanks moves to the start of the next field. Only the first field of a line can have blanks
// before it.
func (c *cursor) blanks() int {
	for c.i < len(c.b) && (c.b[c.i] == ' ' || c.b[c.i] == '\t') {
		c.i++
	}
	return c.i
}
