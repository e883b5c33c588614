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

// KeepAll as the keep argument of OpenLines keeps every complete line.
const KeepAll = math.MaxInt

// Lines is a file of JSON lines that grows by one value at a time, such as a
// run's metrics. Each value reaches the file in one write, so that a reader
// following the file sees whole lines and a kill can tear the last one only.
// It is not safe for concurrent use.
type Lines struct {
	file *os.File
	buf  bytes.Buffer
	n    int
	size int64 // bytes up to the end of line n
	torn bool  // bytes past size could not be cut off
}

// OpenLines opens the file at path for appending, creating it if there is
// none, and cuts it to its first keep complete lines. A run that starts passes
// 0; a run that resumes passes the number of lines its checkpoint accounts
// for, so that the steps done again are not recorded twice; KeepAll drops only
// a torn last line. Finding fewer lines than keep is not an error, because a
// power cut may lose lines that a synced checkpoint knew of; compare Len.
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

// completeLines counts lines of r that end in a newline, at most keep, and the
// bytes they take.
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

// Append adds v as one line of JSON. On an error nothing of it stays in the
// file: a value that JSON cannot hold (NaN, an infinity) is refused before the
// write, and a write that stops half way, as on a full disk, is cut off again.
func (l *Lines) Append(v any) error {
	l.buf.Reset()
	enc := json.NewEncoder(&l.buf) // ends each value with a newline, and has no other
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

// cut drops what follows the last complete line. Should that fail, the next
// Append tries again, rather than gluing a line to half of another.
func (l *Lines) cut() error {
	err := l.file.Truncate(l.size)
	l.torn = err != nil
	return err
}

// Len is the number of lines in the file.
func (l *Lines) Len() int { return l.n }

// Sync waits until the lines so far would survive a power cut. Call it before
// writing a checkpoint that counts on them.
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
