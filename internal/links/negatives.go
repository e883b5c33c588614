package links

import (
	"math"
	"slices"
	"sort"

	"github.com/ehgnn/ehgnn/internal/lists"
)

// drawLimit is the largest number of draws for each wanted pair.
const drawLimit = 200

// uniform draws the wanted number of distinct pairs of nodes that are neither known nor in taken,
// and adds them to taken. It returns fewer pairs if it finds no more.
func uniform(d *Data, known *Known, want int, seed uint64, taken *pairSet) [][2]int32 {
	r := stream(Mix(seed ^ 0x756e69666f726d))
	sources, targets := d.Ends()
	out := make([][2]int32, 0, want)
	for tries := 0; len(out) < want && tries < drawLimit*(want+10); tries++ {
		u, v := sources[r.intn(len(sources))], targets[r.intn(len(targets))]
		p := d.Orient([2]int32{u, v})
		if u == v || known.Has(p[0], p[1]) || d.Kind == Directed && taken.has([2]int32{v, u}) {
			continue
		}
		if taken.add(p) {
			out = append(out, p)
		}
	}
	return out
}

// Ends returns the nodes that can be sources and the nodes that can be targets.
func (d *Data) Ends() (sources, targets []int32) {
	for v := range int32(d.Nodes()) {
		if d.Kind != Bipartite || !d.Target[v] {
			sources = append(sources, v)
		}
		if d.Kind != Bipartite || d.Target[v] {
			targets = append(targets, v)
		}
	}
	return sources, targets
}

// ByDegree draws candidates for one end of a positive, in proportion to their degree^0.75.
type ByDegree struct {
	d     *Data
	known *Known
	seed  uint64
	ends  [2][]int32 // the candidates for the target and for the source
	sums  [2][]float64
}

// NewByDegree returns a ByDegree with degrees of the training graph. The degree of a target is its
// in-degree.
func NewByDegree(d *Data, known *Known, g *Graph, seed uint64) *ByDegree {
	b := &ByDegree{d: d, known: known, seed: seed}
	b.ends[1], b.ends[0] = d.Ends()
	for side, by := range []*CSR{g.In, g.Out} {
		sum := 0.0
		for _, v := range b.ends[side] {
			sum += math.Pow(float64(by.Degree(v)), 0.75)
			b.sums[side] = append(b.sums[side], sum)
		}
	}
	return b
}

// List draws at most k distinct candidates that replace the end of the positive which is not kept.
// If the draws find too few, the nodes with the smallest Tie fill the list.
func (b *ByDegree) List(kept, other int32, reverse bool, k int) []int32 {
	side := 0
	if reverse {
		side = 1
	}
	ends, sums := b.ends[side], b.sums[side]
	r := stream(tie(b.seed^0x646567726565+uint64(side), b.d.Hash[kept], b.d.Hash[other]))
	known := b.known.Of(kept, reverse)
	taken := map[int32]bool{kept: true}
	var out []int32
	total := sums[len(sums)-1]
	for tries := 0; len(out) < k && tries < 20*k && total > 0; tries++ {
		v := ends[min(sort.SearchFloat64s(sums, r.float()*total), len(ends)-1)]
		if _, is := slices.BinarySearch(known, v); is || taken[v] {
			continue
		}
		taken[v] = true
		out = append(out, v)
	}
	if len(out) == k {
		return out
	}
	rest := lists.Filter(b.known.Candidates(b.d, kept, reverse), func(v int32) bool { return !taken[v] })
	h := b.d.Hash
	slices.SortFunc(rest, func(x, y int32) int {
		if tie(b.seed, h[kept], h[x]) < tie(b.seed, h[kept], h[y]) {
			return -1
		}
		return 1
	})
	return append(out, rest[:min(k-len(out), len(rest))]...)
}
