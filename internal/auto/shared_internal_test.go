package auto

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/ehgnn/ehgnn/internal/lists"
	"github.com/ehgnn/ehgnn/model"
)

// The class with the largest share at the source, of 20 classes, is learned from 300 rows, even for classes without a
// training edge. Columns that may not be read are not read.
func TestSharedWeights(t *testing.T) {
	const classes, rows = 20, 300
	layout := model.EdgeLayout{Classes: classes}
	said := layout.ByClass()
	r := rand.New(rand.NewPCG(5, 6))
	made := func(first int) table {
		out := table{x: model.Block{Rows: rows, Width: layout.Width()}}
		for range rows {
			row := make([]float32, layout.Width())
			for i := range row {
				row[i] = 0.05 * r.Float32()
			}
			class := first + r.IntN(classes-first)
			row[said[0][class]] = 0.5
			out.x.Data, out.y = append(out.x.Data, row...), append(out.y, float32(class))
		}
		return out
	}
	known, valid := made(1), made(0)
	p := &problem{Request: Request{Out: classes, Layout: layout, Threads: 2}, families: layout.Families(), valid: valid}
	set := &trainingSet{static: known.x, y: known.y, epoch: rows}
	right := func(allowed []int32) (n int, got Trained) {
		got, err := trainShared(t.Context(), p, columnSet{}, set, allowed)
		if err != nil {
			t.Fatal(err)
		}
		for i, y := range valid.y {
			row := got.Prediction[i*classes:][:classes]
			if slices.Index(row, slices.Max(row)) == int(y) {
				n++
			}
		}
		return n, got
	}
	all := lists.Range[int32](layout.Width())
	n, got := right(all)
	if n < rows*95/100 {
		t.Errorf("%d of %d rows are right", n, rows)
	}
	if !slices.IsSorted(got.Learner.Columns) {
		t.Errorf("columns %v do not rise", got.Learner.Columns)
	}
	if n, got = right(slices.DeleteFunc(all, func(c int32) bool { return slices.Contains(said[0], c) })); n > rows/4 {
		t.Errorf("without the shares at the source %d of %d rows are right", n, rows)
	}
	for _, c := range got.Learner.Columns {
		if slices.Contains(said[0], c) {
			t.Errorf("column %d is read", c)
		}
	}
}

// Columns for all classes are named after the classes, in their order.
func TestByClass(t *testing.T) {
	for _, l := range []model.EdgeLayout{{Classes: 2}, {Classes: 5}, {Classes: 30}, {Classes: 30, Of: []int32{4, 7, 9}}} {
		said := l.ByClass()
		if want := map[bool]int{true: 8}[l.Classes > 2]; len(said) != want {
			t.Fatalf("%+v: %d things are said of classes, want %d", l, len(said), want)
		}
		seen := map[int32]bool{}
		for _, of := range said {
			have := 0
			for c, column := range of {
				if column < 0 {
					continue
				}
				have++
				if seen[column] || int(column) >= l.Width() {
					t.Errorf("%+v: column %d of class %d", l, column, c)
				}
				seen[column] = true
			}
			if want := max(len(l.Of), 0); l.Of != nil && have != want || l.Of == nil && have != l.Classes {
				t.Errorf("%+v: %d classes have a column", l, have)
			}
		}
	}
}
