package report

import (
	"bufio"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/ehgnn/ehgnn/internal/atomicfile"
)

// formats are the table formats by file extension; RegisterFormat adds to them. NPY is missing
// because it may need two files.
var formats = map[string]func(w io.Writer) pieces{
	".arrow":     newArrow,
	".csv":       newCSV,
	".csv.gz":    gzipped(newCSV),
	".npz":       newNPZ,
	".jsonl":     newJSONLines,
	".jsonl.gz":  gzipped(newJSONLines),
	".ndjson":    newJSONLines,
	".ndjson.gz": gzipped(newJSONLines),
}

const npyExt = ".npy"

// TableExtensions lists the file extensions that WriteTable knows, sorted.
func TableExtensions() []string {
	exts := append(slices.Collect(maps.Keys(formats)), npyExt)
	slices.Sort(exts)
	return exts
}

// CheckTablePath returns an error if WriteTable does not support the extension of path. Programs
// call it before long work.
func CheckTablePath(path string) error {
	_, err := tableExt(path)
	return err
}

// tableExt is the known extension of path, in lower case.
func tableExt(path string) (string, error) {
	name := strings.ToLower(filepath.Base(path))
	for _, ext := range TableExtensions() {
		if strings.HasSuffix(name, ext) {
			return ext, nil
		}
	}
	return "", fmt.Errorf("report: %s: unknown kind of table, expected a name ending in %s", path, strings.Join(TableExtensions(), ", "))
}

// WriteTable writes t to path, completely or not at all, in the format that
// the extension names:
//
//   - .csv (.csv.gz): a header line, then a line per row; vectors take a field
//     per number, named NAME_0, NAME_1, …; a missing value is an empty field.
//   - .jsonl, .ndjson (and .gz): an object per line; vectors are arrays, a
//     missing value is null. JSON has no infinities, so they are an error.
//   - .parquet, in a program with package data/parquet: vectors are lists of FLOAT; NaN stays NaN.
//   - .arrow: an IPC file with the same columns, not compressed.
//   - .npy: an array float32 [n, width] of the one column of vectors or, in a
//     table without vectors, [n] of the one column of floats. The other
//     columns, if any, go to NAME.ids.csv beside it, row by row the same.
//   - .npz: an archive with an array for each column, by its name: vectors [n, width], numbers and
//     texts [n].
//
// Numbers are written in the fewest digits that read back as the same float32.
func WriteTable(path string, t *Table) error {
	ext, err := tableExt(path)
	if err != nil {
		return err
	}
	rows, err := t.check()
	if err == nil {
		if ext == npyExt {
			err = writeNPYFiles(path, t, rows)
		} else {
			err = atomicfile.Write(path, func(w io.Writer) error { return whole(formats[ext](w), t, rows) })
		}
	}
	return inFile(path, err)
}

// inFile adds the file to an error, unless the operating system's error already names it.
func inFile(path string, err error) error {
	if err == nil || errors.As(err, new(*atomicfile.Error)) {
		return err
	}
	return fmt.Errorf("report: %s: %w", path, err)
}

// WriteCSV writes t to a stream, like WriteTable for a .csv file.
func WriteCSV(w io.Writer, t *Table) error { return writeTo(w, t, newCSV) }

func writeTo(w io.Writer, t *Table, of func(io.Writer) pieces) error {
	rows, err := t.check()
	if err == nil {
		b := bufio.NewWriter(w)
		err = whole(of(b), t, rows)
		if err == nil {
			err = b.Flush()
		}
	}
	if err != nil {
		return fmt.Errorf("report: %w", err)
	}
	return nil
}

// gzipped compresses the output of write. The gzip header has no time, so equal tables make equal
// files.
func gzipped(of func(io.Writer) pieces) func(io.Writer) pieces {
	return func(w io.Writer) pieces {
		z := gzip.NewWriter(w)
		return gzipPieces{of(z), z}
	}
}

type gzipPieces struct {
	pieces
	z *gzip.Writer
}

func (g gzipPieces) end() error {
	if err := g.pieces.end(); err != nil {
		return err
	}
	return g.z.Close()
}
