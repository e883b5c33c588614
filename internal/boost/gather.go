package boost

// manyRows is the number of rows from which threads share a histogram by rows and not by groups of
// columns: there are often fewer groups than threads.
const manyRows = 4 * blockRows

// gather collects the gradients of a node's rows in their order. With many rows it also makes one
// histogram for each thread, from a part of the rows, and returns true: merge then adds the
// histograms.
func (g *grower) gather(n *growing, d *gradients) bool {
	rows := g.order[n.lo:n.hi]
	parts := g.pool.Threads()
	if parts == 1 || len(rows) < manyRows {
		collect(g.packed, d.packed, rows)
		return false
	}
	for len(g.parts) < parts {
		g.parts = append(g.parts, make([]bin, g.layout.size()))
	}
	g.pool.Rows(parts, 1, func(lo, hi int) {
		for p := lo; p < hi; p++ {
			from, to := len(rows)*p/parts, len(rows)*(p+1)/parts
			collect(g.packed[from:to], d.packed, rows[from:to])
			for _, group := range g.groups {
				g.build(group, rows[from:to], g.packed[from:to], g.parts[p])
			}
		}
	})
	return true
}

func collect(out, packed []int64, rows []int32) {
	out = out[:len(rows)]
	for i, r := range rows {
		out[i] = packed[r]
	}
}

// build makes the histogram of a group from rows and their gradients.
func (g *grower) build(group int, rows []int32, packed []int64, hist []bin) {
	lo, hi := g.layout.group(group)
	clear(hist[g.layout[lo]:g.layout[hi]])
	b := g.blocks.Get().(*block)
	g.layout.addGroup(b, group, g.data.groups[group], rows, packed, hist)
	g.blocks.Put(b)
}

// merge makes the histogram of a group from the histograms of the parts.
func (g *grower) merge(group int, hist []bin) {
	lo, hi := g.layout.group(group)
	out := hist[g.layout[lo]:g.layout[hi]]
	copy(out, g.parts[0][g.layout[lo]:])
	for _, part := range g.parts[1:g.pool.Threads()] {
		for b, v := range part[g.layout[lo]:g.layout[hi]] {
			out[b] = out[b].plus(v)
		}
	}
}
