package tables

import (
	"math"
	"slices"

	"github.com/ehgnn/ehgnn/internal/lists"
)

// Columns of Times about the history of an edge: the number of earlier edges of each end, the time since its first
// edge, whether there was an earlier edge between the two ends, and the time since then. Counts and durations are
// log(1+x). Edges with the same time are not earlier than each other.
var (
	historyDirected = []string{"earlier_out_source", "earlier_in_source", "earlier_in_target", "earlier_out_target", "age_source", "age_target",
		"reverse_before", "since_reverse", "parallel_before", "since_parallel"}
	historyUndirected = []string{"earlier_mean", "earlier_difference", "age_mean", "age_difference", "parallel_before", "since_parallel"}
)

// historyNames returns the history columns.
func historyNames(directed bool) []string {
	if directed {
		return historyDirected
	}
	return historyUndirected
}

// readsHistory reports whether history columns are among the fields.
func (t *Times) readsHistory(directed bool) bool {
	return slices.ContainsFunc(t.Fields, func(f Field) bool { return slices.Contains(historyNames(directed), f.Name) })
}

// past is the history before a moment.
type past struct {
	out, in []float64 // edges of each node
	first   []float64 // time of its first edge, NaN for none
	last    map[[2]int32]float64
	before  *past // has the last edges of other pairs; nil for none
}

func newPast(nodes int) *past {
	return &past{out: make([]float64, nodes), in: make([]float64, nodes), first: slices.Repeat([]float64{math.NaN()}, nodes), last: map[[2]int32]float64{}}
}

// after is a past to which later edges are added without changing p.
func (p *past) after() *past {
	return &past{slices.Clone(p.out), slices.Clone(p.in), slices.Clone(p.first), map[[2]int32]float64{}, p}
}

// follow writes the columns of edges in the order of time, and adds the edges.
func (p *past) follow(ends []int32, times []float64, directed bool, put func(e int) []float64) {
	order := byTime(lists.Range[int32](len(times)), times)
	for i := 0; i < len(order); {
		j := i
		for ; j < len(order) && times[order[j]] == times[order[i]]; j++ {
			p.row(put(int(order[j])), ends[2*order[j]], ends[2*order[j]+1], times[order[j]], directed)
		}
		for ; i < j; i++ {
			p.add(ends[2*order[i]], ends[2*order[i]+1], times[order[i]])
		}
	}
	for e, t := range times {
		if math.IsNaN(t) {
			for i := range put(e) {
				put(e)[i] = math.NaN()
			}
		}
	}
}

// add adds an edge.
func (p *past) add(u, v int32, t float64) {
	p.out[u]++
	p.in[v]++
	p.last[[2]int32{u, v}] = t
	for _, x := range [2]int32{u, v} {
		if math.IsNaN(p.first[x]) {
			p.first[x] = t
		}
	}
}

// row writes the columns of an edge.
func (p *past) row(to []float64, u, v int32, t float64, directed bool) {
	age := func(x int32) float64 {
		if math.IsNaN(p.first[x]) {
			return 0
		}
		return math.Log1p(t - p.first[x])
	}
	before := func(u, v int32) (is, since float64) {
		last, ok := p.last[[2]int32{u, v}]
		if !ok && p.before != nil {
			last, ok = p.before.last[[2]int32{u, v}]
		}
		if !ok {
			return 0, 0
		}
		return 1, math.Log1p(t - last)
	}
	if directed {
		copy(to, []float64{math.Log1p(p.out[u]), math.Log1p(p.in[u]), math.Log1p(p.in[v]), math.Log1p(p.out[v]), age(u), age(v)})
		to[6], to[7] = before(v, u)
		to[8], to[9] = before(u, v)
		return
	}
	a, b := math.Log1p(p.out[u]+p.in[u]), math.Log1p(p.out[v]+p.in[v])
	copy(to, []float64{(a + b) / 2, math.Abs(a - b), (age(u) + age(v)) / 2, math.Abs(age(u) - age(v))})
	to[4], to[5] = before(u, v)
	if is, since := before(v, u); is > to[4] || is == 1 && since < to[5] {
		to[4], to[5] = is, since
	}
}
