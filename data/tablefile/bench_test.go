package tablefile_test

import (
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"testing"
	"testing/fstest"

	"github.com/ehgnn/ehgnn/data"
	"github.com/ehgnn/ehgnn/data/tablefile"
)

// manyRows returns a table of ten columns.
func manyRows(rows int) []byte {
	var b bytes.Buffer
	b.WriteString("source,target,amount,channel,country,day,hour,flag,score,label\n")
	for i := range rows {
		fmt.Fprintf(&b, "n%d,n%d,%d.%02d,%s,DE,2024-01-%02d,%d,%v,%.4f,%d\n",
			i%9973, i*7%9967, i%1000, i%100, []string{"web", "branch", "phone"}[i%3], i%28+1, i%24, i%2 == 0, float64(i%777)/777, i%2)
	}
	return b.Bytes()
}

// BenchmarkText reads a table of ten columns. For comparison it also reads the table with encoding/csv alone.
func BenchmarkText(b *testing.B) {
	text := manyRows(100000)
	b.Run("tablefile", func(b *testing.B) {
		b.SetBytes(int64(len(text)))
		for b.Loop() {
			r, err := tablefile.Open(fstest.MapFS{"t.csv": {Data: text}}, "t.csv", data.NewBudget(0), tablefile.Options{})
			if err != nil {
				b.Fatal(err)
			}
			for err == nil {
				_, err = r.Next()
			}
			if !errors.Is(err, io.EOF) {
				b.Fatal(err)
			}
			r.Close()
		}
	})
	b.Run("csv", func(b *testing.B) {
		b.SetBytes(int64(len(text)))
		for b.Loop() {
			t, err := data.NewBudget(0).NewText(bytes.NewReader(text))
			if err != nil {
				b.Fatal(err)
			}
			t.Unbounded()
			r := csv.NewReader(t)
			r.ReuseRecord = true
			for err == nil {
				_, err = r.Read()
			}
			if !errors.Is(err, io.EOF) {
				b.Fatal(err)
			}
		}
	})
}
