package optim

import "github.com/ehgnn/ehgnn/tensor"

// Follow updates the moving averages of parameters: mean += share·(value - mean).
func Follow(mean, params []*tensor.Param, share float32) {
	for i, p := range params {
		m := mean[i].Value.Data()
		for k, v := range p.Value.Data() {
			m[k] += share * (v - m[k])
		}
	}
}

// SwapValues exchanges the values of two lists of parameters with the same shapes.
func SwapValues(a, b []*tensor.Param) {
	for i, p := range a {
		x, y := p.Value.Data(), b[i].Value.Data()
		for k := range x {
			x[k], y[k] = y[k], x[k]
		}
	}
}
