package planetoid

import (
	"fmt"
	"math"
	"slices"

	"github.com/nlpodyssey/gopickle/types"

	"github.com/ehgnn/ehgnn/data"
	"github.com/ehgnn/ehgnn/graph"
)

// validNodes is the number of validation nodes of the public split.
const validNodes = 500

// dataset reads all parts and combines them.
func (r *reader) dataset(form data.Edges) (*data.Dataset, error) {
	test, err := r.index()
	if err != nil {
		return nil, err
	}
	ends, loops, nodes, err := r.edges()
	if err != nil {
		return nil, err
	}
	allx, err := r.matrix("allx")
	if err != nil {
		return nil, err
	}
	missing, err := r.checkTest(test, allx.rows, nodes)
	if err != nil {
		return nil, err
	}
	labels, classes, train, err := r.classes(allx.rows, test, nodes)
	if err != nil {
		return nil, err
	}
	features, err := r.features(allx, test, nodes, train)
	if err != nil {
		return nil, err
	}

	g := graph.Graph{NumNodes: nodes, Ends: ends, Node: features, Label: graph.NoLabel, NodeLabel: labels}
	g.Edge = graph.Ones(g.NumEdges())
	whole, err := graph.New(g)
	if err != nil {
		return nil, err
	}
	degree := make([]int, nodes)
	for e := range whole.NumEdges() {
		u, v := ends[2*e], ends[2*e+1]
		degree[u]++
		if u != v {
			degree[v]++
		}
	}
	d := &data.Dataset{NodeSplit: &data.Split{Name: "public", Train: upTo(0, train),
		Valid: upTo(train, min(train+validNodes, allx.rows)), Test: test}}
	d.Info = data.Info{
		Name: r.name, Format: Format, NumGraphs: 1, NumNodeClasses: classes,
		NodeWidth: features.Width(), EdgeWidth: 1, MeanNodes: float64(nodes), MaxNodes: nodes,
		MeanEdges: float64(whole.NumEdges()), MaxEdges: whole.NumEdges(), MaxDegree: slices.Max(degree),
		HasNodeLabels: true, HasNodeAttributes: true, Symmetric: true, Directed: form == data.Directed,
		NodeClassCounts: make([]int, classes), Scaled: true,
		NodeSplit: d.NodeSplit.Info(), Checksum: data.Checksum(r.sums),
	}
	for _, c := range labels {
		d.Info.NodeClassCounts[c]++
	}
	note := func(format string, args ...any) { d.Info.Notes = append(d.Info.Notes, fmt.Sprintf(format, args...)) }
	note("each row of node features is divided by its sum")
	if missing > 0 {
		note("%d nodes are in no file but the graph: no features, class 0, in no part", missing)
	}
	if loops > 0 {
		note("%d self-loops, kept", loops)
	}
	note("edges have no features: constant 1")
	if d.Info.Directed {
		whole = whole.Arcs()
	}
	d.Graphs = []*graph.Graph{whole}
	return d, nil
}

func upTo(lo, hi int) []int {
	out := make([]int, 0, max(hi-lo, 0))
	for i := lo; i < hi; i++ {
		out = append(out, i)
	}
	return out
}

// edges reads the neighbour lists: each pair of nodes once, sorted, the smaller node first. The
// nodes of a set are the keys of its graph, 0 to n-1.
func (r *reader) edges() (ends []int32, loops, nodes int, err error) {
	const part = "graph"
	lists, err := object[*adjacency](r, part, "a dict of lists")
	if err != nil {
		return nil, 0, 0, err
	}
	nodes = len(lists.nodes)
	seen := make([]bool, nodes)
	var pairs []uint64
	for i, key := range lists.nodes {
		u, ok := key.(int)
		if !ok || u < 0 || u >= nodes || seen[u] {
			return nil, 0, 0, r.fail(part, 0, fmt.Errorf("key %d of %d is not a new node from 0 to %d", i, nodes, nodes-1))
		}
		seen[u] = true
		list, ok := lists.neighbours[i].(*types.List)
		if !ok {
			return nil, 0, 0, r.fail(part, 0, fmt.Errorf("node %d has a %T, expected a list of neighbours", u, lists.neighbours[i]))
		}
		// In a pickle many nodes can refer to the same list, so a short file can have any number of
		// edges.
		if len(pairs)+list.Len() > maxInstructions {
			return nil, 0, 0, r.fail(part, 0, fmt.Errorf("more than %d neighbours", maxInstructions))
		}
		for _, x := range *list {
			v, ok := x.(int)
			if !ok || v < 0 || v >= nodes {
				return nil, 0, 0, r.fail(part, 0, fmt.Errorf("a neighbour of node %d is not a node from 0 to %d", u, nodes-1))
			}
			pairs = append(pairs, uint64(min(u, v))<<32|uint64(max(u, v)))
		}
	}
	if nodes == 0 {
		return nil, 0, 0, r.fail(part, 0, fmt.Errorf("no nodes"))
	}
	slices.Sort(pairs)
	pairs = slices.Compact(pairs)
	ends = make([]int32, 0, 2*len(pairs))
	for _, p := range pairs {
		u, v := int32(p>>32), int32(uint32(p))
		ends = append(ends, u, v)
		if u == v {
			loops++
		}
	}
	return ends, loops, nodes, nil
}

// checkTest checks the test nodes, which come after the first ones. It returns the number of nodes
// that are neither.
func (r *reader) checkTest(test []int, first, nodes int) (missing int, err error) {
	if first > nodes {
		return 0, r.fail("allx", 0, fmt.Errorf("the matrix has %d rows for the %d nodes of the graph", first, nodes))
	}
	used := make([]bool, nodes)
	for i, v := range test {
		if v < first || v >= nodes || used[v] {
			return 0, r.fail("test.index", i+1, fmt.Errorf("node %d, expected each node once, from %d (rows of allx) to %d (nodes of graph)", v, first, nodes-1))
		}
		used[v] = true
	}
	return nodes - first - len(test), nil
}

// classes returns the classes of all nodes. train is the number of nodes of y.
func (r *reader) classes(first int, test []int, nodes int) (labels []int32, classes, train int, err error) {
	var width [3]int
	var rows [3][]int32
	for i, part := range []string{"ally", "ty", "y"} {
		if rows[i], width[i], err = r.labels(part); err != nil {
			return nil, 0, 0, err
		}
		if width[i] != width[0] {
			return nil, 0, 0, r.fail(part, 0, fmt.Errorf("array of %d classes, expected %d as in ally", width[i], width[0]))
		}
	}
	switch {
	case len(rows[0]) != first:
		return nil, 0, 0, r.fail("ally", 0, fmt.Errorf("array of %d rows, expected %d as in allx", len(rows[0]), first))
	case len(rows[1]) != len(test):
		return nil, 0, 0, r.fail("ty", 0, fmt.Errorf("array of %d rows, expected %d as in test.index", len(rows[1]), len(test)))
	case len(rows[2]) > first:
		return nil, 0, 0, r.fail("y", 0, fmt.Errorf("array of %d rows, expected at most %d as in allx", len(rows[2]), first))
	case !slices.Equal(rows[2], rows[0][:len(rows[2])]):
		return nil, 0, 0, r.fail("y", 0, fmt.Errorf("classes differ from those of the first rows of ally"))
	}
	labels = make([]int32, nodes)
	copy(labels, rows[0])
	for i, v := range test {
		labels[v] = rows[1][i]
	}
	return labels, width[0], len(rows[2]), nil
}

// features returns the rows of allx and tx at their nodes.
func (r *reader) features(allx *matrix, test []int, nodes, train int) (graph.Features, error) {
	var f graph.Features
	tx, err := r.matrix("tx")
	if err != nil {
		return f, err
	}
	x, err := r.matrix("x")
	switch {
	case err != nil:
		return f, err
	case tx.rows != len(test) || tx.cols != allx.cols:
		return f, r.fail("tx", 0, fmt.Errorf("matrix of %d rows and %d columns, expected %d as in test.index and %d as in allx", tx.rows, tx.cols, len(test), allx.cols))
	case x.rows != train || x.cols != allx.cols:
		return f, r.fail("x", 0, fmt.Errorf("matrix of %d rows and %d columns, expected %d as in y and %d as in allx", x.rows, x.cols, train, allx.cols))
	case allx.cols < 1:
		return f, r.fail("allx", 0, fmt.Errorf("the matrix has no columns"))
	}
	// As an unsigned product it fits: both numbers have 31 bits.
	if err := r.budget.Charge(int64(min(uint64(nodes)*uint64(allx.cols)*4, math.MaxInt64/2)), "features of nodes"); err != nil {
		return f, r.fail("allx", 0, err)
	}
	f.Dim = allx.cols
	f.Dense = make([]float32, nodes*f.Dim)
	row := func(v int) []float32 { return f.Dense[v*f.Dim : (v+1)*f.Dim] }
	for v := range allx.rows {
		if err := allx.row(v, row(v)); err != nil {
			return f, r.fail("allx", 0, err)
		}
	}
	for i, v := range test {
		if err := tx.row(i, row(v)); err != nil {
			return f, r.fail("tx", 0, err)
		}
	}
	return f, nil
}
