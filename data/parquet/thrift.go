package parquet

import "encoding/binary"

// thriftWalk checks a structure in Thrift's compact protocol without decoding it: decoders allocate
// lists with the lengths that the data claim.
type thriftWalk struct {
	b     []byte
	items int64 // elements of lists
	bad   bool
	// visit, if not nil, receives the whole numbers of the structure, with the path of their field
	// numbers, outermost first.
	visit func(path []int16, v int64)
	path  []int16
}

// maxThriftDepth is the largest nesting depth of structures; Parquet has 6.
const maxThriftDepth = 32

// Kinds of values.
const (
	thriftTrue   = 1
	thriftFalse  = 2
	thriftByte   = 3
	thriftI16    = 4
	thriftI32    = 5
	thriftI64    = 6
	thriftDouble = 7
	thriftBinary = 8
	thriftList   = 9
	thriftSet    = 10
	thriftStruct = 12
)

// skip skips n bytes.
func (w *thriftWalk) skip(n uint64) {
	if n > uint64(len(w.b)) {
		w.bad, w.b = true, nil
		return
	}
	w.b = w.b[n:]
}

func (w *thriftWalk) byte() byte {
	if len(w.b) == 0 {
		w.bad = true
		return 0
	}
	c := w.b[0]
	w.b = w.b[1:]
	return c
}

func (w *thriftWalk) varint() uint64 {
	v, n := binary.Uvarint(w.b)
	if n <= 0 {
		w.bad, w.b = true, nil
		return 0
	}
	w.b = w.b[n:]
	return v
}

// zigzag decodes a signed whole number.
func (w *thriftWalk) zigzag() int64 {
	v := w.varint()
	return int64(v>>1) ^ -int64(v&1)
}

// structure reads fields until their end.
func (w *thriftWalk) structure(depth int) {
	if depth > maxThriftDepth {
		w.bad = true
	}
	id := int16(0)
	for !w.bad {
		head := w.byte()
		if head == 0 {
			return
		}
		if head>>4 == 0 {
			id = int16(w.zigzag())
		} else {
			id += int16(head >> 4)
		}
		w.path = append(w.path, id)
		if kind := head & 15; kind > thriftFalse { // otherwise a boolean, which has no value bytes
			w.value(kind, depth)
		}
		w.path = w.path[:len(w.path)-1]
	}
}

// value reads a value of a kind.
func (w *thriftWalk) value(kind byte, depth int) {
	switch kind {
	case thriftTrue, thriftFalse, thriftByte:
		w.byte()
	case thriftI16, thriftI32, thriftI64:
		if v := w.zigzag(); w.visit != nil && !w.bad {
			w.visit(w.path, v)
		}
	case thriftDouble:
		w.skip(8)
	case thriftBinary:
		w.skip(w.varint())
	case thriftList, thriftSet:
		w.list(depth)
	case thriftStruct:
		w.structure(depth + 1)
	default: // maps, which Parquet does not use
		w.bad = true
	}
}

func (w *thriftWalk) list(depth int) {
	head := w.byte()
	n := uint64(head >> 4)
	if n == 15 {
		n = w.varint()
	}
	if n > uint64(len(w.b)) { // each has at least one byte
		w.bad = true
	}
	w.items += int64(min(n, uint64(len(w.b))))
	if depth > maxThriftDepth {
		w.bad = true
	}
	for ; n > 0 && !w.bad; n-- {
		w.value(head&15, depth+1)
	}
}
