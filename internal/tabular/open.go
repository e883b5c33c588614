package tabular

import (
	"fmt"
	"slices"

	"github.com/ehgnn/ehgnn/nn"
	"github.com/ehgnn/ehgnn/tensor"
)

// Open returns the model with a description and arrays. Both may come from a file and are checked.
// The model does not copy the arrays, so they must not change afterwards.
func Open(s Spec, arrays []*tensor.Param) (*Model, error) {
	if err := s.validate(); err != nil {
		return nil, err
	}
	if !finite(float32(s.Mean)) || !inverts(float32(s.Deviation)) {
		return nil, fmt.Errorf("tabular: mean %v and deviation %v of the targets, expected finite numbers, the latter above 0", s.Mean, s.Deviation)
	}
	if err := s.Inputs.validate(); err != nil {
		return nil, err
	}
	if m := s.Messages; m != nil {
		if err := m.validate(); err != nil {
			return nil, err
		}
	}
	outline := nn.Outline{Most: 64}
	net := newNetwork(outline.Init(0), &s)
	params := net.Params()
	if len(arrays) != len(params) {
		return nil, fmt.Errorf("tabular: %d arrays, expected %d", len(arrays), len(params))
	}
	for _, p := range params {
		at := slices.IndexFunc(arrays, func(a *tensor.Param) bool { return a.Name == p.Name })
		if at < 0 {
			return nil, fmt.Errorf("tabular: there is no array %s", p.Name)
		}
		a := arrays[at].Value
		if want := p.Value.Shape(); !slices.Equal(a.Shape(), want) {
			return nil, fmt.Errorf("tabular: array %s has the shape %v, expected %v", p.Name, a.Shape(), want)
		}
		if i := slices.IndexFunc(a.Data(), func(v float32) bool { return !finite(v) }); i >= 0 {
			return nil, fmt.Errorf("tabular: element %d of array %s is %v, expected a finite number", i, p.Name, a.Data()[i])
		}
		p.Value = a
	}
	net.fix()
	return newModel(s, net), nil
}

// validate checks a description that may come from a file.
func (s *MessageSpec) validate() error {
	switch {
	case s.Hops < 1 || s.Hops > mostHops || s.Lists < 1 || s.Lists > mostLists:
		return fmt.Errorf("tabular: %d hops over %d lists of neighbours, expected 1 to %d and 1 to %d", s.Hops, s.Lists, mostHops, mostLists)
	case s.State.Labels != 0:
		return fmt.Errorf("tabular: states of neighbours have %d label columns, expected none", s.State.Labels)
	case s.Labels && (!finite(float32(s.Mean)) || !inverts(float32(s.Deviation))):
		return fmt.Errorf("tabular: mean %v and deviation %v of the labels of neighbours, expected finite numbers, the latter above 0", s.Mean, s.Deviation)
	}
	return s.State.validate()
}

// mostColumns is how many columns a row may have.
const mostColumns = 1 << 24

// validate checks inputs that may come from a file.
func (in *Inputs) validate() error {
	if in.Static < 0 || in.Labels < 0 || in.Static > mostColumns || in.Labels > mostColumns {
		return fmt.Errorf("tabular: %d static and %d label columns, expected 0 to %d", in.Static, in.Labels, mostColumns)
	}
	last := -1
	for _, c := range in.Columns {
		if c.Column <= last || c.Column >= in.Static+in.Labels {
			return fmt.Errorf("tabular: inputs of column %d after those of column %d of %d", c.Column, last, in.Static+in.Labels)
		}
		last = c.Column
		if what := c.fault(); what != "" {
			return fmt.Errorf("tabular: inputs of column %d: %s", c.Column, what)
		}
	}
	return nil
}

// fault describes the error in a column, or is empty.
func (c *Column) fault() string {
	switch {
	case !finite(c.Mean) || !finite(c.Fill) || !finite(c.Shift):
		return "a mean, a fill or a shift is not finite"
	case !inverts(c.Deviation):
		return fmt.Sprintf("deviation %v, expected a finite number above 0", c.Deviation)
	case c.Log && !inverts(c.Scale):
		return fmt.Sprintf("scale %v, expected a finite number above 0", c.Scale)
	case !(c.Missing >= 0 && c.Missing < 1):
		return fmt.Sprintf("share %v of missing values, expected 0 or more and less than 1", c.Missing)
	case len(c.Edges) != 0 && (len(c.Edges) < 3 || len(c.Edges) > bins+1):
		return fmt.Sprintf("%d edges, expected none or 3 to %d", len(c.Edges), bins+1)
	}
	for i := 1; i < len(c.Edges); i++ {
		if !isBin(c.Edges[i-1], c.Edges[i]) {
			return fmt.Sprintf("edge %v after edge %v", c.Edges[i], c.Edges[i-1])
		}
	}
	return ""
}

// inverts reports whether x is positive and has a finite inverse.
func inverts(x float32) bool { return x > 0 && finite(x) && finite(1/x) }
