package memory

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
)

// Text returns a number of bytes for readers: 300 B, 64 KiB, 1.5 GiB.
func Text[N int64 | float64](bytes N) string {
	v := float64(bytes)
	unit := "B"
	for _, u := range []string{"KiB", "MiB", "GiB", "TiB", "PiB", "EiB"} {
		if v < 1024 {
			break
		}
		v, unit = v/1024, u
	}
	return fmt.Sprintf("%g %s", math.Round(v*10)/10, unit)
}

// byteUnits are the units of sizes.
var byteUnits = []struct {
	name  string
	bytes float64
}{
	{"kib", 1 << 10}, {"mib", 1 << 20}, {"gib", 1 << 30}, {"tib", 1 << 40},
	{"kb", 1e3}, {"mb", 1e6}, {"gb", 1e9}, {"tb", 1e12},
	{"k", 1 << 10}, {"m", 1 << 20}, {"g", 1 << 30}, {"t", 1 << 40}, {"b", 1},
}

// Parse reads a size in bytes: 0, 1500000, 4GiB, 1.5g.
func Parse(text string) (int64, error) {
	s, unit := strings.ToLower(strings.TrimSpace(text)), 1.0
	for _, u := range byteUnits {
		if rest, ok := strings.CutSuffix(s, u.name); ok {
			s, unit = strings.TrimSpace(rest), u.bytes
			break
		}
	}
	v, err := strconv.ParseFloat(s, 64)
	if err != nil {
		return 0, err
	}
	if v *= unit; !(v >= 0 && v < math.MaxInt64/2) {
		return 0, fmt.Errorf("%s is no size", text)
	}
	return int64(v), nil
}

// Size is a flag with a number of bytes, such as 4GiB (pflag.Value).
type Size int64

// Set implements pflag.Value.
func (s *Size) Set(text string) error {
	n, err := Parse(text)
	if err != nil {
		return errors.New("expected a size such as 4GiB, 500MB or 0 for the default")
	}
	*s = Size(n)
	return nil
}

// String implements pflag.Value.
func (s *Size) String() string { return strconv.FormatInt(int64(*s), 10) }

// Type implements pflag.Value.
func (s *Size) Type() string { return "size" }
