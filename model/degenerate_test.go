package model

import (
	"slices"
	"strings"
	"testing"

	"github.com/ehgnn/ehgnn/graph"
	"github.com/ehgnn/ehgnn/internal/rng"
	"github.com/ehgnn/ehgnn/nn"
	"github.com/ehgnn/ehgnn/tensor"
)

// checkFinite runs m forward and backward on b, training and not, and fails
// unless every number is finite and every size right.
func checkFinite(t *testing.T, m Model, b *graph.Batch) {
	t.Helper()
	for _, train := range []bool{true, false} {
		p := pass(t, train)
		out, ok := forward(t, m, p, b)
		if !ok {
			continue
		}
		if out.Graph != nil && out.Graph.Dim(0) != b.N || out.Edge != nil && out.Edge.Dim(0) != b.H.NumEdges() {
			t.Errorf("predictions of shape %v for %d samples and %d edges", prediction(out).Shape(), b.N, b.H.NumEdges())
		}
		if y := prediction(out); !finite(y) {
			t.Errorf("prediction %v", y)
		}
		if !train {
			continue
		}
		for i, g := range p.Tape.Grad(prediction(out).Square(), watched(p, m)...) {
			if !finite(g) {
				t.Errorf("gradient of %s is %v", m.Params()[i].Name, g)
			}
		}
	}
}

// forward is m.Forward; ok is false when the batch has one row and the model
// normalises over rows, which is refused with a clear message.
func forward(t *testing.T, m Model, p *nn.Pass, b *graph.Batch) (out *Output, ok bool) {
	t.Helper()
	var err error
	func() {
		defer tensor.Catch(&err)
		out = m.Forward(p, b)
	}()
	if err == nil {
		return out, true
	}
	norms := slices.ContainsFunc(m.Params(), func(w *tensor.Param) bool { return w.Buffer })
	if !norms || !p.Train || !strings.Contains(err.Error(), "BatchNorm") || b.H.NumVertices() != 1 && b.H.NumEdges() != 1 {
		t.Fatal(err)
	}
	return nil, false
}

// The batches of which implementations fall over: each must give finite
// predictions and gradients in every model, in both forms of the edges.
func TestDegenerate(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds")
	}
	r := rng.Stream(5, "degenerate")
	edges := func(n int, ends ...int32) *graph.Graph {
		return must(graph.New(graph.Graph{NumNodes: n, Ends: ends,
			Node: graph.Features{Dim: nodeDim, Dense: random(r, n, nodeDim).Data()},
			Edge: graph.Features{Dim: edgeDim, Dense: random(r, len(ends)/2, edgeDim).Data()}}))
	}
	empty := edges(0)
	constant := edges(4, 0, 1, 1, 2, 2, 3)
	constant.Edge.Dense = slices.Repeat([]float32{1}, 3*edgeDim) // all scores tie
	for name, gs := range map[string][]*graph.Graph{
		"no edges in the batch": {edges(3), edges(2)},
		"one node":              {edges(1)},
		"no node":               {empty},
		"only empty samples":    {empty, empty},
		"empty first":           {empty, edges(2, 0, 1)},
		"empty inside":          {edges(2, 0, 1), empty, edges(3, 0, 1, 1, 2)},
		"empty last":            {edges(2, 0, 1), empty},
		"edgeless inside":       {edges(2, 0, 1), edges(4), edges(3, 0, 1, 1, 2)},
		"one edge":              {edges(2, 0, 1)},
		"self-loop":             {edges(1, 0, 0)},
		"only self-loops":       {edges(2, 0, 0, 1, 1, 1, 1)},
		"parallel edges":        {edges(2, 0, 1, 0, 1, 1, 0)},
		"isolated nodes":        {edges(5, 3, 1)},
		"equal edges":           {constant},
		"star":                  {edges(5, 0, 1, 0, 2, 0, 3, 0, 4)},
	} {
		t.Run(name, func(t *testing.T) {
			var arcs []*graph.Graph
			for _, g := range gs {
				arcs = append(arcs, g.Arcs())
			}
			for _, s := range forms() {
				c := valid(s.Name)
				put(&c, "layers", 3)
				m := must(s.New(c))
				checkFinite(t, m, must(graph.Collate(gs)))
				checkFinite(t, m, must(graph.Collate(arcs)))
			}
		})
	}
}
