package store

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"

	"github.com/ehgnn/ehgnn/data/tables"
)

// Splitting has the settings of the split of packed edges.
type Splitting struct {
	// By is tables.ByColumn, with the column in tables.Options.Part, tables.ByRandom or
	// tables.ByTime. Empty means no split.
	By        string
	Fractions [3]float64 // zero means 0.8, 0.1, 0.1, as in package tables
	Seed      uint64
}

// splitter returns the part of each row.
type splitter struct {
	o     Splitting
	cuts  [2]uint64 // where training and validation end: hashes in a random split, times in a split by time
	count [4]int64  // number of edges in each part
	buf   []byte
}

// newSplitter returns a splitter. For a split by time it reads the times of all edges. scan opens
// them, and dir is a folder for files.
func newSplitter(o Splitting, dir string, scan func() (*tables.Scan, error), tick func(*tables.Scan) error) (*splitter, error) {
	if o.Fractions == ([3]float64{}) {
		o.Fractions = [3]float64{0.8, 0.1, 0.1}
	}
	if err := tables.CheckFractions(o.Fractions); err != nil {
		return nil, err
	}
	s := &splitter{o: o}
	switch o.By {
	case tables.ByRandom:
		for k, share := range []float64{o.Fractions[0], o.Fractions[0] + o.Fractions[1]} {
			s.cuts[k] = shareOf(share)
		}
		if o.Fractions[2] == 0 {
			s.cuts[1] = math.MaxUint64
		}
	case tables.ByTime:
		return s, s.byTime(filepath.Join(dir, "times"), scan, tick)
	case "", tables.ByColumn:
	default:
		return nil, fmt.Errorf("store: split %q, expected %s, %s or %s", o.By, tables.ByColumn, tables.ByRandom, tables.ByTime)
	}
	return s, nil
}

// shareOf returns the bound below which this share of all hashes is.
func shareOf(share float64) uint64 {
	if share >= 1 {
		return math.MaxUint64
	}
	return uint64(share * (1 << 63) * 2)
}

// of returns the part of the current row of a scan.
func (s *splitter) of(scan *tables.Scan) (uint8, error) {
	var key uint64
	switch s.o.By {
	case "":
		return InNone, nil
	case tables.ByColumn:
		p, err := scan.Part()
		if p < 0 {
			return InNone, err
		}
		return uint8(p), err
	case tables.ByRandom:
		s.buf = scan.AppendCopyKey(binary.LittleEndian.AppendUint64(s.buf[:0], s.o.Seed))
		key = hashID(s.buf)
	case tables.ByTime:
		t, err := momentKey(scan)
		if err != nil {
			return 0, err
		}
		key = t
	}
	switch {
	case key < s.cuts[0]:
		return InTrain, nil
	case key < s.cuts[1]:
		return InValid, nil
	}
	return InTest, nil
}

// check returns an error if a part has no edges.
func (s *splitter) check() error {
	for p, name := range []string{tables.Train, tables.Valid, tables.Test} {
		if s.o.By == "" || s.count[p] > 0 || p > 0 && (s.o.By == tables.ByColumn || s.o.Fractions[p] == 0) {
			continue
		}
		return fmt.Errorf("split %s leaves %s without an edge", s.o.By, name)
	}
	return nil
}

// momentKey returns the time of the row as an integer with the same order.
func momentKey(scan *tables.Scan) (uint64, error) {
	t, err := scan.Time()
	if err != nil {
		return 0, err
	}
	if math.IsNaN(t) {
		return 0, scan.Wrong(fmt.Errorf("is of an edge without a time, which split %s needs", tables.ByTime))
	}
	if t == 0 {
		t = 0 // replaces -0
	}
	b := math.Float64bits(t)
	if b>>63 == 1 {
		return ^b, nil
	}
	return b | 1<<63, nil
}

// byTime finds the times at which tables.Set.Split would split. It writes all times to a file, and
// then searches it for the two times by their bits, sixteen at a time.
func (s *splitter) byTime(path string, open func() (*tables.Scan, error), tick func(*tables.Scan) error) error {
	scan, err := open()
	if err != nil {
		return err
	}
	defer scan.Close()
	if _, times, _ := scan.Has(); !times {
		return fmt.Errorf("there is no column of times, which split %s needs; --time names one", tables.ByTime)
	}
	defer os.Remove(path)
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	w := bufio.NewWriterSize(f, 1<<16)
	m := int64(0)
	var b [8]byte
	for ; ; m++ {
		if err = scan.Next(); err != nil {
			break
		}
		var key uint64
		if key, err = momentKey(scan); err != nil {
			break
		}
		binary.LittleEndian.PutUint64(b[:], key)
		if _, err = w.Write(b[:]); err == nil {
			err = tick(scan)
		}
		if err != nil {
			break
		}
	}
	if errors.Is(err, io.EOF) {
		err = nil
	}
	if err = errors.Join(err, w.Flush(), f.Close()); err != nil {
		return err
	}
	fr := s.o.Fractions
	if s.cuts[0], err = cutTime(path, m, fr[0]); err != nil {
		return err
	}
	if s.cuts[1], err = cutTime(path, m, fr[0]+fr[1]); err != nil {
		return err
	}
	s.cuts[1] = max(s.cuts[1], s.cuts[0])
	if fr[2] == 0 {
		s.cuts[1] = math.MaxUint64
	}
	if fr[1] == 0 {
		s.cuts[1] = s.cuts[0]
		if fr[2] == 0 {
			s.cuts = [2]uint64{math.MaxUint64, math.MaxUint64}
		}
	}
	return nil
}

// cutTime returns the smallest key after a cut that leaves a share of m times before it, as closely
// as equal times allow.
func cutTime(path string, m int64, share float64) (uint64, error) {
	want := int64(math.Round(share * float64(m)))
	if want <= 0 {
		return 0, nil
	}
	if want >= m {
		return math.MaxUint64, nil
	}
	// The key at position want in sorted order, and the number of smaller keys.
	key, less, equal := uint64(0), int64(0), int64(0)
	for shift := 48; shift >= 0; shift -= 16 {
		count := make([]int64, 1<<16)
		err := readSpill(path, func(r *bufio.Reader) error {
			var b [8]byte
			if _, err := io.ReadFull(r, b[:]); err != nil {
				return err
			}
			if v := binary.LittleEndian.Uint64(b[:]); shift == 48 || v>>(shift+16) == key>>(shift+16) {
				count[v>>shift&0xffff]++
			}
			return nil
		})
		if err != nil {
			return 0, err
		}
		for d, n := range count {
			if less+n > want {
				key |= uint64(d) << shift
				equal = n
				break
			}
			less += n
		}
	}
	if want-less <= less+equal-want {
		return key, nil
	}
	return key + 1, nil
}
