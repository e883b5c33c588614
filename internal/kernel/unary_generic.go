package kernel

import "math"

// The portable loops behind Unary. Transcendental functions are computed in
// float64 and rounded once.

func neg(dst, x []float32, _, _ float32) {
	for i, v := range x {
		dst[i] = -v
	}
}

func abs(dst, x []float32, _, _ float32) {
	for i, v := range x {
		dst[i] = math.Float32frombits(math.Float32bits(v) &^ (1 << 31))
	}
}

func sign(dst, x []float32, _, _ float32) {
	for i, v := range x {
		switch {
		case v > 0:
			v = 1
		case v < 0:
			v = -1
		case v == 0:
			v = 0 // of either sign
		}
		dst[i] = v
	}
}

func square(dst, x []float32, _, _ float32) {
	for i, v := range x {
		dst[i] = v * v
	}
}

func sqrt(dst, x []float32, _, _ float32) {
	for i, v := range x {
		dst[i] = sqrt32(v)
	}
}

func exp(dst, x []float32, _, _ float32) {
	for i, v := range x {
		dst[i] = exp32(v)
	}
}

func log(dst, x []float32, _, _ float32) {
	for i, v := range x {
		dst[i] = float32(math.Log(float64(v)))
	}
}

func sigmoid(dst, x []float32, _, _ float32) {
	for i, v := range x {
		dst[i] = float32(1 / (1 + math.Exp(-float64(v))))
	}
}

func tanh(dst, x []float32, _, _ float32) {
	for i, v := range x {
		dst[i] = float32(math.Tanh(float64(v)))
	}
}

func softplus(dst, x []float32, _, _ float32) {
	for i, v := range x {
		t := float64(v)
		dst[i] = float32(max(t, 0) + math.Log1p(math.Exp(-math.Abs(t))))
	}
}

func relu(dst, x []float32, _, _ float32) {
	for i, v := range x {
		dst[i] = relu32(v)
	}
}

// relu32 is max(v, 0) without a branch, which would be mispredicted for half of the
// activations. Numbers below zero have the bits 0x80000001 to 0xff800000; -0 is
// kept, as the vector instruction does.
func relu32(v float32) float32 {
	b := math.Float32bits(v)
	keep := uint32((0x7f7fffff - int64(b-(1<<31+1))) >> 63) // all ones unless in that range
	return math.Float32frombits(b & keep)
}

func step(dst, x []float32, _, _ float32) {
	for i, v := range x {
		var s float32
		if v > 0 {
			s = 1
		}
		dst[i] = s
	}
}

func leakyReLU(dst, x []float32, a, _ float32) {
	for i, v := range x {
		if !(v > 0) {
			v *= a
		}
		dst[i] = v
	}
}

func leakyStep(dst, x []float32, a, _ float32) {
	for i, v := range x {
		s := a
		if v > 0 {
			s = 1
		}
		dst[i] = s
	}
}

// clamp uses comparisons, because the built-in min and max treat zeros and NaN
// limits differently from the vector instructions.
func clamp(dst, x []float32, a, b float32) {
	for i, v := range x {
		if a > v {
			v = a
		}
		if b < v {
			v = b
		}
		dst[i] = v
	}
}

func inRange(dst, x []float32, a, b float32) {
	for i, v := range x {
		var s float32
		if v >= a && v <= b {
			s = 1
		}
		dst[i] = s
	}
}

func powA(dst, x []float32, a, _ float32) {
	switch a {
	case 1:
		copy(dst, x)
	case 2:
		square(dst, x, 0, 0)
	default:
		for i, v := range x {
			dst[i] = float32(math.Pow(float64(v), float64(a)))
		}
	}
}

func recip(dst, x []float32, _, _ float32) {
	for i, v := range x {
		dst[i] = 1 / v
	}
}

func rsqrt(dst, x []float32, _, _ float32) {
	for i, v := range x {
		dst[i] = 1 / sqrt32(v) // rounded twice, as vector code does
	}
}

func sqrt32(v float32) float32 { return float32(math.Sqrt(float64(v))) }
