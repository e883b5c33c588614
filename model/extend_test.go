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

// newModel classifies a graph by the mean of its edges' features alone.
type newModel struct{ MLP *nn.MLP }

// newModelConfig are the settings of a newModel: hidden, layers and dropout.
type newModelConfig struct{ Stack }

func newEdgeMean(in nn.Init, d Dims, c newModelConfig) (*newModel, error) {
	if err := check("edge-mean", d, c); err != nil {
		return nil, err
	}
	widths := nn.MLPDims{In: d.Edge, Hidden: slices.Repeat([]int{c.Hidden}, c.Layers), Out: d.Out}
	return &newModel{nn.NewMLP(in.In("mlp"), widths, nn.MLPConfig{Dropout: c.Dropout})}, nil
}

func (m *newModel) Params() []*tensor.Param { return m.MLP.Params() }

func (m *newModel) Forward(p *nn.Pass, b *graph.Batch) *Output {
	mean := tensor.SegmentMean(b.E, b.EdgeOf)
	return &Output{GraphVec: mean, Graph: m.MLP.Forward(p, mean)}
}

var newRow = of(Spec{
	Name: "edge-mean", Title: "an MLP of the mean of edge features", Paper: "none",
	Tasks: ofGraphs, Edges: true,
}, newModelConfig{}, newEdgeMean)

// A new model is found, listed and built as others are, and may be in ensembles.
func TestExtendModel(t *testing.T) {
	before := registry
	registry = append(slices.Clone(before), newRow)
	t.Cleanup(func() { registry = before })

	s := must(Find("edge-mean"))
	if got := strings.Join(s.Options(), " "); got != "hidden layers dropout" {
		t.Errorf("options %s", got)
	}
	if !strings.Contains(markdown(), "| `edge-mean` |") {
		t.Error("it is not in docs/models.md")
	}
	g := multigraph(rng.Stream(1, "extend"), 5, 8, false)
	c := s.Config()
	c.Dims = Dims{Node: g.Node.Width(), Edge: g.Edge.Width(), Out: 3}
	c.Default("hidden", 8)
	c.Default("layers", 2)
	for _, c.Members = range []int{1, 3} {
		m, err := s.New(c)
		if err != nil {
			t.Fatal(err)
		}
		out := m.Forward(pass(t, true), must(graph.Collate([]*graph.Graph{g, g})))
		if got := out.Graph.Shape(); !slices.Equal(got, []int{2, 3}) {
			t.Errorf("%d members: predictions %v, want [2 3]", c.Members, got)
		}
	}
	if _, err := s.New(s.Config()); err == nil || !strings.Contains(err.Error(), "model: edge-mean: hidden is 0") {
		t.Errorf("without a width: %v", err)
	}
}
