package columns

import "math"

// mostSteps bounds how many neighbours of an end are looked at for a pair.
const mostSteps = 1024

// mergedLength is how many times as long as another a list may be that is merged with it, number by number; in a longer list
// the numbers are searched for.
const mergedLength = 4

// neighbours lists, for each node, the other ends of its known edges in one direction, rising, each with the sum of the
// labels and the number of the edges there.
type neighbours struct {
	ptr   []int32
	node  []int32
	sum   []float64
	count []float64
}

func (k *known) neighbours(z []float64, end, other func(e int32) int32) *neighbours {
	key := func(i int32) uint64 { return pairKey(end(k.edges[i]), other(k.edges[i])) }
	l := &neighbours{ptr: make([]int32, k.Nodes+1)}
	last := uint64(math.MaxUint64)
	for _, i := range sorted(len(k.edges), key) {
		if at := key(i); at != last {
			last = at
			l.node, l.sum, l.count = append(l.node, other(k.edges[i])), append(l.sum, 0), append(l.count, 0)
			l.ptr[end(k.edges[i])+1]++
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
	// Ways from the source over a node in between to the target, by the directions of the two edges.
	ways := [4][2]*neighbours{{out, in}, {out, out}, {in, in}, {in, out}}
	return part{4 * len(ways), func(to []float64, e described) {
		for w, way := range ways {
			s := meet(way[0], way[1], e.source, e.target)
			for i, v := range [3]float64{s.both, s.first, s.second} {
				to[4*w+i] = v / (s.paths + 1)
			}
			to[4*w+3] = math.Log1p(s.paths)
		}
	}}
}

// steps are sums over the nodes between two others.
type steps struct{ both, first, second, paths float64 }

// meet adds up over the nodes that are neighbours of u in a and of v in b.
func meet(a, b *neighbours, u, v int32) (s steps) {
	aLo, aHi, bLo, bHi := a.ptr[u], a.ptr[u+1], b.ptr[v], b.ptr[v+1]
	swapped := aHi-aLo > bHi-bLo
	if swapped {
		a, b, aLo, aHi, bLo, bHi = b, a, bLo, bHi, aLo, aHi
	}
	n := int(aHi - aLo)
	used := min(n, mostSteps)
	list, at := b.node[bLo:bHi], 0
	add := func(i, m int32) {
		s.both += a.sum[i] * b.sum[m]
		s.first += a.sum[i] * b.count[m]
		s.second += a.count[i] * b.sum[m]
		s.paths += a.count[i] * b.count[m]
	}
	if used == n && len(list) < mergedLength*n {
		short := a.node[aLo:aHi]
		for i := 0; i < n && at < len(list); {
			x, y := short[i], list[at]
			if x == y {
				add(aLo+int32(i), bLo+int32(at))
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
				add(i, bLo+int32(at))
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

// seek is where the first number of a rising list stands from a place on that is not below x; the length of the list for
// none. It takes a logarithm of the way in steps.
func seek(list []int32, at int, x int32) int {
	step := 1
	for at+step <= len(list) && list[at+step-1] < x {
		at += step
		step *= 2
	}
	end := min(at+step-1, len(list)) // all numbers from here on are not below x
	for at < end {
		if middle := int(uint(at+end) >> 1); list[middle] < x {
			at = middle + 1
		} else {
			end = middle
		}
	}
	return at
}
