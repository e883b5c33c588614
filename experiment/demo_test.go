package experiment

import (
	"testing"

	"github.com/ehgnn/ehgnn/data/synth"
)

// A colour is right when the palette's nearest is the edge's; whole runs of the
// demonstration are tested where it is called.
func TestRightColours(t *testing.T) {
	palette := synth.Palette()
	var rgb []float32
	var label []int32
	for k, c := range palette {
		rgb = append(rgb, c[0], c[1], c[2]) // itself
		rgb = append(rgb, 0.9*c[0]+0.1*palette[0][0], 0.9*c[1]+0.1*palette[0][1], 0.9*c[2]+0.1*palette[0][2])
		label = append(label, int32(k), int32(k))
	}
	if got := rightColours(rgb, label); got != 1 {
		t.Errorf("%v of the palette's colours are right, want all", got)
	}
	for i := range label {
		label[i] = (label[i] + int32(i)%2) % int32(len(palette))
	}
	if got := rightColours(rgb, label); got != 0.5 {
		t.Errorf("%v are right, want half", got)
	}
}
