package model

import (
	"encoding/json"
	"fmt"
	"slices"

	"github.com/ehgnn/ehgnn/nn"
	"github.com/ehgnn/ehgnn/tensor"
)

// AutoName is the registered name of Auto.
const AutoName = "auto"

// Auto predicts for each edge from columns (EdgeRows) by learners: gradient-boosted trees, a neural network, a
// linear model. Its output is the weighted mean of their predictions. Package internal/auto trains
// the learners and chooses by validation.
type Auto struct {
	Config   AutoConfig
	dims     Dims
	params   []*tensor.Param
	learners []ColumnLearner // once the parameters have values (Ready)
	kept     *KeptLabels
}

// AutoConfig are the settings of Auto, and what its training adds to them.
type AutoConfig struct {
	// Quality is how much work training does: QualityFast, QualityGood or QualityBest.
	Quality string `json:"quality"`
	// Number says that labels are standardised numbers and not classes.
	Number bool `json:"number,omitempty"`
	// Columns are the families of the features of edges, and NodeColumns the number of features of nodes.
	Columns     []FamilySpan `json:"column_families,omitempty"`
	NodeColumns int          `json:"node_columns,omitempty"`
	// LabelClasses are the classes that have columns of known labels, where there are too many for all.
	LabelClasses []int32 `json:"label_classes,omitempty"`
	// Learners are the learners that training kept.
	Learners []Learner `json:"learners,omitempty"`
}

// Values of AutoConfig.Quality.
const (
	QualityFast = "fast"
	QualityGood = "good"
	QualityBest = "best"
)

// Qualities are the values of AutoConfig.Quality.
func Qualities() []string { return []string{QualityFast, QualityGood, QualityBest} }

// Learner is a trained learner of Auto.
type Learner struct {
	Kind string `json:"kind"` // LearnerLinear, LearnerTrees or LearnerNetwork
	// Columns are the columns that it reads, rising.
	Columns ColumnList `json:"columns"`
	// Weight is that of its predictions in the mean. One of weight 0 gives embeddings, or a quantile.
	Weight float64 `json:"weight,omitempty"`
	// Quantile is the quantile of the number that the learner predicts, for intervals; 0 for a member of the mean.
	Quantile float64         `json:"quantile,omitempty"`
	Config   json.RawMessage `json:"config,omitempty"` // what its kind needs beside arrays
	Arrays   []ArrayShape    `json:"arrays"`
}

// ArrayShape is the name and the shape of a tensor of a learner.
type ArrayShape struct {
	Name  string `json:"name"`
	Shape []int  `json:"shape"`
}

// Validate checks all fields.
func (c AutoConfig) Validate() error {
	if !slices.Contains(Qualities(), c.Quality) {
		return fmt.Errorf("quality is %q, expected one of %q", c.Quality, Qualities())
	}
	return checkLearners(c.Learners)
}

// ignores says that a user sets the quality alone; training sets all others.
func (c *AutoConfig) ignores(name string) bool { return name != "quality" }

// layout is what the columns of a model with so many outputs are.
func (c *AutoConfig) layout(out int) EdgeLayout {
	l := EdgeLayout{Spans: c.Columns, Node: c.NodeColumns, Classes: out, Of: c.LabelClasses}
	if c.Number {
		l.Classes = 0
	}
	return l
}

// NewAuto builds the model. Its learners have no values yet.
func NewAuto(in nn.Init, d Dims, c AutoConfig) (*Auto, error) {
	if err := check(AutoName, d, c); err != nil {
		return nil, err
	}
	if err := checkSpans(c.Columns, d.Edge); err != nil {
		return nil, err
	}
	if c.NodeColumns != 0 && c.NodeColumns != d.Node {
		return nil, fmt.Errorf("model: auto: node_columns is %d, expected 0 or node_dim, %d", c.NodeColumns, d.Node)
	}
	return &Auto{Config: c, dims: d, params: learnerParams(in, c.Learners)}, nil
}

// Params lists the arrays of the learners.
func (m *Auto) Params() []*tensor.Param { return m.params }

// Layout describes the columns of the model's edges.
func (m *Auto) Layout() EdgeLayout { return m.Config.layout(m.dims.Out) }

// ReadsColumns reports for each column of EdgeRows whether one of the averaged learners reads it, for the edge itself or for its
// neighbours.
func (m *Auto) ReadsColumns() []bool {
	layout := m.Layout()
	out := make([]bool, layout.Width())
	for _, l := range m.Config.Learners {
		if l.Weight == 0 {
			continue
		}
		for _, c := range l.Columns {
			out[c] = true
		}
		if l.Kind == LearnerDual {
			for _, c := range layout.stateColumns() {
				out[c] = true
			}
		}
	}
	return out
}

// Ready builds the learners from the values of the parameters. Call it once after the parameters are set.
func (m *Auto) Ready() error {
	var err error
	m.learners, err = loadLearners(m.Config.Learners, m.params, m.Layout().Width(), m.dims.Out)
	for k, l := range m.learners {
		if n, ok := l.(*Network); err == nil && ok {
			if err = n.checkStates(m.Layout()); err != nil {
				err = fmt.Errorf("learner %d, %s: %w", k, m.Config.Learners[k].Kind, err)
			}
		}
	}
	if err != nil {
		m.learners = nil
		return fmt.Errorf("model: auto: %w", err)
	}
	return nil
}

// Fill sets the values of the arrays of each learner and makes the learners.
func (m *Auto) Fill(arrays []map[string][]float32) error {
	if err := fillLearners(m.Config.Learners, m.params, arrays); err != nil {
		return fmt.Errorf("model: auto: %w", err)
	}
	return m.Ready()
}
