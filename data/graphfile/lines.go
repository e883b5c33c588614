package graphfile

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"unicode/utf8"

	"github.com/ehgnn/ehgnn/data"
)

// sampleSize is how many bytes of text are read to decide a format and its columns.
const sampleSize = 1 << 16

// textFile is an open file as text: unpacked, hashed and bounded by a budget.
type textFile struct {
	name   string // the last element of the path
	file   fs.File
	text   *data.Text
	buf    *bufio.Reader // of text
	budget *data.Budget
	size   int64 // of the file; 0 if not known
	ended  bool  // the whole text has been read
}

// openText opens a file at a path of the operating system.
func openText(path string, b *data.Budget) (*textFile, error) {
	t := &textFile{name: filepath.Base(path), budget: b}
	var err error
	if t.file, err = data.OpenFile(os.DirFS(filepath.Dir(path)), t.name); err != nil {
		return nil, t.errorf(0, err, "cannot be opened")
	}
	if info, err := t.file.Stat(); err == nil && info.Mode().IsRegular() {
		t.size = info.Size()
	}
	if t.text, err = b.NewText(t.file); err != nil {
		t.file.Close()
		return nil, t.errorf(0, err, "cannot be unpacked")
	}
	t.text.Unbounded() // records are bounded where they are read
	t.buf = bufio.NewReaderSize(t.text, sampleSize)
	return t, nil
}

// sample returns the first text of the file, which can still be read afterwards.
func (t *textFile) sample() (head []byte, whole bool, err error) {
	head, err = t.buf.Peek(sampleSize)
	if err == io.EOF {
		return head, true, nil
	}
	if err != nil {
		return nil, false, t.errorf(0, err, "cannot be read")
	}
	return head, false, nil
}

// errorf returns an error on a line. line is 0 for no line, cause may be nil.
func (t *textFile) errorf(line int, cause error, format string, args ...any) error {
	return &data.ParseError{File: t.name, Line: line, Msg: fmt.Sprintf(format, args...), Err: cause}
}

// Share estimates which share of the file has been read.
func (t *textFile) Share() float64 {
	if t.size == 0 {
		return 0
	}
	return float64(t.text.Taken(t.buf.Buffered())) / float64(t.size)
}

// Close closes the file. The checksum is empty before the end of the file.
func (t *textFile) Close() (string, error) {
	if err := t.file.Close(); err != nil {
		return "", t.errorf(0, err, "cannot be closed")
	}
	if !t.ended {
		return "", nil
	}
	return t.text.Sum(), nil
}

// lines reads a file line by line.
type lines struct {
	*textFile
	long []byte // a line that did not fit into buf
	line int    // number of the line that next returned
}

func openLines(path string, b *data.Budget) (*lines, error) {
	t, err := openText(path, b)
	if err != nil {
		return nil, err
	}
	return &lines{textFile: t}, nil
}

// ofLines returns the graph that make reads from the lines of a file. The file stays open for the
// graph.
func ofLines(path string, b *data.Budget, make func(*lines) (*Graph, error)) (*Graph, error) {
	l, err := openLines(path, b)
	if err != nil {
		return nil, err
	}
	g, err := make(l)
	if err != nil {
		l.file.Close()
		return nil, err
	}
	return g, nil
}

// next returns the next line without its end and without blanks before the end, and io.EOF after
// the last line.
func (l *lines) next() (string, error) {
	var b []byte
	var err error
	b, l.long, err = l.budget.ReadLine(l.buf, l.long)
	l.line++
	if errors.Is(err, io.EOF) {
		if len(b) == 0 {
			l.ended = true
			return "", io.EOF
		}
		err = nil
	}
	if err != nil {
		return "", l.errorf(l.line, err, "cannot be read")
	}
	b = bytes.TrimRight(b, " \t\r\n")
	if !utf8.Valid(b) {
		return "", l.errorf(l.line, nil, "is not UTF-8")
	}
	return string(b), nil
}

// sampleLines returns the first lines of a text: comments, which begin with # or %, and lines with
// data.
func sampleLines(head []byte, whole bool) (comments, rows []string) {
	if !whole { // the last line may be incomplete
		head = head[:bytes.LastIndexByte(head, '\n')+1]
	}
	for line := range strings.Lines(string(head)) {
		line = strings.TrimRight(line, " \t\r\n")
		switch {
		case line == "":
		case !isComment(line):
			rows = append(rows, line)
		case len(rows) == 0:
			comments = append(comments, line)
		}
	}
	return comments, rows
}

func isComment(line string) bool { return line != "" && (line[0] == '#' || line[0] == '%') }
