package model

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/ehgnn/ehgnn/nn"
	"github.com/ehgnn/ehgnn/nn/pool"
)

// Groups of settings that configs embed, and checks of single settings. If the width of edges or
// the number of heads is zero, the model chooses.

// Stack are the settings of a stack of layers.
type Stack struct {
	Hidden  int     `json:"hidden"` // width of every layer
	Layers  int     `json:"layers"`
	Dropout float64 `json:"dropout"`
}

// Validate checks all fields.
func (s Stack) Validate() error {
	return firstError(atLeast("hidden", s.Hidden, 1), atLeast("layers", s.Layers, 1), checkDropout(s.Dropout))
}

// in is the width of the input features of layer l.
func (s Stack) in(l, first int) int {
	if l == 0 {
		return first
	}
	return s.Hidden
}

// NodeConv chooses the convolution over nodes.
type NodeConv struct {
	// Conv is a name of nn.Convs. Empty means gcn.
	Conv string `json:"conv,omitempty"`
	// Heads is the number of attention heads, which must divide the width. 0 means the
	// convolution's default.
	Heads int `json:"heads,omitempty"`
}

// Validate checks the name and that the number of heads is not negative.
func (c NodeConv) Validate() error {
	return firstError(atLeast("heads", c.Heads, 0), checkConv(c.Conv))
}

// attends reports whether the convolution has heads.
func (c NodeConv) attends() bool { return hasHeads(c.Conv) }

// convolution is the name of the convolution over nodes, gcn by default.
func (c NodeConv) convolution() string { return cmp.Or(c.Conv, "gcn") }

// EdgeLayers are the settings of layers that learn vectors of edges.
type EdgeLayers struct {
	// EdgeHidden is the width of edge vectors. 0 means hidden.
	EdgeHidden int `json:"edge_hidden"`
	// EdgeConv names the convolution over edges: one of nn.Convs that is defined on the dual
	// hypergraph, or nn.LinePrefix and any of nn.Convs, on the line graph. Empty means hyper.
	EdgeConv string `json:"edge_conv,omitempty"`
	// EdgeInit is the input of the edge layers: EdgesGiven (the default) or EdgesFromEnds.
	EdgeInit string `json:"edge_init,omitempty"`
}

// Validate checks all fields.
func (e EdgeLayers) Validate() error {
	return firstError(atLeast("edge_hidden", e.EdgeHidden, 0), checkEdgeConv(e.EdgeConv), checkEdgeInit(e.EdgeInit))
}

// attends reports whether the convolution over edges has heads.
func (e EdgeLayers) attends() bool { return hasHeads(strings.TrimPrefix(e.EdgeConv, nn.LinePrefix)) }

// widthOr is the width of edges, or that of nodes if it is 0.
func widthOr(edge, hidden int) int { return cmp.Or(edge, hidden) }

// hasHeads reports whether the convolution with that name has attention heads.
func hasHeads(conv string) bool {
	spec, err := nn.FindConv(conv)
	return err == nil && spec.Attention
}

// readsTypes reports whether the convolution with that name reads edge features as types.
func readsTypes(conv string) bool {
	spec, err := nn.FindConv(conv)
	return err == nil && spec.Types
}

// firstError returns the first error that is not nil.
func firstError(errs ...error) error { return cmp.Or(errs...) }

// inModel adds the name of a model to an error. err may be nil.
func inModel(name string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("model: %s: %w", name, err)
}

// check checks widths and settings for a model's constructor.
func check(name string, d Dims, c interface{ Validate() error }) error {
	return inModel(name, firstError(c.Validate(), d.validate()))
}

func atLeast(what string, v, least int) error {
	if v < least {
		return fmt.Errorf("%s is %d, expected at least %d", what, v, least)
	}
	return nil
}

func checkDropout(v float64) error {
	if !(v >= 0 && v < 1) { // also for NaN
		return fmt.Errorf("dropout is %v, expected 0 or more and below 1", v)
	}
	return nil
}

func checkRatio(ratio float64) error {
	if err := (pool.Keep{Fraction: ratio}).Validate(); err != nil {
		return fmt.Errorf("ratio: %w", err)
	}
	return nil
}

// checkScale checks a factor of initial weights. 0 means that it is not given.
func checkScale(what string, v float64) error {
	if !(v >= 0 && v < math.Inf(1)) { // also for NaN
		return fmt.Errorf("%s is %v, expected a number above 0", what, v)
	}
	return nil
}

// checkClusters checks the settings of an autoencoder that pools to k clusters.
func checkClusters(what string, k int, s Stack, heads int, seedScale float64) error {
	return firstError(s.Validate(), atLeast(what, k, 1), atLeast("heads", heads, 0), checkDivides("hidden", s.Hidden, heads), checkScale("seed_scale", seedScale))
}

// checkDivides returns an error if given heads do not divide a width.
func checkDivides(what string, width, heads int) error {
	if heads > 0 && width%heads != 0 {
		return fmt.Errorf("%s is %d, expected a multiple of the %d heads", what, width, heads)
	}
	return nil
}

// checkConv checks the name of a convolution, which may be empty.
func checkConv(name string) error {
	if name == "" {
		return nil
	}
	_, err := nn.FindConv(name)
	return err
}

// checkEdgeConv checks the name of a convolution over edges. After nn.LinePrefix any convolution
// works; otherwise it must work on the dual hypergraph.
func checkEdgeConv(name string) error {
	if name == "" {
		return nil
	}
	base, line := strings.CutPrefix(name, nn.LinePrefix)
	spec, err := nn.FindConv(base)
	if err == nil && !line && !spec.Dual {
		err = fmt.Errorf("convolution %s is not defined on the dual hypergraph, whose hyperedges join any number of edges; use %s%s, or one of: %s",
			name, nn.LinePrefix, name, strings.Join(convsWhere(func(s nn.ConvSpec) bool { return s.Dual }), ", "))
	}
	return err
}

// checkOneOf checks a setting that has a few values or is empty.
func checkOneOf(what, value string, values ...string) error {
	if value == "" || slices.Contains(values, value) {
		return nil
	}
	last := len(values) - 1
	return fmt.Errorf("%s is %q, expected %s or %s", what, value, strings.Join(values[:last], ", "), values[last])
}
