package page

import (
	"math"
	"testing"

	"github.com/ehgnn/ehgnn/internal/report/review"
)

// The better run comes first, and the difference is its score minus that of the other.
func TestStanding(t *testing.T) {
	none := math.NaN()
	for want, x := range map[string]review.Difference{
		"b is ahead of a: 0.800 against 0.500, difference of average precision +0.300 [+0.100, +0.400] on the same items.": {Name: "average_precision", A: 0.5, B: 0.8, Of: 0.3, Low: 0.1, High: 0.4, Paired: true},
		"a is ahead of b: 0.800 against 0.500, difference of average precision +0.300 [+0.100, +0.400] on the same items.": {Name: "average_precision", A: 0.8, B: 0.5, Of: -0.3, Low: -0.4, High: -0.1, Paired: true},
		"a is ahead of b: 1.000 against 3.000, difference of MAE −2.000 [−3.000, −1.000] on the same items.":               {Name: "mae", A: 1, B: 3, Of: 2, Low: 1, High: 3, Paired: true},
		"a and b are level: difference of ROC-AUC +0.100 [−0.100, +0.300] on the same items.":                              {Name: "roc_auc", A: 0.7, B: 0.8, Of: 0.1, Low: -0.1, High: 0.3, Paired: true},
		"a and b are level: difference of ROC-AUC +0.100 on the same items.":                                               {Name: "roc_auc", A: 0.7, B: 0.8, Of: 0.1, Low: none, High: none},
	} {
		if got := standing("a", "b", x); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
