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

// Rows reads one table without interpreting its columns. Lists of Parquet are text: [1.5,null,3].
type Rows struct {
	tablefile.Reader
	folder *folder
	name   string
	row    []schema.Cell
	texts  []string
	// first makes the header the first row; atFirst says that it was read last.
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

// NamesAreRow makes Next return the line of names as the first row, for a table without a header. Suffixes that
// made names unique are removed.
func (r *Rows) NamesAreRow() { r.first = true }

// firstRow is the line of names before they were made unique.
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

// Line is the line of a column of the last row.
func (r *Rows) Line(column int) int {
	if r.atFirst {
		return 1
	}
	return r.Reader.Line(column)
}

// Next returns the values of the next row as texts in a slice that is valid until the next call, ""
// for a missing one; io.EOF after the last.
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

// Cell is a cell of the last row, with its kind.
func (r *Rows) Cell(column int) schema.Cell { return r.row[column] }

// Each calls f with the values of each row, as returned by Next, until an error.
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

// Close ends the reading and returns the checksum of the text, as in data.Info.
func (r *Rows) Close() (checksum string, err error) {
	sum, err := r.Reader.Close()
	if err != nil {
		return "", err
	}
	r.folder.took(sum, r.name)
	return data.Checksum(r.folder.sums), nil
}

// Find returns the table with the name base, edges or nodes, in a folder, with one of the known
// extensions.
func Find(dir, base string) (file string, ok bool) {
	name, ok := (&folder{fsys: os.DirFS(dir), dir: "."}).find("", base)
	return filepath.Join(dir, name), ok
}

// NameOf is the name of a table without its folder and extensions.
func NameOf(path string) string {
	base := filepath.Base(path)
	for _, packed := range []string{".gz", ".zst"} {
		base = strings.TrimSuffix(base, packed)
	}
	return strings.TrimSuffix(base, filepath.Ext(base))
}

// ListsEdges reports whether a table with these columns and this file name is a table of edges by
// convention.
func ListsEdges(name string, columns []string) bool {
	pairs, _ := newHeader(name, columns).pairs(Options{})
	return len(pairs) > 0 || isCalled("edges", filepath.Base(name))
}
