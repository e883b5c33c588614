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

// hashID mixes the FNV-1a hash of a text, so that all of its bits are good.
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

// PartOf is the part of a node among some parts: a hash of its id modulo their number.
func PartOf(id string, parts int) int { return int(hashID(id) % uint64(parts)) }

// spill is a file per part, to which records are added in memory first. Files are open only while
// they are written, as there may be thousands.
type spill struct {
	path       func(part int) string
	buf        [][]byte
	held, most int // bytes in memory
}

// add adds a record to the file of part p.
func (s *spill) add(p int, record []byte) error {
	s.buf[p] = append(s.buf[p], record...)
	if s.held += len(record); s.held < s.most {
		return nil
	}
	return s.flush()
}

// flush writes what is in memory.
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

// readSpill calls each at the start of every record of a file; one that is not there is empty.
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

// readText reads a text into b, which it returns.
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

// distinct estimates how many different texts there are, from the smallest of their hashes:
// exactly up to sketch, else within a few percent, whatever their order.
type distinct struct {
	hashes []uint64
	below  uint64 // hashes from here on do not matter; 0 for none yet
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
