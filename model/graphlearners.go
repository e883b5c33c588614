package model

import (
	"fmt"
	"slices"

	"github.com/ehgnn/ehgnn/graph"
	"github.com/ehgnn/ehgnn/graph/substructure"
	"github.com/ehgnn/ehgnn/internal/lists"
	"github.com/ehgnn/ehgnn/nn"
	"github.com/ehgnn/ehgnn/tensor"
)

// GraphLearners averages the predictions of a network for graphs with those of a linear model and
// of trees on GraphColumns. It averages probabilities or standardised numbers. Vectors, drops and
// clusters are those of the network. After the network, package internal/auto trains the learners
// and chooses the weights on the validation set.
//
// The parameters of learner K have the prefix learners.K.
type GraphLearners struct {
	Model    Model
	Config   GraphLearnersConfig
	dims     Dims
	ids      *tensor.Param
	params   []*tensor.Param
	columns  GraphColumns
	learners []ColumnLearner
}

// Kinds of outputs of GraphLearners.
const (
	OutputClasses = "classes" // logits of the classes of a graph
	OutputLabels  = "labels"  // a logit for each of several labels
	OutputNumbers = "numbers" // standardised numbers
)

// GraphLearnersConfig is what training adds to the config of a network.
type GraphLearnersConfig struct {
	Outputs string `json:"outputs"` // OutputClasses, OutputLabels or OutputNumbers
	substructure.Counter
	Substructures int `json:"substructures"` // number of substructures that have a column
	// Network is the weight of the network for each target. Classes are one target.
	Network  []float64       `json:"network"`
	Learners []TargetLearner `json:"learners"`
}

// TargetLearner is a learner for one target.
type TargetLearner struct {
	Target int `json:"target"`
	Learner
}

// Width is how many numbers a learner gives for a graph, in a model with out outputs.
func (c *GraphLearnersConfig) Width(out int) int {
	switch c.Outputs {
	case OutputClasses:
		return out
	case OutputLabels:
		return 2
	}
	return 1
}

// Targets is the number of targets of a model with out outputs.
func (c *GraphLearnersConfig) Targets(out int) int {
	if c.Outputs == OutputClasses {
		return 1
	}
	return out
}

func (c *GraphLearnersConfig) validate(out int) error {
	switch {
	case c.Outputs != OutputClasses && c.Outputs != OutputLabels && c.Outputs != OutputNumbers:
		return fmt.Errorf("outputs are %q, expected %s, %s or %s", c.Outputs, OutputClasses, OutputLabels, OutputNumbers)
	case c.Substructures < 0 || c.Substructures > substructure.Identifiers:
		return fmt.Errorf("substructures is %d, expected 0 to %d", c.Substructures, substructure.Identifiers)
	case c.Radius < 0 || c.Radius > mostRadius:
		return fmt.Errorf("radius is %d, expected 0 to %d", c.Radius, mostRadius)
	case c.NodeNumbers < 0 || c.EdgeNumbers < 0:
		return fmt.Errorf("%d and %d columns are numbers, expected 0 or more", c.NodeNumbers, c.EdgeNumbers)
	case len(c.Network) != c.Targets(out):
		return fmt.Errorf("the network has %d weights for %d targets", len(c.Network), c.Targets(out))
	}
	for k, l := range c.Learners {
		if l.Target < 0 || l.Target >= len(c.Network) {
			return fmt.Errorf("learner %d is of target %d, expected 0 to %d", k, l.Target, len(c.Network)-1)
		}
	}
	return checkLearners(c.learners())
}

// learners returns the learners of all targets.
func (c *GraphLearnersConfig) learners() []Learner {
	return lists.Map(c.Learners, func(l TargetLearner) Learner { return l.Learner })
}

// mostRadius is the largest radius of substructures.
const mostRadius = 16

// newGraphLearners builds a model whose learners have no values yet.
func newGraphLearners(s Spec, c Config, root func(seed uint64) nn.Init) (*GraphLearners, error) {
	of := *c.Graphs
	c.Graphs = nil
	network, err := s.assemble(c, root)
	if err != nil {
		return nil, err
	}
	return besideNetwork(network, c.Dims, of, root(c.Seed))
}

// besideNetwork adds learners without values to a network.
func besideNetwork(network Model, d Dims, c GraphLearnersConfig, in nn.Init) (*GraphLearners, error) {
	if err := c.validate(d.Out); err != nil {
		return nil, fmt.Errorf("model: graph_learners: %w", err)
	}
	return &GraphLearners{Model: network, Config: c, dims: d, ids: in.In("learners").Zeros("substructures", c.Substructures),
		params: learnerParams(in, c.learners())}, nil
}

// WithGraphLearners adds trained learners to a trained network. arrays has the arrays of each
// learner, by name.
func WithGraphLearners(network Model, d Dims, c GraphLearnersConfig, ids []int32, arrays []map[string][]float32) (*GraphLearners, error) {
	m, err := besideNetwork(network, d, c, nn.NewInit(0))
	if err != nil {
		return nil, err
	}
	for k, id := range ids {
		m.ids.Value.Data()[k] = float32(id)
	}
	if err := fillLearners(c.learners(), m.params, arrays); err != nil {
		return nil, fmt.Errorf("model: graph_learners: %w", err)
	}
	return m, m.Ready()
}

// Alone returns the network alone, or the learners of one kind alone, with the same parameters. It
// returns false if there is no learner of that kind.
func (m *GraphLearners) Alone(kind string) (*GraphLearners, bool) {
	out, network, found := *m, 1.0, kind == ""
	if kind != "" {
		network = 0
	}
	out.Config.Network = slices.Repeat([]float64{network}, len(m.Config.Network))
	out.Config.Learners = slices.Clone(m.Config.Learners)
	for k := range out.Config.Learners {
		l := &out.Config.Learners[k]
		if l.Weight = 0; l.Kind == kind {
			l.Weight, found = 1, true
		}
	}
	return &out, found
}

// Params lists the parameters of the network and the arrays of the learners.
func (m *GraphLearners) Params() []*tensor.Param {
	return append(append(m.Model.Params(), m.ids), m.params...)
}

// Ready builds the learners from the values of the parameters.
func (m *GraphLearners) Ready() error {
	m.columns = GraphColumns{Counter: m.Config.Counter}
	for k, v := range m.ids.Value.Data() {
		id := int32(v)
		if float32(id) != v || id < 0 || id >= substructure.Identifiers || k > 0 && id <= m.columns.IDs[k-1] {
			return fmt.Errorf("model: graph_learners: substructure %d is %v, expected rising whole numbers below %d", k, v, substructure.Identifiers)
		}
		m.columns.IDs = append(m.columns.IDs, id)
	}
	width := m.columns.Described(m.dims.Node, m.dims.Edge) + len(m.columns.IDs)
	var err error
	if m.learners, err = loadLearners(m.Config.learners(), m.params, width, m.Config.Width(m.dims.Out)); err != nil {
		return fmt.Errorf("model: graph_learners: %w", err)
	}
	return nil
}

// Forward is the network's Forward with averaged predictions. Gradients reach the network by its
// share in them.
func (m *GraphLearners) Forward(p *nn.Pass, b *graph.Batch) *Output {
	out := *m.Model.Forward(p, b)
	weight, fixed := m.shares(p, b)
	out.Graph = m.mix(out.Graph, weight, fixed)
	for i, member := range out.Members {
		mixed := *member
		mixed.Graph = m.mix(member.Graph, weight, fixed)
		out.Members[i] = &mixed
	}
	return &out
}

// shares returns the weight of the network in each output, and what the learners add to the output.
func (m *GraphLearners) shares(p *nn.Pass, b *graph.Batch) (weight, fixed *tensor.Tensor) {
	var x Block // of learners with a weight; there may be none
	n, d := b.N, m.dims.Out
	weight, fixed = tensor.New(n, d), tensor.New(n, d)
	for i := range n * d {
		weight.Data()[i] = float32(m.Config.Network[i%d%len(m.Config.Network)])
	}
	for k, l := range m.learners {
		of := m.Config.Learners[k]
		if of.Weight == 0 {
			continue
		}
		if x.Data == nil {
			x = m.columns.Block(b)
		}
		y, err := l.Predict(x.Select(of.Columns), p.Tape.Threads())
		if err != nil {
			panic(fmt.Errorf("model: graph_learners: %w", err)) // Ready has checked that the columns fit
		}
		width := m.Config.Width(d)
		for i := range n {
			to, row := fixed.Data()[i*d:][:d], y[i*width:][:width]
			if m.Config.Outputs == OutputClasses {
				for c, v := range row {
					to[c] += float32(of.Weight) * v
				}
				continue
			}
			to[of.Target] += float32(of.Weight) * row[width-1] // the number, or the probability of the label
		}
	}
	return weight, fixed
}

// mix averages the output of a network and those of the learners.
func (m *GraphLearners) mix(network, weight, fixed *tensor.Tensor) *tensor.Tensor {
	switch m.Config.Outputs {
	case OutputClasses:
		return network.Softmax().Mul(weight).Add(fixed).Clamp(leastProbability, 1).Log()
	case OutputLabels:
		share := network.Sigmoid().Mul(weight).Add(fixed).Clamp(leastLabel, 1-leastLabel)
		return share.Log().Sub(share.MulScalar(-1).AddScalar(1).Log())
	}
	return network.Mul(weight).Add(fixed)
}

// leastLabel bounds the probability of a label: 1 - leastLabel is below 1 as a float32.
const leastLabel = 1e-6
