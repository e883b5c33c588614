package nn

import (
	"math"

	"github.com/ehgnn/ehgnn/graph"
	"github.com/ehgnn/ehgnn/internal/par"
	"github.com/ehgnn/ehgnn/tensor"
)

// LabelContext computes columns for every edge from the observed labels of the edges around it
// (masked label prediction, as in UniMP). If an edge's own label is observed, it is in the edge's
// row, but not in the counts over its neighbours. A hidden label is used nowhere.
//
// An edge uv of a directed graph reads four groups of edges: those that leave u, enter v, enter u
// and leave v. In an undirected graph there are two groups, the edges at each end. The columns are
// then the sum and the absolute difference of both groups, because the ends have no order.
type LabelContext struct {
	// Classes is the number of classes, or 0 if labels are standardised numbers.
	Classes int
	// Directed says whether the graphs are directed.
	Directed bool
}

// Width is the number of columns.
func (c LabelContext) Width() int {
	groups, directions := 2, 1 // sum and difference; the parallel edges
	if c.Directed {
		groups, directions = 4, 2 // and the edges in the opposite direction
	}
	return c.ownWidth() + groups*c.groupWidth() + directions*c.pairWidth()
}

func (c LabelContext) ownWidth() int {
	if c.Classes > 0 {
		return c.Classes + 1 // one-hot, known
	}
	return 4 // number, residual, known, estimate from both ends
}

func (c LabelContext) groupWidth() int {
	if c.Classes > 0 {
		return 2*c.Classes + 1
	}
	return 3
}

func (c LabelContext) pairWidth() int {
	if c.Classes > 0 {
		return c.Classes + 1
	}
	return 2
}

// labelCounts has the observed labels of one pass.
type labelCounts struct {
	LabelContext
	ends     []int32
	parallel *graph.ParallelEdges
	label    []float32 // NaN if hidden
	prior    []float64 // share of each class
	counts   [2][]float32
	// For numbers: the mean of all labels, and for every node by role the sum of labels, their
	// number and the node's effect.
	mean           float64
	sum, n, effect [2][]float64
	log            logTable
}

// Columns returns the columns [m,Width] of a batch. For numbers it also returns an estimate [m,1]
// from the effects of both ends; for classes estimate is nil. label is NaN where it is hidden.
func (c LabelContext) Columns(p *Pass, v graph.View, label []float32) (columns, estimate *tensor.Tensor) {
	m := v.H.NumEdges()
	l := &labelCounts{LabelContext: c, ends: v.H.Ends(), parallel: v.H.ParallelEdges(), label: label}
	columns = p.Tape.New(m, c.Width())
	pool := par.New(p.Tape.Threads())
	if c.Classes > 0 {
		l.countClasses(v.H.NumVertices())
	} else {
		l.fitEffects(v.H.NumVertices())
		estimate = p.Tape.New(m, 1)
	}
	pool.Rows(m, 64, func(lo, hi int) { l.fill(columns.Data(), estimate, lo, hi) })
	pool.Rows(len(l.parallel.Ptr)-1, 64, func(lo, hi int) { l.fillPairs(columns.Data(), lo, hi) })
	return columns, estimate
}

// role says in which of two sums an edge counts at its first (0) or second (1) end.
func (l *labelCounts) role(end int) int {
	if l.Directed {
		return end
	}
	return 0
}

// countClasses counts the observed classes at every node.
func (l *labelCounts) countClasses(nodes int) {
	roles, k := 1, l.Classes
	if l.Directed {
		roles = 2
	}
	for r := range roles {
		l.counts[r] = make([]float32, nodes*k)
	}
	l.prior = classShares(l.label, k)
	most := 0
	for e, x := range l.label {
		if x != x {
			continue
		}
		for end := range 2 {
			at := &l.counts[l.role(end)][int(l.ends[2*e+end])*k+int(x)]
			*at++
			most = max(most, int(*at))
		}
	}
	l.log = newLogTable(l.prior, min(most*k, maxLogTable))
}

// classShares returns the shares of classes among the observed labels, with one added to each
// count.
func classShares(label []float32, classes int) []float64 {
	out, total := make([]float64, classes), 0.0
	for _, x := range label {
		if x == x {
			out[int(x)]++
			total++
		}
	}
	for i := range out {
		out[i] = (out[i] + 1) / (total + float64(classes))
	}
	return out
}

const maxLogTable = 4096

// logTable has precomputed logarithms of counts. Most nodes have small counts.
type logTable struct {
	one   []float32   // ln(1+n)
	two   []float32   // ln(n+2)
	share [][]float32 // for each class with prior π: ln((n+2π)/π)
	prior []float64
}

func newLogTable(prior []float64, most int) logTable {
	t := logTable{prior: prior, share: make([][]float32, len(prior))}
	for n := range most + 1 {
		t.one = append(t.one, float32(math.Log1p(float64(n))))
		t.two = append(t.two, float32(math.Log(float64(n)+2)))
	}
	for c, p := range prior {
		for n := range most + 1 {
			t.share[c] = append(t.share[c], float32(math.Log((float64(n)+2*p)/p)))
		}
	}
	return t
}

func (t *logTable) ln1(n float32) float32 {
	if int(n) < len(t.one) {
		return t.one[int(n)]
	}
	return float32(math.Log1p(float64(n)))
}

func (t *logTable) ln2(n float32) float32 {
	if int(n) < len(t.two) {
		return t.two[int(n)]
	}
	return float32(math.Log(float64(n) + 2))
}

func (t *logTable) lnShare(c int, n float32) float32 {
	if int(n) < len(t.share[c]) {
		return t.share[c][int(n)]
	}
	return float32(math.Log((float64(n) + 2*t.prior[c]) / t.prior[c]))
}

// shrink is a pseudo-count that shrinks the effects of nodes to 0 (ridge): so many edges without
// effect are added to each node.
const shrink = 4

// fitEffects fits label = mean + effect of the first end + effect of the second end by least
// squares with shrinkage, in a few rounds over both roles.
func (l *labelCounts) fitEffects(nodes int) {
	roles := 1
	if l.Directed {
		roles = 2
	}
	for r := range roles {
		l.sum[r], l.n[r], l.effect[r] = make([]float64, nodes), make([]float64, nodes), make([]float64, nodes)
	}
	total, count := 0.0, 0.0
	for e, x := range l.label {
		if x != x {
			continue
		}
		total, count = total+float64(x), count+1
		for end := range 2 {
			r, v := l.role(end), l.ends[2*e+end]
			l.sum[r][v] += float64(x)
			l.n[r][v]++
		}
	}
	l.mean = total / max(count, 1)
	const rounds = 4
	step := 1.0
	if !l.Directed {
		step = 0.5 // both ends change at the same time and would overshoot
	}
	for range rounds {
		for end := range 2 {
			r, other := l.role(end), l.role(1-end)
			rest := make([]float64, nodes)
			for e, x := range l.label {
				if x != x {
					continue
				}
				rest[l.ends[2*e+end]] += float64(x) - l.mean - l.effect[other][l.ends[2*e+1-end]]
				if !l.Directed {
					rest[l.ends[2*e+1-end]] += float64(x) - l.mean - l.effect[0][l.ends[2*e+end]]
				}
			}
			for v := range rest {
				l.effect[r][v] += step * (rest[v]/(l.n[r][v]+shrink) - l.effect[r][v])
			}
		}
	}
}

// without returns the leave-one-out effect of a node in a role, without edge e if e is observed.
func (l *labelCounts) without(r int, v int32, e int, times float64) (effect, mean, n float64) {
	effect, sum, n := l.effect[r][v], l.sum[r][v], l.n[r][v]
	if x := float64(l.label[e]); x == x && times > 0 {
		rest := effect * (n + shrink)
		other := l.ends[2*e] + l.ends[2*e+1] - v
		rest -= times * (x - l.mean - l.effect[l.opposite(r)][other])
		sum, n = sum-times*x, n-times
		effect = rest / (n + shrink)
	}
	return effect, (sum + l.mean) / (n + 1), n
}

func (l *labelCounts) opposite(r int) int {
	if l.Directed {
		return 1 - r
	}
	return 0
}

// fill writes all columns of edges lo to hi, except the columns of parallel and reverse edges.
func (l *labelCounts) fill(columns []float32, estimate *tensor.Tensor, lo, hi int) {
	width, group := l.Width(), l.groupWidth()
	a, b := make([]float32, group), make([]float32, group)
	for e := lo; e < hi; e++ {
		row := columns[e*width : (e+1)*width]
		clear(row)
		first, second := l.ends[2*e], l.ends[2*e+1]
		loop := float64(0) // how often the edge is also in a group by its other end
		if first == second {
			loop = 1
		}
		if l.Classes > 0 {
			if x := l.label[e]; x == x {
				row[int(x)], row[l.Classes] = 1, 1
			}
		} else {
			l.fillOwn(row, estimate, e, first, second)
		}
		row = row[l.ownWidth():]
		if l.Directed {
			l.group(row, 0, first, e, 1)
			l.group(row[group:], 1, second, e, 1)
			l.group(row[2*group:], 1, first, e, loop)
			l.group(row[3*group:], 0, second, e, loop)
			continue
		}
		l.group(a, 0, first, e, 1+loop)
		l.group(b, 0, second, e, 1+loop)
		for i := range a {
			row[i], row[group+i] = a[i]+b[i], max(a[i]-b[i], b[i]-a[i])
		}
	}
}

// fillOwn writes the own columns of an edge whose label is a number.
func (l *labelCounts) fillOwn(row []float32, estimate *tensor.Tensor, e int, first, second int32) {
	u, _, _ := l.without(0, first, e, 1)
	v, _, _ := l.without(l.role(1), second, e, 1)
	guess := float32(l.mean + u + v)
	estimate.Data()[e], row[3] = guess, guess
	if x := l.label[e]; x == x {
		row[0], row[1], row[2] = x, x-guess, 1
	}
}

// group writes the columns of the edges of a node in a role. Edge e is left out as often as it is
// among them.
func (l *labelCounts) group(to []float32, r int, v int32, e int, times float64) {
	if l.Classes == 0 {
		effect, mean, n := l.without(r, v, e, times)
		to[0], to[1], to[2] = float32(effect), float32(mean), float32(0.5*math.Log1p(n))
		return
	}
	k := l.Classes
	counts := l.counts[r][int(v)*k:][:k]
	own := -1
	if x := l.label[e]; x == x {
		own = int(x)
	}
	total := float32(0)
	for c, n := range counts {
		if c == own {
			n -= float32(times)
		}
		total += n
		to[c] = l.log.ln1(n)
		to[k+c] = 0.5 * l.log.lnShare(c, n)
	}
	base := 0.5 * l.log.ln2(total)
	for c := range counts {
		to[k+c] -= base
	}
	to[2*k] = 0.5 * l.log.ln1(total)
}

// fillPairs writes the columns of parallel and reverse edges for the node pairs lo to hi.
func (l *labelCounts) fillPairs(columns []float32, lo, hi int) {
	width, part, slots := l.Width(), l.pairWidth(), max(l.Classes, 1)
	at := width - part
	if l.Directed {
		at -= part
	}
	sums := make([]float64, 2*slots)
	for k := lo; k < hi; k++ {
		pair := l.parallel.Order[l.parallel.Ptr[k]:l.parallel.Ptr[k+1]]
		if len(pair) == 1 {
			continue // all columns are 0
		}
		clear(sums)
		var edges, known [2]float64
		slot := func(e int32) (direction, slot int) {
			if l.parallel.Back[e] {
				direction = 1
			}
			if l.Classes > 0 && l.label[e] == l.label[e] {
				slot = int(l.label[e])
			}
			return direction, slot
		}
		for _, e := range pair {
			d, s := slot(e)
			edges[d]++
			if x := l.label[e]; x == x {
				known[d]++
				if l.Classes > 0 {
					x = 1
				}
				sums[d*slots+s] += float64(x)
			}
		}
		for _, e := range pair {
			d, s := slot(e)
			row := columns[int(e)*width+at:]
			own, ownKnown := 0.0, 0.0
			if x := l.label[e]; x == x {
				own, ownKnown = float64(x), 1
				if l.Classes > 0 {
					own = 1
				}
			}
			sums[d*slots+s] -= own
			l.pair(row[:part], sums[d*slots:][:slots], edges[d]-1, known[d]-ownKnown)
			sums[d*slots+s] += own
			if l.Directed {
				l.pair(row[part:][:part], sums[(1-d)*slots:][:slots], edges[1-d], known[1-d])
			}
		}
	}
}

// pair writes the columns of some edges of a pair: ln(1+n) for each class, or the mean of numbers,
// and the share of edges whose label is observed.
func (l *labelCounts) pair(to []float32, sums []float64, edges, known float64) {
	if known <= 0 {
		return
	}
	if l.Classes == 0 {
		to[0] = float32(sums[0] / known)
	} else {
		for c := range sums {
			to[c] = l.log.ln1(float32(sums[c]))
		}
	}
	to[len(to)-1] = float32(known / edges)
}
