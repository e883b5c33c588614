package nn_test

import (
	"math"
	"testing"

	"github.com/ehgnn/ehgnn/internal/rng"
	"github.com/ehgnn/ehgnn/nn"
	"github.com/ehgnn/ehgnn/tensor"
)

// Two updates against the equations, node by node in float64, for graphs of three,
// no and two nodes.
func TestVirtualNodeDefinition(t *testing.T) {
	const d = 3
	r := rng.Stream(4, "virtual")
	l := nn.NewVirtualNode(nn.NewInit(1), d)
	for _, w := range l.Params() { // norms, too, at other than ones and zeros
		copy(w.Value.Data(), random(r, w.Value.Size()).Data())
	}
	of, graphs := []int32{0, 0, 0, 2, 2}, 3
	x := random(r, len(of), d)
	p := pass(t, false)
	y, g := l.Forward(p, x, nil, tensor.MustIndex(of, graphs))
	y, g = l.Forward(p, y, g, tensor.MustIndex(of, graphs))

	// norm∘ReLU of row·Wᵀ + b, with the parameters from position i on.
	layer := func(row []float64, i int) []float64 {
		ps := l.Params()[i:]
		weight, bias, scale, shift := ps[0].Value, ps[1].Value.Data(), ps[2].Value.Data(), ps[3].Value.Data()
		out := make([]float64, len(bias))
		var mean, variance float64
		for k := range out {
			out[k] = float64(bias[k])
			for j, v := range row {
				out[k] += v * float64(weight.Data()[k*len(row)+j])
			}
			mean += out[k] / float64(len(out))
		}
		for _, v := range out {
			variance += (v - mean) * (v - mean) / float64(len(out))
		}
		for k, v := range out {
			out[k] = max((v-mean)/math.Sqrt(variance+1e-5)*float64(scale[k])+float64(shift[k]), 0)
		}
		return out
	}
	nodes, whole := make([][]float64, len(of)), make([][]float64, graphs)
	for v := range nodes {
		for _, f := range x.Data()[v*d : (v+1)*d] {
			nodes[v] = append(nodes[v], float64(f))
		}
	}
	for a := range whole {
		whole[a] = make([]float64, d)
	}
	for range 2 {
		for v, a := range of {
			for k := range d {
				whole[a][k] += nodes[v][k]
			}
		}
		for a := range whole {
			whole[a] = layer(layer(whole[a], 0), 4)
		}
		for v, a := range of {
			for k := range d {
				nodes[v][k] += whole[a][k]
			}
		}
	}
	flat := func(rows [][]float64) (out []float32) {
		for _, row := range rows {
			for _, v := range row {
				out = append(out, float32(v))
			}
		}
		return out
	}
	near(t, "nodes", y.Data(), flat(nodes), 1e-4)
	near(t, "graphs", g.Data(), flat(whole), 1e-4)
}
