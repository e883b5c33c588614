package source

import "testing"

// A key gets a name that no result column has.
func TestFreeName(t *testing.T) {
	for name, want := range map[string]string{"payment": "payment", "Row": "Row.1", "SCORE": "SCORE.1", "probability_ok": "probability_ok.2", "edge": "edge.1", "label": "label", "Part": "Part"} {
		if got := FreeName(name, []string{"edge", "probability_ok", "Probability_OK.1"}); got != want {
			t.Errorf("%q is called %q, want %q", name, got, want)
		}
	}
}
