package nn

import (
	"fmt"

	"github.com/ehgnn/ehgnn/tensor"
)

const normEps = 1e-5

// LayerNorm is (x-mean)/sqrt(var+1e-5)·weight + bias over the last axis, with
// the biased variance. Ba, Kiros and Hinton 2016.
type LayerNorm struct {
	Weight, Bias *tensor.Param // [d], initially ones and zeros
}

// NewLayerNorm returns a norm over rows of width d.
func NewLayerNorm(in Init, d int) *LayerNorm {
	return &LayerNorm{Weight: in.Full("weight", 1, d), Bias: in.Zeros("bias", d)}
}

// Params lists weight and bias.
func (l *LayerNorm) Params() []*tensor.Param { return present(l.Weight, l.Bias) }

// Forward keeps the shape of x.
func (l *LayerNorm) Forward(p *Pass, x *tensor.Tensor) *tensor.Tensor {
	return tensor.LayerNorm(x, p.Var(l.Weight), p.Var(l.Bias), normEps)
}

// BatchNorm normalises each column over the rows of the batch. In training it uses the batch's
// biased variance. Otherwise it uses running statistics, which move by a tenth per batch and use
// the unbiased variance. Ioffe and Szegedy 2015.
type BatchNorm struct {
	Weight, Bias    *tensor.Param // [d]
	RunMean, RunVar *tensor.Param // buffers [d]
	Momentum        float32
}

// NewBatchNorm returns a norm over columns of width d.
func NewBatchNorm(in Init, d int) *BatchNorm {
	b := &BatchNorm{Weight: in.Full("weight", 1, d), Bias: in.Zeros("bias", d),
		RunMean: in.Zeros("running_mean", d), RunVar: in.Full("running_var", 1, d), Momentum: 0.1}
	b.RunMean.Buffer, b.RunVar.Buffer = true, true
	return b
}

// Params lists weight, bias and the running statistics.
func (l *BatchNorm) Params() []*tensor.Param {
	return present(l.Weight, l.Bias, l.RunMean, l.RunVar)
}

// Forward maps [n,d] to [n,d]. A training batch of exactly one row has no variance: Forward panics
// with *tensor.ShapeError. PyTorch fails there, too.
func (l *BatchNorm) Forward(p *Pass, x *tensor.Tensor) *tensor.Tensor { return l.forward(p, x, false) }

// ForwardReLU is Forward followed by ReLU, in one pass over the result in training.
func (l *BatchNorm) ForwardReLU(p *Pass, x *tensor.Tensor) *tensor.Tensor {
	return l.forward(p, x, true)
}

func (l *BatchNorm) forward(p *Pass, x *tensor.Tensor, relu bool) *tensor.Tensor {
	x = bind(p, x)
	n, weight, bias := x.Dim(0), p.Var(l.Weight), p.Var(l.Bias)
	if !p.Train || n == 0 {
		scale := p.Var(l.RunVar).AddScalar(normEps).Rsqrt().Mul(weight)
		y := tensor.ColumnNorm(x, p.Var(l.RunMean), scale, bias)
		if relu {
			y = y.ReLU()
		}
		return y
	}
	if n == 1 {
		panic(&tensor.ShapeError{Op: "BatchNorm", Shapes: [][]int{x.Shape()}, Want: "at least two rows in a training batch"})
	}
	y, mean, variance := tensor.BatchNorm(x, weight, bias, normEps, relu)
	l.move(l.RunMean, mean, 1)
	l.move(l.RunVar, variance, float32(n)/float32(n-1))
	return y
}

func (l *BatchNorm) move(running *tensor.Param, now *tensor.Tensor, scale float32) {
	r := running.Value.Data()
	if len(r) != now.Size() {
		panic(&tensor.ShapeError{Op: "BatchNorm", Shapes: [][]int{now.Shape()}, Want: fmt.Sprintf("statistics of width %d", len(r))})
	}
	for i, v := range now.Data() {
		r[i] += l.Momentum * (v*scale - r[i])
	}
}
