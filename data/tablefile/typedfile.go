package tablefile

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"

	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/ehgnn/ehgnn/data"
)

// TypedFile is a file with column types: Parquet or Arrow.
type TypedFile struct {
	*file
	format string // name in errors
	at     io.ReaderAt
	size   int64
	memory *allocator
}

func newTypedFile(f *file, format string) (*TypedFile, error) {
	t := &TypedFile{file: f, format: format}
	if data.IsStream(f.File) {
		return nil, t.failed(fmt.Sprintf("is a pipe or a device, which %s cannot be read from: expected a file", t.format), nil)
	}
	if err := t.readerAt(); err != nil {
		return nil, err
	}
	t.memory = newAllocator(f.budget, t.size)
	return t, nil
}

// readerAt returns the file if it can be read at any offset; otherwise, in an archive, it reads the
// file into memory.
func (t *TypedFile) readerAt() error {
	if at, ok := t.File.(io.ReaderAt); ok && !data.IsStream(t.File) {
		info, err := t.Stat()
		if err != nil {
			return t.failed("cannot be read", err)
		}
		t.budget.File(info.Size())
		t.at, t.size = at, info.Size()
		return nil
	}
	text, err := t.budget.NewText(t.File)
	if err != nil {
		return t.failed("cannot be read", err)
	}
	b, err := text.Bytes("files")
	if err != nil {
		return t.failed("cannot be read", err)
	}
	t.at, t.size = bytes.NewReader(b), int64(len(b))
	return nil
}

// Section reads the file from its start.
func (t *TypedFile) Section() *io.SectionReader { return io.NewSectionReader(t.at, 0, t.size) }

// Memory is the allocator of decoders; the budget limits it.
func (t *TypedFile) Memory() memory.Allocator { return t.memory }

// Most is how many bytes decoders may use at a time.
func (t *TypedFile) Most() int64 { return t.memory.most }

// Allows returns the error of n more bytes for decoders.
func (t *TypedFile) Allows(n int64) error { return t.memory.allows(n) }

// Charge charges n bytes of the budget for the description of a file.
func (t *TypedFile) Charge(n int64, what string) error { return t.budget.Charge(n, what) }

// try calls a decoder function and converts its panics and errors to errors of the file: damaged
// files cause both.
func (t *TypedFile) try(decode func() error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("%v", p)
		}
		var place *data.ParseError
		switch {
		case err == nil || errors.Is(err, io.EOF):
		case t.memory.err != nil:
			err = t.failed("cannot be read", t.memory.err)
		case errors.As(err, &place):
		case errors.Is(err, data.ErrTooLarge):
			err = t.failed("cannot be read", err)
		default:
			err = t.failed(fmt.Sprintf("cannot be read as %s; perhaps it is damaged, or was not written or copied to its end", t.format), err)
		}
	}()
	return decode()
}

// open is try for reading before the first row: a file that ends there is damaged.
func (t *TypedFile) open(begin func() error) error {
	return t.try(func() error { return noEOF(begin()) })
}

// sum is the checksum of the file, which needs a pass over it.
func (t *TypedFile) sum() (string, error) {
	h := sha256.New()
	if _, err := io.Copy(h, t.Section()); err != nil {
		return "", t.failed("cannot be read", err)
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}
