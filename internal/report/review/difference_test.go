package review

import "testing"

// An interval without 0 is not described as if it contained 0.
func TestDifference(t *testing.T) {
	chosen, other := &contestant{chosen: true}, &contestant{}
	c := &contest{names: [2]string{"average_precision", "roc_auc"}, of: []*contestant{chosen, other}}
	for _, test := range []struct {
		interval [2]float64
		want     string
	}{
		{[2]float64{-0.004, -0.0003}, "[−0.0040, −0.0003]"}, {[2]float64{-0.004, 0.0003}, "[−0.004, 0]"}, {[2]float64{-0.04, -0.01}, "[−0.040, −0.010]"}, {[2]float64{1e-7, 0.002}, "[0, +0.0020]"},
	} {
		other.interval = test.interval
		if _, got := c.difference(other); got != test.want {
			t.Errorf("%v is %s, expected %s", test.interval, got, test.want)
		}
	}
}
