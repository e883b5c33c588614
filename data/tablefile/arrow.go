package tablefile

import (
	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/ipc"
)

// arrowMagic is at the start and the end of an IPC file, which has a list of its batches at the end.
const arrowMagic = "ARROW1"

// arrowBatches reads the batches of an IPC file or stream.
type arrowBatches interface {
	Batches
	schema() *arrow.Schema
}

// openArrow opens an Arrow IPC file (Feather V2) or IPC stream.
func openArrow(f *file) (Reader, error) {
	return openTyped(f, "Arrow", func(t *TypedFile) (table TypedTable, err error) {
		b, rows, err := newArrowBatches(t)
		if err != nil {
			return table, err
		}
		again := func(column int) (Batches, int, error) {
			b, _, err := newArrowBatches(t)
			return b, column, err
		}
		return TypedTable{b, b.schema(), rows, again}, nil
	})
}

// newArrowBatches starts to read the batches; rows is -1 if the file does not give their number.
func newArrowBatches(t *TypedFile) (b arrowBatches, rows int64, err error) {
	head := make([]byte, len(arrowMagic))
	if _, err := t.at.ReadAt(head, 0); err != nil {
		return nil, 0, noEOF(err)
	}
	if string(head) != arrowMagic {
		b, err = newArrowStream(t)
		return b, -1, err
	}
	return newArrowFile(t)
}

// arrowLimits limits the sizes that a message may claim.
func arrowLimits(t *TypedFile) []ipc.Option {
	return []ipc.Option{ipc.WithAllocator(t.memory), ipc.WithMetadataSizeLimit(t.size), ipc.WithBodySizeLimit(t.size)}
}
