package auto

import "testing"

// Slow learners are left out if another learner is right on nearly all rows.
func TestSolved(t *testing.T) {
	for _, c := range []struct {
		losses []float64 // the first is the loss of the constant
		want   bool
	}{{[]float64{0.5}, false}, {[]float64{0.5, 0.1}, false}, {[]float64{0.5, 0.1, 0.0004}, true}, {[]float64{0.5, 0}, true}} {
		r := &race{}
		for _, l := range c.losses {
			r.entries = append(r.entries, entry{Entry: Entry{Loss: l}})
		}
		if got := r.solved(); got != c.want {
			t.Errorf("solved is %v for losses %v, want %v", got, c.losses, c.want)
		}
	}
}
