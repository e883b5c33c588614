package graph_test

import (
	"math"
	"testing"

	"github.com/ehgnn/ehgnn/graph"
	"github.com/ehgnn/ehgnn/internal/rng"
	"github.com/ehgnn/ehgnn/tensor"
)

func directedOps(t *testing.T, n int, ends []int32, directed bool) *graph.DirectedOps {
	t.Helper()
	h, err := graph.NewPairs(n, ends, directed)
	if err != nil {
		t.Fatal(err)
	}
	return h.DirectedOps()
}

// denseRows is a sparse matrix as rows of sums.
func denseRows(a *tensor.Sparse, column func(k int) int, cols int) [][]float64 {
	out := make([][]float64, a.Rows)
	for i := range out {
		out[i] = make([]float64, cols)
		lo, hi := a.Row(i)
		for k := lo; k < hi; k++ {
			v := 1.0
			if a.Coef != nil {
				v = float64(a.Coef[k])
			}
			out[i][column(k)] += v
		}
	}
	return out
}

func closeTo(t *testing.T, what string, got, want [][]float64) {
	t.Helper()
	for i := range want {
		for j := range want[i] {
			if math.Abs(got[i][j]-want[i][j]) > 1e-6 {
				t.Fatalf("%s: element %d,%d is %v, expected %v", what, i, j, got[i][j], want[i][j])
			}
		}
	}
}

// TestDirectedOps compares the structures with their definition on random multigraphs.
func TestDirectedOps(t *testing.T) {
	for seed := range uint64(30) {
		r := rng.Stream(seed, "roles")
		n, m := 1+r.IntN(6), r.IntN(25)
		ends := make([]int32, 2*m)
		for i := range ends {
			ends[i] = int32(r.IntN(n))
		}
		for _, directed := range []bool{true, false} {
			got := directedOps(t, n, ends, directed)
			for k, mean := range got.Mean {
				if mean == nil {
					if directed || k == 0 {
						t.Fatal("a role has no mean")
					}
					continue
				}
				count := make([]float64, n)
				edges, others := zeroRows(n, m), zeroRows(n, n)
				for e := range m {
					for end := range 2 {
						if directed && end != k {
							continue
						}
						v, o := ends[2*e+end], ends[2*e+1-end]
						count[v]++
						edges[v][e]++
						others[v][o]++
					}
				}
				for v := range n {
					for _, row := range [][]float64{edges[v], others[v]} {
						for j := range row {
							row[j] /= max(count[v], 1)
						}
					}
					if d := float64(got.Degree[k].Data()[v]); math.Abs(d-math.Log1p(count[v])) > 1e-6 {
						t.Fatalf("degree %v of %v edges", d, count[v])
					}
				}
				closeTo(t, "edges of a node", denseRows(mean, func(i int) int { return int(mean.Weight[i]) }, m), edges)
				closeTo(t, "nodes at the other ends", denseRows(mean, func(i int) int { return int(mean.Col[i]) }, n), others)
			}
			checkReads(t, got, n, ends, directed)
		}
	}
}

func zeroRows(rows, cols int) [][]float64 {
	out := make([][]float64, rows)
	for i := range out {
		out[i] = make([]float64, cols)
	}
	return out
}

// checkReads compares what an edge reads of its ends and of its reverse edges.
func checkReads(t *testing.T, got *graph.DirectedOps, n int, ends []int32, directed bool) {
	t.Helper()
	m := len(ends) / 2
	column := func(k int) int { return int(got.Ends.Col[k]) }
	read := denseRows(got.Ends, column, got.Ends.Cols)
	for e := range m {
		u, v := ends[2*e], ends[2*e+1]
		if !directed {
			want := make([]float64, n)
			want[u]++
			want[v]++
			closeTo(t, "both ends", read[e:e+1], [][]float64{want})
			continue
		}
		if read[e][u] != 1 || read[e][n+int(v)] != 1 {
			t.Fatalf("edge %d reads %v, expected its source %d and its target %d", e, read[e], u, v)
		}
		want, reverse := make([]float64, m), 0.0
		for f := range m {
			if u != v && ends[2*f] == v && ends[2*f+1] == u {
				want[f]++
				reverse++
			}
		}
		mean := make([]float64, m)
		for q, w := range read[e][2*n:] {
			lo, hi := got.ReverseMean.Row(q)
			for k := lo; k < hi; k++ {
				mean[got.ReverseMean.Col[k]] += w * float64(got.ReverseMean.Coef[k])
			}
		}
		for f := range want {
			want[f] /= max(reverse, 1)
		}
		closeTo(t, "reverse edges", [][]float64{mean}, [][]float64{want})
	}
}

// TestComponents puts the components of random graphs side by side again.
func TestComponents(t *testing.T) {
	for seed := range uint64(20) {
		r := rng.Stream(seed, "components")
		n, m := 12, r.IntN(14)
		g := graph.Graph{NumNodes: n, Ends: make([]int32, 2*m), Directed: true, Label: graph.NoLabel, Observed: &graph.ObservedLabels{}}
		for i := range g.Ends {
			g.Ends[i] = int32(r.IntN(n))
		}
		x, y := make([]float32, n), make([]float32, m)
		for v := range x {
			x[v] = float32(v)
		}
		for e := range y {
			y[e] = float32(e)
			g.EdgeLabel, g.EdgeTargets = append(g.EdgeLabel, int32(e)), append(g.EdgeTargets, float32(e))
			g.Observed.Label, g.Observed.Group = append(g.Observed.Label, float32(e)), append(g.Observed.Group, int32(e))
		}
		g.Node, g.Edge = graph.Features{Dense: x, Dim: 1}, graph.Features{Dense: y, Dim: 1}
		whole, err := graph.New(g)
		if err != nil {
			t.Fatal(err)
		}
		nodes, edges := map[float32]bool{}, map[int32]bool{}
		for _, c := range whole.Components() {
			if _, err := graph.New(*c); err != nil {
				t.Fatal(err)
			}
			if c.NumNodes > 1 && len(c.Components()) != 1 {
				t.Fatal("a component is disconnected")
			}
			for _, v := range c.Node.Dense {
				nodes[v] = true
			}
			for e := range c.NumEdges() {
				id := c.EdgeLabel[e]
				edges[id] = true
				for end := range 2 {
					if at := c.Node.Dense[c.Ends[2*e+end]]; at != float32(g.Ends[2*int(id)+end]) {
						t.Fatalf("edge %d ends in node %v, expected %d", id, at, g.Ends[2*int(id)+end])
					}
				}
				if c.EdgeTargets[e] != float32(id) || c.Edge.Dense[e] != float32(id) || c.Observed.Label[e] != float32(id) || c.Observed.Group[e] != id {
					t.Fatalf("edge %d has the data of another", id)
				}
			}
		}
		if len(nodes) != n || len(edges) != m {
			t.Fatalf("%d nodes and %d edges in the components, expected %d and %d", len(nodes), len(edges), n, m)
		}
	}
}
