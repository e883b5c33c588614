package boost

import (
	"sync"

	"github.com/ehgnn/ehgnn/internal/par"
)

// grower grows trees, one at a time, on binned rows.
type grower struct {
	c      Config
	data   *binned
	layout layout
	pool   *par.Pool

	order, spare []int32 // rows; the rows of a node are adjacent
	packed       []int64 // gradients of the node whose histogram is computed
	free         [][]bin // unused histograms
	parts        [][]bin // histograms of parts of the rows
	blocks       sync.Pool

	use    []bool // columns drawn for the tree
	groups []int  // groups with a column in use
	rule   rule
}

func newGrower(c Config, data *binned, pool *par.Pool) *grower {
	return &grower{
		c: c, data: data, layout: newLayout(data.columns), pool: pool,
		order: make([]int32, data.rows), spare: make([]int32, data.rows), packed: make([]int64, data.rows),
		blocks: sync.Pool{New: func() any { return new(block) }},
	}
}

// grow grows a tree from the gradients of the rows in the bag, with the columns in use. It does not
// set leaf values.
func (g *grower) grow(bag []int32, d *gradients, use []bool) *grown {
	g.use, g.groups = use, g.groups[:0]
	for i := range g.data.groups {
		lo, hi := g.layout.group(i)
		for _, u := range use[lo:hi] {
			if u {
				g.groups = append(g.groups, i)
				break
			}
		}
	}
	g.rule = newRule(g.c, d)
	copy(g.order, bag)
	t := &grown{nodes: make([]growing, 1, 2*g.c.Leaves-1)}
	t.nodes[0] = growing{hi: len(bag)}
	g.plant(&t.nodes[0], d)
	for leaves := 1; leaves < g.c.Leaves; leaves++ {
		n := t.next()
		if n < 0 {
			break
		}
		g.divide(t, n)
		if leaves+1 < g.c.Leaves {
			g.search(t, n, d)
		}
	}
	for i := range t.nodes {
		g.release(&t.nodes[i])
	}
	return t
}

// next is the leaf with the split of highest gain, the first of equals, or -1 if no split has a gain.
func (t *grown) next() int {
	best := -1
	for i := range t.nodes {
		p := &t.nodes[i]
		if p.child == 0 && !p.split.none() && (best < 0 || p.split.gain > t.nodes[best].split.gain) {
			best = i
		}
	}
	return best
}

// divide splits a leaf.
func (g *grower) divide(t *grown, n int) {
	p := &t.nodes[n]
	p.left = p.split.goesLeft()
	c := p.split.column
	mid := g.partition(p.lo, p.hi, g.data.groups[c/groupSize], c%groupSize*8, &p.left)
	p.child = len(t.nodes)
	left := growing{lo: p.lo, hi: mid, sum: p.split.left, furtherL2: p.split.furtherL2}
	right := growing{lo: mid, hi: p.hi, sum: p.sum.minus(p.split.left), furtherL2: p.split.furtherL2}
	t.nodes = append(t.nodes, left, right)
}

// plant makes the histogram of the root and finds its best split.
func (g *grower) plant(root *growing, d *gradients) {
	if len(g.groups) == 0 {
		return
	}
	root.hist = g.takeHistogram()
	built := g.gather(root, d)
	g.each(root.hi, 1, func(i int) {
		if !built {
			g.build(g.groups[i], g.order[:root.hi], g.packed[:root.hi], root.hist)
		} else {
			g.merge(g.groups[i], root.hist)
		}
	})
	first, _ := g.layout.group(g.groups[0])
	for _, b := range root.hist[g.layout[first]:g.layout[first+1]] {
		root.sum = root.sum.plus(b)
	}
	found := make([]split, len(g.groups))
	g.each(0, 1, func(i int) { found[i] = g.best(g.groups[i], root) })
	root.split = bestSplit(found)
}

// search finds the best splits of the children of a node. The histogram of the child with fewer
// rows is computed from its rows. The other child's histogram is the difference between the
// parent's and this one.
func (g *grower) search(t *grown, n int, d *gradients) {
	p := &t.nodes[n]
	left, right := &t.nodes[p.child], &t.nodes[p.child+1]
	if !g.divisible(left) && !g.divisible(right) {
		g.release(p)
		return
	}
	small, large := left, right
	if right.sum.rows() < left.sum.rows() {
		small, large = right, left
	}
	small.hist, large.hist, p.hist = g.takeHistogram(), p.hist, nil
	rows := g.order[small.lo:small.hi]
	built := g.gather(small, d)
	found := [2][]split{make([]split, len(g.groups)), make([]split, len(g.groups))}
	g.each(len(rows), 2, func(i int) {
		group := g.groups[i]
		if !built {
			g.build(group, rows, g.packed[:len(rows)], small.hist)
		} else {
			g.merge(group, small.hist)
		}
		lo, hi := g.layout.group(group)
		part := small.hist[g.layout[lo]:g.layout[hi]]
		rest := large.hist[g.layout[lo]:g.layout[hi]][:len(part)]
		for b, v := range part {
			rest[b].g -= v.g
			rest[b].hn -= v.hn
		}
		found[0][i], found[1][i] = g.best(group, small), g.best(group, large)
	})
	for i, child := range []*growing{small, large} {
		if child.split = bestSplit(found[i]); child.split.none() {
			g.release(child)
		}
	}
}

// divisible reports whether a node has enough rows for two children.
func (g *grower) divisible(n *growing) bool {
	return n.sum.rows() >= 2*g.c.MinRows && n.sum.hessian() >= 2*g.rule.minHessian
}

// best returns the best split of a node among the columns in use of a group.
func (g *grower) best(group int, n *growing) split {
	var s split
	if !g.divisible(n) {
		return s
	}
	lo, hi := g.layout.group(group)
	for c := lo; c < hi; c++ {
		if !g.use[c] {
			continue
		}
		if f := g.rule.best(&g.data.columns[c], c, n.hist[g.layout[c]:g.layout[c+1]], n.sum); f.gain > s.gain {
			s = f
		}
	}
	return s
}

// bestSplit is the split of highest gain, the first of equals.
func bestSplit(found []split) (s split) {
	for _, f := range found {
		if f.gain > s.gain {
			s = f
		}
	}
	return s
}

// each calls f for each group in use. It uses several threads if there is enough work: rows to add
// to histograms and nodes to search.
func (g *grower) each(rows, nodes int, f func(i int)) {
	const rowCost, binCost, enough = 4, 4, 20_000 // in nanoseconds, roughly
	cost := rows*rowCost + nodes*binCost*g.layout.size()/len(g.data.groups)
	g.pool.Rows(len(g.groups), 1+enough/(cost+1), func(lo, hi int) {
		for i := lo; i < hi; i++ {
			f(i)
		}
	})
}

// takeHistogram returns a histogram with arbitrary content.
func (g *grower) takeHistogram() []bin {
	if n := len(g.free); n > 0 {
		h := g.free[n-1]
		g.free = g.free[:n-1]
		return h
	}
	return make([]bin, g.layout.size())
}

// release gives back the histogram of a node.
func (g *grower) release(n *growing) {
	if n.hist != nil {
		g.free = append(g.free, n.hist)
		n.hist = nil
	}
}
