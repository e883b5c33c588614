package sample

import (
	"bufio"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"hash"
	"io"
	"os"
	"path/filepath"

	"github.com/ehgnn/ehgnn/scale/store"
)

// file writes a file of the index and records its size and checksum.
func (b *builder) file(name string, write func(w io.Writer) error) error {
	w, err := createSum(filepath.Join(b.dir, name))
	if err != nil {
		return err
	}
	err = write(w)
	if cerr := w.close(); err == nil {
		err = cerr
	}
	if err != nil {
		return err
	}
	b.Files[name] = &store.File{Bytes: w.bytes, SHA256: hex.EncodeToString(w.sum.Sum(nil))}
	return nil
}

// sumWriter is a buffered file with the checksum of its content.
type sumWriter struct {
	f      *os.File
	buf    *bufio.Writer
	sum    hash.Hash
	bytes  int64
	closed bool
}

func createSum(path string) (*sumWriter, error) {
	f, err := os.Create(path)
	if err != nil {
		return nil, fmt.Errorf("sample: %w", err)
	}
	w := &sumWriter{f: f, sum: sha256.New()}
	w.buf = bufio.NewWriterSize(io.MultiWriter(f, w.sum), 1<<16)
	return w, nil
}

func (w *sumWriter) Write(b []byte) (int, error) {
	n, err := w.buf.Write(b)
	w.bytes += int64(n)
	if err != nil {
		err = fmt.Errorf("sample: %w", err)
	}
	return n, err
}

// close writes the rest of the buffer. A second call does nothing.
func (w *sumWriter) close() error {
	if w.closed {
		return nil
	}
	w.closed = true
	err := w.buf.Flush()
	if err == nil {
		err = w.f.Sync()
	}
	if cerr := w.f.Close(); err == nil {
		err = cerr
	}
	if err != nil {
		return fmt.Errorf("sample: %w", err)
	}
	return nil
}
