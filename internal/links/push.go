package links

import (
	"slices"

	"github.com/ehgnn/ehgnn/internal/lists"
)

// Alpha is the restart probability of personalised PageRank.
const Alpha = 0.15

// PushError returns the error bound of Push for a graph of the given number of nodes.
func PushError(nodes int) float64 {
	switch {
	case nodes <= 10_000:
		return 1e-7
	case nodes <= 100_000:
		return 1e-6
	}
	return 1e-5
}

// Push computes personalised PageRank from a source by forward push (Andersen, Chung and Lang
// 2006). The error at a node v is at most eps·d(v). Its arrays are reused for one source after the
// other.
type Push struct {
	g       *CSR
	eps     float64
	nodes   []residual
	p       []float64
	touched []int32
	queue   []int32
	Pushes  int // for the last source
}

// residual has the values of a node that each of its edges reads and writes. It is small, so that
// several nodes share a cache line.
type residual struct {
	r               float64
	degree          int32
	touched, queued bool
}

// NewPush returns a Push on a graph.
func NewPush(g *CSR, nodes int, eps float64) *Push {
	w := &Push{g: g, eps: eps, nodes: make([]residual, nodes), p: make([]float64, nodes)}
	for v := range w.nodes {
		w.nodes[v].degree = int32(g.Degree(int32(v)))
	}
	return w
}

// From computes the vector of a source. At returns its values until the next call.
func (w *Push) From(s int32) {
	w.clear()
	w.touched, w.queue, w.Pushes = append(w.touched, s), w.queue[:0], 0
	of := &w.nodes[s]
	if of.touched = true; of.degree == 0 {
		w.p[s] = 1
		return
	}
	of.r, of.queued = 1, true
	w.queue = append(w.queue, s)
	for head := 0; head < len(w.queue); head++ {
		u := w.queue[head]
		of, all := &w.nodes[u], w.g.Of(u)
		of.queued = false
		if of.r < float64(w.eps*float64(of.degree)) {
			continue
		}
		w.Pushes++
		w.p[u] += float64(Alpha * of.r)
		share := float64((1-Alpha)*of.r) / float64(len(all))
		of.r = 0
		for _, v := range all {
			to := &w.nodes[v]
			if !to.touched {
				to.touched = true
				w.touched = append(w.touched, v)
			}
			to.r += share
			if !to.queued && to.r >= float64(w.eps*float64(to.degree)) {
				to.queued = true
				w.queue = append(w.queue, v)
			}
		}
		if head > 1<<16 && head > len(w.queue)/2 {
			w.queue = w.queue[:copy(w.queue, w.queue[head+1:])]
			head = -1
		}
	}
}

// At returns the value of a node.
func (w *Push) At(v int32) float64 { return w.p[v] }

// pushed is the result of Push for a source.
type pushed struct {
	nodes  []int32 // the touched nodes, in the order of the first touch
	values []float64
}

// pushedBytes is the memory of one node in a pushed.
const pushedBytes = 12

// result returns a copy of the result of the last call.
func (w *Push) result() *pushed {
	return &pushed{slices.Clone(w.touched), lists.Map(w.touched, w.At)}
}

// restore sets the state that the call with result p left.
func (w *Push) restore(p *pushed) {
	w.clear()
	w.touched = append(w.touched, p.nodes...)
	for i, v := range p.nodes {
		w.nodes[v].touched = true
		w.p[v] = p.values[i]
	}
}

func (w *Push) clear() {
	for _, v := range w.touched {
		w.nodes[v].r, w.nodes[v].touched = 0, false
		w.p[v] = 0
	}
	w.touched = w.touched[:0]
}
