package tables

import (
	"math"
	"slices"
	"sync"

	"github.com/ehgnn/ehgnn/graph"
	"github.com/ehgnn/ehgnn/graph/structure"
	"github.com/ehgnn/ehgnn/internal/lists"
	"github.com/ehgnn/ehgnn/internal/par"
)

// Beside encodes a few edges together with the edges of a set, which are their context, with the same bits as Join and
// Set.Whole. What depends only on the set is computed once. Several goroutines may use it.
type Beside struct {
	set     *Set
	encoder *Encoder
	node    map[string]int32      // node numbers by id
	touched []bool                // nodes that have edges
	shown   *graph.ObservedLabels // labels that models may read; nil for none
	last    float64               // latest time of such a label, if labels are read by time
	same    *sameEdges            // of these labels, if they are not read by time

	counting sync.Mutex
	counted  *structure.Graph // nil without structure columns
	line     *timeline        // nil without time columns
	past     *past            // nil without history columns
	latest   float64          // latest time of an edge
}

// BesideOptions say which labels of a set new edges may read.
type BesideOptions struct {
	Observed *ObservedLabels // of the edges of the set; nil for none
	// Split gives the groups of edges that do not read each other's labels; Copies says that only identical
	// edges (Set.Copies) form such groups. Both are ignored if labels are read by time.
	Split   SplitOptions
	Copies  bool
	Threads int
}

// mostNew is how many new nodes may come with a few edges.
const mostNew = 1024

// NewBeside prepares a set.
func NewBeside(set *Set, e *Encoder, o BesideOptions) (*Beside, error) {
	if err := set.encodable(e); err != nil {
		return nil, err
	}
	b := &Beside{set: set, encoder: e, node: lists.Places[int32](set.NodeIDs), touched: lists.Marked(len(set.NodeIDs), set.Ends), latest: math.Inf(-1)}
	times := timesOf(set)
	for _, t := range times {
		if t > b.latest {
			b.latest = t
		}
	}
	b.show(o)
	nodes := len(set.NodeIDs)
	if len(e.Structure) > 0 {
		var err error
		if b.counted, err = structure.New(nodes+mostNew, set.Ends, set.Directed, par.New(o.Threads)); err != nil {
			return nil, err
		}
	}
	if e.Times != nil {
		b.line = newTimeline(nodes+mostNew, set.Ends, times, nil)
		if e.Times.readsHistory(set.Directed) {
			b.past = newPast(nodes + mostNew)
			for _, i := range byTime(lists.Range[int32](len(times)), times) {
				b.past.add(set.Ends[2*i], set.Ends[2*i+1], times[i])
			}
		}
	}
	return b, nil
}

// show prepares the labels that models may read.
func (b *Beside) show(o BesideOptions) {
	b.shown = b.set.shown(b.encoder, &Input{Edges: lists.Range[int32](b.set.NumEdges())}, o.Observed)
	switch {
	case b.shown == nil:
	case b.shown.Time == nil:
		b.same = newSameEdges(b.set, b.encoder, b.shown, o)
	default:
		b.last = math.Inf(-1)
		for e, t := range b.shown.Time {
			if x := b.shown.Label[e]; x == x {
				b.last = max(b.last, t)
			}
		}
	}
}

// Observed returns the labels of the set that models may read; nil for none.
func (b *Beside) Observed() *graph.ObservedLabels { return b.shown }

// Uncounted is the input of the edges of the set, with 0 in structure columns.
func (b *Beside) Uncounted(threads int) (*Input, error) {
	return b.set.Whole(b.encoder, InputOptions{Context: b.set.NumEdges(), Threads: threads, uncounted: true})
}

// BesideInput is the input of edges added to a set.
type BesideInput struct {
	*Input
	Set  *Set    // of the edges and the nodes at their ends
	Node []int32 // number in the original set of each node of the input, -1 for a new node
	Unit []int32 // for each edge: unit of the original set whose labels it must not read, or -1
}

// Input is the input of the edges of a set, added to the set of b. It is nil if the edges must be joined with that set:
// if they must not read labels of a later time, or if they change each other's columns about the graph around them.
func (b *Beside) Input(after *Set, o InputOptions) (*BesideInput, error) {
	var known []int32 // nodes
	for _, id := range after.NodeIDs {
		if v, is := b.node[id]; is {
			known = append(known, v)
		}
	}
	slices.Sort(known)
	if len(after.NodeIDs)-len(known) > mostNew || (after.Time == nil) != (b.set.Time == nil) {
		return nil, nil
	}
	joined, _, err := Join(b.set.withNodes(known), after)
	if err != nil {
		return nil, err
	}
	at := besideEdges{Beside: b}
	number := slices.Clone(known) // for the nodes of the joined set
	for len(number) < len(joined.NodeIDs) {
		number = append(number, int32(len(b.set.NodeIDs)+len(number)-len(known)))
	}
	for _, v := range joined.Ends {
		at.ends = append(at.ends, number[v])
	}
	unit, ok := at.reads(joined)
	if !ok || !at.findSeparate() {
		return nil, nil
	}
	edges := lists.Range[int32](joined.NumEdges())
	in := &BesideInput{Input: &Input{Edges: edges, Scored: slices.Clone(edges)}, Set: joined, Unit: unit}
	in.touch(joined)
	for _, v := range in.Nodes {
		node := number[v]
		if int(node) >= len(b.set.NodeIDs) {
			node = -1
		}
		in.Node = append(in.Node, node)
	}
	o.beside, o.Observed = &at, nil
	return in, joined.graph(b.encoder, in.Input, o)
}

// withNodes is the set of some nodes, without edges and with the same columns.
func (s *Set) withNodes(nodes []int32) *Set {
	out := *s
	out.NodeIDs, out.Ends, out.Part = make([]string, len(nodes)), nil, nil
	for i, v := range nodes {
		out.NodeIDs[i] = s.NodeIDs[v]
	}
	picked := func(columns []*Column, rows []int32) []*Column {
		list := make([]*Column, len(columns))
		for i, c := range columns {
			one := *c
			pick(&one, rows)
			list[i] = &one
		}
		return list
	}
	out.NodeColumns, out.NodeKeys = picked(s.NodeColumns, nodes), picked(s.NodeKeys, nodes)
	out.EdgeColumns, out.EdgeKeys = picked(s.EdgeColumns, nil), picked(s.EdgeKeys, nil)
	if s.Label != nil {
		out.Label = picked([]*Column{s.Label}, nil)[0]
	}
	if s.Time != nil {
		out.Time = []float64{}
	}
	if s.Group != nil {
		out.Group = []int32{}
	}
	return &out
}

// besideEdges are edges added to a set, with the set's numbers of their ends.
type besideEdges struct {
	*Beside
	ends  []int32
	alone bool // no edge shares a node with those of the set
}

// findSeparate finds edges that share no node with those of the set; structure columns count them. It returns false if there
// are also other edges, or if the edges change more of each other than these columns.
func (a *besideEdges) findSeparate() bool {
	if a.encoder.Past || len(a.encoder.Structure) == 0 && (a.encoder.Times == nil || a.encoder.Times.Past) {
		return true // they are not counted
	}
	touched := func(v int32) bool { return int(v) < len(a.touched) && a.touched[v] }
	edges, apart := len(a.ends)/2, 0
	for i := 0; i < len(a.ends); i += 2 {
		if !touched(a.ends[i]) && !touched(a.ends[i+1]) {
			apart++
		}
	}
	a.alone = apart == edges && (edges == 1 || edges <= structure.ExactEdges && a.encoder.Times == nil)
	return apart == 0 || a.alone
}

// reads returns the unit whose labels each edge must not read, or noUnit. It returns false if an edge must not read
// further labels, or does not come after all edges of its history.
func (a *besideEdges) reads(joined *Set) (unit []int32, ok bool) {
	last := math.Inf(-1)
	if a.past != nil {
		last = a.latest
	}
	if a.same == nil && a.shown != nil {
		last = max(last, a.last)
	}
	if slices.ContainsFunc(joined.Time, func(t float64) bool { return t <= last }) { // not NaN, which counts as later than all labels
		return nil, false
	}
	if a.same != nil {
		return a.same.units(joined, a.ends)
	}
	return slices.Repeat([]int32{noUnit}, joined.NumEdges()), true
}

// withStructure is Input.withStructure.
func (a *besideEdges) withStructure(own graph.Features) (graph.Features, error) {
	e := a.encoder
	if len(e.Structure) == 0 {
		return own, nil
	}
	out, put := e.structureTable(own, len(a.ends)/2)
	if a.alone { // separate components
		nodes := slices.Compact(slices.Sorted(slices.Values(a.ends)))
		ends := lists.Map(a.ends, func(v int32) int32 { return int32(slices.Index(nodes, v)) })
		g, err := structure.New(len(nodes), ends, a.set.Directed, par.New(1))
		if err != nil {
			return own, err
		}
		return out, g.Each(e.structureNames(), structure.Pairs{Ends: ends, Own: slices.Repeat([]bool{true}, len(ends)/2), Together: !e.Past}, put)
	}
	a.counting.Lock()
	defer a.counting.Unlock()
	return out, a.counted.Each(e.structureNames(), structure.Pairs{Ends: a.ends, Together: !e.Past}, put)
}

// timeRows is Times.rows; local are the ends as nodes of a graph of only these edges.
func (a *besideEdges) timeRows(t *Times, nodes int, local []int32, times []float64, directed bool) []float64 {
	width := len(t.names(directed))
	out := make([]float64, len(times)*width)
	var beside *timeline // the edges see each other
	if t.Past {
		beside = newTimeline(nodes, local, times, nil)
	}
	for e := range times {
		t.write(out[e*width:][:width], times[e], directed, func(end int) (since, until float64) {
			since, until = a.line.gaps(a.ends[2*e+end], times[e], -1)
			if beside != nil {
				s, u := beside.gaps(local[2*e+end], times[e], int32(e))
				since, until = least(since, s), least(until, u)
			}
			return since, until
		})
	}
	if a.past != nil {
		first := width - len(historyNames(directed))
		a.past.after().follow(a.ends, times, directed, func(e int) []float64 { return out[e*width+first : (e+1)*width] })
	}
	return out
}

// least is the smaller of two numbers, ignoring NaN.
func least(a, b float64) float64 {
	if a != a || b < a {
		return b
	}
	return a
}
