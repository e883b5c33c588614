package cli

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/ehgnn/ehgnn/internal/memory"
)

// memoryLimit parses --memory-limit. Empty means three quarters of the free memory, or no
// limit where the system does not tell.
func memoryLimit(text string) (int64, error) {
	if text == "" {
		return memory.Free() / 4 * 3, nil
	}
	n, err := parseBytes(text)
	if err != nil {
		return 0, fmt.Errorf("--memory-limit is %q, expected a size, as 4GiB, 500MB or 0", text)
	}
	return n, nil
}

// byteUnits are the units in which a size may be given.
var byteUnits = []struct {
	name  string
	bytes float64
}{
	{"kib", 1 << 10}, {"mib", 1 << 20}, {"gib", 1 << 30}, {"tib", 1 << 40},
	{"kb", 1e3}, {"mb", 1e6}, {"gb", 1e9}, {"tb", 1e12},
	{"k", 1 << 10}, {"m", 1 << 20}, {"g", 1 << 30}, {"t", 1 << 40}, {"b", 1},
}

// parseBytes reads a size in bytes: 0, 1500000, 4GiB, 1.5g.
func parseBytes(text string) (int64, error) {
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
