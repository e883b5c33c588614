package learn

import (
	"cmp"
	"context"
	"math"
	"slices"
	"sync"

	"github.com/ehgnn/ehgnn/internal/links"
	"github.com/ehgnn/ehgnn/internal/links/score"
	"github.com/ehgnn/ehgnn/internal/par"
)

// KNN recommends targets that are similar to the targets of a source. Similarity is the cosine with
// shrinkage. Each target of the source votes for its nearest targets.
type KNN struct {
	Shrink float64  `json:"shrink"`
	Near   int      `json:"near"` // number of similar targets that a target votes for; 0 for all
	lists  [][]vote // votes of each node
	graph  *links.Graph
}

type vote struct {
	to     int32
	weight float64
}

// NewKNN computes the similarities of targets in a bipartite graph.
func NewKNN(ctx context.Context, g *links.Graph, shrink float64, near, threads int) (*KNN, error) {
	m := &KNN{Shrink: shrink, Near: near, lists: make([][]vote, g.Nodes), graph: g}
	const block = 512
	var starts []int
	for lo := 0; lo < g.Nodes; lo += block {
		starts = append(starts, lo)
	}
	counts := sync.Pool{New: func() any {
		count := make([]float64, g.Nodes)
		return &count
	}}
	_, err := par.Map(ctx, threads, starts, func(lo int) struct{} {
		count := counts.Get().(*[]float64)
		for i := lo; i < min(lo+block, g.Nodes); i++ {
			m.lists[i] = nearest(m.votes(int32(i), *count), near)
		}
		counts.Put(count)
		return struct{}{}
	})
	return m, err
}

// votes returns the similarities of a target to all targets with a common source. count must be
// zeros, and is zeros again at the end.
func (m *KNN) votes(i int32, count []float64) []vote {
	g := m.graph
	var touched []int32
	for _, u := range g.In.Of(i) {
		for _, j := range g.Out.Of(u) {
			if count[j] == 0 {
				touched = append(touched, j)
			}
			count[j]++
		}
	}
	slices.Sort(touched)
	var votes []vote
	di := math.Sqrt(float64(g.In.Degree(i)))
	for _, j := range touched {
		if j != i {
			votes = append(votes, vote{j, count[j] / (float64(di*math.Sqrt(float64(g.In.Degree(j)))) + m.Shrink)})
		}
		count[j] = 0
	}
	return votes
}

// nearest returns the near largest votes, in the order of their targets. If near is 0, it returns
// all.
func nearest(votes []vote, near int) []vote {
	if near == 0 || len(votes) <= near {
		return votes
	}
	slices.SortFunc(votes, func(a, b vote) int { return cmp.Or(cmp.Compare(b.weight, a.weight), cmp.Compare(a.to, b.to)) })
	votes = slices.Clone(votes[:near])
	slices.SortFunc(votes, func(a, b vote) int { return cmp.Compare(a.to, b.to) })
	return votes
}

// Nearer returns the same baseline with fewer similar targets.
func (m *KNN) Nearer(near int) *KNN {
	out := &KNN{Shrink: m.Shrink, Near: near, lists: make([][]vote, len(m.lists)), graph: m.graph}
	for i, votes := range m.lists {
		out.lists[i] = nearest(slices.Clone(votes), near)
	}
	return out
}

// Over returns the same baseline with the pairs of sources in another graph. The graph may have
// additional nodes. The similarities stay the same.
func (m *KNN) Over(g *links.Graph) score.Scorer {
	return &KNN{m.Shrink, m.Near, slices.Concat(m.lists, make([][]vote, g.Nodes-len(m.lists))), g}
}

// Names returns the name of the baseline.
func (m *KNN) Names() []string { return []string{"item-knn"} }

// Worker returns a worker.
func (m *KNN) Worker(links.Workers) score.Worker {
	return &knnWorker{m: m, sum: make([]float64, m.graph.Nodes), of: -1}
}

type knnWorker struct {
	m       *KNN
	sum     []float64
	touched []int32
	of      int32
}

func (w *knnWorker) load(u int32) {
	if w.of == u {
		return
	}
	w.of = u
	for _, v := range w.touched {
		w.sum[v] = 0
	}
	w.touched = w.touched[:0]
	for _, j := range w.m.graph.Out.Of(u) {
		for _, v := range w.m.lists[j] {
			if w.sum[v.to] == 0 {
				w.touched = append(w.touched, v.to)
			}
			w.sum[v.to] += v.weight
		}
	}
}

func (w *knnWorker) Score(kept int32, reverse bool, others []int32, out [][]float64) {
	for i, v := range others {
		u := kept
		if reverse {
			u, v = v, kept
		}
		w.load(u)
		out[0][i] = w.sum[v]
	}
}

// Explain lists the targets of a source with the largest votes for a target.
func (m *KNN) Explain(u, v int32, most int) (nodes []int32, weights []float64) {
	var all []vote
	for _, j := range m.graph.Out.Of(u) {
		if at, ok := slices.BinarySearchFunc(m.lists[j], v, func(x vote, v int32) int { return int(x.to - v) }); ok {
			all = append(all, vote{j, m.lists[j][at].weight})
		}
	}
	slices.SortStableFunc(all, func(a, b vote) int { return cmp.Compare(b.weight, a.weight) })
	for _, x := range all[:min(most, len(all))] {
		nodes, weights = append(nodes, x.to), append(weights, x.weight)
	}
	return nodes, weights
}
