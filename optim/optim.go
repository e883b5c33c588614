package optim

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/ehgnn/ehgnn/tensor"
)

// Optimizer changes parameters by their gradients.
type Optimizer interface {
	// Params returns the parameters that Step changes: those the optimiser was built with, without
	// buffers, in the same order.
	Params() []*tensor.Param
	// Step makes one update with learning rate lr. grads[i] is the gradient of Params()[i] and has
	// its shape; nil skips the parameter. It panics with *tensor.ShapeError if the number or a
	// shape differs.
	Step(lr float64, grads []*tensor.Tensor)
	// State returns what the optimiser keeps between steps. Its tensors are not copies: save them
	// before the next Step.
	State() State
	// LoadState copies a state into the optimiser. The state must be of the same method, over
	// parameters with the same names and shapes. On an error nothing changes.
	LoadState(State) error
}

// State holds the values that an optimiser keeps between steps, for checkpoints.
type State struct {
	// Optimizer is the name of the method, as in Config.
	Optimizer string
	// Steps counts the updates of each parameter, if the method needs it. The counts differ if
	// gradients were nil.
	Steps []int64
	// Tensors are the running values, named by torch.optim's name and the parameter:
	// exp_avg.convs.0.lin.weight.
	Tensors []*tensor.Param
}

// Config describes an optimiser by name, for callers that read it from a configuration. The zero
// value is Adam with PyTorch's defaults.
type Config struct {
	Name        string     `json:"name"`         // adam (the default), adamw, sgd or rmsprop
	WeightDecay float64    `json:"weight_decay"` // added to the gradient as an L2 term; decoupled for adamw
	Betas       [2]float64 `json:"betas"`        // adam, adamw; zeros mean 0.9 and 0.999
	Eps         float64    `json:"eps"`          // adam, adamw, rmsprop; zero means 1e-8
	Momentum    float64    `json:"momentum"`     // sgd
	Nesterov    bool       `json:"nesterov"`     // sgd
	Alpha       float64    `json:"alpha"`        // rmsprop; zero means 0.99
}

// Names lists the optimisers of New.
func Names() []string { return []string{"adam", "adamw", "sgd", "rmsprop"} }

// Validate returns an error that names the field for an unknown name, a value out of range, or a
// setting that the method does not have.
func (c Config) Validate() error {
	_, err := New(c, nil)
	return err
}

// New returns the optimiser that c describes, over params.
func New(c Config, params []*tensor.Param) (Optimizer, error) {
	// Settings that the method does not have must be zero: a momentum for Adam is an error and is
	// not ignored.
	rest := c
	rest.Name, rest.WeightDecay = "", 0
	var o Optimizer
	var err error
	switch c.Name {
	case "adam", "", "adamw":
		rest.Betas, rest.Eps = [2]float64{}, 0
		ac := AdamConfig{Betas: c.Betas, Eps: c.Eps, WeightDecay: c.WeightDecay}
		if c.Name == "adamw" {
			o, err = NewAdamW(params, ac)
		} else {
			o, err = NewAdam(params, ac)
		}
	case "sgd":
		rest.Momentum, rest.Nesterov = 0, false
		o, err = NewSGD(params, SGDConfig{Momentum: c.Momentum, Nesterov: c.Nesterov, WeightDecay: c.WeightDecay})
	case "rmsprop":
		rest.Alpha, rest.Eps = 0, 0
		o, err = NewRMSprop(params, RMSpropConfig{Alpha: c.Alpha, Eps: c.Eps, WeightDecay: c.WeightDecay})
	default:
		return nil, fmt.Errorf("optim: optimiser %q, expected %s", c.Name, strings.Join(Names(), ", "))
	}
	if err != nil {
		return nil, err
	}
	if set := rest.fields(); len(set) > 0 {
		return nil, fmt.Errorf("optim: %s has no %s", o.State().Optimizer, strings.Join(set, ", "))
	}
	return o, nil
}

// fields names the settings that are not zero.
func (c Config) fields() []string {
	var out []string
	for _, f := range []struct {
		name string
		set  bool
	}{
		{"Betas", c.Betas != [2]float64{}},
		{"Eps", c.Eps != 0},
		{"Momentum", c.Momentum != 0},
		{"Nesterov", c.Nesterov},
		{"Alpha", c.Alpha != 0},
	} {
		if f.set {
			out = append(out, f.name)
		}
	}
	return out
}

// below returns an error unless 0 <= v < most.
func below(method, field string, v, most float64) error {
	switch {
	case v >= 0 && v < most:
		return nil
	case math.IsInf(most, 1):
		return fmt.Errorf("optim: %s: %s is %v, expected at least 0", method, field, v)
	}
	return fmt.Errorf("optim: %s: %s is %v, expected at least 0 and below %v", method, field, v, most)
}

// trainable returns the parameters that have gradients.
func trainable(params []*tensor.Param) []*tensor.Param {
	return slices.DeleteFunc(slices.Clone(params), func(p *tensor.Param) bool { return p.Buffer })
}

// zerosLike returns running values of 0, one per parameter, named word.parameter.
func zerosLike(params []*tensor.Param, word string) []*tensor.Param {
	out := make([]*tensor.Param, len(params))
	for i, p := range params {
		out[i] = &tensor.Param{Name: word + "." + p.Name, Value: tensor.New(p.Value.Shape()...)}
	}
	return out
}

// checkGrads panics if grads do not fit params. It must not allocate.
func checkGrads(op string, params []*tensor.Param, grads []*tensor.Tensor) {
	if len(grads) != len(params) {
		panic(&tensor.ShapeError{Op: op, Shapes: [][]int{{len(grads)}},
			Want: fmt.Sprintf("%d gradients, one for each parameter", len(params))})
	}
	for i, g := range grads {
		if g != nil && !sameShape(g, params[i].Value) {
			panic(&tensor.ShapeError{Op: op, Shapes: [][]int{g.Shape(), params[i].Value.Shape()},
				Want: "the gradient in the shape of parameter " + params[i].Name})
		}
	}
}

func sameShape(a, b *tensor.Tensor) bool {
	if a.Rank() != b.Rank() {
		return false
	}
	for i := range a.Rank() {
		if a.Dim(i) != b.Dim(i) {
			return false
		}
	}
	return true
}

// load copies the tensors of s over own, by name, after checking that s is a state of the method
// with exactly these tensors and counts.
func load(method string, s State, counts int, own ...[]*tensor.Param) error {
	if s.Optimizer != method {
		return fmt.Errorf("optim: state of optimiser %q, expected %q", s.Optimizer, method)
	}
	if len(s.Steps) != counts {
		return fmt.Errorf("optim: %s: state has %d counts of steps, expected %d", method, len(s.Steps), counts)
	}
	for i, n := range s.Steps {
		if n < 0 {
			return fmt.Errorf("optim: %s: count of steps %d is %d, expected 0 or more", method, i, n)
		}
	}
	all := slices.Concat(own...)
	if len(s.Tensors) != len(all) {
		return fmt.Errorf("optim: %s: state has %d tensors, expected %d", method, len(s.Tensors), len(all))
	}
	byName := make(map[string]*tensor.Param, len(s.Tensors))
	for _, p := range s.Tensors {
		byName[p.Name] = p
	}
	for _, p := range all {
		from, ok := byName[p.Name]
		switch {
		case !ok:
			return fmt.Errorf("optim: %s: state has no tensor %q", method, p.Name)
		case !sameShape(from.Value, p.Value):
			return fmt.Errorf("optim: %s: tensor %q has shape %v in the state, expected %v",
				method, p.Name, from.Value.Shape(), p.Value.Shape())
		}
	}
	for _, p := range all {
		copy(p.Value.Data(), byName[p.Name].Value.Data())
	}
	return nil
}
