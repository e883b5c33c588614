package visit

import (
	"fmt"

	"github.com/ehgnn/ehgnn/internal/kernel"
)

// Sums are the messages of a block to a part: for each node of the part that has seen edges in the
// block, the sum of their messages in fixed point and the number of edge ends in it.
type Sums struct {
	Block, Part int
	Width       int
	Rank        []int32 // ascending
	Count       []int32
	Value       []int64 // [len(Rank),Width], times 2^shift
}

// Total has the sums of all blocks for the nodes of a part.
type Total struct {
	Width int
	Shift int
	Count []int64 // number of ends of seen edges at each node
	Value []int64 // [n,Width]
}

// NewTotal returns an empty total of n nodes.
func NewTotal(n, width, shift int) *Total {
	return &Total{Width: width, Shift: shift, Count: make([]int64, n), Value: make([]int64, n*width)}
}

// TotalBytes returns the memory of a total of n nodes.
func TotalBytes(n, width int) int64 { return 8 * int64(n) * int64(width+1) }

// Add adds the sums of a block. The order of blocks does not matter.
func (t *Total) Add(s *Sums) error {
	if s.Width != t.Width || len(s.Rank) != len(s.Count) || len(s.Value) != len(s.Rank)*s.Width {
		return fmt.Errorf("visit: sums of block %d have width %d, %d nodes and %d numbers, expected width %d", s.Block, s.Width, len(s.Rank), len(s.Value), t.Width)
	}
	for k, r := range s.Rank {
		if r < 0 || int(r) >= len(t.Count) {
			return fmt.Errorf("visit: sums of block %d are for rank %d of part %d, which has %d nodes", s.Block, r, s.Part, len(t.Count))
		}
		t.Count[r] += int64(s.Count[k])
		to := t.Value[int(r)*t.Width:][:t.Width]
		for j, v := range s.Value[k*s.Width:][:t.Width] {
			to[j] += v
		}
	}
	return nil
}

// weighted writes the sum at a node times a factor, in float32.
func (t *Total) weighted(node int, factor float64, to []float32) {
	kernel.FromFixed(to[:t.Width], t.Value[node*t.Width:], t.Shift, factor)
}
