package data

import (
	"bytes"
	"math"
	"slices"
)

// readDGCNN reads the text layout of DGCNN and GIN:
//
//	number of graphs
//	n label                                per graph
//	tag degree neighbour... attribute...   per node, neighbours from 0
//
// Tags are node labels. If all tags are the same, as in the social networks, they are left out.
func readDGCNN(f *folder, name string) (*parsed, error) {
	l, err := f.open(name + ".txt")
	if err != nil {
		return nil, err
	}
	p := &parsed{nodes: block{what: "node", file: l.name}, edges: block{what: "edge", file: l.name}}
	r := dgcnnReader{lines: l, p: p, dim: -1}
	r.graphs()
	if err := l.close(); err != nil {
		return nil, err
	}
	if tags := p.nodes.labels; len(tags) == 0 || slices.Max(tags) == slices.Min(tags) {
		p.nodes.labels = nil
	} else {
		p.nodes.columns = 1
	}
	return p, nil
}

// dgcnnReader holds the state between lines. Its methods report whether to continue. Errors are
// recorded in lines.
type dgcnnReader struct {
	*lines
	p       *parsed
	dim     int // attributes per node, -1 before the first node
	dimLine int // the line that fixed dim
	scratch []int32
}

func (r *dgcnnReader) graphs() bool {
	b, ok := r.next()
	if !ok {
		r.short("expected the number of graphs")
		return false
	}
	if first, _, _ := bytes.Cut(bytes.TrimSpace(b), []byte(" ")); len(first) > 0 && (first[0] < '0' || first[0] > '9') {
		r.failf("begins with %.40q, expected the names of columns above rows that are divided in the same way, as a table has them, or the number of graphs of DGCNN text", first)
		return false
	}
	c := cursor{b: b}
	count, ok := r.int(&c, "number of graphs")
	if !ok || !r.only(&c, "the number of graphs on the first line") {
		return false
	}
	if count < 1 {
		r.failf("number of graphs is %d, expected at least 1", count)
		return false
	}
	for g := range count {
		if !r.graph(g, count) {
			return false
		}
	}
	if _, ok := r.next(); ok {
		r.failf("more lines after the last of %d graphs", count)
		return false
	}
	return true
}

// graph reads graph g of count graphs.
func (r *dgcnnReader) graph(g, count int32) bool {
	b, ok := r.next()
	if !ok {
		r.short("after graph %d of %d", g, count)
		return false
	}
	c := cursor{b: b}
	n, ok := r.int(&c, "number of nodes")
	if !ok {
		return false
	}
	label, ok := r.int(&c, "graph label")
	if !ok || !r.only(&c, "the number of nodes and the label of a graph") {
		return false
	}
	if n < 0 {
		r.failf("number of nodes is %d", n)
		return false
	}
	if !r.charge(graphBytes, "graphs") {
		return false
	}
	a := adjacency{start: []int32{0}}
	r.scratch = r.scratch[:0]
	for v := range n {
		b, ok := r.next()
		if !ok {
			r.short("after node %d of %d in graph %d of %d", v, n, g+1, count)
			return false
		}
		if !r.node(b, n) {
			return false
		}
		a.start = append(a.start, int32(len(r.scratch)))
	}
	a.end = slices.Clone(r.scratch)
	r.p.adj = append(r.p.adj, a)
	r.p.labels = append(r.p.labels, label)
	return true
}

// node reads the line of one node of a graph with n nodes.
func (r *dgcnnReader) node(b []byte, n int32) bool {
	c := cursor{b: b}
	tag, ok := r.int(&c, "node tag")
	if !ok {
		return false
	}
	degree, ok := r.int(&c, "number of neighbours")
	if !ok {
		return false
	}
	if degree < 0 {
		r.failf("number of neighbours is %d", degree)
		return false
	}
	if !r.charge(nodeBytes+min(len(b), int(degree))*arcBytes, "nodes and edges") { // at least a byte each
		return false
	}
	if len(r.scratch) > math.MaxInt32-int(degree) {
		r.failf("more than %d neighbours in a graph", math.MaxInt32)
		return false
	}
	for i := range degree {
		if !c.more() {
			r.failf("number of neighbours is %d, expected %d", i, degree)
			return false
		}
		u, ok := r.int(&c, "neighbour")
		if !ok {
			return false
		}
		if u < 0 || u >= n {
			r.failf("neighbour %d in a graph with %d nodes, expected 0 to %d", u, n, n-1)
			return false
		}
		r.scratch = append(r.scratch, u)
	}
	dim := 0
	for ; c.more(); dim++ {
		v, ok := r.float(&c, "node attribute", false)
		if !ok {
			return false
		}
		r.p.nodes.attrs = append(r.p.nodes.attrs, v)
	}
	columns := 0
	if r.dim < 0 {
		columns = dim
	}
	if !r.charge(8*dim+columnBytes*columns, "node attributes") {
		return false
	}
	if r.dim < 0 {
		r.dim, r.dimLine, r.p.nodes.dim = dim, r.line, dim
	}
	if dim != r.dim {
		r.failf("number of values after the neighbours is %d, expected %d as on line %d", dim, r.dim, r.dimLine)
		return false
	}
	r.p.nodes.labels = append(r.p.nodes.labels, tag)
	return true
}
