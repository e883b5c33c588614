package pipeline

import (
	"strings"
	"testing"

	"github.com/ehgnn/ehgnn/internal/settings"
	"github.com/ehgnn/ehgnn/scale/store"
	"github.com/ehgnn/ehgnn/scale/visit"
)

// wide is a program with two turns of width 32.
type wide struct{ visit.Program }

func (wide) Turns() int           { return 2 }
func (wide) NodeWidth(int) int    { return 32 }
func (wide) MessageWidth(int) int { return 32 }

// Prism is an error for a store if its sums, times prismFactor, take more than half of the free
// memory. If the free memory is unknown, the job is tried.
func TestFitsPrism(t *testing.T) {
	m := &store.Manifest{Met: 1000}
	if got, want := mostShuffled(m, wide{}), int64(1000*(8+8*32+4*32)); got != want {
		t.Fatalf("%d bytes shuffled, expected %d", got, want)
	}
	need := int64(prismFactor * float64(mostShuffled(m, wide{})))
	for free, fits := range map[int64]bool{0: true, 2 * need: true, 2*need - 2: false, 1 << 40: true, 1: false} {
		err := fitsPrism(m, wide{}, free)
		if (err == nil) != fits {
			t.Errorf("%d bytes free: %v", free, err)
		}
		if err != nil && (!strings.Contains(err.Error(), "--runner local") || !settings.IsUsage(err)) {
			t.Errorf("error %v, expected wrong usage that names --runner local", err)
		}
	}
}
