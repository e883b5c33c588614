package tablefile

import (
	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/ipc"
)

// arrowMagic begins and ends an IPC file, which has a list of its batches at the end.
const arrowMagic = "ARROW1"

// arrowBatches are the batches of an IPC file or stream.
type arrowBatches interface {
	batches
	schema() *arrow.Schema
}

// openArrow reads an IPC file of Arrow, which is Feather V2, or an IPC stream.
func openArrow(f *file) (Reader, error) {
	t, err := newTypedFile(f, "Arrow")
	if err != nil {
		return nil, err
	}
	var r *typedRows
	err = t.open(func() error {
		b, rows, err := newArrowBatches(t)
		if err != nil {
			return err
		}
		if err := checkFields(f, b.schema().Fields()); err != nil {
			return err
		}
		indices, left, err := countingColumns(t, b.schema())
		if err != nil {
			return err
		}
		if r, err = newTypedRows(t, b.schema(), b, rows, indices); err == nil {
			r.left = left
		}
		return err
	})
	if err != nil {
		t.memory.close()
		return nil, err
	}
	return r, nil
}

// newArrowBatches begins to read the batches; rows is -1 where the file does not say how many.
func newArrowBatches(t *typedFile) (b arrowBatches, rows int64, err error) {
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

// arrowLimits bound what a message may say that it takes.
func arrowLimits(t *typedFile) []ipc.Option {
	return []ipc.Option{ipc.WithAllocator(t.memory), ipc.WithMetadataSizeLimit(t.size), ipc.WithBodySizeLimit(t.size)}
}

// countingColumns are the columns of pandas' index that only count the rows from 0 on.
func countingColumns(t *typedFile, s *arrow.Schema) (map[int]bool, []Left, error) {
	return leaveOut(s, pandasIndices(s), func(i int) (bool, error) {
		again, _, err := newArrowBatches(t)
		if err != nil {
			return false, err
		}
		defer again.close()
		return counts(again, i)
	})
}
