package tables_test

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ehgnn/ehgnn/data/tables"
	"github.com/ehgnn/ehgnn/internal/report"
)

// The size in the outline of a table is close to the real one for every format. It is exact for
// Parquet and for short tables.
func TestOutline(t *testing.T) {
	const edges = 100_000
	r := rand.New(rand.NewPCG(3, 1))
	var text strings.Builder
	text.WriteString("source,target,amount,label\n")
	var from, to []int32
	for range edges {
		from, to = append(from, r.Int32N(5000)), append(to, r.Int32N(5000))
		fmt.Fprintf(&text, "%d,%d,%.2f,a\n", from[len(from)-1], to[len(to)-1], r.Float64())
	}
	dir := t.TempDir()
	write := func(name string, b []byte) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, b, 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	z.Write([]byte(text.String()))
	z.Close()
	parquet := filepath.Join(dir, "edges.parquet")
	if err := report.WriteTable(parquet, &report.Table{Columns: []report.Column{report.Ints("source", from), report.Ints("target", to)}}); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		path    string
		edges   int64
		within  float64
		columns int
	}{
		{write("long.csv", []byte(text.String())), edges, 0.05, 1},
		{write("long.csv.gz", packed.Bytes()), edges, 0.15, 1},
		{write("short.csv", []byte("source,target,label\n1,2,a\n2,3,b\n")), 2, 0, 0},
		{parquet, edges, 0, 0},
		{write("torn.parquet", []byte("PAR1PAR1")), 0, 0, 0},
		{filepath.Join(dir, "none.csv"), 0, 0, 0},
	} {
		got := tables.Options{}.Outline(c.path)
		if d := float64(got.Edges - c.edges); d > c.within*edges || -d > c.within*edges || got.Columns != c.columns || (got.Bytes > 0) != (c.edges > 0) {
			t.Errorf("%s: outline %+v, expected about %d edges and %d columns", filepath.Base(c.path), got, c.edges, c.columns)
		}
	}
}
