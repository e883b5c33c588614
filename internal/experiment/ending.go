package experiment

import (
	"errors"

	"github.com/ehgnn/ehgnn/train"
)

// ending is how a training of a series came to its weights.
type ending struct {
	BestEpoch int     `json:"best_epoch"`
	Trained   int     `json:"trained_epochs"`
	Seconds   float64 `json:"seconds"`
	// Diverged says that a number was not finite after these epochs. The weights are those of the
	// best epoch before.
	Diverged bool `json:"diverged,omitempty"`
}

// endingOf takes what train.Fit returns. A training that diverges after a best epoch counts with
// that epoch, so that it does not end the others.
func endingOf(fit *train.Result, err error) (ending, error) {
	var diverged *train.DivergedError
	if err != nil && !(errors.As(err, &diverged) && fit.BestEpoch > 0) {
		return ending{}, err
	}
	return ending{BestEpoch: fit.BestEpoch, Trained: len(fit.History), Seconds: fit.Seconds, Diverged: err != nil}, nil
}

func (e ending) diverged() bool { return e.Diverged }
