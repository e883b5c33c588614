package pool_test

import (
	"math"
	"slices"
	"testing"

	"github.com/ehgnn/ehgnn/graph"
	"github.com/ehgnn/ehgnn/internal/golden"
	"github.com/ehgnn/ehgnn/internal/rng"
	"github.com/ehgnn/ehgnn/nn"
	"github.com/ehgnn/ehgnn/nn/pool"
	"github.com/ehgnn/ehgnn/tensor"
)

// The library numbers clusters through the batch, by falling score; here they are
// numbered sample by sample. Rows are compared in the library's order, and inside
// a sample the orders must agree.
func TestCaseEdgePool(t *testing.T) {
	scores := map[string]pool.EdgeScore{"softmax": pool.EdgeScoreSoftmax, "tanh": pool.EdgeScoreTanh, "sigmoid": pool.EdgeScoreSigmoid}
	for _, c := range golden.Load(t, "pooling/edge_pooling").Cases {
		t.Run(c.Name, func(t *testing.T) {
			c.Config.Only(t, "score", "add_to_edge_score", "dropout")
			c := renamed(c, map[string]string{"weight": "lin.weight", "bias": "lin.bias"})
			shift := float32(c.Config.Float("add_to_edge_score", 0))
			layer := pool.NewEdgePool(nn.NewInit(0), 4, pool.EdgePoolConfig{Score: scores[c.Config.String("score", "")], Shift: &shift,
				Dropout: c.Config.Float("dropout", 0)})
			p := pass(t, true)
			vars := c.Bind(t, p.Tape, layer.Params())
			res := layer.Forward(p, graphCase(c, vars))

			theirs, batch := c.IDs("outputs.cluster"), c.IDs("outputs.batch")
			ours := make([]int32, len(batch))
			for i := range ours {
				ours[i] = -1
			}
			for v, k := range theirs {
				if own := res.Cluster.IDs()[v]; ours[k] >= 0 && ours[k] != own {
					t.Fatalf("clusters %v, want %v", res.Cluster.IDs(), theirs)
				} else {
					ours[k] = own
				}
			}
			last := map[int32]int32{}
			for k, own := range ours {
				if at, ok := last[batch[k]]; ok && own < at || res.View.VertexOf.IDs()[own] != batch[k] {
					t.Errorf("cluster %d of sample %d is %d", k, batch[k], own)
				}
				last[batch[k]] = own
			}
			src, dst := c.Pair("outputs.edge_index")
			var want [][2]int32
			for e := range src {
				want = append(want, [2]int32{ours[src[e]], ours[dst[e]]})
			}
			slices.SortFunc(want, func(a, b [2]int32) int { return slices.Compare(a[:], b[:]) })
			for e, ends := range want {
				if !slices.Equal(res.View.H.Ends()[2*e:2*e+2], ends[:]) {
					t.Fatalf("edges %v, want %v", res.View.H.Ends(), want)
				}
			}
			order := tensor.MustIndex(ours, len(ours))
			out := map[string]*tensor.Tensor{"x": tensor.Gather(res.View.X, order), "cluster_score": tensor.Gather(res.Gate, order),
				"edge_score": res.Score, "unpooled": res.Unpool(res.View.X)}
			golden.CheckOutputs(t, c, out, poolTol)
			golden.CheckGrads(t, p.Tape, c, out, vars, poolGradTol)
		})
	}
}

// Greedy contraction by its definition, with ties: a stable sort of the arcs by
// falling score.
func TestEdgePoolGreedy(t *testing.T) {
	r := rng.Stream(45, "greedy")
	for trial := range 60 {
		v := must(graph.Collate([]*graph.Graph{loopy(r, 1+r.IntN(8), r.IntN(14), 2, trial%2 == 0)})).View
		if trial%3 == 0 { // twins: many equal scores
			v = v.WithX(tensor.Full(1, v.X.Dim(0), 2))
		}
		layer := pool.NewEdgePool(nn.NewInit(uint64(trial)), 2, pool.EdgePoolConfig{Score: pool.EdgeScore(trial % 3)})
		res := layer.Forward(pass(t, true), v)
		arcs, _ := v.Arcs()
		ends, score := arcs.H.Ends(), res.Score.Data()
		order := make([]int, arcs.H.NumEdges())
		for k := range order {
			order[k] = k
		}
		slices.SortStableFunc(order, func(a, b int) int { return falling(score[a], score[b]) })
		cluster := slices.Repeat([]int32{-1}, v.X.Dim(0))
		var gates []float32
		for _, k := range order {
			if a, b := ends[2*k], ends[2*k+1]; cluster[a] < 0 && cluster[b] < 0 {
				cluster[a], cluster[b] = int32(len(gates)), int32(len(gates))
				gates = append(gates, score[k])
			}
		}
		for u, k := range cluster {
			if k < 0 {
				cluster[u] = int32(len(gates))
				gates = append(gates, 1)
			}
		}
		if !slices.Equal(res.Cluster.IDs(), cluster) {
			t.Fatalf("clusters %v, want %v", res.Cluster.IDs(), cluster)
		}
		near(t, "gates", res.Gate.Data(), gates, 0)
		sums := make([]float32, 2*len(gates))
		for u, k := range cluster {
			for j := range 2 {
				sums[2*int(k)+j] += v.X.Data()[2*u+j] * gates[k]
			}
		}
		near(t, "features", res.View.X.Data(), sums, 1e-5)
		near(t, "scores", score, edgeScores(layer, v.X, ends), 1e-5)
	}
}

// edgeScores are the scores of arcs from the definition.
func edgeScores(layer *pool.EdgePool, x *tensor.Tensor, ends []int32) []float32 {
	w, d := layer.Lin.Weight.Value.Data(), x.Dim(1)
	raw := make([]float64, len(ends)/2)
	total := map[int32]float64{}
	for k := range raw {
		raw[k] = float64(layer.Lin.Bias.Value.Item())
		for j := range d {
			raw[k] += float64(w[j])*float64(x.Data()[int(ends[2*k])*d+j]) + float64(w[d+j])*float64(x.Data()[int(ends[2*k+1])*d+j])
		}
		total[ends[2*k+1]] += math.Exp(raw[k])
	}
	out := make([]float32, len(raw))
	for k, s := range raw {
		switch layer.Score {
		case pool.EdgeScoreTanh:
			s = math.Tanh(s)
		case pool.EdgeScoreSigmoid:
			s = 1 / (1 + math.Exp(-s))
		default:
			s = math.Exp(s) / total[ends[2*k+1]]
		}
		out[k] = float32(s + 0.5)
	}
	return out
}

// With the softmax a leaf's only arc scores exactly 1, and targets with the same
// neighbours tie to the bit, whatever their own features.
func TestEdgePoolTies(t *testing.T) {
	r := rng.Stream(46, "ties")
	ends := []int32{0, 2, 0, 3, 1, 2, 1, 3, 3, 4} // 2 and 3 differ in one neighbour, 4 is a leaf
	twins := []int32{0, 2, 1, 2, 0, 3, 1, 3, 4, 5}
	h := func(ends []int32) graph.View {
		return graph.View{X: random(r, 6, 3), H: must(graph.NewPairs(6, ends, true)), VertexOf: tensor.MustIndex(make([]int32, 6), 1),
			EdgeOf: tensor.MustIndex(make([]int32, 5), 1)}
	}
	for range 20 {
		layer := pool.NewEdgePool(nn.NewInit(r.Uint64()), 3, pool.EdgePoolConfig{})
		s := layer.Forward(pass(t, true), h(twins)).Score.Data()
		if s[0] != s[2] || s[1] != s[3] || s[4] != 1.5 {
			t.Errorf("scores of twins %v", s)
		}
		if s := layer.Forward(pass(t, true), h(ends)).Score.Data(); s[4] != 1.5 {
			t.Errorf("score of a leaf's arc %v", s[4])
		}
	}
}

// Both forms of an undirected graph contract alike.
func TestEdgePoolForms(t *testing.T) {
	r := rng.Stream(47, "forms")
	for trial := range 30 {
		u := must(graph.Collate([]*graph.Graph{loopy(r, 6, 8, 3, false), loopy(r, 4, 3, 3, false)})).View
		d, _ := u.Arcs()
		layer := pool.NewEdgePool(nn.NewInit(uint64(trial)), 3, pool.EdgePoolConfig{Score: pool.EdgeScore(trial % 3)})
		a, b := layer.Forward(pass(t, true), u), layer.Forward(pass(t, true), d)
		if !slices.Equal(a.Cluster.IDs(), b.Cluster.IDs()) {
			t.Fatalf("clusters %v and %v", a.Cluster.IDs(), b.Cluster.IDs())
		}
		near(t, "features", b.View.X.Data(), a.View.X.Data(), 1e-6)
		near(t, "edges", flatten(weighted(b.View)), flatten(weighted(a.View)), 0)
	}
}

func TestEdgePoolDropout(t *testing.T) {
	r := rng.Stream(48, "dropout")
	v := must(graph.Collate([]*graph.Graph{loopy(r, 8, 14, 3, false)})).View
	layer := pool.NewEdgePool(nn.NewInit(1), 3, pool.EdgePoolConfig{Dropout: 0.5})
	plain := pool.NewEdgePool(nn.NewInit(1), 3, pool.EdgePoolConfig{})
	near(t, "evaluation", layer.Forward(pass(t, false), v).Score.Data(), plain.Forward(pass(t, false), v).Score.Data(), 0)
	if slices.Equal(layer.Forward(pass(t, true), v).Score.Data(), plain.Forward(pass(t, true), v).Score.Data()) {
		t.Error("dropout does nothing in training")
	}
}
