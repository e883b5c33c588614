package run

import (
	"context"
	"math"

	"github.com/ehgnn/ehgnn/internal/links"
	"github.com/ehgnn/ehgnn/metric"
)

// probability converts scores to probabilities.
type probability struct{ slope, intercept float64 }

// of returns the probability for a score.
func (p *probability) of(score float64) float64 {
	return 1 / (1 + math.Exp(-float64(p.slope*score)-p.intercept))
}

// CheckPrior returns an error if the share cannot give a probability.
func CheckPrior(prior float64) error {
	if !(prior > 0 && prior < 1) {
		return misuse("--prior is %g, expected the share of the candidates that are links, above 0 and below 1", prior)
	}
	return nil
}

// calibrate fits probabilities on the validation part, its positives against its uniform negatives.
// It then changes their odds to fit the given share of links among the candidates.
func (t *training) calibrate(ctx context.Context, m fitted, prior float64) (*probability, error) {
	if err := CheckPrior(prior); err != nil {
		return nil, err
	}
	s := t.setting(links.Valid)
	if len(s.Positives) == 0 || len(s.Negatives) == 0 {
		return nil, misuse("--prior needs pairs of the validation part to calibrate on, and there are %d and %d negatives", len(s.Positives), len(s.Negatives))
	}
	sc, err := m.On(t.columns(links.Valid), t.s.Chosen, t.threads)
	if err != nil {
		return nil, err
	}
	positives, negatives, err := s.Shared(ctx, sc)
	if err != nil {
		return nil, err
	}
	slope, intercept, err := metric.Platt(positives[0], negatives[0])
	if err != nil {
		return nil, err
	}
	if !(slope > 0) {
		return nil, misuse("--prior: the scores of links of the validation part are not above those of other pairs, so that no probability can be made of them")
	}
	n, of := float64(len(s.Positives)), float64(len(s.Negatives))
	t.tell("probabilities are calibrated on %.0f pairs of the validation part and %.0f uniform negatives, then moved to a share of links of %g", n, of, prior)
	return &probability{slope, intercept + math.Log(prior/(1-prior)) - math.Log(n/of)}, nil
}
