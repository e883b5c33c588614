package learn

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/ehgnn/ehgnn/internal/boost"
	"github.com/ehgnn/ehgnn/internal/links"
	"github.com/ehgnn/ehgnn/internal/links/rank"
	"github.com/ehgnn/ehgnn/internal/lists"
	"github.com/ehgnn/ehgnn/internal/rng"
)

// Sizes of the task of the next destination.
const (
	nextEvents    = 2000  // that are ranked, at most
	nextTrain     = 20000 // of training, at most
	nextNegatives = 20    // of a training event
)

// Next ranks the destination of each event of a part among all nodes seen before, by what is strictly
// earlier. Other targets of the same source at the same moment are no candidates.
type Next struct {
	d    *links.Data
	rows []int32 // in the order of time
	part []int8  // of each row of the data
	taus []float64
	best int // of taus
	seed uint64
}

// NewNext prepares the events of a split by time. Half-lives are days where times are dates, else parts of
// the span.
func NewNext(d *links.Data, s *links.Split, dates bool, seed uint64) *Next {
	n := &Next{d: d, part: s.RowPart, rows: d.TimedRows(), seed: seed}
	n.taus, _ = halfLives(d, n.rows, dates)
	return n
}

// names are the scores of the heuristics, and at is where they are in the row of an event.
func (n *Next) names() (names []string, at []int) {
	w := links.HistoryColumns
	return []string{"popularity", "recency", "seen-before", "pair-recency", "pair-count", "popularity-decayed", "last-partner"},
		[]int{0, 2, 3, 4, 5, w + n.best, w + len(n.taus)}
}

// extra are the columns behind those of the history: events of both ends, and the place among the last
// partners.
const extra = 3

// event is an event with its candidates; the true target is the first.
type event struct {
	u       int32
	others  []int32
	columns []float32
}

// stream goes through the events and calls f with each wanted one, before it happens.
func (n *Next) stream(ctx context.Context, wanted func(row int32) bool, choose func(h *links.History, r int32) []int32, f func(e *event) error) error {
	h := links.NewHistory(n.d.Nodes(), n.taus)
	e := &event{}
	for lo := 0; lo < len(n.rows); {
		if err := ctx.Err(); err != nil {
			return err
		}
		now, hi := n.d.Time[n.rows[lo]], lo
		for hi < len(n.rows) && n.d.Time[n.rows[hi]] == now {
			hi++
		}
		for _, r := range n.rows[lo:hi] {
			p := n.d.Pairs[n.d.Row[r]]
			if !wanted(r) || !h.Active(p[0]) || !h.Active(p[1]) {
				continue
			}
			e.u, e.others = p[0], append(e.others[:0], p[1])
			for _, v := range choose(h, r) {
				if !n.sameMoment(lo, hi, p[0], v) {
					e.others = append(e.others, v)
				}
			}
			n.describe(h, e, now)
			if err := f(e); err != nil {
				return err
			}
		}
		for _, r := range n.rows[lo:hi] {
			p := n.d.Pairs[n.d.Row[r]]
			h.Add(p[0], p[1], now)
		}
		lo = hi
	}
	return nil
}

// sameMoment reports whether a source reaches a node in an event of the same moment.
func (n *Next) sameMoment(lo, hi int, u, v int32) bool {
	return slices.ContainsFunc(n.rows[lo:hi], func(r int32) bool { return n.d.Pairs[n.d.Row[r]] == [2]int32{u, v} })
}

// describe writes the columns of the candidates of an event.
func (n *Next) describe(h *links.History, e *event, now float64) {
	width := h.Width() + extra
	if need := width * len(e.others); cap(e.columns) < need {
		e.columns = make([]float32, need)
	}
	e.columns = e.columns[:width*len(e.others)]
	place := map[int32]int{}
	for i, v := range h.Partners(e.u) {
		place[v] = i + 1
	}
	row := make([]float64, h.Width())
	for i, v := range e.others {
		h.Row(e.u, v, now, n.best, row)
		to := e.columns[i*width : (i+1)*width]
		for k, x := range row {
			to[k] = float32(x)
		}
		at := place[v]
		if at == 0 {
			at = 1 << 20
		} else { // in 32 bits times of long ago would be equal
			to[len(row)-1] = 2 - float32(at)/(1<<20)
		}
		to[len(row)], to[len(row)+1], to[len(row)+2] = float32(h.Sent(e.u)), float32(h.Sent(v)), float32(at)
	}
}

// pick says which rows of a part are taken, at most some, by seed.
func (n *Next) pick(part int8, most int) func(row int32) bool {
	rows := lists.Filter(n.rows, func(r int32) bool { return n.part[r] == part })
	r := rng.Stream(n.seed, "links", "next", int(part))
	taken := map[int32]bool{}
	for _, i := range r.Perm(len(rows))[:min(most, len(rows))] {
		taken[rows[i]] = true
	}
	return func(row int32) bool { return taken[row] }
}

// active are all nodes seen before an event, without its ends.
func (n *Next) active(h *links.History, r int32) []int32 {
	p := n.d.Pairs[n.d.Row[r]]
	var out []int32
	for v := range int32(n.d.Nodes()) {
		if v != p[0] && v != p[1] && h.Active(v) {
			out = append(out, v)
		}
	}
	return out
}

// train trains trees on events of training.
func (n *Next) train(ctx context.Context, threads int) (*boost.Model, error) {
	r := rng.Stream(n.seed, "links", "next", "negatives")
	var rows, labels []float32
	width := 0
	choose := func(h *links.History, row int32) []int32 {
		p := n.d.Pairs[n.d.Row[row]]
		var out []int32
		partners := h.Partners(p[0])
		for k := range nextNegatives {
			v := int32(r.IntN(n.d.Nodes()))
			if k%4 == 0 && len(partners) > 0 { // else few negatives would be partners, among whom the choice is hard
				v = partners[r.IntN(len(partners))]
			}
			if v != p[0] && v != p[1] && h.Active(v) {
				out = append(out, v)
			}
		}
		return out
	}
	err := n.stream(ctx, n.pick(links.Train, nextTrain), choose, func(e *event) error {
		width = len(e.columns) / len(e.others)
		rows = append(rows, e.columns...)
		for i := range e.others {
			label := float32(0)
			if i == 0 {
				label = 1
			}
			labels = append(labels, label)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	if len(labels) == 0 {
		return nil, fmt.Errorf("no event of training has ends that were seen before")
	}
	return boost.Train(ctx, &boost.Matrix{Columns: width, Blocks: [][]float32{rows}}, labels, nil, nil,
		boost.Config{Objective: boost.LogLoss, Rounds: 200, Rate: 0.05, Leaves: 31, MinRows: 20, Seed: n.seed, Threads: threads})
}

// NextResult are the ranks of the true targets.
type NextResult struct {
	Names      []string
	Ranks      [][]float64 // of each name
	Pairs      [][2]int32
	New        []bool // the pair had not happened
	Candidates float64
}

// Names of the rows of Next that were trained.
const (
	nextTrees   = "trees"
	NextAverage = "trees and last-partner"
)

// lastWeights are the weights of last-partner beside trees that are tried.
var lastWeights = []float64{0, 0.25, 0.5, 1, 2, 4, 8}

// Evaluate chooses the half-life on the validation part, trains trees, and ranks events of the test part, also by the sum of
// 1/(1 + rank) by trees and, of earlier partners, a multiple of 1/(1 + rank) by last-partner, chosen on the validation part.
func (n *Next) Evaluate(ctx context.Context, threads int) (*NextResult, error) {
	w := links.HistoryColumns
	sums := make([]float64, len(n.taus))
	err := n.stream(ctx, n.pick(links.Valid, nextEvents), n.active, func(e *event) error {
		for k := range n.taus {
			sums[k] += 1 / n.rankOf(e, w+k)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	n.best = slices.Index(sums, slices.Max(sums))
	model, err := n.train(ctx, threads)
	if err != nil {
		return nil, err
	}
	sums = make([]float64, len(lastWeights))
	err = n.stream(ctx, n.pick(links.Valid, nextEvents), n.active, func(e *event) error {
		ranks, err := n.ranksOf(model, e)
		if err != nil {
			return err
		}
		for k, weight := range lastWeights {
			sums[k] += 1 / ranks.joined(weight)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	weight := lastWeights[slices.Index(sums, slices.Max(sums))]
	names, at := n.names()
	r := &NextResult{Names: append(slices.Clone(names), nextTrees, NextAverage), Ranks: make([][]float64, len(names)+2)}
	err = n.stream(ctx, n.pick(links.Test, nextEvents), n.active, func(e *event) error {
		for k, c := range at {
			r.Ranks[k] = append(r.Ranks[k], n.rankOf(e, c))
		}
		ranks, err := n.ranksOf(model, e)
		if err != nil {
			return err
		}
		for k, x := range []float64{ranks.trees[0], ranks.joined(weight)} {
			r.Ranks[len(names)+k] = append(r.Ranks[len(names)+k], x)
		}
		r.Pairs, r.New = append(r.Pairs, [2]int32{e.u, e.others[0]}), append(r.New, e.columns[3] == 0)
		r.Candidates += float64(len(e.others) - 1)
		return nil
	})
	if len(r.Pairs) == 0 && err == nil {
		err = fmt.Errorf("no event of the test part has ends that were seen before")
	}
	r.Candidates /= max(1, float64(len(r.Pairs)))
	return r, err
}

// eventRanks are, of the candidates of an event, the ranks by trees and 1/(1 + rank) by last-partner, 0 where there was no contact.
type eventRanks struct{ trees, last []float64 }

// ranksOf ranks the candidates of an event by trees and by last-partner.
func (n *Next) ranksOf(model *boost.Model, e *event) (*eventRanks, error) {
	width := len(e.columns) / len(e.others)
	out, last := make([]float32, len(e.others)), make([]float32, len(e.others))
	if err := model.Predict(&boost.Matrix{Columns: width, Blocks: [][]float32{e.columns}}, out); err != nil {
		return nil, err
	}
	for i := range last {
		last[i] = e.columns[i*width+links.HistoryColumns+len(n.taus)]
	}
	if rank.HasNaN(lists.Convert[float64](out)) {
		return nil, rank.ErrNaN
	}
	r := &eventRanks{allRanks(out), allRanks(last)}
	for i, x := range last {
		if r.last[i] = 1 / (1 + r.last[i]); x < 1 { // popularity alone
			r.last[i] = 0
		}
	}
	return r, nil
}

// allRanks are the ranks of scores, the mean one of those that are equal.
func allRanks(scores []float32) []float64 {
	order := lists.Range[int](len(scores))
	slices.SortFunc(order, func(a, b int) int { return cmp.Compare(scores[b], scores[a]) })
	ranks := make([]float64, len(scores))
	for lo := 0; lo < len(order); {
		hi := lo
		for hi < len(order) && scores[order[hi]] == scores[order[lo]] {
			hi++
		}
		for _, i := range order[lo:hi] {
			ranks[i] = 1 + float64(lo) + float64(hi-lo-1)/2
		}
		lo = hi
	}
	return ranks
}

// joined is the rank of the true target by both.
func (r *eventRanks) joined(weight float64) float64 {
	return rankOfFirst(len(r.trees), func(i int) float64 { return 1/(1+r.trees[i]) + float64(weight*r.last[i]) })
}

// rankOf is the rank of the true target by a column.
func (n *Next) rankOf(e *event, column int) float64 {
	width := len(e.columns) / len(e.others)
	return rankOfFirst(len(e.others), func(i int) float64 { return float64(e.columns[i*width+column]) })
}

// rankOfFirst is the rank of the first of n candidates by their scores, the mean one of those that are equal.
func rankOfFirst(n int, score func(i int) float64) float64 {
	positive, above, equal := score(0), 0, 0
	for i := 1; i < n; i++ {
		if x := score(i); x > positive {
			above++
		} else if x == positive {
			equal++
		}
	}
	return 1 + float64(above) + float64(equal)/2
}
