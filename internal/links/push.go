package links

// Alpha is the restart probability of personalised PageRank.
const Alpha = 0.15

// PushError is the threshold of Push for a graph of some nodes.
func PushError(nodes int) float64 {
	switch {
	case nodes <= 10_000:
		return 1e-7
	case nodes <= 100_000:
		return 1e-6
	}
	return 1e-5
}

// Push computes personalised PageRank from a node by forward push (Andersen, Chung and Lang 2006). The
// error at a node v is at most eps·d(v). Its arrays serve any number of sources, one after the other.
type Push struct {
	g       *CSR
	eps     float64
	p, r    []float64
	queued  []bool
	touched []int32
	queue   []int32
	Pushes  int // of the last source
}

// NewPush begins to compute on a graph.
func NewPush(g *CSR, nodes int, eps float64) *Push {
	return &Push{g: g, eps: eps, p: make([]float64, nodes), r: make([]float64, nodes), queued: make([]bool, nodes)}
}

// From computes the vector of a source. Touched and P hold it until the next call.
func (w *Push) From(s int32) {
	for _, v := range w.touched {
		w.p[v], w.r[v] = 0, 0
	}
	w.touched, w.queue, w.Pushes = append(w.touched[:0], s), w.queue[:0], 0
	if w.g.Degree(s) == 0 {
		w.p[s] = 1
		return
	}
	w.r[s] = 1
	w.queue = append(w.queue, s)
	w.queued[s] = true
	for head := 0; head < len(w.queue); head++ {
		u := w.queue[head]
		w.queued[u] = false
		d := float64(w.g.Degree(u))
		if w.r[u] < float64(w.eps*d) {
			continue
		}
		w.Pushes++
		w.p[u] += float64(Alpha * w.r[u])
		share := float64((1-Alpha)*w.r[u]) / d
		w.r[u] = 0
		for _, v := range w.g.Of(u) {
			if w.r[v] == 0 && w.p[v] == 0 {
				w.touched = append(w.touched, v)
			}
			w.r[v] += share
			if !w.queued[v] && w.r[v] >= float64(w.eps*float64(w.g.Degree(v))) {
				w.queued[v] = true
				w.queue = append(w.queue, v)
			}
		}
		if head > 1<<16 && head > len(w.queue)/2 {
			w.queue = w.queue[:copy(w.queue, w.queue[head+1:])]
			head = -1
		}
	}
}

// At is the value of a node.
func (w *Push) At(v int32) float64 { return w.p[v] }
