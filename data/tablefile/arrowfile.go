package tablefile

import (
	"encoding/binary"
	"errors"
	"io"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/ipc"
	flatbuffers "github.com/google/flatbuffers/go"
)

var errFooter = errors.New("the footer is damaged")

// arrowFile reads the batches listed at the end of an IPC file.
type arrowFile struct {
	reader *ipc.FileReader
	at     int // next batch
	batch  arrow.RecordBatch
}

// newArrowFile opens an IPC file and sums the row counts of its batches.
func newArrowFile(t *TypedFile) (b arrowBatches, rows int64, err error) {
	blocks, err := arrowFooter(t)
	if err != nil {
		return nil, 0, err
	}
	for _, block := range blocks {
		n, err := block.check(t)
		if err != nil {
			return nil, 0, err
		}
		rows += n
	}
	f := &arrowFile{}
	f.reader, err = ipc.NewFileReader(t.Section(), arrowLimits(t)...)
	return f, rows, err
}

func (f *arrowFile) schema() *arrow.Schema { return f.reader.Schema() }

// Next implements Batches.
func (f *arrowFile) Next() (arrow.RecordBatch, error) {
	f.release()
	if f.at == f.reader.NumRecords() {
		return nil, io.EOF
	}
	var err error
	f.batch, err = f.reader.RecordBatchAt(f.at)
	f.at++
	return f.batch, err
}

func (f *arrowFile) release() {
	if f.batch != nil {
		f.batch.Release()
		f.batch = nil
	}
}

// Close implements Batches.
func (f *arrowFile) Close() {
	f.release()
	f.reader.Close() // it never fails
}

// arrowBlock is the place of a message in an IPC file.
type arrowBlock struct{ at, meta, body int64 }

// blockBytes is the size of an arrowBlock in a footer: 8 bytes, 4 and 4 bytes of padding, and 8.
const blockBytes = 24

// arrowFooter reads the places of the messages in an IPC file. The last message must end where the
// footer starts, except for an end mark; otherwise messages are missing.
func arrowFooter(t *TypedFile) (blocks []arrowBlock, err error) {
	const tailBytes = int64(4 + len(arrowMagic)) // the length of the footer, and the magic
	tail := make([]byte, tailBytes)
	if t.size < 2*tailBytes {
		return nil, io.ErrUnexpectedEOF
	}
	if _, err := t.at.ReadAt(tail, t.size-tailBytes); err != nil {
		return nil, err
	}
	n := int64(int32(binary.LittleEndian.Uint32(tail)))
	if string(tail[4:]) != arrowMagic || n <= 0 || n > t.size-2*tailBytes {
		return nil, errors.New("the end of the file is missing")
	}
	if err := t.budget.Charge(2*n, "footers"); err != nil {
		return nil, err
	}
	b := make([]byte, n)
	begin := t.size - tailBytes - n
	if _, err := t.at.ReadAt(b, begin); err != nil {
		return nil, err
	}
	if blocks, err = parseArrowFooter(b); err != nil {
		return nil, err
	}
	end := int64(0)
	for _, block := range blocks {
		if block.at < 0 || block.meta < 0 || block.body < 0 || block.at > begin || block.meta > begin || block.body > begin-block.meta-block.at {
			return nil, errFooter
		}
		end = max(end, block.at+block.meta+block.body)
	}
	const mark = 64 // largest size of the end mark with its padding
	if len(blocks) > 0 && begin-end > mark {
		return nil, errFooter
	}
	return blocks, nil
}

// parseArrowFooter checks a footer and lists its messages.
func parseArrowFooter(b []byte) (blocks []arrowBlock, err error) {
	defer func() {
		if recover() != nil { // an offset beyond the end
			err = errFooter
		}
	}()
	w := messageWalk{b: b, fields: len(b) / 8}
	footer := flatbuffers.Table{Bytes: b, Pos: flatbuffers.GetUOffsetT(b)}
	schema, ok := w.table(footer, 1)
	if !ok {
		return nil, errFooter
	}
	w.schema(schema)
	w.vector(footer, 4)
	for _, field := range []int{2, 3} { // dictionaries and batches of rows
		n, at := w.vector(footer, field)
		for range n {
			blocks = append(blocks, arrowBlock{footer.GetInt64(at), int64(footer.GetInt32(at + 8)), footer.GetInt64(at + 16)})
			at += blockBytes
		}
	}
	return blocks, nil
}

// check checks the message of a block and returns its number of rows.
func (b arrowBlock) check(t *TypedFile) (rows int64, err error) {
	if err := t.memory.allows(b.meta); err != nil {
		return 0, err
	}
	meta := make([]byte, b.meta)
	if _, err := t.at.ReadAt(meta, b.at); err != nil {
		return 0, noEOF(err)
	}
	const length = 4
	if len(meta) > length && binary.LittleEndian.Uint32(meta) == continuation {
		meta = meta[length:]
	}
	if len(meta) < 2*length {
		return 0, errMessage
	}
	return checkMessage(meta[length:], io.NewSectionReader(t.at, b.at+b.meta, b.body))
}
