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
	place   []int32  // of each node in nodes, counted from 1; 0 for none
	nodes   []pushed // those that were reached, as in touched
	touched []int32
	queue   []int32 // places in nodes
	Pushes  int     // of the last source
}

// pushed is what Push knows of a node that it reached. These are few, so that they stay in the cache.
type pushed struct {
	p, r   float64
	least  float64 // eps·d
	queued bool
}

// NewPush begins to compute on a graph.
func NewPush(g *CSR, nodes int, eps float64) *Push {
	return &Push{g: g, eps: eps, place: make([]int32, nodes)}
}

// reach is the place of a node in nodes, where it is put.
func (w *Push) reach(v int32) int32 {
	at := w.place[v]
	if at == 0 {
		w.nodes = append(w.nodes, pushed{least: float64(w.eps * float64(w.g.Degree(v)))})
		w.touched = append(w.touched, v)
		at = int32(len(w.nodes))
		w.place[v] = at
	}
	return at - 1
}

// From computes the vector of a source. Touched and At hold it until the next call.
func (w *Push) From(s int32) {
	for _, v := range w.touched {
		w.place[v] = 0
	}
	w.nodes, w.touched, w.queue, w.Pushes = w.nodes[:0], w.touched[:0], w.queue[:0], 0
	w.reach(s)
	if w.g.Degree(s) == 0 {
		w.nodes[0].p = 1
		return
	}
	w.nodes[0].r, w.nodes[0].queued = 1, true
	w.queue = append(w.queue, 0)
	for head := 0; head < len(w.queue); head++ {
		at := w.queue[head]
		of, all := &w.nodes[at], w.g.Of(w.touched[at])
		of.queued = false
		if of.r < of.least {
			continue
		}
		w.Pushes++
		of.p += float64(Alpha * of.r)
		share := float64((1-Alpha)*of.r) / float64(len(all))
		of.r = 0
		for _, v := range all {
			at := w.reach(v)
			to := &w.nodes[at]
			to.r += share
			if !to.queued && to.r >= to.least {
				to.queued = true
				w.queue = append(w.queue, at)
			}
		}
		if head > 1<<16 && head > len(w.queue)/2 {
			w.queue = w.queue[:copy(w.queue, w.queue[head+1:])]
			head = -1
		}
	}
}

// At is the value of a node.
func (w *Push) At(v int32) float64 {
	if at := w.place[v]; at > 0 {
		return w.nodes[at-1].p
	}
	return 0
}
