package tables_test

import (
	"errors"
	"io"
	"reflect"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/ehgnn/ehgnn/data"
	"github.com/ehgnn/ehgnn/data/tables"
	"github.com/ehgnn/ehgnn/internal/parquettest"
)

// listRows writes rows of one column of a type and returns the values that OpenRows reads.
func listRows(t *testing.T, kind arrow.DataType, rows string) []string {
	t.Helper()
	path := put(t, t.TempDir(), "lists.parquet", string(parquettest.Write(t, parquettest.FromJSON(t, parquettest.Fields(kind, "x"), rows))))
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

// Lists in Parquet, of any length and with missing values, are the same text as in a CSV file.
func TestParquetLists(t *testing.T) {
	number, word := arrow.PrimitiveTypes.Float64, arrow.BinaryTypes.String
	got := listRows(t, arrow.ListOf(number), `[{"x":[1.5,null,-2]},{"x":null},{"x":[]},{"x":[null]},{"x":[4]}]`)
	if want := []string{"[1.5,null,-2]", "", "[]", "[null]", "[4]"}; !reflect.DeepEqual(got, want) {
		t.Errorf("numbers %q, expected %q", got, want)
	}
	got = listRows(t, arrow.ListOf(word), `[{"x":["C","a\"\\"]},{"x":[]}]`)
	if want := []string{`["C","a\"\\"]`, "[]"}; !reflect.DeepEqual(got, want) {
		t.Errorf("words %q, expected %q", got, want)
	}
	got = listRows(t, arrow.ListOf(arrow.ListOf(number)), `[{"x":[[1,null],null,[3,4]]},{"x":null},{"x":[[1]]}]`)
	if want := []string{"[[1,null],null,[3,4]]", "", "[[1]]"}; !reflect.DeepEqual(got, want) {
		t.Errorf("pairs %q, expected %q", got, want)
	}
	for name, kind := range map[string]arrow.DataType{
		"three deep": arrow.ListOf(arrow.ListOf(arrow.ListOf(number))),
		"a group":    arrow.StructOf(arrow.Field{Name: "a", Type: number}),
	} {
		b := parquettest.Write(t, parquettest.FromJSON(t, parquettest.Fields(kind, "x"), "[]"))
		path := put(t, t.TempDir(), "deep.parquet", string(b))
		if _, err := tables.OpenRows(path, data.NewBudget(0)); err == nil || !strings.Contains(err.Error(), `column "x" is a `) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
