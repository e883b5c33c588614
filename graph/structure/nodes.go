package structure

import "math"

// ofNodes writes the columns of an end from a table with a row of w for each node.
func ofNodes(table []float32, w int) func(row []float32, q *query, end int) {
	return func(row []float32, q *query, end int) {
		copy(row[:w], table[int(q.ends[end])*w:])
	}
}

// neighbours are means over the neighbours of each node.
func (g *Graph) neighbours() func(row []float32, q *query, end int) {
	if !g.directed {
		return ofNodes(g.means(1, [][]int32{g.out}, func(row []float64, v int32) { row[0] = math.Log1p(float64(g.all(v))) }), 1)
	}
	return ofNodes(g.means(3, [][]int32{g.out, g.in}, func(row []float64, v int32) {
		out, in := g.outDegree[v], g.inDegree[v]
		row[0], row[1], row[2] = math.Log1p(float64(out)), math.Log1p(float64(in)), reciprocity(out, in, g.all(v))
	}), 6)
}

// means are the means of w values over the neighbours with edges of each of some kinds, 0
// where there are none.
func (g *Graph) means(w int, kinds [][]int32, of func(row []float64, v int32)) []float32 {
	values := make([]float64, g.n*w)
	g.each(func(v int32) { of(values[int(v)*w:][:w], v) })
	out := make([]float32, g.n*w*len(kinds))
	g.each(func(v int32) {
		for kind, edges := range kinds {
			var sum [3]float64
			n := 0
			for k := g.ptr[v]; k < g.ptr[v+1]; k++ {
				if edges[k] == 0 {
					continue
				}
				n++
				for c, x := range values[int(g.nbr[k])*w:][:w] {
					sum[c] += x
				}
			}
			for c := range w {
				out[(int(v)*len(kinds)+kind)*w+c] = float32(sum[c] / float64(max(n, 1)))
			}
		}
	})
	return out
}

// cores are the core numbers, found by taking out the node with the fewest neighbours left,
// again and again (Batagelj and Zaversnik 2003).
func (g *Graph) cores() func(row []float32, q *query, end int) {
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
	table := make([]float32, g.n)
	for v, k := range left {
		table[v] = log1p(float64(k))
	}
	return ofNodes(table, 1)
}
