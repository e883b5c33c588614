package model

import (
	"cmp"
	"fmt"
	"iter"
	"math"
	"slices"
	"strings"

	"github.com/ehgnn/ehgnn/internal/memory"
	"github.com/ehgnn/ehgnn/nn"
	"github.com/ehgnn/ehgnn/tensor"
)

const (
	// maxTensors bounds the number of parameters of a model; each is a tensor. Ten thousand layers
	// of HyperDrop have fewer. A constructor stops at this number for any settings.
	maxTensors = 1 << 17
	// unknownFree is used as the free memory if the system does not tell it.
	unknownFree = 64 << 30
)

// New builds the model. If its parameters do not fit into free memory, it returns an error before
// it allocates any.
func (s Spec) New(c Config) (Model, error) {
	if err := s.fits(c, freeMemory(), maxTensors, 1); err != nil {
		return nil, err
	}
	return s.assemble(c, nn.NewInit)
}

// Trainable returns an error if the model does not fit into free memory in training: each parameter
// has a gradient and two moments of the optimiser.
func (s Spec) Trainable(c Config) error { return s.fits(c, freeMemory(), maxTensors, 4) }

func freeMemory() int64 {
	free := cmp.Or(memory.Free(), unknownFree)
	return min(free, math.MaxInt)
}

// fits returns an error if the parameters, times copies of each, need more than free bytes, or if
// there are more than tensors of them.
func (s Spec) fits(c Config, free int64, tensors, times int) error {
	outline, err := s.outline(c, tensors)
	if err != nil {
		return err
	}
	if bytes := float64(times) * parameterBytes(outline); bytes > float64(free) {
		what := "its parameters"
		if times > 1 {
			what += ", their gradients and moments"
		}
		return fmt.Errorf("model: %s with %s would take about %s for %s, %s are free; smaller settings take less",
			s.Name, c.sizesText(), memory.Text(bytes), what, memory.Text(free))
	}
	return nil
}

// Outline builds the model with parameters that have shapes and no elements. It makes the checks of
// New except for free memory.
func (s Spec) Outline(c Config) (Model, error) { return s.outline(c, maxTensors) }

// outline is Outline with at most most parameters.
func (s Spec) outline(c Config, most int) (m Model, err error) {
	defer tensor.Catch(&err) // of a size that overflows a 32-bit int
	for name, v := range c.sizes() {
		if v > math.MaxInt32 {
			return nil, fmt.Errorf("model: %s: %s is %d, expected at most %d", s.Name, name, v, math.MaxInt32)
		}
	}
	o := &nn.Outline{Most: most}
	var refused error
	tooMany := o.Build(func() error {
		m, refused = s.assemble(c, o.Init)
		return nil
	})
	if tooMany != nil {
		return nil, fmt.Errorf("model: %s with %s: %w", s.Name, c.sizesText(), tooMany)
	}
	return m, refused
}

// assemble builds the model. root gives the parameters for a seed.
func (s Spec) assemble(c Config, root func(seed uint64) nn.Init) (Model, error) {
	models := s.models()
	switch {
	case c.Graphs != nil:
		return asModel(newGraphLearners(s, c, root))
	case c.Members < 0:
		return nil, fmt.Errorf("model: %s: members is %d, expected at least 1", s.Name, c.Members)
	case len(c.Parts) != len(models):
		return nil, fmt.Errorf("model: %s: the config has %d parts, expected %d", s.Name, len(c.Parts), len(models))
	case s.parts != nil:
		build := func() (Model, error) { return asModel(newEnsemble(models, c, root)) }
		if s.paired {
			build = func() (Model, error) { return asModel(newPair(models, c, root)) }
		}
		m, err := build()
		if err != nil {
			err = fmt.Errorf("model: %s: of its parts, %w", s.Name, err)
		}
		return m, err
	case c.Members > 1:
		return asModel(newEnsemble(models, c, root))
	case c.Context != nil:
		return asModel(newLabelContext(s, c, root))
	case c.Encode:
		return asModel(newEncoded(s, c, root))
	}
	return s.build(root(c.Seed), c.Dims, c.Parts[0])
}

// asModel converts a constructor's result to a Model. On an error it returns nil: a nil pointer
// would be a Model that is not nil.
func asModel[M Model](m M, err error) (Model, error) {
	if err != nil {
		return nil, err
	}
	return m, nil
}

// parameterBytes is the memory of a model's parameters, from their shapes.
func parameterBytes(m Model) float64 {
	sum := 0.0
	for _, p := range m.Params() {
		size := 4.0
		for _, d := range p.Value.Shape() {
			size *= float64(d)
		}
		sum += size
	}
	return sum
}

// sizes yields the settings and widths that are integers, by name.
func (c *Config) sizes() iter.Seq2[string, int] {
	return func(yield func(string, int) bool) {
		widths := []field{{"node_dim", false, &c.Node}, {"edge_dim", false, &c.Edge}, {"out", false, &c.Out}}
		for _, f := range append(c.fields(), widths...) {
			if v, ok := f.place.(*int); ok && !yield(f.name, *v) {
				return
			}
		}
	}
}

// sizesText lists the sizes above 1, each once: hidden 64, layers 3.
func (c *Config) sizesText() string {
	var out []string
	for name, v := range c.sizes() {
		if text := fmt.Sprintf("%s %d", name, v); v > 1 && !slices.Contains(out, text) {
			out = append(out, text)
		}
	}
	return strings.Join(out, ", ")
}
