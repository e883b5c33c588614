package tablefile

import (
	"bufio"
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/ehgnn/ehgnn/data"
)

// Options change how a table is read.
type Options struct {
	// Sheet is the sheet of an xlsx file to read; empty for the first.
	Sheet string
	// ListsAsText reads every list of a typed file as text: [1.5,null,3]. Without it, lists of texts are text, and so are
	// lists of whole numbers if the lengths of the first rows differ or if the column is in Sets. Other lists become a
	// column for each position.
	ListsAsText bool
	Sets        []string
}

// Open opens a table in fsys: a file, or a folder of parts. The budget limits the memory of reading.
func Open(fsys fs.FS, name string, b *data.Budget, o Options) (Reader, error) {
	if info, err := fs.Stat(fsys, name); err == nil && info.IsDir() {
		return openFolder(fsys, name, b, o)
	}
	f, head, err := openFile(fsys, name, b, o)
	if err != nil {
		return nil, err
	}
	r, err := f.reader(head)
	if err != nil {
		f.Close()
		return nil, err
	}
	return r, nil
}

// reader returns the reader for the format of the file, by its first bytes.
func (f *file) reader(head []byte) (Reader, error) {
	if err := refused(f.name, head); err != nil {
		return nil, err
	}
	switch formatOf(head) {
	case parquetFormat:
		return openParquet(f)
	case arrowFormat:
		return openArrow(f)
	case zipFormat:
		return openXlsx(f)
	}
	return openText(f)
}

// OpenPath opens the table at a path of the operating system: a file, a pipe or a folder of parts.
func OpenPath(name string, b *data.Budget, o Options) (Reader, error) {
	dir, base := splitPath(name)
	return Open(os.DirFS(dir), base, b, o)
}

// splitPath splits a path into a folder and a name in it.
func splitPath(name string) (dir, base string) {
	dir, base = filepath.Split(filepath.Clean(name))
	if base == "." || base == ".." {
		if whole, err := filepath.Abs(name); err == nil {
			dir, base = filepath.Split(whole)
		}
	}
	if base == "" {
		base = "."
	}
	return filepath.Clean(dir), base
}

// textEndings are the extensions of separated text.
var textEndings = []string{".csv", ".tsv", ".tab", ".psv"}

// Recognise reports whether a path of the operating system is a table for OpenPath. This is a file that starts with the
// bytes of a table format; a text with the extension of a table (.csv, .tsv, .tab or .psv, optionally followed by .gz
// or .zst), with a line of column names, or with JSON records; or a folder of such parts. Known formats that are not
// supported also count, because the error of OpenPath says how to convert them.
func Recognise(name string) bool {
	info, err := os.Stat(name)
	switch {
	case err != nil:
		return false
	case info.IsDir():
		dir, base := splitPath(name)
		return isFolderOfParts(os.DirFS(dir), base)
	case hasTextEnding(name):
		return true
	case !info.Mode().IsRegular(): // opening a pipe would consume its data
		return false
	}
	dir, base := splitPath(name)
	f, head, err := openFile(os.DirFS(dir), base, data.NewBudget(0), Options{})
	if err != nil {
		return false
	}
	defer f.Close()
	if knownFormat(head) != nil {
		return true
	}
	switch formatOf(head) {
	case parquetFormat, arrowFormat:
		return true
	case zipFormat:
		return f.isWorkbook()
	}
	return isForeignText(head) || f.isText()
}

// isText reports whether the file is a text of JSON records, is compressed in a known format that is not supported, or
// starts with names of columns after comments and a title.
func (f *file) isText() bool {
	text, err := f.budget.NewText(f)
	if err != nil {
		return false
	}
	if head, err := text.Head(); err == nil && (isRecords(head) || knownFormat(head) != nil) { // also a compressed one, such as .rds
		return true
	}
	h := textHeader{splitter: &splitter{buf: bufio.NewReaderSize(text, textBuffer), name: f.name}}
	head, whole, err := h.before()
	return err == nil && hasNames(head, whole)
}

func hasTextEnding(name string) bool {
	name = strings.ToLower(name)
	for _, packed := range []string{".gz", ".zst"} {
		name = strings.TrimSuffix(name, packed)
	}
	return slices.Contains(textEndings, filepath.Ext(name))
}

// format is a format that the first bytes of a file show.
type format int

const (
	otherFormat format = iota
	parquetFormat
	arrowFormat
	zipFormat
)

func formatOf(head []byte) format {
	switch {
	case hasMagic(head, "PAR1"):
		return parquetFormat
	case hasMagic(head, "ARROW1"), bytes.HasPrefix(head, []byte("\xff\xff\xff\xff")):
		return arrowFormat
	case bytes.HasPrefix(head, []byte("PK\x03\x04")):
		return zipFormat
	}
	return otherFormat
}
