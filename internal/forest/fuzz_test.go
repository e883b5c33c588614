package forest_test

import (
	"testing"

	"github.com/ehgnn/ehgnn/internal/forest"
)

// Bytes that can be read as a forest score every row within [0,1].
func FuzzUnmarshal(f *testing.F) {
	x, positive := rows(50, 9)
	grown, err := forest.Train(f.Context(), x, positive, forest.Config{Trees: 2, Seed: 1, Threads: 1})
	if err != nil {
		f.Fatal(err)
	}
	good, _ := grown.MarshalBinary()
	f.Add(good)
	f.Add([]byte{9, 1, 3, 0, 0, 1, 0, 1, 1})
	f.Fuzz(func(t *testing.T, data []byte) {
		var read forest.Forest
		if read.UnmarshalBinary(data) != nil || read.Bits() > 1<<20 {
			return
		}
		if s := read.Score(make([]uint64, (read.Bits()+63)/64)); !(s >= 0 && s <= 1) {
			t.Errorf("score %v", s)
		}
	})
}
