package structure

import "slices"

// far returns the columns of the far blocks for the pairs that are known together, one row per
// pair, or nil if the base already has these columns. An edge of the base is part of its own walks
// and cores. To describe these pairs in the same way, far adds them to the base.
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
	with := g.with(p.Ends, pairs)
	if with == nil {
		return nil // the base has the same columns
	}
	var nodes []int32
	for _, i := range pairs {
		nodes = append(nodes, p.Ends[2*i:2*i+2]...)
	}
	slices.Sort(nodes)
	nodes = slices.Compact(nodes)
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

// with returns the base with edges added between the ends of some pairs. Only the neighbours of the
// result are set. It is nil if all pairs are neighbours already.
func (g *Graph) with(ends []int32, pairs []int) *Graph {
	var new []uint64 // a node and its new neighbour
	for _, i := range pairs {
		if e := [2]int32(ends[2*i:]); e[0] != e[1] && g.edges(e) == [2]int32{} {
			new = append(new, pairKey(e[0], e[1]), pairKey(e[1], e[0]))
		}
	}
	if len(new) == 0 {
		return nil
	}
	slices.Sort(new)
	new = slices.Compact(new)
	out := &Graph{n: g.n, pool: g.pool, base: g, ptr: slices.Clone(g.ptr), nbr: make([]int32, 0, len(g.nbr)+len(new))}
	from := int32(0) // position of the neighbours that are not copied yet
	for k, key := range new {
		v, w := int32(key>>32), int32(uint32(key))
		to := g.first(max(from, g.ptr[v]), g.ptr[v+1], w)
		out.nbr = append(append(out.nbr, g.nbr[from:to]...), w)
		from = to
		if len(out.added) == 0 || out.added[len(out.added)-1] != v {
			out.added = append(out.added, v)
		}
		last := int32(g.n) // last node whose list begins behind this number of new neighbours
		if k+1 < len(new) {
			last = int32(new[k+1] >> 32)
		}
		for u := v + 1; u <= last; u++ {
			out.ptr[u] += int32(k + 1)
		}
	}
	out.nbr = append(out.nbr, g.nbr[from:]...)
	return out
}

func pairKey(v, w int32) uint64 { return uint64(v)<<32 | uint64(w) }
