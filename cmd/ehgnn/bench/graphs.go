package bench

import (
	"fmt"

	"github.com/ehgnn/ehgnn/graph"
	"github.com/ehgnn/ehgnn/internal/rng"
	"github.com/ehgnn/ehgnn/nn"
	"github.com/ehgnn/ehgnn/tensor"
)

// Sizes of the layers that are compared with those of other libraries.
const (
	layerSize, layerArcs, hidden = 1000, 10000, 32
)

// graphKernels are the operations along edges.
func graphKernels() []entry {
	return []entry{
		gather(largeArcs, largeNodes, false),
		gather(largeArcs, largeNodes, true),
		segmentSum(largeArcs, largeNodes),
		segmentSoftmax(largeArcs, largeNodes, 4),
		gcnSum(largeNodes, largeArcs, false),
		gcnSum(largeNodes, largeArcs, true),
		gcnSum(batchNodes, 2*batchEdges, false),
		twoHop(1, largeNodes, largeArcs/2, width),
		twoHop(layerGraphs, layerNodes, layerEdges, width),
		twoHop(layerGraphs, 74, 2457, 16), // like COLLAB, with narrow edge features
		hyperForward(layerGraphs, layerNodes, layerEdges),
		gcnLayer(),
		hyperLayer(false),
		hyperLayer(true),
	}
}

// gather copies rows of a table. The system must first clear and map the memory of a new result, as
// in a program without an arena.
func gather(k, n int, fresh bool) entry {
	name := fmt.Sprintf("gather %dx%d from %d", k, width, n)
	if fresh {
		name += ", fresh result"
	}
	return entry{name, func() job {
		x, ix := random(n, width), randomIndex(k, n)
		used := 0 // used rows of the result
		for _, c := range ix.Counts() {
			used += min(int(c), 1)
		}
		return job{bytes: floats(used*width, k, k*width), run: func(t *tensor.Tape) {
			if !fresh {
				tensor.Gather(t.Constant(x), ix)
				return
			}
			tensor.Gather(x, ix)
		}}
	}}
}

func segmentSum(k, n int) entry {
	return entry{fmt.Sprintf("segment sum %dx%d to %d", k, width, n), func() job {
		x, ix := random(k, width), randomIndex(k, n)
		return job{bytes: floats(k*width, k, n, n*width), flops: int64(k) * width, run: func(t *tensor.Tape) { tensor.SegmentSum(t.Constant(x), ix) }}
	}}
}

func segmentSoftmax(k, n, heads int) entry {
	return entry{fmt.Sprintf("segment softmax %dx%d over %d", k, heads, n), func() job {
		x, ix := random(k, heads), randomIndex(k, n)
		return job{bytes: floats(2*k*heads, k, n), flops: (expFlops + 4) * int64(k*heads), run: func(t *tensor.Tape) { tensor.SegmentSoftmax(t.Constant(x), ix) }}
	}}
}

// randomPairs is a graph with the given number of undirected edges or, if directed, with half as
// many edges in both directions.
func randomPairs(nodes, edges int, directed bool) *graph.Incidence {
	r := rng.Stream(1, "graph", nodes, edges)
	ends := make([]int32, 0, 2*edges)
	for len(ends) < 2*edges {
		u := int32(r.IntN(nodes))
		v := int32((int(u) + 1 + r.IntN(nodes-1)) % nodes)
		ends = append(ends, u, v)
		if directed {
			ends = append(ends, v, u)
		}
	}
	h, err := graph.NewPairs(nodes, ends, directed)
	if err != nil {
		panic(err) // the ends are always in range
	}
	return h
}

// gcnSum is the sum over neighbours in a graph convolution, without the matrix product: with
// coefficients by degree, and optionally a learned weight for each edge.
func gcnSum(nodes, arcs int, learned bool) entry {
	name := fmt.Sprintf("SpMM of GCN, %d nodes %d arcs width %d", nodes, arcs, width)
	if learned {
		name += ", learned weights"
	}
	return entry{name, func() job {
		h := randomPairs(nodes, arcs/2, false)
		m, self, _ := h.GCN()
		x, w := random(nodes, width), random(arcs/2)
		j := job{bytes: floats(2*nodes*width, 2*arcs, 2*nodes), flops: 2 * int64(arcs+nodes) * width}
		if learned {
			j.bytes += floats(arcs/2, arcs)
		}
		j.run = func(t *tensor.Tape) {
			y := t.Constant(x)
			c := tensor.SpMMConfig{Self: y, SelfW: self}
			if learned {
				c.W = w
			}
			tensor.SpMM(m, y, c)
		}
		return j
	}}
}

// twoHop computes means over hyperedges and back to vertices on the dual of a batch: a hypergraph
// layer without its matrix product. The means of the hyperedges may stay in a cache and do not
// count as traffic.
func twoHop(graphs, nodes, edges, d int) entry {
	name := fmt.Sprintf("two hops on the dual, %d x %d nodes %d edges width %d", graphs, nodes, edges, d)
	return entry{name, func() job {
		v := mustBatch(graphs, nodes, edges).Dual()
		x := random(graphs*edges, d)
		return job{bytes: floats(2*graphs*edges*d, 2*graphs*edges), flops: int64(graphs) * hopFlops(nodes, edges, d), run: func(t *tensor.Tape) {
			tensor.TwoHop(v.H.Hyper(), t.Constant(x), tensor.HopsConfig{Rows: v.VertexOf, Middle: v.EdgeOf})
		}}
	}}
}

func mustBatch(graphs, nodes, edges int) graph.View {
	v, err := randomBatch(graphs, nodes, edges)
	if err != nil {
		panic(err) // the graphs are always valid
	}
	return v
}

// hopFlops counts the additions of the two entries of each edge in both directions and of the edge
// itself, and one division for each sum.
func hopFlops(nodes, edges, d int) int64 { return int64(d) * int64(6*edges+nodes) }

// hyperForward is a hypergraph layer on a batch, without gradients.
func hyperForward(graphs, nodes, edges int) entry {
	name := fmt.Sprintf("hypergraph layer forward, %d x %d nodes %d edges width %d", graphs, nodes, edges, width)
	return entry{name, func() job {
		m := graphs * edges
		v := mustBatch(graphs, nodes, edges).Dual()
		x := random(m, width)
		c := nn.NewHyperConv(nn.NewInit(1).In("hyper"), nn.ConvDims{In: width, Out: width}, nn.HyperConvConfig{})
		return job{bytes: floats(2*m*width, width*width, width, 2*m), flops: 2*int64(m)*width*width + int64(graphs)*hopFlops(nodes, edges, width),
			run: func(t *tensor.Tape) { c.Forward(&nn.Pass{Tape: t}, v.WithX(t.Constant(x))) }}
	}}
}

// gcnLayer and hyperLayer are one layer each, with the gradients of its features and parameters.
func gcnLayer() entry {
	return entry{fmt.Sprintf("GCN layer, %d nodes %d arcs width %d, forward and backward", layerSize, layerArcs, hidden), func() job {
		h := randomPairs(layerSize, layerArcs/2, false)
		c := nn.NewGCN(nn.NewInit(1).In("gcn"), nn.ConvDims{In: hidden, Out: hidden}, nn.GCNConfig{})
		return trainLayer(c, graph.View{H: h, X: random(layerSize, hidden)}, 2*int64(layerArcs+layerSize)*hidden, 2*layerArcs)
	}}
}

// In the authors' code both directions of an edge are vertices of the dual. One vertex for each
// edge gives the same mean with half the work; both are measured.
func hyperLayer(twoArcs bool) entry {
	edges, form := layerArcs/2, "one vertex per edge"
	if twoArcs {
		edges, form = layerArcs, "two vertices per edge"
	}
	return entry{fmt.Sprintf("hypergraph layer on its dual, %s, forward and backward", form), func() job {
		h := randomPairs(layerSize, edges, twoArcs)
		c := nn.NewHyperConv(nn.NewInit(1).In("hyper"), nn.ConvDims{In: hidden, Out: hidden}, nn.HyperConvConfig{})
		v := graph.View{H: h, X: random(layerSize, hidden), E: random(edges, hidden)}.Dual()
		return trainLayer(c, v, hopFlops(layerSize, edges, hidden), 2*edges)
	}}
}

// trainLayer runs a layer and its gradients: three matrix products, and message passing forward and
// backward, whose operations and ids are given.
func trainLayer(c nn.Conv, v graph.View, messageFlops int64, ids int) job {
	n, d := v.X.Dim(0), v.X.Dim(1)
	return job{
		bytes: floats(3*n*d, 2*d*d, 2*d, ids),
		flops: 6*int64(n)*int64(d)*int64(d) + 2*messageFlops,
		run: func(t *tensor.Tape) {
			p := &nn.Pass{Tape: t, Train: true}
			x := t.Variable(v.X)
			y := c.Forward(p, v.WithX(x))
			wrt := []*tensor.Tensor{x}
			for _, w := range c.Params() {
				wrt = append(wrt, p.Var(w))
			}
			t.Grad(y, wrt...)
		},
	}
}
