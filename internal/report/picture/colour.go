package picture

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"

	"github.com/ehgnn/ehgnn/internal/report/draw"
)

// light are colours that colour-blind readers can distinguish and on which black is legible (Tol's
// light scheme).
var light = []draw.Ink{"#77aadd", "#ee8866", "#44bb99", "#eedd88", "#ffaabb", "#99ddff", "#bbcc33", "#aaaa00", "#cccccc"}

// Clusters gives each cluster that occurs a colour, the most frequent first.
func Clusters(of []int32) map[int32]draw.Ink {
	n := map[int32]int{}
	for _, k := range of {
		n[k]++
	}
	out := map[int32]draw.Ink{}
	for i, k := range slices.SortedFunc(maps.Keys(n), func(a, b int32) int { return cmp.Or(n[b]-n[a], int(a-b)) }) {
		out[k] = group(i)
	}
	return out
}

// group is the colour of a group of bonds by its number from 0. After the first few, each number
// gets a new hue, but hues differ less.
func group(k int) draw.Ink {
	if k < len(light) {
		return light[k]
	}
	const golden = 0.6180339887
	_, turn := math.Modf(float64(k) * golden)
	channel := func(shift float64) uint8 {
		return uint8(190 + 60*math.Cos(2*math.Pi*(turn+shift)))
	}
	return draw.Ink(fmt.Sprintf("#%02x%02x%02x", channel(0), channel(1./3), channel(2./3)))
}
