package bench

import (
	"context"
	"errors"
	"fmt"
	"math"

	"github.com/ehgnn/ehgnn/internal/lists"
	"github.com/ehgnn/ehgnn/internal/rng"
	"github.com/ehgnn/ehgnn/nn"
	"github.com/ehgnn/ehgnn/nn/pool"
	"github.com/ehgnn/ehgnn/optim"
	"github.com/ehgnn/ehgnn/tensor"
)

// Kernel is the measurement of one operation, with the limit that applies to it.
type Kernel struct {
	Name    string  `json:"name"`
	Seconds float64 `json:"seconds"`
	// Bytes is the smallest possible traffic: inputs are read once and results written once.
	Bytes int64 `json:"bytes"`
	// Footprint is the size of the memory that contains these bytes. It is less than Bytes if memory
	// is changed in place.
	Footprint int64 `json:"footprint"`
	Flops     int64 `json:"flops"` // additions and multiplications by definition
	// Limit is LimitCopy or LimitFMA. LimitRate is the rate of this limit in GB/s or GFLOP/s; for
	// copying it is the rate within as much memory as Footprint.
	Limit        string  `json:"limit"`
	LimitRate    float64 `json:"limit_rate"`
	LimitSeconds float64 `json:"limit_seconds"` // shortest time that the limit allows
	Share        float64 `json:"share"`         // LimitSeconds / Seconds
}

// Rate is the rate of the kernel, in the unit of LimitRate.
func (k Kernel) Rate() float64 { return k.LimitRate * k.Share }

// ErrNoKernel is wrapped by the error of Kernels if no name has any of the parts in
// Options.Kernels.
var ErrNoKernel = errors.New("bench: no kernel of this name")

// expFlops is the number of operations counted for an exponential or a hyperbolic tangent: reducing
// the argument, a polynomial, scaling.
const expFlops = 16

// Kernels measures the limits of the machine, the operations of training, and the layers of the
// paper on batches of the paper's sizes.
func Kernels(ctx context.Context, o Options) (Limits, []Kernel, error) {
	todo := lists.Filter(kernels(), func(k entry) bool { return chosen(k.name, o.Kernels) })
	if len(todo) == 0 {
		return Limits{}, nil, fmt.Errorf("%w: %q", ErrNoKernel, o.Kernels)
	}
	m := newMeter(ctx, o, rounds*(1+len(copySizes)+len(todo)), rounds)
	var l Limits
	out := make([]Kernel, len(todo))
	for round := range rounds {
		if err := m.improve(&l); err != nil {
			return Limits{}, nil, err
		}
		for i, k := range todo {
			if err := m.begin(k.name); err != nil {
				return Limits{}, nil, err
			}
			j := k.prepare()
			seconds := m.least(m.onTape(j.run))
			if round == 0 || seconds < out[i].Seconds {
				out[i] = Kernel{Name: k.name, Seconds: seconds, Bytes: j.bytes, Footprint: j.bytes - j.inPlace, Flops: j.flops}
			}
		}
	}
	for i := range out {
		out[i] = l.bind(out[i])
	}
	return l, out, nil
}

// KernelNames lists the names of all kernels.
func KernelNames() []string {
	return lists.Map(kernels(), func(k entry) string { return k.name })
}

// entry is a kernel that is set up just before its measurement, so that the inputs of all kernels
// are not in memory together.
type entry struct {
	name    string
	prepare func() job
}

// job is work to measure. Its tape frees the results of run.
type job struct {
	bytes, flops int64
	run          func(t *tensor.Tape)
	inPlace      int64 // bytes that are both read and written
}

// floats is the size in bytes of n elements of four bytes.
func floats(n ...int) int64 {
	total := int64(0)
	for _, k := range n {
		total += 4 * int64(k)
	}
	return total
}

// Rows of a batch: 128 graphs of PROTEINS have about 5,000 nodes and 9,300 edges; 1,000
// rows of width 128 fit into the second-level cache.
const (
	width      = 128
	batchNodes = 5000
	batchEdges = 9344
	smallRows  = 1000
	largeNodes = 20000
	largeArcs  = 80000
)

// kernels lists the kernels in the order of the table.
func kernels() []entry {
	dense := []entry{
		matmul("matmul NN", batchNodes, width, width, (*tensor.Tensor).MatMul, false, false),
		matmul("matmul NT", batchNodes, width, width, (*tensor.Tensor).MatMulT, false, true),
		matmul("matmul TN", width, width, batchNodes, (*tensor.Tensor).TMatMul, true, false),
		matmul("matmul NN", 2048, 2048, 2048, (*tensor.Tensor).MatMul, false, false),
		matmul("matmul NN", largeNodes, 32, 32, (*tensor.Tensor).MatMul, false, false),
		matmul("matmul NT", largeNodes, 32, 32, (*tensor.Tensor).MatMulT, false, true),
		matmul("matmul TN", 32, 32, largeNodes, (*tensor.Tensor).TMatMul, true, false),
		matmul("matmul NN", batchEdges, 1, width, (*tensor.Tensor).MatMul, false, false),
		affine(batchNodes, width, width),
	}
	for _, rows := range []int{smallRows, batchNodes} {
		dense = append(dense,
			elementwise("add", rows, 2, 1, func(x, y *tensor.Tensor) { x.Add(y) }),
			elementwise("ReLU", rows, 1, 1, func(x, _ *tensor.Tensor) { x.ReLU() }),
			elementwise("tanh", rows, 1, expFlops, func(x, _ *tensor.Tensor) { x.Tanh() }),
			elementwise("softmax of rows", rows, 1, expFlops+4, func(x, _ *tensor.Tensor) { x.Softmax() }),
			layerNorm(rows),
		)
	}
	return append(append(dense, adam(1<<18), topK()), graphKernels()...)
}

func matmul(name string, m, n, k int, f func(x, y *tensor.Tensor) *tensor.Tensor, tx, ty bool) entry {
	return entry{fmt.Sprintf("%s %dx%dx%d", name, m, n, k), func() job {
		x, y := random(m, k), random(k, n)
		if tx {
			x = random(k, m)
		}
		if ty {
			y = random(n, k)
		}
		return job{bytes: floats(m*k, k*n, m*n), flops: 2 * int64(m) * int64(n) * int64(k), run: func(t *tensor.Tape) { f(t.Constant(x), y) }}
	}}
}

func affine(m, n, k int) entry {
	return entry{fmt.Sprintf("affine and ReLU %dx%dx%d", m, n, k), func() job {
		x, w, b := random(m, k), random(n, k), random(n)
		return job{bytes: floats(m*k, n*k, n, m*n), flops: 2 * int64(m) * int64(n) * int64(k), run: func(t *tensor.Tape) {
			tensor.Affine(t.Constant(x), w, b, tensor.AffineConfig{TransW: true, ReLU: true})
		}}
	}}
}

// elementwise is an operation with one result of the shape of its operands.
func elementwise(name string, rows, operands, flops int, f func(x, y *tensor.Tensor)) entry {
	return entry{fmt.Sprintf("%s %dx%d", name, rows, width), func() job {
		x, y := random(rows, width), random(rows, width)
		n := rows * width
		return job{bytes: floats((operands + 1) * n), flops: int64(flops) * int64(n), run: func(t *tensor.Tape) { f(t.Constant(x), y) }}
	}}
}

func layerNorm(rows int) entry {
	return entry{fmt.Sprintf("layer norm %dx%d", rows, width), func() job {
		x, norm := random(rows, width), nn.NewLayerNorm(nn.NewInit(1), width)
		n := rows * width
		return job{bytes: floats(2*n, 2*width), flops: 8 * int64(n), run: func(t *tensor.Tape) {
			norm.Forward(&nn.Pass{Tape: t}, t.Constant(x))
		}}
	}}
}

// adam reads parameters, gradients and both moments, and writes all of them except gradients.
func adam(n int) entry {
	return entry{fmt.Sprintf("Adam step of %d parameters", n), func() job {
		p := &tensor.Param{Name: "w", Value: random(n)}
		g := []*tensor.Tensor{random(n)}
		opt, err := optim.NewAdam([]*tensor.Param{p}, optim.AdamConfig{WeightDecay: 1e-4})
		if err != nil {
			panic(err) // the settings are constants
		}
		return job{bytes: floats(7 * n), flops: 14 * int64(n), run: func(*tensor.Tape) { opt.Step(1e-6, g) }, inPlace: floats(3 * n)}
	}}
}

// topK sorts, and no limit describes sorting. Its share only says how much longer this takes than
// reading the scores once.
func topK() entry {
	const graphs, fraction = layerGraphs, 0.65
	return entry{fmt.Sprintf("top-k, %d edges of %d graphs", batchEdges, graphs), func() job {
		score, each := random(batchEdges).Data(), batchEdges/graphs
		ids := make([]int32, batchEdges)
		for i := range ids {
			ids[i] = int32(min(i/each, graphs-1))
		}
		of := tensor.MustIndex(ids, graphs)
		kept := int(math.Ceil(fraction * batchEdges))
		return job{bytes: floats(batchEdges, graphs, kept), run: func(*tensor.Tape) { pool.TopK(score, of, pool.Keep{Fraction: fraction}) }}
	}}
}

// randomIndex maps k rows to n slots at random.
func randomIndex(k, n int) *tensor.Index {
	r := rng.Stream(1, "index", k, n)
	ids := make([]int32, k)
	for i := range ids {
		ids[i] = int32(r.IntN(n))
	}
	ix := tensor.MustIndex(ids, n)
	ix.Segments() // built once for each batch, before the first step
	return ix
}
