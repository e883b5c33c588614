package report_test

import (
	"fmt"
	"math"
	"os"
	"testing"

	"github.com/ehgnn/ehgnn/internal/parquettest"
	"github.com/ehgnn/ehgnn/internal/report"
)

// readParquet reads all rows as text.
func readParquet(t *testing.T, path string) (names []string, rows [][]string) {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return parquettest.Rows(t, b)
}

func TestParquet(t *testing.T) {
	names, rows := readParquet(t, write(t, "t.parquet", edgeTable()))
	if got, want := fmt.Sprint(names), "[smiles source score embedding]"; got != want {
		t.Errorf("columns %s, want %s in their order", got, want)
	}
	want := [][]string{ // NaN is read as a missing value
		{"CC", "0", "0.1", "[1,-2.5]"},
		{`a,"b"`, "-1", "", "[1e+06,0.33333334]"},
		{"", "2147483647", "1e-45", "[null,1e-07]"},
		{"zwei\nZeilen", "7", "3.4028235e+38", "[0,1.6777216e+07]"},
	}
	if fmt.Sprint(rows) != fmt.Sprint(want) {
		t.Errorf("rows\n%q\nwant\n%q", rows, want)
	}
}

func TestParquetManyRows(t *testing.T) {
	const n, width = 5000, 3 // several batches, the last one not full
	ids := make([]int, n)
	vectors := make([]float32, n*width)
	for i := range ids {
		ids[i] = i * i
	}
	for i := range vectors {
		vectors[i] = float32(math.Sin(float64(i)))
	}
	_, rows := readParquet(t, write(t, "t.parquet", &report.Table{Columns: []report.Column{
		report.Vectors("v", vectors, width), report.Ints("id", ids),
	}}))
	if len(rows) != n {
		t.Fatalf("%d rows, want %d", len(rows), n)
	}
	for i, row := range rows {
		v := vectors[i*width:]
		if want := fmt.Sprintf("[%v,%v,%v]", v[0], v[1], v[2]); row[0] != want || row[1] != fmt.Sprint(i*i) {
			t.Fatalf("row %d is %q, want %s and %d", i, row, want, i*i)
		}
	}
}
