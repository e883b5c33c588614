package kernel

import "testing"

// FuzzTwoHop: the same numbers as its two products one after the other, at every level.
func FuzzTwoHop(f *testing.F) {
	fuzz(f, func(c *check) {
		blocks, d := c.size(9), c.size(140)
		if c.byte()%4 == 0 {
			d = 1000 + c.below(300) // one pass has only a few rows
		}
		rowPtr, middlePtr := c.inputPtr(blocks, 9), c.inputPtr(blocks, 5)
		n, m := int(rowPtr[blocks]), int(middlePtr[blocks])
		// between draws entries that stay inside a block.
		between := func(from, to []int32) (ptr, ids []int32) {
			ptr = c.ints(int(from[blocks]) + 1)
			ptr[0] = 0
			var at []int32
			for b := range blocks {
				for i := from[b]; i < from[b+1]; i++ {
					if size := int(to[b+1] - to[b]); size > 0 {
						for range c.below(5) {
							at = append(at, to[b]+int32(c.below(size)))
						}
					}
					ptr[i+1] = int32(len(at))
				}
			}
			ids = c.ints(len(at))
			copy(ids, at)
			return ptr, ids
		}
		up := SpMM{X: c.input(n * d), D: d}
		up.Ptr, up.Col = between(middlePtr, rowPtr)
		up.Coef = c.maybe(len(up.Col))
		down := SpMM{D: d, Bias: c.maybe(d), ReLU: c.bool()}
		down.Ptr, down.Col = between(rowPtr, middlePtr)
		if down.Coef = c.maybe(len(down.Col)); c.bool() {
			down.Self, down.SelfCoef = up.X, c.maybe(n)
		}
		c.describe("%d blocks, %d and %d rows of %d", blocks, n, m, d)
		run := func(a *attempt, multiply func(t *TwoHop)) []float32 {
			t := TwoHop{Up: up, Down: down, RowPtr: rowPtr, MiddlePtr: middlePtr}
			t.Up.Dst, t.Down.Dst = a.out(m*d), a.out(n*d)
			t.Down.X = t.Up.Dst
			multiply(&t)
			return append(append([]float32{}, t.Up.Dst...), t.Down.Dst...)
		}
		c.levels(func(a *attempt) []float32 {
			want := run(a, func(t *TwoHop) { t.Up.Rows(0, m); t.Down.Rows(0, n) })
			got := run(a, func(t *TwoHop) { a.cut(blocks, t.Blocks) })
			sameNumbers(c.T, c.what+" at "+level.String()+", against two products", got, want)
			return got
		}, func(string, []float32) {})
	})
}
