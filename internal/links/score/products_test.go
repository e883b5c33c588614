package score

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/ehgnn/ehgnn/internal/links"
	"github.com/ehgnn/ehgnn/internal/links/rank"
)

// The lists from blocks equal, to the bit, the lists from sorting all scores of one kept end at a
// time, also with ties.
func TestTopOfProducts(t *testing.T) {
	const sources, targets, width, k = 70, 2*blockOthers + 1, 64, 15
	r := rand.New(rand.NewPCG(1, 1))
	vectors := func(lo, n int) Vectors {
		v := Vectors{}
		for i := range n {
			v.Nodes = append(v.Nodes, int32(lo+i))
			for range width {
				v.Rows = append(v.Rows, float32(math.Sin(float64(1+r.IntN(3)+3*len(v.Rows)%width)))) // many equal values
			}
		}
		return v
	}
	p := NewProducts("x", sources+targets, width, vectors(0, sources), vectors(sources, targets))
	var pairs [][2]int32
	for range 5000 {
		pairs = append(pairs, [2]int32{int32(r.IntN(sources)), int32(sources + r.IntN(targets))})
	}
	known := links.KnownIn(links.GraphOf(links.Bipartite, make([]uint64, sources+targets), pairs))
	allowed := make([]bool, sources+targets)
	for v := range allowed {
		allowed[v] = r.IntN(10) > 0
	}
	for _, reverse := range []bool{false, true} {
		kept := p.sides[0].Nodes
		others := p.sides[1].Nodes
		if reverse {
			kept, others = p.sides[1].Nodes[:40], p.sides[0].Nodes
		}
		var last [][]Ranked
		for _, threads := range []int{1, 2, 7} {
			lists, err := p.Top(t.Context(), threads, kept, reverse, k, known, allowed)
			if err != nil {
				t.Fatal(err)
			}
			for i, u := range kept {
				var nodes []int32
				for _, v := range others {
					if allowed[v] && !slices.Contains(known.Of(u, reverse), v) {
						nodes = append(nodes, v)
					}
				}
				out := [][]float64{make([]float64, len(nodes))}
				p.Worker(nil).Score(u, reverse, nodes, out)
				one := [][]float64{{0}}
				if p.Worker(nil).Score(u, reverse, nodes[:1], one); one[0][0] != out[0][0] {
					t.Fatalf("a candidate alone scores %v, among others %v", one[0][0], out[0][0])
				}
				for place, at := range Top(out[0], k) {
					if want := (Ranked{nodes[at], out[0][at]}); lists[i][place] != want {
						t.Fatalf("rank %d of %d is %v, want %v", place+1, u, lists[i][place], want)
					}
				}
			}
			if last != nil && !slices.EqualFunc(last, lists, func(a, b []Ranked) bool { return slices.Equal(a, b) }) {
				t.Errorf("%d threads give other lists", threads)
			}
			last = lists
		}
	}
	p.sides[1].Rows[3] = float32(math.NaN())
	if _, err := p.Top(t.Context(), 1, []int32{0}, false, k, known, nil); err != rank.ErrNaN {
		t.Errorf("error %v of a score that is no number", err)
	}
}

// Measures lists of one node and of a thousand.
func BenchmarkTop(b *testing.B) {
	for _, c := range []struct{ kept, targets, width int }{{1, 100_000, 64}, {1, 100_000, 128}, {1000, 1_000_000, 64}} {
		b.Run(fmt.Sprintf("%d of %d, width %d", c.kept, c.targets, c.width), func(b *testing.B) {
			r := rand.New(rand.NewPCG(1, 1))
			vectors := func(lo, n int) Vectors {
				v := Vectors{Rows: make([]float32, n*c.width)}
				for i := range n {
					v.Nodes = append(v.Nodes, int32(lo+i))
				}
				for i := range v.Rows {
					v.Rows[i] = r.Float32()
				}
				return v
			}
			nodes := c.kept + c.targets
			p := NewProducts("x", nodes, c.width, vectors(0, c.kept), vectors(c.kept, c.targets))
			known := links.KnownIn(links.GraphOf(links.Bipartite, make([]uint64, nodes), nil))
			for b.Loop() {
				if _, err := p.Top(b.Context(), 2, p.sides[0].Nodes, false, 10, known, nil); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
