package nn_test

import (
	"fmt"
	"testing"

	"github.com/ehgnn/ehgnn/graph"
	"github.com/ehgnn/ehgnn/internal/rng"
	"github.com/ehgnn/ehgnn/nn"
	"github.com/ehgnn/ehgnn/tensor"
)

// A layer that maps one row per kind of edge computes what it computes from a row
// per edge, which it does when the features are on the tape and no repeated rows:
// forward and backward, with self-loop edges, parallel edges and weights.
func TestEdgeKinds(t *testing.T) {
	const in, width, types = 5, 6, 3
	init := nn.NewInit(3)
	layers := map[string]nn.Conv{
		"GINE":             nn.NewGINE(init, nn.ConvDims{In: in, Out: width, Edge: types}, nn.GINConfig{}),
		"GINE, no map":     nn.NewGINE(init, nn.ConvDims{In: types, Out: width}, nn.GINConfig{}),
		"EGCN":             nn.NewEGCN(init, nn.ConvDims{In: in, Out: width, Edge: types}, nn.EGCNConfig{}),
		"GATv2":            must(nn.NewGATv2(init, nn.ConvDims{In: in, Out: width, Edge: types, Heads: 2}, nn.GATv2Config{})),
		"GATv2, no loops":  must(nn.NewGATv2(init, nn.ConvDims{In: in, Out: width, Edge: types, Heads: 2}, nn.GATv2Config{GATConfig: nn.GATConfig{NoLoops: true}})),
		"GATv2, one table": must(nn.NewGATv2(init, nn.ConvDims{In: in, Out: width, Edge: types, Heads: 1}, nn.GATv2Config{Shared: true})),
	}
	for name, conv := range layers {
		r := rng.Stream(5, "kinds")
		nodes := in
		if name == "GINE, no map" {
			nodes = types
		}
		for trial := range 12 {
			g := multigraph(r, 2+r.IntN(40), r.IntN(900), nodes, types, trial%2 == 0, true)
			of := ofEdge(g.NumEdges())
			for i := range g.Edge.Dense {
				g.Edge.Dense[i] = float32(i % types)
				if of[i/types] == 1 {
					g.Edge.Dense[i] = -1
				}
			}
			v := must(graph.Collate([]*graph.Graph{g})).View
			if trial%4 == 3 {
				v.W = random(r, g.NumEdges()).Square()
			}
			up := random(r, v.H.NumVertices(), width)
			measure := func(edges func(*nn.Pass) (*tensor.Tensor, []*tensor.Tensor)) []*tensor.Tensor {
				p := pass(t, true)
				e, wrt := edges(p)
				x := p.Tape.Variable(v.X)
				y := conv.Forward(p, v.WithX(x).WithE(e))
				wrt = append(wrt, x)
				for _, w := range conv.Params() {
					if !w.Buffer {
						wrt = append(wrt, p.Var(w))
					}
				}
				return append([]*tensor.Tensor{y}, gradients(p, y, up, wrt...)...)
			}
			check := func(what string, got, want []*tensor.Tensor) {
				for i := range want {
					scale := float32(1)
					for _, w := range want[i].Data() {
						scale = max(scale, w, -w)
					}
					near(t, fmt.Sprintf("%s, trial %d, %s, result %d", name, trial, what, i),
						got[i].MulScalar(1/scale).Data(), want[i].MulScalar(1/scale).Data(), 2e-5)
				}
			}
			constant := func(p *nn.Pass) (*tensor.Tensor, []*tensor.Tensor) { return p.Tape.Constant(v.E), nil }
			check("constants", measure(func(*nn.Pass) (*tensor.Tensor, []*tensor.Tensor) { return v.E, nil }), measure(constant))
			// The same rows as an encoder makes them, repeated and learned.
			kinds := tensor.MustIndex(of, 2)
			learned := func(spread func(*tensor.Tensor, *tensor.Index) *tensor.Tensor) func(*nn.Pass) (*tensor.Tensor, []*tensor.Tensor) {
				return func(p *nn.Pass) (*tensor.Tensor, []*tensor.Tensor) {
					rows := p.Tape.Variable(tensor.FromSlice([]float32{0, 1, 2, -1, -1, -1}, 2, types))
					return spread(rows, kinds), []*tensor.Tensor{rows}
				}
			}
			check("repeated rows", measure(learned(tensor.Repeat)), measure(learned(tensor.Gather)))
		}
	}
}

// ofEdge is the kind of each of m edges: most often 0.
func ofEdge(m int) []int32 {
	of := make([]int32, m)
	for e := range of {
		if e%11 == 3 {
			of[e] = 1
		}
	}
	return of
}
