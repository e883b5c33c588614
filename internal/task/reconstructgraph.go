package task

import (
	"github.com/ehgnn/ehgnn/graph"
	"github.com/ehgnn/ehgnn/internal/report"
	"github.com/ehgnn/ehgnn/internal/settings"
	"github.com/ehgnn/ehgnn/internal/source"
	"github.com/ehgnn/ehgnn/model"
	"github.com/ehgnn/ehgnn/nn"
	"github.com/ehgnn/ehgnn/tensor"
	"github.com/ehgnn/ehgnn/train"
)

// graphReconstruction reconstructs the features of nodes and of edges by two separately trained
// autoencoders, each with its own learning rate, best epoch and patience (paper, section 4.1 and
// appendix C.2). Their weights are bit-identical to those of nodeReconstruction and
// EdgeReconstruction. Both know the connectivity.
var graphReconstruction = &Task{
	Kind:    settings.Kind{Name: "graph-reconstruction", Title: "features of nodes and edges reconstructed from a few pooled vectors", Level: settings.Graphs, Collection: true, Reconstructs: true},
	Default: "hypercluster-both",
	Scores:  []string{"loss", "accuracy", "all_right", "node_loss", "node_accuracy", "edge_loss", "edge_accuracy"},
	Resolve: func(s *settings.Settings, d source.Data, parts map[string]*source.Part) error {
		if err := resolveReconstruction(s, d, parts, edgeRate, settings.Nodes, settings.Edges); err != nil {
			return err
		}
		s.Train.ParamGroups = []train.ParamGroup{{Prefix: model.PairNodes, LR: nodeRate, Metric: "node_loss"}, {Prefix: model.PairEdges, Metric: "edge_loss"}}
		return nil
	},
	Problem: func(m model.Model, s *settings.Settings) train.Problem {
		nodes, edges := featuresOf(s, settings.Nodes), featuresOf(s, settings.Edges)
		pair := m.(*model.Pair)
		parts := []train.Problem{reconstruction(pair.Nodes, nodes), reconstruction(pair.Edges, edges)}
		return train.Problem{
			Model: m,
			Loss: func(p *nn.Pass, b *graph.Batch) (sum *tensor.Tensor, weight float64) {
				for _, part := range parts {
					switch l, w := part.Loss(p, b); {
					case w == 0:
					case sum == nil:
						sum, weight = l, float64(b.N)
					default:
						sum = sum.Add(l)
					}
				}
				return sum, weight
			},
			Score: func() train.Scorer {
				return graphScorer{train.Sums(func(p *nn.Pass, b *graph.Batch) []train.Sum {
					out := m.Forward(p, b)
					return GraphSums(nodes.Score(out.Node, b), edges.Score(out.Edge, b))
				})()}
			},
		}
	},
	Predict: func(s *settings.Settings) Predictor {
		return &graphRows{nodes: featuresOf(s, settings.Nodes), edges: featuresOf(s, settings.Edges)}
	},
}

// GraphSums returns the sums of both parts and, for codes, the share of correct codes of nodes and
// edges together, and the share of graphs in which all codes are correct.
func GraphSums(nodes, edges fidelity) []train.Sum {
	var out []train.Sum
	if nodes.coded || edges.coded {
		all := train.Sum{Name: "accuracy"}
		for _, s := range []fidelity{nodes, edges} {
			if s.coded {
				all.Total, all.Weight = all.Total+s.right, all.Weight+s.total
			}
		}
		out = append(out, all, allRight(together(nodes, edges)))
	}
	return append(append(out, nodes.sums("node_")...), edges.sums("edge_")...)
}

// together sums the counts of nodes and edges of each graph.
func together(nodes, edges fidelity) []count {
	out := make([]count, len(nodes.graphs))
	for g := range out {
		n, e := nodes.graphs[g], edges.graphs[g]
		out[g] = count{n.right + e.right, n.total + e.total}
	}
	return out
}

// graphScorer adds the sum of both losses before the scores.
type graphScorer struct{ train.Scorer }

func (g graphScorer) Scores() (train.Scores, error) {
	s, err := g.Scorer.Scores()
	if err != nil {
		return nil, err
	}
	nodes, _ := s.Get("node_loss")
	edges, _ := s.Get("edge_loss")
	return append(train.Scores{{Name: "loss", Value: nodes + edges}}, s...), nil
}

// graphRows collects a row for each graph: the number of correct codes, or the mean squared error.
type graphRows struct {
	nodes, edges Features
	of           [2]struct {
		all, right []int
		err        []float32
	}
	allRight []int
}

func (r *graphRows) Add(out *model.Output, b *graph.Batch, rows []int32) {
	scores := []fidelity{r.nodes.Score(out.Node, b), r.edges.Score(out.Edge, b)}
	items := [][]int32{b.VertexOf.Counts(), b.EdgeOf.Counts()}
	for k, f := range []Features{r.nodes, r.edges} {
		errs := f.errors(out, b)
		for _, g := range rows {
			of := &r.of[k]
			of.all = append(of.all, int(items[k][g]))
			of.right = append(of.right, scores[k].graphs[g].right)
			of.err = append(of.err, errs[g])
		}
	}
	whole := together(scores[0], scores[1])
	for _, g := range rows {
		right := 0
		if whole[g].right == whole[g].total {
			right = 1
		}
		r.allRight = append(r.allRight, right)
	}
}

// errors returns the mean squared error of the features of each graph; 0 for a graph without items.
func (f Features) errors(out *model.Output, b *graph.Batch) []float32 {
	of := tensor.MustIndex(f.graphOf(b), b.N)
	square := f.predicted(out).Sub(f.Rows(b)).Square()
	return tensor.SegmentMean(square, of).MeanAxis(1).Data()
}

func (r *graphRows) Columns() []report.Column {
	var out []report.Column
	for k, f := range []Features{r.nodes, r.edges} {
		name := string(f.items)
		out = append(out, report.Ints(name+"s", r.of[k].all))
		if f.coded {
			out = append(out, report.Ints(name+"s_right", r.of[k].right))
		} else {
			out = append(out, report.Floats(name+"_error", r.of[k].err))
		}
	}
	if r.nodes.coded || r.edges.coded {
		out = append(out, report.Ints("all_right", r.allRight))
	}
	return out
}
