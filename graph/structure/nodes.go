package structure

import "math"

// ofNodes returns the writer of columns of an end, from a table with a row of width w for each
// node.
func ofNodes(table []float32, w int) func(row []float32, q *query, end int) {
	return func(row []float32, q *query, end int) {
		copy(row[:w], table[int(q.ends[end])*w:])
	}
}

// neighbours returns the writer of means over the neighbours of each node. If a pair has other
// edges between its ends than the base, only the other end's part in these means changes.
func (g *Graph) neighbours() func(row []float32, q *query, end int) {
	kinds, w := [][]int32{g.out, g.in}, 3
	if !g.directed {
		kinds, w = kinds[:1], 1
	}
	sums := g.sums(kinds, w)
	return func(row []float32, q *query, end int) {
		v, other := q.ends[end], q.ends[1-end]
		for kind := range kinds {
			sum, n := [3]float64{}, g.outDegree[v]
			if kind == 1 {
				n = g.inDegree[v]
			}
			copy(sum[:w], sums[(int(v)*len(kinds)+kind)*w:])
			if q.changed() && !q.loop() {
				was, is := describe(g.outDegree[other], g.inDegree[other], g.all(other)), describe(g.degrees(q, 1-end))
				wasOne, isOne := some(q.was[end^kind]), some(q.is[end^kind])
				for c := range w {
					sum[c] += float64(isOne)*is[c] - float64(wasOne)*was[c]
				}
				n += isOne - wasOne
			}
			for c := range w {
				row[kind*w+c] = float32(sum[c] / float64(max(n, 1)))
			}
		}
	}
}

// describe returns the numbers of a node whose means over neighbours are taken. Undirected graphs
// use only the first.
func describe(out, in, all int32) [3]float64 {
	return [3]float64{math.Log1p(float64(out)), math.Log1p(float64(in)), reciprocity(out, in, all)}
}

// sums returns the sums of the first w numbers of describe over the neighbours with edges of each
// kind.
func (g *Graph) sums(kinds [][]int32, w int) []float64 {
	values := make([][3]float64, g.n)
	g.each(func(v int32) { values[v] = describe(g.outDegree[v], g.inDegree[v], g.all(v)) })
	out := make([]float64, g.n*len(kinds)*w)
	g.each(func(v int32) {
		for kind, edges := range kinds {
			sum := out[(int(v)*len(kinds)+kind)*w:][:w]
			for k := g.ptr[v]; k < g.ptr[v+1]; k++ {
				if edges[k] > 0 {
					for c := range sum {
						sum[c] += values[g.nbr[k]][c]
					}
				}
			}
		}
	})
	return out
}
