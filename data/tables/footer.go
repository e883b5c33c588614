package tables

import (
	"encoding/binary"
	"errors"
	"io"
)

// footerItemBytes is what an element of a list in the footer of a Parquet file may take:
// the description of a column of a group of rows.
const footerItemBytes = 512

// checkFooter walks over the footer of a Parquet file, which is in the compact protocol
// of Thrift, and charges the elements of its lists: the decoder makes lists as long as
// they say they are.
func (r *parquetRows) checkFooter(at io.ReaderAt, size int64) error {
	const end = 8 // its length and the magic number
	errDamaged := r.failed("cannot be read as Parquet", errors.New("the footer is damaged"))
	var tail [end]byte
	if size < end+4 {
		return errDamaged
	}
	if _, err := at.ReadAt(tail[:], size-end); err != nil {
		return r.failed("cannot be read", err)
	}
	n := int64(binary.LittleEndian.Uint32(tail[:]))
	if n > size-end-4 {
		return errDamaged
	}
	if err := r.folder.budget.Charge(2*n, "footers"); err != nil {
		return r.failed("cannot be read", err)
	}
	w := thriftWalk{b: make([]byte, n)}
	if _, err := at.ReadAt(w.b, size-end-n); err != nil {
		return r.failed("cannot be read", err)
	}
	if w.structure(0); w.bad {
		return errDamaged
	}
	if err := r.folder.budget.Charge(w.items*footerItemBytes, "columns and groups of rows"); err != nil {
		return r.failed("cannot be read", err)
	}
	return nil
}

// thriftWalk goes over a structure without decoding it.
type thriftWalk struct {
	b     []byte
	items int64 // elements of lists
	bad   bool
}

// maxThriftDepth bounds how deep structures are nested; those of Parquet are 6 deep.
const maxThriftDepth = 32

// skip goes over n bytes.
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

// structure goes over fields until their end.
func (w *thriftWalk) structure(depth int) {
	if depth > maxThriftDepth {
		w.bad = true
	}
	for !w.bad {
		head := w.byte()
		if head == 0 {
			return
		}
		if head>>4 == 0 { // else the number of the field is that of the last and more
			w.varint()
		}
		if kind := head & 15; kind > 2 { // else a truth value, which is its kind
			w.value(kind, depth)
		}
	}
}

// value goes over a value of a kind.
func (w *thriftWalk) value(kind byte, depth int) {
	switch kind {
	case 1, 2, 3:
		w.byte()
	case 4, 5, 6:
		w.varint()
	case 7:
		w.skip(8)
	case 8:
		w.skip(w.varint())
	case 9, 10:
		head := w.byte()
		n := uint64(head >> 4)
		if n == 15 {
			n = w.varint()
		}
		if n > uint64(len(w.b)) { // each has a byte or more
			w.bad = true
		}
		w.items += int64(min(n, uint64(len(w.b))))
		if depth > maxThriftDepth {
			w.bad = true
		}
		for ; n > 0 && !w.bad; n-- {
			w.value(head&15, depth+1)
		}
	case 12:
		w.structure(depth + 1)
	default: // maps, of which Parquet has none
		w.bad = true
	}
}
