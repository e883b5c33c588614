package structure

import "math"

// query is the pair that is being described.
type query struct {
	ends [2]int32
	// was counts the edges of the base from the first end to the second, and back. For a loop and
	// in undirected graphs both are the same. is has the counts that the pair is described with.
	was, is  [2]int32
	shared   shared
	compared bool // shared is computed for these ends
	marks    marks
}

// set begins a pair. It keeps shared if the previous pair had the same ends. It reports false if
// own says to leave out an edge that the base does not have.
func (q *query) set(g *Graph, together map[[2]int32]int32, ends [2]int32, own bool) bool {
	if ends != q.ends {
		q.ends, q.compared = ends, false
	}
	q.was = g.edges(ends)
	q.is = q.was
	switch {
	case own:
		q.without(g)
	case together != nil && q.was == [2]int32{}:
		q.is = [2]int32{together[ends], together[[2]int32{ends[1], ends[0]}]}
		q.without(g)
	}
	return q.is[0] >= 0
}

// without leaves one edge out of is.
func (q *query) without(g *Graph) {
	q.is[0]--
	if q.loop() || !g.directed {
		q.is[1] = q.is[0]
	}
}

func (q *query) loop() bool { return q.ends[0] == q.ends[1] }

// changed reports whether the counts of edges between the ends differ from those of the base.
func (q *query) changed() bool { return q.is != q.was }

// degrees returns the numbers of neighbours of an end: those it leads to, those that lead to it,
// and all.
func (g *Graph) degrees(q *query, end int) (out, in, all int32) {
	v := q.ends[end]
	out, in, all = g.outDegree[v], g.inDegree[v], g.all(v)
	if q.loop() || !q.changed() {
		return out, in, all
	}
	out += some(q.is[end]) - some(q.was[end])
	in += some(q.is[1-end]) - some(q.was[1-end])
	all += some(q.is[0]+q.is[1]) - some(q.was[0]+q.was[1])
	return out, in, all
}

// some is 1 if there is at least one edge, and 0 otherwise.
func some(edges int32) int32 { return min(edges, 1) }

func (g *Graph) directedDegrees() func(row []float32, q *query, end int) {
	return func(row []float32, q *query, end int) {
		v := q.ends[end]
		out, in, all := g.degrees(q, end)
		outEdges, inEdges := g.outEdges[v]+q.is[end]-q.was[end], g.inEdges[v]+q.is[1-end]-q.was[1-end]
		for k, n := range [...]int32{out, in, all, outEdges, inEdges} {
			row[k] = log1p(float64(n))
		}
	}
}

func (g *Graph) undirectedDegrees() func(row []float32, q *query, end int) {
	return func(row []float32, q *query, end int) {
		_, _, all := g.degrees(q, end)
		row[0], row[1] = log1p(float64(all)), log1p(float64(g.outEdges[q.ends[end]]+q.is[0]-q.was[0]))
	}
}

func (g *Graph) reciprocities() func(row []float32, q *query, end int) {
	return func(row []float32, q *query, end int) { row[0] = float32(reciprocity(g.degrees(q, end))) }
}

// reciprocity is the share of neighbours with edges in both directions, 0 without neighbours.
func reciprocity(out, in, all int32) float64 {
	if all == 0 {
		return 0
	}
	return float64(out+in-all) / float64(all)
}

func (g *Graph) directedPair() func(row []float32, q *query) {
	return func(row []float32, q *query) {
		row[0], row[1], row[2] = flag(q.is[1] > 0 && !q.loop()), log1p(float64(q.is[0])), flag(q.loop())
	}
}

func (g *Graph) undirectedPair() func(row []float32, q *query) {
	return func(row []float32, q *query) { row[0], row[1] = log1p(float64(q.is[0])), flag(q.loop()) }
}

// shared describes the common neighbours of two nodes.
type shared struct {
	all        int32
	ways       [4]int32 // number of common neighbours by the way from the first node to the second
	adamicAdar float64
}

// Ways over a third node, by the direction of its edges with the first node and with the second.
const (
	outIn = iota // first -> third -> second
	outOut
	inIn
	inOut
)

// common returns the writer of the columns that directed and undirected graphs have.
func (g *Graph) common() func(row []float32, q *query) {
	weight := make([]float64, g.n)
	g.each(func(v int32) { weight[v] = 1 / math.Log(float64(max(g.all(v), 2))) }) // a common neighbour has at least two neighbours
	return func(row []float32, q *query) {
		if !q.compared {
			q.shared, q.compared = g.compare(q, weight), true
		}
		s := &q.shared
		row[0], row[1], row[2] = log1p(float64(s.all)), log1p(s.adamicAdar), 0
		if s.all > 0 {
			_, _, a := g.degrees(q, 0)
			_, _, b := g.degrees(q, 1)
			row[2] = float32(float64(s.all) / float64(a+b-s.all))
		}
	}
}

// directedCommon returns the writer of the columns of the ways, followed by those of common.
func (g *Graph) directedCommon() func(row []float32, q *query) {
	common := g.common()
	return func(row []float32, q *query) {
		common(row[len(q.shared.ways):], q)
		for k, n := range q.shared.ways {
			row[k] = log1p(float64(n))
		}
	}
}

// marks marks the neighbours of a node, so that the neighbours of other nodes can be looked up.
// Pairs with the same first end are described one after the other.
type marks struct {
	kind []uint8 // Graph.kind of each neighbour, 0 for other nodes; nil if there are too few pairs
	node int32
}

const (
	markedPairs  = 16 // nodes per pair from which marks are too expensive
	markedLength = 4  // from this ratio of the lists' lengths on, compare searches the longer list
)

// newMarks returns the marks for a number of pairs.
func (g *Graph) newMarks(pairs int) (m marks) {
	if pairs*markedPairs >= g.n {
		m = marks{make([]uint8, g.n), -1}
	}
	return m
}

// set marks the neighbours of v and clears the marks of the previous node.
func (m *marks) set(g *Graph, v int32) {
	if m.node == v {
		return
	}
	if m.node >= 0 {
		for _, x := range g.nbr[g.ptr[m.node]:g.ptr[m.node+1]] {
			m.kind[x] = 0
		}
	}
	for a := g.ptr[v]; a < g.ptr[v+1]; a++ {
		m.kind[g.nbr[a]] = g.kind(a)
	}
	m.node = v
}

// kind is the direction of the edges with a neighbour, by its position in nbr: 1 to it, 2 from it,
// 3 both.
func (g *Graph) kind(entry int32) uint8 { return uint8(some(g.out[entry]) | some(g.in[entry])<<1) }

// count adds up the common neighbours: met[a][b] is how many have kind a for the first node and
// kind b for the second.
func (s *shared) count(met *[4][4]int32) {
	for a, of := range met {
		for b, n := range of {
			if n == 0 {
				continue
			}
			s.all += n
			for k, way := range [...][2]int{outIn: {1, 2}, outOut: {1, 1}, inIn: {2, 2}, inOut: {2, 1}} {
				if a&way[0] > 0 && b&way[1] > 0 {
					s.ways[k] += n
				}
			}
		}
	}
}

// compare finds the common neighbours of the ends of a pair. A loop has none.
func (g *Graph) compare(q *query, weight []float64) (s shared) {
	if q.loop() {
		return s
	}
	u, v := q.ends[0], q.ends[1]
	a, endA, b, endB := g.ptr[u], g.ptr[u+1], g.ptr[v], g.ptr[v+1]
	var met [4][4]int32 // number of common neighbours by their kinds for u and for v
	if q.marks.kind != nil && endB-b < markedLength*(endA-a) {
		q.marks.set(g, u)
		for ; b < endB; b++ {
			if x := g.nbr[b]; q.marks.kind[x] > 0 {
				s.adamicAdar += weight[x]
				met[q.marks.kind[x]&3][g.kind(b)&3]++
			}
		}
		s.count(&met)
		return s
	}
	for a < endA && b < endB {
		switch x, y := g.nbr[a], g.nbr[b]; {
		case x < y:
			a = g.seek(a+1, endA, y)
		case y < x:
			b = g.seek(b+1, endB, x)
		default:
			s.adamicAdar += weight[x]
			met[g.kind(a)&3][g.kind(b)&3]++
			a, b = a+1, b+1
		}
	}
	s.count(&met)
	return s
}

// seek returns the first position from lo on whose node is not below v. Its steps double, so a
// short list is found in a long one without reading all of the long one.
func (g *Graph) seek(lo, end, v int32) int32 {
	step := int32(1)
	for lo+step < end && g.nbr[lo+step] < v {
		lo += step
		step *= 2
	}
	return g.first(lo, min(lo+step, end), v)
}

func log1p(x float64) float32 { return float32(math.Log1p(x)) }

func flag(is bool) float32 {
	if is {
		return 1
	}
	return 0
}
