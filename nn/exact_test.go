package nn_test

import (
	"math"
	"slices"
	"testing"

	"github.com/ehgnn/ehgnn/graph"
	"github.com/ehgnn/ehgnn/internal/rng"
	"github.com/ehgnn/ehgnn/nn"
	"github.com/ehgnn/ehgnn/tensor"
)

// Layers that sum exactly give what they give otherwise, but for rounding, on a graph with leaves, a
// loop, parallel edges and an isolated node, and on its dual; where a gradient is asked for, the same bits.
func TestExactPass(t *testing.T) {
	const nodes, width = 6, 5
	ends := []int32{0, 1, 1, 2, 2, 0, 2, 0, 3, 3, 4, 0}
	r := rng.Stream(3, "exact")
	fill := func(n int) *tensor.Tensor {
		x := tensor.New(n, width)
		for i := range x.Data() {
			x.Data()[i] = r.Float32()*2 - 1
		}
		return x
	}
	conv := nn.NewHyperConv(nn.NewInit(1), nn.ConvDims{In: width, Out: width}, nn.HyperConvConfig{})
	joint := nn.NewJoint(nn.NewInit(1), nn.JointDims{Node: width, Edge: width, NodeOut: width, EdgeOut: width})
	layers := map[string]func(p *nn.Pass, v graph.View) *tensor.Tensor{
		"HyperConv":      conv.Forward,
		"HyperConv,ReLU": conv.ForwardReLU,
		"Joint":          func(p *nn.Pass, v graph.View) *tensor.Tensor { x, _ := joint.Forward(p, v); return x },
	}
	for _, directed := range []bool{false, true} {
		h, err := graph.NewPairs(nodes, ends, directed)
		if err != nil {
			t.Fatal(err)
		}
		whole := graph.View{H: h, X: fill(nodes), E: fill(len(ends) / 2)}
		for _, loops := range []graph.Loops{graph.LoopsNone, graph.LoopsKeep, graph.LoopsReplaceSingletons} {
			for _, v := range []graph.View{whole.WithLoops(loops), whole.WithLoops(loops).Dual()} {
				for name, forward := range layers {
					tape := tensor.NewArena(1).Tape()
					usual := forward(&nn.Pass{Tape: tape}, v)
					exact := forward(&nn.Pass{Tape: tape, Exact: true}, v)
					for i, want := range usual.Data() {
						if got := exact.Data()[i]; !(math.Abs(float64(got-want)) < 1e-6) {
							t.Fatalf("%s, directed %v, loops %v: %v, want %v", name, directed, loops, got, want)
						}
					}
					with := v
					with.X = tape.Variable(v.X)
					recorded := forward(&nn.Pass{Tape: tape, Exact: true}, with)
					if !slices.Equal(recorded.Data(), usual.Data()) || !recorded.Recorded() {
						t.Errorf("%s, directed %v, loops %v: with a gradient there are other bits, or it is lost", name, directed, loops)
					}
					tape.Close()
				}
			}
		}
	}
}
