package tables

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/csv"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/ehgnn/ehgnn/data"
)

// rows goes through a table row by row. A value that is missing is "".
type rows interface {
	columns() []string
	// next returns the values of the next row, which are valid until the row after;
	// io.EOF after the last.
	next() ([]string, error)
	// line is the line on which a value of the row stands: in Parquet, which has no
	// lines, the number of the row, from 1.
	line(column int) int
	// total is the number of rows, if the file says it.
	total() (n int64, ok bool)
	// share is about which share of the file has been read; 0 where that is not known.
	share() float64
	// close ends the reading and returns the checksum of the text.
	close() (sum string, err error)
}

// folder is where the tables lie and what reading them may take.
type folder struct {
	fsys   fs.FS
	dir    string
	budget *data.Budget
	sums   []string

	listText bool // lists of Parquet are text, as in CSV
}

// endings are those of known tables, by precedence.
var endings = []string{".csv", ".csv.gz", ".parquet", ".tsv", ".tsv.gz"}

// find is the file of a table in the folder: the named one, or base with one of
// the endings.
func (f *folder) find(named, base string) (string, bool) {
	if named != "" {
		return named, true
	}
	for _, e := range endings {
		if info, err := fs.Stat(f.fsys, path.Join(f.dir, base+e)); err == nil && !info.IsDir() {
			return base + e, true
		}
	}
	return "", false
}

// open starts reading a table.
func (f *folder) open(name string) (rows, error) {
	file, err := data.OpenFile(f.fsys, pathOf(f, name))
	if err != nil {
		return nil, &data.ParseError{File: name, Msg: "cannot be opened", Err: err}
	}
	r, err := f.rows(name, file)
	if err != nil {
		file.Close()
		return nil, err
	}
	return r, nil
}

// rows reads an open file as Parquet or as text: its first bytes decide.
func (f *folder) rows(name string, file fs.File) (rows, error) {
	text, err := f.budget.NewText(file)
	if err != nil {
		return nil, &data.ParseError{File: name, Msg: "cannot be unpacked", Err: err}
	}
	if string(text.Peek(4)) == "PAR1" {
		return f.openParquet(name, file)
	}
	r := &csvRows{folder: f, name: name, file: file, text: text}
	return r, r.start()
}

// csvRows reads separated text.
type csvRows struct {
	folder *folder
	name   string
	file   fs.File
	text   *data.Text
	buf    *bufio.Reader // of the text
	csv    *csv.Reader
	names  []string
}

func (r *csvRows) start() error {
	r.buf = bufio.NewReaderSize(r.text, 1<<16)
	head, err := r.buf.Peek(1 << 14)
	if err != nil && !errors.Is(err, io.EOF) {
		return r.failed(err)
	}
	r.csv = csv.NewReader(r.buf)
	r.csv.Comma = separator(head)
	names, err := r.csv.Read()
	if errors.Is(err, io.EOF) {
		return &data.ParseError{File: r.name, Msg: "is empty, expected a line of column names"}
	}
	if err == nil {
		err = r.folder.budget.Charge(int64(len(names))*columnBytes, "columns")
	}
	if err != nil {
		return r.failed(err)
	}
	for _, n := range names {
		n = strings.TrimSpace(n)
		if !utf8.ValidString(n) {
			return &data.ParseError{File: r.name, Line: 1, Msg: fmt.Sprintf("column name %q is not UTF-8", n)}
		}
		r.names = append(r.names, n)
	}
	r.csv.ReuseRecord = true
	return nil
}

// separator is the most frequent of comma, semicolon and tab in the first line.
func separator(head []byte) rune {
	if i := bytes.IndexByte(head, '\n'); i >= 0 {
		head = head[:i]
	}
	best, most := ',', 0
	for _, c := range []rune{',', ';', '\t'} {
		if n := bytes.Count(head, []byte(string(c))); n > most {
			best, most = c, n
		}
	}
	return best
}

func (r *csvRows) columns() []string { return r.names }

func (r *csvRows) next() ([]string, error) {
	r.text.Record(r.buf.Buffered())
	row, err := r.csv.Read()
	if err != nil {
		if errors.Is(err, io.EOF) {
			return nil, io.EOF
		}
		return nil, r.failed(err)
	}
	return row, nil
}

// line is of the last row that next returned.
func (r *csvRows) line(column int) int {
	line, _ := r.csv.FieldPos(column)
	return line
}

func (r *csvRows) total() (int64, bool) { return 0, false }

func (r *csvRows) share() float64 {
	info, err := r.file.Stat()
	if err != nil || info.Size() == 0 {
		return 0
	}
	return float64(r.text.Taken(r.buf.Buffered())) / float64(info.Size())
}

// failed adds the file, and the line if it is known, to an error of reading.
func (r *csvRows) failed(err error) error {
	var p *csv.ParseError
	switch {
	case errors.As(err, &p) && errors.Is(p.Err, csv.ErrFieldCount):
		return &data.ParseError{File: r.name, Line: p.Line, Msg: fmt.Sprintf("number of values differs from that of the first line, expected %d", len(r.names))}
	case errors.As(err, &p):
		return &data.ParseError{File: r.name, Line: p.Line, Msg: fmt.Sprintf("character %d cannot be read", p.Column), Err: p.Err}
	}
	return &data.ParseError{File: r.name, Msg: "cannot be read", Err: err}
}

func (r *csvRows) close() (string, error) {
	if err := r.file.Close(); err != nil {
		return "", r.failed(err)
	}
	return r.text.Sum(), nil
}

// checksum is as data.Info.Checksum: over the lines "sum  file", sorted by file.
func (f *folder) checksum() string {
	slices.SortFunc(f.sums, func(a, b string) int { return strings.Compare(a[64:], b[64:]) })
	h := sha256.New()
	for _, s := range f.sums {
		fmt.Fprintf(h, "%s\n", s)
	}
	return hex.EncodeToString(h.Sum(nil))
}

// took records that a table was read.
func (f *folder) took(sum, name string) {
	f.sums = append(f.sums, sum+"  "+strings.TrimSuffix(name, ".gz"))
}

func pathOf(f *folder, name string) string { return path.Join(f.dir, name) }
