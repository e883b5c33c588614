package nn_test

import (
	"testing"

	"github.com/ehgnn/ehgnn/graph"
	"github.com/ehgnn/ehgnn/nn"
	"github.com/ehgnn/ehgnn/tensor"
)

func TestConvDimsErrors(t *testing.T) {
	for _, c := range []struct {
		conv string
		d    nn.ConvDims
		want string
	}{
		{"gat", nn.ConvDims{In: 3, Out: 6, Heads: 4}, "nn: GAT: the width is 6, expected a multiple of the 4 heads"},
		{"gatv2", nn.ConvDims{In: 3, Out: 6, Heads: 4}, "nn: GATv2: the width is 6, expected a multiple of the 4 heads"},
		{"hyper-attention", nn.ConvDims{In: 3, Out: 6, Heads: -1}, "nn: HyperAttention: -1 heads, expected 0 or more"},
		{"rgcn", nn.ConvDims{In: 3, Out: 6}, "nn: RGCN: 0 relations, 0 bases, column 0, expected at least one relation and nothing negative"},
		{"egnn", nn.ConvDims{In: 3, Out: 6}, "nn: EGNN: 0 edge channels, expected at least 1"},
	} {
		spec := must(nn.FindConv(c.conv))
		if conv, err := spec.New(nn.NewInit(1), c.d); conv != nil || err == nil || err.Error() != c.want {
			t.Errorf("%s: %v, error %v, want %s", c.conv, conv, err, c.want)
		}
	}
	d := nn.ConvDims{In: 3, Out: 6, Edge: 2}
	if _, err := nn.NewHyperAttention(nn.NewInit(1), d, nn.HyperAttentionConfig{}); err == nil {
		t.Error("hyperedge features of another width are accepted")
	}
}

// The output has the width that was asked for, whatever the heads.
func TestHeads(t *testing.T) {
	for _, c := range []struct{ out, heads, want int }{{8, 0, 4}, {6, 0, 1}, {6, 3, 3}} {
		for _, average := range []bool{false, true} {
			d := nn.ConvDims{In: 3, Out: c.out, Heads: c.heads}
			layer := must(nn.NewGAT(nn.NewInit(1), d, nn.GATConfig{Average: average}))
			y := layer.Forward(pass(t, false), graph.View{X: tensor.New(2, 3), H: must(graph.NewPairs(2, []int32{0, 1}, false))})
			if layer.Heads != c.want || y.Dim(1) != c.out {
				t.Errorf("%+v, average %v: %d heads, width %d", c, average, layer.Heads, y.Dim(1))
			}
		}
	}
}
