package learn

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/ehgnn/ehgnn/internal/boost"
	"github.com/ehgnn/ehgnn/internal/links"
	"github.com/ehgnn/ehgnn/internal/links/rank"
	"github.com/ehgnn/ehgnn/internal/lists"
	"github.com/ehgnn/ehgnn/internal/rng"
)

// Sizes of the task that predicts the next destination.
const (
	nextEvents = 2000  // largest number of ranked events
	nextTrain  = 20000 // largest number of training events of the trees, the last ones before the test part
)

// Numbers of negatives of a training event.
const (
	nextLast    = 5  // last partners of the source; all of them are negatives
	nextEarlier = 3  // drawn from the source's earlier partners
	nextOthers  = 15 // drawn from all other nodes seen before
)

// Bounds of the trees. By weight about one target in a thousand is true, so without these bounds a
// leaf of any size could have few rows.
const (
	nextMinRows = 100
	nextL2      = 20
)

// Next ranks the destination of each event of a part among all nodes seen before. It uses only
// strictly earlier events. Other targets of the same source at the same time are no candidates.
type Next struct {
	d    *links.Data
	rows []int32 // sorted by time
	part []int8  // part of each row of the data
	taus []float64
	best int // position in taus
	seed uint64
}

// NewNext prepares the events of a split by time. Time constants are in days if times are dates,
// otherwise shares of the time span.
func NewNext(d *links.Data, s *links.Split, dates bool, seed uint64) *Next {
	n := &Next{d: d, part: s.RowPart, rows: d.TimedRows(), seed: seed}
	n.taus, _ = timeConstants(d, n.rows, dates)
	return n
}

// names returns the names of the heuristics' scores and their positions in the row of an event.
func (n *Next) names() (names []string, at []int) {
	w := links.HistoryColumns
	return []string{"popularity", "recency", "seen-before", "pair-recency", "pair-count", "popularity-decayed", "last-partner"},
		[]int{0, 2, 3, 4, 5, w + n.best, w + len(n.taus)}
}

// extra is the number of columns after those of History.Row: the columns of History.Exchange, and
// the position among the last partners.
const extra = links.ExchangeColumns + 1

// event is an event with its candidates. The first candidate is the true target.
type event struct {
	u       int32
	others  []int32
	weights []float32
	columns []float32
}

// weighted is a candidate with the number of candidates that it represents.
type weighted struct {
	node   int32
	weight float32
}

// stream goes through the events in order. It calls f for each wanted event before it adds the
// events of that time to the history.
func (n *Next) stream(ctx context.Context, wanted func(row int32) bool, choose func(h *links.History, r int32) []weighted, f func(e *event) error) error {
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
			if !wanted(r) || !h.IsActive(p[0]) || !h.IsActive(p[1]) {
				continue
			}
			e.u, e.others, e.weights = p[0], append(e.others[:0], p[1]), append(e.weights[:0], 1)
			for _, c := range choose(h, r) {
				if !n.sameMoment(lo, hi, p[0], c.node) {
					e.others, e.weights = append(e.others, c.node), append(e.weights, c.weight)
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

// sameMoment reports whether a source has an event with a node at the same time. lo and hi are the
// bounds of that time's events.
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
	row := make([]float64, width)
	last := h.Width() - 1 // the column of last-partner
	for i, v := range e.others {
		h.Row(e.u, v, now, n.best, row)
		h.Exchange(e.u, v, now, row[last+1:])
		to := e.columns[i*width : (i+1)*width]
		for k, x := range row {
			to[k] = float32(x)
		}
		at := place[v]
		if at == 0 {
			at = 1 << 20
		} else { // in 32 bits, times long ago would be equal
			to[last] = 2 - float32(at)/(1<<20)
		}
		to[width-1] = float32(at)
	}
}

// pick returns a function that reports whether a row is taken. At most the given number of rows of
// a part are taken, chosen by the seed.
func (n *Next) pick(part int8, most int) func(row int32) bool {
	rows := lists.Filter(n.rows, func(r int32) bool { return n.part[r] == part })
	r := rng.Stream(n.seed, "links", "next", int(part))
	taken := map[int32]bool{}
	for _, i := range r.Perm(len(rows))[:min(most, len(rows))] {
		taken[rows[i]] = true
	}
	return func(row int32) bool { return taken[row] }
}

// active returns all nodes seen before an event, without its ends.
func (n *Next) active(h *links.History, r int32) []weighted {
	p := n.d.Pairs[n.d.Row[r]]
	var out []weighted
	for _, v := range h.Active() {
		if v != p[0] && v != p[1] {
			out = append(out, weighted{v, 1})
		}
	}
	return out
}

// negatives draws candidates of an event. The weight of a negative is the number of candidates of
// its group that it represents. So the trees learn odds among all candidates, although partners,
// which are the difficult candidates, are a larger share of the negatives.
func (n *Next) negatives(h *links.History, row int32, r *rand.Rand) []weighted {
	p := n.d.Pairs[n.d.Row[row]]
	taken := map[int32]bool{p[0]: true, p[1]: true}
	var out []weighted
	partners := lists.Filter(h.Partners(p[0]), func(v int32) bool { return !taken[v] })
	for _, v := range partners[:min(nextLast, len(partners))] {
		out, taken[v] = append(out, weighted{v, 1}), true
	}
	draw := func(of []int32, most, free int) { // draws up to most nodes; free is the number of nodes that are not taken yet
		from := len(out)
		for tries := 0; tries < 10*most && len(out)-from < min(most, free); tries++ {
			if v := of[r.IntN(len(of))]; !taken[v] {
				out, taken[v] = append(out, weighted{node: v}), true
			}
		}
		for i := range out[from:] {
			out[from+i].weight = float32(free) / float32(len(out)-from)
		}
	}
	draw(partners, nextEarlier, len(partners)-len(out))
	for _, v := range partners {
		taken[v] = true
	}
	draw(h.Active(), nextOthers, len(h.Active())-len(taken))
	return out
}

// latest returns a function that reports whether a row is among the last nextTrain rows before the
// test part.
func (n *Next) latest() func(row int32) bool {
	rows := lists.Filter(n.rows, func(r int32) bool { return n.part[r] == links.Train || n.part[r] == links.Valid })
	taken := map[int32]bool{}
	for _, r := range rows[max(0, len(rows)-nextTrain):] {
		taken[r] = true
	}
	return func(row int32) bool { return taken[row] }
}

// train trains trees on the last events before the test part.
func (n *Next) train(ctx context.Context, threads int) (*boost.Model, error) {
	r := rng.Stream(n.seed, "links", "next", "negatives")
	var rows, labels, weights []float32
	width := 0
	choose := func(h *links.History, row int32) []weighted { return n.negatives(h, row, r) }
	err := n.stream(ctx, n.latest(), choose, func(e *event) error {
		width = len(e.columns) / len(e.others)
		rows, weights = append(rows, e.columns...), append(weights, e.weights...)
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
		return nil, fmt.Errorf("no event before the test part has ends that were seen before")
	}
	return boost.Train(ctx, &boost.Matrix{Columns: width, Blocks: [][]float32{rows}}, labels, weights, nil,
		boost.Config{Objective: boost.LogLoss, Rounds: 200, Rate: 0.05, Leaves: 31, MinRows: nextMinRows, L2: nextL2, Seed: n.seed, Threads: threads})
}

// NextResult has the ranks of the true targets.
type NextResult struct {
	Names      []string
	Ranks      [][]float64 // of each name
	Pairs      [][2]int32
	New        []bool // whether the pair had no earlier event
	Candidates float64
}

// NextTrees is the name of the trained model's row.
const NextTrees = "trees"

// Evaluate chooses the time constant on the validation part, trains trees on events before the test
// part, and ranks the events of the test part.
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
	names, at := n.names()
	r := &NextResult{Names: append(slices.Clone(names), NextTrees), Ranks: make([][]float64, len(names)+1)}
	var out []float32
	err = n.stream(ctx, n.pick(links.Test, nextEvents), n.active, func(e *event) error {
		for k, c := range at {
			r.Ranks[k] = append(r.Ranks[k], n.rankOf(e, c))
		}
		out = slices.Grow(out[:0], len(e.others))[:len(e.others)]
		if err := model.Predict(&boost.Matrix{Columns: len(e.columns) / len(e.others), Blocks: [][]float32{e.columns}}, out); err != nil {
			return err
		}
		scores := lists.Convert[float64](out)
		of, err := rank.Of(scores[0], scores[1:])
		if err != nil {
			return err
		}
		r.Ranks[len(names)] = append(r.Ranks[len(names)], of)
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

// rankOf returns the rank of the true target by a column.
func (n *Next) rankOf(e *event, column int) float64 {
	width := len(e.columns) / len(e.others)
	scores := make([]float64, len(e.others))
	for i := range scores {
		scores[i] = float64(e.columns[i*width+column])
	}
	r, _ := rank.Of(scores[0], scores[1:]) // no column is NaN
	return r
}
