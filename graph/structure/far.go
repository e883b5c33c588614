package structure

import "slices"

// far are the columns of the far blocks of a writer for the pairs that are known together, by
// pair, side by side; nil where there are none. An edge of the base is in its own walks and cores.
// So that the pairs are described alike, theirs are those of the base with the pairs in it.
func (g *Graph) far(w *writer, p Pairs) [][]float32 {
	width := 0
	for _, b := range w.blocks {
		if b.far {
			width += len(b.names)
		}
	}
	var pairs []int
	if width > 0 && p.Together {
		for i := range len(p.Ends) / 2 {
			if p.Own == nil || !p.Own[i] {
				pairs = append(pairs, i)
			}
		}
	}
	if len(pairs) == 0 {
		return nil
	}
	ends := g.joined()
	var nodes []int32
	for _, i := range pairs {
		nodes = append(nodes, p.Ends[2*i:2*i+2]...)
	}
	ends = append(ends, nodes...)
	slices.Sort(nodes)
	nodes = slices.Compact(nodes)
	with := &Graph{n: g.n, pool: g.pool, base: g, added: nodes} // directions do not matter to walks and cores
	with.join(ends)
	out, table := make([][]float32, len(p.Ends)/2), make([]float32, len(pairs)*width)
	at := 0
	for _, b := range w.blocks {
		if !b.far {
			continue
		}
		write := b.begin(with, nodes)
		for k, i := range pairs {
			out[i] = table[k*width:][:width]
			write(out[i][at:], &query{ends: [2]int32(p.Ends[2*i:])})
		}
		at += len(b.names)
	}
	return out
}

// joined are the ends of the base's edges between different nodes, each pair of nodes once.
func (g *Graph) joined() []int32 {
	out := make([]int32, 0, len(g.nbr))
	for v := range int32(g.n) {
		for _, w := range g.nbr[g.ptr[v]:g.ptr[v+1]] {
			if v < w {
				out = append(out, v, w)
			}
		}
	}
	return out
}
