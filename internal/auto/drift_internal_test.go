package auto

import (
	"math"
	"slices"
	"testing"

	"github.com/ehgnn/ehgnn/model"
)

// Columns whose validation values lie outside the range of the training values are left out of all sets. For features
// most values must lie outside.
func TestDrifted(t *testing.T) {
	block := func(width int, value func(i, c int) float32) model.Block {
		b := model.Block{Rows: 50, Width: width}
		for i := range b.Rows * width {
			b.Data = append(b.Data, value(i/width, i%width))
		}
		return b
	}
	wave := func(i int) float32 { return float32(i%5) - 2 } // mean 0, deviation √2
	nan := float32(math.NaN())
	p := &problem{families: []string{model.FamilyOwn, model.FamilyOwn, model.FamilyStructure, model.FamilyStructure, model.FamilyLabels, model.FamilyLabels, model.FamilyLabels}}
	p.hiding = &trainingSet{
		static: block(4, func(i, c int) float32 { return wave(i) }),
		draws:  []model.Block{block(3, func(i, c int) float32 { return []float32{wave(i), 1, nan}[c] })},
	}
	p.valid.x = block(7, func(i, c int) float32 { return wave(i) + []float32{3, 2, 5, 4, -5, 0, 0}[c] })
	// Three of five values of the first feature are above 2, the training maximum, and two of five of the second. For
	// other columns the limit is three deviations, 3·√2 = 4.24: the third column is beyond it and the fourth is not. One
	// column is constant in training, and one is missing.
	if got, want := p.drifted(p.hiding), []bool{true, false, true, false, true, false, false}; !slices.Equal(got, want) {
		t.Errorf("drifted %v, want %v", got, want)
	}
	all := columnSet{families: p.families}
	if got, want := p.columnsOf(all), []int32{1, 3, 5, 6}; !slices.Equal(got, want) {
		t.Errorf("columns %v, want %v", got, want)
	}
	p.moments = &trainingSet{static: block(7, func(i, c int) float32 { return wave(i) + []float32{3, 2, 5, 4, -5, 0, 0}[c] })}
	all.snapshots = true
	if got, want := p.columnsOf(all), []int32{0, 1, 2, 3, 4, 5, 6}; !slices.Equal(got, want) {
		t.Errorf("columns %v of snapshots, want %v", got, want)
	}
}
