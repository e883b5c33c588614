package memory

import (
	"fmt"
	"math"
)

// Text is a number of bytes for people: 300 B, 64 KiB, 1.5 GiB.
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
