package kernel

import "math"

// The portable loops behind Binary, BinaryScalar, axpy and their like.

func add(dst, x, y []float32) {
	x, y = x[:len(dst)], y[:len(dst)]
	for i := range dst {
		dst[i] = x[i] + y[i]
	}
}

func sub(dst, x, y []float32) {
	x, y = x[:len(dst)], y[:len(dst)]
	for i := range dst {
		dst[i] = x[i] - y[i]
	}
}

func mul(dst, x, y []float32) {
	x, y = x[:len(dst)], y[:len(dst)]
	for i := range dst {
		dst[i] = x[i] * y[i]
	}
}

func div(dst, x, y []float32) {
	x, y = x[:len(dst)], y[:len(dst)]
	for i := range dst {
		dst[i] = x[i] / y[i]
	}
}

func addScalar(dst, x []float32, s float32) {
	x = x[:len(dst)]
	for i := range dst {
		dst[i] = x[i] + s
	}
}

func mulScalar(dst, x []float32, s float32) {
	x = x[:len(dst)]
	for i := range dst {
		dst[i] = x[i] * s
	}
}

func divScalar(dst, x []float32, s float32) {
	x = x[:len(dst)]
	for i := range dst {
		dst[i] = x[i] / s
	}
}

func rsubScalar(dst, x []float32, s float32) {
	x = x[:len(dst)]
	for i := range dst {
		dst[i] = s - x[i]
	}
}

func rdivScalar(dst, x []float32, s float32) {
	x = x[:len(dst)]
	for i := range dst {
		dst[i] = s / x[i]
	}
}

// The conversion in axpy rounds the product, also on machines that would fuse it
// with the addition.
func axpy(dst []float32, a float32, x []float32) {
	x = x[:len(dst)]
	for i := range dst {
		dst[i] += float32(a * x[i])
	}
}

func reluGrad(dst, g, y []float32) {
	g, y = g[:len(dst)], y[:len(dst)]
	for i, v := range g {
		// Without a branch, as in relu32: numbers above zero have the bits 1 to
		// 0x7f800000.
		keep := uint32((int64(math.Float32bits(y[i])-1) - 0x7f800000) >> 63)
		dst[i] = math.Float32frombits(math.Float32bits(v) & keep)
	}
}

func maxEach(dst, x, y []float32) {
	x, y = x[:len(dst)], y[:len(dst)]
	for i := range dst {
		dst[i] = max(x[i], y[i]+0)
	}
}

func expSub(dst, x, y []float32) {
	x, y = x[:len(dst)], y[:len(dst)]
	for i := range dst {
		dst[i] = exp32(x[i] - y[i])
	}
}

func exp32(v float32) float32 { return float32(math.Exp(float64(v))) }
