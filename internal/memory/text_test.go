package memory

import (
	"math"
	"strconv"
	"testing"
)

func TestText(t *testing.T) {
	for n, want := range map[float64]string{0: "0 B", 1023: "1023 B", 1024: "1 KiB", 1536: "1.5 KiB", 3 << 30: "3 GiB", 1 << 60: "1 EiB"} {
		if have := Text(n); have != want {
			t.Errorf("%v is %s, want %s", n, have, want)
		}
	}
}

func TestParse(t *testing.T) {
	for text, want := range map[string]int64{"0": 0, "1500": 1500, "4GiB": 4 << 30, "4g": 4 << 30, "1.5 MiB": 3 << 19, "500MB": 500e6, "2kb": 2000, "7b": 7, " 1T ": 1 << 40} {
		if n, err := Parse(text); n != want || err != nil {
			t.Errorf("%q is %d (%v), want %d", text, n, err, want)
		}
	}
	for _, text := range []string{"", "GiB", "-1", "NaN", "inf", "4XiB", "1e300", "4 G iB"} {
		if n, err := Parse(text); err == nil {
			t.Errorf("%q is %d, want an error", text, n)
		}
	}
}

// FuzzParse checks that Parse returns an error or a possible size, and that the size as a plain
// number parses to the same size.
func FuzzParse(f *testing.F) {
	for _, text := range []string{"0", "4GiB", "1.5 MiB", "500MB", "-1", "NaN", "1e300", "0x1p3", "1_0", "4 G iB"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		n, err := Parse(text)
		if err != nil {
			return
		}
		if n < 0 || n > math.MaxInt64/2 {
			t.Fatalf("%q is %d", text, n)
		}
		if again, err := Parse(strconv.FormatInt(n, 10)); err != nil || math.Abs(float64(again-n)) > float64(n)*1e-15 {
			t.Fatalf("%q is %d, and that is %d (%v)", text, n, again, err)
		}
	})
}
