package source

import (
	"iter"

	"github.com/ehgnn/ehgnn/data"
	"github.com/ehgnn/ehgnn/graph"
	"github.com/ehgnn/ehgnn/internal/settings"
)

// standardise scales the numeric features of all parts by the mean and deviation over the training
// part.
func (p *GraphData) standardise(g *settings.GraphSettings, of map[string]*Part) error {
	if !g.Standardise {
		return nil
	}
	if g.NodeScale == nil && g.EdgeScale == nil {
		training := of[PartTrain].Graphs
		var err error
		if g.NodeScale, err = scaleOf(training, func(g *graph.Graph) graph.Features { return g.Node }); err != nil {
			return err
		}
		if g.EdgeScale, err = scaleOf(training, func(g *graph.Graph) graph.Features { return g.Edge }); err != nil {
			return err
		}
	}
	scaled := map[*graph.Graph]*graph.Graph{} // parts share graphs
	for _, part := range of {
		graphs := make([]*graph.Graph, len(part.Graphs))
		for i, from := range part.Graphs {
			if graphs[i] = scaled[from]; graphs[i] != nil {
				continue
			}
			to := *from
			var err error
			if g.NodeScale != nil {
				if to.Node, err = g.NodeScale.Apply(from.Node); err != nil {
					return err
				}
			}
			if g.EdgeScale != nil {
				if to.Edge, err = g.EdgeScale.Apply(from.Edge); err != nil {
					return err
				}
			}
			graphs[i] = &to
			scaled[from] = &to
		}
		part.Graphs = graphs
	}
	return nil
}

// scaleOf computes the mean and deviation of numeric features; nil if there are none.
func scaleOf(graphs []*graph.Graph, of func(*graph.Graph) graph.Features) (*data.Scale, error) {
	if len(graphs) == 0 || of(graphs[0]).Dim == 0 {
		return nil, nil
	}
	each := iter.Seq[graph.Features](func(yield func(graph.Features) bool) {
		for _, g := range graphs {
			if !yield(of(g)) {
				return
			}
		}
	})
	s, err := data.FitScale(each)
	return &s, err
}
