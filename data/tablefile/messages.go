package tablefile

import (
	"encoding/base64"
	"encoding/binary"
	"errors"
	"io"

	flatbuffers "github.com/google/flatbuffers/go"
)

var errMessage = errors.New("a message of Arrow is damaged")

// messageWalk checks the metadata of an Arrow message, which is a FlatBuffer, before it is decoded:
// the decoder allocates slices with the lengths that its vectors claim.
type messageWalk struct {
	b      []byte
	fields int         // remaining
	body   io.ReaderAt // after the metadata; nil if there is none
}

// Kinds of messages.
const (
	schemaMessage     = 1
	dictionaryMessage = 2
	batchMessage      = 3
)

const unionType = 14

// maxFieldDepth is the largest nesting depth of columns.
const maxFieldDepth = 64

// checkMessage returns an error for metadata that would need more memory than its size justifies.
// It returns the number of rows of the message.
func checkMessage(b []byte, body io.ReaderAt) (rows int64, err error) {
	defer func() {
		if recover() != nil { // an offset beyond the end
			rows, err = 0, errMessage
		}
	}()
	w := messageWalk{b: b, fields: len(b) / 8, body: body}
	m := flatbuffers.Table{Bytes: b, Pos: flatbuffers.GetUOffsetT(b)}
	w.vector(m, 4)
	kind := m.GetByteSlot(slot(1), 0)
	header, ok := w.table(m, 2)
	if !ok {
		return 0, errMessage
	}
	switch kind {
	case schemaMessage:
		if m.GetInt64Slot(slot(3), 0) != 0 { // bytes after it
			return 0, errMessage
		}
		w.schema(header)
	case dictionaryMessage:
		if batch, ok := w.table(header, 1); ok {
			return 0, w.batch(batch)
		}
	case batchMessage:
		if err := w.batch(header); err != nil {
			return 0, err
		}
		rows = header.GetInt64Slot(slot(0), 0)
		if rows < 0 {
			return 0, errMessage
		}
	}
	return rows, nil
}

// schema checks the columns.
func (w *messageWalk) schema(t flatbuffers.Table) {
	w.vector(t, 2)
	w.children(t, 1, 0)
}

// slot is the place of a field in the table of offsets.
func slot(field int) flatbuffers.VOffsetT { return flatbuffers.VOffsetT(4 + 2*field) }

// table is the table that a field points to.
func (w *messageWalk) table(t flatbuffers.Table, field int) (flatbuffers.Table, bool) {
	o := t.Offset(slot(field))
	if o == 0 {
		return flatbuffers.Table{}, false
	}
	return flatbuffers.Table{Bytes: w.b, Pos: t.Indirect(t.Pos + flatbuffers.UOffsetT(o))}, true
}

// vector returns the length of a vector and the start of its elements. It panics if they do not fit
// into the message.
func (w *messageWalk) vector(t flatbuffers.Table, field int) (n int, at flatbuffers.UOffsetT) {
	o := flatbuffers.UOffsetT(t.Offset(slot(field)))
	if o == 0 {
		return 0, 0
	}
	n, at = t.VectorLen(o), t.Vector(o)
	const least = 4 // bytes of an element
	if n > (len(w.b)-int(at))/least {
		panic(errMessage)
	}
	return n, at
}

// children checks the fields in a vector. Fields may share their children, so a short message could
// have any number of them.
func (w *messageWalk) children(t flatbuffers.Table, field, depth int) {
	n, at := w.vector(t, field)
	if w.fields -= n; w.fields < 0 || depth > maxFieldDepth {
		panic(errMessage)
	}
	for i := range n {
		child := flatbuffers.Table{Bytes: w.b, Pos: t.Indirect(at + flatbuffers.UOffsetT(4*i))}
		w.vector(child, 6)
		w.children(child, 5, depth+1)
		if union, ok := w.table(child, 3); ok && child.GetByteSlot(slot(2), 0) == unionType {
			w.vector(union, 1) // its ids
		}
	}
}

// batch checks the number of buffers of each view of texts, and the compressed buffers.
func (w *messageWalk) batch(t flatbuffers.Table) error {
	buffers, at := w.vector(t, 2)
	if compression, ok := w.table(t, 3); ok && compression.GetInt8Slot(slot(0), 0) == zstdBuffers {
		if err := w.compressed(t, buffers, at); err != nil {
			return err
		}
	}
	n, at := w.vector(t, 4)
	for i := range n {
		if v := t.GetInt64(at + flatbuffers.UOffsetT(8*i)); v < 0 || v > int64(buffers) {
			return errMessage
		}
	}
	return nil
}

// zstdBuffers is the code of Zstandard compression.
const zstdBuffers = 1

// compressed checks compressed buffers, each preceded by its decompressed size.
func (w *messageWalk) compressed(t flatbuffers.Table, n int, at flatbuffers.UOffsetT) error {
	for ; n > 0; n-- {
		const size, plain = 8, -1
		from, length := t.GetInt64(at), t.GetInt64(at+8)
		at += 16
		if length == 0 {
			continue
		}
		var text [size]byte
		if from < 0 || length < size || w.body == nil {
			return errMessage
		}
		if _, err := w.body.ReadAt(text[:], from); err != nil {
			return noEOF(err)
		}
		if int64(binary.LittleEndian.Uint64(text[:])) == plain {
			continue
		}
		if err := checkZstd(io.NewSectionReader(w.body, from+size, length-size), length-size); err != nil {
			return err
		}
	}
	return nil
}

// CheckArrowSchema checks the Arrow schema that writers put into Parquet files, as text.
func CheckArrowSchema(text string) error {
	b, err := base64.StdEncoding.DecodeString(text)
	if err != nil {
		if b, err = base64.RawStdEncoding.DecodeString(text); err != nil {
			return errMessage
		}
	}
	if len(b) > 4 && binary.LittleEndian.Uint32(b) == continuation {
		b = b[4:]
	}
	if len(b) < 4 || uint64(binary.LittleEndian.Uint32(b)) > uint64(len(b)-4) {
		return errMessage
	}
	_, err = checkMessage(b[4:][:binary.LittleEndian.Uint32(b)], nil)
	return err
}

// continuation starts a message since Arrow 0.15.
const continuation = 0xffffffff
