package model

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/ehgnn/ehgnn/graph"
	"github.com/ehgnn/ehgnn/internal/rng"
	"github.com/ehgnn/ehgnn/tensor"
)

// evaluated is what a model gives for the edges of a batch, predictions and vectors, and for its nodes.
func evaluated(t *testing.T, m Model, b *graph.Batch) (edges, nodes *tensor.Tensor) {
	t.Helper()
	out := m.Forward(pass(t, false), b)
	if out.NodeVec != nil {
		nodes = out.NodeVec.Clone()
	}
	return tensor.Concat(1, out.Edge, out.EdgeVecs[0].Rows).Clone(), nodes
}

// randomFeatures are numbers, categories with many values or numbers most of which are 0.
func randomFeatures(r *rand.Rand, kind string, rows int) graph.Features {
	switch kind {
	case "categories":
		f := graph.Features{Codes: []int{450, 30}} // wider than a block of a product
		for range rows {
			f.Code = append(f.Code, r.Int32N(451)-1, r.Int32N(30))
		}
		return f
	case "zeros":
		f := graph.Features{Dim: 400, Dense: make([]float32, 400*rows)}
		for i := range f.Dense {
			if r.IntN(30) == 0 {
				f.Dense[i] = r.Float32()
			}
		}
		return f
	}
	return graph.Features{Dim: 3, Dense: random(r, rows, 3).Data()}
}

// Evaluated, models of edges that can give the same bits for edges in any order, also where two nodes
// have a tenth of them each, and for features in dense form and in sparse form.
func TestExact(t *testing.T) {
	const n, m = 80, 700
	r := rng.Stream(5, "exact")
	ends := make([]int32, 2*m)
	for i := range ends {
		if ends[i] = r.Int32N(n); r.IntN(5) == 0 {
			ends[i] = r.Int32N(2)
		}
	}
	copy(ends[100:], ends[:40]) // parallel edges
	ends[51] = ends[50]         // and a loop
	order := r.Perm(m)
	for _, kind := range []string{"numbers", "categories", "zeros"} {
		for _, name := range []string{"ehgnn-edge", "ehgnn-joint-edge", "mlp-edge"} {
			for i := range 4 {
				directed, encode := i%2 == 0, i >= 2
				t.Run(fmt.Sprintf("%s/%s/directed=%v/encode=%v", kind, name, directed, encode), func(t *testing.T) {
					g := graph.Graph{NumNodes: n, Ends: ends, Directed: directed, Label: graph.NoLabel, Node: randomFeatures(r, kind, n), Edge: randomFeatures(r, kind, m)}
					other := g
					other.Ends = nil
					rows := make([]int32, m)
					for k, e := range order {
						rows[k] = int32(e)
						other.Ends = append(other.Ends, ends[2*e], ends[2*e+1])
					}
					other.Edge = g.Edge.Take(rows)
					config := configOf(name, values{"node_dim": g.Node.Width(), "edge_dim": g.Edge.Width(), "out": 2, "hidden": 16, "layers": 2})
					config.Encode, config.Seed = encode, 3
					model := must(must(Find(name)).New(config))
					b := must(graph.Collate([]*graph.Graph{must(graph.New(g))}))
					edges, nodes := evaluated(t, model, b)

					moved, same := evaluated(t, model, must(graph.Collate([]*graph.Graph{must(graph.New(other))})))
					d := edges.Dim(1)
					for k, e := range order {
						if got, want := moved.Data()[k*d:][:d], edges.Data()[e*d:][:d]; !slices.Equal(got, want) {
							t.Fatalf("edge %d: %v, and with the edges in another order %v", e, want, got)
						}
					}
					if nodes != nil && !slices.Equal(same.Data(), nodes.Data()) {
						t.Error("vectors of nodes depend on the order of the edges")
					}

					if sparse := b.E.SparseEntries() >= 0; sparse != (kind != "numbers") {
						t.Fatalf("features in sparse form: %v", sparse)
					}
					b.X, b.E = b.X.Clone(), b.E.Clone()
					if dense, _ := evaluated(t, model, b); !slices.Equal(dense.Data(), edges.Data()) {
						t.Error("features in dense form give other bits")
					}
				})
			}
		}
	}
}
