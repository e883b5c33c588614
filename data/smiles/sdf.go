package smiles

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/ehgnn/ehgnn/data"
)

// sdfRows reads the records of an SD file as rows: the mol block instead of a SMILES, the title,
// and the data items by their names. The file is read twice, first for these names.
type sdfRows struct {
	*lineFile
	columns []string
	at      map[string]int  // column of an item
	used    map[string]bool // names of columns, in lower case
	row     []string
	last    sdfRecord
}

// sdfRecord is one record of an SD file.
type sdfRecord struct {
	block string // the mol block, with its title
	line  int    // the first line of the record
	items []sdfItem
}

// sdfItem is a data item of a record. Its value may have several lines.
type sdfItem struct {
	name, value string
	line        int
}

// blockColumn is the column of the mol blocks.
const blockColumn = 0

func openBlocks(path string, maxMemory int64, b *data.Budget) (*sdfRows, error) {
	if info, err := os.Stat(path); err == nil && !info.Mode().IsRegular() {
		return nil, fmt.Errorf("smiles: %s is an SD file and no regular file: it is read twice, first for its columns", path)
	}
	r := &sdfRows{columns: []string{columnNames[0], nameColumn}, at: map[string]int{}, used: map[string]bool{columnNames[0]: true, nameColumn: true}}
	if err := r.names(path, data.NewBudget(maxMemory), b); err != nil {
		return nil, err
	}
	r.row = make([]string, len(r.columns))
	var err error
	if r.lineFile, err = openText(path, b); err != nil {
		return nil, err
	}
	return r, nil
}

// names finds the names of the data items in all records. Their memory is charged to keep.
func (r *sdfRows) names(path string, b, keep *data.Budget) error {
	f, err := openText(path, b)
	if err != nil {
		return err
	}
	defer f.close()
	for {
		record, err := f.sdf()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		for _, item := range record.items {
			if _, ok := r.at[item.name]; ok {
				continue
			}
			if err := keep.Charge(int64(2*len(item.name)+keyBytes), "columns"); err != nil {
				return &data.ParseError{File: f.name, Line: item.line, Msg: "cannot be read", Err: err}
			}
			r.at[item.name] = len(r.columns)
			r.columns = append(r.columns, r.unused(item.name))
		}
	}
}

// unused returns a name that no column has: the second of two equal names gets .1 appended.
func (r *sdfRows) unused(name string) string {
	out := name
	for k := 1; r.used[strings.ToLower(out)]; k++ {
		out = fmt.Sprintf("%s.%d", name, k)
	}
	r.used[strings.ToLower(out)] = true
	return out
}

func (r *sdfRows) Columns() []string { return r.columns }

// Line returns the line of an item of the row, or the first line of its record.
func (r *sdfRows) Line(column int) int {
	for _, item := range r.last.items {
		if r.at[item.name] == column {
			return item.line
		}
	}
	return r.last.line
}

func (r *sdfRows) Next() ([]string, error) {
	record, err := r.sdf()
	if err != nil {
		return nil, err
	}
	clear(r.row)
	title, _, _ := strings.Cut(record.block, "\n")
	r.last, r.row[blockColumn], r.row[1] = record, record.block, strings.TrimSpace(title)
	for _, item := range record.items {
		c, ok := r.at[item.name]
		if !ok {
			return nil, &data.ParseError{File: r.name, Line: item.line, Msg: fmt.Sprintf("has a data item %q that was not there before: the file has changed while it was read", item.name)}
		}
		r.row[c] = item.value
	}
	return r.row, nil
}

func (r *sdfRows) Close() (string, error) { return r.close() }

// sdf reads a record, up to a line of $$$$ or the end of the file. It returns io.EOF if there is
// none.
func (f *lineFile) sdf() (sdfRecord, error) {
	f.record()
	r := sdfRecord{line: f.line + 1}
	var block strings.Builder
	var value []string
	open, inBlock, blank := false, true, true
	end := func() {
		if open {
			r.items[len(r.items)-1].value = strings.ToValidUTF8(strings.Join(value, "\n"), "\uFFFD")
		}
		open, value = false, nil
	}
	for n := 1; ; n++ {
		line, err := f.next()
		if err != nil && (blank || !errors.Is(err, io.EOF)) {
			return r, err // io.EOF if only empty lines are left
		}
		if err != nil || strings.HasPrefix(line, "$$$$") {
			end()
			r.block = block.String()
			return r, nil
		}
		empty := strings.TrimSpace(line) == ""
		blank = blank && empty
		name, strict, head := itemHead(line)
		switch {
		case inBlock && (n <= blockHead || !strict):
			block.WriteString(line)
			block.WriteByte('\n')
			inBlock = !strings.HasPrefix(line, "M  END")
		case strict || head && !open:
			end()
			if inBlock = false; name != "" {
				r.items, open = append(r.items, sdfItem{name: name, line: f.line}), true
			}
		case empty:
			end()
		case open:
			value = append(value, line)
		}
	}
}

// blockHead is the number of lines at the beginning of a mol block that may have any text.
const blockHead = 3

// itemHead returns the name in the first line of a data item, > <NAME> or > NAME. A value may also
// begin with >, such as >10000: strict says that the line has the first form.
func itemHead(line string) (name string, strict, ok bool) {
	if !strings.HasPrefix(line, ">") {
		return "", false, false
	}
	text := strings.TrimSpace(line[1:])
	name = text
	if at := strings.IndexByte(text, '<'); at >= 0 {
		if name = text[at+1:]; strings.Contains(name, ">") {
			strict = at == 0
			name = name[:strings.LastIndexByte(name, '>')]
		}
	}
	return strings.ToValidUTF8(strings.TrimSpace(name), "\uFFFD"), strict, true
}
