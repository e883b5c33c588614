package run

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"sync"

	"github.com/ehgnn/ehgnn/internal/links"
	"github.com/ehgnn/ehgnn/internal/links/score"
	"github.com/ehgnn/ehgnn/internal/par"
)

// retrieval has the bounds for ranking in two steps: a cheap search for candidates, then their
// scores by the model.
type retrieval struct {
	exact int64 // largest number of scores for which all candidates are scored
	most  int   // number of candidates of a node
	each  int   // number of candidates from each rule; the others are the most popular nodes
}

var defaultRetrieval = retrieval{exact: 200_000_000, most: 1000, each: 250}

// Number of nodes for which the lists of both ways are compared, and the length of these lists.
const (
	comparedNodes = 20
	comparedTop   = 10
)

// nearby finds nodes by vectors of the model.
type nearby interface {
	// Near returns, among the nodes for which take is true, the k nodes whose vectors have the
	// largest products with the vector of the given node.
	Near(node int32, k int, take func(int32) bool) []int32
}

// retriever finds candidates of nodes. Only one goroutine may use it.
type retriever struct {
	r       *Run
	worker  *links.Worker
	popular [2][]int32
}

// popularFirst lists all nodes by their number of pairs, as targets and as sources, in descending
// order.
func (r *Run) popularFirst() (popular [2][]int32) {
	for side, by := range []*links.CSR{r.columns.Graph.In, r.columns.Graph.Out} {
		for v := range int32(r.Data.Nodes()) {
			popular[side] = append(popular[side], v)
		}
		slices.SortStableFunc(popular[side], func(a, b int32) int { return cmp.Compare(by.Degree(b), by.Degree(a)) })
	}
	return popular
}

// candidates returns, in ascending order, partners of a node that could have a high rank. Each of
// these rules gives some: the largest personalised PageRank; the largest resource allocation, or in
// a bipartite graph the largest weight of paths of length 3; the largest product of the model's
// vectors, or without vectors the largest cosine of features. The most popular nodes fill the list.
func (t *retriever) candidates(kept int32, reverse bool, known *links.Known, among []bool) []int32 {
	d, partners := t.r.Data, known.Of(kept, reverse)
	take := func(v int32) bool {
		if v == kept || d.Kind == links.Bipartite && d.Target[v] == reverse || among != nil && !among[v] {
			return false
		}
		_, is := slices.BinarySearch(partners, v)
		return !is
	}
	t.worker.Keep(kept)
	vectors, has := t.r.bound.(nearby)
	var lists [3]score.Best
	for i := range lists {
		lists[i] = score.NewBest(t.r.retrieval.each)
	}
	for _, v := range t.worker.Near() {
		if !take(v) {
			continue
		}
		raw := t.worker.Raw(v, reverse)
		if x := raw.PPRFrom + raw.PPRTo; x > 0 {
			lists[0].Add(score.Ranked{Node: v, Score: x})
		}
		if x := max(raw.ResourceAllocation, raw.L3); x > 0 {
			lists[1].Add(score.Ranked{Node: v, Score: x})
		}
		if raw.Cosine > 0 && !has {
			lists[2].Add(score.Ranked{Node: v, Score: raw.Cosine})
		}
	}
	in := map[int32]bool{}
	for i := range lists {
		for _, x := range lists[i].Sorted() {
			in[x.Node] = true
		}
	}
	if has {
		for _, v := range vectors.Near(kept, t.r.retrieval.each, take) {
			in[v] = true
		}
	}
	side := 0
	if reverse {
		side = 1
	}
	for _, v := range t.popular[side] {
		if len(in) >= t.r.retrieval.most {
			break
		}
		if take(v) {
			in[v] = true
		}
	}
	return slices.Sorted(maps.Keys(in))
}

// isExact reports whether all candidates are scored for this number of nodes.
func (r *Run) isExact(nodes int) bool {
	sources, targets := r.Data.Ends()
	return int64(nodes)*int64(max(len(sources), len(targets))) <= r.retrieval.exact
}

// twoSteps returns the best partners of each node among its likely candidates. For a few nodes it
// also scores all candidates, to say how many of the best partners are found.
func (r *Run) twoSteps(ctx context.Context, nodes []int32, reverse bool, most int, known *links.Known, among []bool, compare bool) ([][]score.Ranked, error) {
	popular := r.byDegree()
	pool := sync.Pool{New: func() any { return &retriever{r, r.columns.NewWorker(), popular} }}
	out, err := par.Map(ctx, r.t.threads, nodes, func(v int32) []score.Ranked {
		if r.popular(v) {
			return r.top(v, reverse, most, known, among)
		}
		t := pool.Get().(*retriever)
		others := t.candidates(v, reverse, known, among)
		pool.Put(t)
		return r.best(v, reverse, others, most)
	})
	if err != nil || !compare || r.t.o.Tell == nil {
		return out, err
	}
	var some []int
	for i := range min(comparedNodes, len(nodes)) {
		some = append(some, i*len(nodes)/min(comparedNodes, len(nodes)))
	}
	whole, err := par.Map(ctx, r.t.threads, some, func(i int) []score.Ranked { return r.top(nodes[i], reverse, min(most, comparedTop), known, among) })
	if err != nil {
		return nil, err
	}
	found, all := 0, 0
	for k, i := range some {
		for _, x := range whole[k] {
			all++
			if slices.Contains(out[i], x) {
				found++
			}
		}
	}
	r.t.tell("of each node %d candidates are scored, found by PageRank, common neighbours, vectors or features, and popularity; they have %.1f %% of what is in the first %d of all candidates (%d nodes compared)",
		r.retrieval.most, 100*float64(found)/float64(max(1, all)), min(most, comparedTop), len(some))
	return out, nil
}
