package parquet

import (
	"encoding/binary"
	"errors"

	"github.com/ehgnn/ehgnn/data/tablefile"
)

// footerItemBytes is the memory of a list element in the footer of a Parquet file, at most: the
// description of a column of a row group.
const footerItemBytes = 512

// maxGroups is how many columns may contain columns, as lists do: the decoder descends into them by
// recursion.
const maxGroups = 1 << 16

// Fields of the footer.
const (
	fieldOfSchema   = 2 // of FileMetaData
	fieldOfChildren = 5 // of SchemaElement
)

var errFooter = errors.New("the footer is damaged")

// checkFooter checks the footer of a Parquet file and charges the elements of its lists.
func checkFooter(t *tablefile.TypedFile) error {
	const end = 8 // its length and the magic number
	var tail [end]byte
	at := t.Section()
	size := at.Size()
	if size < end+4 {
		return errFooter
	}
	if _, err := at.ReadAt(tail[:], size-end); err != nil {
		return err
	}
	switch string(tail[4:]) {
	case "PAR1":
	case "PARE":
		return errors.New("it is encrypted: decrypt it first")
	default:
		return errors.New("its end is missing")
	}
	n := int64(binary.LittleEndian.Uint32(tail[:]))
	if n > size-end-4 {
		return errFooter
	}
	if err := t.Charge(2*n, "footers"); err != nil {
		return err
	}
	w := thriftWalk{b: make([]byte, n)}
	if _, err := at.ReadAt(w.b, size-end-n); err != nil {
		return err
	}
	groups := 0
	w.visit = func(path []int16, v int64) {
		if len(path) == 2 && path[0] == fieldOfSchema && path[1] == fieldOfChildren && v > 0 {
			groups++
		}
	}
	if w.structure(0); w.bad || groups > maxGroups {
		return errFooter
	}
	return t.Charge(w.items*footerItemBytes, "columns and groups of rows")
}
