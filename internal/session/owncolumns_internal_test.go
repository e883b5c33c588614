package session

import (
	"math"
	"strings"
	"testing"
)

// Days are shown without a time of day.
func TestTimeTexts(t *testing.T) {
	const day = 24 * 60 * 60
	for _, tt := range []struct {
		times []float64
		dates bool
		want  string
	}{
		{[]float64{19_725 * day, math.NaN(), 19_726 * day}, true, "2024-01-03||2024-01-04"},
		{[]float64{19_725 * day, 19_726*day + 61}, true, "2024-01-03 00:00|2024-01-04 00:01"},
		{[]float64{7, 1.5}, false, "7|1.5"},
	} {
		if got := strings.Join(timeTexts(tt.times, tt.dates), "|"); got != tt.want {
			t.Errorf("%v are %q, want %q", tt.times, got, tt.want)
		}
	}
}
