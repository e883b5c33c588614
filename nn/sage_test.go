package nn_test

import (
	"math"
	"testing"

	"github.com/ehgnn/ehgnn/graph"
	"github.com/ehgnn/ehgnn/internal/golden"
	"github.com/ehgnn/ehgnn/internal/rng"
	"github.com/ehgnn/ehgnn/nn"
	"github.com/ehgnn/ehgnn/tensor"
)

// aggregators are those of the fixtures by name.
var aggregators = map[string]nn.Aggregator{"mean": nn.AggregateMean, "sum": nn.AggregateSum, "max": nn.AggregateMax}

func TestCaseSAGE(t *testing.T) {
	for _, c := range golden.Load(t, "layers/sage_conv").Cases {
		t.Run(c.Name, func(t *testing.T) {
			c.Config.Only(t, "aggr", "root_weight", "normalize")
			w := c.Value("params.lin_l.weight")
			checkNeighbourCase(t, c, nn.NewSAGE(nn.NewInit(0), nn.ConvDims{In: w.Shape[1], Out: w.Shape[0]}, nn.SAGEConfig{
				Aggregate: aggregators[c.Config.String("aggr", "mean")],
				NoRoot:    !c.Config.Bool("root_weight", true), Normalize: c.Config.Bool("normalize", false)}))
		})
	}
}

// Graphs, duals and hypergraphs, weighted or not, against the definition; both
// orders of the products.
func TestSAGEAgainstDefinition(t *testing.T) {
	r := rng.Stream(24, "sage")
	for trial := range 200 {
		in, out := 1+r.IntN(4), 1+r.IntN(4)
		v := randomView(r, trial, in, 1)
		c := nn.SAGEConfig{Aggregate: nn.Aggregator(r.IntN(3)), NoRoot: r.IntN(4) == 0, NoBias: r.IntN(4) == 0, Normalize: r.IntN(4) == 0}
		layer := nn.NewSAGE(nn.NewInit(uint64(trial)), nn.ConvDims{In: in, Out: out}, c)
		var want []float64
		for i, rows := range sentRows(v.H, v.X, weigh(v.W)) {
			y := make([]float64, out)
			var bias *tensor.Tensor
			if !c.NoBias {
				bias = layer.Neighbours.Bias.Value
			}
			linear64(y, reduceRows(rows, in, c.Aggregate), layer.Neighbours.Weight.Value, bias)
			if !c.NoRoot {
				linear64(y, row64(v.X, i), layer.Root.Weight.Value, nil)
			}
			if c.Normalize {
				norm := 0.0
				for _, a := range y {
					norm += a * a
				}
				for j := range y {
					if norm > 0 {
						y[j] /= math.Sqrt(norm)
					}
				}
			}
			want = append(want, y...)
		}
		p := pass(t, trial%2 == 0)
		got := layer.Forward(p, v)
		near(t, "output", got.Data(), narrowed(want), 2e-5)
		near(t, "with ReLU", layer.ForwardReLU(p, v).Data(), got.ReLU().Data(), 1e-6)
		near(t, "other loops", layer.Forward(p, v.WithLoops(graph.LoopsNone)).Data(), got.Data(), 0)
		if t.Failed() {
			t.Fatalf("trial %d: %+v", trial, c)
		}
	}
}

// What the mean on the dual is: HyperConv without loops.
func TestSAGEIsHyperConv(t *testing.T) {
	r := rng.Stream(25, "hyper")
	g := multigraph(r, 5, 8, 1, 3, false, true)
	v := must(graph.Collate([]*graph.Graph{g})).View.Dual().WithLoops(graph.LoopsNone)
	sage := nn.NewSAGE(nn.NewInit(1), nn.ConvDims{In: 3, Out: 2}, nn.SAGEConfig{NoRoot: true})
	hyper := nn.NewHyperConv(nn.NewInit(1), nn.ConvDims{In: 3, Out: 2}, nn.HyperConvConfig{})
	hyper.Weight.Value = sage.Neighbours.Weight.Value.Transpose()
	hyper.Bias.Value = sage.Neighbours.Bias.Value
	near(t, "mean", sage.Forward(pass(t, false), v).Data(), hyper.Forward(pass(t, false), v).Data(), 1e-6)
}

// A row of zeros has no direction: it stays, and its gradient is 0.
func TestSAGENormalizeZero(t *testing.T) {
	layer := nn.NewSAGE(nn.NewInit(1), nn.ConvDims{In: 2, Out: 2}, nn.SAGEConfig{Normalize: true, NoBias: true})
	p := pass(t, true)
	x := p.Tape.Variable(tensor.FromSlice([]float32{0, 0, 3, 4}, 2, 2))
	y := layer.Forward(p, graph.View{X: x, H: must(graph.NewPairs(2, nil, false))})
	near(t, "zeros", y.Data()[:2], []float32{0, 0}, 0)
	if n := math.Hypot(float64(y.Data()[2]), float64(y.Data()[3])); math.Abs(n-1) > 1e-6 {
		t.Errorf("the other row has norm %v", n)
	}
	near(t, "gradient", p.Tape.Grad(y, x)[0].Data()[:2], []float32{0, 0}, 0)
}
