package graphfile_test

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ehgnn/ehgnn/data"
	"github.com/ehgnn/ehgnn/data/graphfile"
	"github.com/ehgnn/ehgnn/data/tablefile"
)

// write writes a file into a new folder and returns its path.
func write(t testing.TB, name, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func zipped(t testing.TB, text string) string {
	t.Helper()
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	if _, err := io.WriteString(z, text); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// rowsOf reads a table as text: the columns, then a line per row with its line number. A cell that
// is no text has its kind behind it.
func rowsOf(r tablefile.Reader) ([]string, error) {
	out := []string{strings.Join(r.Columns(), "|")}
	for {
		row, err := r.Next()
		if errors.Is(err, io.EOF) {
			return out, nil
		}
		if err != nil {
			return out, err
		}
		cells := make([]string, len(row))
		for i, c := range row {
			cells[i] = c.String()
			if kind := c.Kind.String(); kind != "text" && kind != "missing" {
				cells[i] += ":" + kind
			}
		}
		out = append(out, fmt.Sprintf("%d: %s", r.Line(0), strings.Join(cells, "|")))
	}
}

// tableOf is rowsOf without an error, to the end and closed.
func tableOf(t *testing.T, r tablefile.Reader) string {
	t.Helper()
	if r == nil {
		return ""
	}
	rows, err := rowsOf(r)
	if err != nil {
		t.Fatal(err)
	}
	sum, err := r.Close()
	if err != nil || len(sum) != 64 {
		t.Errorf("Close gives %q, %v, expected a checksum", sum, err)
	}
	return strings.Join(rows, "\n")
}

// want is what a file is expected to hold.
type want struct {
	format       string
	directed     data.Edges
	edges, nodes string // as tableOf writes them
	notes        string // of the graph and its edges, between lines
}

// check recognises and reads a file, plain and gzipped.
func check(t *testing.T, name, text string, w want) {
	t.Helper()
	for _, path := range []string{write(t, name, text), write(t, name+".gz", zipped(t, text))} {
		format, ok := graphfile.Recognise(path)
		if !ok || format != w.format {
			t.Fatalf("Recognise(%s) is %q, %v, expected %q", filepath.Base(path), format, ok, w.format)
		}
		g, err := graphfile.Open(path, format, data.NewBudget(0))
		if err != nil {
			t.Fatal(err)
		}
		got := want{format: g.Format, directed: g.Directed, edges: tableOf(t, g.Edges), nodes: tableOf(t, g.Nodes)}
		notes := strings.Join(append(g.Notes, g.Edges.Notes()...), "\n")
		got.notes = strings.ReplaceAll(notes, filepath.Base(path)+": ", "")
		if diff := cmp.Diff(w, got, cmp.AllowUnexported(want{})); diff != "" {
			t.Errorf("%s (-want +got):\n%s", filepath.Base(path), diff)
		}
	}
}

// refuses opens and reads a file, which must end with the error.
func refuses(t *testing.T, name, text, format, message string) {
	t.Helper()
	path := write(t, name, text)
	err := readAll(path, format, data.NewBudget(0))
	var parse *data.ParseError
	if !errors.As(err, &parse) || err.Error() != message {
		t.Errorf("%s: error %v\nexpected a ParseError %s", name, err, message)
	}
}

// readAll opens a graph and reads all rows.
func readAll(path, format string, b *data.Budget) error {
	g, err := graphfile.Open(path, format, b)
	if err != nil {
		return err
	}
	defer g.Close()
	if _, err := rowsOf(g.Edges); err != nil {
		return err
	}
	if g.Nodes != nil {
		_, err = rowsOf(g.Nodes)
	}
	return err
}
