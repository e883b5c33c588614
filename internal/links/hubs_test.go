package links

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/ehgnn/ehgnn/internal/lists"
)

// Walks follow, at a hub, only the edges to the neighbours that are first by tie, in both
// directions. Degrees and PageRank use all edges.
func TestHubs(t *testing.T) {
	defer func(n int) { mostNeighbours = n }(mostNeighbours)
	for _, kind := range []Kind{Undirected, Directed, Bipartite} {
		r := rand.New(rand.NewPCG(1, 2))
		table := Table{Kind: kind}
		const nodes = 40
		for v := range nodes {
			table.IDs = append(table.IDs, fmt.Sprint("n", v))
		}
		for range 160 {
			u, v := r.Int32N(nodes/2), r.Int32N(nodes/2)
			if r.IntN(4) == 0 {
				v = 3 // a hub
			}
			if kind == Bipartite {
				v += nodes / 2
			}
			table.Ends = append(table.Ends, u, v)
		}
		d, err := NewData(table)
		if err != nil {
			t.Fatal(err)
		}
		g := GraphOf(kind, d.Hash, d.Pairs)
		adjacent := slices.Clone(g.Both.Adj)
		mostNeighbours = MostNeighbours
		whole := NewColumns(g, nil)
		mostNeighbours = 8
		cut := NewColumns(g, nil)
		if whole.Hubs != 0 || whole.walks.both != g.Both || cut.Hubs == 0 || !slices.Equal(g.Both.Adj, adjacent) {
			t.Fatalf("%s: %d hubs in the whole graph, %d in the other", kind, whole.Hubs, cut.Hubs)
		}
		keeps := func(u, v int32) bool {
			of := slices.Clone(g.Both.Of(u))
			slices.SortFunc(of, func(a, b int32) int {
				if tie(0, FNV1a64(d.IDs[u]), FNV1a64(d.IDs[a])) < tie(0, FNV1a64(d.IDs[u]), FNV1a64(d.IDs[b])) {
					return -1
				}
				return 1
			})
			return slices.Contains(of[:min(8, len(of))], v)
		}
		w, all := cut.NewWorker(), whole.NewWorker()
		differ := 0
		for u := range int32(d.Nodes()) {
			w.Keep(u)
			all.Keep(u)
			for v := range int32(d.Nodes()) {
				middle := lists.Filter(g.Both.Of(u), func(x int32) bool {
					return g.Both.Has(x, v) && keeps(u, x) && keeps(x, u) && keeps(v, x) && keeps(x, v)
				})
				ra, two := 0.0, 0.0
				for _, x := range middle {
					ra += 1 / float64(g.Both.Degree(x))
					if g.Out.Has(u, x) && g.Out.Has(x, v) {
						two++
					}
				}
				got, before := w.Raw(v, false), all.Raw(v, false)
				if got.Common != float64(len(middle)) || got.ResourceAllocation != ra || got.PPRFrom != before.PPRFrom || got.DegreeU != before.DegreeU {
					t.Errorf("%s: (%d,%d): %+v, want %d common neighbours, resource allocation %v", kind, u, v, got, len(middle), ra)
				}
				if kind == Directed && got.TwoPaths != two {
					t.Errorf("(%d,%d): %v paths, want %v", u, v, got.TwoPaths, two)
				}
				if got.Common != before.Common {
					differ++
				}
			}
		}
		if differ == 0 {
			t.Errorf("%s: nothing is cut", kind)
		}
	}
}
