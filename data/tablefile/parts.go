package tablefile

import (
	"fmt"
	"io/fs"
	"net/url"
	"path"
	"slices"
	"strings"

	"github.com/ehgnn/ehgnn/data"
	"github.com/ehgnn/ehgnn/data/schema"
)

// part is a file of a table that is a folder.
type part struct {
	name   string // in the folder
	size   int64
	values []partValue
}

// partValue is a column whose value is in the name of a folder: COLUMN=VALUE.
type partValue struct {
	column string
	cell   schema.Cell
}

// hiveMissing is the missing value in the name of a folder.
const hiveMissing = "__HIVE_DEFAULT_PARTITION__"

// maxPartDepth is the largest nesting depth of folders.
const maxPartDepth = 32

// partBytes is the memory of a part's description without its name.
const partBytes = 512

// hidden reports whether a file is not data: _SUCCESS, _metadata, .part-0.crc and the like.
func hidden(name string) bool { return strings.HasPrefix(name, "_") || strings.HasPrefix(name, ".") }

// listParts lists the files of a folder and of its folders COLUMN=VALUE, or those of the parts of a split, sorted by
// name. All must have the same format and the same columns in the names of their folders.
func listParts(fsys fs.FS, dir string, b *data.Budget) ([]part, error) {
	l := partLister{fsys: fsys, dir: dir, budget: b}
	if err := l.list("", nil); err != nil {
		return nil, err
	}
	if len(l.parts) == 0 {
		return nil, &data.ParseError{File: dir, Msg: "is a folder without a table: expected files part-*, or folders COLUMN=VALUE with files in them"}
	}
	slices.SortFunc(l.parts, func(a, b part) int { return strings.Compare(a.name, b.name) })
	first := l.parts[0]
	for _, p := range l.parts[1:] {
		if a, b := ending(first.name), ending(p.name); a != b {
			return nil, l.failed(p.name, fmt.Sprintf("ends in %q and %s in %q: the parts of a table have one format", b, first.name, a))
		}
		same := func(a, b partValue) bool { return a.column == b.column }
		if !slices.EqualFunc(first.values, p.values, same) {
			return nil, l.failed(p.name, fmt.Sprintf("is in other folders COLUMN=VALUE than %s", first.name))
		}
	}
	return l.parts, nil
}

// partLister lists the parts of a table.
type partLister struct {
	fsys   fs.FS
	dir    string
	budget *data.Budget
	parts  []part
}

func (l *partLister) failed(name, msg string) error {
	return &data.ParseError{File: path.Join(l.dir, name), Msg: msg}
}

// list lists a folder within the table.
func (l *partLister) list(name string, values []partValue) error {
	entries, err := fs.ReadDir(l.fsys, path.Join(l.dir, name))
	if err != nil {
		return &data.ParseError{File: path.Join(l.dir, name), Msg: "cannot be listed", Err: err}
	}
	split := map[string]string(nil)
	if name == "" {
		split = splitFiles(l.fsys, l.dir)
	}
	for _, e := range entries {
		inside := path.Join(name, e.Name())
		values := values
		if split != nil {
			if split[e.Name()] == "" {
				continue
			}
			values = []partValue{{PartColumn, schema.TextCell(split[e.Name()])}}
		}
		if value, ok := partValueOf(e.Name()); e.IsDir() && ok {
			if slices.ContainsFunc(values, func(v partValue) bool { return strings.EqualFold(v.column, value.column) }) {
				return l.failed(inside, fmt.Sprintf("gives column %q twice", value.column))
			}
			if len(values) == maxPartDepth {
				return l.failed(inside, fmt.Sprintf("is nested more than %d folders deep", maxPartDepth))
			}
			if err := l.list(inside, append(slices.Clone(values), value)); err != nil {
				return err
			}
			continue
		}
		if hidden(e.Name()) {
			continue
		}
		info, err := fs.Stat(l.fsys, path.Join(l.dir, inside)) // behind a link
		switch {
		case err != nil:
			return &data.ParseError{File: path.Join(l.dir, inside), Msg: "cannot be opened", Err: err}
		case info.IsDir():
			return l.failed(inside, "is a folder in the folder of a table: expected files, or folders COLUMN=VALUE")
		}
		if info.Size() == 0 {
			continue // of a task without rows
		}
		if err := l.budget.Charge(partBytes+2*int64(len(inside)), "parts of a table"); err != nil {
			return &data.ParseError{File: l.dir, Msg: "cannot be read", Err: err}
		}
		l.parts = append(l.parts, part{name: inside, size: info.Size(), values: values})
	}
	return nil
}

// partValueOf parses the name of a folder as COLUMN=VALUE, with characters escaped as in URLs.
func partValueOf(name string) (v partValue, ok bool) {
	column, value, ok := strings.Cut(name, "=")
	if !ok || column == "" || hidden(name) && !strings.HasPrefix(name, "_") {
		return v, false
	}
	if v.column = unescaped(column); value != hiveMissing {
		v.cell = schema.Cell{Kind: schema.Text, Text: unescaped(value)}
	}
	return v, true
}

// unescaped is a name without escapes; it is unchanged if a % starts no escape.
func unescaped(name string) string {
	if plain, err := url.PathUnescape(name); err == nil {
		return plain
	}
	return name
}

// tableEndings are the extensions of table files.
var tableEndings = []string{".parquet", ".parq", ".pq", ".arrow", ".arrows", ".feather", ".ipc", ".csv", ".tsv", ".tab", ".psv", ".txt", ".json", ".jsonl", ".ndjson"}

// packedEndings are the extensions of compression.
var packedEndings = []string{".gz", ".zst"}

// ending is the extension of a part's name for its format: ".csv" of part-0.csv.gz, and ".parquet"
// of part-0.snappy.parquet.
func ending(name string) string {
	name = strings.ToLower(path.Base(name))
	for _, packed := range packedEndings {
		name = strings.TrimSuffix(name, packed)
	}
	switch e := path.Ext(name); {
	case slices.Contains([]string{".parq", ".pq"}, e):
		return ".parquet"
	case slices.Contains(tableEndings, e):
		return e
	}
	return ""
}

// isFolderOfParts reports whether a folder is one table: it has the name of a table, or all its content is named part-*
// or COLUMN=VALUE, or it has a table for each part of a split. Other folders with several tables are not one table.
func isFolderOfParts(fsys fs.FS, dir string) bool {
	entries, err := fs.ReadDir(fsys, dir)
	if err != nil {
		return false
	}
	if splitFiles(fsys, dir) != nil {
		return true
	}
	called, parts := ending(dir) != "", 0
	for _, e := range entries {
		_, hive := partValueOf(e.Name())
		switch {
		case e.IsDir() && hive:
		case hidden(e.Name()):
			continue
		case e.IsDir():
			return false
		case called && ending(e.Name()) != "":
		case !strings.HasPrefix(e.Name(), "part-"):
			return false
		}
		parts++
	}
	return parts > 0
}
