package model

import (
	"context"
	"slices"

	"github.com/ehgnn/ehgnn/graph"
	"github.com/ehgnn/ehgnn/internal/lists"
	"github.com/ehgnn/ehgnn/tensor"
)

// ColumnGroup is a group of columns of EdgeRows that are shuffled together, or the input that
// message-passing networks read from neighbouring edges.
type ColumnGroup struct {
	Columns []int32
	Around  bool
}

// ReadsGroup reports whether one of the averaged learners reads a column of a group.
func (m *Auto) ReadsGroup(g ColumnGroup) bool {
	return slices.ContainsFunc(m.Config.Learners, func(l Learner) bool {
		reads := func(c int32) bool { _, found := slices.BinarySearch(l.Columns, c); return found }
		return l.Weight > 0 && (g.Around && l.Kind == LearnerDual || slices.ContainsFunc(g.Columns, reads))
	})
}

// shuffledTurn is a turn whose columns are shuffled among its edges.
type shuffledTurn struct {
	edges []int32
	x     Block
	place *Place
	from  []int32 // for each row, the row whose columns of a group it gets
}

// Shuffled computes predictions for permutation importance. It predicts some edges of a batch, in
// ascending order: first unchanged, then once for each group with the columns of the group permuted
// among these edges by shuffle. It calls each with the outputs for all edges of the batch and the
// number of the group, -1 for the unchanged edges.
func (m *Auto) Shuffled(ctx context.Context, b *graph.Batch, edges []int32, groups []ColumnGroup, shuffle func(n int) []int, threads int, each func(group int, out *tensor.Tensor)) error {
	rows := NewEdgeRows(b, m.Layout(), threads)
	var turns []shuffledTurn
	for _, t := range Turns(b, rows.Classes) {
		some := lists.Filter(t.Edges, func(e int32) bool { _, found := slices.BinarySearch(edges, e); return found })
		if len(some) == 0 {
			continue
		}
		of := rows.Rows(some)
		x, err := rows.Block(ctx, t.Label, of)
		if err != nil {
			return err
		}
		from := make([]int32, 0, len(of))
		for _, i := range shuffle(len(some)) {
			from = append(from, int32(i))
		}
		for len(from) < len(of) { // the opposite directions
			from = append(from, from[len(from)-len(some)]+int32(len(some)))
		}
		turns = append(turns, shuffledTurn{some, x, rows.place(t.Label, of), from})
	}
	out := &Output{Edge: tensor.New(rows.edges, m.dims.Out)}
	for group := -1; group < len(groups); group++ {
		for _, t := range turns {
			if err := ctx.Err(); err != nil {
				return err
			}
			x, place := t.x, t.place
			if group >= 0 {
				x, place = t.with(groups[group])
			}
			if err := m.learn(rows, t.edges, x, place, out); err != nil {
				return err
			}
		}
		out.vectors = nil
		each(group, out.Edge)
	}
	return nil
}

// with returns the columns and the place of a turn after a group was shuffled.
func (t shuffledTurn) with(g ColumnGroup) (Block, *Place) {
	x, place := t.x, t.place
	x.Data = slices.Clone(x.Data)
	for i, k := range t.from {
		for _, c := range g.Columns {
			x.Data[i*x.Width+int(c)] = t.x.Data[int(k)*x.Width+int(c)]
		}
	}
	if g.Around {
		place = newPlace(lists.Take(place.of, t.from), place.find)
	}
	return x, place
}
