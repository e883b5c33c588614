package links

import (
	"cmp"
	"slices"
	"strconv"

	"github.com/ehgnn/ehgnn/internal/lists"
)

// Known has the partners of each node in all parts.
type Known struct {
	out, in *CSR
	// Allowed says for each node whether it can be a candidate. nil allows all nodes.
	Allowed []bool
}

// NewKnown returns the partners from all pairs of the data.
func NewKnown(d *Data) *Known {
	g := GraphOf(d.Kind, d.Hash, d.Pairs)
	return &Known{out: g.Out, in: g.In}
}

// Of returns the known partners of a kept end: the targets of a source, or with reverse the sources
// of a target.
func (k *Known) Of(a int32, reverse bool) []int32 {
	if reverse {
		return k.in.Of(a)
	}
	return k.out.Of(a)
}

// Has reports whether (u,v) is a known pair.
func (k *Known) Has(u, v int32) bool { return k.out.Has(u, v) }

// Candidates returns, in ascending order, the nodes that could be partners of a kept end and are no
// known partners.
func (k *Known) Candidates(d *Data, a int32, reverse bool) []int32 {
	known := k.Of(a, reverse)
	out := make([]int32, 0, d.Nodes()-len(known))
	for w := range int32(d.Nodes()) {
		for len(known) > 0 && known[0] < w {
			known = known[1:]
		}
		if len(known) > 0 && known[0] == w || w == a {
			continue
		}
		if d.Kind == Bipartite && d.Target[w] == reverse || k.Allowed != nil && !k.Allowed[w] {
			continue
		}
		out = append(out, w)
	}
	return out
}

// Hard makes the hard negatives of kept ends. Only one goroutine may use it.
type Hard struct {
	d     *Data
	known *Known
	w     *Worker
	seed  uint64
	place []int32 // position of each node in found, or -1
	found []similar

	positive []scored // candidates of one list
}

// scored is the score of a candidate and its position in found.
type scored struct {
	score float64
	at    int32
}

// similar is a candidate with a positive score: its node, its rank in each list, and its tie value.
type similar struct {
	node int32
	rank [3]int32
	tie  uint64
}

// NewHard returns a Hard. w is a worker of the columns of the training graph.
func NewHard(d *Data, known *Known, w *Worker, seed uint64) *Hard {
	return &Hard{d: d, known: known, w: w, seed: seed, place: slices.Repeat([]int32{-1}, d.Nodes())}
}

// List returns the k hardest candidates of a kept end, or all candidates if there are fewer.
// Candidates with a positive score come first; hard is their number. Scores are resource allocation
// (L3 in a bipartite graph), personalised PageRank from the kept end and, with features, the
// cosine, each rounded to ten significant digits. Candidates are sorted by their best rank, then by
// the next ranks, then by Tie.
func (h *Hard) List(a int32, reverse bool, k int) (list []int32, hard int) {
	lists := h.rank(a, reverse)
	var first []similar // candidates whose best rank is at most k; they come before all others
	for i := range h.found {
		x := &h.found[i]
		if slices.Sort(x.rank[:lists]); int(x.rank[0]) <= k {
			first = append(first, *x)
		}
	}
	if hard = min(k, len(h.found)); len(first) < hard {
		first = slices.Clone(h.found)
	}
	slices.SortFunc(first, func(x, y similar) int {
		return cmp.Or(slices.Compare(x.rank[:lists], y.rank[:lists]), cmp.Compare(x.tie, y.tie))
	})
	for _, x := range first[:hard] {
		list = append(list, x.node)
	}
	if hard < k {
		list = append(list, h.others(a, reverse, k-hard)...)
	}
	for _, x := range h.found {
		h.place[x.node] = -1
	}
	return list, hard
}

// others returns the first k candidates without a positive score, in the order of Tie.
func (h *Hard) others(a int32, reverse bool, k int) []int32 {
	var rest []similar
	for _, v := range h.known.Candidates(h.d, a, reverse) {
		if h.place[v] < 0 {
			rest = append(rest, similar{node: v, tie: tie(h.seed, h.d.Hash[a], h.d.Hash[v])})
		}
	}
	slices.SortFunc(rest, func(x, y similar) int { return cmp.Compare(x.tie, y.tie) })
	return lists.Map(rest[:min(k, len(rest))], func(x similar) int32 { return x.node })
}

// rank finds the candidates with a positive score and their ranks in each list. It returns the
// number of lists.
func (h *Hard) rank(a int32, reverse bool) (lists int) {
	w := h.w
	w.Keep(a)
	if w.ranks != nil {
		w.pushFrom(a) // hard negatives are defined by Push, not by pageRanks
	}
	h.found = h.found[:0]
	type list struct {
		score func(v int32) float64
		nodes []int32 // nodes with a value other than 0
	}
	of := func(score []float64) func(int32) float64 { return func(v int32) float64 { return score[v] } }
	all := []list{{func(v int32) float64 { return w.step(v).ra }, w.two.nodes}, {w.push.At, w.push.touched}}
	if w.l3 != nil {
		all[0] = list{of(w.l3), w.three}
	}
	if w.cosine != nil {
		all = append(all, list{of(w.cosine), w.similar})
	}
	var above [3]int32 // rank of a candidate with score 0 in each list: the number of candidates with a positive score
	for l, of := range all {
		h.positive = h.positive[:0]
		for _, v := range of.nodes {
			if x := of.score(v); x > 0 && h.candidate(a, v, reverse) {
				if at := h.find(a, v); h.found[at].rank[l] == 0 {
					h.found[at].rank[l] = 1
					h.positive = append(h.positive, scored{x, at})
				}
			}
		}
		slices.SortFunc(h.positive, func(x, y scored) int { return cmp.Compare(y.score, x.score) })
		rank := int32(1)
		for i, x := range h.positive {
			if i > 0 && !sameDigits(h.positive[i-1].score, x.score) {
				rank = int32(1 + i)
			}
			h.found[x.at].rank[l] = rank
		}
		above[l] = int32(len(h.positive))
	}
	for i := range h.found {
		for l, rank := range h.found[i].rank[:len(all)] {
			if rank == 0 {
				h.found[i].rank[l] = 1 + above[l]
			}
		}
	}
	return len(all)
}

// candidate reports whether a node could be a partner of a kept end and is no known partner.
func (h *Hard) candidate(a, v int32, reverse bool) bool {
	if v == a || h.d.Kind == Bipartite && h.d.Target[v] == reverse || h.known.Allowed != nil && !h.known.Allowed[v] {
		return false
	}
	_, known := slices.BinarySearch(h.known.Of(a, reverse), v)
	return !known
}

// find returns the position of a node in found. It adds the node if it is new.
func (h *Hard) find(a, v int32) int32 {
	if h.place[v] < 0 {
		h.place[v] = int32(len(h.found))
		h.found = append(h.found, similar{node: v, tie: tie(h.seed, h.d.Hash[a], h.d.Hash[v])})
	}
	return h.place[v]
}

// sameDigits reports whether two positive scores, the larger one first, agree in ten significant
// decimal digits. So the order of additions does not change the ranks.
func sameDigits(x, y float64) bool {
	return x == y || x < y*(1+2e-9) && tenDigits(x) == tenDigits(y) // farther values differ in their digits
}

// tenDigits rounds to ten significant decimal digits.
func tenDigits(x float64) string { return strconv.FormatFloat(x, 'e', 9, 64) }

// KnownIn returns the partners from the pairs of a graph alone.
func KnownIn(g *Graph) *Known { return &Known{out: g.Out, in: g.In} }
