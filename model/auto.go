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

// Auto predicts for each edge from columns (EdgeRows) with several learners: gradient-boosted
// trees, a neural network, a linear model. Its output is the weighted mean of their predictions.
// Package internal/auto trains the learners and chooses the weights on the validation set.
type Auto struct {
	Config   AutoConfig
	dims     Dims
	params   []*tensor.Param
	learners []ColumnLearner // nil until the parameters have values (Ready)
	kept     *KeptLabels
}

// AutoConfig are the settings of Auto, and the values that its training adds.
type AutoConfig struct {
	// Quality sets the amount of work in training: QualityFast, QualityGood or QualityBest.
	Quality string `json:"quality"`
	// Number says that labels are standardised numbers, not classes.
	Number bool `json:"number,omitempty"`
	// Columns are the column families of the edge features. NodeColumns is the number of node
	// features.
	Columns     []FamilySpan `json:"column_families,omitempty"`
	NodeColumns int          `json:"node_columns,omitempty"`
	// LabelClasses are the classes that have label columns, if there are too many classes for all
	// to have them.
	LabelClasses []int32 `json:"label_classes,omitempty"`
	// Learners are the learners that training has kept.
	Learners []Learner `json:"learners,omitempty"`
}

// Values of AutoConfig.Quality.
const (
	QualityFast = "fast"
	QualityGood = "good"
	QualityBest = "best"
)

// Qualities returns the values of AutoConfig.Quality.
func Qualities() []string { return []string{QualityFast, QualityGood, QualityBest} }

// Learner is a trained learner of Auto.
type Learner struct {
	Kind string `json:"kind"` // LearnerLinear, LearnerTrees or LearnerNetwork
	// Columns are the columns that the learner reads, ascending.
	Columns ColumnList `json:"columns"`
	// Weight is the weight of its predictions in the mean. A learner of weight 0 gives embeddings
	// or a quantile.
	Weight float64 `json:"weight,omitempty"`
	// Quantile is the quantile that the learner predicts, for intervals. 0 means a learner of the
	// mean.
	Quantile float64         `json:"quantile,omitempty"`
	Config   json.RawMessage `json:"config,omitempty"` // what the kind needs besides arrays
	Arrays   []ArrayShape    `json:"arrays"`
}

// ArrayShape is the name and the shape of an array of a learner.
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

// ignores reports true for all settings but quality: training sets the others.
func (c *AutoConfig) ignores(name string) bool { return name != "quality" }

// layout returns the layout of the columns of a model with out outputs.
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

// Layout returns the layout of the columns of the model's edges.
func (m *Auto) Layout() EdgeLayout { return m.Config.layout(m.dims.Out) }

// ReadsColumns reports for each column of EdgeRows whether one of the averaged learners reads it,
// for the edge itself or for its neighbours.
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

// Ready builds the learners from the values of the parameters. It is called once after the
// parameters are set.
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

// Fill sets the values of the arrays of each learner and builds the learners.
func (m *Auto) Fill(arrays []map[string][]float32) error {
	if err := fillLearners(m.Config.Learners, m.params, arrays); err != nil {
		return fmt.Errorf("model: auto: %w", err)
	}
	return m.Ready()
}
