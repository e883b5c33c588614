package synth

import (
	"math"
	"testing"
)

func TestUnrank(t *testing.T) {
	p := uint64(0)
	for v := uint32(1); v < 200; v++ {
		for u := range v {
			if gu, gv := unrank(p); gu != u || gv != v {
				t.Fatalf("unrank(%d) = %d, %d, want %d, %d", p, gu, gv, u, v)
			}
			p++
		}
	}
	// At the top the square root is not exact.
	for _, v := range []uint64{1<<26 + 1, 1<<30 - 1, math.MaxInt32 - 1} {
		first := v * (v - 1) / 2
		for _, u := range []uint64{0, 1, v - 1} {
			if gu, gv := unrank(first + u); uint64(gu) != u || uint64(gv) != v {
				t.Errorf("unrank(%d) = %d, %d, want %d, %d", first+u, gu, gv, u, v)
			}
		}
	}
}
