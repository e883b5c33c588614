package tablefile

import (
	"archive/zip"
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"slices"
	"strconv"
	"strings"

	"github.com/ehgnn/ehgnn/data"
	"github.com/ehgnn/ehgnn/data/schema"
	"github.com/ehgnn/ehgnn/internal/lists"
)

// xlsxSource reads the rows of one sheet of a workbook. Its values have the types of the workbook.
type xlsxSource struct {
	*workbook
	bytes *TypedFile
	sheet *xmlPart
	size  uint64 // of the sheet, decompressed
	whole bool   // the sheet was read to its end
	told  []string

	cells schema.Row
	width int // of the header, 0 before it is known
	row   int // number of the last row
	held  []heldRow
	value []byte // of the last cell
}

// heldRow is a row that was read to find the header.
type heldRow struct {
	cells  schema.Row
	number int
}

// openXlsx opens a sheet of a workbook.
func openXlsx(f *file) (Reader, error) {
	b := &TypedFile{file: f, format: "xlsx"}
	if err := b.readerAt(); err != nil {
		return nil, err
	}
	z, err := f.budget.ListZip(b.at, b.size)
	if err != nil {
		return nil, f.failed("cannot be read as a workbook or a zip; perhaps it is damaged, or was not copied to its end", err)
	}
	w, err := f.openWorkbook(z)
	if err != nil {
		return nil, err
	}
	x := &xlsxSource{workbook: w, bytes: b}
	if err := x.openSheet(); err != nil {
		return nil, err
	}
	h, err := x.header()
	if err != nil {
		return nil, err
	}
	return newTidy(f, x, h)
}

// openSheet opens the requested sheet, or the first visible one.
func (x *xlsxSource) openSheet() error {
	s, err := x.choose(x.file.options.Sheet)
	if err != nil {
		return err
	}
	if x.file.options.Sheet == "" && len(x.sheets) > 1 {
		x.told = append(x.told, fmt.Sprintf("the workbook has %d sheets: %s; %q was read, --sheet names another", len(x.sheets), x.sheetNames(), s.name))
	}
	if x.sheet, err = x.part(s.path, sheetShare*x.file.budget.Share()); err != nil {
		return err
	}
	x.size = x.parts[strings.ToLower(s.path)].UncompressedSize64
	for {
		t, err := x.sheet.next()
		switch {
		case err == io.EOF:
			return x.file.failed(fmt.Sprintf("sheet %q has no rows: expected a table", s.name), nil)
		case err != nil:
			return err
		case t.starts("sheetData"):
			return nil
		}
	}
}

// header returns the first row with a value. Rows with one value above a row of names and a row of several values are a
// title, as in reports.
func (x *xlsxSource) header() (header, error) {
	var rows []heldRow
	values, err := x.readUntilValue(&rows)
	if err != nil {
		return header{}, err
	}
	if len(values) == 0 {
		return header{}, x.file.failed("is empty, expected a row of column names", nil)
	}
	first := len(rows) - 1
	begin := first
	for n := 0; len(values) == 1 && n < mostTitles && err == nil; n++ {
		values, err = x.readUntilValue(&rows)
	}
	notText := func(c schema.Cell) bool { return c.Kind != schema.Text }
	if at := len(rows) - 1; err == nil && at > first && len(values) > 1 && !slices.ContainsFunc(values, notText) && areNames(namesOf(values)) {
		if values, err = x.readUntilValue(&rows); len(values) > 1 {
			begin = at
			x.told = append(x.told, fmt.Sprintf("the names of the columns are those of row %d; rows above them, from row %d on, were skipped as a title", rows[at].number, rows[first].number))
		}
	}
	if err == nil {
		err = x.twoHeaders(&rows, begin)
	}
	h := header{line: rows[begin].number, names: namesOf(rows[begin].cells)}
	x.width, x.held = len(h.names), rows[begin+1:]
	return h, err
}

// twoHeaders returns an error for two rows of names, starting at a row. A name above several merged cells belongs to each of these columns.
func (x *xlsxSource) twoHeaders(rows *[]heldRow, from int) error {
	for more := true; more && len(*rows) < from+headerRows; {
		values, err := x.readUntilValue(rows)
		if err != nil {
			return err
		}
		more = values != nil
	}
	records, width := [][]string{}, 0
	for _, r := range (*rows)[from:] {
		records = append(records, lists.Map(r.cells, func(c schema.Cell) string { return schema.Trim(c.String()) }))
		width = max(width, len(r.cells))
	}
	for i, r := range records {
		records[i] = append(r, make([]string, width-len(r))...)
	}
	for i := 1; i < width; i++ {
		records[0][i] = cmp.Or(records[0][i], records[0][i-1])
	}
	if hasTwoHeaders(records) {
		return &data.ParseError{File: x.file.name, Line: (*rows)[from+1].number, Msg: twoHeaders}
	}
	return nil
}

// headerRows is how many rows are examined to detect two rows of names.
const headerRows = 10

// readUntilValue reads rows into a list until one has a value, and returns its values; none at the end of the sheet.
func (x *xlsxSource) readUntilValue(rows *[]heldRow) ([]schema.Cell, error) {
	for {
		row, err := x.next()
		if err == io.EOF {
			return nil, nil
		}
		if err != nil {
			return nil, err
		}
		*rows = append(*rows, heldRow{slices.Clone(row), x.row})
		if values := lists.Filter(row, func(c schema.Cell) bool { return c.Kind != schema.Missing }); len(values) > 0 {
			return values, nil
		}
	}
}

// namesOf returns the texts of a row up to its last value.
func namesOf(row schema.Row) (names []string) {
	for _, c := range row {
		names = append(names, schema.Trim(c.String()))
	}
	for len(names) > 0 && names[len(names)-1] == "" {
		names = names[:len(names)-1]
	}
	return names
}

// next returns the next row of the sheet. It has the width of the header, or one extra value.
func (x *xlsxSource) next() (schema.Row, error) {
	if len(x.held) > 0 {
		h := x.held[0]
		x.held, x.row = x.held[1:], h.number
		return append(h.cells, make(schema.Row, max(0, x.width-len(h.cells)))...), nil
	}
	for !x.whole {
		x.sheet.record()
		t, err := x.sheet.next()
		switch {
		case err != nil:
			return nil, err
		case t.end && string(t.name) == "sheetData":
			if err := x.sheet.drain(); err != nil {
				return nil, err
			}
			x.whole = true
		case t.starts("row"):
			return x.readRow(t)
		}
	}
	return nil, io.EOF
}

// Largest row and column number of a sheet.
const (
	lastRow    = 1 << 20
	lastColumn = 1 << 14
)

func (x *xlsxSource) quoted() bool { return false }

func (x *xlsxSource) line(int) int { return x.row }

func (x *xlsxSource) widthHelp(row schema.Row, line, _ int) string {
	return fmt.Sprintf("; cell %s stands right of the header; a table begins with its names, without rows of other text above or values beside it", cellName(len(row)-1, line))
}

func (x *xlsxSource) total() (int64, bool) { return 0, false }

func (x *xlsxSource) share() float64 {
	return float64(x.sheet.text.Taken(x.sheet.in.Buffered())) / float64(max(x.size, 1))
}

func (x *xlsxSource) notes() []string { return x.told[:len(x.told):len(x.told)] }

func (x *xlsxSource) close() (string, error) {
	x.sheet.close()
	sum, err := "", error(nil)
	if x.whole {
		sum, err = x.bytes.sum()
	}
	return sum, errors.Join(err, x.file.Close())
}

// isWorkbook reports whether a zip of the operating system is a supported workbook.
func (f *file) isWorkbook() bool {
	at, ok := f.File.(io.ReaderAt)
	info, err := f.Stat()
	if !ok || err != nil {
		return false
	}
	z, err := f.budget.ListZip(at, info.Size())
	if err != nil {
		return false
	}
	_, err = fs.Stat(z, "xl")
	return err == nil
}

// refusedZip is the error of a zip that is not a supported workbook.
func refusedZip(name string, z *zip.Reader) error {
	other := foreign{what: "a zip without a workbook", help: "unpack it: unzip NAME"}
	for _, f := range z.File {
		switch {
		case f.Name == "content.xml":
			other = foreign{what: "an OpenDocument file (.ods)", help: `save it as .xlsx, or ` + frame("read_excel")}
		case f.Name == "xl/workbook.bin":
			other = foreign{what: "a binary workbook (.xlsb)", help: `save it as .xlsx, or ` + frame("read_excel")}
		case strings.HasSuffix(f.Name, ".npy"):
			other = foreign{what: "an archive of NumPy arrays (.npz)", help: `write one array as text: python -c "import numpy, pandas; pandas.DataFrame(numpy.load('NAME')['ARRAY']).to_csv('BASE.csv', index=False)"`}
		}
	}
	return other.refuse(name)
}

// cellName is the spreadsheet name of a cell, given its column from 0: C5.
func cellName(column, row int) string {
	var letters []byte
	for c := column + 1; c > 0; c = (c - 1) / 26 {
		letters = append([]byte{byte('A' + (c-1)%26)}, letters...)
	}
	return string(letters) + strconv.Itoa(row)
}

// cellColumn is the column, from 0, in the name of a cell, -1 for an invalid name.
func cellColumn(name []byte) int {
	column := 0
	for i := range len(name) {
		c := name[i]
		if c < 'A' || c > 'Z' {
			if i == 0 || c < '1' || c > '9' {
				return -1
			}
			return column - 1
		}
		if column = column*26 + int(c-'A') + 1; column > lastColumn {
			return -1
		}
	}
	return -1
}
