package picture

import (
	"cmp"
	"fmt"
	"image/color"
	"maps"
	"math"
	"slices"

	"github.com/ehgnn/ehgnn/draw"
)

// light are colours that differ for colour-blind readers, too, and on which black is legible
// (Tol's light scheme).
var light = []color.NRGBA{
	{0x77, 0xAA, 0xDD, 255}, {0xEE, 0x88, 0x66, 255}, {0x44, 0xBB, 0x99, 255}, {0xEE, 0xDD, 0x88, 255}, {0xFF, 0xAA, 0xBB, 255},
	{0x99, 0xDD, 0xFF, 255}, {0xBB, 0xCC, 0x33, 255}, {0xAA, 0xAA, 0x00, 255}, {0xCC, 0xCC, 0xCC, 255},
}

// Clusters gives each cluster that occurs a colour, the most frequent first.
func Clusters(of []int32) map[int32]color.NRGBA {
	n := map[int32]int{}
	for _, k := range of {
		n[k]++
	}
	out := map[int32]color.NRGBA{}
	for i, k := range slices.SortedFunc(maps.Keys(n), func(a, b int32) int { return cmp.Or(n[b]-n[a], int(a-b)) }) {
		out[k] = group(i)
	}
	return out
}

// ClusterKey has an entry for each cluster.
func ClusterKey(colours map[int32]color.NRGBA) (out []draw.Key) {
	for _, k := range slices.Sorted(maps.Keys(colours)) {
		out = append(out, draw.Key{Text: fmt.Sprintf("cluster %d", k), Line: draw.Line{Band: colours[k]}})
	}
	return out
}

// group is the colour of a group of edges by its number from 0. Those after the first few
// have hues that no number has had before, but differ less.
func group(k int) color.NRGBA {
	if k < len(light) {
		return light[k]
	}
	const golden = 0.6180339887
	_, turn := math.Modf(float64(k) * golden)
	channel := func(shift float64) uint8 {
		return uint8(190 + 60*math.Cos(2*math.Pi*(turn+shift)))
	}
	return color.NRGBA{channel(0), channel(1. / 3), channel(2. / 3), 255}
}

// shade is the colour of a share between 0 and 1, from pale to strong.
func shade(share float64) color.NRGBA {
	low, high := color.NRGBA{0xDD, 0xE9, 0xF5, 255}, color.NRGBA{0x4F, 0x9B, 0xD9, 255}
	mix := func(a, b uint8) uint8 { return uint8(float64(a) + share*(float64(b)-float64(a)) + 0.5) }
	return color.NRGBA{mix(low.R, high.R), mix(low.G, high.G), mix(low.B, high.B), 255}
}
