package settings

import (
	"fmt"

	"github.com/ehgnn/ehgnn/data"
)

// Check returns an error for inconsistent settings. Settings are consistent when a run is written,
// but a file of weights may come from somebody else.
func (s *Settings) Check() error {
	if g := s.Data.Graphs; g != nil {
		if err := checkScale("data.graphs.node_scale", g.NodeScale, g.NodeFields); err != nil {
			return err
		}
		if err := checkScale("data.graphs.edge_scale", g.EdgeScale, g.EdgeFields); err != nil {
			return err
		}
	}
	return s.Target.Check(s.Model.Out, s.Kind.Number)
}

// checkScale returns an error for a scale that is not a scale of the first fields, as far as the
// fields are known.
func checkScale(name string, scale *data.Scale, fields []Field) error {
	if scale == nil {
		return nil
	}
	if len(scale.Mean) != len(scale.Scale) || fields != nil && len(scale.Mean) > len(fields) {
		return fmt.Errorf("%s has %d means and %d deviations of %d columns", name, len(scale.Mean), len(scale.Scale), len(fields))
	}
	return nil
}

// Check returns an error for names, units and weights that do not fit the outputs of a model.
func (t *Target) Check(outputs int, numbers bool) error {
	for _, list := range []struct {
		name string
		n    int
	}{{"classes", len(t.Classes)}, {"names", len(t.Names)}, {"class_weights", len(t.ClassWeights)}} {
		if list.n != 0 && list.n != outputs {
			return fmt.Errorf("target.%s has %d entries, expected %d, one for each output of the model", list.name, list.n, outputs)
		}
	}
	if numbers && len(t.Units) != outputs {
		return fmt.Errorf("target.units has %d entries, expected %d, one for each output of the model", len(t.Units), outputs)
	}
	if t.Temperature < 0 {
		return fmt.Errorf("target.temperature is %v, expected 0 or more", t.Temperature)
	}
	if c := t.Conformal; c != nil {
		bounds, name := c.Least, "least"
		if numbers {
			bounds, name = c.Margin, "margin"
		}
		if len(bounds) != outputs {
			return fmt.Errorf("target.conformal.%s has %d entries, expected %d, one for each output of the model", name, len(bounds), outputs)
		}
	}
	if b := t.Binary; b != nil && (outputs != 2 || b.Positive < 0 || b.Positive > 1) {
		return fmt.Errorf("target.binary.positive is %d of %d classes, expected 0 or 1 of 2", b.Positive, outputs)
	}
	return nil
}
