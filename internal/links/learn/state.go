package learn

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/ehgnn/ehgnn/optim"
	"github.com/ehgnn/ehgnn/tensor"
)

// Epoch has the numbers that a training reports after each epoch.
type Epoch struct {
	Epoch int     `json:"epoch"`
	Loss  float64 `json:"loss"`
	// Valid is the score on the validation part, or NaN if it was not computed.
	Valid float64 `json:"-"`
}

// State is the state of a training by epochs apart from its model: the optimiser and the best
// weights so far.
type State struct {
	Opt  *optim.Adam
	Done int // number of epochs
	Best float64
	// BestEpoch is the epoch of the weights in Kept, or 0 if there are none.
	BestEpoch int
	Kept      [][]float32
}

func newState(params []*tensor.Param) (State, error) {
	opt, err := optim.NewAdamW(params, optim.AdamConfig{})
	return State{Opt: opt, Best: math.Inf(-1)}, err
}

// Of returns the state itself. With this method State can be read from the training of any model.
func (s *State) Of() *State { return s }

// maxSteps is the largest number of steps in an epoch.
const maxSteps = 200

// run trains one epoch on n examples in random order, size examples at a time, with at most
// maxSteps steps and the given learning rate. step updates the weights with some examples and
// returns their loss.
func (s *State) run(ctx context.Context, name string, r *rand.Rand, n, size int, rate float64, step func(of []int) (float32, error)) (Epoch, error) {
	order := r.Perm(n)
	sum, steps := 0.0, 0
	for lo := 0; lo < n && steps < maxSteps; lo += size {
		if err := ctx.Err(); err != nil {
			return Epoch{}, err
		}
		l, err := step(order[lo:min(lo+size, n)])
		if err != nil {
			return Epoch{}, err
		}
		sum += float64(l)
		steps++
	}
	s.Done++
	e := Epoch{Epoch: s.Done, Loss: sum / float64(steps), Valid: math.NaN()}
	if math.IsNaN(e.Loss) || math.IsInf(e.Loss, 0) {
		return e, fmt.Errorf("%s: the loss is %v in epoch %d; a smaller --lr than %g helps", name, e.Loss, s.Done, rate)
	}
	return e, nil
}

// Keep stores the weights if the score is the best so far.
func (s *State) Keep(valid float64) {
	if s.BestEpoch > 0 && !(valid > s.Best) {
		return
	}
	s.Best, s.BestEpoch, s.Kept = valid, s.Done, nil
	for _, p := range s.Opt.Params() {
		s.Kept = append(s.Kept, slices.Clone(p.Value.Data()))
	}
}

// Restore copies the stored weights into the model.
func (s *State) Restore() {
	for i, p := range s.Opt.Params() {
		copy(p.Value.Data(), s.Kept[i])
	}
}
