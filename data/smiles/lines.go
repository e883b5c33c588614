package smiles

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/ehgnn/ehgnn/data"
	"github.com/ehgnn/ehgnn/data/tables"
)

// rowReader reads molecules row by row, like tables.Rows.
type rowReader interface {
	Columns() []string
	Next() ([]string, error)
	Line(column int) int
	Close() (checksum string, err error)
}

// Kinds of files, by the endings of their names.
var (
	lineEndings  = []string{".smi", ".smiles"}
	blockEndings = []string{".sdf", ".sd", ".mol"}
)

// endsWith reports whether the name of a file, which may be gzipped, has one of some endings.
func endsWith(path string, endings []string) bool {
	ending := filepath.Ext(strings.TrimSuffix(strings.ToLower(path), ".gz"))
	return slices.ContainsFunc(endings, func(e string) bool { return ending == e })
}

// openRows opens a file of molecules: lines of SMILES, an SD file, or a table.
func openRows(path string, maxMemory int64, b *data.Budget) (rowReader, error) {
	switch {
	case endsWith(path, lineEndings):
		return opened(openLines(path, b))
	case endsWith(path, blockEndings):
		return opened(openBlocks(path, maxMemory, b))
	}
	return opened(tables.OpenRows(path, b))
}

// Checksum returns the checksum of the file at a path, as a Set has it, without reading molecules.
// It is empty if the file cannot be read, or can be read only once.
func Checksum(path string, maxMemory int64) string {
	if info, err := os.Stat(path); err != nil || !info.Mode().IsRegular() {
		return ""
	}
	b := data.NewBudget(maxMemory)
	r, err := openRows(path, maxMemory, b)
	if err != nil {
		return ""
	}
	for n := 1; err == nil; n++ {
		if _, err = r.Next(); n%batchRows == 0 {
			b.Renew()
		}
	}
	sum, closed := r.Close()
	if !errors.Is(err, io.EOF) || closed != nil {
		return ""
	}
	return sum
}

// opened returns nil for the reader if there is an error.
func opened[R rowReader](r R, err error) (rowReader, error) {
	if err != nil {
		return nil, err
	}
	return r, nil
}

// lineFile reads a text, which may be gzipped, line by line.
type lineFile struct {
	name string
	file fs.File
	text *data.Text
	buf  *bufio.Reader
	line int // of the last line, counted from 1
}

func openText(path string, b *data.Budget) (*lineFile, error) {
	whole, err := filepath.Abs(path)
	if err != nil {
		return nil, fmt.Errorf("smiles: %w", err)
	}
	f := &lineFile{name: filepath.Base(whole)}
	if f.file, err = data.OpenFile(os.DirFS(filepath.Dir(whole)), f.name); err != nil {
		return nil, &data.ParseError{File: f.name, Msg: "cannot be opened", Err: err}
	}
	if f.text, err = b.NewText(f.file); err != nil {
		f.file.Close()
		return nil, &data.ParseError{File: f.name, Msg: "cannot be unpacked", Err: err}
	}
	f.buf = bufio.NewReaderSize(f.text, 1<<16)
	return f, nil
}

// next returns the next line without its end, and io.EOF after the last.
func (f *lineFile) next() (string, error) {
	text, err := f.buf.ReadString('\n')
	if err != nil && (!errors.Is(err, io.EOF) || text == "") {
		if errors.Is(err, io.EOF) {
			return "", io.EOF
		}
		return "", &data.ParseError{File: f.name, Line: f.line + 1, Msg: "cannot be read", Err: err}
	}
	f.line++
	return strings.TrimRight(text, "\r\n"), nil
}

// record says that a record ends here. Each record is bounded like a line of a table.
func (f *lineFile) record() { f.text.Record(f.buf.Buffered()) }

// close ends reading. It returns the checksum of the text read so far.
func (f *lineFile) close() (string, error) {
	sum := f.text.Sum()
	if err := f.file.Close(); err != nil {
		return "", fmt.Errorf("smiles: %w", err)
	}
	return sum, nil
}
