package learn

import (
	"math"
	"slices"

	"github.com/ehgnn/ehgnn/optim"
	"github.com/ehgnn/ehgnn/tensor"
)

// Epoch is what a training reports after each epoch.
type Epoch struct {
	Epoch int     `json:"epoch"`
	Loss  float64 `json:"loss"`
	// Valid is the score on the validation part; NaN where it was not measured.
	Valid float64 `json:"-"`
}

// State is what a training of epochs holds beside its model: the optimiser and the best weights so far.
type State struct {
	Opt  *optim.Adam
	Done int // epochs
	Best float64
	// BestEpoch is the epoch whose weights are in Kept, 0 for none.
	BestEpoch int
	Kept      [][]float32
}

func newState(params []*tensor.Param) (State, error) {
	opt, err := optim.NewAdamW(params, optim.AdamConfig{})
	return State{Opt: opt, Best: math.Inf(-1)}, err
}

// Of is the state itself, for those who hold a training of any model.
func (s *State) Of() *State { return s }

// Keep keeps the weights if a score is the best so far.
func (s *State) Keep(valid float64) {
	if s.BestEpoch > 0 && !(valid > s.Best) {
		return
	}
	s.Best, s.BestEpoch, s.Kept = valid, s.Done, nil
	for _, p := range s.Opt.Params() {
		s.Kept = append(s.Kept, slices.Clone(p.Value.Data()))
	}
}

// Restore puts the kept weights into the model.
func (s *State) Restore() {
	for i, p := range s.Opt.Params() {
		copy(p.Value.Data(), s.Kept[i])
	}
}
