package columns

import (
	"math"
	"slices"

	"github.com/ehgnn/ehgnn/internal/lists"
)

// Constants of Labels.
const (
	classShrink   = 2  // pseudo-count of the mean of all labels, for classes
	numberShrink  = 1  // pseudo-count for numbers
	countedMost   = 12 // classes up to which the number of labels of each class is a column
	mostParallel  = 3  // largest number of parallel edges that is distinguished
	effectRounds  = 8
	effectShrink  = 2
	lowRankRounds = 6 // rounds of the effects that LowRank starts from
)

// atEnds says which known edges are counted at an end of the described edge: edges that leave the node or edges that enter it.
type atEnds struct {
	end   func(e int32) int32
	sum   []float64 // [nodes,classes]
	count []float64
}

// role is an end of the described edge, with the direction of the known edges counted there.
type role struct {
	end  func(e described) int32
	sums *atEnds
}

// endSums has the sums of the family Labels: known labels of edges that leave each node, of edges that enter it, and
// known edges between two nodes.
type endSums struct {
	from, to *atEnds
	pairs    *pairList
}

func (k *known) endSums() *endSums {
	return &endSums{k.atEnd(k.source), k.atEnd(k.target), k.pairs()}
}

// atEnd sums the known labels at the nodes that end returns.
func (k *known) atEnd(end func(e int32) int32) *atEnds {
	w := len(k.of)
	a := &atEnds{end, make([]float64, k.Nodes*w), make([]float64, k.Nodes)}
	for i, e := range k.edges {
		v := int(end(e))
		a.count[v]++
		for c, x := range k.value[i*w:][:w] {
			a.sum[v*w+c] += x
		}
	}
	return a
}

// sumWithout returns the sum and the number of labels at a node without some known edges. to is memory for the sum.
func (a *atEnds) sumWithout(k *known, own []int32, v int, to []float64) (sum []float64, n float64) {
	w := len(k.of)
	sum, n = a.sum[v*w:][:w], a.count[v]
	for _, i := range own {
		if int(a.end(k.edges[i])) != v {
			continue
		}
		copy(to, sum)
		sum = to[:w]
		for c, x := range k.value[int(i)*w:][:w] {
			sum[c] -= x
		}
		n--
	}
	return sum, n
}

// counted is the number of classes that have count columns at an end.
func (g *Graph) counted() int {
	switch {
	case g.Classes == 2:
		return 2
	case g.Classes > 2 && g.Classes <= countedMost:
		return len(g.classes())
	}
	return 0
}

// LabelRowsWidth is LabelRows.Width.
func (g *Graph) LabelRowsWidth() int {
	w := len(g.classes())
	return 4*(w+1+g.counted()) + 2*(w+1)
}

// labels is the family Labels. If known edges are described as well, it has no effects, and each known edge leaves out its own label.
func (k *known) labels(sums *endSums, effects bool) part {
	from, to, pairs := sums.from, sums.to, sums.pairs
	atSource, atTarget := func(e described) int32 { return e.source }, func(e described) int32 { return e.target }
	roles := []role{{atSource, from}, {atTarget, to}, {atSource, to}, {atTarget, from}}
	w, shrink, counted := len(k.of), float64(classShrink), k.counted()
	if k.Classes == 0 {
		shrink = numberShrink
	}
	var source, target []float64
	width := k.LabelRowsWidth()
	if effects = effects && k.Classes == 0; effects {
		width += 4
		source, target = k.effects(k.value, k.mean[0], effectRounds)
	}
	write := func(out, to []float64, e described) { // to is scratch memory
		own := e.own
		put := func(v float64) { out[0], out = v, out[1:] }
		var mean [2]float64 // means at the source of edges from it and at the target of edges to it
		for r, role := range roles {
			v := int(role.end(e))
			sum, n := role.sums.sumWithout(k, own, v, to)
			for c, s := range sum {
				m := (s + shrink*k.mean[c]) / (n + shrink)
				if put(m); r < 2 {
					mean[r] = m
				}
			}
			put(math.Log1p(n))
			switch counted {
			case 0:
			case 2:
				if k.Classes == 2 {
					put(math.Log1p(n - sum[0]))
					put(math.Log1p(sum[0]))
					break
				}
				fallthrough
			default:
				for _, s := range sum {
					put(math.Log1p(s))
				}
			}
		}
		for _, ends := range [2][2]int32{{e.source, e.target}, {e.target, e.source}} {
			list, n := pairs.between(ends[0], ends[1]), 0
			clear(to)
			for _, i := range list {
				if slices.Contains(own, i) {
					continue
				}
				n++
				for c, x := range k.value[int(i)*w:][:w] {
					to[c] += x
				}
			}
			for c, sum := range to {
				put((sum - float64(n)*k.mean[c]) / (float64(n) + 1))
			}
			put(float64(min(n, mostParallel)))
		}
		if effects {
			s, t := source[e.source], target[e.target]
			put(mean[0] + mean[1] - k.mean[0])
			put(k.mean[0] + s + t)
			put(s)
			put(t)
		}
	}
	return part{width, func(out []float64, _ int) func(e described) {
		to := make([]float64, w)
		return func(e described) { write(out, to, e) }
	}}
}

// effects are additive effects of sources and of targets on labels minus their mean, fitted in turns with shrinkage.
func (k *known) effects(label []float64, mean float64, rounds int) (source, target []float64) {
	source, target = make([]float64, k.Nodes), make([]float64, k.Nodes)
	from, to := make([]float64, k.Nodes), make([]float64, k.Nodes)
	for _, e := range k.edges {
		from[k.source(e)]++
		to[k.target(e)]++
	}
	half := func(out, count, other []float64, end, opposite func(e int32) int32) {
		clear(out)
		for i, e := range k.edges {
			out[end(e)] += label[i] - mean - other[opposite(e)]
		}
		for v := range out {
			out[v] /= count[v] + effectShrink
		}
	}
	for range rounds {
		half(source, from, target, k.source, k.target)
		half(target, to, source, k.target, k.source)
	}
	return source, target
}

// pairList lists the known edges of each source node, sorted by target.
type pairList struct {
	incidence         // indices of known edges
	target    []int32 // target of each entry
}

func pairKey(from, to int32) uint64 { return uint64(uint32(from))<<32 | uint64(uint32(to)) }

func (k *known) pairs() *pairList {
	p := &pairList{incidence: k.byEnds(k.source, k.target)}
	p.target = lists.Map(p.edge, func(i int32) int32 { return k.target(k.edges[i]) })
	return p
}

// between returns the known edges from one node to another.
func (p *pairList) between(from, to int32) []int32 {
	first := p.ptr[from]
	targets := p.target[first:p.ptr[from+1]]
	lo, found := slices.BinarySearch(targets, to)
	if !found {
		return nil
	}
	hi := lo
	for hi < len(targets) && targets[hi] == to {
		hi++
	}
	return p.edge[first+int32(lo) : first+int32(hi)]
}
