package sample

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/ehgnn/ehgnn/internal/rng"
)

func TestOrderIsAPermutation(t *testing.T) {
	for _, n := range []int64{1, 2, 3, 7, 64, 1000, 4097} {
		var lists [][]int64
		for round := range 2 {
			o := newOrder(n, 7, round)
			list := make([]int64, n)
			for i := range list {
				list[i] = o.at(int64(i))
			}
			lists = append(lists, slices.Clone(list))
			slices.Sort(list)
			for i, v := range list {
				if v != int64(i) {
					t.Fatalf("n=%d round %d: %d is missing", n, round, i)
				}
			}
		}
		if n >= 64 && slices.Equal(lists[0], lists[1]) {
			t.Errorf("n=%d: two rounds have the same order", n)
		}
	}
}

// Every number is drawn equally often, and none twice.
func TestDrawIsUniform(t *testing.T) {
	const n, k, times = 11, 4, 20000
	count := make([]int, n)
	swapped := map[int64]int64{}
	for i := range times {
		got := draw(nil, n, k, func() *rand.Rand { return rng.Stream(3, "test", i) }, swapped)
		if len(got) != k {
			t.Fatalf("%d drawn, want %d", len(got), k)
		}
		seen := map[int64]bool{}
		for _, v := range got {
			if v < 0 || v >= n || seen[v] {
				t.Fatalf("drew %v", got)
			}
			seen[v] = true
			count[v]++
		}
	}
	p := float64(k) / n
	sigma := math.Sqrt(times * p * (1 - p))
	for v, c := range count {
		if d := math.Abs(float64(c) - times*p); d > 4*sigma {
			t.Errorf("%d was drawn %d times, want %.0f ± %.0f", v, c, times*p, 4*sigma)
		}
	}
}

// Over many steps, the mean of the values that a layer reads at a node equals the mean over all
// edges there, within four standard errors.
func TestMeanIsUnbiased(t *testing.T) {
	x := newExample(t, shape{nodes: 40, edges: 400, blocks: 128, parts: 3}, 5).index(t)
	s := newSampler(x, Config{Neighbours: []int{5}, Batch: 1 << 20, Seed: 9, Threads: 1})
	const times = 10000
	// With all edges as seeds, a layer reads exactly the ends drawn at each node. The value of an
	// edge is its number.
	all := newSampler(x, Config{Neighbours: []int{-1}, Batch: 1 << 20, Threads: 1})
	seeds, err := all.seeds(0)
	if err != nil {
		t.Fatal(err)
	}
	full, err := all.around(context.Background(), seeds, 0)
	if err != nil {
		t.Fatal(err)
	}
	mean := func(h *Subgraph, v int) float64 {
		sum := 0.0
		for _, e := range h.Layers[0].Ends[h.Layers[0].Ptr[v]:h.Layers[0].Ptr[v+1]] {
			sum += float64(e)
		}
		return sum / float64(h.Layers[0].Ptr[v+1]-h.Layers[0].Ptr[v])
	}
	// The hub, a node of medium degree and a node with few edges.
	nodes := make([]int, full.Layers[0].Nodes)
	for v := range nodes {
		nodes[v] = v
	}
	slices.SortFunc(nodes, func(a, b int) int { return int(full.Layers[0].Degree[b] - full.Layers[0].Degree[a]) })
	nodes = []int{nodes[0], nodes[len(nodes)/2], nodes[len(nodes)-1]}
	sums, squares := make([]float64, len(nodes)), make([]float64, len(nodes))
	if err := s.add(seeds); err != nil {
		t.Fatal(err)
	}
	for step := range times {
		picks, of, err := s.draw(1, step)
		if err != nil {
			t.Fatal(err)
		}
		at := 0
		for v := range of {
			mine := picks[at : at+int(of[v])]
			at += int(of[v])
			if i := slices.Index(nodes, v); i >= 0 {
				m := 0.0
				for _, e := range mine {
					m += float64(s.edgeRow[e>>1]) / float64(len(mine))
				}
				sums[i] += m
				squares[i] += m * m
			}
		}
	}
	for i, v := range nodes {
		got, want := sums[i]/times, mean(full, v)
		sigma := math.Sqrt(max(squares[i]/times-got*got, 0) / times)
		if d := math.Abs(got - want); d > 4*sigma+1e-9 {
			t.Errorf("node of degree %d: mean %v, want %v ± %v", full.Layers[0].Degree[v], got, want, 4*sigma)
		}
		if full.Layers[0].Degree[v] > 5 && sigma == 0 {
			t.Errorf("node of degree %d: every step reads the same", full.Layers[0].Degree[v])
		}
	}
}
