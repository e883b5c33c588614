package data

import (
	"fmt"
	"slices"

	"github.com/ehgnn/ehgnn/graph"
)

// adjacency is one graph's arcs in canonical form: grouped by source, sorted by target, without
// self-loops and repeated arcs.
type adjacency struct {
	start []int32 // the arcs of node v are start[v] to start[v+1]
	end   []int32 // target of each arc
	entry []int32 // position of each arc in the input; nil if arcs have no data
}

func (a *adjacency) numNodes() int { return len(a.start) - 1 }

// cleaning counts the arcs that canonical form drops from a whole set.
type cleaning struct {
	loops, repeats int
	// conflicts counts repeated arcs whose labels or attributes differ from those of the arc that
	// is kept, which is the first in the input.
	conflicts int
}

// canonical brings raw arcs, grouped by source and otherwise in input order, to canonical form in
// place. It returns the number of arcs left. differ reports whether two entries have different
// features.
func (a *adjacency) canonical(c *cleaning, differ func(x, y int32) bool) {
	var packed []uint64 // target and entry of the arcs of one node, as one sortable number
	kept := int32(0)
	for v := range int32(a.numNodes()) {
		lo, hi := a.start[v], a.start[v+1]
		a.start[v] = kept
		row := a.end[lo:hi]
		if a.entry == nil {
			if !slices.IsSorted(row) {
				slices.Sort(row)
			}
		} else if !slices.IsSorted(row) {
			packed = packed[:0]
			for i, u := range row {
				packed = append(packed, uint64(u)<<32|uint64(a.entry[int(lo)+i]))
			}
			slices.Sort(packed)
			for i, p := range packed {
				row[i], a.entry[int(lo)+i] = int32(p>>32), int32(uint32(p))
			}
		}
		first := kept
		for i := lo; i < hi; i++ {
			u := a.end[i]
			if u == v {
				c.loops++
				continue
			}
			if kept > first && a.end[kept-1] == u {
				c.repeats++
				if a.entry != nil && differ(a.entry[kept-1], a.entry[i]) {
					c.conflicts++
				}
				continue
			}
			a.end[kept] = u
			if a.entry != nil {
				a.entry[kept] = a.entry[i]
			}
			kept++
		}
	}
	a.start[a.numNodes()] = kept
	a.end = a.end[:kept:kept]
	if a.entry != nil {
		a.entry = a.entry[:kept:kept]
	}
}

// pairing says whether the arcs of a graph come in pairs.
type pairing struct {
	pairs  int // node pairs with both arcs
	single int // arcs without a reverse arc
	u, v   int32
	bad    bool   // arc (u,v) has no equal reverse arc
	why    string // how it fails
}

// pair matches each arc with its reverse in one pass. For ascending sources u, the arcs (u,v) need
// (v,u) in ascending order too, so one cursor per node v finds them all. cursors is scratch memory.
func (a *adjacency) pair(cursors []int32, differ func(x, y int32) bool) (pairing, []int32) {
	n := a.numNodes()
	cursors = append(cursors[:0], a.start[:n]...)
	var p pairing
	alone := func(u, v int32) {
		p.single++
		if !p.bad {
			p.u, p.v, p.bad, p.why = u, v, true, "has no reverse"
		}
	}
	for u := range int32(n) {
		// Arcs to lower nodes that the cursor of u has not passed have no reverse.
		i := cursors[u]
		for ; i < a.start[u+1] && a.end[i] < u; i++ {
			alone(u, a.end[i])
		}
		for ; i < a.start[u+1]; i++ {
			v := a.end[i]
			j := cursors[v]
			for ; j < a.start[v+1] && a.end[j] < u; j++ {
				alone(v, a.end[j])
			}
			if j >= a.start[v+1] || a.end[j] != u {
				cursors[v] = j
				alone(u, v)
				continue
			}
			p.pairs++
			if a.entry != nil && !p.bad && differ(a.entry[i], a.entry[j]) {
				p.u, p.v, p.bad, p.why = u, v, true, "and its reverse differ in label or attributes"
			}
			cursors[v] = j + 1
		}
	}
	return p, cursors
}

// ends returns the edge list of the graph: all arcs, or one edge {u,v} with u < v for each pair.
// entries are the arcs that the edges came from, nil if a has none.
func (a *adjacency) ends(directed bool) (ends, entries []int32) {
	count := len(a.end)
	if !directed {
		count /= 2
	}
	ends = make([]int32, 0, 2*count)
	if a.entry != nil {
		entries = make([]int32, 0, count)
	}
	for u := range int32(a.numNodes()) {
		for i := a.start[u]; i < a.start[u+1]; i++ {
			if v := a.end[i]; directed || u < v {
				ends = append(ends, u, v)
				if a.entry != nil {
					entries = append(entries, a.entry[i])
				}
			}
		}
	}
	return ends, entries
}

// maxDegree is the largest number of arcs that leave a node.
func (a *adjacency) maxDegree() int {
	most := int32(0)
	for v := range a.numNodes() {
		most = max(most, a.start[v+1]-a.start[v])
	}
	return int(most)
}

// asymmetric returns the error for a set whose arcs do not pair up.
func asymmetric(name string, g int, p pairing) error {
	return fmt.Errorf("data: %s: graph %d: arc from node %d to node %d %s: %w", name, g, p.u, p.v, p.why, graph.ErrAsymmetric)
}
