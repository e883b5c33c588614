package tablefile

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/ehgnn/ehgnn/data"
	"github.com/ehgnn/ehgnn/data/schema"
)

// Options change how a table is read.
type Options struct {
	Sheet       string
	ListsAsText bool
}

// Open opens a table in fsys.
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

func (f *file) reader(head []byte) (Reader, error) {
	switch {
	case bytes.HasPrefix(head, []byte("PAR1")):
		return openParquet(f)
	case bytes.HasPrefix(head, []byte("ARROW1")), bytes.HasPrefix(head, []byte("\xff\xff\xff\xff")):
		return openArrow(f)
	}
	return openText(f)
}

// file is an open file whose format is not known yet.
type file struct {
	fs.File
	fsys    fs.FS
	name    string // in fsys, as errors show it
	budget  *data.Budget
	options Options
}

// headBytes is how much of a file says what its format is.
const headBytes = 512

// openFile opens a file and returns its first bytes, which Read gives once more.
func openFile(fsys fs.FS, name string, b *data.Budget, o Options) (*file, []byte, error) {
	opened, err := data.OpenFile(fsys, name)
	if err != nil {
		return nil, nil, &data.ParseError{File: name, Msg: "cannot be opened", Err: err}
	}
	f := &file{File: opened, fsys: fsys, name: name, budget: b, options: o}
	head, err := f.head()
	if err != nil {
		opened.Close()
		return nil, nil, f.failed("cannot be read", err)
	}
	return f, head, nil
}

// head is the first bytes of the file.
func (f *file) head() ([]byte, error) {
	head := make([]byte, headBytes)
	n, err := io.ReadFull(f.File, head)
	if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
		return nil, err
	}
	head = head[:n]
	if s, ok := f.File.(io.Seeker); ok && !data.IsStream(f.File) {
		_, err := s.Seek(0, io.SeekStart)
		return head, err
	}
	f.File = &replayed{f.File, io.MultiReader(bytes.NewReader(head), f.File)}
	return head, nil
}

// replayed is a file that cannot go back, behind the bytes that were read of it.
type replayed struct {
	fs.File
	r io.Reader
}

func (r *replayed) Read(p []byte) (int, error) { return r.r.Read(p) }

// failed is an error of the file as a whole.
func (f *file) failed(msg string, err error) error {
	return &data.ParseError{File: f.name, Msg: msg, Err: err}
}

// tellApart gives each of several columns with one name, but the first, a name of its own, as
// pandas does: Account, Account.1, Account.2. Names are compared without regard to case. It
// changes names in place and returns the notes.
func tellApart(names []string) []string {
	taken := make(map[string]bool, len(names))
	for _, n := range names {
		taken[fold(n)] = true
	}
	seen := make(map[string]int, len(names)) // how many columns of a name were there
	var notes []string
	for i, n := range names {
		key := fold(n)
		k := seen[key]
		seen[key] = max(k, 1)
		if k == 0 {
			continue
		}
		for ; taken[fold(suffixed(n, k))]; k++ {
		}
		names[i] = suffixed(n, k)
		taken[fold(names[i])], seen[key] = true, k+1
		notes = append(notes, fmt.Sprintf("two columns are called %q; the one at column %d is called %q here", n, i+1, names[i]))
	}
	return shortened(notes, "columns have the name of another one, too")
}

func suffixed(name string, k int) string { return fmt.Sprintf("%s.%d", name, k) }

// shortened is some notes of one kind, and how many more there were.
func shortened(notes []string, more string) []string {
	const most = 10
	if len(notes) <= most {
		return notes
	}
	return append(notes[:most:most], fmt.Sprintf("%d more %s", len(notes)-most, more))
}

// fold is a name as it is compared, without case: equal for those that strings.EqualFold takes
// for equal.
func fold(name string) string {
	return strings.Map(func(r rune) rune {
		if r < utf8.RuneSelf && r != 'k' && r != 's' && r != 'K' && r != 'S' {
			return unicode.ToLower(r)
		}
		least := r
		for next := unicode.SimpleFold(r); next != r; next = unicode.SimpleFold(next) {
			least = min(least, next)
		}
		return least
	}, name)
}

// openText is a plain reader of CSV for the tests of folders.
func openText(f *file) (Reader, error) {
	text, err := f.budget.NewText(f)
	if err != nil {
		return nil, err
	}
	b, err := text.Bytes("files")
	if err != nil {
		return nil, err
	}
	t := &stubText{rows: strings.Split(strings.TrimSpace(string(b)), "\n")}
	if t.rows[0] == "" {
		return nil, f.failed("is empty", nil)
	}
	return t, nil
}

type stubText struct {
	rows []string
	at   int
}

func (t *stubText) Columns() []string { return strings.Split(t.rows[0], ",") }
func (t *stubText) Next() (schema.Row, error) {
	if t.at++; t.at == len(t.rows) {
		return nil, io.EOF
	}
	var row schema.Row
	for _, v := range strings.Split(t.rows[t.at], ",") {
		row = append(row, schema.TextCell(v))
	}
	return row, nil
}
func (t *stubText) Line(int) int           { return t.at + 1 }
func (t *stubText) Total() (int64, bool)   { return 0, false }
func (t *stubText) Share() float64         { return 0 }
func (t *stubText) Notes() []string        { return nil }
func (t *stubText) Close() (string, error) { return strings.Repeat("a", 64), nil }
