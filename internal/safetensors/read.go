package safetensors

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"unicode/utf8"
)

// dtypes are the element types that Read converts to float32. F16 and BF16 are converted exactly.
// F64 is rounded to the nearest float32.
var dtypes = map[string]struct {
	size   int64
	decode func(dst []float32, src []byte)
}{
	"F32": {4, func(dst []float32, src []byte) {
		for i := range dst {
			dst[i] = math.Float32frombits(binary.LittleEndian.Uint32(src[4*i:]))
		}
	}},
	"F64": {8, func(dst []float32, src []byte) {
		for i := range dst {
			dst[i] = float32(math.Float64frombits(binary.LittleEndian.Uint64(src[8*i:])))
		}
	}},
	"F16": {2, func(dst []float32, src []byte) {
		for i := range dst {
			dst[i] = halfToFloat(binary.LittleEndian.Uint16(src[2*i:]))
		}
	}},
	"BF16": {2, func(dst []float32, src []byte) {
		for i := range dst {
			// bfloat16 is the upper half of a float32.
			dst[i] = math.Float32frombits(uint32(binary.LittleEndian.Uint16(src[2*i:])) << 16)
		}
	}},
}

// halfToFloat converts an IEEE 754 binary16 number, exactly.
func halfToFloat(h uint16) float32 {
	sign := uint32(h>>15) << 31
	exp := uint32(h>>10) & 0x1f
	frac := uint32(h & 0x3ff)
	switch exp {
	case 0: // zero or subnormal: frac * 2^-24
		return math.Float32frombits(sign | math.Float32bits(float32(frac)*0x1p-24))
	case 0x1f: // infinity or NaN
		return math.Float32frombits(sign | 0xff<<23 | frac<<13)
	}
	return math.Float32frombits(sign | (exp+127-15)<<23 | frac<<13)
}

// entry is a tensor in the header.
type entry struct {
	name       string
	dtype      string
	shape      []int
	begin, end int64
}

// Read reads a file of size bytes from r. Tensors are in the order of their data. It returns an
// error unless the file is exactly one valid safetensors file and the dtype of all tensors is F32,
// F64, F16 or BF16. The package comment says what is checked.
func Read(r io.ReaderAt, size int64) (*File, error) {
	f, err := read(r, size)
	if err != nil {
		return nil, fmt.Errorf("safetensors: %w", err)
	}
	return f, nil
}

func read(r io.ReaderAt, size int64) (*File, error) {
	if size < 8 {
		return nil, fmt.Errorf("the file has %d bytes, expected at least the 8 of the header's length", size)
	}
	var length [8]byte
	if err := readFull(r, length[:], 0); err != nil {
		return nil, fmt.Errorf("header length: %w", err)
	}
	n := binary.LittleEndian.Uint64(length[:])
	if n > maxHeader {
		return nil, fmt.Errorf("the header has %d bytes, expected at most %d", n, maxHeader)
	}
	if n > uint64(size-8) {
		return nil, fmt.Errorf("the header has %d bytes, but only %d follow its length", n, size-8)
	}
	header := make([]byte, n)
	if err := readFull(r, header, 8); err != nil {
		return nil, fmt.Errorf("header: %w", err)
	}
	metadata, entries, err := decodeHeader(header)
	if err != nil {
		return nil, fmt.Errorf("header: %w", err)
	}
	data := 8 + int64(n) // where the elements begin
	if err := checkLayout(entries, size-data); err != nil {
		return nil, err
	}

	f := &File{Metadata: metadata, Tensors: make([]Tensor, len(entries))}
	var buf [chunk]byte
	for i, e := range entries {
		values, err := e.read(r, data, buf[:])
		if err != nil {
			return nil, fmt.Errorf("tensor %q: %w", e.name, err)
		}
		f.Tensors[i] = Tensor{Name: e.name, Shape: e.shape, Data: values}
	}
	return f, nil
}

// read reads the elements of e and converts them. data is the position of the first element of the
// file.
func (e *entry) read(r io.ReaderAt, data int64, buf []byte) ([]float32, error) {
	dt := dtypes[e.dtype]
	values := make([]float32, (e.end-e.begin)/dt.size)
	at := data + e.begin
	for part := range slices.Chunk(values, int(int64(len(buf))/dt.size)) {
		raw := buf[:int64(len(part))*dt.size]
		if err := readFull(r, raw, at); err != nil {
			return nil, err
		}
		dt.decode(part, raw)
		at += int64(len(raw))
	}
	return values, nil
}

// readFull fills p. If the file is shorter than its given size, the error is an unexpected end. An
// io.EOF that comes with all the bytes is no error.
func readFull(r io.ReaderAt, p []byte, at int64) error {
	n, err := r.ReadAt(p, at)
	if n == len(p) {
		return nil
	}
	if errors.Is(err, io.EOF) {
		return io.ErrUnexpectedEOF
	}
	return err
}

// checkLayout sorts entries by position and checks that they cover the size bytes of data without
// overlap or gap.
func checkLayout(entries []entry, size int64) error {
	slices.SortFunc(entries, func(a, b entry) int {
		return cmp.Or(cmp.Compare(a.begin, b.begin), cmp.Compare(a.end, b.end), cmp.Compare(a.name, b.name))
	})
	var at int64
	for _, e := range entries {
		dt, ok := dtypes[e.dtype]
		if !ok {
			return fmt.Errorf("tensor %q: dtype %q, expected F32, F64, F16 or BF16", e.name, e.dtype)
		}
		n, err := elements(e.shape)
		switch {
		case err != nil:
			return fmt.Errorf("tensor %q: %w", e.name, err)
		case e.begin < at:
			return fmt.Errorf("tensor %q: data_offsets [%d,%d] overlap the tensor before, which ends at %d", e.name, e.begin, e.end, at)
		case e.begin > at:
			return fmt.Errorf("tensor %q: data_offsets [%d,%d] leave a hole, the tensor before ends at %d", e.name, e.begin, e.end, at)
		case e.end < e.begin:
			return fmt.Errorf("tensor %q: data_offsets [%d,%d] end before they begin", e.name, e.begin, e.end)
		case e.end > size:
			return fmt.Errorf("tensor %q: data_offsets [%d,%d] exceed the %d bytes of data", e.name, e.begin, e.end, size)
		case n > (math.MaxInt64)/dt.size || n*dt.size != e.end-e.begin:
			return fmt.Errorf("tensor %q: %s with shape %v does not fit data_offsets [%d,%d], %d bytes",
				e.name, e.dtype, e.shape, e.begin, e.end, e.end-e.begin)
		}
		at = e.end
	}
	if at != size {
		return fmt.Errorf("the tensors take %d bytes, but %d follow the header", at, size)
	}
	return nil
}

// decodeHeader parses the JSON header. It reads objects key by key because encoding/json keeps the
// last of equal keys and ignores the case of field names: two readers could then read one file
// differently.
func decodeHeader(header []byte) (metadata map[string]string, entries []entry, err error) {
	if !utf8.Valid(header) {
		return nil, nil, errors.New("not UTF-8")
	}
	if len(header) == 0 || header[0] != '{' {
		return nil, nil, errors.New("expected a JSON object at its first byte")
	}
	dec := json.NewDecoder(bytes.NewReader(header))
	err = object(dec, func(name string) error {
		if name == metadataKey {
			m, err := decodeMetadata(dec)
			metadata = m
			return err
		}
		e, err := decodeEntry(dec)
		e.name = name
		entries = append(entries, e)
		return err
	})
	if err != nil {
		return nil, nil, err
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return nil, nil, errors.New("expected only spaces after the JSON object")
	}
	return metadata, entries, nil
}

func decodeMetadata(dec *json.Decoder) (map[string]string, error) {
	m := make(map[string]string)
	err := object(dec, func(key string) error {
		var v *string // a pointer distinguishes null, which is no string, from ""
		if err := dec.Decode(&v); err != nil {
			return err
		}
		if v == nil {
			return errors.New("expected a string, found null")
		}
		m[key] = *v
		return nil
	})
	return m, err
}

func decodeEntry(dec *json.Decoder) (entry, error) {
	var (
		e       entry
		dtype   *string
		offsets []int
	)
	err := object(dec, func(key string) (err error) {
		switch key {
		case "dtype":
			return dec.Decode(&dtype)
		case "shape":
			e.shape, err = decodeInts(dec)
			return err
		case "data_offsets":
			offsets, err = decodeInts(dec)
			return err
		}
		// Other keys are ignored, as in the reference implementation, so that the format can grow.
		var skip json.RawMessage
		return dec.Decode(&skip)
	})
	switch {
	case err != nil:
		return e, err
	case dtype == nil:
		return e, errors.New("no dtype")
	case e.shape == nil:
		return e, errors.New("no shape")
	case len(offsets) != 2:
		return e, fmt.Errorf("data_offsets has %d numbers, expected 2", len(offsets))
	}
	e.dtype, e.begin, e.end = *dtype, int64(offsets[0]), int64(offsets[1])
	return e, nil
}

// decodeInts reads an array of non-negative integers. Its result is not nil.
func decodeInts(dec *json.Decoder) ([]int, error) {
	var list []*int // pointers distinguish null from 0
	if err := dec.Decode(&list); err != nil {
		return nil, err
	}
	if list == nil {
		return nil, errors.New("expected an array, found null")
	}
	if len(list) > maxDims {
		return nil, fmt.Errorf("the array has %d numbers, expected at most %d", len(list), maxDims)
	}
	ints := make([]int, len(list))
	for i, v := range list {
		if v == nil || *v < 0 {
			return nil, fmt.Errorf("number %d of the array is negative or null", i+1)
		}
		ints[i] = *v
	}
	return ints, nil
}

// object reads a JSON object from dec. It calls value for each key to read its value. A repeated
// key is an error.
func object(dec *json.Decoder, value func(key string) error) error {
	tok, err := dec.Token()
	if err != nil {
		return noEOF(err)
	}
	if tok != json.Delim('{') {
		return fmt.Errorf("expected a JSON object, found %v", tok)
	}
	seen := make(map[string]bool)
	for dec.More() {
		tok, err := dec.Token()
		if err != nil {
			return noEOF(err)
		}
		key := tok.(string) // the decoder accepts nothing else here
		if seen[key] {
			return fmt.Errorf("%q is there twice", key)
		}
		seen[key] = true
		if err := value(key); err != nil {
			return fmt.Errorf("%q: %w", key, noEOF(err))
		}
	}
	_, err = dec.Token()
	return noEOF(err)
}

// noEOF turns the end of the header within a value into an error that says so.
func noEOF(err error) error {
	if errors.Is(err, io.EOF) {
		return io.ErrUnexpectedEOF
	}
	return err
}
