package auto

import (
	"context"
	"fmt"
	"slices"

	"github.com/ehgnn/ehgnn/graph"
	"github.com/ehgnn/ehgnn/internal/tabular"
	"github.com/ehgnn/ehgnn/model"
)

// Constants of networks that pass messages between edges (ADR 18).
const (
	sparseLabels = 8 // largest median number of known labels at the ends of the validation edges
	nearHops     = 2
	fewEdges     = 30_000 // largest number of training edges with several networks
)

// dualSteps bounds the steps of a dual network by quality. A step takes several times as long as one of a network without
// messages.
var dualSteps = map[string]int{model.QualityFast: 1200, model.QualityGood: 3000, model.QualityBest: 20_000}

// surroundings describes the known edges around the validation edges.
type surroundings struct {
	sparse bool // few labels are known at the ends, and there are other edges: messages may add information to the columns
	labels bool // some labels are known
	// components is the connected component of each training row; nil if some component is large.
	components []int32
}

// lookAround finds the surroundings of the validation edges.
func (p *problem) lookAround() surroundings {
	if p.Time != nil || len(p.turns) != 1 {
		return surroundings{} // messages must not come from later edges, and must be the same for all validation edges
	}
	known, all := p.validRows.KnownAround(p.turns[0].Label, p.turns[0].Edges)
	if len(known) == 0 {
		return surroundings{}
	}
	slices.Sort(known)
	slices.Sort(all)
	median := known[len(known)/2]
	out := surroundings{sparse: all[len(all)/2] > 1 && (median <= sparseLabels || p.Quality == model.QualityBest), labels: median > 0}
	if out.sparse {
		out.components = p.smallComponents()
	}
	return out
}

// hops returns the number of message passing steps of each dual network. A few more hops cover small components
// completely, at little cost. Networks with the same number of hops start from different weights, and their mean is
// better than one network.
func (p *problem) hops() []int {
	switch {
	case p.Quality == model.QualityFast || p.Quality == model.QualityGood && len(p.edges) > fewEdges:
		return []int{nearHops}
	case p.around.components != nil:
		return []int{nearHops, nearHops + 1, nearHops + 2, nearHops + 3}
	}
	return []int{nearHops, nearHops + 1, nearHops + 1}
}

// leastComponents is how many connected components a batch of a dual network must have room for, if rows are drawn by components.
const leastComponents = 8

// smallComponents returns the connected component of each training row, or nil if some component fills too much of a batch.
func (p *problem) smallComponents() []int32 {
	ends := p.Train.H.Ends()
	of, n := graph.ComponentOf(p.Train.H.NumVertices(), ends)
	rows := p.rows.Rows(p.edges)
	each, number := make([]int32, len(rows)), make([]int, n)
	for i := range rows {
		each[i] = of[ends[2*p.edges[i%len(p.edges)]]]
		number[each[i]]++
	}
	if slices.Max(number)*leastComponents > tabular.BatchRows(len(rows)) {
		return nil
	}
	return each
}

// dualSets returns the column sets of dual networks: the set that is best for the network without messages, with each number of hops.
func (r *race) dualSets() []columnSet {
	won := r.winner(model.LearnerNetwork)
	if won < 0 || r.entries[won].set.snapshots {
		return nil
	}
	s := r.entries[won].set
	var out []columnSet
	seen := map[int]int{}
	for _, hops := range r.hops() {
		set := columnSet{name: fmt.Sprintf("%s, %d hops", s.name, hops), families: s.families, hops: hops, again: seen[hops]}
		if set.again > 0 {
			set.name += ", again"
		}
		seen[hops]++
		out = append(out, set)
	}
	return out
}

// trainDual trains a network that passes messages between edges. One fold of labels is hidden from all rows of a batch.
func trainDual(ctx context.Context, p *problem, set columnSet, from *trainingSet, columns []int32) (t Trained, err error) {
	d, c := p.networkData(from, columns)
	c.Hops, c.MaxSteps = set.hops, dualSteps[p.Quality]
	c.Seed += uint64(set.hops + 1000*set.again) // networks with the same start make the same errors
	turn, rows, labels := p.turns[0], p.rows.Rows(p.edges), p.around.labels
	if d.Valid.Around, err = p.validRows.Neighbours(turn.Label, p.validRows.Rows(turn.Edges), labels); err != nil {
		return Trained{}, err
	}
	d.Component = p.around.components
	if labels {
		for _, part := range p.folds {
			d.Group = append(d.Group, slices.Repeat(part, len(rows)/len(part)))
		}
	}
	d.Around = func(draw int, group int8) (*tabular.Neighbours, error) {
		return p.rows.Neighbours(p.labelsBut(draw, group), rows, labels)
	}
	t, fitted, err := p.fitNetwork(ctx, d, c)
	if err != nil {
		return Trained{}, err
	}
	return p.finishNetwork(t, &model.Network{Model: fitted, Around: d.Valid.Around}, columns)
}
