package smiles

import (
	"errors"
	"io"
	"strings"

	"github.com/ehgnn/ehgnn/chem"
	"github.com/ehgnn/ehgnn/data"
)

// nameColumn is the column with the names of molecules. It is not a label.
const nameColumn = "name"

// smiRows reads the lines of .smi files: a SMILES and a name, separated by blanks or a tab. Empty
// lines and lines that begin with # are left out. If the first line begins with the name of a
// SMILES column, it names the columns.
type smiRows struct {
	*lineFile
	columns []string
	header  bool
	tabs    bool   // tabs separate the fields of a file with a header
	first   string // the first line, if it is not a header
	at      int    // the line number of first; 0 after it was returned
	row     []string
	of      int // line of the row
}

func openLines(path string, b *data.Budget) (*smiRows, error) {
	f, err := openText(path, b)
	if err != nil {
		return nil, err
	}
	r := &smiRows{lineFile: f, columns: []string{columnNames[0], nameColumn}}
	line, err := r.content()
	if err != nil && !errors.Is(err, io.EOF) {
		f.close()
		return nil, err
	}
	if words := strings.Fields(line); len(words) > 0 && find(words, columnNames...) == 0 {
		if r.header, r.tabs = true, strings.Contains(line, "\t"); r.tabs {
			words = strings.Split(line, "\t")
		}
		for i := range words {
			words[i] = strings.TrimSpace(words[i])
		}
		r.columns = words
	} else if err == nil {
		r.first, r.at = line, f.line
	}
	r.row = make([]string, len(r.columns))
	return r, nil
}

// content returns the next line that is not empty or a comment.
func (r *smiRows) content() (string, error) {
	for {
		r.record()
		line, err := r.next()
		if err != nil {
			return "", err
		}
		if text := strings.TrimSpace(line); text != "" && text[0] != '#' {
			return strings.TrimRight(line, " "), nil
		}
	}
}

func (r *smiRows) Columns() []string { return r.columns }

func (r *smiRows) Line(int) int { return r.of }

func (r *smiRows) Next() ([]string, error) {
	line := r.first
	if r.of = r.at; r.at == 0 {
		var err error
		if line, err = r.content(); err != nil {
			return nil, err
		}
		r.of = r.line
	}
	r.first, r.at = "", 0
	clear(r.row)
	if r.header {
		r.fields(line)
		return r.row, nil
	}
	text, extension, name := chem.Cut(line)
	if r.row[1] = name; extension != "" {
		text += " " + extension
	}
	r.row[0] = text
	return r.row, nil
}

// fields divides a line of a file with a header. The last column gets the rest of the line.
func (r *smiRows) fields(line string) {
	for c := range r.row {
		line = strings.TrimLeft(line, " ")
		at := -1
		if c+1 < len(r.row) {
			if at = strings.IndexByte(line, '\t'); !r.tabs {
				at = strings.IndexAny(line, " \t")
			}
		}
		if at < 0 {
			r.row[c] = strings.TrimSpace(line)
			return
		}
		r.row[c], line = strings.TrimSpace(line[:at]), line[at+1:]
	}
}

func (r *smiRows) Close() (string, error) { return r.close() }
