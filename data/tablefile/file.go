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
	name    string // in fsys, as shown in errors
	budget  *data.Budget
	options Options
}

// headBytes is how much of a file is needed to find its format.
const headBytes = 512

// openFile opens a file and reads its first bytes, which Read returns again.
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

// head returns the first bytes of the file.
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

// replayed is a file without seek: the bytes read so far, followed by the rest.
type replayed struct {
	fs.File
	r io.Reader
}

func (r *replayed) Read(p []byte) (int, error) { return r.r.Read(p) }

// share is the approximate share of the file that has been read, except for bytes in a buffer; 0 if it is unknown.
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
