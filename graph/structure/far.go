package structure

// Pairs that are known together are not in the base, whose edges are in their own walks and
// cores. So that they are described alike, these are taken from the base with the pairs in it: a
// share of them at a time, as many of them would make a different graph of it.
const (
	farShare = 0.1 // of the neighbours of the base that the pairs of a round may add
	farMost  = 4   // rounds
)

// far are the columns of the far blocks of a writer for the pairs that are known together, by
// pair, side by side; nil where there are none.
func (g *Graph) far(w *writer, p Pairs) [][]float32 {
	width := 0
	for _, b := range w.blocks {
		if b.far {
			width += len(b.names)
		}
	}
	var rest []int
	for i := range len(p.Ends) / 2 {
		if p.Together && (p.Own == nil || !p.Own[i]) {
			rest = append(rest, i)
		}
	}
	if width == 0 || len(rest) == 0 {
		return nil
	}
	out, table := make([][]float32, len(p.Ends)/2), make([]float32, len(rest)*width)
	base := g.joined()
	rounds := farMost
	if most := farShare * float64(len(base)/2); float64(len(rest)) < most*farMost {
		rounds = 1 + int(float64(len(rest))/most)
	}
	of := make([][]int, rounds)
	for k, i := range rest {
		out[i] = table[k*width:][:0:width]
		u, v := p.Ends[2*i], p.Ends[2*i+1]
		// Both directions of an edge are in one round.
		r := (uint64(min(u, v))*0x9e3779b97f4a7c15 ^ uint64(max(u, v))*0xbf58476d1ce4e5b9) >> 32 % uint64(rounds)
		of[r] = append(of[r], i)
	}
	for _, pairs := range of {
		ends := base
		for _, i := range pairs {
			ends = append(ends, p.Ends[2*i:2*i+2]...)
		}
		with := &Graph{n: g.n, pool: g.pool} // directions do not matter to walks and cores
		with.join(ends)
		for _, b := range w.blocks {
			if !b.far {
				continue
			}
			write := b.begin(with)
			for _, i := range pairs {
				at := len(out[i])
				out[i] = out[i][:at+len(b.names)]
				write(out[i][at:], &query{ends: [2]int32(p.Ends[2*i:])})
			}
		}
	}
	return out
}

// joined are the ends of the base's edges between different nodes, each pair of nodes once, with
// room for more.
func (g *Graph) joined() []int32 {
	out := make([]int32, 0, len(g.nbr)*3/2)
	for v := range int32(g.n) {
		for _, w := range g.nbr[g.ptr[v]:g.ptr[v+1]] {
			if v < w {
				out = append(out, v, w)
			}
		}
	}
	return out
}
