package structure

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/ehgnn/ehgnn/internal/lists"
)

// Groups of columns. The package comment describes them.
const (
	Degree      = "degree"
	Reciprocity = "reciprocity"
	Neighbours  = "neighbours"
	Walk        = "walk"
	Core        = "core"
	Pair        = "pair"
	Common      = "common"
)

// Groups lists the groups in the order of their columns.
func Groups() []string {
	return []string{Degree, Reciprocity, Neighbours, Walk, Core, Pair, Common}
}

// Names lists the columns of some groups for directed or undirected graphs, in the order of Groups.
// It returns an error for an unknown group and for a group that undirected graphs do not have.
func Names(directed bool, groups ...string) ([]string, error) {
	var out []string
	blocks := blocksOf(directed)
	for _, name := range groups {
		if !slices.ContainsFunc(blocks, func(b block) bool { return b.group == name }) {
			form := "undirected"
			if directed {
				form = "directed"
			}
			return nil, fmt.Errorf("structure: no group %q of columns for %s graphs, expected some of %q", name, form, groupsOf(blocks))
		}
	}
	for _, b := range blocks {
		if slices.Contains(groups, b.group) {
			out = append(out, b.names...)
		}
	}
	return out, nil
}

// GroupsOf lists the groups for directed or undirected graphs.
func GroupsOf(directed bool) []string { return groupsOf(blocksOf(directed)) }

func groupsOf(blocks []block) []string {
	return lists.Map(blocks, func(b block) string { return b.group })
}

// Pairs are node pairs to describe.
type Pairs struct {
	Ends []int32 // the two ends of each pair
	// Own says for each pair whether it is an edge of the base that is to be left out. nil leaves
	// out none.
	Own []bool
	// Together says that the pairs that are not Own are edges that are known together. If the base
	// has no edge between the ends of a pair, the other pairs between these ends are counted.
	Together bool
}

// together counts the edges between two ends among the edges that are known together. It is nil if
// there are none.
func (p Pairs) together(g *Graph) map[[2]int32]int32 {
	if !p.Together {
		return nil
	}
	out := make(map[[2]int32]int32)
	for i := range len(p.Ends) / 2 {
		if e := [2]int32(p.Ends[2*i:]); p.Own == nil || !p.Own[i] {
			out[e]++
			if !g.directed && e[0] != e[1] {
				out[[2]int32{e[1], e[0]}]++
			}
		}
	}
	return out
}

// block is a group of columns. begin computes what the group needs of the whole graph and returns a
// function that writes the group's columns for one pair. A block is far if it reads more than the
// ends and their neighbours. For a far block, begin can be given the nodes that pairs have; nil
// means all nodes.
type block struct {
	group string
	names []string
	far   bool
	begin func(g *Graph, nodes []int32) func(row []float32, q *query)
}

// blocksOf returns the groups for directed or undirected graphs, in the order of Groups.
func blocksOf(directed bool) []block {
	if !directed {
		return []block{
			perEnd(false, Degree, []string{"degree", "edges"}, whole((*Graph).undirectedDegrees)),
			perEnd(false, Neighbours, []string{"neighbours_degree"}, whole((*Graph).neighbours)),
			perEnd(false, Walk, walkNames, (*Graph).walks),
			perEnd(false, Core, []string{"core"}, (*Graph).cores),
			{group: Pair, names: []string{"parallel", "loop"}, begin: func(g *Graph, _ []int32) func(row []float32, q *query) { return g.undirectedPair() }},
			{group: Common, names: []string{"common", "adamic_adar", "jaccard"}, begin: func(g *Graph, _ []int32) func(row []float32, q *query) { return g.common() }},
		}
	}
	return []block{
		perEnd(true, Degree, []string{"out_degree", "in_degree", "degree", "out_edges", "in_edges"}, whole((*Graph).directedDegrees)),
		perEnd(true, Reciprocity, []string{"reciprocity"}, whole((*Graph).reciprocities)),
		perEnd(true, Neighbours, []string{"out_neighbours_out_degree", "out_neighbours_in_degree", "out_neighbours_reciprocity",
			"in_neighbours_out_degree", "in_neighbours_in_degree", "in_neighbours_reciprocity"}, whole((*Graph).neighbours)),
		perEnd(true, Walk, walkNames, (*Graph).walks),
		perEnd(true, Core, []string{"core"}, (*Graph).cores),
		{group: Pair, names: []string{"reverse", "parallel", "loop"}, begin: func(g *Graph, _ []int32) func(row []float32, q *query) { return g.directedPair() }},
		{group: Common, names: []string{"common_out_in", "common_out_out", "common_in_in", "common_in_out", "common", "adamic_adar", "jaccard"}, begin: func(g *Graph, _ []int32) func(row []float32, q *query) { return g.directedCommon() }},
	}
}

// endWriter is block.begin for one end of a pair.
type endWriter func(g *Graph, nodes []int32) func(row []float32, q *query, end int)

// whole returns the endWriter of a group that is not far.
func whole(begin func(g *Graph) func(row []float32, q *query, end int)) endWriter {
	return func(g *Graph, _ []int32) func(row []float32, q *query, end int) { return begin(g) }
}

// perEnd returns a group with columns for both ends. The function that begin returns writes the
// columns of one end: 0 for the first, 1 for the second.
func perEnd(directed bool, group string, names []string, begin endWriter) block {
	b := block{group: group, far: group == Walk || group == Core}
	w := len(names)
	for _, form := range [][2]string{{"source_", ""}, {"target_", ""}, {"", "_mean"}, {"", "_difference"}} {
		if directed == (form[1] == "") {
			for _, n := range names {
				b.names = append(b.names, form[0]+n+form[1])
			}
		}
	}
	b.begin = func(g *Graph, nodes []int32) func(row []float32, q *query) {
		write := begin(g, nodes)
		return func(row []float32, q *query) {
			a, b := row[:w], row[w:2*w]
			write(a, q, 0)
			write(b, q, 1)
			if directed {
				return
			}
			for k, x := range a {
				y := b[k]
				a[k], b[k] = (x+y)/2, float32(math.Abs(float64(x-y)))
			}
		}
	}
	return b
}

// Columns returns the named columns of pairs, a row of len(names) for each pair.
func (g *Graph) Columns(names []string, p Pairs) ([]float32, error) {
	k := len(names)
	out := make([]float32, len(p.Ends)/2*k)
	return out, g.Each(names, p, func(i int, row []float32) { copy(out[i*k:], row) })
}

// Each calls f with the named columns of every pair. Calls of f run at the same time and in any
// order. The row is valid until f returns.
func (g *Graph) Each(names []string, p Pairs, f func(i int, row []float32)) error {
	if err := check(g.n, p.Ends); err != nil {
		return err
	}
	m := len(p.Ends) / 2
	if p.Own != nil && len(p.Own) != m {
		return fmt.Errorf("structure: Pairs.Own has %d entries for %d pairs", len(p.Own), m)
	}
	w, err := g.writer(names)
	if err != nil {
		return err
	}
	given := p.Ends
	p.Ends = g.placed(p.Ends)
	order, together, far := g.sorted(p.Ends), p.together(g), g.far(w, p)
	return g.chunks(m, func(lo, hi int) error {
		row, to, q := make([]float32, w.width), make([]float32, len(names)), query{marks: g.newMarks(hi - lo)}
		for _, k := range order[lo:hi] {
			i := int(k)
			if !q.set(g, together, [2]int32(p.Ends[2*i:]), p.Own != nil && p.Own[i]) {
				return fmt.Errorf("structure: pair %d, of nodes %d and %d, is its own but no edge of the graph", i, given[2*i], given[2*i+1])
			}
			if far == nil {
				w.write(to, row, &q, nil)
			} else {
				w.write(to, row, &q, far[i])
			}
			f(i, to)
		}
		return nil
	})
}

// writer writes named columns. It computes the rows of all blocks that have one of them.
type writer struct {
	blocks []block
	of     []func(row []float32, q *query) // the function that writes each block
	at     []int                           // the first position of each block in a row
	width  int                             // of a row
	from   []int                           // the position of each named column in a row
}

func (g *Graph) writer(names []string) (*writer, error) {
	w := &writer{}
	place := map[string]int{}
	for _, b := range blocksOf(g.directed) {
		if !slices.ContainsFunc(names, func(n string) bool { return slices.Contains(b.names, n) }) {
			continue
		}
		for k, n := range b.names {
			place[n] = w.width + k
		}
		if g.begun == nil {
			g.begun = map[string]func(row []float32, q *query){}
		}
		if g.begun[b.group] == nil {
			g.begun[b.group] = b.begin(g, nil)
		}
		w.blocks, w.of, w.at = append(w.blocks, b), append(w.of, g.begun[b.group]), append(w.at, w.width)
		w.width += len(b.names)
	}
	for _, n := range names {
		k, ok := place[n]
		if !ok {
			return nil, fmt.Errorf("structure: no column %q", n)
		}
		w.from = append(w.from, k)
	}
	return w, nil
}

// write writes the columns of a pair to to. row is scratch memory. far, if not nil, has the columns
// of the far blocks.
func (w *writer) write(to, row []float32, q *query, far []float32) {
	for k, b := range w.blocks {
		if b.far && far != nil {
			copy(row[w.at[k]:], far[:len(b.names)])
			far = far[len(b.names):]
			continue
		}
		w.of[k](row[w.at[k]:], q)
	}
	for k, from := range w.from {
		to[k] = row[from]
	}
}

// chunks calls f for ranges of m rows on all threads. There are more ranges than threads, because
// pairs at hubs take longer than others and are next to each other.
func (g *Graph) chunks(m int, f func(lo, hi int) error) error {
	const most, least = 64, 512
	n := min(most, (m+least-1)/least)
	fs, errs := make([]func(), n), make([]error, n)
	for k := range fs {
		fs[k] = func() { errs[k] = f(m*k/n, m*(k+1)/n) }
	}
	g.pool.Do(fs...)
	return cmp.Or(errs...)
}

// sorted lists pairs by their ends. Equal pairs, and pairs that share lists of neighbours, are next
// to each other.
func (g *Graph) sorted(ends []int32) []int32 {
	m := len(ends) / 2
	order, next := make([]int32, m), make([]int32, m)
	for i := range order {
		order[i] = int32(i)
	}
	if m < g.n/8 { // counting is slower than comparing
		slices.SortStableFunc(order, func(a, b int32) int { return slices.Compare(ends[2*a:2*a+2], ends[2*b:2*b+2]) })
		return order
	}
	for end := 1; end >= 0; end-- {
		at := make([]int32, g.n+1)
		for _, i := range order {
			at[ends[2*int(i)+end]+1]++
		}
		for v := range g.n {
			at[v+1] += at[v]
		}
		for _, i := range order {
			v := ends[2*int(i)+end]
			next[at[v]] = i
			at[v]++
		}
		order, next = next, order
	}
	return order
}
