package data

import (
	"fmt"
	"io"
	"io/fs"
	"math"
	"slices"

	"github.com/ehgnn/ehgnn/graph"
	"github.com/ehgnn/ehgnn/internal/lists"
)

// ogbColumn is a categorical column of OGB's molecules: its name and its number of values. The last
// value stands for all others.
type ogbColumn struct {
	name   string
	values int32
}

// The features of atoms and bonds are those of OGB ("Open Graph Benchmark: Datasets for Machine
// Learning on Graphs", NeurIPS 2020). Sizes are those of version 1.3 of its package, where
// chirality has five values.
var (
	ogbAtom = []ogbColumn{{"atomic number", 119}, {"chirality", 5}, {"degree", 12}, {"formal charge", 12},
		{"number of hydrogens", 10}, {"radical electrons", 6}, {"hybridisation", 6}, {"aromatic", 2}, {"in a ring", 2}}
	ogbBond = []ogbColumn{{"bond type", 5}, {"stereo", 6}, {"conjugated", 2}}
)

// ogbWidths returns the number of codes of each column (graph.Features.Codes).
func ogbWidths(columns []ogbColumn) []int {
	return lists.Map(columns, func(c ogbColumn) int { return int(c.values) })
}

// ogbCandidates finds OGB sets: folders with raw/num-node-list.csv, at the root or one level below.
// called is the name of the root.
func ogbCandidates(fsys fs.FS, called, name string) []candidate {
	has := func(dir string) bool {
		_, ok := (&folder{fsys: fsys, dir: dir}).find("raw/num-node-list.csv")
		return ok
	}
	if has(".") {
		switch {
		case name != "":
			called = name
		case called == "" || called == "/":
			called = FormatOGB
		}
		return []candidate{{dir: ".", name: called, format: FormatOGB}}
	}
	var found []candidate
	root, _ := fs.ReadDir(fsys, ".") // recognise has already listed it
	for _, e := range root {
		if !e.IsDir() || hidden(e.Name()) || name != "" && e.Name() != name || !has(e.Name()) {
			continue
		}
		found = append(found, candidate{dir: e.Name(), name: e.Name(), format: FormatOGB})
	}
	return found
}

// ogbReader reads the files of a set in parallel, one graph after another, so that only what is
// kept is in memory.
type ogbReader struct {
	numNodes, numEdges      *lines // one graph per line
	labels                  *lines // nil without labels
	nodes, ends, edges      *lines // one atom, bond, bond per line
	graphs                  []graph.Graph
	targets                 int  // labels on a line, 0 before the first line
	both                    bool // every graph so far has its bonds in both directions
	bonds                   int  // rows of all graphs
	atomWidths, bondWidths  []int
	codes, pairs, bondCodes []int32 // of the graph being read
	row                     []float32
	keepInts                cutter[int32]
	keepFloats              cutter[float32]
}

// readOGB reads an OGB graph-property set of molecules. Labels are targets, NaN if the field is
// empty. Without raw/graph-label.csv, as in data to predict for, there are no targets.
func readOGB(f *folder, name string, opts Options) (*Dataset, error) {
	if opts.NodeCodes > 0 || opts.EdgeCodes > 0 {
		return nil, fmt.Errorf("codes fixed to %d (nodes) and %d (edges), but OGB has widths of its own", opts.NodeCodes, opts.EdgeCodes)
	}
	r := &ogbReader{both: true, atomWidths: ogbWidths(ogbAtom), bondWidths: ogbWidths(ogbBond)}
	if err := r.read(f); err != nil {
		return nil, err
	}
	d, err := r.dataset(opts.Edges)
	if err != nil {
		return nil, err
	}
	info := &d.Info
	info.Name, info.ClassNames, info.NumClasses = name, slices.Clone(opts.ClassNames), len(opts.ClassNames)
	if d.SMILES, info.TargetNames, err = readMapping(f, len(d.Graphs), r.targets); err != nil {
		return nil, err
	}
	if d.Split, err = readSplit(f, info); err != nil {
		return nil, err
	}
	info.Split = d.Split.Info()
	info.Checksum = Checksum(f.sums)
	return d, nil
}

// read fills graphs with their rows as in the files.
func (r *ogbReader) read(f *folder) (err error) {
	files := []struct {
		to   **lines
		name string
	}{
		{&r.labels, "graph-label"}, {&r.numNodes, "num-node-list"}, {&r.numEdges, "num-edge-list"},
		{&r.nodes, "node-feat"}, {&r.ends, "edge"}, {&r.edges, "edge-feat"},
	}
	var open []*lines
	defer func() {
		for _, l := range open {
			if e := l.close(); err == nil {
				err = e
			}
		}
	}()
	if !f.has("raw/graph-label.csv") {
		files = files[1:]
	}
	for _, file := range files {
		l, err := f.open("raw/" + file.name + ".csv")
		if err != nil {
			return err
		}
		*file.to = l
		open = append(open, l)
	}
	for r.graph() {
	}
	for _, l := range open {
		if l.err != nil && l.err != io.EOF {
			return nil // close returns the error
		}
	}
	if len(r.graphs) == 0 {
		return &ParseError{File: r.numNodes.name, Msg: "file is empty, expected the number of atoms of each graph"}
	}
	r.end()
	return nil
}

// graph reads the next graph and reports whether there may be another.
func (r *ogbReader) graph() bool {
	id := len(r.graphs)
	n, ok := r.count(r.numNodes, "atoms")
	if !ok {
		return false
	}
	m, ok := r.count(r.numEdges, "bonds")
	if !ok {
		r.numEdges.short("expected the number of bonds of graph %d", id)
		return false
	}
	if id == math.MaxInt32 || r.bonds > math.MaxInt32-int(m) {
		r.numEdges.failf("more than %d bonds", math.MaxInt32)
		return false
	}
	r.bonds += int(m)
	if !r.numNodes.charge(graphBytes, "graphs") {
		return false
	}
	g := graph.Graph{NumNodes: int(n), Label: graph.NoLabel}

	r.codes = r.codes[:0]
	for v := range n {
		if r.codes, ok = r.categories(r.codes, r.nodes, ogbAtom); !ok {
			r.nodes.short("expected %d atoms of graph %d, found %d", n, id, v)
			return false
		}
	}
	g.Node = graph.Features{Code: r.keepInts.keep(r.codes), Codes: r.atomWidths}

	r.pairs, r.bondCodes = r.pairs[:0], r.bondCodes[:0]
	for e := range m {
		if !r.pair(n) {
			r.ends.short("expected %d bonds of graph %d, found %d", m, id, e)
			return false
		}
		if r.bondCodes, ok = r.categories(r.bondCodes, r.edges, ogbBond); !ok {
			r.edges.short("expected %d bonds of graph %d, found %d", m, id, e)
			return false
		}
	}
	g.Ends = r.keepInts.keep(r.pairs)
	g.Edge = graph.Features{Code: r.keepInts.keep(r.bondCodes), Codes: r.bondWidths}
	if r.both {
		_, r.both = bothWays(g.Ends, g.Edge.Code, len(ogbBond))
	}

	if r.labels != nil {
		if !r.label(id) {
			return false
		}
		g.Targets = r.keepFloats.keep(r.row)
	}
	r.graphs = append(r.graphs, g)
	return true
}

// count reads a line of a list of sizes.
func (r *ogbReader) count(l *lines, what string) (int32, bool) {
	b, ok := l.next()
	if !ok {
		return 0, false
	}
	c := cursor{b: b}
	n, ok := l.int(&c, "number of "+what)
	if !ok || !l.only(&c, "one number a line") {
		return 0, false
	}
	if n < 0 {
		l.failf("number of %s is %d", what, n)
		return 0, false
	}
	return n, true
}

// categories appends the values of one line to dst.
func (r *ogbReader) categories(dst []int32, l *lines, columns []ogbColumn) ([]int32, bool) {
	b, ok := l.next()
	if !ok || !l.charge(8*len(columns)+8, "atoms and bonds") { // for both directions
		return dst, false
	}
	c := cursor{b: b}
	for _, col := range columns {
		v, ok := l.int(&c, col.name)
		if !ok {
			return dst, false
		}
		if v < 0 || v >= col.values {
			l.failf("%s is %d, expected 0 to %d", col.name, v, col.values-1)
			return dst, false
		}
		dst = append(dst, v)
	}
	return dst, !c.more() || l.only(&c, fmt.Sprintf("%d columns", len(columns)))
}

// pair reads the ends of a bond in a graph of n atoms.
func (r *ogbReader) pair(n int32) bool {
	l := r.ends
	b, ok := l.next()
	if !ok || !l.charge(arcBytes, "bonds") {
		return false
	}
	c := cursor{b: b}
	for _, what := range [2]string{"first atom", "second atom"} {
		v, ok := l.int(&c, what)
		if !ok {
			return false
		}
		if v < 0 || v >= n {
			l.failf("%s is %d in a graph with %d atoms, expected 0 to %d", what, v, n, n-1)
			return false
		}
		r.pairs = append(r.pairs, v)
	}
	return l.only(&c, "two atoms a line")
}

// label reads the labels of graph id. An empty field is a missing label. With one task it can be an
// empty line, or "" as Python writes it.
func (r *ogbReader) label(id int) bool {
	l := r.labels
	b, ok := l.row()
	if !ok {
		l.short("expected the labels of graph %d", id)
		return false
	}
	r.row = r.row[:0]
	if string(b) == `""` {
		b = nil
	}
	c := cursor{b: b}
	for len(r.row) == 0 || c.more() {
		v, ok := l.float(&c, "label", true)
		if !ok {
			return false
		}
		r.row = append(r.row, v)
	}
	columns := 0
	if r.targets == 0 {
		columns = len(r.row)
	}
	if !l.charge(4*len(r.row)+columnBytes*columns, "labels") {
		return false
	}
	if r.targets == 0 {
		r.targets = len(r.row)
	}
	if len(r.row) != r.targets {
		l.failf("number of labels is %d, expected %d on each line", len(r.row), r.targets)
		return false
	}
	return true
}

// end checks that no file continues after the last graph. Reading to the end also completes the
// checksums.
func (r *ogbReader) end() {
	for _, f := range []struct {
		l    *lines
		rows int
		per  string
	}{
		{r.numEdges, len(r.graphs), "graph"}, {r.labels, len(r.graphs), "graph"},
		{r.nodes, r.atoms(), "atom"}, {r.ends, r.bonds, "bond"}, {r.edges, r.bonds, "bond"},
	} {
		if f.l == nil {
			continue
		}
		if _, ok := f.l.next(); ok {
			f.l.failf("more lines than the %d expected, one per %s", f.rows, f.per)
		}
	}
}

func (r *ogbReader) atoms() int {
	n := 0
	for i := range r.graphs {
		n += r.graphs[i].NumNodes
	}
	return n
}
