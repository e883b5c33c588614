package columns

import (
	"math/rand/v2"
	"slices"
	"testing"
)

func TestSeek(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 300 {
		list := make([]int32, r.IntN(40))
		for i := range list {
			list[i] = r.Int32N(60)
		}
		slices.Sort(list)
		list = slices.Compact(list)
		at, x := r.IntN(len(list)+1), r.Int32N(64)
		step, _ := slices.BinarySearch(list[at:], x)
		if got := seek(list, at, x); got != at+step {
			t.Errorf("%d in %d from %d: place %d, expected %d", x, list, at, got, at+step)
		}
	}
}
