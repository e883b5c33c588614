package nn

import (
	"cmp"
	"fmt"
	"math"

	"github.com/ehgnn/ehgnn/internal/rng"
	"github.com/ehgnn/ehgnn/tensor"
)

// Init names and initialises parameters. Every parameter draws from its own stream, derived from
// the seed and its name.
//
// All parameters of a model come from methods of Init, so a constructor can compute the size of a
// model before memory is taken: see Outline.
type Init struct {
	seed    uint64
	prefix  string
	gain    float64  // 0 means 1
	outline *Outline // nil for parameters with elements
}

// NewInit returns the root of a model's parameters.
func NewInit(seed uint64) Init { return Init{seed: seed} }

// Outline builds modules whose parameters have shapes and no elements (tensor.Outline). It stops if
// there are too many.
type Outline struct {
	Most  int // the most parameters, each a tensor
	count int
}

// tooMany is the panic that ends a constructor if its outline has too many parameters.
type tooMany struct{}

// Init is NewInit for parameters without elements.
func (o *Outline) Init(seed uint64) Init { return Init{seed: seed, outline: o} }

// Build calls a function that builds a module with o.Init. It returns the function's error, or an
// error that there are more parameters than o.Most.
func (o *Outline) Build(build func() error) (err error) {
	defer func() {
		switch r := recover(); r {
		case nil:
		case tooMany{}:
			err = fmt.Errorf("there are more than %d tensors of parameters", o.Most)
		default:
			panic(r)
		}
	}()
	return build()
}

// Gain returns in with Glorot's bound times g; 0 means 1. √2 compensates for ReLU, which halves the
// variance, so that the variance stays constant through deep stacks (He, Zhang, Ren and Sun 2015).
func (in Init) Gain(g float64) Init {
	in.gain = g
	return in
}

// In returns the scope of a part: In("convs", 0) puts "convs.0." before the names of its
// parameters.
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

// Glorot is a parameter drawn uniformly from ±sqrt(6/(fanIn+fanOut)), times the gain of the scope
// (Glorot and Bengio 2010).
func (in Init) Glorot(name string, fanIn, fanOut int, dims ...int) *tensor.Param {
	return in.Uniform(name, cmp.Or(in.gain, 1)*math.Sqrt(6/float64(max(fanIn+fanOut, 1))), dims...)
}

// Zeros is a parameter of zeros.
func (in Init) Zeros(name string, dims ...int) *tensor.Param {
	return in.param(name, func() *tensor.Tensor { return tensor.New(dims...) }, dims)
}

// Full is a parameter with every element v.
func (in Init) Full(name string, v float32, dims ...int) *tensor.Param {
	return in.param(name, func() *tensor.Tensor { return tensor.Full(v, dims...) }, dims)
}

// param returns a parameter with the elements of value, or only with a shape.
func (in Init) param(name string, value func() *tensor.Tensor, dims []int) *tensor.Param {
	p := &tensor.Param{Name: in.prefix + name}
	if in.outline == nil {
		p.Value = value()
		return p
	}
	if in.outline.count++; in.outline.count > in.outline.Most {
		panic(tooMany{})
	}
	p.Value = tensor.Outline(dims...)
	return p
}
