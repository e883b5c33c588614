package tables

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/ehgnn/ehgnn/data"
)

// Rows goes through one table, CSV or Parquet, whatever its columns mean. Lists of Parquet
// are text, as [1.5,null,3].
type Rows struct {
	rows
	folder *folder
	name   string
}

// OpenRows opens the table at a path of the operating system.
func OpenRows(name string, b *data.Budget) (*Rows, error) {
	whole, err := filepath.Abs(name)
	if err != nil {
		return nil, fmt.Errorf("tables: %w", err)
	}
	f := &folder{fsys: os.DirFS(filepath.Dir(whole)), dir: ".", budget: b, listText: true}
	r, err := f.open(filepath.Base(whole))
	if err != nil {
		return nil, fmt.Errorf("tables: %w", err)
	}
	return &Rows{r, f, filepath.Base(whole)}, nil
}

// Columns are the names of the columns.
func (r *Rows) Columns() []string { return r.columns() }

// Next returns the values of the next row in a slice that is valid until the row after, ""
// for one that is missing; io.EOF after the last.
func (r *Rows) Next() ([]string, error) { return r.next() }

// Line is the line on which a value of the row stands; in Parquet, which has no lines, the
// number of the row, from 1.
func (r *Rows) Line(column int) int { return r.line(column) }

// Close ends the reading and returns the checksum of what was read, as data.Info has it.
func (r *Rows) Close() (checksum string, err error) {
	sum, err := r.close()
	if err != nil {
		return "", err
	}
	r.folder.took(sum, r.name)
	return r.folder.checksum(), nil
}

// Find is the table of a folder that is called base, which is edges or nodes, with one of the known
// endings.
func Find(dir, base string) (file string, ok bool) {
	name, ok := (&folder{fsys: os.DirFS(dir), dir: "."}).find("", base)
	return filepath.Join(dir, name), ok
}

// IsTable reports whether a file is called as tables are.
func IsTable(name string) bool { return isTable(name) }

// NameOf is the name of a table without its folder and endings.
func NameOf(path string) string {
	base := strings.TrimSuffix(filepath.Base(path), ".gz")
	return strings.TrimSuffix(base, filepath.Ext(base))
}

// ListsEdges reports whether a table with these columns, of a file of this name, is one of
// edges by convention.
func ListsEdges(name string, columns []string) bool {
	has := newNameSet(columns)
	for _, pair := range endNames {
		if has.has(pair[0]) && has.has(pair[1]) {
			return true
		}
	}
	return isEdges(filepath.Base(name))
}

// IsMissing reports whether a text stands for no value: nothing, NA, N/A, NaN and null, in
// any case.
func IsMissing(text string) bool { return missing(text) }

// Builder collects a column whose kind, numbers or categories, is known at its end only.
type Builder struct{ b builder }

// NewBuilder begins a column; its different texts are charged to the budget.
func NewBuilder(name string, b *data.Budget) *Builder {
	return &Builder{builder{name: name, words: newVocabulary(b), number: true}}
}

// Add takes the value of the next row. The error says what is wrong with it, without file,
// line and column.
func (b *Builder) Add(text string) error { return b.b.add(text) }

// Column returns what was collected or, where that is nothing to learn from, why it is not.
func (b *Builder) Column() (c *Column, note string, err error) { return b.b.column() }
