package links

import (
	"cmp"
	"slices"
	"strconv"
)

// Known says which nodes are partners of a node in any part.
type Known struct {
	out, in *CSR
	// Allowed are the nodes that are candidates at all; nil for all.
	Allowed []bool
}

// NewKnown knows all pairs of the data.
func NewKnown(d *Data) *Known {
	g := GraphOf(d.Kind, d.Nodes(), d.Pairs)
	return &Known{out: g.Out, in: g.In}
}

// Of are the known partners of a kept end: targets of a source, or with reverse sources of a target.
func (k *Known) Of(a int32, reverse bool) []int32 {
	if reverse {
		return k.in.Of(a)
	}
	return k.out.Of(a)
}

// Has reports whether (u,v) is known.
func (k *Known) Has(u, v int32) bool { return k.out.Has(u, v) }

// Candidates are the nodes that could be a partner of a kept end and are no known one, rising.
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

// Hard makes the hard negatives of kept ends. It is used by one goroutine.
type Hard struct {
	d     *Data
	known *Known
	w     *Worker
	seed  uint64
}

// NewHard begins to make hard negatives by the columns of the training graph.
func NewHard(d *Data, known *Known, c *Columns, seed uint64) *Hard {
	return &Hard{d: d, known: known, w: c.NewWorker(), seed: seed}
}

// List is the list of the k hardest candidates of a kept end, or all where there are fewer: those
// with a positive score first, how many is hard. Scores are resource allocation (L3 in a bipartite
// graph), personalised PageRank from the kept end and, with features, the cosine, to ten significant
// digits. A candidate is ordered by its best rank, then by the next, then by Tie.
func (h *Hard) List(a int32, reverse bool, k int) (list []int32, hard int) {
	cand, ranks := h.ranks(a, reverse)
	tied := make([]uint64, len(cand))
	order := make([]int32, len(cand))
	positive := make([]bool, len(cand))
	for i, w := range cand {
		order[i], tied[i] = int32(i), tie(h.seed, h.d.Hash[a], h.d.Hash[w])
		positive[i] = ranks[i].positive
		slices.Sort(ranks[i].of[:ranks[i].n])
	}
	slices.SortFunc(order, func(x, y int32) int {
		if positive[x] != positive[y] {
			if positive[x] {
				return -1
			}
			return 1
		}
		if positive[x] {
			if c := slices.Compare(ranks[x].of[:ranks[x].n], ranks[y].of[:ranks[y].n]); c != 0 {
				return c
			}
		}
		return cmp.Compare(tied[x], tied[y])
	})
	for _, i := range order[:min(k, len(order))] {
		list = append(list, cand[i])
		if positive[i] {
			hard++
		}
	}
	return list, hard
}

// hardRanks are the ranks of a candidate in the lists.
type hardRanks struct {
	of       [3]int32
	n        int
	positive bool
}

// ranks are the candidates of a kept end and their ranks in each list.
func (h *Hard) ranks(a int32, reverse bool) ([]int32, []hardRanks) {
	w := h.w
	w.Keep(a)
	cand := h.known.Candidates(h.d, a, reverse)
	first := w.ra
	if w.l3 != nil {
		first = w.l3
	}
	lists := [][]float64{first, w.push.p}
	if w.cosine != nil {
		lists = append(lists, w.cosine)
	}
	ranks := make([]hardRanks, len(cand))
	score := make([]float64, len(cand))
	for l, scores := range lists {
		var positive []float64
		for i, v := range cand {
			score[i] = 0
			if s := scores[v]; s > 0 {
				score[i] = tenDigits(s)
				positive = append(positive, score[i])
				ranks[i].positive = true
			}
		}
		slices.Sort(positive)
		for i, s := range score {
			above, _ := slices.BinarySearchFunc(positive, s, func(p, s float64) int {
				if p <= s {
					return -1
				}
				return 1
			})
			ranks[i].of[l], ranks[i].n = int32(1+len(positive)-above), l+1
		}
	}
	return cand, ranks
}

// tenDigits rounds to ten significant decimal digits, so that the order of an addition decides nothing.
func tenDigits(x float64) float64 {
	v, err := strconv.ParseFloat(strconv.FormatFloat(x, 'e', 9, 64), 64)
	if err != nil {
		return x
	}
	return v
}

// KnownIn knows the pairs of a graph alone.
func KnownIn(g *Graph) *Known { return &Known{out: g.Out, in: g.In} }
