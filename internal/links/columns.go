package links

import (
	"math"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/ehgnn/ehgnn/internal/lists"
)

// katzBeta is the damping factor of the Katz index.
const katzBeta = 0.05

// Raw has the numbers that a Worker computes for a candidate (u, v). u is the source, v the target.
// Counts are taken in the undirected simple graph unless a field says otherwise.
type Raw struct {
	Common, AdamicAdar, ResourceAllocation float64
	Walks3                                 float64 // number of walks of length 3
	L3                                     float64 // in a bipartite graph: sum over paths of length 3 of 1/√(d·d), with the degrees of the two inner nodes
	PPRFrom, PPRTo                         float64 // p_u(v) and p_v(u)
	DegreeU, DegreeV                       float64
	OutU, InV                              float64 // out-degree of u and in-degree of v in a directed graph
	TwoPaths, Back                         float64 // in a directed graph: number of paths u→w→v, and 1 if the edge v→u exists
	Cosine                                 float64
}

// Columns compute the columns that describe a candidate: from a graph and from features of nodes.
type Columns struct {
	Graph    *Graph
	Features *Features // nil if there are none
	// Hubs is the number of nodes with more than MostNeighbours neighbours. Walks follow only
	// MostNeighbours of their edges.
	Hubs  int
	walks walks
	Eps   float64    // error bound of Push and pageRanks
	ranks *pageRanks // nil if Push is faster
	defs  []column
	// found maps a source to its result of Push, a *pushed. It has as many sources as
	// mostPushedBytes allow.
	found      sync.Map
	foundBytes atomic.Int64
}

// Bounds of the PageRank vectors that Columns keep, because each form of negatives reads the
// vectors of the same nodes: the memory of all vectors, and the number of nodes of the graph.
// Vectors of a larger graph are long, and only a few of them would fit.
const (
	mostPushedBytes = 256 << 20
	mostPushedNodes = 20_000
)

// column is a function that computes one number from the Raw of a candidate.
type column struct {
	name     string
	baseline bool
	of       func(c *Columns, r *Raw, u, v int32) float64
}

// NewColumns returns the columns that suit a graph.
func NewColumns(g *Graph, f *Features) *Columns {
	c := &Columns{Graph: g, Features: f, Eps: PushError(g.Nodes)}
	c.walks, c.Hubs = g.cutHubs()
	if g.Nodes <= mostRankedNodes && len(g.Both.Adj) >= leastRankedEdges {
		c.ranks = newPageRanks(g.Both, g.Nodes, c.Eps)
	}
	add := func(name string, baseline bool, of func(c *Columns, r *Raw, u, v int32) float64) {
		c.defs = append(c.defs, column{name, baseline, of})
	}
	if g.Kind == Bipartite {
		add("l3", true, func(_ *Columns, r *Raw, _, _ int32) float64 { return r.L3 })
	} else {
		add("common-neighbours", true, func(_ *Columns, r *Raw, _, _ int32) float64 { return r.Common })
		add("adamic-adar", true, func(_ *Columns, r *Raw, _, _ int32) float64 { return r.AdamicAdar })
		add("resource-allocation", true, func(_ *Columns, r *Raw, _, _ int32) float64 { return r.ResourceAllocation })
		add("jaccard", true, func(_ *Columns, r *Raw, _, _ int32) float64 { return r.Jaccard() })
	}
	add("katz", true, func(_ *Columns, r *Raw, _, _ int32) float64 { return r.Katz() })
	add("ppr", true, func(_ *Columns, r *Raw, _, _ int32) float64 { return r.PPRFrom + r.PPRTo })
	if g.Kind == Undirected {
		add("preferential-attachment", true, func(_ *Columns, r *Raw, _, _ int32) float64 { return r.DegreeU * r.DegreeV })
	} else {
		add("preferential-attachment", true, func(_ *Columns, r *Raw, _, _ int32) float64 { return r.OutU * r.InV })
		add("popularity", true, func(_ *Columns, r *Raw, _, _ int32) float64 { return r.InV })
	}
	if g.Kind == Directed {
		add("two-paths", true, func(_ *Columns, r *Raw, _, _ int32) float64 { return r.TwoPaths })
		add("edge-back", true, func(_ *Columns, r *Raw, _, _ int32) float64 { return r.Back })
		add("distinct-sources", false, func(_ *Columns, r *Raw, _, _ int32) float64 { return r.InV })
	}
	if f != nil {
		add("feature-cosine", true, func(_ *Columns, r *Raw, _, _ int32) float64 { return r.Cosine })
	}
	add("walks of length 3", false, func(_ *Columns, r *Raw, _, _ int32) float64 { return r.Walks3 })
	add("smaller ppr", false, func(_ *Columns, r *Raw, _, _ int32) float64 { return min(r.PPRFrom, r.PPRTo) })
	add("larger ppr", false, func(_ *Columns, r *Raw, _, _ int32) float64 { return max(r.PPRFrom, r.PPRTo) })
	if g.Kind == Undirected {
		add("smaller degree", false, func(_ *Columns, r *Raw, _, _ int32) float64 { return min(r.DegreeU, r.DegreeV) })
		add("larger degree", false, func(_ *Columns, r *Raw, _, _ int32) float64 { return max(r.DegreeU, r.DegreeV) })
	} else {
		add("degree of the source", false, func(_ *Columns, r *Raw, _, _ int32) float64 { return r.DegreeU })
		add("degree of the target", false, func(_ *Columns, r *Raw, _, _ int32) float64 { return r.DegreeV })
	}
	add("distance", false, func(_ *Columns, r *Raw, _, _ int32) float64 { return float64(r.Distance()) })
	return c
}

// Jaccard returns the number of common neighbours divided by the number of all neighbours.
func (r *Raw) Jaccard() float64 {
	if all := r.DegreeU + r.DegreeV - r.Common; all > 0 {
		return r.Common / all
	}
	return 0
}

// Katz returns the Katz index for walks up to length 3. A walk of length 1 exists only in directed
// graphs: the reverse edge.
func (r *Raw) Katz() float64 {
	return float64(katzBeta*r.Back) + float64(katzBeta*katzBeta*r.Common) + float64(katzBeta*katzBeta*katzBeta*r.Walks3)
}

// Distance returns 1 for a pair with an edge in the other direction, 2 or 3 for these lengths of
// the shortest path, 4 for longer ones, and 5 if push did not reach the node.
func (r *Raw) Distance() int {
	switch {
	case r.Back > 0:
		return 1
	case r.Common > 0:
		return 2
	case r.Walks3 > 0:
		return 3
	case r.PPRFrom > 0:
		return 4
	}
	return 5
}

// Names returns the names of all columns.
func (c *Columns) Names() []string {
	return lists.Map(c.defs, func(d column) string { return d.name })
}

// Worker computes the columns of candidates with one common end, the kept end. Only one goroutine
// may use it.
type Worker struct {
	c              *Columns
	kept           int32
	push           *Push
	ranks          []float32 // the values of pageRanks from the kept end, which replace those of push; nil if Push is faster
	two            places
	steps          []steps // sums over walks of length 2, for the nodes in two
	walks, l3      []float64
	forth, back    []float64 // number of paths of two steps from the kept end, along and against the edge directions
	cosine         []float64
	three          []int32 // nodes that walks of length 3 reach
	along, against []int32
	similar        []int32
}

// steps has sums over the walks of length 2 from the kept end to a node: their number, and the sums
// of the Adamic-Adar weight, of the resource allocation weight and of one over the square root of
// the degree of the middle node.
type steps struct {
	common, aa, ra, roots float64
}

// NewWorker returns a worker of the columns.
func (c *Columns) NewWorker() *Worker {
	n := c.Graph.Nodes
	w := &Worker{c: c, kept: -1, push: NewPush(c.Graph.Both, n, c.Eps), walks: make([]float64, n)}
	if c.Graph.Kind == Bipartite {
		w.l3 = make([]float64, n)
	}
	if c.Graph.Kind == Directed {
		w.forth, w.back = make([]float64, n), make([]float64, n)
	}
	if c.Features != nil {
		w.cosine = make([]float64, n)
	}
	return w
}

// Workers has the workers of one goroutine. Scorers with the same columns then compute the values
// of a kept end once.
type Workers map[*Columns]*Worker

// Of returns the worker of columns. There is one worker for each Columns. If w is nil, it returns a
// new one.
func (w Workers) Of(c *Columns) *Worker {
	if w == nil {
		return c.NewWorker()
	}
	if w[c] == nil {
		w[c] = c.NewWorker()
	}
	return w[c]
}

// Keep sets the kept end and computes what depends only on it.
func (w *Worker) Keep(a int32) {
	if w.kept == a {
		return
	}
	w.kept = a
	if w.c.ranks != nil {
		w.ranks = w.c.ranks.from(a)
	} else {
		w.pushFrom(a)
	}
	w.walk(a)
	if w.forth != nil {
		w.along = twoSteps(w.c.walks.out, a, w.forth, w.along)
		w.against = twoSteps(w.c.walks.in, a, w.back, w.against)
	}
	if w.cosine != nil {
		w.cosines(a)
	}
}

// pageRank returns the personalised PageRank of a node, with the kept end as source.
func (w *Worker) pageRank(v int32) float64 {
	if w.ranks != nil {
		return float64(w.ranks[v*rankedSources])
	}
	return w.push.At(v)
}

// pushFrom runs Push from a node, or takes the result that a worker of the same columns stored for
// that node.
func (w *Worker) pushFrom(a int32) {
	if p, ok := w.c.found.Load(a); ok {
		w.push.restore(p.(*pushed))
		return
	}
	w.push.From(a)
	if w.c.Graph.Nodes <= mostPushedNodes && w.c.foundBytes.Load() < mostPushedBytes {
		w.c.found.Store(a, w.push.result())
		w.c.foundBytes.Add(int64(pushedBytes * len(w.push.touched)))
	}
}

// walk counts the walks of lengths 2 and 3. It weights walks of length 2 by their middle node. In a
// bipartite graph it also weights walks of length 3; a walk of length 3 to a node that is no
// partner is a path.
func (w *Worker) walk(a int32) {
	g, by := w.c.Graph.Both, w.c.walks.both
	for _, v := range w.three {
		w.walks[v] = 0
		if w.l3 != nil {
			w.l3[v] = 0
		}
	}
	w.two.reset()
	w.three, w.steps = w.three[:0], w.steps[:0]
	for _, x := range by.Of(a) {
		d := float64(g.Degree(x))
		aa, root := 0.0, 1/math.Sqrt(d)
		if d >= 2 {
			aa = 1 / math.Log(d)
		}
		for _, y := range by.Of(x) {
			at, isNew := w.two.meet(y)
			if isNew {
				w.steps = append(w.steps, steps{})
			}
			s := &w.steps[at]
			s.common++
			s.aa += aa
			s.ra += 1 / d
			s.roots += root
		}
	}
	for i, y := range w.two.nodes {
		s := w.steps[i]
		for _, z := range by.Of(y) {
			if w.walks[z] == 0 {
				w.three = append(w.three, z)
			}
			w.walks[z] += s.common
		}
		if w.l3 == nil {
			continue
		}
		root := 1 / math.Sqrt(float64(g.Degree(y)))
		for _, z := range by.Of(y) {
			w.l3[z] += float64(s.roots * root)
		}
	}
}

// step returns the sums over walks of length 2 to a node.
func (w *Worker) step(v int32) steps {
	if at := w.two.find(v); at >= 0 {
		return w.steps[at]
	}
	return steps{}
}

// twoSteps counts the paths of two steps from a. touched has the nodes that the last call counted.
func twoSteps(g *CSR, a int32, count []float64, touched []int32) []int32 {
	for _, v := range touched {
		count[v] = 0
	}
	touched = touched[:0]
	for _, x := range g.Of(a) {
		for _, y := range g.Of(x) {
			if count[y] == 0 {
				touched = append(touched, y)
			}
			count[y]++
		}
	}
	return touched
}

// cosines computes the cosines of a with all nodes.
func (w *Worker) cosines(a int32) {
	f := w.c.Features
	for _, v := range w.similar {
		w.cosine[v] = 0
	}
	w.similar = w.similar[:0]
	cols, vals := f.Row(a)
	for i, k := range cols {
		lo := f.byCol.Ptr[k]
		for j, v := range f.byCol.Of(k) {
			if w.cosine[v] == 0 {
				w.similar = append(w.similar, v)
			}
			w.cosine[v] += float64(vals[i] * f.byVal[lo+j])
		}
	}
}

// Raw returns the numbers of the candidate that joins the kept end and another node. If reverse is
// set, the kept end is the target.
func (w *Worker) Raw(other int32, reverse bool) Raw {
	g := w.c.Graph
	s := w.step(other)
	r := Raw{Common: s.common, AdamicAdar: s.aa, ResourceAllocation: s.ra, Walks3: w.walks[other]}
	u, v := w.kept, other
	from := w.pageRank(other)
	to := 0.0
	if d := g.Both.Degree(other); d > 0 {
		to = from * float64(g.Both.Degree(w.kept)) / float64(d) // random walks of an undirected graph are reversible
	}
	if reverse {
		u, v, from, to = v, u, to, from
	}
	r.PPRFrom, r.PPRTo = from, to
	r.DegreeU, r.DegreeV = float64(g.Both.Degree(u)), float64(g.Both.Degree(v))
	r.OutU, r.InV = float64(g.Out.Degree(u)), float64(g.In.Degree(v))
	if w.l3 != nil {
		r.L3 = w.l3[other]
	}
	if w.forth != nil {
		r.TwoPaths = w.forth[other]
		if reverse {
			r.TwoPaths = w.back[other]
		}
		if g.Out.Has(v, u) {
			r.Back = 1
		}
	}
	if w.cosine != nil {
		r.Cosine = w.cosine[other]
	}
	return r
}

// Near returns, in ascending order, the nodes for which one of these values is not 0: PageRank,
// walks of length 2, walks of length 3 in a bipartite graph, or the cosine with the kept end.
func (w *Worker) Near() []int32 {
	out := slices.Concat(w.two.nodes, w.similar)
	if w.ranks == nil {
		out = append(out, w.push.touched...)
	}
	for i := 0; i < len(w.ranks); i += rankedSources {
		if w.ranks[i] > 0 {
			out = append(out, int32(i/rankedSources))
		}
	}
	if w.l3 != nil {
		out = append(out, w.three...)
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// Row writes all columns of a candidate to out.
func (w *Worker) Row(other int32, reverse bool, out []float64) {
	r := w.Raw(other, reverse)
	u, v := w.kept, other
	if reverse {
		u, v = v, u
	}
	for i, d := range w.c.defs {
		out[i] = d.of(w.c, &r, u, v)
	}
}

// Explain lists the common neighbours of a candidate with the largest weights in resource
// allocation.
func (c *Columns) Explain(u, v int32, most int) (nodes []int32, weights []float64) {
	of := c.Graph.Both.Of(u)
	c.Graph.Both.Common(u, v, func(i, _ int) { nodes = append(nodes, of[i]) })
	slices.SortStableFunc(nodes, func(x, y int32) int { return c.Graph.Both.Degree(x) - c.Graph.Both.Degree(y) })
	nodes = nodes[:min(most, len(nodes))]
	for _, x := range nodes {
		weights = append(weights, 1/float64(c.Graph.Both.Degree(x)))
	}
	return nodes, weights
}

// IsBaseline reports whether column i is also scored as a baseline.
func (c *Columns) IsBaseline(i int) bool { return c.defs[i].baseline }

// AddTarget adds a column with one value for each target.
func (c *Columns) AddTarget(name string, baseline bool, value []float64) {
	c.defs = append(c.defs, column{name, baseline, func(_ *Columns, _ *Raw, _, v int32) float64 { return value[v] }})
}
