package nn_test

import (
	"math"
	"testing"

	"github.com/ehgnn/ehgnn/graph"
	"github.com/ehgnn/ehgnn/internal/rng"
	"github.com/ehgnn/ehgnn/nn"
	"github.com/ehgnn/ehgnn/tensor"
)

// Joint against its equations, edge by edge and node by node in float64, on a
// graph with a self-loop, parallel edges and an isolated node.
func TestJointDefinition(t *testing.T) {
	const nodes, dx, de, out = 5, 3, 2, 4
	ends := []int32{0, 1, 1, 2, 2, 0, 2, 0, 3, 3}
	edges := len(ends) / 2
	r := rng.Stream(3, "joint")
	fill := func(n, d int) *tensor.Tensor {
		x := tensor.New(n, d)
		for i := range x.Data() {
			x.Data()[i] = r.Float32()*2 - 1
		}
		return x
	}
	h, err := graph.NewPairs(nodes, ends, false)
	if err != nil {
		t.Fatal(err)
	}
	v := graph.View{H: h, X: fill(nodes, dx), E: fill(edges, de)}
	j := nn.NewJoint(nn.NewInit(1), nn.JointDims{Node: dx, Edge: de, NodeOut: out, EdgeOut: out})
	tape := tensor.NewArena(1).Tape()
	defer tape.Close()
	x, e := j.Forward(&nn.Pass{Tape: tape}, v)

	// row·W for W [in,out], or row·Wᵀ + b for a Linear.
	product := func(row []float64, w *tensor.Tensor) []float64 {
		y := make([]float64, out)
		for i, a := range row {
			for k := range y {
				y[k] += a * float64(w.Data()[i*out+k])
			}
		}
		return y
	}
	linear := func(row []float64, l *nn.Linear) []float64 {
		y := make([]float64, out)
		for k := range y {
			y[k] = float64(l.Bias.Value.Data()[k])
			for i, a := range row {
				y[k] += a * float64(l.Weight.Value.Data()[k*len(row)+i])
			}
		}
		return y
	}
	row := func(x *tensor.Tensor, i int) []float64 {
		d := x.Dim(1)
		y := make([]float64, d)
		for k := range y {
			y[k] = float64(x.Data()[i*d+k])
		}
		return y
	}
	sumReLU := func(parts ...[]float64) []float64 {
		y := make([]float64, out)
		for k := range y {
			for _, p := range parts {
				y[k] += p[k]
			}
			y[k] = max(y[k], 0)
		}
		return y
	}
	near := func(what string, i int, got, want []float64) {
		t.Helper()
		for k := range want {
			if math.Abs(got[k]-want[k]) > 1e-5 { // float32 sums of a few products of order 1
				t.Errorf("%s %d, column %d: %v, want %v", what, i, k, got[k], want[k])
			}
		}
	}
	around := make([][]float64, nodes)
	degree := make([]float64, nodes)
	for i := range around {
		around[i] = make([]float64, out)
	}
	for i := range edges {
		mean := make([]float64, out)
		for _, u := range ends[2*i : 2*i+2] {
			for k, a := range product(row(v.X, int(u)), j.NodeMsg.Value) {
				mean[k] += a / 2
			}
		}
		m := sumReLU(linear(row(v.E, i), j.EdgeMsg), mean)
		near("edge", i, row(e, i), sumReLU(linear(row(v.E, i), j.EdgeSelf), linear(m, j.EdgeUp)))
		for _, u := range ends[2*i : 2*i+2] {
			degree[u]++
			for k := range m {
				around[u][k] += m[k]
			}
		}
	}
	for i := range nodes {
		for k := range around[i] {
			around[i][k] /= math.Sqrt(degree[i] + 1)
		}
		near("node", i, row(x, i), sumReLU(linear(row(v.X, i), j.NodeSelf), product(around[i], j.NodeUp.Value)))
	}
}
