package bench

import (
	"context"
	"fmt"

	"github.com/ehgnn/ehgnn/graph"
	"github.com/ehgnn/ehgnn/internal/rng"
	"github.com/ehgnn/ehgnn/nn"
	"github.com/ehgnn/ehgnn/nn/pool"
	"github.com/ehgnn/ehgnn/tensor"
)

// Sizes of the batch for the measurement of layers: 128 graphs as large as those of PROTEINS,
// features of width 128, four kinds of edges.
const (
	layerGraphs, layerNodes, layerEdges = 128, 39, 73
	layerWidth, layerKinds              = 128, 4
	numLayers                           = 10
)

// Layers measures the forward and backward pass of the most important layers and pools on one
// batch; bench/peer/layers.py measures another library with the same sizes.
func Layers(ctx context.Context, o Options) ([]Result, error) {
	v, err := layerBatch()
	if err != nil {
		return nil, err
	}
	l := &layers{meter: newMeter(ctx, o, numLayers, 1)}
	in := nn.NewInit(1)
	for _, c := range []struct {
		name, conv string
		edge       int // width of the edge features that the layer reads
	}{
		{"GCNConv", "gcn", layerKinds}, {"SAGEConv", "sage", layerKinds}, {"GATConv, 4 heads", "gat", 0},
		{"GINConv", "gin", layerKinds}, {"NNConv", "mpnn", layerKinds}, {"RGCNConv", "rgcn", layerKinds},
	} {
		spec, err := nn.FindConv(c.conv)
		if err != nil {
			return nil, err
		}
		conv, err := spec.New(in.In(c.conv), nn.ConvDims{In: layerWidth, Out: layerWidth, Edge: c.edge})
		if err != nil {
			return nil, err
		}
		l.add(c.name, conv, v, func(p *nn.Pass, v graph.View) []*tensor.Tensor { return []*tensor.Tensor{conv.Forward(p, v)} })
	}
	dual := v.Dual().WithX(random(v.H.NumEdges(), layerWidth))
	hyper := nn.NewHyperConv(in.In("hyper"), nn.ConvDims{In: layerWidth, Out: layerWidth}, nn.HyperConvConfig{})
	l.add("HypergraphConv on the dual", hyper, dual, func(p *nn.Pass, v graph.View) []*tensor.Tensor {
		return []*tensor.Tensor{hyper.Forward(p, v)}
	})
	keep := pool.GateConfig{Keep: pool.Keep{Fraction: 0.5}}
	topk, err := pool.NewTopKPool(in.In("topk"), layerWidth, keep)
	if err != nil {
		return nil, err
	}
	sag, err := pool.NewSAGPool(in.In("sag"), layerWidth, pool.SAGPoolConfig{GateConfig: keep})
	if err != nil {
		return nil, err
	}
	for _, c := range []struct {
		name string
		pool pool.Pool
	}{{"TopKPooling", topk}, {"SAGPooling", sag}} {
		l.add(c.name, c.pool, v, func(p *nn.Pass, v graph.View) []*tensor.Tensor {
			return []*tensor.Tensor{c.pool.Forward(p, v).View.X}
		})
	}
	diff := pool.NewDiffPool(in.In("diff"), pool.DiffPoolDims{In: layerWidth, Out: layerWidth, Clusters: (layerNodes + 3) / 4}, pool.DiffPoolConfig{})
	l.add("dense_diff_pool with two GCNs", diff, v, func(p *nn.Pass, v graph.View) []*tensor.Tensor {
		c := diff.Forward(p, v)
		return []*tensor.Tensor{c.X, c.A, c.Aux()}
	})
	if l.err != nil {
		return nil, l.err
	}
	return l.results, nil
}

type layers struct {
	*meter
	results []Result
	err     error // first error; nothing is measured after it
}

// add measures f: the sum of its results, and the gradients of its features and of the parameters
// of mod.
func (l *layers) add(name string, mod nn.Module, v graph.View, f func(p *nn.Pass, v graph.View) []*tensor.Tensor) {
	if l.err == nil {
		l.err = l.begin(name)
	}
	if l.err != nil {
		return
	}
	l.results = append(l.results, Result{Name: name, Seconds: l.least(l.onTape(func(t *tensor.Tape) {
		p := &nn.Pass{Tape: t, Train: true, Rand: rng.Stream(1, "layer")}
		wrt := []*tensor.Tensor{t.Variable(v.X)}
		total := tensor.Scalar(0)
		for _, y := range f(p, v.WithX(wrt[0])) {
			total = total.Add(y.Sum())
		}
		for _, w := range mod.Params() {
			if !w.Buffer {
				wrt = append(wrt, p.Var(w))
			}
		}
		t.Grad(total, wrt...)
	}))})
}

func layerBatch() (graph.View, error) {
	v, err := randomBatch(layerGraphs, layerNodes, layerEdges)
	if err != nil {
		return graph.View{}, err
	}
	return v.WithX(random(layerGraphs*layerNodes, layerWidth)), nil
}

// randomBatch is a batch of graphs of equal size; each edge has one of layerKinds kinds.
func randomBatch(graphs, nodes, edges int) (graph.View, error) {
	r := rng.Stream(1, "batch", graphs, nodes, edges)
	gs := make([]*graph.Graph, graphs)
	for i := range gs {
		g := graph.Graph{NumNodes: nodes, Label: graph.NoLabel, Edge: graph.Features{Codes: []int{layerKinds}}}
		for range edges {
			u := r.IntN(nodes)
			g.Ends = append(g.Ends, int32(u), int32((u+1+r.IntN(nodes-1))%nodes))
			g.Edge.Code = append(g.Edge.Code, int32(r.IntN(layerKinds)))
		}
		var err error
		if gs[i], err = graph.New(g); err != nil {
			return graph.View{}, fmt.Errorf("bench: %w", err)
		}
	}
	b, err := graph.Collate(gs)
	if err != nil {
		return graph.View{}, fmt.Errorf("bench: %w", err)
	}
	return b.View, nil
}
