package structure_test

import (
	"math"
	"slices"
)

// brute computes columns from their definitions: from the list of edges, of which one may be
// left out, by looking at all pairs of nodes.
type brute struct {
	n        int
	directed bool
	edges    [][]float64 // number of edges from u to v; symmetric in an undirected graph
}

func newBrute(n int, ends []int32, directed bool, without int) *brute {
	b := &brute{n: n, directed: directed, edges: make([][]float64, n)}
	for v := range b.edges {
		b.edges[v] = make([]float64, n)
	}
	for e := range len(ends) / 2 {
		if e == without {
			continue
		}
		u, v := ends[2*e], ends[2*e+1]
		b.edges[u][v]++
		if !directed && u != v {
			b.edges[v][u]++
		}
	}
	return b
}

func (b *brute) leads(u, v int) bool  { return u != v && b.edges[u][v] > 0 }
func (b *brute) joined(u, v int) bool { return b.leads(u, v) || b.leads(v, u) }

// count is the number of nodes for which something holds.
func (b *brute) count(is func(w int) bool) float64 {
	n := 0.0
	for w := range b.n {
		if is(w) {
			n++
		}
	}
	return n
}

func (b *brute) outDegree(v int) float64 {
	return b.count(func(w int) bool { return b.leads(v, w) })
}
func (b *brute) inDegree(v int) float64 { return b.count(func(w int) bool { return b.leads(w, v) }) }
func (b *brute) degree(v int) float64   { return b.count(func(w int) bool { return b.joined(v, w) }) }

func (b *brute) reciprocity(v int) float64 {
	return share(b.count(func(w int) bool { return b.leads(v, w) && b.leads(w, v) }), b.degree(v))
}

func share(part, all float64) float64 {
	if all == 0 {
		return 0
	}
	return part / all
}

// mean of a value over the nodes for which something holds.
func (b *brute) mean(of func(v int) float64, is func(w int) bool) float64 {
	sum := 0.0
	for w := range b.n {
		if is(w) {
			sum += of(w)
		}
	}
	return share(sum, b.count(is))
}

// core is the largest k for which v is left when nodes with fewer than k neighbours are taken
// out until there are none.
func (b *brute) core(v int) float64 {
	for k := 1; ; k++ {
		left := make([]bool, b.n)
		for w := range left {
			left[w] = true
		}
		for again := true; again; {
			again = false
			for w := range left {
				if left[w] && b.count(func(x int) bool { return left[x] && b.joined(w, x) }) < float64(k) {
					left[w], again = false, true
				}
			}
		}
		if !left[v] {
			return float64(k - 1)
		}
	}
}

// returned is the probability of being at v again after k steps.
func (b *brute) returned(v, k int) float64 {
	at := make([]float64, b.n)
	at[v] = 1
	for range k {
		next := make([]float64, b.n)
		for x, p := range at {
			for y := range b.n {
				if b.joined(x, y) {
					next[y] += p / b.degree(x)
				}
			}
		}
		at = next
	}
	return at[v]
}

// row has the columns of a pair by their names.
func (b *brute) row(u, v int) map[string]float64 {
	row := map[string]float64{}
	for end, x := range []int{u, v} {
		var values = map[string]float64{"degree": math.Log1p(b.degree(x)), "core": math.Log1p(b.core(x))}
		for k := 2; k <= 6; k++ {
			values["return_"+string(rune('0'+k))] = math.Log1p(100 * b.returned(x, k))
		}
		var out, in float64
		for w := range b.n {
			out, in = out+b.edges[x][w], in+b.edges[w][x]
		}
		from, to := func(w int) bool { return b.leads(x, w) }, func(w int) bool { return b.leads(w, x) }
		logOut, logIn := func(w int) float64 { return math.Log1p(b.outDegree(w)) }, func(w int) float64 { return math.Log1p(b.inDegree(w)) }
		if !b.directed {
			values["edges"], values["neighbours_degree"] = math.Log1p(out), b.mean(logOut, from)
			for name, x := range values {
				if end == 0 {
					row[name] = x
					continue
				}
				row[name+"_mean"], row[name+"_difference"] = (row[name]+x)/2, math.Abs(row[name]-x)
				delete(row, name)
			}
			continue
		}
		values["out_degree"], values["in_degree"], values["out_edges"], values["in_edges"] = math.Log1p(b.outDegree(x)), math.Log1p(b.inDegree(x)), math.Log1p(out), math.Log1p(in)
		values["reciprocity"] = b.reciprocity(x)
		values["out_neighbours_out_degree"], values["out_neighbours_in_degree"], values["out_neighbours_reciprocity"] = b.mean(logOut, from), b.mean(logIn, from), b.mean(b.reciprocity, from)
		values["in_neighbours_out_degree"], values["in_neighbours_in_degree"], values["in_neighbours_reciprocity"] = b.mean(logOut, to), b.mean(logIn, to), b.mean(b.reciprocity, to)
		for name, x := range values {
			row[[]string{"source_", "target_"}[end]+name] = x
		}
	}
	is := func(yes bool) float64 { return map[bool]float64{true: 1}[yes] }
	row["parallel"], row["loop"] = math.Log1p(b.edges[u][v]), is(u == v)
	both := func(w int) bool { return u != v && b.joined(u, w) && b.joined(v, w) }
	row["common"] = math.Log1p(b.count(both))
	adamicAdar := 0.0
	for w := range b.n {
		if both(w) {
			adamicAdar += 1 / math.Log(b.degree(w))
		}
	}
	row["adamic_adar"] = math.Log1p(adamicAdar)
	row["jaccard"] = share(b.count(both), b.count(func(w int) bool { return b.joined(u, w) || b.joined(v, w) }))
	if b.directed {
		row["reverse"] = is(b.leads(v, u))
		for name, way := range map[string]func(w int) bool{
			"common_out_in":  func(w int) bool { return b.leads(u, w) && b.leads(w, v) },
			"common_out_out": func(w int) bool { return b.leads(u, w) && b.leads(v, w) },
			"common_in_in":   func(w int) bool { return b.leads(w, u) && b.leads(w, v) },
			"common_in_out":  func(w int) bool { return b.leads(w, u) && b.leads(v, w) },
		} {
			row[name] = math.Log1p(b.count(func(w int) bool { return u != v && way(w) }))
		}
	}
	return row
}

// values are the named columns of a row.
func values(row map[string]float64, names []string) []float64 {
	out := make([]float64, len(names))
	for k, n := range names {
		x, ok := row[n]
		if !ok {
			panic("no definition of " + n)
		}
		out[k] = x
	}
	return slices.Clip(out)
}
