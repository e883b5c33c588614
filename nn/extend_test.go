package nn

import (
	"slices"
	"testing"

	"github.com/ehgnn/ehgnn/graph"
	"github.com/ehgnn/ehgnn/tensor"
)

// newConv maps the sum over the neighbours of a vertex [n,in] to [n,out].
type newConv struct{ Map *Linear }

func (c *newConv) Params() []*tensor.Param { return c.Map.Params() }

func (c *newConv) Forward(p *Pass, v graph.View) *tensor.Tensor {
	return c.Map.Forward(p, aggregate(v, v.X, AggregateSum, tensor.SpMMConfig{}))
}

var newRow = ConvSpec{
	Name: "neighbour-sum", Title: "a map of the sum over neighbours", Weights: true, Dual: true,
	New: func(in Init, d ConvDims) (Conv, error) {
		return &newConv{NewLinear(in.In("map"), Dims{In: d.In, Out: d.Out})}, nil
	},
}

// A new convolution is found by name and works on a graph and on its dual.
func TestExtendConv(t *testing.T) {
	before := convs
	convs = append(slices.Clone(before), newRow)
	t.Cleanup(func() { convs = before })

	spec, err := FindConv("neighbour-sum")
	if err != nil {
		t.Fatal(err)
	}
	conv, err := spec.New(NewInit(1), ConvDims{In: 1, Out: 1})
	if err != nil {
		t.Fatal(err)
	}
	conv.(*newConv).Map.Weight.Value.Data()[0] = 1
	path := &graph.Graph{NumNodes: 3, Ends: []int32{0, 1, 1, 2}, Node: graph.Ones(3), Edge: graph.Ones(2)}
	b, err := graph.Collate([]*graph.Graph{path})
	if err != nil {
		t.Fatal(err)
	}
	tape := tensor.NewArena(1).Tape()
	defer tape.Close()
	bias := conv.(*newConv).Map.Bias.Value.Data()[0]
	if got := conv.Forward(&Pass{Tape: tape}, b.View).Data(); !slices.Equal(got, []float32{1 + bias, 2 + bias, 1 + bias}) {
		t.Errorf("nodes %v, want the degrees", got)
	}
	// Each edge has two hyperedges, whose means are 1.
	if got := conv.Forward(&Pass{Tape: tape}, b.View.Dual()).Data(); !slices.Equal(got, []float32{2 + bias, 2 + bias}) {
		t.Errorf("edges %v, want 2 each", got)
	}
}
