package nn_test

import (
	"strings"
	"testing"

	"github.com/ehgnn/ehgnn/graph"
	"github.com/ehgnn/ehgnn/internal/golden"
	"github.com/ehgnn/ehgnn/nn"
	"github.com/ehgnn/ehgnn/tensor"
)

// Fixture rgcn_conv, with the types as ids and as a one-hot code among other
// features.
func TestCaseRGCN(t *testing.T) {
	for _, c := range golden.Load(t, "layers/rgcn_conv").Cases {
		t.Run(c.Name, func(t *testing.T) {
			c.Config.Only(t, "aggr", "num_bases", "root_weight", "bias", "formula")
			config := nn.RGCNConfig{Bases: c.Config.Int("num_bases", 0), Sum: c.Config.String("aggr", "mean") == "add",
				NoRoot: !c.Config.Bool("root_weight", true), NoBias: !c.Config.Bool("bias", true)}
			if strings.HasPrefix(c.Name, "paper_formula/") {
				c = renamed(c, map[string]string{"W": "root", "Wr": "weight"})
				config.NoBias = true
			}
			w := c.Value("params.weight").Shape
			config.Relations = w[0]
			if config.Bases > 0 {
				config.Relations = c.Value("params.comp").Shape[0]
			}
			types := c.IDs("edge_type")
			layer := must(nn.NewRGCN(nn.NewInit(0), nn.ConvDims{In: w[1], Out: w[2]}, config))
			checkCase(t, c, layer, func(p *nn.Pass, v graph.View) *tensor.Tensor { return layer.ForwardTypes(p, v, types) })

			config.Column = 2
			layer = must(nn.NewRGCN(nn.NewInit(0), nn.ConvDims{In: w[1], Out: w[2]}, config))
			code := tensor.Full(5, len(types), 2+config.Relations+1)
			for e, r := range types {
				row := code.Data()[e*code.Dim(1):][2 : 2+config.Relations]
				clear(row)
				row[r] = 1
			}
			checkCase(t, c, layer, func(p *nn.Pass, v graph.View) *tensor.Tensor { return layer.Forward(p, v.WithE(code)) })
		})
	}
}

// An edge without a type is no edge, ties go to the lower type, and weights of
// ones change nothing, while weights of zero remove the messages but not the
// edges they are averaged over.
func TestRGCNTypes(t *testing.T) {
	h := must(graph.NewPairs(2, []int32{0, 1, 0, 1, 0, 1}, true))
	for _, bases := range []int{0, 2} {
		layer := must(nn.NewRGCN(nn.NewInit(1), nn.ConvDims{In: 1, Out: 1}, nn.RGCNConfig{Relations: 2, Bases: bases, NoRoot: true}))
		apply := func(w *tensor.Tensor, e ...float32) float32 {
			v := graph.View{X: tensor.Full(1, 2, 1), E: tensor.FromSlice(e, 3, 2), H: h, W: w}
			return layer.Forward(pass(t, false), v).Data()[1]
		}
		first := apply(nil, 1, 0, 0, 0, 0, 0)
		second := apply(nil, 0, 1, 0, 0, 0, -1)
		for what, c := range map[string]struct{ got, want float32 }{
			"a tie":            {apply(nil, 1, 1, 0, 0, -1, -1), first},
			"the mean of two":  {apply(nil, 1, 0, 1, 0, 0, 0), first},
			"both":             {apply(nil, 1, 0, 0, 1, 0, 0), first + second},
			"weights of ones":  {apply(tensor.Full(1, 3), 1, 0, 0, 1, 0, 0), first + second},
			"weights":          {apply(tensor.FromSlice([]float32{4, 0, 1}, 3), 1, 0, 1, 0, 0, 1), 2*first + second},
			"no type anywhere": {apply(nil, 0, 0, 0, 0, 0, 0), 0},
		} {
			near(t, what, []float32{c.got}, []float32{c.want}, 1e-6)
		}
	}
}
