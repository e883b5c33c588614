package local

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"sync"
	"unsafe"

	"github.com/ehgnn/ehgnn/internal/atomicfile"
)

// Kinds of arrays that a job stores from turn to turn.
const (
	states   = "state"
	messages = "message"
	rows     = "rows"
)

// key identifies an array of a block, or of a part if it has rows of nodes.
type key struct {
	kind        string
	turn, index int
}

func (k key) String() string { return fmt.Sprintf("%s/%s/%06d", turnName(k.turn), k.kind, k.index) }

func turnName(turn int) string { return fmt.Sprintf("turn-%02d", turn) }

// array has rows and, for messages, their greatest magnitude.
type array struct {
	width    int
	greatest float32
	data     []float32
}

// arrayStore stores arrays. It is safe for concurrent use.
type arrayStore interface {
	put(k key, a array) error
	// get reads an array. It uses the memory of to if it is large enough.
	get(k key, to []float32) (array, error)
	// open opens an array for reading rows. If room is true, it may read the array into memory.
	open(k key, room bool) (source, error)
	// has reports whether a complete array is stored, and returns the array without its data.
	has(k key) (array, bool)
	// drop removes the arrays of a turn of one kind, or of all kinds if kind is empty.
	drop(turn int, kind string) error
}

// source reads rows of an array.
type source interface {
	read(row int, to []float32) error
	close()
}

// memoryStore stores arrays in memory.
type memoryStore struct {
	mu sync.Mutex
	is map[key]array
}

func newMemoryStore() *memoryStore { return &memoryStore{is: map[key]array{}} }

func (s *memoryStore) put(k key, a array) error {
	a.data = append([]float32(nil), a.data...)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.is[k] = a
	return nil
}

func (s *memoryStore) get(k key, to []float32) (array, error) {
	a, ok := s.has(k)
	if !ok {
		return a, fmt.Errorf("local: there is no %s", k)
	}
	a.data = append(to[:0], a.data...)
	return a, nil
}

func (s *memoryStore) open(k key, _ bool) (source, error) {
	a, ok := s.has(k)
	if !ok {
		return nil, fmt.Errorf("local: there is no %s", k)
	}
	return memorySource(a), nil
}

type memorySource array

func (s memorySource) read(row int, to []float32) error {
	copy(to, s.data[row*s.width:])
	return nil
}

func (s memorySource) close() {}

func (s *memoryStore) has(k key) (array, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	a, ok := s.is[k]
	return a, ok
}

func (s *memoryStore) drop(turn int, kind string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	for k := range s.is {
		if k.turn == turn && (kind == "" || k.kind == kind) {
			delete(s.is, k)
		}
	}
	return nil
}

// fileStore stores arrays in files of a folder: a header of 32 bytes, the numbers, a checksum.
type fileStore struct{ dir string }

const (
	storeMagic = uint64(0x31535f6e6e676865) // in the byte order of the machine
	headBytes  = 32
	sumBytes   = 4
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// errTorn is the error for an incomplete file that cannot be made again.
var errTorn = errors.New("is torn or damaged; start anew in another folder")

func (s fileStore) path(k key) string { return filepath.Join(s.dir, filepath.FromSlash(k.String())) }

func head(k key, a array) []byte {
	b := binary.NativeEndian.AppendUint64(nil, storeMagic)
	for _, v := range []uint32{uint32(k.turn), uint32(k.index), uint32(a.width), math.Float32bits(a.greatest)} {
		b = binary.NativeEndian.AppendUint32(b, v)
	}
	return binary.NativeEndian.AppendUint64(b, uint64(len(a.data)))
}

// octets returns the memory of numbers as bytes.
func octets(x []float32) []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(x))), 4*len(x))
}

func (s fileStore) put(k key, a array) error {
	path := s.path(k)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return fmt.Errorf("local: %w", err)
	}
	return atomicfile.Write(path, func(w io.Writer) error {
		h, data := head(k, a), octets(a.data)
		sum := crc32.Update(crc32.Checksum(h, castagnoli), castagnoli, data)
		for _, b := range [][]byte{h, data, binary.NativeEndian.AppendUint32(nil, sum)} {
			if _, err := w.Write(b); err != nil {
				return err
			}
		}
		return nil
	})
}

// begin opens a file and reads its header. The caller closes the file.
func (s fileStore) begin(k key) (f *os.File, a array, n int, sum uint32, err error) {
	path := s.path(k)
	f, err = os.Open(path)
	if err != nil {
		return nil, a, 0, 0, fmt.Errorf("local: %w", err)
	}
	fail := func(err error) (*os.File, array, int, uint32, error) {
		f.Close()
		return nil, a, 0, 0, fmt.Errorf("local: %s %w", path, err)
	}
	info, err := f.Stat()
	if err != nil {
		return fail(err)
	}
	h := make([]byte, headBytes)
	if _, err := io.ReadFull(f, h); err != nil {
		return fail(errTorn)
	}
	a.width, a.greatest = int(binary.NativeEndian.Uint32(h[16:])), math.Float32frombits(binary.NativeEndian.Uint32(h[20:]))
	size := binary.NativeEndian.Uint64(h[24:])
	if binary.NativeEndian.Uint64(h) != storeMagic || binary.NativeEndian.Uint32(h[8:]) != uint32(k.turn) || binary.NativeEndian.Uint32(h[12:]) != uint32(k.index) ||
		size > math.MaxInt64/8 || int64(headBytes+4*size+sumBytes) != info.Size() || a.width < 1 || size%uint64(a.width) != 0 {
		return fail(errTorn)
	}
	return f, a, int(size), crc32.Checksum(h, castagnoli), nil
}

func (s fileStore) get(k key, to []float32) (array, error) {
	f, a, n, sum, err := s.begin(k)
	if err != nil {
		return a, err
	}
	defer f.Close()
	if n > cap(to) {
		to = make([]float32, n)
	}
	a.data = to[:n]
	tail := make([]byte, sumBytes)
	if _, err := io.ReadFull(f, octets(a.data)); err != nil {
		return a, fmt.Errorf("local: %s: %w", s.path(k), err)
	}
	if _, err := io.ReadFull(f, tail); err != nil {
		return a, fmt.Errorf("local: %s: %w", s.path(k), err)
	}
	if crc32.Update(sum, castagnoli, octets(a.data)) != binary.NativeEndian.Uint32(tail) {
		return a, fmt.Errorf("local: %s %w", s.path(k), errTorn)
	}
	return a, nil
}

func (s fileStore) has(k key) (array, bool) {
	if _, err := os.Stat(s.path(k)); errors.Is(err, fs.ErrNotExist) {
		return array{}, false
	}
	return s.whole(k)
}

// whole reads a file completely and compares its checksum.
func (s fileStore) whole(k key) (array, bool) {
	f, a, n, sum, err := s.begin(k)
	if err != nil {
		return a, false
	}
	defer f.Close()
	h := crcWriter(sum)
	if _, err := io.CopyN(&h, f, 4*int64(n)); err != nil {
		return a, false
	}
	tail := make([]byte, sumBytes)
	_, err = io.ReadFull(f, tail)
	return a, err == nil && uint32(h) == binary.NativeEndian.Uint32(tail)
}

type crcWriter uint32

func (c *crcWriter) Write(b []byte) (int, error) {
	*c = crcWriter(crc32.Update(uint32(*c), castagnoli, b))
	return len(b), nil
}

func (s fileStore) open(k key, room bool) (source, error) {
	if room {
		a, err := s.get(k, nil)
		return memorySource(a), err
	}
	if _, ok := s.whole(k); !ok {
		return nil, fmt.Errorf("local: %s %w", s.path(k), errTorn)
	}
	f, a, n, _, err := s.begin(k)
	return fileSource{f, a.width, n / max(a.width, 1)}, err
}

type fileSource struct {
	file        *os.File
	width, rows int
}

func (s fileSource) read(row int, to []float32) error {
	if row < 0 || row+len(to)/s.width > s.rows {
		return fmt.Errorf("local: %s: rows from %d on, it has %d", s.file.Name(), row, s.rows)
	}
	_, err := s.file.ReadAt(octets(to), headBytes+4*int64(row)*int64(s.width))
	return err
}

func (s fileSource) close() { s.file.Close() }

func (s fileStore) drop(turn int, kind string) error {
	// The folder of a kind is in the folder of its turn. An empty kind names the folder of the
	// turn.
	if err := os.RemoveAll(filepath.Join(s.dir, turnName(turn), kind)); err != nil {
		return fmt.Errorf("local: %w", err)
	}
	return nil
}
