package picture

import (
	"cmp"
	"fmt"
	"image/color"
	"maps"
	"math"
	"slices"

	"github.com/ehgnn/ehgnn/internal/report/draw"
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

// shade is the colour of a share between 0 and 1, from light to dark: cividis from its end
// (Nuñez et al., 2018, in the polynomials of D3), which everybody sees as steps of lightness,
// mixed with white so that black is legible on all of it.
func shade(share float64) color.NRGBA {
	t := 1 - min(max(share, 0), 1)
	of := func(c0, c1, c2, c3, c4, c5 float64) uint8 {
		v := min(max(c0+t*(c1+t*(c2+t*(c3+t*(c4+t*c5)))), 0), 255)
		const white = 0.35
		return uint8(v + white*(255-v) + 0.5)
	}
	return color.NRGBA{
		of(-4.54, -35.34, 2381.73, -6402.7, 7024.72, -2710.57),
		of(32.49, 170.73, 52.82, -131.46, 176.58, -67.37),
		of(81.24, 442.36, -2482.43, 6167.24, -6614.94, 2475.67), 255,
	}
}
