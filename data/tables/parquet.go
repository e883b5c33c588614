package tables

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"strconv"
	"unicode/utf8"

	"github.com/parquet-go/parquet-go"

	"github.com/ehgnn/ehgnn/data"
)

// parquetBatch is how many rows are decoded at a time.
const parquetBatch = 256

// parquetRows reads the leaf columns of a Parquet file as text. A column that is a
// list of numbers becomes one per position, name_0, name_1, ..., as many as its
// first row has: the columns that package report gives vectors in CSV. Rows of OpenRows
// have lists as text, of any length.
type parquetRows struct {
	folder *folder
	name   string
	file   fs.File
	whole  *io.SectionReader

	count  int64 // rows of the file
	groups []parquet.RowGroup
	open   parquet.Rows
	batch  []parquet.Row
	have   []parquet.Row // those of batch not returned yet

	first, width []int // of each leaf: its first column and how many it has
	list         []bool
	lists        []*listLeaf // of each leaf that is read as text, else nil
	names        []string
	values       []string
	row          int
}

func (f *folder) openParquet(name string, file fs.File) (r *parquetRows, err error) {
	r = &parquetRows{folder: f, name: name, file: file, batch: make([]parquet.Row, parquetBatch)}
	defer r.guard(&err)
	at, size, err := r.readerAt()
	if err != nil {
		return nil, err
	}
	r.whole = io.NewSectionReader(at, 0, size)
	if err := r.checkFooter(at, size); err != nil {
		return nil, err
	}
	pf, err := parquet.OpenFile(at, size, parquet.SkipBloomFilters(true), parquet.SkipPageIndex(true))
	if err != nil {
		return nil, r.failed("cannot be read as Parquet", err)
	}
	r.count, r.groups = pf.NumRows(), pf.RowGroups()
	if err := r.fill(); err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	return r, r.lay(pf.Schema())
}

// readerAt is the file itself where it can be read at any offset, and otherwise, in an
// archive, its bytes in memory.
func (r *parquetRows) readerAt() (io.ReaderAt, int64, error) {
	if data.IsStream(r.file) {
		return nil, 0, r.failed("is a pipe or a device, which Parquet cannot be read from: expected a file", nil)
	}
	if at, ok := r.file.(io.ReaderAt); ok {
		info, err := r.file.Stat()
		if err != nil {
			return nil, 0, r.failed("cannot be read", err)
		}
		r.folder.budget.File(info.Size())
		return at, info.Size(), nil
	}
	again, err := r.folder.fsys.Open(pathOf(r.folder, r.name)) // the start is gone
	if err != nil {
		return nil, 0, r.failed("cannot be opened", err)
	}
	defer again.Close()
	text, err := r.folder.budget.NewText(again)
	if err != nil {
		return nil, 0, r.failed("cannot be read", err)
	}
	b, err := text.Bytes("files")
	if err != nil {
		return nil, 0, r.failed("cannot be read", err)
	}
	return bytes.NewReader(b), int64(len(b)), nil
}

// lay decides the columns from the schema and the first row.
func (r *parquetRows) lay(schema *parquet.Schema) error {
	paths := schema.Columns()
	if err := r.charge(len(paths)); err != nil {
		return err
	}
	r.first, r.width, r.list = make([]int, len(paths)), make([]int, len(paths)), make([]bool, len(paths))
	r.lists = make([]*listLeaf, len(paths))
	for leaf, p := range paths {
		column, ok := schema.Lookup(p...)
		if ok && r.folder.listText && column.MaxRepetitionLevel > 0 {
			r.first[leaf] = len(r.names)
			if err := r.layLists(schema, leaf, p); err != nil {
				return err
			}
			continue
		}
		if !ok || column.MaxRepetitionLevel > 1 || len(p) > 1 && column.MaxRepetitionLevel == 0 {
			return r.failed(fmt.Sprintf("column %q is nested, expected plain values or lists of numbers", p[0]), nil)
		}
		r.first[leaf], r.width[leaf] = len(r.names), 1
		if r.list[leaf] = column.MaxRepetitionLevel == 1; !r.list[leaf] {
			r.names = append(r.names, p[0])
			continue
		}
		r.width[leaf] = 0
		if len(r.have) > 0 {
			for _, v := range r.have[0] {
				if v.Column() == leaf && !v.IsNull() {
					r.width[leaf]++
				}
			}
		}
		if err := r.charge(r.width[leaf]); err != nil {
			return err
		}
		for k := range r.width[leaf] {
			r.names = append(r.names, p[0]+"_"+strconv.Itoa(k))
		}
	}
	r.values = make([]string, len(r.names))
	return nil
}

func (r *parquetRows) total() (int64, bool) { return r.count, true }

func (r *parquetRows) share() float64 { return 0 }

// charge takes memory for columns.
func (r *parquetRows) charge(columns int) error {
	if err := r.folder.budget.Charge(int64(columns)*columnBytes, "columns"); err != nil {
		return r.failed("cannot be read", err)
	}
	return nil
}

// fill decodes the next rows; io.EOF when there are none.
func (r *parquetRows) fill() error {
	for {
		if r.open == nil {
			if len(r.groups) == 0 {
				return io.EOF
			}
			r.open, r.groups = r.groups[0].Rows(), r.groups[1:]
		}
		n, err := r.decode()
		if err != nil && !errors.Is(err, io.EOF) {
			return r.failed("cannot be read", err)
		}
		if err != nil || n == 0 {
			if err := r.open.Close(); err != nil {
				return r.failed("cannot be read", err)
			}
			r.open = nil
		}
		if n > 0 {
			r.have = r.batch[:n]
			return nil
		}
	}
}

func (r *parquetRows) columns() []string { return r.names }

func (r *parquetRows) next() (row []string, err error) {
	defer r.guard(&err)
	if len(r.have) == 0 {
		if err := r.fill(); err != nil {
			return nil, err
		}
	}
	from := r.have[0]
	r.have = r.have[1:]
	r.row++
	clear(r.values)
	count := make([]int, len(r.first))
	for i, v := range from {
		leaf := v.Column()
		if l := r.lists[leaf]; l != nil {
			if i > 0 && from[i-1].Column() == leaf {
				continue // of the list that is read
			}
			end := i + 1
			for end < len(from) && from[end].Column() == leaf {
				end++
			}
			if r.values[r.first[leaf]], err = l.text(from[i:end]); err != nil {
				return nil, &data.ParseError{File: r.name, Line: r.row, Msg: fmt.Sprintf("column %q: %v", r.names[r.first[leaf]], err)}
			}
			continue
		}
		if v.IsNull() {
			continue
		}
		k := count[leaf]
		if count[leaf]++; k >= r.width[leaf] {
			return nil, &data.ParseError{File: r.name, Line: r.row, Msg: fmt.Sprintf("a list has more than %d values, which the first row has", r.width[leaf])}
		}
		text, err := text(v)
		if err != nil {
			return nil, &data.ParseError{File: r.name, Line: r.row, Msg: fmt.Sprintf("column %q: %v", r.names[r.first[leaf]+k], err)}
		}
		r.values[r.first[leaf]+k] = text
	}
	for leaf, list := range r.list {
		if list && count[leaf] != r.width[leaf] {
			return nil, &data.ParseError{File: r.name, Line: r.row, Msg: fmt.Sprintf("a list has %d values, expected %d as in the first row", count[leaf], r.width[leaf])}
		}
	}
	return r.values, nil
}

// text is a value as a CSV would have it; NaN is missing.
func text(v parquet.Value) (string, error) {
	float := func(f float64, bits int) string {
		if math.IsNaN(f) {
			return ""
		}
		return strconv.FormatFloat(f, 'g', -1, bits)
	}
	switch v.Kind() {
	case parquet.Boolean:
		return strconv.FormatBool(v.Boolean()), nil
	case parquet.Int32:
		return strconv.FormatInt(int64(v.Int32()), 10), nil
	case parquet.Int64:
		return strconv.FormatInt(v.Int64(), 10), nil
	case parquet.Float:
		return float(float64(v.Float()), 32), nil
	case parquet.Double:
		return float(v.Double(), 64), nil
	case parquet.ByteArray, parquet.FixedLenByteArray:
		if b := v.ByteArray(); utf8.Valid(b) {
			return string(b), nil
		}
		return "", errors.New("is not UTF-8 text")
	}
	return "", fmt.Errorf("has values of kind %v, expected numbers, text or truth values", v.Kind())
}

func (r *parquetRows) line(int) int { return r.row }

// close has a checksum once all rows were read: it takes a pass over the file.
func (r *parquetRows) close() (sum string, err error) {
	if r.open != nil {
		err = r.open.Close()
	} else if len(r.groups) == 0 {
		h := sha256.New()
		_, err = io.Copy(h, r.whole)
		sum = hex.EncodeToString(h.Sum(nil))
	}
	if err = errors.Join(err, r.file.Close()); err != nil {
		return "", r.failed("cannot be read", err)
	}
	return sum, nil
}

func (r *parquetRows) failed(msg string, err error) error {
	return &data.ParseError{File: r.name, Msg: msg, Err: err}
}

// guard turns a panic of the decoder, which some damaged files cause, into an
// error.
func (r *parquetRows) guard(err *error) {
	if p := recover(); p != nil {
		*err = r.failed(fmt.Sprintf("is damaged: %v", p), nil)
	}
}
