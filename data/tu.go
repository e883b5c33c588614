package data

import (
	"fmt"
	"math"
)

// The memory of the parts of a set, in bytes, including what readers keep until the graphs are
// built.
const (
	graphBytes  = 512
	nodeBytes   = 16
	arcBytes    = 24
	columnBytes = 256 // of attributes or labels, with the description
	classBytes  = 128
)

// readTU reads the TU layout. Node v of the set is line v of the indicator. The graphs follow one
// another. A graph without nodes may be anywhere except at the end, where it looks like a truncated
// indicator.
func readTU(f *folder, name string) (*parsed, error) {
	graphOf, err := readIndicator(f, name)
	if err != nil {
		return nil, err
	}
	numNodes := len(graphOf)
	numGraphs := int(graphOf[numNodes-1]) // counted from 1

	p := &parsed{}
	hasLabels, hasTargets := f.has(name+"_graph_labels.txt"), f.has(name+"_graph_attributes.txt")
	if hasLabels {
		if p.labels, p.classNames, err = readClasses(f, name+"_graph_labels.txt", numGraphs); err != nil {
			return nil, err
		}
	}
	if hasTargets {
		if p.targets, p.numTargets, err = readFloats(f, name+"_graph_attributes.txt", "graph attribute", "graph", numGraphs, true); err != nil {
			return nil, err
		}
	}
	if !hasLabels && !hasTargets {
		// No file states the number of graphs, so each graph must have a node.
		if err := everyGraph(name, graphOf); err != nil {
			return nil, err
		}
	}

	if err := f.Charge(int64(numGraphs)*graphBytes, "graphs"); err != nil {
		return nil, err
	}

	p.nodes = block{what: "node", file: name + "_node_labels.txt", ownFile: true}
	if f.has(p.nodes.file) {
		if p.nodes.labels, p.nodes.columns, err = readInts(f, p.nodes.file, "node label", "node", numNodes, 0); err != nil {
			return nil, err
		}
	}
	if file := name + "_node_attributes.txt"; f.has(file) {
		if p.nodes.attrs, p.nodes.dim, err = readFloats(f, file, "node attribute", "node", numNodes, false); err != nil {
			return nil, err
		}
	}

	arcs, err := readArcs(f, name, graphOf)
	if err != nil {
		return nil, err
	}
	p.edges = block{what: "edge", file: name + "_edge_labels.txt", ownFile: true}
	if f.has(p.edges.file) {
		if p.edges.labels, p.edges.columns, err = readInts(f, p.edges.file, "edge label", "edge", len(arcs)/2, 0); err != nil {
			return nil, err
		}
	}
	if file := name + "_edge_attributes.txt"; f.has(file) {
		if p.edges.attrs, p.edges.dim, err = readFloats(f, file, "edge attribute", "edge", len(arcs)/2, false); err != nil {
			return nil, err
		}
	}
	p.adj = groupArcs(graphOf, numGraphs, arcs, !p.edges.empty())

	if file := name + "_smiles.txt"; f.has(file) {
		if p.smiles, err = readText(f, file, numGraphs); err != nil {
			return nil, err
		}
	}
	return p, nil
}

// readIndicator reads the graph of each node, counted from 1.
func readIndicator(f *folder, name string) ([]int32, error) {
	l, err := f.open(name + "_graph_indicator.txt")
	if err != nil {
		return nil, err
	}
	var graphOf []int32
	last := int32(1)
	for b, ok := l.next(); ok; b, ok = l.next() {
		c := cursor{b: b}
		g, ok := l.int(&c, "graph")
		if !ok || !l.only(&c, "one graph a line") {
			break
		}
		if g < 1 {
			l.failf("graph %d, expected numbers from 1", g)
			break
		}
		if g < last {
			l.failf("graph %d after graph %d, expected rising numbers", g, last)
			break
		}
		if len(graphOf) == math.MaxInt32-1 {
			l.failf("more than %d nodes", math.MaxInt32-1)
			break
		}
		if !l.charge(nodeBytes, "nodes") {
			break
		}
		last = g
		graphOf = append(graphOf, g)
	}
	if err := l.close(); err != nil {
		return nil, err
	}
	if len(graphOf) == 0 {
		return nil, &ParseError{File: l.name, Msg: "file is empty, expected the graph of each node"}
	}
	return graphOf, nil
}

// everyGraph checks that no graph is without nodes.
func everyGraph(name string, graphOf []int32) error {
	last := int32(0)
	for i, g := range graphOf {
		if g > last+1 {
			return &ParseError{
				File: name + "_graph_indicator.txt", Line: i + 1,
				Msg: fmt.Sprintf("graph %d after graph %d; without graph labels or attributes every graph must have a node", g, last),
			}
		}
		last = g
	}
	return nil
}

// readArcs reads NAME_A.txt: source and target of each arc, here counted from 0.
func readArcs(f *folder, name string, graphOf []int32) ([]int32, error) {
	l, err := f.open(name + "_A.txt")
	if err != nil {
		return nil, err
	}
	n := int32(len(graphOf))
	var arcs []int32
	for b, ok := l.next(); ok; b, ok = l.next() {
		c := cursor{b: b}
		u, ok := l.int(&c, "source node")
		if !ok {
			break
		}
		v, ok := l.int(&c, "target node")
		if !ok || !l.only(&c, "two nodes a line") {
			break
		}
		if u < 1 || v < 1 || u > n || v > n {
			if u >= 1 && u <= n {
				u = v
			}
			if u < 1 {
				l.failf("node %d, expected numbers from 1", u)
			} else {
				l.failf("node %d of %d", u, n)
			}
			break
		}
		if gu, gv := graphOf[u-1], graphOf[v-1]; gu != gv {
			l.failf("node %d is of graph %d and node %d of graph %d, expected an edge inside one graph", u, gu, v, gv)
			break
		}
		if len(arcs) > math.MaxInt32-2 {
			l.failf("more than %d edges", math.MaxInt32/2)
			break
		}
		if !l.charge(arcBytes, "edges") {
			break
		}
		arcs = append(arcs, u-1, v-1)
	}
	if err := l.close(); err != nil {
		return nil, err
	}
	return arcs, nil
}

// groupArcs groups the arcs by source, keeps their order, and splits them into graphs, each with
// nodes counted from 0. With entries, each arc keeps the number of its line.
func groupArcs(graphOf []int32, numGraphs int, arcs []int32, entries bool) []adjacency {
	// next[v+1] first counts the arcs of v, then is the position of the next arc of v, and is
	// finally the end of the arcs of v.
	next := make([]int32, len(graphOf)+1)
	for i := 0; i < len(arcs); i += 2 {
		next[arcs[i]+1]++
	}
	for v := range graphOf {
		next[v+1] += next[v]
	}
	end := make([]int32, len(arcs)/2)
	var entry []int32
	if entries {
		entry = make([]int32, len(end))
	}
	for i := 0; i < len(arcs); i += 2 {
		u := arcs[i]
		end[next[u]] = arcs[i+1]
		if entries {
			entry[next[u]] = int32(i / 2)
		}
		next[u]++
	}

	adj := make([]adjacency, numGraphs)
	first, done := 0, int32(0)
	for g := range adj {
		last := first
		for last < len(graphOf) && int(graphOf[last]) == g+1 {
			last++
		}
		a := adjacency{start: make([]int32, last-first+1)}
		for v := first; v < last; v++ {
			a.start[v-first+1] = next[v] - done
		}
		stop := done + a.start[last-first]
		a.end = end[done:stop:stop]
		for i := range a.end {
			a.end[i] -= int32(first)
		}
		if entries {
			a.entry = entry[done:stop:stop]
		}
		adj[g], first, done = a, last, stop
	}
	return adj
}
