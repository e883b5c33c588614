package nn

import (
	"cmp"
	"fmt"
	"math"

	"github.com/ehgnn/ehgnn/internal/rng"
	"github.com/ehgnn/ehgnn/tensor"
)

// Init names and initialises parameters. Every parameter draws from its own
// stream, derived from the seed and its name.
type Init struct {
	seed   uint64
	prefix string
	gain   float64 // 0 for 1
}

// NewInit returns the root of a model's parameters.
func NewInit(seed uint64) Init { return Init{seed: seed} }

// Gain is in with Glorot's bound times g, 0 for 1: √2 makes up for ReLU, which halves
// the variance, so that it stays constant through deep stacks (He, Zhang, Ren and Sun
// 2015).
func (in Init) Gain(g float64) Init {
	in.gain = g
	return in
}

// In is the scope of a part: In("convs", 0) puts "convs.0." before the names
// of its parameters.
func (in Init) In(parts ...any) Init {
	for _, p := range parts {
		in.prefix += fmt.Sprint(p) + "."
	}
	return in
}

// Uniform is a parameter drawn uniformly from [-bound, bound].
func (in Init) Uniform(name string, bound float64, dims ...int) *tensor.Param {
	p := in.Zeros(name, dims...)
	r := rng.Stream(in.seed, "init", p.Name)
	for i := range p.Value.Data() {
		p.Value.Data()[i] = float32((2*r.Float64() - 1) * bound)
	}
	return p
}

// Normal is a parameter drawn from a normal distribution of mean 0.
func (in Init) Normal(name string, deviation float64, dims ...int) *tensor.Param {
	p := in.Zeros(name, dims...)
	r := rng.Stream(in.seed, "init", p.Name)
	for i := range p.Value.Data() {
		p.Value.Data()[i] = float32(r.NormFloat64() * deviation)
	}
	return p
}

// Glorot is a parameter drawn uniformly from ±sqrt(6/(fanIn+fanOut)), times the
// scope's gain (Glorot and Bengio 2010).
func (in Init) Glorot(name string, fanIn, fanOut int, dims ...int) *tensor.Param {
	return in.Uniform(name, cmp.Or(in.gain, 1)*math.Sqrt(6/float64(max(fanIn+fanOut, 1))), dims...)
}

// Zeros is a parameter of zeros.
func (in Init) Zeros(name string, dims ...int) *tensor.Param {
	return &tensor.Param{Name: in.prefix + name, Value: tensor.New(dims...)}
}

// Full is a parameter with every element v.
func (in Init) Full(name string, v float32, dims ...int) *tensor.Param {
	return &tensor.Param{Name: in.prefix + name, Value: tensor.Full(v, dims...)}
}
