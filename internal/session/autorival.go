package session

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/ehgnn/ehgnn/graph"
	"github.com/ehgnn/ehgnn/internal/source"
	"github.com/ehgnn/ehgnn/model"
	"github.com/ehgnn/ehgnn/train"
)

// sparseLabels is the median number of known labels at the ends of validation edges up to which a network over the graph is
// tried. Where the ends have many labels, columns say what messages between edges would.
const sparseLabels = 8

// sparseEdges is the number of training edges up to which it is tried, but with the best quality, as it takes minutes for
// more.
const sparseEdges = 30_000

// isSparse reports whether the ends of the edges to be scored have few known labels, and other edges all the same, so that a
// network over the graph may say more than columns do.
func (s *Session) isSparse(b *graph.Batch, quality string) bool {
	if n := len(s.Parts[source.PartTrain].Items); quality == model.QualityFast || quality == model.QualityGood && n > sparseEdges {
		return false
	}
	count, degree := make([]int, b.H.NumVertices()), make([]int, b.H.NumVertices())
	ends := b.H.Ends()
	for _, v := range ends {
		degree[v]++
	}
	if b.Shown != nil {
		for e, v := range b.Shown.Label {
			if v == v {
				count[ends[2*e]]++
				count[ends[2*e+1]]++
			}
		}
	}
	var known, edges []int
	for _, e := range s.Parts[source.PartValid].Items {
		for _, v := range ends[2*e:][:2] {
			known, edges = append(known, count[v]), append(edges, degree[v])
		}
	}
	slices.Sort(known)
	slices.Sort(edges)
	return len(known) > 0 && known[len(known)/2] <= sparseLabels && edges[len(edges)/2] > 1
}

// graphNetwork trains the default network over the graph on the data of the session. The predictions are those for the
// edges of the validation part that have a label.
func (s *Session) graphNetwork(ctx context.Context, valid *graph.Batch) (*Session, []float32, error) {
	r := s.request
	r.Model, r.Given = source.RolesModel, maps.Clone(r.Given)
	delete(r.Given, "quality")
	network, err := OpenOn(ctx, r, s.input)
	if err != nil {
		return nil, nil, err
	}
	if network.fitted, err = train.Fit(ctx, network.problem(), network.trainingGraphs(), network.Graphs(source.PartValid), network.Config(), train.Options{}); err != nil {
		return nil, nil, err
	}
	var out []float32
	err = network.Each(ctx, network.Parts[source.PartValid], func(o *model.Output, b *graph.Batch, _ int) error {
		rows := o.Edge
		if !s.Task.Number {
			rows = rows.Softmax()
		}
		k := rows.Dim(1)
		for _, e := range model.Labelled(b) {
			out = append(out, rows.Data()[int(e)*k:][:k]...)
		}
		return nil
	})
	if err == nil && valid.H.NumEdges() != network.Parts[source.PartValid].Graphs[0].NumEdges() {
		err = fmt.Errorf("task: the validation graphs of two models differ")
	}
	return network, out, err
}
