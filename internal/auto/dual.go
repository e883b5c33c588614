package auto

import (
	"context"
	"slices"

	"github.com/ehgnn/ehgnn/graph"
	"github.com/ehgnn/ehgnn/internal/tabular"
	"github.com/ehgnn/ehgnn/model"
)

// When and how a network passes messages between edges (specification of dual networks on tables).
const (
	sparseLabels = 8 // median number of known labels at an end of the edges to be scored, at most
	sparseDegree = 4 // mean number of edges of a node below which messages go a hop further
	nearHops     = 2
	farHops      = 3
)

// sparse reports whether the ends of the validation edges have few known labels, and other edges all the same, so that
// messages between edges may say more than columns do; and whether any labels are known there.
func (p *problem) sparse() (is, labels bool) {
	if p.Time != nil || len(p.turns) != 1 {
		return false, false // messages must not come from later edges, or labels are read in turns
	}
	known, all := p.validRows.KnownAround(p.turns[0].Label, p.turns[0].Edges)
	slices.Sort(known)
	slices.Sort(all)
	if len(known) == 0 {
		return false, false
	}
	median := known[len(known)/2]
	return all[len(all)/2] > 1 && (median <= sparseLabels || p.Quality == model.QualityBest), median > 0
}

// hops is how far messages go.
func (p *problem) hops() int {
	if h := p.Train.H; 2*h.NumEdges() < sparseDegree*h.NumVertices() {
		return farHops
	}
	return nearHops
}

// whole is the graph of all edges for networks that pass messages.
type whole struct {
	rows            *model.EdgeRows
	training, valid []int32 // the rows of the training and the validation rows
	edge            []int32 // of each edge of the training part
}

// openWhole describes the graph of all edges.
func (p *problem) openWhole() (*whole, error) {
	b, training, valid, err := p.Whole()
	if err != nil {
		return nil, err
	}
	w := &whole{rows: model.NewEdgeRows(b, p.Layout, p.Threads), edge: training}
	pick := func(of, edges []int32) []int32 {
		out := make([]int32, len(edges))
		for i, e := range edges {
			out[i] = of[e]
		}
		return w.rows.Rows(out)
	}
	w.training, w.valid = pick(training, p.edges), pick(valid, p.turns[0].Edges)
	return w, nil
}

// label are the labels of the training part in the graph of all edges, but those of a part of a draw.
func (p *problem) labelsBut(w *whole, edges int, draw int, part int8) []float32 {
	out := make([]float32, edges)
	for e := range out {
		out[e] = graph.NoShown
	}
	for e, v := range p.known() {
		out[w.edge[e]] = v
	}
	if part >= 0 {
		for i, e := range p.edges {
			if p.folds[draw][i] == part {
				out[w.edge[e]] = graph.NoShown
			}
		}
	}
	return out
}

// trainDual trains a network that passes messages between edges. A fifth of the labels is hidden from all of a batch.
func (p *problem) trainDual(ctx context.Context, set *trainingSet, columns []int32, hops int) (Trained, error) {
	w, err := p.openWhole()
	if err != nil {
		return Trained{}, err
	}
	d, c := p.networkData(set, columns)
	c.Hops = hops
	_, labels := p.sparse()
	edges := w.rows.Edges()
	around := func(draw int, part int8, rows []int32) (n *tabular.Neighbours) {
		if err == nil {
			n, err = w.rows.Neighbours(p.labelsBut(w, edges, draw, part), rows, labels)
		}
		return n
	}
	d.Valid.Around = around(0, -1, w.valid)
	if labels {
		for _, part := range p.folds {
			d.Group = append(d.Group, slices.Repeat(part, len(w.training)/len(part)))
		}
	}
	views, at := map[int8]*tabular.Neighbours{}, 0
	d.Around = func(draw int, group int8) *tabular.Neighbours {
		if draw != at {
			clear(views)
			at = draw
		}
		if views[group] == nil {
			part := group
			if !labels {
				part = -1
			}
			views[group] = around(draw, part, w.training)
		}
		return views[group]
	}
	t, fitted, errFit := p.fitNetwork(ctx, d, c)
	if err != nil {
		return Trained{}, err
	}
	if errFit != nil {
		return Trained{}, errFit
	}
	m := &model.Dual{Network: model.Network{Model: fitted}}
	if t.Prediction, err = p.predict(m.At(w.rows, p.labelsBut(w, edges, 0, -1), w.valid), columns); err != nil {
		return Trained{}, err
	}
	t.Learner, t.Arrays, err = m.Learner(columns)
	return t, err
}
