package experiment

import (
	"errors"

	"github.com/ehgnn/ehgnn/train"
)

// ending says how a training of a series ended.
type ending struct {
	BestEpoch int     `json:"best_epoch"`
	Trained   int     `json:"trained_epochs"`
	Seconds   float64 `json:"seconds"`
	// Diverged says that a number became infinite or NaN after these epochs. The weights are those of
	// the best epoch before.
	Diverged bool `json:"diverged,omitempty"`
}

// endingOf interprets the result of train.Fit. A training that diverges after a best epoch keeps
// that epoch, so that it does not end the others.
func endingOf(fit *train.Result, err error) (ending, error) {
	var diverged *train.DivergedError
	if err != nil && !(errors.As(err, &diverged) && fit.BestEpoch > 0) {
		return ending{}, err
	}
	return ending{BestEpoch: fit.BestEpoch, Trained: len(fit.History), Seconds: fit.Seconds, Diverged: err != nil}, nil
}

func (e ending) diverged() bool { return e.Diverged }
