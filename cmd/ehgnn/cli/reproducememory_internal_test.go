package cli

import (
	"testing"

	"github.com/ehgnn/ehgnn/internal/memory"
)

// Without the flag the limit is a share of the free memory, if this is known.
func TestMemoryLimit(t *testing.T) {
	free := memory.Free()
	limit, err := memoryLimit("")
	if err != nil || free < 0 || limit < 0 || (free == 0) != (limit == 0) {
		t.Errorf("limit %d (%v) of %d", limit, err, free)
	}
}

func TestRoughly(t *testing.T) {
	for seconds, want := range map[float64]string{0.4: "0s", 40: "40s", 61: "1m", 1800: "30m", 3600: "1h", 9000: "2h30m", 1e12: "277777h50m"} {
		if have := roughly(seconds); have != want {
			t.Errorf("%v is %s, want %s", seconds, have, want)
		}
	}
}
