package store

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"

	"github.com/ehgnn/ehgnn/graph"
)

// A file has a magic number of eight bytes, a header of 32-bit numbers, and arrays, all
// little-endian. The length of the file follows from the header, so a decoder does not allocate
// more than the file can have.
const (
	blockMagic = "ehgnnB1\n"
	namesMagic = "ehgnnN1\n"
	partMagic  = "ehgnnP1\n"
)

// chunk is the number of bytes of an array that are converted at a time.
const chunk = 1 << 16

// number is the element type of arrays.
type number interface{ int32 | uint32 | float32 }

// encoder writes a file. It keeps the first error.
type encoder struct {
	w   io.Writer
	buf [chunk]byte
	err error
}

func (e *encoder) bytes(b []byte) {
	if e.err == nil {
		_, e.err = e.w.Write(b)
	}
}

func (e *encoder) head(magic string, numbers ...int) {
	b := append(e.buf[:0], magic...)
	for _, v := range numbers {
		if v < 0 || v > math.MaxInt32 {
			e.err = fmt.Errorf("%d does not fit into 31 bits", v)
			return
		}
		b = binary.LittleEndian.AppendUint32(b, uint32(v))
	}
	e.bytes(b)
}

func (e *encoder) long(v int64) { e.bytes(binary.LittleEndian.AppendUint64(nil, uint64(v))) }

// put writes an array.
func put[T number](e *encoder, list []T) {
	for len(list) > 0 {
		n := min(len(list), chunk/4)
		for i, v := range list[:n] {
			binary.LittleEndian.PutUint32(e.buf[4*i:], toBits(v))
		}
		e.bytes(e.buf[:4*n])
		list = list[n:]
	}
}

// texts writes the lengths of texts and then the texts.
func (e *encoder) texts(list []string) {
	lengths := make([]uint32, len(list))
	for i, s := range list {
		if len(s) > math.MaxInt32 {
			e.err = errors.New("an id is longer than 2 GiB")
			return
		}
		lengths[i] = uint32(len(s))
	}
	put(e, lengths)
	for _, s := range list {
		if e.err == nil {
			_, e.err = io.WriteString(e.w, s)
		}
	}
}

func (e *encoder) layout(f graph.Features) {
	for _, k := range f.Codes {
		e.bytes(binary.LittleEndian.AppendUint32(nil, uint32(k)))
	}
}

func toBits[T number](v T) uint32 {
	switch v := any(v).(type) {
	case float32:
		return math.Float32bits(v)
	case int32:
		return uint32(v)
	}
	return uint32(v)
}

func fromBits[T number](b uint32) T {
	var v T
	switch p := any(&v).(type) {
	case *float32:
		*p = math.Float32frombits(b)
	case *int32:
		*p = int32(b)
	case *uint32:
		*p = b
	}
	return v
}

// errTorn is the error for a file whose length does not follow from its header.
var errTorn = errors.New("is torn or damaged")

// decoder reads a file of known length. It keeps the first error.
type decoder struct {
	ctx  context.Context
	r    io.Reader
	left int64 // bytes of the file that are not read yet
	buf  [chunk]byte
	err  error
}

func (d *decoder) fail(format string, args ...any) {
	if d.err == nil {
		d.err = fmt.Errorf("%w: "+format, append([]any{errTorn}, args...)...)
	}
}

// take reads n bytes, at most a chunk.
func (d *decoder) take(n int) []byte {
	b := d.buf[:n]
	if d.err == nil {
		if d.err = d.ctx.Err(); d.err == nil {
			if _, err := io.ReadFull(d.r, b); err != nil {
				d.fail("%v", err)
			}
		}
	}
	if d.err != nil {
		clear(b)
	}
	d.left -= int64(n)
	return b
}

// head reads the magic number and a header of n numbers, none above 2³¹-1.
func (d *decoder) head(magic string, n int) []int {
	if got := d.take(len(magic)); string(got) != magic {
		d.fail("it begins with %q, expected %q", got, magic)
	}
	out := make([]int, n)
	for i := range out {
		v := binary.LittleEndian.Uint32(d.take(4))
		if v > math.MaxInt32 {
			d.fail("number %d of the head is %d", i, v)
			v = 0
		}
		out[i] = int(v)
	}
	return out
}

func (d *decoder) long() int64 { return int64(binary.LittleEndian.Uint64(d.take(8))) }

// room reports whether this many rows, of each bytes, are left in the file. It is called before
// they are allocated.
func (d *decoder) room(rows, each int) bool {
	if d.err == nil && (each > 0 && int64(rows) > d.left/int64(each)) {
		d.fail("the head says %d rows of %d bytes and %d bytes are left", rows, each, d.left)
	}
	return d.err == nil
}

// get reads rows of width numbers. It returns nil if there are none.
func get[T number](d *decoder, rows, width int) []T {
	if rows == 0 || width == 0 || !d.room(rows, 4*width) {
		return nil
	}
	out := make([]T, rows*width)
	for at := 0; at < len(out) && d.err == nil; {
		n := min(len(out)-at, chunk/4)
		b := d.take(4 * n)
		for i := range n {
			out[at+i] = fromBits[T](binary.LittleEndian.Uint32(b[4*i:]))
		}
		at += n
	}
	return out
}

// octets reads n bytes.
func (d *decoder) octets(n int) []byte {
	if !d.room(n, 1) {
		return nil
	}
	out := make([]byte, n)
	for at := 0; at < n && d.err == nil; {
		at += copy(out[at:], d.take(min(n-at, chunk)))
	}
	return out
}

// texts reads n texts, which share memory.
func (d *decoder) texts(n int) []string {
	lengths := get[uint32](d, n, 1)
	sum := int64(0)
	for _, l := range lengths {
		sum += int64(l)
	}
	if d.err != nil || sum > d.left {
		d.fail("its texts have %d bytes and %d are left", sum, d.left)
		return nil
	}
	all := string(d.octets(int(sum)))
	if d.err != nil {
		return nil
	}
	out := make([]string, n)
	for i, l := range lengths {
		out[i], all = all[:l], all[l:]
	}
	return out
}

// features reads features of a known layout and checks them.
func (d *decoder) features(rows, dim int, codes []int) graph.Features {
	f := graph.Features{Dim: dim, Codes: codes}
	f.Dense = get[float32](d, rows, dim)
	f.Code = get[int32](d, rows, len(codes))
	for i, v := range f.Dense {
		if v-v != 0 {
			d.fail("feature %d of row %d is %v", i%dim, i/dim, v)
			break
		}
	}
	for i, c := range f.Code {
		if k := codes[i%len(codes)]; c < -1 || int(c) >= k {
			d.fail("code %d of row %d is %d, expected -1 to %d", i%len(codes), i/len(codes), c, k-1)
			break
		}
	}
	return f
}

// layout reads the numbers of categories of the categorical columns.
func (d *decoder) layout(n int) []int {
	var out []int
	for c, k := range get[uint32](d, n, 1) {
		if k == 0 || k > math.MaxInt32 {
			d.fail("categorical column %d has %d values", c, k)
			return nil
		}
		out = append(out, int(k))
	}
	return out
}

// end checks that the file has ended.
func (d *decoder) end() error {
	if d.err == nil && d.left != 0 {
		d.fail("%d bytes are left", d.left)
	}
	return d.err
}
