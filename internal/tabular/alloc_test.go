//go:build !ehgnndebug && !race

package tabular

import "testing"

// A step allocates a few small values, and memory does not grow from epoch to epoch.
func TestStepAllocations(t *testing.T) {
	for _, members := range []int{1, 4} {
		d := benchData(800)
		d.Draws = []Block{benchData(800).Static}
		tr := newTest(t, d, Config{Loss: CrossEntropy, Classes: 2, Members: members, Threads: 1, Units: 32})
		epoch := func() {
			if _, err := tr.epoch(t.Context(), 0); err != nil {
				t.Fatal(err)
			}
		}
		epoch()
		epoch()
		bytes, steps := tr.arena.Bytes(), tr.steps
		n := testing.AllocsPerRun(5, epoch)
		if per := n * 6 / float64(tr.steps-steps); per > 40 {
			t.Errorf("%d members: %.1f allocations a step", members, per)
		}
		if now := tr.arena.Bytes(); now != bytes {
			t.Errorf("%d members: the arena holds %d bytes, and held %d", members, now, bytes)
		}
	}
}
