package structure

import "slices"

// cores returns the writer of the logarithms of the ends' core numbers.
func (g *Graph) cores([]int32) func(row []float32, q *query, end int) {
	core := g.coreNumbers()
	return func(row []float32, q *query, end int) { row[0] = log1p(float64(core[q.ends[end]])) }
}

// coreNumbers returns the core numbers of all nodes, computed once. For a graph with one more pair
// of neighbours than its base it updates those of the base.
func (g *Graph) coreNumbers() []int32 {
	switch {
	case g.core != nil:
	case g.base != nil && len(g.added) == 2:
		g.core = g.coresBeside(g.base.coreNumbers())
	default:
		g.core = g.coresOfAll()
	}
	return g.core
}

// coresOfAll removes the node with the fewest neighbours left, again and again (Batagelj and
// Zaversnik 2003).
func (g *Graph) coresOfAll() []int32 {
	most := int32(0)
	left := make([]int32, g.n)
	for v := range int32(g.n) {
		left[v] = g.all(v)
		most = max(most, left[v])
	}
	first := make([]int32, most+2) // where the nodes with each number of neighbours begin in order
	for _, d := range left {
		first[d+1]++
	}
	for d := range most + 1 {
		first[d+1] += first[d]
	}
	order, place, next := make([]int32, g.n), make([]int32, g.n), append([]int32(nil), first...)
	for v, d := range left {
		order[next[d]], place[v] = int32(v), next[d]
		next[d]++
	}
	for i := range order {
		v := order[i]
		for _, w := range g.nbr[g.ptr[v]:g.ptr[v+1]] {
			if d := left[w]; d > left[v] { // w moves to the front of the nodes with d neighbours, which now begin behind it
				x := order[first[d]]
				order[first[d]], order[place[w]] = w, x
				place[x], place[w] = place[w], first[d]
				first[d]++
				left[w]--
			}
		}
	}
	return left
}

// coresBeside returns the core numbers of a graph that has one more pair of neighbours than its
// base, whose core numbers are known. Core numbers can only rise, by one. Let k be the lesser core
// number of the pair. Only nodes with core number k can rise, and only if a path of such nodes
// joins them to the pair (Li, Yu and Mao 2014). From these nodes it removes, again and again, each
// node with at most k neighbours that have a larger core number or are still in the list. The
// remaining nodes rise.
func (g *Graph) coresBeside(known []int32) []int32 {
	core := slices.Clone(known)
	k := min(core[g.added[0]], core[g.added[1]])
	var near []int32
	rises := make([]bool, g.n)
	reach := func(v int32) {
		if core[v] == k && !rises[v] {
			rises[v] = true
			near = append(near, v)
		}
	}
	reach(g.added[0])
	reach(g.added[1])
	count := make([]int32, g.n)
	for i := 0; i < len(near); i++ {
		v := near[i]
		for _, w := range g.nbr[g.ptr[v]:g.ptr[v+1]] {
			if core[w] >= k {
				count[v]++
			}
			reach(w)
		}
	}
	var stay []int32
	keep := func(v int32) {
		if rises[v] && count[v] <= k {
			rises[v] = false
			stay = append(stay, v)
		}
	}
	for _, v := range near {
		keep(v)
	}
	for i := 0; i < len(stay); i++ {
		for _, w := range g.nbr[g.ptr[stay[i]]:g.ptr[stay[i]+1]] {
			count[w]--
			keep(w)
		}
	}
	for _, v := range near {
		if rises[v] {
			core[v]++
		}
	}
	return core
}
