package pool_test

import (
	"slices"
	"testing"

	"github.com/ehgnn/ehgnn/graph"
	"github.com/ehgnn/ehgnn/nn"
	"github.com/ehgnn/ehgnn/nn/pool"
	"github.com/ehgnn/ehgnn/tensor"
)

// newPool keeps the edges of each graph whose representations are the longest.
type newPool struct{ Keep pool.Keep }

func (newPool) Params() []*tensor.Param { return nil }

func (n newPool) Forward(_ *nn.Pass, v graph.View) pool.Result {
	length := v.E.Square().SumAxis(1).Reshape(-1)
	keep := pool.TopK(length.Data(), v.EdgeOf, n.Keep)
	return pool.Result{View: v.KeepEdges(keep), Keep: keep, Score: length}
}

// newReadout is the range of each channel: its maximum less its minimum.
type newReadout struct{ dim int }

func (newReadout) Params() []*tensor.Param { return nil }

func (r newReadout) Width() int { return r.dim }

func (newReadout) Forward(_ *nn.Pass, x *tensor.Tensor, of *tensor.Index) *tensor.Tensor {
	return tensor.SegmentMax(x, of).Add(tensor.SegmentMax(x.Neg(), of))
}

var newRow = pool.ReadoutSpec{Name: "range", Title: "maximum less minimum, channel by channel",
	New: func(_ nn.Init, dim int) pool.Readout { return newReadout{dim} }}

// A new pool drops edges, a new readout is found by name.
func TestExtendPool(t *testing.T) {
	t.Cleanup(pool.AddReadout(newRow))

	g := &graph.Graph{NumNodes: 3, Ends: []int32{0, 1, 1, 2, 2, 0}, Node: graph.Features{Dim: 1, Dense: []float32{3, -1, 2}},
		Edge: graph.Features{Dim: 1, Dense: []float32{1, -5, 2}}}
	b := must(graph.Collate([]*graph.Graph{g}))
	p := pass(t, true)
	out := newPool{pool.Keep{Count: 2}}.Forward(p, b.View)
	if !slices.Equal(out.Keep, []int32{1, 2}) || out.View.H.NumEdges() != 2 || out.View.H.NumVertices() != 3 {
		t.Errorf("kept %v of the edges", out.Keep)
	}
	r := must(pool.NewReadout(nn.NewInit(1), "range", 1))
	if got := r.Forward(p, b.X, b.VertexOf).Item(); got != 4 {
		t.Errorf("range %v, want 4", got)
	}
}
