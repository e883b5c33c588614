package explain

import (
	"context"

	"github.com/ehgnn/ehgnn/graph"
	"github.com/ehgnn/ehgnn/internal/lists"
	"github.com/ehgnn/ehgnn/internal/rng"
	"github.com/ehgnn/ehgnn/internal/settings"
	"github.com/ehgnn/ehgnn/internal/task"
	"github.com/ehgnn/ehgnn/nn"
	"github.com/ehgnn/ehgnn/tensor"
	"github.com/ehgnn/ehgnn/train"
)

// mostOccluded is the number of edges above which Occlusion scores only some edges.
const mostOccluded = 2000

// occlude removes the edges one at a time.
func (x *explained) occlude(ctx context.Context) ([]float32, error) {
	m := len(x.edges)
	if m > mostOccluded {
		return nil, settings.Misuse("the graph has %d edges, method %s takes up to %d away one by one; %s needs one pass", m, Occlusion, mostOccluded, Gradient)
	}
	got, err := x.predict(ctx, m, func(i int) variant { return x.variantWith(func(e int32) bool { return e != x.edges[i] }) })
	return lists.Map(got, func(p predicted) float32 { return float32(x.full.value - p.value) }), err
}

// onGraph runs f on the graph in the form of the model.
func (x *explained) onGraph(ctx context.Context, f func(p *nn.Pass, b *graph.Batch) error) error {
	g := x.graph
	if x.form != nil {
		var err error
		if g, err = x.form(g); err != nil {
			return err
		}
	}
	return train.ForEachBatch(ctx, []*graph.Graph{g}, x.session.Config(), func(p *nn.Pass, _ int, b *graph.Batch) error { return f(p, b) })
}

// row returns the output for the item [1,out].
func (x *explained) row(p *nn.Pass, b *graph.Batch) *tensor.Tensor {
	items := x.session.Task.Level
	y := task.OutputOf(items, x.session.Model.Forward(p, b))
	return tensor.Gather(y, tensor.MustIndex([]int32{int32(rowOf(items, b, 0, x.item))}, y.Dim(0)))
}

// slope returns gradient times features of the value, summed over the features of each edge. For a
// model that reads no edge features it is the gradient with respect to edge weights.
func (x *explained) slope(ctx context.Context) (scores []float32, err error) {
	s := x.session
	err = x.onGraph(ctx, func(p *nn.Pass, b *graph.Batch) error {
		with := *b
		var of *tensor.Tensor
		if s.Spec.Edges {
			of = p.Tape.Variable(b.E)
			with.E = of
		} else {
			weight := b.W
			if weight == nil {
				weight = tensor.Full(1, b.H.NumEdges())
			}
			of = p.Tape.Variable(weight)
			with.W = of
		}
		y := x.row(p, &with)
		sign := tensor.New(1, y.Dim(1))
		sign.Data()[x.target] = 1
		if s.Settings.Classifies() {
			sign.Data()[runnerUp(y.Data(), x.target)] = -1
		} else if u := s.Settings.Target.Units; u != nil {
			sign.Data()[x.target] = float32(u[x.target].Scale)
		}
		slope := p.Tape.Grad(y.Mul(sign).Sum(), of)[0]
		if !s.Spec.Edges && len(x.edges) > 0 && !depends(slope) {
			return settings.Misuse("model %s reads neither features nor weights of the edges, by which method %s differentiates; %s works with every model", s.Settings.ModelName, Gradient, Occlusion)
		}
		d := of.Size() / max(of.Dim(0), 1)
		scores = make([]float32, len(x.edges))
		for i, k := range x.scored(b) {
			if k < 0 {
				continue
			}
			for j, v := range of.Data()[i*d:][:d] {
				scores[k] += v * slope.Data()[i*d+j]
			}
		}
		return nil
	})
	return scores, err
}

// scored returns, for each edge of the graph in the form of the model, the index of the removable
// edge that it belongs to, or -1.
func (x *explained) scored(b *graph.Batch) []int32 {
	place := lists.Inverse(x.edges, x.graph.NumEdges())
	if x.form == nil {
		return place
	}
	// A form has arcs of the edges, in the order of the edges if several join the same nodes.
	arcs := map[[2]int32][]int32{}
	for e, k := range place {
		u, v := x.graph.Ends[2*e], x.graph.Ends[2*e+1]
		arcs[[2]int32{u, v}] = append(arcs[[2]int32{u, v}], k)
		if !x.graph.Directed && u != v {
			arcs[[2]int32{v, u}] = append(arcs[[2]int32{v, u}], k)
		}
	}
	out := make([]int32, b.H.NumEdges())
	src, dst, _ := b.H.Pairs()
	for i := range out {
		at := [2]int32{src.IDs()[i], dst.IDs()[i]}
		out[i] = -1
		if of := arcs[at]; len(of) > 0 {
			out[i], arcs[at] = of[0], of[1:]
		}
	}
	return out
}

// chances returns random scores.
func chances(edges int, seed uint64, draw int) []float32 {
	random := rng.Stream(seed, "explain", draw)
	out := make([]float32, edges)
	for e := range out {
		out[e] = random.Float32()
	}
	return out
}
