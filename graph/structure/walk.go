package structure

import (
	"math"
	"slices"

	"github.com/ehgnn/ehgnn/internal/kernel"
	"github.com/ehgnn/ehgnn/internal/lists"
	"github.com/ehgnn/ehgnn/internal/rng"
)

var walkNames = []string{"return_2", "return_3", "return_4", "return_5", "return_6"}

const (
	steps = 5 // number of walk lengths: 2 to 6
	// exactWork bounds how many neighbours are read for the exact probabilities of a node. Reading
	// so many takes about as long as the estimate for a node with three neighbours.
	exactWork = 1024
	vectors   = 128 // number of random vectors of an estimate
	lanes     = 8   // number of vectors whose products are summed together
	signBits  = 64
)

// ExactEdges is the number of edges up to which the columns of a component are exact. They then do
// not depend on other components.
const ExactEdges = exactWork / (3 * 2) // steps, each from the two ends of all edges at most

// walks returns the writer of the probabilities that a random walk is back at its node, for the
// listed nodes (ascending; nil means all). Many graphs need no estimates, such as molecules and
// road networks.
func (g *Graph) walks(nodes []int32) func(row []float32, q *query, end int) {
	table, far := make([]float32, g.n*steps), make([]bool, g.n)
	exact := func(w *walker, v int32) { far[v] = !w.exact(v, table[int(v)*steps:][:steps]) }
	finish := func(v int32) {
		row := table[int(v)*steps:][:steps]
		for k, p := range row {
			row[k] = log1p(100 * math.Max(float64(p), 0)) // an estimate may be below 0
		}
	}
	if nodes != nil {
		w := &walker{g: g}
		for _, v := range nodes {
			exact(w, v)
		}
	} else {
		g.pool.Balanced(g.ptr, 1024, func(lo, hi int) {
			w := &walker{g: g}
			for v := int32(lo); v < int32(hi); v++ {
				exact(w, v)
			}
		})
	}
	if slices.Contains(far, true) {
		g.estimate(table, far)
	}
	if nodes != nil {
		for _, v := range nodes {
			finish(v)
		}
	} else {
		g.each(finish)
	}
	return ofNodes(table, steps)
}

// walker follows walks from one node at a time. It numbers the nodes around this node. There is at
// most one for each neighbour that is read.
type walker struct {
	g     *Graph
	slots [4 * exactWork]int32 // of a hash table: 1 + number of a node, or 0 if empty
	nodes []int32              // by number
	taken []int32              // the slot of each node
	at    [4][1 + exactWork]float64
	reach [4][]int32 // numbers of the nodes that are reached after 0 to 3 steps, and at their probabilities
}

// number returns the number of a node.
func (w *walker) number(v int32) int32 {
	const size = uint32(len(w.slots))
	at := uint32(v) * 2654435769 >> 16 % size // 2³² over the golden ratio
	for w.slots[at] != 0 {
		if k := w.slots[at] - 1; w.nodes[k] == v {
			return k
		}
		at = (at + 1) % size
	}
	w.nodes, w.taken = append(w.nodes, v), append(w.taken, int32(at))
	w.slots[at] = int32(len(w.nodes))
	return w.slots[at] - 1
}

// clear forgets all nodes.
func (w *walker) clear() {
	for k, slot := range w.taken {
		w.slots[slot] = 0
		for j := range w.at {
			w.at[j][k] = 0
		}
	}
	w.nodes, w.taken = w.nodes[:0], w.taken[:0]
	for j := range w.reach {
		w.reach[j] = w.reach[j][:0]
	}
}

// exact writes the probabilities of returning to v. It returns false if there are too many nodes
// around v.
//
// A walk of j steps from v to x has the probability of the walk back, times the neighbours of x
// over the neighbours of v. So the probability of a return in j+k steps is a sum over the nodes x:
// it combines the probabilities of being at x after j and after k steps.
func (w *walker) exact(v int32, row []float32) bool {
	around := 0
	for _, x := range w.g.nbr[w.g.ptr[v]:w.g.ptr[v+1]] {
		if around += int(w.g.all(x)); around > exactWork { // most nodes with too many neighbours around fail here at once
			return false
		}
	}
	w.clear()
	own := w.number(v)
	w.at[0][own] = 1
	w.reach[0] = append(w.reach[0], own)
	work := 0
	for j := range 3 {
		for _, k := range w.reach[j] {
			x := w.nodes[k]
			degree := w.g.all(x)
			if work += int(degree); work > exactWork {
				return false
			}
			p := w.at[j][k] / float64(degree)
			for _, y := range w.g.nbr[w.g.ptr[x]:w.g.ptr[x+1]] {
				to := w.number(y)
				if w.at[j+1][to] == 0 {
					w.reach[j+1] = append(w.reach[j+1], to)
				}
				w.at[j+1][to] += p
			}
		}
	}
	for i, pair := range [steps][2]int{{1, 1}, {1, 2}, {2, 2}, {2, 3}, {3, 3}} {
		sum := 0.0
		for _, k := range w.reach[pair[0]] {
			sum += w.at[pair[0]][k] * w.at[pair[1]][k] / float64(w.g.all(w.nodes[k]))
		}
		row[i] = float32(sum * float64(w.g.all(v)))
	}
	return true
}

// estimate writes estimates into the rows of some nodes. With S = D^-½ U D^-½, where U is the
// matrix of neighbours, the probability of returning in j+k steps is the diagonal of Sʲ·Sᵏ. This is
// the mean of (Sʲz)·(Sᵏz), node by node, over vectors z of random signs (Hutchinson 1989). The
// probability after two steps is exact: the mean over the neighbours of 1/degree.
//
// Vectors are stored as y = D^-½ z. Then a step is the mean over the neighbours.
func (g *Graph) estimate(table []float32, of []bool) {
	ends := listed(of)
	second := listed(g.around(of)) // the nodes that need two steps
	var sums func(v int32) []float32
	if known := g.knownSteps(); known != nil {
		sums = g.sumsBeside(known, ends, second)
	} else {
		sums = g.sumsOf(of, ends, second)
	}
	g.some(ends, func(v int32) {
		row, own := table[int(v)*steps:][:steps], 0.0
		for _, w := range g.nbr[g.ptr[v]:g.ptr[v+1]] {
			own += 1 / float64(g.all(w))
		}
		row[0] = float32(own / float64(g.all(v)))
		for k, s := range sums(v) {
			row[k+1] = s * float32(g.all(v)) / vectors
		}
	})
}

// sumsOf returns the products of the vectors after one, two and three steps at some nodes, summed
// over all vectors.
func (g *Graph) sumsOf(of []bool, ends, second []int32) func(v int32) []float32 {
	const w = steps - 1
	sum := make([]float32, g.n*w)
	first := listed(g.around(masked(g.n, second))) // the nodes that need one step
	begin := listed(g.around(masked(g.n, first)))
	one, two, three := g.stepper(first), g.stepper(second), g.stepper(ends)
	a, b := make([]float32, g.n*lanes), make([]float32, g.n*lanes)
	for from := 0; from < vectors; from += lanes {
		g.start(a, begin, from, lanes)
		one.step(a, lanes, func(_ int, v int32, mean []float32) { copy(b[int(v)*lanes:], mean) })
		two.step(b, lanes, func(_ int, v int32, mean []float32) {
			copy(a[int(v)*lanes:], mean)
			if of[v] {
				addDot(&sum[int(v)*w], b[int(v)*lanes:], mean)
				addDot(&sum[int(v)*w+1], mean, mean)
			}
		})
		three.step(a, lanes, func(_ int, v int32, mean []float32) {
			addDot(&sum[int(v)*w+2], a[int(v)*lanes:], mean)
			addDot(&sum[int(v)*w+3], mean, mean)
		})
	}
	return func(v int32) []float32 { return sum[int(v)*w:][:w] }
}

// start writes width vectors of random signs, D^-½ z, for some nodes.
func (g *Graph) start(a []float32, nodes []int32, from, width int) {
	for at := 0; at < width; at += signBits {
		signs := g.signs((from + at) / signBits)
		shift, count := (from+at)%signBits, min(width-at, signBits)
		g.some(nodes, func(v int32) {
			size, bits := float32(0), signs[v]>>shift
			if d := g.all(v); d > 0 {
				size = float32(1 / math.Sqrt(float64(d)))
			}
			row := a[int(v)*width+at:][:count]
			for k := range row {
				row[k] = size
				if bits>>k&1 == 1 {
					row[k] = -size
				}
			}
		})
	}
}

// signs returns the bits of a block of random signs for each node.
func (g *Graph) signs(block int) []uint64 {
	if g.base != nil {
		return g.base.signs(block)
	}
	if g.drawn == nil {
		g.drawn = make([][]uint64, vectors/signBits)
	}
	if g.drawn[block] == nil {
		r := rng.Stream(0, "structure", "walk", block*signBits/lanes) // a single stream for all vectors would depend on the number of nodes
		signs := make([]uint64, g.n)
		for v := range signs {
			signs[v] = r.Uint64()
		}
		g.drawn[block] = signs
	}
	return g.drawn[block]
}

// some calls f for the listed nodes on all threads; nil lists all nodes.
func (g *Graph) some(nodes []int32, f func(v int32)) {
	if nodes == nil {
		g.each(f)
		return
	}
	g.pool.Rows(len(nodes), 256, func(lo, hi int) {
		for _, v := range nodes[lo:hi] {
			f(v)
		}
	})
}

// listed returns the nodes for which of is true, or nil if it is true for all.
func listed(of []bool) []int32 {
	out := make([]int32, 0, len(of))
	for v, is := range of {
		if is {
			out = append(out, int32(v))
		}
	}
	if len(out) == len(of) {
		return nil
	}
	return out
}

// masked is true for the listed nodes among n; nil lists all nodes.
func masked(n int, nodes []int32) []bool {
	if nodes == nil {
		return slices.Repeat([]bool{true}, n)
	}
	return lists.Marked(n, nodes)
}

// around returns some nodes and their neighbours.
func (g *Graph) around(of []bool) []bool {
	out := slices.Clone(of)
	for v, is := range of {
		if is {
			for _, w := range g.nbr[g.ptr[v]:g.ptr[v+1]] {
				out[w] = true
			}
		}
	}
	return out
}

// stepper takes steps of vectors for the listed nodes; nil lists all nodes. ptr and nbr have the
// neighbours of these nodes in the form of Graph.
type stepper struct {
	g        *Graph
	nodes    []int32
	ptr, nbr []int32
}

func (g *Graph) stepper(nodes []int32) *stepper {
	s := &stepper{g: g, nodes: nodes, ptr: g.ptr, nbr: g.nbr}
	if nodes == nil {
		return s
	}
	s.ptr = make([]int32, len(nodes)+1)
	for i, v := range nodes {
		s.ptr[i+1] = s.ptr[i] + g.all(v)
	}
	s.nbr = make([]int32, 0, s.ptr[len(nodes)])
	for _, v := range nodes {
		s.nbr = append(s.nbr, g.nbr[g.ptr[v]:g.ptr[v+1]]...)
	}
	return s
}

// node returns the node at position i of the list.
func (s *stepper) node(i int) int32 {
	if s.nodes == nil {
		return int32(i)
	}
	return s.nodes[i]
}

// step calls f for each listed node, on all threads: with its position in the list, the node, and
// the mean over its neighbours' rows in a table of width columns, 0 without neighbours.
func (s *stepper) step(table []float32, width int, f func(i int, v int32, mean []float32)) {
	s.g.pool.Balanced(s.ptr, 4096*lanes/width, func(lo, hi int) {
		var sums [1024]float32
		most := len(sums) / width // number of nodes at a time
		for ; lo < hi; lo += most {
			ptr := s.ptr[lo : min(lo+most, hi)+1]
			m := kernel.SpMM{Dst: sums[:], X: table, D: width, Ptr: ptr, Col: s.nbr}
			m.Rows(0, len(ptr)-1)
			for k := range len(ptr) - 1 {
				mean := sums[k*width:][:width]
				if d := ptr[k+1] - ptr[k]; d > 0 {
					share := 1 / float32(d)
					for j := range mean {
						mean[j] *= share
					}
				}
				f(lo+k, s.node(lo+k), mean)
			}
		}
	})
}

// addDot adds the dot product of two rows to sum, lanes vectors at a time.
func addDot(sum *float32, a, b []float32) {
	for ; len(b) > 0; a, b = a[lanes:], b[lanes:] {
		var part float32
		for k, x := range a[:lanes] {
			part += x * b[k]
		}
		*sum += part
	}
}
