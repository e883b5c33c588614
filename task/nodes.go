package task

import (
	"fmt"
	"slices"

	"github.com/ehgnn/ehgnn/data"
	"github.com/ehgnn/ehgnn/graph"
	"github.com/ehgnn/ehgnn/model"
	"github.com/ehgnn/ehgnn/optim"
	"github.com/ehgnn/ehgnn/report"
	"github.com/ehgnn/ehgnn/tensor"
	"github.com/ehgnn/ehgnn/train"
)

// nodeClassification predicts the class of each node of one graph: the protocol of
// the paper's section 4.3 and appendix C.4, on the whole graph at once: Adam 0.01
// with L2 5e-4, gradients clipped to norm 1, hidden 32, edges 16, dropout 0.5 (0.2
// on Citeseer), 80 % of the edges kept at each drop; linear warm-up over 300 epochs
// and a cosine to 5000. The first epoch with the highest validation accuracy is
// tested; training stops once 300 epochs in a row were below it.
//
// Six layers are the example of the authors' script; their figure goes from 2 to
// 64. Their code never zeroes gradients and, before the first drop, sums neighbours
// without degrees: Overrides.CarryGradients and Unnormalised.
//
// A part of the data is the whole graph with the classes of the other parts' nodes
// hidden, so training, validation and test see all features and edges.
var nodeClassification = Task{
	Name:    "node-classification",
	Title:   "one class per node of a graph",
	Default: "deep-hyperdrop",
	Scores:  []string{"loss", "accuracy"},
	Nodes:   true,
	Resolve: func(s *Settings, p *Parts, training []*graph.Graph) error {
		info := p.main().Info
		if info.NumNodeClasses < 2 {
			return fmt.Errorf("task: node-classification needs nodes with at least 2 classes, found %d in %s", info.NumNodeClasses, info.Name)
		}
		s.Model.Out = info.NumNodeClasses
		s.Model.Hidden, s.Model.EdgeHidden, s.Model.Layers = 32, 16, 6
		s.Model.Ratio, s.Model.Dropout = 0.8, 0.5
		if s.Data.Name == "citeseer" {
			s.Model.Dropout = 0.2
		}
		s.Train.Config = train.Config{Epochs: 5000, LR: 0.01, ClipNorm: 1, Patience: 300,
			Optimizer: optim.Config{Name: "adam", WeightDecay: 5e-4},
			Schedule:  train.Schedule{Name: "cosine", WarmupEpochs: 300},
			Monitor:   train.Monitor{Metric: "accuracy", Maximize: true, TiesReset: true}}
		return nil
	},
	Problem: func(m model.Model, s Settings) train.Problem {
		return classProblem(m, s.Model.Out, func(b *graph.Batch) []int32 { return b.NodeLabels },
			func(o *model.Output) *tensor.Tensor { return o.Node })
	},
	Predict: func(s Settings) Predictor {
		return &nodeRows{classRows: classRows{classes: s.Data.Classes, probability: make([][]float32, s.Model.Out)}}
	},
}

// nodesOf divides the nodes of the data as the settings say; form is that of the
// model.
func (p *Parts) nodesOf(s Split, form func(*graph.Graph) (*graph.Graph, error)) (map[string]subset, error) {
	whole, err := p.oneGraph(form)
	if err != nil {
		return nil, err
	}
	g := whole.graphs[0]
	var train, valid, test []int
	switch {
	case s.Kind == SplitGiven && p.Whole.NodeSplit != nil:
		n := p.Whole.NodeSplit
		train, valid, test = n.Train, n.Valid, n.Test
	case s.Kind == SplitRandom:
		train, valid, test, err = data.StratifiedSplit(g.NodeLabel, s.Fractions, s.Seed)
	default:
		err = fmt.Errorf("task: split %q of the nodes of %s, expected %s or %s", s.Kind, p.name(), SplitGiven, SplitRandom)
	}
	if err != nil {
		return nil, err
	}
	out := map[string]subset{PartAll: whole}
	for part, nodes := range map[string][]int{PartTrain: train, PartValid: valid, PartTest: test} {
		out[part] = pickNodes(g, nodes)
	}
	return out, nil
}

// oneGraph is all of data that are one graph with classes of nodes.
func (p *Parts) oneGraph(form func(*graph.Graph) (*graph.Graph, error)) (subset, error) {
	if p.Whole == nil || p.Whole.Info.NumNodeClasses == 0 || len(p.Whole.Graphs) != 1 {
		return subset{}, fmt.Errorf("task: node-classification needs one graph with classes of nodes, as the sets of Planetoid are; %s is of another kind", p.name())
	}
	g := p.Whole.Graphs[0]
	if form != nil {
		var err error
		if g, err = form(g); err != nil {
			return subset{}, fmt.Errorf("task: %s: %w", p.name(), err)
		}
	}
	return subset{graphs: []*graph.Graph{g}, ids: []int{0}}, nil
}

// pickNodes is a graph with the classes of all but some nodes hidden.
func pickNodes(g *graph.Graph, nodes []int) subset {
	nodes = slices.Sorted(slices.Values(nodes))
	masked := *g
	masked.NodeLabel = make([]int32, g.NumNodes)
	for v := range masked.NodeLabel {
		masked.NodeLabel[v] = graph.NoLabel
	}
	for _, v := range nodes {
		masked.NodeLabel[v] = g.NodeLabel[v]
	}
	return subset{graphs: []*graph.Graph{&masked}, ids: []int{0}, nodes: nodes}
}

// nodeRows collects a row per node of the part: its graph, its number there, and
// what classRows has.
type nodeRows struct {
	classRows
	node []int
}

func (r *nodeRows) Add(out *model.Output, b *graph.Batch, of Items) {
	prob := out.Node.Softmax()
	class := argmaxRows(prob)
	eachNode(b, of, func(v, graph, node int) {
		r.graph, r.node = append(r.graph, graph), append(r.node, node)
		label := int32(-1)
		if b.NodeLabels != nil {
			label = b.NodeLabels[v]
		}
		r.add(label, class[v], prob.Data()[v*prob.Dim(1):])
	})
}

func (r *nodeRows) Table() *report.Table {
	t := r.classRows.Table()
	t.Columns = slices.Insert(t.Columns, 1, report.Ints("node", r.node))
	return t
}

// eachNode calls f for every node of the part in a batch: its row in the batch,
// the id of its graph and its number there.
func eachNode(b *graph.Batch, of Items, f func(v, graph, node int)) {
	first, _ := b.VertexOf.Segments()
	graphOf := b.VertexOf.IDs()
	row := func(v int) { f(v, of.Graphs[graphOf[v]], v-int(first[graphOf[v]])) }
	if of.Nodes == nil {
		for v := range graphOf {
			row(v)
		}
		return
	}
	for _, v := range of.Nodes {
		row(v)
	}
}
