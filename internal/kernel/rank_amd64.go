//go:build !noasm

package kernel

import "math"

var laneNumbers = [16]float32{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15}

func ranksSIMD(dst []int32, x []float32) bool {
	if level < levelAVX2 || len(x) < 2 || len(x) >= minRadix {
		return false
	}
	lanes := 8
	if level == levelAVX512 {
		lanes = 16
	}
	vecs := (len(x) + lanes - 1) / lanes
	buf := packPool.Get().(*packBuf)
	defer packPool.Put(buf)
	buf.a, buf.b = grow(buf.a, vecs*lanes), grow(buf.b, len(x))
	for i, v := range x {
		if v != v {
			return false
		}
		buf.a[i] = v
	}
	fill(buf.a[len(x):], float32(math.Inf(-1)))
	if level == levelAVX512 {
		ranksAVX512(&buf.b[0], &buf.a[0], &laneNumbers[0], len(x), vecs)
	} else {
		ranksAVX2(&buf.b[0], &buf.a[0], &laneNumbers[0], len(x), vecs)
	}
	for i, r := range buf.b {
		dst[i] = int32(r)
	}
	return true
}
