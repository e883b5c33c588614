package sweep

import (
	"github.com/ehgnn/ehgnn/internal/lists"
	"github.com/ehgnn/ehgnn/internal/rng"
	"github.com/ehgnn/ehgnn/internal/settings"
)

// Names of samplers.
const (
	SamplerTPE    = "tpe"
	SamplerRandom = "random"
)

// Samplers lists the names of samplers, default first.
func Samplers() []string { return []string{SamplerTPE, SamplerRandom} }

// observation is a scored trial in the form that samplers read.
type observation struct {
	at    []float64 // its point
	score float64   // larger is better
	ended bool      // trained to the end
	epoch int       // epoch of the score
}

// draw draws the settings of a trial. past has the scored trials, by number.
func (s Space) draw(sampler string, seed uint64, trial int, past []observation) settings.Values {
	r := rng.Stream(seed, "sweep", trial)
	var best, others []observation
	if sampler == SamplerTPE && len(past) >= startup {
		best, others = divide(past)
	}
	out := settings.Values{}
	for i, d := range s {
		if others == nil {
			low, high := d.bounds()
			out[d.Option] = d.value(low + (high-low)*r.Float64())
		} else {
			out[d.Option] = tpe(r, newParzen(d, i, best), newParzen(d, i, others))
		}
	}
	return out
}

// point returns the coordinates of settings.
func (s Space) point(of settings.Values) []float64 {
	return lists.Map(s, func(d Dimension) float64 { return d.coordinate(of[d.Option]) })
}
