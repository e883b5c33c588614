package report

import (
	"encoding/binary"
	"fmt"
	"io"
	"strings"

	"github.com/ehgnn/ehgnn/internal/atomicfile"
)

// writeNPYFiles writes the array and, if there are other columns, their CSV. The array gets its
// final name last, when both are complete.
func writeNPYFiles(path string, t *Table, rows int) error {
	array, ids, err := splitNPY(t)
	if err != nil {
		return err
	}
	f, err := atomicfile.Create(path)
	if err != nil {
		return err
	}
	defer f.Abort()
	if err := writeNPY(f, array, rows); err != nil {
		return err
	}
	if len(ids.Columns) > 0 {
		side := path[:len(path)-len(npyExt)] + ".ids.csv"
		err := atomicfile.Write(side, func(w io.Writer) error { return whole(newCSV(w), ids, rows) })
		if err != nil {
			return inFile(side, err)
		}
	}
	return f.Commit()
}

// splitNPY selects the column that becomes the array.
func splitNPY(t *Table) (array *Column, ids *Table, err error) {
	var names []string
	want, what := kindVectors, "of vectors"
	for range 2 {
		for j := range t.Columns {
			if c := &t.Columns[j]; c.kind == want {
				array, names = c, append(names, c.Name)
			}
		}
		if len(names) > 0 {
			break
		}
		want, what = kindFloats, "of floats, as there are no vectors"
	}
	if len(names) != 1 {
		return nil, nil, fmt.Errorf("NPY holds one column %s, found %d [%s]; CSV, Parquet and JSON Lines hold any number",
			what, len(names), strings.Join(names, ", "))
	}
	ids = &Table{}
	for _, c := range t.Columns {
		if c.Name != array.Name {
			ids.Columns = append(ids.Columns, c)
		}
	}
	return array, ids, nil
}

// writeNPY writes the array of a column of floats or of vectors.
func writeNPY(w io.Writer, c *Column, rows int) error {
	if err := writeNPYHeader(w, "<f4", rows, c.width); err != nil {
		return err
	}
	return writeNumbers(w, c.floats)
}

// writeNPYHeader writes the start of version 1.0 of the format, numpy.lib.format: magic, version,
// length of the header, the header as a Python dict padded so that elements begin at a multiple of 64
// bytes. Width 0 means one number for each row.
func writeNPYHeader(w io.Writer, kind string, rows, width int) error {
	shape := fmt.Sprintf("(%d,)", rows)
	if width > 0 {
		shape = fmt.Sprintf("(%d, %d)", rows, width)
	}
	dict := "{'descr': '" + kind + "', 'fortran_order': False, 'shape': " + shape + ", }"
	const prefix = 10
	pad := 63 - (prefix+len(dict))%64 // including a newline
	header := append([]byte("\x93NUMPY\x01\x00"), 0, 0)
	binary.LittleEndian.PutUint16(header[8:], uint16(len(dict)+pad+1))
	header = append(header, dict+strings.Repeat(" ", pad)+"\n"...)
	_, err := w.Write(header)
	return err
}

// writeNumbers writes numbers in little-endian order, some at a time.
func writeNumbers[T int64 | float32 | float64](w io.Writer, values []T) error {
	const some = 1 << 12
	for len(values) > 0 {
		n := min(some, len(values))
		if err := binary.Write(w, binary.LittleEndian, values[:n]); err != nil {
			return err
		}
		values = values[n:]
	}
	return nil
}
