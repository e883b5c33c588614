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

// archiveEndings are what archives are called, the longest first.
var archiveEndings = []string{".tar.gz", ".tgz", ".tar", ".zip"}

// Archive is an open zip or tar as a file system.
type Archive struct {
	fs.FS
	// Name is the name of the file without .zip, .tar, .tar.gz or .tgz.
	Name  string
	close func() error
}

// Close closes the archive, whose files cannot be read after it.
func (a *Archive) Close() error { return a.close() }

// IsArchive reports whether a path of the operating system is a zip or a tar, gzipped
// or not. The content decides, but for tars of before 1988, whose name does.
func IsArchive(name string) bool {
	kind, err := archiveKind(name)
	return err == nil && kind != ""
}

// archiveKind is "zip", "tar" or "" for another file.
func archiveKind(name string) (string, error) {
	file, err := os.Open(name)
	if err != nil {
		return "", err
	}
	defer file.Close()
	if info, err := file.Stat(); err != nil || !info.Mode().IsRegular() {
		return "", err
	}
	buf := bufio.NewReader(file)
	// Every zip starts with a local file header, or, when empty, with its end.
	magic, _ := buf.Peek(4)
	if string(magic) == "PK\x03\x04" || string(magic) == "PK\x05\x06" {
		return "zip", nil
	}
	text, err := unpacked(buf)
	if err != nil {
		return "", nil // which the reader of the file says
	}
	const magicAt = 257 // in the header of the first file
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

// unpacked is the text behind a gzip, or the reader itself.
func unpacked(buf *bufio.Reader) (io.Reader, error) {
	if magic, _ := buf.Peek(2); string(magic) != "\x1f\x8b" {
		return buf, nil
	}
	return gzip.NewReader(buf)
}

// OpenArchive opens a zip or a tar, gzipped or not. A tar is unpacked into memory, up to
// maxBytes, 0 for DefaultMaxBytes; what is larger wraps ErrTooLarge. Links and other
// things that are no files are left out of it, and a path that leaves the archive is an
// error.
func OpenArchive(name string, maxBytes int64) (*Archive, error) {
	return openArchive(name, maxBytes, true)
}

// ListArchive is OpenArchive to look at the names of the files: those of a tar are
// empty.
func ListArchive(name string) (*Archive, error) { return openArchive(name, 0, false) }

func openArchive(name string, maxBytes int64, contents bool) (*Archive, error) {
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
	case maxBytes < 0:
		err = fmt.Errorf("MaxBytes %d is negative", maxBytes)
	case kind == "zip":
		var z *zip.ReadCloser
		if z, err = zip.OpenReader(name); err == nil {
			a.FS, a.close = z, z.Close
		}
	case kind == "tar":
		if maxBytes == 0 {
			maxBytes = DefaultMaxBytes
		}
		a.close = func() error { return nil }
		a.FS, err = readTar(name, maxBytes, contents)
	default:
		err = fmt.Errorf("%w: expected a zip or a tar", ErrUnknownFormat)
	}
	if err != nil {
		return nil, fmt.Errorf("data: %s: %w", filepath.Base(name), err)
	}
	return a, nil
}

// readTar copies a tar into a zip in memory, as a zip can be read as a file system.
func readTar(name string, maxBytes int64, contents bool) (fs.FS, error) {
	file, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	text, err := unpacked(bufio.NewReaderSize(file, 1<<16))
	if err != nil {
		return nil, err
	}
	// Headers count as well: there may be any number of empty files.
	whole := &atMost{r: text, left: maxBytes}
	var memory bytes.Buffer
	z := zip.NewWriter(&memory)
	seen := map[string]bool{}
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
		w, err := z.CreateHeader(&zip.FileHeader{Name: inside}) // stored as it is
		if err == nil && contents {
			_, err = io.Copy(w, r)
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

// atMost fails behind a number of bytes.
type atMost struct {
	r    io.Reader
	left int64
}

func (a *atMost) Read(p []byte) (int, error) {
	n, err := a.r.Read(p[:min(int64(len(p)), a.left+1)])
	if a.left -= int64(n); a.left < 0 {
		return 0, fmt.Errorf("more than Options.MaxBytes unpacked: %w", ErrTooLarge)
	}
	return n, err
}
