package tables

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/ehgnn/ehgnn/data"
	"github.com/ehgnn/ehgnn/data/schema"
	"github.com/ehgnn/ehgnn/data/tablefile"
	"github.com/ehgnn/ehgnn/internal/lists"
)

// Rows goes through one table, whatever its columns mean. Lists of Parquet are text, as
// [1.5,null,3].
type Rows struct {
	tablefile.Reader
	folder *folder
	name   string
	row    []schema.Cell
	texts  []string
	// first has the line of names be the first row, and atFirst says that it is the last one read.
	first, atFirst bool
}

// OpenRows opens the table at a path of the operating system.
func OpenRows(name string, b *data.Budget) (*Rows, error) {
	whole, err := filepath.Abs(name)
	if err != nil {
		return nil, fmt.Errorf("tables: %w", err)
	}
	base := filepath.Base(whole)
	r, err := tablefile.Open(os.DirFS(filepath.Dir(whole)), base, b, tablefile.Options{ListsAsText: true})
	if err != nil {
		return nil, fmt.Errorf("tables: %w", err)
	}
	return &Rows{Reader: r, folder: &folder{budget: b}, name: base}, nil
}

// NamesAreRow has Next return the line of names as the first row, of a table that has none. Names that a number
// behind them tells from an earlier one lose it.
func (r *Rows) NamesAreRow() { r.first = true }

// firstRow is the line of names as it was before equal ones were told apart.
func (r *Rows) firstRow() []string {
	out := slices.Clone(r.Columns())
	for i, name := range out {
		at := strings.LastIndexByte(name, '.')
		if at > 0 && slices.Contains(out[:i], name[:at]) {
			if _, err := strconv.Atoi(name[at+1:]); err == nil {
				out[i] = name[:at]
			}
		}
	}
	return out
}

// Line is the line of a column of the row that Next returned last.
func (r *Rows) Line(column int) int {
	if r.atFirst {
		return 1
	}
	return r.Reader.Line(column)
}

// Next returns the values of the next row as text in a slice that is valid until the row after, ""
// for one that is missing; io.EOF after the last.
func (r *Rows) Next() ([]string, error) {
	if r.atFirst = r.first; r.first {
		row := r.firstRow()
		r.first, r.row = false, lists.Map(row, schema.TextCell)
		return row, nil
	}
	row, err := r.Reader.Next()
	if err != nil {
		return nil, err
	}
	r.row, r.texts = row, r.texts[:0]
	for _, c := range row {
		r.texts = append(r.texts, c.String())
	}
	return r.texts, nil
}

// Cell is a cell of the row that Next returned last, with its kind.
func (r *Rows) Cell(column int) schema.Cell { return r.row[column] }

// Each calls f with the values of each row, as Next has them, until an error.
func (r *Rows) Each(f func(row []string) error) error {
	for {
		row, err := r.Next()
		if err == io.EOF {
			return nil
		}
		if err == nil {
			err = f(row)
		}
		if err != nil {
			return err
		}
	}
}

// Close ends the reading and returns the checksum of what was read, as data.Info has it.
func (r *Rows) Close() (checksum string, err error) {
	sum, err := r.Reader.Close()
	if err != nil {
		return "", err
	}
	r.folder.took(sum, r.name)
	return data.Checksum(r.folder.sums), nil
}

// Find is the table of a folder that is called base, which is edges or nodes, with one of the known
// endings.
func Find(dir, base string) (file string, ok bool) {
	name, ok := (&folder{fsys: os.DirFS(dir), dir: "."}).find("", base)
	return filepath.Join(dir, name), ok
}

// NameOf is the name of a table without its folder and endings.
func NameOf(path string) string {
	base := filepath.Base(path)
	for _, packed := range []string{".gz", ".zst"} {
		base = strings.TrimSuffix(base, packed)
	}
	return strings.TrimSuffix(base, filepath.Ext(base))
}

// ListsEdges reports whether a table with these columns, of a file of this name, is one of
// edges by convention.
func ListsEdges(name string, columns []string) bool {
	pairs, _ := newHeader(name, columns).pairs(Options{})
	return len(pairs) > 0 || isCalled("edges", filepath.Base(name))
}
