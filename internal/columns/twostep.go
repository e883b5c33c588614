package columns

import "math"

// mostSteps is how many neighbours of an end are looked at for a pair, at most.
const mostSteps = 1024

// mergedLength is the ratio of lengths up to which two lists are merged. If one list is longer than this, the numbers
// of the shorter list are searched in it.
const mergedLength = 4

// neighbours lists, for each node, the other ends of its known edges in one direction, in ascending order, each with
// the sum of the labels and the number of these edges.
type neighbours struct {
	ptr   []int32
	node  []int32
	sum   []float64
	count []float64
}

func (k *known) neighbours(z []float64, end, other func(e int32) int32) *neighbours {
	l := &neighbours{ptr: make([]int32, k.Nodes+1)}
	last := uint64(math.MaxUint64)
	for _, i := range k.byEnds(end, other).edge {
		e := k.edges[i]
		if at := pairKey(end(e), other(e)); at != last {
			last = at
			l.node, l.sum, l.count = append(l.node, other(e)), append(l.sum, 0), append(l.count, 0)
			l.ptr[end(e)+1]++
		}
		n := len(l.node) - 1
		l.sum[n] += z[i]
		l.count[n]++
	}
	for v := range k.Nodes {
		l.ptr[v+1] += l.ptr[v]
	}
	return l
}

// twoStep is the family TwoStep.
func (k *known) twoStep() part {
	z := k.standard(0)
	out, in := k.neighbours(z, k.source, k.target), k.neighbours(z, k.target, k.source)
	return part{4 * len(ways), func(to []float64, times int) func(e described) {
		m := &meeting{at: [2]*neighbours{out, in}, marked: -1}
		if times*markedRows >= k.Nodes {
			m.place = make([][2]int32, k.Nodes)
		}
		return func(e described) {
			for w, s := range m.steps(e.source, e.target) {
				for i, v := range [3]float64{s.both, s.first, s.second} {
					to[4*w+i] = v / (s.paths + 1)
				}
				to[4*w+3] = math.Log1p(s.paths)
			}
		}
	}}
}

// ways lists the kinds of paths from the source over a middle node to the target. A path has two edges, and its kind is
// their direction at the source and at the target: 0 for an edge that leaves this end, 1 for an edge that enters it.
var ways = [4][2]int{{0, 1}, {0, 0}, {1, 1}, {1, 0}}

// markedRows is the number of nodes for each described edge up to which marking neighbours pays off.
const markedRows = 16

// meeting finds the nodes between two nodes. It is for one goroutine.
type meeting struct {
	at [2]*neighbours // by direction
	// place marks the neighbours of a node in both directions: 1 plus the index in the lists of at, or 0. It is nil if
	// marking does not pay off.
	place  [][2]int32
	marked int32 // node whose neighbours are marked, or -1
}

// mark marks the neighbours of u and unmarks those of the node before.
func (m *meeting) mark(u int32) {
	if m.marked == u {
		return
	}
	for d, l := range m.at {
		if m.marked >= 0 {
			for _, v := range l.node[l.ptr[m.marked]:l.ptr[m.marked+1]] {
				m.place[v][d] = 0
			}
		}
		for i := l.ptr[u]; i < l.ptr[u+1]; i++ {
			m.place[l.node[i]][d] = i + 1
		}
	}
	m.marked = u
}

// steps returns the paths from u to v of each kind. The neighbours of v are looked up among those of u, which are
// marked, unless there are many more of them.
func (m *meeting) steps(u, v int32) (out [len(ways)]steps) {
	var looked [2][2]*steps // by the directions at u and at v
	for w, way := range ways {
		a, b := m.at[way[0]], m.at[way[1]]
		few, many := a.degree(u), b.degree(v)
		if m.place != nil && min(few, many) <= mostSteps && many < mergedLength*few {
			looked[way[0]][way[1]] = &out[w]
		} else {
			out[w] = meet(a, b, u, v)
		}
	}
	for d, b := range m.at {
		s0, s1 := looked[0][d], looked[1][d]
		if s0 == nil && s1 == nil {
			continue
		}
		m.mark(u)
		for k := b.ptr[v]; k < b.ptr[v+1]; k++ {
			p := m.place[b.node[k]]
			if p[0] > 0 && s0 != nil {
				s0.add(m.at[0], b, p[0]-1, k)
			}
			if p[1] > 0 && s1 != nil {
				s1.add(m.at[1], b, p[1]-1, k)
			}
		}
	}
	return out
}

// degree is the number of neighbours of a node.
func (l *neighbours) degree(v int32) int { return int(l.ptr[v+1] - l.ptr[v]) }

// steps has sums over the nodes between two others.
type steps struct{ both, first, second, paths float64 }

// add adds the paths over entry i of a and entry k of b, which are the same node.
func (s *steps) add(a, b *neighbours, i, k int32) {
	s.both += a.sum[i] * b.sum[k]
	s.first += a.sum[i] * b.count[k]
	s.second += a.count[i] * b.sum[k]
	s.paths += a.count[i] * b.count[k]
}

// meet sums over the nodes that are neighbours of u in a and of v in b.
func meet(a, b *neighbours, u, v int32) (s steps) {
	aLo, aHi, bLo, bHi := a.ptr[u], a.ptr[u+1], b.ptr[v], b.ptr[v+1]
	swapped := aHi-aLo > bHi-bLo
	if swapped {
		a, b, aLo, aHi, bLo, bHi = b, a, bLo, bHi, aLo, aHi
	}
	n := int(aHi - aLo)
	used := min(n, mostSteps)
	list, at := b.node[bLo:bHi], 0
	if used == n && len(list) < mergedLength*n {
		short := a.node[aLo:aHi]
		for i := 0; i < n && at < len(list); {
			x, y := short[i], list[at]
			if x == y {
				s.add(a, b, aLo+int32(i), bLo+int32(at))
			}
			if x <= y {
				i++
			}
			if y <= x {
				at++
			}
		}
	} else {
		for j := range used {
			i := aLo + int32(j*n/used)
			if at = seek(list, at, a.node[i]); at == len(list) {
				break
			}
			if list[at] == a.node[i] {
				s.add(a, b, i, bLo+int32(at))
			}
		}
	}
	if swapped {
		s.first, s.second = s.second, s.first
	}
	if used < n {
		f := float64(n) / float64(used)
		s = steps{f * s.both, f * s.first, f * s.second, f * s.paths}
	}
	return s
}

// seek returns the first index from at on whose number in the ascending list is not below x, or the length of the list.
// It takes time logarithmic in the distance.
func seek(list []int32, at int, x int32) int {
	step := 1
	for at+step <= len(list) && list[at+step-1] < x {
		at += step
		step *= 2
	}
	end := min(at+step-1, len(list)) // no number from here on is below x
	for at < end {
		if middle := int(uint(at+end) >> 1); list[middle] < x {
			at = middle + 1
		} else {
			end = middle
		}
	}
	return at
}
