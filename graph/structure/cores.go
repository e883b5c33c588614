package structure

import "slices"

// cores are logarithms of the core numbers of ends.
func (g *Graph) cores([]int32) func(row []float32, q *query, end int) {
	core := g.coreNumbers()
	return func(row []float32, q *query, end int) { row[0] = log1p(float64(core[q.ends[end]])) }
}

// coreNumbers are those of all nodes, made once. With one more pair of neighbours they are made of those of the base.
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

// coresOfAll takes out the node with the fewest neighbours left, again and again (Batagelj and Zaversnik 2003).
func (g *Graph) coresOfAll() []int32 {
	most := int32(0)
	left := make([]int32, g.n)
	for v := range int32(g.n) {
		left[v] = g.all(v)
		most = max(most, left[v])
	}
	first := make([]int32, most+2) // where nodes with each number of neighbours begin in order
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
			if d := left[w]; d > left[v] { // w moves to the front of its own, which then begin behind it
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

// coresBeside are the core numbers of a graph whose base, with core numbers that are known, lacks one pair of neighbours.
// These can only rise, by one, and only at nodes that a path of nodes with the lesser core number k of the two joins to the
// pair (Li, Yu and Mao 2014). Of these nodes it takes out those with at most k neighbours that have a larger core number or are
// still in the list, again and again; the others rise.
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
