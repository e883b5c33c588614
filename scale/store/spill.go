package store

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"slices"
)

// hashID returns the FNV-1a hash of a text, mixed so that all of its bits are well distributed.
func hashID[T string | []byte](id T) uint64 {
	h := uint64(14695981039346656037)
	for i := range len(id) {
		h = (h ^ uint64(id[i])) * 1099511628211
	}
	h ^= h >> 33
	h *= 0xff51afd7ed558ccd
	h ^= h >> 33
	h *= 0xc4ceb9fe1a85ec53
	return h ^ h>>33
}

// PartOf returns the part of a node: a hash of its id modulo the number of parts.
func PartOf(id string, parts int) int { return int(hashID(id) % uint64(parts)) }

// spill has a file for each part. Records are first added in memory. Files are open only while they
// are written, because there may be thousands.
type spill struct {
	path       func(part int) string
	buf        [][]byte
	held, most int // bytes in memory, and their limit
}

// add adds a record for the file of part p.
func (s *spill) add(p int, record []byte) error {
	s.buf[p] = append(s.buf[p], record...)
	if s.held += len(record); s.held < s.most {
		return nil
	}
	return s.flush()
}

// flush writes the records in memory to their files.
func (s *spill) flush() error {
	for p, b := range s.buf {
		if len(b) == 0 {
			continue
		}
		f, err := os.OpenFile(s.path(p), os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o644)
		if err != nil {
			return err
		}
		_, err = f.Write(b)
		if err = errors.Join(err, f.Close()); err != nil {
			return err
		}
		s.buf[p] = nil
	}
	s.held = 0
	return nil
}

// readSpill calls each at the start of every record of a file. A missing file is empty.
func readSpill(path string, each func(r *bufio.Reader) error) error {
	f, err := os.Open(path)
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer f.Close()
	r := bufio.NewReaderSize(f, 1<<16)
	for {
		if _, err := r.Peek(1); errors.Is(err, io.EOF) {
			return nil
		}
		if err := each(r); err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
	}
}

func appendText(b []byte, text string) []byte {
	b = binary.AppendUvarint(b, uint64(len(text)))
	return append(b, text...)
}

// readText reads a text into b and returns it.
func readText(r *bufio.Reader, b []byte) ([]byte, error) {
	n, err := binary.ReadUvarint(r)
	if err != nil {
		return nil, err
	}
	if n > math.MaxInt32 {
		return nil, errTorn
	}
	b = slices.Grow(b[:0], int(n))[:n]
	_, err = io.ReadFull(r, b)
	return b, err
}

// distinct estimates the number of distinct texts from the smallest of their hashes. Up to sketch
// it is exact, above it within a few percent. It does not depend on their order.
type distinct struct {
	hashes []uint64
	below  uint64 // hashes from this value on are ignored; 0 means no limit yet
}

const sketch = 4096

func (d *distinct) add(id string) {
	h := hashID(id)
	if d.below > 0 && h >= d.below {
		return
	}
	if d.hashes = append(d.hashes, h); len(d.hashes) >= 4*sketch {
		d.shrink()
	}
}

func (d *distinct) shrink() {
	slices.Sort(d.hashes)
	d.hashes = slices.Compact(d.hashes)
	if len(d.hashes) > sketch {
		d.hashes = d.hashes[:sketch]
		d.below = d.hashes[sketch-1]
	}
}

func (d *distinct) estimate() int64 {
	d.shrink()
	if len(d.hashes) < sketch {
		return int64(len(d.hashes))
	}
	return int64((sketch - 1) / (float64(d.hashes[sketch-1]) / math.MaxUint64))
}
