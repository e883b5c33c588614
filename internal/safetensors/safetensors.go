// Package safetensors reads and writes the safetensors format, in which model
// weights are exchanged with Python.
//
// A file is the length of a header (8 bytes, little-endian), the header, and
// the elements of all tensors. The header is one JSON object: "__metadata__"
// maps strings to strings, every other key is a tensor's name with its dtype,
// shape and place ("data_offsets", counted from the header's end).
//
// Write emits F32 only, the engine's one element type, in the order and
// padding of the reference implementation, so equal contents are equal bytes.
// Read accepts the four floating-point dtypes that models are published in
// and checks everything the reference does before it allocates for elements:
// tensors must tile the data without overlap or hole. It never allocates more
// than a small multiple of the file's size.
//
// Counters, seeds and whatever else must stay exact integers belong in the
// metadata or in another file.
package safetensors

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"os"
	"slices"
	"unicode/utf8"

	"github.com/ehgnn/ehgnn/internal/atomicfile"
)

const (
	// maxHeader is the reference implementation's bound on the header.
	maxHeader = 100_000_000
	// maxDims bounds the dimensions of a tensor, which errors quote.
	maxDims = 32
	// metadataKey is the one key of the header that names no tensor.
	metadataKey = "__metadata__"
	// chunk is how many bytes of elements are converted at a time.
	chunk = 64 << 10
)

// Tensor is a named array, rows last: the element at (i, j) of shape [n, m] is
// Data[i*m+j]. An empty shape is a scalar, with one element.
type Tensor struct {
	Name  string
	Shape []int
	Data  []float32
}

// File is the content of a safetensors file.
type File struct {
	Metadata map[string]string
	Tensors  []Tensor
}

// Lookup returns the tensor of that name and whether there is one.
func (f *File) Lookup(name string) (Tensor, bool) {
	for _, t := range f.Tensors {
		if t.Name == name {
			return t, true
		}
	}
	return Tensor{}, false
}

// WriteFile writes f to path, completely or not at all; see Write.
func WriteFile(path string, f *File) error {
	header, tensors, err := prepare(f)
	if err == nil {
		err = atomicfile.Write(path, func(w io.Writer) error { return write(w, header, tensors) })
	}
	if err != nil {
		return fmt.Errorf("safetensors: %s: %w", path, err)
	}
	return nil
}

// Write writes f to w. Tensors are ordered by name, whatever their order in f,
// and metadata by key, so the bytes depend on the content alone. It fails
// before the first byte if a tensor's data does not fill its shape, if names
// repeat, are reserved or are not UTF-8, or if the header would exceed what
// readers accept.
func Write(w io.Writer, f *File) error {
	header, tensors, err := prepare(f)
	if err == nil {
		err = write(w, header, tensors)
	}
	if err != nil {
		return fmt.Errorf("safetensors: %w", err)
	}
	return nil
}

// prepare does everything that can fail but the writing itself.
func prepare(f *File) (header []byte, tensors []Tensor, err error) {
	tensors = slices.Clone(f.Tensors)
	slices.SortStableFunc(tensors, func(a, b Tensor) int { return cmp.Compare(a.Name, b.Name) })
	header, err = encodeHeader(f.Metadata, tensors)
	return header, tensors, err
}

func write(w io.Writer, header []byte, tensors []Tensor) error {
	if _, err := w.Write(header); err != nil {
		return fmt.Errorf("header: %w", err)
	}
	var buf [chunk]byte
	for _, t := range tensors {
		for part := range slices.Chunk(t.Data, chunk/4) {
			for i, v := range part {
				binary.LittleEndian.PutUint32(buf[4*i:], math.Float32bits(v))
			}
			if _, err := w.Write(buf[:4*len(part)]); err != nil {
				return fmt.Errorf("tensor %q: %w", t.Name, err)
			}
		}
	}
	return nil
}

// encodeHeader returns the length, the header and its padding for tensors
// sorted by name.
func encodeHeader(metadata map[string]string, tensors []Tensor) ([]byte, error) {
	var b bytes.Buffer
	b.Write(make([]byte, 8)) // the length, known at the end
	b.WriteByte('{')
	if len(metadata) > 0 {
		for k, v := range metadata {
			if !utf8.ValidString(k) || !utf8.ValidString(v) {
				return nil, fmt.Errorf("metadata %q is not UTF-8", k)
			}
		}
		b.WriteString(`"` + metadataKey + `":`)
		writeJSON(&b, metadata) // a map: encoded in the order of its keys
	}
	var offset int64
	for i, t := range tensors {
		switch {
		case !utf8.ValidString(t.Name):
			return nil, fmt.Errorf("tensor %q: the name is not UTF-8", t.Name)
		case t.Name == metadataKey:
			return nil, fmt.Errorf("tensor %q: the name is reserved for the metadata", t.Name)
		case i > 0 && t.Name == tensors[i-1].Name:
			return nil, fmt.Errorf("tensor %q is there twice", t.Name)
		}
		n, err := elements(t.Shape)
		if err != nil {
			return nil, fmt.Errorf("tensor %q: %w", t.Name, err)
		}
		if n != int64(len(t.Data)) {
			return nil, fmt.Errorf("tensor %q: shape %v has %d elements, data has %d", t.Name, t.Shape, n, len(t.Data))
		}
		if b.Len() > 9 {
			b.WriteByte(',')
		}
		writeJSON(&b, t.Name)
		b.WriteString(`:{"dtype":"F32","shape":`)
		shape := t.Shape
		if shape == nil {
			shape = []int{} // nil would be encoded as null
		}
		writeJSON(&b, shape)
		fmt.Fprintf(&b, `,"data_offsets":[%d,%d]}`, offset, offset+4*n)
		offset += 4 * n
	}
	b.WriteByte('}')
	for b.Len()%8 != 0 { // so that elements are aligned in a mapped file
		b.WriteByte(' ')
	}
	if b.Len()-8 > maxHeader {
		return nil, fmt.Errorf("the header has %d bytes, readers accept %d", b.Len()-8, maxHeader)
	}
	binary.LittleEndian.PutUint64(b.Bytes(), uint64(b.Len()-8))
	return b.Bytes(), nil
}

// writeJSON appends v as the reference implementation does, without escapes
// for HTML. Strings, ints and maps of strings cannot fail.
func writeJSON(b *bytes.Buffer, v any) {
	enc := json.NewEncoder(b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		panic(err)
	}
	b.Truncate(b.Len() - 1) // the newline that Encode adds
}

// elements is the product of a shape.
func elements(shape []int) (int64, error) {
	n := int64(1)
	for _, d := range shape {
		if d < 0 {
			return 0, fmt.Errorf("shape %v has a negative size", shape)
		}
		if d > 0 && n > math.MaxInt64/int64(d) {
			return 0, fmt.Errorf("shape %v has too many elements", shape)
		}
		n *= int64(d)
	}
	return n, nil
}

// ReadFile reads the file at path; see Read.
func ReadFile(path string) (*File, error) {
	r, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("safetensors: %w", err)
	}
	defer r.Close()
	info, err := r.Stat()
	if err != nil {
		return nil, fmt.Errorf("safetensors: %w", err)
	}
	f, err := read(r, info.Size())
	if err != nil {
		return nil, fmt.Errorf("safetensors: %s: %w", path, err)
	}
	return f, nil
}
