package train

import (
	"fmt"
	"math"
)

// bestState is the state of early stopping.
type bestState struct {
	BestEpoch int     `json:"best_epoch"` // 0 before the first best epoch
	Best      float64 `json:"best"`       // valid if BestEpoch > 0
	Counter   int     `json:"counter"`    // epochs in a row that were not better
}

// see updates the state with the value of an epoch. It reports whether this is the best so far.
func (s *bestState) see(epoch int, value float64, m Monitor) (improved bool) {
	better := value < s.Best
	if m.Maximize {
		better = value > s.Best
	}
	switch {
	case math.IsNaN(value):
		s.Counter++
	case better || s.BestEpoch == 0:
		s.BestEpoch, s.Best, s.Counter = epoch, value, 0
		return true
	case m.TiesReset && value == s.Best:
		s.Counter = 0
	default:
		s.Counter++
	}
	return false
}

// watched returns the value of an epoch that the monitor compares.
func (m Monitor) watched(e EpochInfo, validated bool) (float64, error) {
	if !validated {
		if m.metric() != lossScore {
			return 0, fmt.Errorf("train: Config.Monitor.Metric is %q, expected %q when there are no validation graphs", m.metric(), lossScore)
		}
		return e.TrainLoss, nil
	}
	v, ok := e.Valid.Get(m.metric())
	if !ok {
		return 0, fmt.Errorf("train: Config.Monitor.Metric is %q, expected one of the scores: %s", m.metric(), e.Valid.names())
	}
	return v, nil
}
