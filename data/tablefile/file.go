package tablefile

import (
	"bytes"
	"errors"
	"io"
	"io/fs"

	"github.com/ehgnn/ehgnn/data"
)

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

// share is about which share of the file has been read: its text but for some bytes that wait in a buffer; 0 where that is not known.
func (f *file) share(t *data.Text, buffered int) float64 {
	info, err := f.Stat()
	if err != nil || info.Size() == 0 || info.Mode()&fs.ModeType != 0 {
		return 0
	}
	return float64(t.Taken(buffered)) / float64(info.Size())
}

// failed is an error of the file as a whole.
func (f *file) failed(msg string, err error) error {
	return &data.ParseError{File: f.name, Msg: msg, Err: err}
}
