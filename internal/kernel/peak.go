package kernel

import "math"

// FMALoop runs n rounds of independent multiply-adds between registers, without memory, in the
// instruction set of Level, and returns the number of floating point operations done, two for each
// lane. Divided by the time, this is the peak for a matrix product on one thread. A round takes
// some nanoseconds. Vector code cannot be interrupted within a call, so n should stay below a few
// million.
func FMALoop(n int) int64 {
	if n <= 0 {
		return 0
	}
	if perRound := fmaSIMD(n); perRound > 0 {
		return int64(n) * perRound
	}
	return int64(n) * fmaGeneric(n)
}

// fmaGeneric returns the operations of a round.
func fmaGeneric(n int) int64 {
	const half = 0.5
	var a, b, c, d, e, f, g, h float32
	for range n {
		a = a*half + half
		b = b*half + half
		c = c*half + half
		d = d*half + half
		e = e*half + half
		f = f*half + half
		g = g*half + half
		h = h*half + half
	}
	if s := a + b + c + d + e + f + g + h; math.IsNaN(float64(s)) {
		return 0 // never reached: keeps the compiler from removing the loop
	}
	return 16
}
