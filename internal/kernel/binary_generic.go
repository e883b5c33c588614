package kernel

import "math"

// The portable loops behind Binary, BinaryScalar, Axpy and their like.

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

// axpy rounds the product by the conversion, on machines that would fuse it too.
func axpy(dst []float32, a float32, x []float32) {
	x = x[:len(dst)]
	for i := range dst {
		dst[i] += float32(a * x[i])
	}
}

func reluGrad(dst, g, y []float32) {
	g, y = g[:len(dst)], y[:len(dst)]
	for i, v := range g {
		if !(y[i] > 0) {
			v = 0
		}
		dst[i] = v
	}
}

func maxEach(dst, x, y []float32) {
	x, y = x[:len(dst)], y[:len(dst)]
	for i := range dst {
		dst[i] = max(x[i], y[i])
	}
}

func expSub(dst, x, y []float32) {
	x, y = x[:len(dst)], y[:len(dst)]
	for i := range dst {
		dst[i] = exp32(x[i] - y[i])
	}
}

func exp32(v float32) float32 { return float32(math.Exp(float64(v))) }
