package report_test

import (
	"errors"
	"io"
	"math"
	"os"
	"slices"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/ipc"

	"github.com/ehgnn/ehgnn/internal/report"
)

// An Arrow file has the columns of a table to the bit, with any number of batches.
func TestArrow(t *testing.T) {
	for _, rows := range []int{0, 3, 70000} {
		texts, some, ints, floats, vectors := make([]string, rows), make([]string, rows), make([]int64, rows), make([]float32, rows), make([]float32, 2*rows)
		for i := range rows {
			texts[i], ints[i], floats[i] = string(rune('a'+i%26)), int64(i)<<40, float32(i)/3
			if i%3 > 0 {
				some[i] = texts[i]
			}
			vectors[2*i], vectors[2*i+1] = float32(i), float32(math.NaN())
		}
		path := write(t, "t.arrow", &report.Table{Columns: []report.Column{
			report.Strings("s", texts), report.Ints("i", ints), report.Floats("f", floats), report.Vectors("v", vectors, 2), report.Optional("o", some)}})
		f, err := os.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		r, err := ipc.NewFileReader(f)
		if err != nil {
			t.Fatal(err)
		}
		at := 0
		for {
			b, err := r.Read()
			if errors.Is(err, io.EOF) {
				break
			}
			if err != nil {
				t.Fatal(err)
			}
			n := int(b.NumRows())
			if got := b.Column(0).(*array.String).Value(n - 1); got != texts[at+n-1] {
				t.Errorf("row %d is %q, want %q", at+n-1, got, texts[at+n-1])
			}
			if got := b.Column(1).(*array.Int64).Int64Values(); !slices.Equal(got, ints[at:at+n]) {
				t.Errorf("whole numbers from row %d differ", at)
			}
			if got := b.Column(2).(*array.Float32).Float32Values(); !slices.Equal(got, floats[at:at+n]) {
				t.Errorf("numbers from row %d differ", at)
			}
			for i, o := range some[at : at+n] {
				if b.Column(4).IsNull(i) != (o == "") {
					t.Fatalf("row %d: %v, want %q", at+i, b.Column(4).IsNull(i), o)
				}
			}
			v := b.Column(3).(*array.LargeList)
			from, to := v.ValueOffsets(0)
			for i, x := range v.ListValues().(*array.Float32).Float32Values() {
				if math.Float32bits(x) != math.Float32bits(vectors[2*at+i]) {
					t.Fatalf("vectors from row %d differ", at)
				}
			}
			if from != 0 || to != 2 {
				t.Errorf("the first vector takes %d to %d", from, to)
			}
			at += n
		}
		if at != rows || r.Schema().Field(3).Type.ID() != arrow.LARGE_LIST {
			t.Errorf("%d rows of %v, want %d", at, r.Schema(), rows)
		}
	}
}
