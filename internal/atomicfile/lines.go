package atomicfile

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
)

// KeepAll is the keep argument of OpenLines that keeps every complete line.
const KeepAll = math.MaxInt

// Lines is a file of JSON lines to which values are appended one at a time, such as the metrics of
// a run. Each value is written with one call, so a reader that follows the file sees complete
// lines, and a kill can only leave the last line incomplete. It is not safe for concurrent use.
type Lines struct {
	file *os.File
	buf  bytes.Buffer
	n    int
	size int64 // bytes up to the end of line n
	torn bool  // bytes after size could not be removed
}

// OpenLines opens the file at path for appending, creates it if it is missing, and shortens it to
// its first keep complete lines. A new run passes 0. A resumed run passes the number of lines in
// its checkpoint, so that repeated steps are not recorded twice. KeepAll removes only an incomplete
// last line. Fewer lines than keep are no error, because a power cut can lose lines that a synced
// checkpoint has counted; compare Len.
func OpenLines(path string, keep int) (*Lines, error) {
	if keep < 0 {
		return nil, fmt.Errorf("atomicfile: %s: keep is %d, expected 0 or more", path, keep)
	}
	file, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_APPEND, defaultMode)
	if err != nil {
		return nil, fmt.Errorf("atomicfile: %w", err)
	}
	l := &Lines{file: file}
	l.n, l.size, err = completeLines(file, keep)
	if err == nil {
		err = file.Truncate(l.size)
	}
	if err != nil {
		file.Close()
		return nil, fmt.Errorf("atomicfile: %s: %w", path, err)
	}
	return l, nil
}

// completeLines returns the number of lines of r that end in a newline, at most keep, and their
// size in bytes.
func completeLines(r io.Reader, keep int) (n int, size int64, err error) {
	buf := make([]byte, bufferSize)
	var read int64
	for n < keep {
		k, err := r.Read(buf)
		for rest := buf[:k]; n < keep; n++ {
			i := bytes.IndexByte(rest, '\n')
			if i < 0 {
				break
			}
			rest = rest[i+1:]
			size = read + int64(k-len(rest))
		}
		read += int64(k)
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return 0, 0, err
		}
	}
	return n, size, nil
}

// Append appends v as one line of JSON. After an error nothing of it is in the file: a value that
// JSON cannot represent (NaN, an infinity) is an error before the write, and an incomplete write,
// such as on a full disk, is removed.
func (l *Lines) Append(v any) error {
	l.buf.Reset()
	enc := json.NewEncoder(&l.buf) // it ends each value with a newline, and JSON has no other
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return fmt.Errorf("atomicfile: %s: line %d: %w", l.file.Name(), l.n+1, err)
	}
	if l.torn {
		if err := l.cut(); err != nil {
			return fmt.Errorf("atomicfile: %s: line %d: %w", l.file.Name(), l.n+1, err)
		}
	}
	if _, err := l.file.Write(l.buf.Bytes()); err != nil {
		return fmt.Errorf("atomicfile: %s: line %d: %w", l.file.Name(), l.n+1, errors.Join(err, l.cut()))
	}
	l.n++
	l.size += int64(l.buf.Len())
	return nil
}

// cut removes the bytes after the last complete line. If that fails, the next Append tries again,
// so that it does not append to an incomplete line.
func (l *Lines) cut() error {
	err := l.file.Truncate(l.size)
	l.torn = err != nil
	return err
}

// Len returns the number of lines in the file.
func (l *Lines) Len() int { return l.n }

// Sync waits until the lines so far are on the disk. Call it before writing a checkpoint that
// counts them.
func (l *Lines) Sync() error {
	if err := synced(l.file); err != nil {
		return fmt.Errorf("atomicfile: %s: %w", l.file.Name(), err)
	}
	return nil
}

// Close syncs and closes the file.
func (l *Lines) Close() error {
	err := l.Sync()
	if cerr := l.file.Close(); cerr != nil && err == nil {
		err = fmt.Errorf("atomicfile: %s: %w", l.file.Name(), cerr)
	}
	return err
}
