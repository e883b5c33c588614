package data

import (
	"archive/tar"
	"archive/zip"
	"bufio"
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
)

// archiveEndings are the endings of archive names, the longest first.
var archiveEndings = []string{".tar.gz", ".tgz", ".tar", ".zip"}

// Archive is an open zip or tar as a file system.
type Archive struct {
	fs.FS
	// Name is the name of the file without .zip, .tar, .tar.gz or .tgz.
	Name  string
	close func() error
}

// Close closes the archive. Its files cannot be read afterwards.
func (a *Archive) Close() error { return a.close() }

// IsArchive reports whether a path of the operating system is a zip or a tar, gzipped or not. It
// reads the content. Only for tars from before 1988 the name decides.
func IsArchive(name string) bool {
	kind, err := archiveKind(name)
	return err == nil && kind != ""
}

// archiveKind returns "zip", "tar", or "" for another file.
func archiveKind(name string) (string, error) {
	// Opening a pipe would wait for its writer and take data from it.
	if info, err := os.Stat(name); err != nil || !info.Mode().IsRegular() {
		return "", err
	}
	file, err := os.Open(name)
	if err != nil {
		return "", err
	}
	defer file.Close()
	buf := bufio.NewReader(file)
	// Every zip starts with a local file header or, if it is empty, with its end record.
	magic, _ := buf.Peek(4)
	if string(magic) == "PK\x03\x04" || string(magic) == "PK\x05\x06" {
		return "zip", nil
	}
	text, err := unpacked(buf)
	if err != nil {
		return "", nil // the reader of the file will report it
	}
	const magicAt = 257 // position in the header of the first file
	header := make([]byte, magicAt+5)
	if _, err := io.ReadFull(text, header); err == nil && string(header[magicAt:]) == "ustar" {
		return "tar", nil
	}
	for _, ending := range archiveEndings[:3] {
		if strings.HasSuffix(strings.ToLower(name), ending) {
			return "tar", nil
		}
	}
	return "", nil
}

// unpacked returns the unpacked text of a gzip, or the reader itself.
func unpacked(buf *bufio.Reader) (io.Reader, error) {
	if magic, _ := buf.Peek(2); string(magic) != "\x1f\x8b" {
		return buf, nil
	}
	return gzip.NewReader(buf)
}

// OpenArchive opens a zip or a tar, gzipped or not. A tar is unpacked into memory within the
// budget; a larger one returns an error that wraps ErrTooLarge. Links and other entries that are
// not files are left out. A path that leads out of the archive is an error.
func OpenArchive(name string, b *Budget) (*Archive, error) { return openArchive(name, b, true) }

// ListArchive is OpenArchive for reading the names of the files only: the files of a tar are empty.
func ListArchive(name string) (*Archive, error) { return openArchive(name, NewBudget(0), false) }

func openArchive(name string, b *Budget, contents bool) (*Archive, error) {
	a := &Archive{Name: filepath.Base(name)}
	for _, ending := range archiveEndings {
		if n := len(a.Name) - len(ending); n > 0 && strings.EqualFold(a.Name[n:], ending) {
			a.Name = a.Name[:n]
			break
		}
	}
	kind, err := archiveKind(name)
	switch {
	case err != nil:
	case kind == "zip":
		a.FS, a.close, err = b.zipFile(name)
	case kind == "tar":
		a.close = func() error { return nil }
		a.FS, err = b.readTar(name, contents)
	default:
		err = fmt.Errorf("%w: expected a zip or a tar", ErrUnknownFormat)
	}
	if err != nil {
		return nil, fmt.Errorf("data: %s: %w", filepath.Base(name), err)
	}
	return a, nil
}

// fileBytes is the memory of a file in an archive besides its contents.
const fileBytes = 1024

// zipFile opens a zip of the operating system.
func (b *Budget) zipFile(name string) (fs.FS, func() error, error) {
	file, err := os.Open(name)
	if err != nil {
		return nil, nil, err
	}
	var z *zip.Reader
	info, err := file.Stat()
	if err == nil {
		z, err = b.openZip(file, info.Size())
	}
	if err != nil {
		file.Close()
		return nil, nil, err
	}
	return z, file.Close, nil
}

// openZip reads the list of files of a zip. The list is charged while it is read.
func (b *Budget) openZip(r io.ReaderAt, size int64) (*zip.Reader, error) {
	b.File(size)
	return b.ListZip(r, size)
}

// ListZip reads the list of files of a zip. The list is charged while it is read. The readers of
// the files charge their contents.
func (b *Budget) ListZip(r io.ReaderAt, size int64) (*zip.Reader, error) {
	list := &listReader{r: r, budget: b}
	z, err := zip.NewReader(list, size)
	list.budget = nil
	return z, err
}

// listReader charges the memory that a zip reader needs for the list of files.
type listReader struct {
	r      io.ReaderAt
	budget *Budget
}

func (l *listReader) ReadAt(p []byte, at int64) (int, error) {
	const entry = 46 // bytes of the smallest entry, whose name is empty
	if l.budget != nil {
		if err := l.budget.Charge(int64(len(p))*fileBytes/entry, "files of an archive"); err != nil {
			return 0, err
		}
	}
	return l.r.ReadAt(p, at)
}

// readTar copies a tar into a zip in memory, because a zip can be read as a file system.
func (b *Budget) readTar(name string, contents bool) (fs.FS, error) {
	file, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	packed := &counter{r: file}
	text, err := unpacked(bufio.NewReaderSize(packed, 1<<16))
	if err != nil {
		return nil, err
	}
	whole := &tarText{r: text, packed: packed, budget: b}
	var memory bytes.Buffer
	z := zip.NewWriter(&memory)
	seen := map[string]bool{}
	buffer := make([]byte, 1<<16)
	for r := tar.NewReader(whole); ; {
		h, err := r.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, fmt.Errorf("is not readable as a tar: %w", err)
		}
		if h.Typeflag != tar.TypeReg {
			continue
		}
		inside := path.Clean(h.Name)
		switch {
		case !fs.ValidPath(inside) || inside == "." || strings.Contains(inside, `\`):
			return nil, fmt.Errorf("file %q is not inside the archive", h.Name)
		case seen[inside]:
			return nil, fmt.Errorf("file %q is there twice", inside)
		}
		seen[inside] = true
		if err := b.Charge(fileBytes+4*int64(len(inside)), "files of an archive"); err != nil {
			return nil, err
		}
		w, err := z.CreateHeader(&zip.FileHeader{Name: inside}) // stored without compression
		if err == nil && contents {
			err = b.copyFile(w, r, buffer)
		}
		if err != nil {
			return nil, fmt.Errorf("file %q is not readable: %w", inside, err)
		}
	}
	if err := z.Close(); err != nil {
		return nil, err
	}
	return zip.NewReader(bytes.NewReader(memory.Bytes()), int64(memory.Len()))
}

// copyFile copies a file of a tar into memory, in pieces of the size of the buffer.
func (b *Budget) copyFile(w io.Writer, r io.Reader, buffer []byte) error {
	for {
		n, err := io.CopyBuffer(w, io.LimitReader(r, int64(len(buffer))), buffer)
		if e := b.Charge(2*n, "files of an archive"); e != nil { // the memory grows to twice its size
			return e
		}
		if err != nil || n == 0 {
			return err
		}
	}
}

// tarText bounds the text of a tar. Headers count too, because there may be any number of empty
// files.
type tarText struct {
	r      io.Reader
	packed *counter
	seen   int64 // bytes of packed that the budget has counted
	read   int64
	budget *Budget
}

func (t *tarText) Read(p []byte) (int, error) {
	n, err := t.r.Read(p)
	t.read += int64(n)
	t.budget.File(t.packed.n - t.seen)
	t.seen = t.packed.n
	if t.read > t.budget.limit {
		return 0, t.budget.exceeded("the archive has more bytes")
	}
	if e := t.budget.Inflated(t.read, t.packed.n); e != nil {
		return 0, e
	}
	return n, err
}
