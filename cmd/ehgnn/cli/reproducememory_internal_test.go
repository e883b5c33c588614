package cli

import (
	"math"
	"strconv"
	"testing"

	"github.com/ehgnn/ehgnn/internal/memory"
)

func TestParseBytes(t *testing.T) {
	for text, want := range map[string]int64{"0": 0, "1500": 1500, "4GiB": 4 << 30, "4g": 4 << 30, "1.5 MiB": 3 << 19, "500MB": 500e6, "2kb": 2000, "7b": 7, " 1T ": 1 << 40} {
		if n, err := parseBytes(text); n != want || err != nil {
			t.Errorf("%q is %d (%v), want %d", text, n, err, want)
		}
	}
	for _, text := range []string{"", "GiB", "-1", "NaN", "inf", "4XiB", "1e300", "4 G iB"} {
		if n, err := parseBytes(text); err == nil {
			t.Errorf("%q is %d, want an error", text, n)
		}
	}
}

// FuzzParseBytes: a size is refused or it is one that memory can have, and written as a
// plain number it is the same again.
func FuzzParseBytes(f *testing.F) {
	for _, text := range []string{"0", "4GiB", "1.5 MiB", "500MB", "-1", "NaN", "1e300", "0x1p3", "1_0", "4 G iB"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		n, err := parseBytes(text)
		if err != nil {
			return
		}
		if n < 0 || n > math.MaxInt64/2 {
			t.Fatalf("%q is %d", text, n)
		}
		if again, err := parseBytes(strconv.FormatInt(n, 10)); err != nil || math.Abs(float64(again-n)) > float64(n)*1e-15 {
			t.Fatalf("%q is %d, and that is %d (%v)", text, n, again, err)
		}
	})
}

// Without the flag the limit is a part of what is free, where that is known.
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
