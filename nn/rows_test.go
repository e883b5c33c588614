package nn

import (
	"math"
	"slices"
	"testing"

	"github.com/ehgnn/ehgnn/internal/rng"
	"github.com/ehgnn/ehgnn/tensor"
)

// masked is a table of ones of which a Mask has dropped some.
func masked(threads, rows, width int, rate float64, seed uint64) []float32 {
	p := &Pass{Tape: tensor.NewArena(threads).Tape(), Train: true, Rand: rng.Stream(seed, "mask")}
	m := NewMask(p, width, rate)
	x := p.Tape.Variable(tensor.Full(1, rows, width))
	y := p.CheckpointRows([]tensor.RowInput{{X: x}}, func(_ *Pass, b *tensor.RowBlock) *tensor.Tensor { return m.Drop(b, b.Rows(0)) })
	// The backward pass makes the mask anew.
	if g := p.Tape.Grad(y.Sum(), x)[0]; !slices.Equal(g.Data(), y.Data()) {
		panic("the gradient has another mask than the rows")
	}
	return slices.Clone(y.Data())
}

// A mask drops the share it is asked for, in every column and whatever stands beside, and does
// not depend on threads.
func TestMask(t *testing.T) {
	const rows, width = 20001, 7 // so that words and blocks begin within rows
	for _, rate := range []float64{0.1, 0.5, 0.95} {
		y := masked(1, rows, width, rate, 1)
		if !slices.Equal(y, masked(3, rows, width, rate, 1)) {
			t.Errorf("rate %v: depends on threads", rate)
		}
		if slices.Equal(y, masked(1, rows, width, rate, 2)) {
			t.Errorf("rate %v: another key gives the same mask", rate)
		}
		scale := float32(1 / (1 - rate))
		var kept, after [width]float64 // of a column, and of it where the column before is kept, too
		for i, v := range y {
			if v != 0 && v != scale {
				t.Fatalf("rate %v: element %d is %v, expected 0 or %v", rate, i, v, scale)
			}
			if v != 0 {
				if kept[i%width]++; i > 0 && y[i-1] != 0 {
					after[i%width]++
				}
			}
		}
		keep := 1 - rate
		within := func(what string, column int, got, want float64) {
			if sigma := math.Sqrt(want * (1 - want) / rows); math.Abs(got/rows-want) > 4*sigma {
				t.Errorf("rate %v, column %d: %s for %.4f of the rows, expected %.4f ± %.4f", rate, column, what, got/rows, want, sigma)
			}
		}
		for c := range width {
			within("kept", c, kept[c], keep)
			within("kept after a kept one", c, after[c], keep*keep)
		}
	}
	if y := masked(1, 100, width, 1, 1); slices.ContainsFunc(y, func(v float32) bool { return v != 0 }) {
		t.Error("rate 1 keeps some")
	}
	if NewMask(&Pass{}, width, 0.5) != nil {
		t.Error("something is dropped where nothing is trained")
	}
}
