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

// Fixture egnn: the convolution, the normalised matrix, which is the layer's result for
// the identity, and its entries on edges and on the diagonal.
func TestCaseEGNN(t *testing.T) {
	for _, c := range golden.Load(t, "layers/egnn").Cases {
		t.Run(c.Name, func(t *testing.T) {
			c.Config.Only(t, "channels")
			channels := c.Config.Int("channels", 0)
			c = renamed(c, map[string]string{"W": "weight"})
			w, n := c.Value("params.weight").Shape, c.Value("x").Shape[0]
			layer := must(nn.NewEGNN(nn.NewInit(0), nn.ConvDims{In: w[0], Out: w[1], Edge: channels}, nn.EGNNConfig{Concat: true}))
			whole := must(nn.NewEGNN(nn.NewInit(0), nn.ConvDims{In: n, Out: n, Edge: channels}, nn.EGNNConfig{Concat: true}))
			eye := tensor.New(n, n)
			for i := range n {
				eye.Data()[i*n+i] = 1
			}
			whole.Weight.Value = eye

			p := pass(t, true)
			vars := c.Bind(t, p.Tape, layer.Params())
			v := graph.View{X: vars["x"], E: vars["edge_attr"],
				H: must(graph.NewPairs(n, interleave(c.Pair("edge_index")), true))}
			norm := whole.Forward(p, v.WithX(eye)).Reshape(n, channels, n).Permute(0, 2, 1)
			out := map[string]*tensor.Tensor{"out": layer.Forward(p, v), "edge_norm": norm}
			golden.CheckOutputs(t, c, out, 1e-5)
			golden.CheckGrads(t, p.Tape, c, out, vars, 1e-5)

			x, edges, diagonal := layer.ForwardEdges(p, v, nil)
			near(t, "output besides edges", x.Data(), out["out"].Data(), 0)
			checkNorm(t, c, edges, diagonal)
		})
	}
}

// checkNorm compares edges and diagonal with the dense matrix of the case, which
// parallel edges, and self-loop edges with the diagonal, share.
func checkNorm(t *testing.T, c golden.Case, edges, diagonal *tensor.Tensor) {
	t.Helper()
	dense := c.Value("outputs.edge_norm")
	n, channels := dense.Shape[0], dense.Shape[2]
	src, dst := c.Pair("edge_index")
	count := map[[2]int32]float32{}
	for v := range int32(n) {
		count[[2]int32{v, v}]++
	}
	for e := range src {
		count[[2]int32{src[e], dst[e]}]++
	}
	var want []float32
	add := func(u, v int32) {
		for q := range channels {
			want = append(want, dense.Floats[(int(v)*n+int(u))*channels+q]/count[[2]int32{u, v}])
		}
	}
	for e := range src {
		add(src[e], dst[e])
	}
	near(t, "normalised edges", edges.Data(), want, 1e-5)
	want = nil
	for v := range int32(n) {
		add(v, v)
	}
	near(t, "normalised diagonal", diagonal.Data(), want, 1e-5)
}

// doublyStochastic is S from the definition, in float64.
func doublyStochastic(e [][]float64) [][]float64 {
	n := len(e)
	rows, col := square(n), make([]float64, n)
	for i := range e {
		sum := 0.0
		for _, x := range e[i] {
			sum += x
		}
		for j, x := range e[i] {
			if sum != 0 {
				rows[i][j] = x / sum
			}
			col[j] += rows[i][j]
		}
	}
	s := square(n)
	for i := range s {
		for j := range s {
			for k := range s {
				if col[k] != 0 {
					s[i][j] += rows[i][k] * rows[j][k] / col[k]
				}
			}
		}
	}
	return s
}

func square(n int) [][]float64 {
	a := make([][]float64, n)
	for i := range a {
		a[i] = make([]float64, n)
	}
	return a
}

// adjacency counts, at [v][u], the edges that send from u to v, and the loop at
// every node.
func adjacency(g *graph.Graph) [][]float64 {
	a := square(g.NumNodes)
	for i := range a {
		a[i][i] = 1
	}
	for e := range g.NumEdges() {
		u, v := g.Ends[2*e], g.Ends[2*e+1]
		a[v][u]++
		if !g.Directed && u != v {
			a[u][v]++
		}
	}
	return a
}

// masked is a where b is not 0.
func masked(a, b [][]float64) [][]float64 {
	out := square(len(a))
	for i := range a {
		for j := range a {
			if b[i][j] != 0 {
				out[i][j] = a[i][j]
			}
		}
	}
	return out
}

// Two layers, the second with attention on the features that the first one
// makes, against the definition, restricted to neighbours or not.
func TestEGNNAgainstDense(t *testing.T) {
	r := rng.Stream(31, "egnn")
	const d, out, channels = 2, 3, 2
	for trial := range 80 {
		g := multigraph(r, 1+r.IntN(6), r.IntN(12), d, channels, trial%2 == 0, true)
		v := must(graph.Collate([]*graph.Graph{g})).View
		v.E = random(r, g.NumEdges(), channels).Square()
		n, m, neighbours := g.NumNodes, g.NumEdges(), trial%3 == 0
		first := must(nn.NewEGNN(nn.NewInit(1), nn.ConvDims{In: d, Out: out, Edge: channels}, nn.EGNNConfig{}))
		second := must(nn.NewEGNN(nn.NewInit(2), nn.ConvDims{In: d, Out: out, Edge: channels}, nn.EGNNConfig{Attention: true, Concat: true, Neighbours: neighbours}))
		p := pass(t, trial%5 == 0)
		_, edges, diagonal := first.ForwardEdges(p, v, nil)
		got, edges2, _ := second.ForwardEdges(p, v.WithE(edges), diagonal)

		x := v.X.MatMul(second.Weight.Value)
		scores := x.MatMulT(second.Att.Value).Data() // of target and source
		joined := adjacency(g)
		want, wantEdges := tensor.New(n, channels*out), tensor.New(m, channels)
		for q := range channels {
			e := square(n)
			for i := range e {
				e[i][i] = 1
			}
			for k := range m {
				u, v, w := g.Ends[2*k], g.Ends[2*k+1], float64(v.E.Data()[k*channels+q])
				e[v][u] += w
				if !g.Directed && u != v {
					e[u][v] += w
				}
			}
			e = masked(doublyStochastic(e), joined)
			for i := range e {
				for j := range e {
					a := float64(scores[2*i] + scores[2*j+1])
					e[i][j] *= math.Exp(max(a, 0.2*a))
				}
			}
			s := doublyStochastic(e)
			for k := range m { // edges with the same ends share
				u, v := g.Ends[2*k], g.Ends[2*k+1]
				wantEdges.Data()[k*channels+q] = float32(s[v][u] / joined[v][u])
			}
			if neighbours {
				s = masked(s, joined)
			}
			for i := range n {
				for k := range out {
					sum := 0.0
					for j := range n {
						sum += s[i][j] * float64(x.Data()[j*out+k])
					}
					want.Data()[(i*channels+q)*out+k] = float32(sum)
				}
			}
		}
		near(t, "output", got.Data(), want.Data(), 1e-5)
		near(t, "edges", edges2.Data(), wantEdges.Data(), 1e-5)
		if t.Failed() {
			t.Fatalf("trial %d: directed %v, edges %v", trial, g.Directed, g.Ends)
		}
	}
}

// A score that overflows exp on its own does not, because only differences
// within a row count.
func TestEGNNLargeScores(t *testing.T) {
	layer := must(nn.NewEGNN(nn.NewInit(1), nn.ConvDims{In: 1, Out: 1, Edge: 1}, nn.EGNNConfig{Attention: true}))
	layer.Weight.Value = tensor.FromSlice([]float32{1}, 1, 1)
	layer.Att.Value = tensor.FromSlice([]float32{1, 1}, 2, 1)
	h := must(graph.NewPairs(2, []int32{0, 1}, false))
	v := graph.View{X: tensor.FromSlice([]float32{500, -700}, 2, 1), E: tensor.Full(1, 1, 1), H: h}
	p := pass(t, true)
	y := layer.Forward(p, v)
	for _, g := range append(p.Tape.Grad(y, p.Var(layer.Weight), p.Var(layer.Att)), y) {
		for _, f := range g.Data() {
			if f-f != 0 {
				t.Errorf("got %v", g)
			}
		}
	}
}

// Where the largest score of a row is that of an edge without a channel, what is left of the others
// in that channel may be very small: it is normalised all the same, down to 1e-30, and gradients are finite.
func TestEGNNSmallScores(t *testing.T) {
	for _, gap := range []float32{40, 60, 85, 95, 200} {
		layer := must(nn.NewEGNN(nn.NewInit(1), nn.ConvDims{In: 1, Out: 1, Edge: 2}, nn.EGNNConfig{Attention: true, Concat: true}))
		layer.Weight.Value = tensor.FromSlice([]float32{1}, 1, 1)
		layer.Att.Value = tensor.FromSlice([]float32{0, 1}, 2, 1)
		h := must(graph.NewPairs(3, []int32{0, 1, 0, 2}, false))
		v := graph.View{X: tensor.FromSlice([]float32{0, gap, 1}, 3, 1), E: tensor.FromSlice([]float32{1, 0, 1, 1}, 2, 2), H: h}
		p := pass(t, true)
		_, edges, diagonal := layer.ForwardEdges(p, v, nil)
		y := layer.Forward(p, v)
		for _, g := range append(p.Tape.Grad(y.Square().Sum(), p.Var(layer.Weight), p.Var(layer.Att)), y, edges, diagonal) {
			for _, f := range g.Data() {
				if f-f != 0 {
					t.Errorf("gap %v: %v", gap, g)
					break
				}
			}
		}
		// Rows of S sum to 1: of node 0 its diagonal and both edges, of which the first lacks channel 1.
		e, d := edges.Data(), diagonal.Data()
		if sum := d[1] + e[1] + e[3]; gap <= 60 && math.Abs(float64(sum)-1) > 1e-5 {
			t.Errorf("gap %v: the row of node 0 sums to %v in channel 1", gap, sum)
		}
	}
}
