package sample

import (
	"context"
	"reflect"
	"testing"

	"github.com/ehgnn/ehgnn/tensor"
)

// plain has the content of a subgraph, for comparison.
type plain struct {
	X, E   []float32
	Ends   []int32
	Labels []int32
	Number []float32
	Layers []Layer
}

func plainOf(h *Subgraph) plain {
	out := plain{X: dense(h.Batch.X), E: dense(h.Batch.E), Ends: h.Batch.H.Ends(), Labels: h.Batch.EdgeLabels, Layers: h.Layers}
	if h.Batch.EdgeTargets != nil {
		out.Number = h.Batch.EdgeTargets.Data()
	}
	return out
}

func dense(x *tensor.Tensor) []float32 { return x.Clone().Data() }

func subgraphs(t *testing.T, x *example, c Config, steps int) []plain {
	t.Helper()
	c.Directed = x.store.Manifest.Directed
	s := newSampler(x.index(t), c)
	var out []plain
	for step := range steps {
		h, err := s.subgraph(context.Background(), step)
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, plainOf(h))
	}
	return out
}

// Batches do not depend on the number of threads, the blocks and the parts, and are the same from a
// sampler that begins at a later step.
func TestBatchesDependOnTheSeedAlone(t *testing.T) {
	c := Config{Neighbours: []int{3, 2}, Batch: 16, Seed: 4, Threads: 1}
	of := shape{nodes: 80, edges: 400, directed: true, blocks: 400, parts: 1}
	want := subgraphs(t, newExample(t, of, 2), c, 30)
	if reflect.DeepEqual(want[0], want[1]) {
		t.Fatal("two steps are the same")
	}
	of.blocks, of.parts = 37, 9
	c.Threads = 3
	x := newExample(t, of, 2)
	if got := subgraphs(t, x, c, 30); !reflect.DeepEqual(got, want) {
		t.Error("other blocks, parts and threads give other batches")
	}
	h, err := newSampler(x.index(t), Config{Neighbours: c.Neighbours, Batch: c.Batch, Seed: c.Seed, Directed: true}).subgraph(context.Background(), 21)
	if err != nil {
		t.Fatal(err)
	}
	if got := plainOf(h); !reflect.DeepEqual(got, want[21]) {
		t.Error("a sampler that begins at step 21 gives another batch")
	}
	c.Seed++
	if reflect.DeepEqual(subgraphs(t, x, c, 1)[0], want[0]) {
		t.Error("another seed gives the same batch")
	}
}

// The label and the features of a held-out edge do not change batches.
func TestHeldOutEdgesAreInNoBatch(t *testing.T) {
	for _, held := range []int{3, 7, 199} { // an edge of validation, one of test, the last one
		for _, c := range []Config{{Neighbours: []int{4, 4}, Batch: 32}, {Neighbours: []int{-1, -1}, Batch: 1 << 20}} {
			of := shape{nodes: 50, edges: 200, directed: true, blocks: 64, parts: 4}
			want := subgraphs(t, newExample(t, of, 8), c, 10)
			of.held = held
			if got := subgraphs(t, newExample(t, of, 8), c, 10); !reflect.DeepEqual(got, want) {
				t.Errorf("edge %d: its label and features change batches", held)
			}
		}
	}
}

// With ExcludeSeeds no layer reads a seed at a node. It reads the other edges there, up to k.
func TestExcludeSeeds(t *testing.T) {
	x := newExample(t, shape{nodes: 30, edges: 300, blocks: 64, parts: 4}, 6).index(t)
	c := Config{Neighbours: []int{3, 5}, Batch: 40, ExcludeSeeds: true, Seed: 1}
	s := newSampler(x, c)
	hidden := 0
	for step := range 5 {
		h, err := s.subgraph(context.Background(), step)
		if err != nil {
			t.Fatal(err)
		}
		at := make([]int64, len(s.nodes)) // ends of seeds at each node
		for _, v := range h.Batch.H.Ends()[:2*h.Seeds] {
			at[v]++
		}
		for l, layer := range h.Layers {
			for v := range layer.Nodes {
				mine := layer.Ends[layer.Ptr[v]:layer.Ptr[v+1]]
				for _, e := range mine {
					if int(e) < h.Seeds {
						t.Fatalf("layer %d reads seed %d at node %d", l+1, e, v)
					}
				}
				others := s.counts[v] - at[v]
				if layer.Degree[v] != others || int64(len(mine)) != min(others, int64(c.Neighbours[l])) {
					t.Fatalf("layer %d reads %d of %d ends that are no seeds", l+1, len(mine), others)
				}
				hidden += int(at[v])
			}
		}
	}
	if hidden == 0 {
		t.Error("no node had a seed")
	}
}

// An edge in no part is read but not trained on. The same holds for an edge without a label.
func TestEdgesOfNoPartAreSeen(t *testing.T) {
	x := newExample(t, shape{nodes: 30, edges: 100, blocks: 30, parts: 2}, 1)
	// Some training edges are moved to no part.
	b := blocksOf(t, x)
	moved := 0
	for _, block := range b.blocks {
		for e := range block.Part {
			if block.Part[e] == 0 && e%5 == 0 {
				block.Part[e] = 3
				moved++
			}
		}
	}
	i, err := OpenIndex(context.Background(), b, &x.store.Manifest, "other", t.TempDir()+"/index", nil)
	if err != nil {
		t.Fatal(err)
	}
	defer i.Close()
	if i.Edges != 75 || i.Seeds != int64(75-moved) || i.Valid != 13 || i.Test != 12 {
		t.Errorf("%d edges, %d seeds, %d and %d held out", i.Edges, i.Seeds, i.Valid, i.Test)
	}
}
