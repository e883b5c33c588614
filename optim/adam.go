package optim

import (
	"cmp"
	"math"
	"slices"

	"github.com/ehgnn/ehgnn/internal/kernel"
	"github.com/ehgnn/ehgnn/tensor"
)

// AdamConfig holds the settings of Adam and AdamW. Zero values mean PyTorch's defaults, except for
// the weight decay of AdamW, which is then 0.
type AdamConfig struct {
	Betas       [2]float64 // decay rates of the two moments in [0,1); both zero mean 0.9 and 0.999
	Eps         float64    // added to the root of the second moment; zero means 1e-8
	WeightDecay float64
}

// Adam is, for step t of a parameter w with gradient g,
//
//	g ← g + λ·w                       (Adam)
//	w ← w·(1 - η·λ)                   (AdamW, instead)
//	m ← β₁·m + (1-β₁)·g
//	v ← β₂·v + (1-β₂)·g²
//	w ← w - η·(m/(1-β₁ᵗ)) / (√(v/(1-β₂ᵗ)) + ε)
//
// with learning rate η and weight decay λ. Each parameter has its own t, which counts the steps
// with a gradient for it. Kingma and Ba 2015, algorithm 1; Loshchilov and Hutter 2019, algorithm 2.
type Adam struct {
	name   string
	config AdamConfig
	params []*tensor.Param
	m, v   []*tensor.Param
	steps  []int64
}

// NewAdam returns Adam over params with weight decay as an L2 term of the gradient, as in the
// paper's experiments.
func NewAdam(params []*tensor.Param, c AdamConfig) (*Adam, error) {
	return newAdam("adam", params, c)
}

// NewAdamW returns Adam with decoupled weight decay.
func NewAdamW(params []*tensor.Param, c AdamConfig) (*Adam, error) {
	return newAdam("adamw", params, c)
}

func newAdam(name string, params []*tensor.Param, c AdamConfig) (*Adam, error) {
	if c.Betas == [2]float64{} {
		c.Betas = [2]float64{0.9, 0.999}
	}
	if c.Eps == 0 {
		c.Eps = 1e-8
	}
	if err := cmp.Or(
		below(name, "Betas[0]", c.Betas[0], 1),
		below(name, "Betas[1]", c.Betas[1], 1),
		below(name, "Eps", c.Eps, math.Inf(1)),
		below(name, "WeightDecay", c.WeightDecay, math.Inf(1)),
	); err != nil {
		return nil, err
	}
	params = trainable(params)
	return &Adam{name: name, config: c, params: params, steps: make([]int64, len(params)),
		m: zerosLike(params, "exp_avg"), v: zerosLike(params, "exp_avg_sq")}, nil
}

// Params lists the parameters that Step changes.
func (a *Adam) Params() []*tensor.Param { return a.params }

// Step makes one update.
func (a *Adam) Step(lr float64, grads []*tensor.Tensor) {
	checkGrads("Adam", a.params, grads)
	s := kernel.AdamStep{
		LR:          float32(lr),
		Beta1:       float32(a.config.Betas[0]),
		Beta2:       float32(a.config.Betas[1]),
		Eps:         float32(a.config.Eps),
		WeightDecay: float32(a.config.WeightDecay),
		Decoupled:   a.name == "adamw",
	}
	// The corrections use the rounded rates, like the moments that they correct: the relative
	// difference between 1-0.999 and 1-float32(0.999) is 5e-5.
	beta1, beta2 := float64(s.Beta1), float64(s.Beta2)
	for i, p := range a.params {
		g := grads[i]
		if g == nil {
			continue
		}
		a.steps[i]++
		t := float64(a.steps[i])
		s.Bias1 = float32(1 - math.Pow(beta1, t))
		s.Bias2 = float32(1 - math.Pow(beta2, t))
		kernel.Adam(p.Value.Data(), g.Data(), a.m[i].Value.Data(), a.v[i].Value.Data(), s)
	}
}

// State returns the moments and the counts of steps.
func (a *Adam) State() State {
	return State{Optimizer: a.name, Steps: slices.Clone(a.steps), Tensors: slices.Concat(a.m, a.v)}
}

// LoadState restores a state.
func (a *Adam) LoadState(s State) error {
	if err := load(a.name, s, len(a.steps), a.m, a.v); err != nil {
		return err
	}
	copy(a.steps, s.Steps)
	return nil
}
