// Package safetensors reads and writes the safetensors format, which exchanges model weights with
// Python.
//
// A file is the length of a header (8 bytes, little-endian), the header, and the elements of all
// tensors. The header is one JSON object: "__metadata__" maps strings to strings, every other key
// is a tensor's name with its dtype, shape and position ("data_offsets", counted from the header's
// end).
//
// Write writes only F32, the element type of package tensor, in the order and with the padding of
// the reference implementation, so equal contents give equal bytes. Read accepts the four
// floating-point dtypes of published models. Before it allocates memory for elements, it makes all
// checks of the reference implementation: tensors must cover the data without overlap or gap. It
// never allocates more than a small multiple of the file's size.
//
// Counters, seeds and other exact integers belong in the metadata or in another file.
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
	// maxHeader is the largest header size in the reference implementation.
	maxHeader = 100_000_000
	// maxDims is the largest number of dimensions of a tensor, because errors quote shapes.
	maxDims = 32
	// metadataKey is the only key of the header that names no tensor.
	metadataKey = "__metadata__"
	// chunk is the number of bytes of elements that are converted at a time.
	chunk = 64 << 10
)

// Tensor is a named array, stored by rows: the element at (i, j) of shape [n, m] is Data[i*m+j]. An
// empty shape is a scalar with one element.
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

// Lookup returns the tensor with this name and whether it exists.
func (f *File) Lookup(name string) (Tensor, bool) {
	for _, t := range f.Tensors {
		if t.Name == name {
			return t, true
		}
	}
	return Tensor{}, false
}

// WriteFile writes f to path, completely or not at all. See Write.
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

// Write writes f to w. Tensors and metadata are sorted by name, so the bytes depend only on the
// content. It returns an error before the first byte if the size of a tensor's data does not fit
// its shape, if a name is repeated, reserved or not UTF-8, or if the header would be larger than
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

// prepare does everything that can fail except writing.
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

// encodeHeader returns the length, the header and its padding. tensors are sorted by name.
func encodeHeader(metadata map[string]string, tensors []Tensor) ([]byte, error) {
	var b bytes.Buffer
	b.Write(make([]byte, 8)) // the length, set at the end
	b.WriteByte('{')
	if len(metadata) > 0 {
		for k, v := range metadata {
			if !utf8.ValidString(k) || !utf8.ValidString(v) {
				return nil, fmt.Errorf("metadata %q is not UTF-8", k)
			}
		}
		b.WriteString(`"` + metadataKey + `":`)
		writeJSON(&b, metadata) // a map, encoded in the order of its keys
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

// writeJSON appends v without escapes for HTML, as the reference implementation does. Strings, ints
// and maps of strings cannot fail.
func writeJSON(b *bytes.Buffer, v any) {
	enc := json.NewEncoder(b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		panic(err)
	}
	b.Truncate(b.Len() - 1) // the newline that Encode adds
}

// elements returns the product of a shape.
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

// ReadFile reads the file at path. See Read.
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
