package data

import (
	"archive/zip"
	"bufio"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"io/fs"
	"math"
	"time"

	"github.com/ehgnn/ehgnn/internal/memory"
)

// Text is the text of a file for its readers: unpacked, hashed, as UTF-8 without a byte order mark,
// with \n for the lone \r that ends lines on old Macs, and bounded by a budget.
type Text struct {
	budget   *Budget
	file     *bufio.Reader
	packed   *counter      // bytes of the file that were read
	seen     int64         // bytes of packed that the budget has counted
	zipped   int64         // bytes of the file in its archive, or 0
	raw      io.Reader     // unpacked
	inflated bool          // raw is not file
	hashed   *bufio.Reader // raw, hashed and bounded
	decoded  io.Reader     // hashed as UTF-8; nil before the encoding is known
	sum      hash.Hash

	read   int64               // bytes of raw
	record int64               // bytes of the record that is being read
	ends   func([]byte) []byte // converts ends of lines in a piece of the text
	ended  bool                // the last byte was a \r, which became a \n
}

var gzipMagic, zstdMagic = []byte("\x1f\x8b"), []byte("\x28\xb5\x2f\xfd")

// IsPacked reports whether a file, given its first bytes, is gzip or zstd.
func IsPacked(head []byte) bool {
	return bytes.HasPrefix(head, gzipMagic) || bytes.HasPrefix(head, zstdMagic)
}

// NewText returns the text of a file, unpacked if it is gzip or zstd: the first bytes decide.
func (b *Budget) NewText(file io.Reader) (*Text, error) {
	t := &Text{budget: b, packed: &counter{r: file}, sum: sha256.New()}
	if f, ok := file.(fs.File); ok {
		if info, err := f.Stat(); err == nil {
			if h, ok := info.Sys().(*zip.FileHeader); ok {
				t.zipped = max(int64(h.CompressedSize64), 1)
			}
		}
	}
	t.file = bufio.NewReaderSize(t.packed, 1<<15)
	t.raw, t.ends = t.file, t.firstEnd
	magic := t.Peek(4)
	switch {
	case bytes.HasPrefix(magic, gzipMagic):
		zip, err := gzip.NewReader(t.file)
		if err != nil {
			return nil, err
		}
		t.raw, t.inflated = zip, true
	case bytes.HasPrefix(magic, zstdMagic):
		zip, err := b.newZstd(t.file)
		if err != nil {
			return nil, err
		}
		t.raw, t.inflated = zip, true
	}
	t.hashed = bufio.NewReaderSize((*hashedText)(t), headOfText)
	return t, nil
}

// Peek returns the first bytes of the file, packed or not, before the text is read.
func (t *Text) Peek(n int) []byte {
	b, _ := t.file.Peek(n) // fewer for a shorter file
	return b
}

// Record says that a record ends here. buffered is how many bytes of the next record were read. A
// record is bounded like a line: without its closing quote it would have many lines.
func (t *Text) Record(buffered int) { t.record = int64(buffered) }

// Unbounded says that the reader of the text bounds its records.
func (t *Text) Unbounded() { t.record = math.MinInt64 / 2 }

// Taken returns how many bytes of the file the read text came from, except its last bytes, which
// wait in a buffer. For a packed file it is an estimate.
func (t *Text) Taken(buffered int) int64 {
	taken := float64(t.packed.n - int64(t.file.Buffered()))
	return int64(taken * (1 - float64(buffered)/float64(max(t.read, 1))))
}

// Sum is the SHA-256 of the text read so far, in hexadecimal.
func (t *Text) Sum() string { return hex.EncodeToString(t.sum.Sum(nil)) }

// Head returns the first bytes of the unpacked text in its own encoding, before the text is read.
func (t *Text) Head() ([]byte, error) {
	b, err := t.hashed.Peek(headOfText)
	if err == io.EOF {
		err = nil
	}
	return b, err
}

// Read reads the text. The error for a text that is too large wraps ErrTooLarge.
func (t *Text) Read(p []byte) (int, error) {
	if t.decoded == nil {
		if err := t.decode(); err != nil {
			return 0, err
		}
	}
	n, err := t.decoded.Read(p)
	b := p[:n]
	if t.ends != nil {
		b = t.ends(b)
	}
	if len(b) < n {
		copy(p, b)
	}
	return len(b), err
}

// hashedText is the unpacked text of a file in its own encoding.
type hashedText Text

func (h *hashedText) Read(p []byte) (int, error) {
	t := (*Text)(h)
	n, err := t.raw.Read(p)
	t.sum.Write(p[:n]) // a hash never fails
	t.read += int64(n)
	t.record += int64(n)
	if tooLarge := t.check(n); tooLarge != nil {
		return 0, tooLarge
	}
	return n, t.budget.zstdError(err)
}

// check charges n bytes of text to the budget.
func (t *Text) check(n int) error {
	b := t.budget
	if t.zipped == 0 { // the budget has counted archives
		b.File(t.packed.n - t.seen)
		t.seen = t.packed.n
	}
	if b.text -= int64(n); b.text < 0 {
		return b.exceeded("the text has more bytes")
	}
	if t.record > b.Longest()+shortest { // including what is buffered
		return b.TooLong("a line or a quoted value")
	}
	packed := t.packed.n
	if t.zipped > 0 {
		packed = t.zipped
	} else if !t.inflated {
		return nil
	}
	return b.Inflated(t.read, packed)
}

// Inflated returns an error for a text that is far larger than its packed file.
func (b *Budget) Inflated(text, packed int64) error {
	packed = max(packed, 1) // a malicious archive may say 0 bytes
	if text/inflation > packed && text > b.limit/inflationShare {
		return b.exceeded(fmt.Sprintf("the text is %d times as large as its packed file and more than %s, which is more", text/packed, memory.Text(b.limit/inflationShare)))
	}
	return nil
}

// firstEnd decides at the first end of a line whether lone \r end lines.
func (t *Text) firstEnd(b []byte) []byte {
	i := bytes.IndexAny(b, "\r\n")
	if i < 0 {
		return b
	}
	if t.ends = nil; b[i] == '\r' && (i+1 == len(b) || b[i+1] != '\n') {
		t.ends = t.macEnds
		return t.macEnds(b)
	}
	return b
}

// macEnds replaces each lone \r with \n, in place.
func (t *Text) macEnds(b []byte) []byte {
	if len(b) > 0 && t.ended && b[0] == '\n' { // the rest of \r\n, whose \r is already a \n
		b = b[1:]
	}
	t.ended = len(b) > 0 && b[len(b)-1] == '\r'
	for rest := b; ; {
		i := bytes.IndexByte(rest, '\r')
		if i < 0 {
			return b
		}
		if i+1 == len(rest) || rest[i+1] != '\n' {
			rest[i] = '\n'
		}
		rest = rest[i+1:]
	}
}

// Bytes reads a whole file, which need not be text, without changes. It is charged.
func (t *Text) Bytes(what string) ([]byte, error) {
	t.decoded, t.ends = t.hashed, nil
	t.Unbounded()
	var out bytes.Buffer
	var piece [1 << 15]byte
	for {
		n, err := t.Read(piece[:])
		if e := t.budget.Charge(2*int64(n), what); e != nil { // the buffer grows to twice its size
			return nil, e
		}
		out.Write(piece[:n])
		if err == io.EOF {
			return out.Bytes(), nil
		}
		if err != nil {
			return nil, err
		}
	}
}

// counter counts the bytes that are read.
type counter struct {
	r io.Reader
	n int64
}

func (c *counter) Read(p []byte) (int, error) {
	n, err := c.r.Read(p)
	c.n += int64(n)
	return n, err
}

// pipeWait is how long OpenFile waits for a writer of a pipe.
var pipeWait = 10 * time.Second

// OpenFile opens a file to be read as a stream. It may be a device, or a named pipe that has a
// writer.
func OpenFile(fsys fs.FS, name string) (fs.File, error) {
	info, err := fs.Stat(fsys, name)
	if err != nil {
		return nil, err
	}
	switch {
	case info.IsDir():
		return nil, errors.New("is a folder, expected a file")
	case info.Mode()&fs.ModeSocket != 0:
		return nil, errors.New("is a socket, expected a file")
	case info.Mode()&fs.ModeNamedPipe == 0:
		return fsys.Open(name)
	}
	type opened struct {
		file fs.File
		err  error
	}
	done := make(chan opened, 1)
	go func() {
		file, err := fsys.Open(name) // waits for a writer
		done <- opened{file, err}
	}()
	select {
	case o := <-done:
		return o.file, o.err
	case <-time.After(pipeWait):
		return nil, fmt.Errorf("is a pipe that nobody has written to for %s", pipeWait)
	}
}

// IsStream reports whether a file is a pipe or a device, which can be read only once and only from
// its beginning.
func IsStream(file fs.File) bool {
	info, err := file.Stat()
	return err == nil && !info.Mode().IsRegular()
}
