package report

import (
	"archive/zip"
	"bytes"
	"encoding/binary"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// An archive has an array for each column and the keys of the rows.
func TestNPZ(t *testing.T) {
	table := &Table{Columns: []Column{
		Ints("edge", []int{3, 4}), Strings("source", []string{"ä", "bcd"}), Cells("amount", []string{"1.50", ""}), Vectors("vector", []float32{1, 2, 3, 4}, 2),
	}}
	path := filepath.Join(t.TempDir(), "v.npz")
	if err := WriteTable(path, table); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	z, err := zip.NewReader(bytes.NewReader(text), int64(len(text)))
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]struct {
		head  string
		bytes int
	}{
		"edge.npy": {"'<i8', 'fortran_order': False, 'shape': (2,)", 16}, "source.npy": {"'<U3', 'fortran_order': False, 'shape': (2,)", 24},
		"amount.npy": {"'<f8', 'fortran_order': False, 'shape': (2,)", 16}, "vector.npy": {"'<f4', 'fortran_order': False, 'shape': (2, 2)", 16},
	}
	for _, f := range z.File {
		r, err := f.Open()
		if err != nil {
			t.Fatal(err)
		}
		all, err := io.ReadAll(r)
		if err != nil {
			t.Fatal(err)
		}
		n := 10 + int(binary.LittleEndian.Uint16(all[8:]))
		w := want[f.Name]
		if !strings.Contains(string(all[:n]), w.head) || len(all)-n != w.bytes || n%64 != 0 {
			t.Errorf("%s: %d bytes behind %q", f.Name, len(all)-n, all[:n])
		}
		delete(want, f.Name)
	}
	if len(want) > 0 {
		t.Errorf("missing: %v", want)
	}
}

// Cells with numbers keep their text. Codes and long ids are texts.
func TestCells(t *testing.T) {
	for _, c := range []struct {
		name    string
		texts   []string
		numbers bool
	}{
		{"numbers", []string{"1.50", "", "-3"}, true}, {"codes", []string{"007", "008"}, false}, {"words", []string{"1", "x"}, false},
		{"ids", []string{"12345678901234567"}, false}, {"exponent", []string{"1e3"}, false}, {"not a number", []string{"NaN"}, false}, {"nothing", []string{"", ""}, false}, {"none", nil, false},
	} {
		got := Cells("x", c.texts)
		if (got.kind == kindCells) != c.numbers {
			t.Errorf("%s: kind %d", c.name, got.kind)
		}
	}
	var b bytes.Buffer
	table := &Table{Columns: []Column{Cells("x", []string{"1.50", "", "-3"}), Cells("y", []string{"a", "", "=1"})}}
	if err := WriteCSV(&b, table.Pick([]int{2, 0, 1}).SpreadsheetSafe()); err != nil || b.String() != "x,y\n-3,'=1\n1.50,a\n,\n" {
		t.Errorf("%v: %q", err, b.String())
	}
	text, err := table.MarshalJSON()
	if err != nil || strings.ReplaceAll(string(text), "\n", "") != `[{"x":1.50,"y":"a"},{"x":null,"y":null},{"x":-3,"y":"=1"}]` {
		t.Errorf("%v: %s", err, text)
	}
}
