package tables_test

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/parquet-go/parquet-go"

	"github.com/ehgnn/ehgnn/data"
	"github.com/ehgnn/ehgnn/data/tables"
)

// listRows writes rows of one column of a node and returns its values as OpenRows has them.
func listRows(t *testing.T, node parquet.Node, rows ...[]parquet.Value) []string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "lists.parquet")
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	w := parquet.NewWriter(f, parquet.NewSchema("lists", parquet.Group{"x": node}))
	for _, row := range rows {
		if _, err := w.WriteRows([]parquet.Row{row}); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	r, err := tables.OpenRows(path, data.NewBudget(0))
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(r.Columns(), []string{"x"}) {
		t.Errorf("columns %q", r.Columns())
	}
	var out []string
	for {
		row, err := r.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, row[0])
	}
	if _, err := r.Close(); err != nil {
		t.Error(err)
	}
	return out
}

// Lists of Parquet, of any length and with gaps, are text as a CSV has them.
func TestParquetLists(t *testing.T) {
	v := func(x any, repetition, definition int) parquet.Value {
		return parquet.ValueOf(x).Level(repetition, definition, 0)
	}
	optional := parquet.Optional
	number, word := parquet.Leaf(parquet.DoubleType), parquet.String()
	got := listRows(t, optional(parquet.List(optional(number))),
		[]parquet.Value{v(1.5, 0, 3), v(nil, 1, 2), v(-2.0, 1, 3)},
		[]parquet.Value{v(nil, 0, 0)}, []parquet.Value{v(nil, 0, 1)}, []parquet.Value{v(nil, 0, 2)}, []parquet.Value{v(4.0, 0, 3)})
	if want := []string{"[1.5,null,-2]", "", "[]", "[null]", "[4]"}; !reflect.DeepEqual(got, want) {
		t.Errorf("numbers %q, expected %q", got, want)
	}
	got = listRows(t, parquet.List(word), []parquet.Value{v("C", 0, 1), v(`a"\`, 1, 1)}, []parquet.Value{v(nil, 0, 0)})
	if want := []string{`["C","a\"\\"]`, "[]"}; !reflect.DeepEqual(got, want) {
		t.Errorf("words %q, expected %q", got, want)
	}
	got = listRows(t, optional(parquet.List(optional(parquet.List(optional(number))))),
		[]parquet.Value{v(1.0, 0, 5), v(nil, 2, 4), v(nil, 1, 2), v(3.0, 1, 5), v(4.0, 2, 5)},
		[]parquet.Value{v(nil, 0, 0)}, []parquet.Value{v(1.0, 0, 5)})
	if want := []string{"[[1,null],null,[3,4]]", "", "[[1]]"}; !reflect.DeepEqual(got, want) {
		t.Errorf("pairs %q, expected %q", got, want)
	}
	for name, node := range map[string]parquet.Node{
		"three deep": parquet.List(parquet.List(parquet.List(number))),
		"a group":    parquet.Group{"a": number},
	} {
		path := filepath.Join(t.TempDir(), "deep.parquet")
		f, err := os.Create(path)
		if err != nil {
			t.Fatal(err)
		}
		if err := parquet.NewWriter(f, parquet.NewSchema("lists", parquet.Group{"x": node})).Close(); err != nil {
			t.Fatal(err)
		}
		f.Close()
		if _, err := tables.OpenRows(path, data.NewBudget(0)); err == nil || !strings.Contains(err.Error(), `column "x" is a `) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
