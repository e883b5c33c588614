package tabular

import (
	"cmp"
	"fmt"
	"math"
	"slices"
)

// Loss names what the network minimises.
type Loss string

// The losses. Train standardises targets that are numbers.
const (
	CrossEntropy Loss = "cross-entropy" // of Classes classes
	Absolute     Loss = "absolute"      // |p-y|
	Huber        Loss = "huber"         // (p-y)² below 0.5, |p-y|-0.25 above, of standardised numbers
	Squared      Loss = "squared"       // (p-y)²
	Quantile     Loss = "quantile"      // pinball loss of Quantiles, averaged
)

// Limits of sizes, so that sizes of arrays fit an int of 32 bits.
const (
	mostMembers = 1 << 8
	mostUnits   = 1 << 12
	mostOutputs = 1 << 16
)

// Config holds the settings of a training. Each comment ends with the default, which replaces a
// zero.
type Config struct {
	Loss      Loss
	Classes   int       // for CrossEntropy, at least 2
	Quantiles []float64 // for Quantile, in (0,1)
	Members   int       // networks that share layers; 1
	Units     int       // width of each hidden layer; 192
	Dropout   float64   // after each hidden layer, none if negative; 0.1
	Plain     []bool    // columns without a piecewise-linear encoding, static ones first; none
	Seed      uint64
	Threads   int // all processors
	MaxSteps  int // optimiser steps; no bound
	MaxEpochs int // 400
	Patience  int // epochs in which the best validation loss does not improve by 1e-4; 12
	Hops      int // message passing steps, if Data has neighbours; 2
	// OnEpoch is called after each epoch. It must not keep the model.
	OnEpoch func(Epoch)
}

// Epoch reports on one epoch.
type Epoch struct {
	Epoch int     // from 1
	Steps int     // optimiser steps so far
	Draw  int     // index of the draw of label columns
	Train float64 // mean loss of its batches
	Valid float64 // validation loss of the averaged members
	Best  bool    // this validation loss is the lowest so far
}

// Constants of the training.
const (
	learningRate = 2e-3
	weightDecay  = 3e-4
	gradientNorm = 1
	batchesEpoch = 32 // batch = rows/32 within the bounds below
	leastBatch   = 64
	mostBatch    = 512
	leastGain    = 1e-4
	huberBeta    = 0.5

	// With message passing, the learning rate falls after epochs without improvement.
	slowAfter = 6
	slower    = 0.3
)

// withDefaults replaces zeros by defaults.
func (c Config) withDefaults() Config {
	set := func(v *int, d int) {
		*v = cmp.Or(*v, d)
	}
	set(&c.Members, 1)
	set(&c.Units, 192)
	set(&c.MaxEpochs, 400)
	set(&c.Patience, 12)
	set(&c.Hops, 2)
	set(&c.MaxSteps, math.MaxInt)
	c.Dropout = cmp.Or(c.Dropout, 0.1)
	c.Dropout = max(c.Dropout, 0)
	return c
}

// validate checks a configuration that has defaults filled in.
func (c Config) validate() error {
	if err := c.shape().validate(); err != nil {
		return err
	}
	switch {
	case !(c.Dropout < 1):
		return fmt.Errorf("tabular: dropout %v, expected less than 1", c.Dropout)
	case c.Hops < 1 || c.Hops > mostHops:
		return fmt.Errorf("tabular: %d hops, expected 1 to %d", c.Hops, mostHops)
	case c.MaxSteps < 0 || c.MaxEpochs < 0 || c.Patience < 0:
		return fmt.Errorf("tabular: %d steps, %d epochs and patience %d at most, expected 0 or more", c.MaxSteps, c.MaxEpochs, c.Patience)
	}
	return nil
}

// shape returns the settings that determine the network.
func (c Config) shape() Spec {
	return Spec{Loss: c.Loss, Classes: c.Classes, Quantiles: c.Quantiles, Members: c.Members, Units: c.Units}
}

// Spec describes a trained model without its arrays. Its JSON form is small.
type Spec struct {
	Loss      Loss      `json:"loss"`
	Classes   int       `json:"classes,omitempty"`
	Quantiles []float64 `json:"quantiles,omitempty"`
	Members   int       `json:"members"`
	Units     int       `json:"units"`
	Mean      float64   `json:"mean"`      // of the training targets, if they are numbers
	Deviation float64   `json:"deviation"` // 1 for classes
	Inputs    Inputs    `json:"inputs"`
	// Messages describes the message passing part; nil without it.
	Messages *MessageSpec `json:"messages,omitempty"`
}

// numbers reports whether the targets are numbers.
func (s *Spec) numbers() bool { return s.Loss != CrossEntropy }

// logits is the number of outputs of the last layer; two classes have one.
func (s *Spec) logits() int {
	switch {
	case s.Loss == Quantile:
		return len(s.Quantiles)
	case s.Loss == CrossEntropy && s.Classes > 2:
		return s.Classes
	}
	return 1
}

// Outputs is the number of outputs that Predict writes for a row: one for each class
// or quantile, else 1.
func (s *Spec) Outputs() int {
	if s.Loss == CrossEntropy {
		return s.Classes
	}
	return s.logits()
}

// validate checks everything but the inputs.
func (s Spec) validate() error {
	losses := []Loss{CrossEntropy, Absolute, Huber, Squared, Quantile}
	switch {
	case !slices.Contains(losses, s.Loss):
		return fmt.Errorf("tabular: loss %q, expected one of %q", s.Loss, losses)
	case s.Loss == CrossEntropy && (s.Classes < 2 || s.Classes > mostOutputs):
		return fmt.Errorf("tabular: %d classes, expected 2 to %d", s.Classes, mostOutputs)
	case s.Loss == Quantile && (len(s.Quantiles) == 0 || len(s.Quantiles) > mostOutputs):
		return fmt.Errorf("tabular: %d quantiles, expected 1 to %d", len(s.Quantiles), mostOutputs)
	case s.Members < 1 || s.Members > mostMembers:
		return fmt.Errorf("tabular: %d members, expected 1 to %d", s.Members, mostMembers)
	case s.Units < 1 || s.Units > mostUnits:
		return fmt.Errorf("tabular: %d hidden units, expected 1 to %d", s.Units, mostUnits)
	}
	for _, q := range s.Quantiles {
		if !(q > 0 && q < 1) {
			return fmt.Errorf("tabular: quantile %v, expected a number between 0 and 1", q)
		}
	}
	return nil
}
