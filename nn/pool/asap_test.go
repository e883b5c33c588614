package pool_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/ehgnn/ehgnn/graph"
	"github.com/ehgnn/ehgnn/internal/golden"
	"github.com/ehgnn/ehgnn/internal/rng"
	"github.com/ehgnn/ehgnn/nn"
	"github.com/ehgnn/ehgnn/nn/pool"
	"github.com/ehgnn/ehgnn/tensor"
)

// intra builds the fixture's layers inside clusters.
func intra(name string) func(in nn.Init, d nn.ConvDims) (nn.Conv, error) {
	switch name {
	case "gcn":
		return must(nn.FindConv("gcn")).New
	case "graphconv":
		return graphConv
	}
	return nil
}

func TestCaseASAPool(t *testing.T) {
	for _, c := range golden.Load(t, "pooling/asap_pooling").Cases {
		t.Run(c.Name, func(t *testing.T) {
			c.Config.Only(t, "GNN", "negative_slope", "dropout", "add_self_loops", "ratio")
			if c.Value("params.select_weight").Floats[0] < 0 {
				t.Skip("selects the worst clusters by a scalar that this layer does not have")
			}
			c := renamed(c, map[string]string{"select_weight": "", "lin_weight": "lin.weight", "lin_bias": "lin.bias",
				"att_weight": "att.weight", "att_bias": "att.bias",
				"score_lin1_weight": "gnn_score.lin1.weight", "score_lin1_bias": "gnn_score.lin1.bias",
				"score_lin2_weight": "gnn_score.lin2.weight", "score_lin3_weight": "gnn_score.lin3.weight", "score_lin3_bias": "gnn_score.lin3.bias",
				"gnn_weight": "gnn_intra_cluster.lin.weight", "gnn_bias": "gnn_intra_cluster.bias",
				"gnn_rel_weight": "gnn_intra_cluster.lin_rel.weight", "gnn_rel_bias": "gnn_intra_cluster.lin_rel.bias",
				"gnn_root_weight": "gnn_intra_cluster.lin_root.weight"})
			config := pool.ASAPConfig{Keep: keepOf(c.Config), Slope: float32(c.Config.Float("negative_slope", 0)),
				Dropout: c.Config.Float("dropout", 0), Intra: intra(c.Config.String("GNN", "")), Loops: pool.ASAPLoopsNone}
			if c.Config.Bool("add_self_loops", false) {
				config.Loops = pool.ASAPLoopsKept
			}
			layer := must(pool.NewASAPool(nn.NewInit(0), 4, config))
			p := pass(t, true)
			vars := c.Bind(t, p.Tape, layer.Params())
			res := layer.Forward(p, graphCase(c, vars))
			if want := c.IDs("outputs.perm"); !slices.Equal(res.Keep, want) {
				t.Fatalf("kept %v, want %v", res.Keep, want)
			}
			if want := c.IDs("outputs.batch"); !slices.Equal(res.View.VertexOf.IDs(), want) {
				t.Errorf("samples %v, want %v", res.View.VertexOf.IDs(), want)
			}
			checkEnds(t, "rewired edges", res.View, c, "outputs.edge_index")
			out := map[string]*tensor.Tensor{"x": res.View.X, "edge_weight": res.View.W, "fitness": res.Score}
			golden.CheckOutputs(t, c, out, poolTol)
			golden.CheckGrads(t, p.Tape, c, out, vars, poolGradTol)
		})
	}
}

// weighted puts the values of a view's edges into a matrix, both ways unless
// directed.
func weighted(v graph.View) [][]float64 {
	a := make([][]float64, v.H.NumVertices())
	for i := range a {
		a[i] = make([]float64, len(a))
	}
	for e := range v.H.NumEdges() {
		i, j := v.H.Ends()[2*e], v.H.Ends()[2*e+1]
		w := 1.0
		if v.W != nil {
			w = float64(v.W.Data()[e])
		}
		a[i][j] += w
		if i != j && !v.H.Directed() {
			a[j][i] += w
		}
	}
	return a
}

// loopy is a random multigraph with self-loops and features of width d.
func loopy(r *rand.Rand, n, m, d int, directed bool) *graph.Graph {
	g := graph.Graph{NumNodes: n, Directed: directed, Edge: graph.Ones(m)}
	for range m {
		g.Ends = append(g.Ends, int32(r.IntN(n)), int32(r.IntN(n)))
	}
	g.Node = graph.Features{Dim: d, Dense: random(r, n, d).Data()}
	return must(graph.New(g))
}

// asapOracle is the definition in float64 with dense matrices: the fitness of
// every cluster and, for the kept ones, their features and SᵀAS.
func asapOracle(layer *pool.ASAPool, v graph.View, keep []int32) (fitness []float64, x, a [][]float64) {
	n, d := v.X.Dim(0), v.X.Dim(1)
	w := weighted(v)
	for i, own := range loopWeights(v) { // one loop per node
		w[i][i] = own
	}
	at := func(t *tensor.Tensor, i, j int) float64 { return float64(t.Data()[i*t.Dim(1)+j]) }
	dot := func(t *tensor.Tensor, row int, x []float64) (s float64) {
		for j, f := range x {
			s += at(t, row, j) * f
		}
		return s
	}
	// Attention sees every message, parallel ones too.
	type arc struct{ src, dst int }
	var arcs []arc
	for e := range v.H.NumEdges() {
		i, j := int(v.H.Ends()[2*e]), int(v.H.Ends()[2*e+1])
		if i != j {
			arcs = append(arcs, arc{i, j})
			if !v.H.Directed() {
				arcs = append(arcs, arc{j, i})
			}
		}
	}
	for i := range n {
		arcs = append(arcs, arc{i, i})
	}
	s := make([][]float64, n) // S[j][i]
	c := make([][]float64, n)
	for i := range s {
		s[i], c[i] = make([]float64, n), make([]float64, d)
	}
	for i := range n {
		top := make([]float64, d)
		for k := range top {
			top[k] = math.Inf(-1)
		}
		for _, e := range arcs {
			for k := range top {
				if e.dst == i {
					top[k] = max(top[k], at(v.X, e.src, k))
				}
			}
		}
		both := make([]float64, 2*d)
		for k := range d {
			both[k] = dot(layer.Lin.Weight.Value, k, top) + float64(layer.Lin.Bias.Value.Data()[k])
		}
		total := 0.0
		for _, e := range arcs {
			if e.dst != i {
				continue
			}
			for k := range d {
				both[d+k] = at(v.X, e.src, k)
			}
			score := dot(layer.Att.Weight.Value, 0, both) + float64(layer.Att.Bias.Value.Item())
			if score < 0 {
				score *= 0.2
			}
			s[e.src][i] += math.Exp(score)
			total += math.Exp(score)
		}
		for j := range s {
			s[j][i] /= total
			for k := range d {
				c[i][k] += s[j][i] * at(v.X, j, k)
			}
		}
	}
	f := layer.Fitness
	for i := range n {
		sum := dot(f.Root.Weight.Value, 0, c[i]) + float64(f.Root.Bias.Value.Item())
		for _, e := range arcs {
			if e.dst == i {
				sum += dot(f.Sent.Weight.Value, 0, c[e.src]) + float64(f.Sent.Bias.Value.Item()) - dot(f.Received.Weight.Value, 0, c[i])
			}
		}
		fitness = append(fitness, 1/(1+math.Exp(-sum)))
	}
	for _, i := range keep {
		row := make([]float64, d)
		for k := range row {
			row[k] = fitness[i] * c[i][k]
		}
		x = append(x, row)
		edges := make([]float64, len(keep))
		for q, j := range keep {
			for u := range n {
				for o := range n {
					edges[q] += s[u][i] * w[u][o] * s[o][j]
				}
			}
		}
		a = append(a, edges)
	}
	return fitness, x, a
}

// loopWeights is the weight of each node's last self-loop, or 1.
func loopWeights(v graph.View) []float64 {
	out := slices.Repeat([]float64{1}, v.H.NumVertices())
	for e := range v.H.NumEdges() {
		if i := v.H.Ends()[2*e]; i == v.H.Ends()[2*e+1] && v.W != nil {
			out[i] = float64(v.W.Data()[e])
		}
	}
	return out
}

func flatten(rows [][]float64) []float32 {
	var out []float32
	for _, row := range rows {
		for _, x := range row {
			out = append(out, float32(x))
		}
	}
	return out
}

// All options on random multigraphs of either kind against the definition.
func TestASAPoolAgainstDense(t *testing.T) {
	r := rng.Stream(42, "asap")
	for trial := range 60 {
		n := 1 + r.IntN(8)
		v := must(graph.Collate([]*graph.Graph{loopy(r, n, r.IntN(14), 3, trial%2 == 0)})).View
		if trial%3 == 0 {
			v = v.WithW(random(r, v.H.NumEdges()).Square())
		}
		config := pool.ASAPConfig{Keep: pool.Keep{Fraction: 0.6}, Loops: pool.ASAPLoops(trial % 4 % 3)}
		layer := must(pool.NewASAPool(nn.NewInit(uint64(trial)), 3, config))
		res := layer.Forward(pass(t, true), v)
		fitness, x, a := asapOracle(layer, v, res.Keep)
		near(t, "fitness", res.Score.Data(), flatten([][]float64{fitness}), 1e-5)
		near(t, "features", res.View.X.Data(), flatten(x), 1e-5)
		for i := range a {
			switch config.Loops {
			case pool.ASAPLoopsNone:
				a[i][i] = 0
			case pool.ASAPLoopsOne:
				a[i][i] = 1
			}
		}
		near(t, "edges", flatten(weighted(res.View)), flatten(a), 1e-5)
		for e, ends := 0, res.View.H.Ends(); e+2 < len(ends); e += 2 {
			if k := slices.Compare(ends[e:e+2], ends[e+2:e+4]); k >= 0 {
				t.Errorf("edges %v are not in order", ends)
			}
		}
		config.Unweighted = true
		bare := must(pool.NewASAPool(nn.NewInit(uint64(trial)), 3, config)).Forward(pass(t, true), v).View
		if bare.W != nil || !slices.Equal(bare.H.Ends(), res.View.H.Ends()) {
			t.Errorf("without weights: %v, edges %v", bare.W, bare.H.Ends())
		}
		if t.Failed() {
			t.Fatalf("trial %d: edges %v, directed %v, weights %v", trial, v.H.Ends(), v.H.Directed(), v.W)
		}
	}
}

// An undirected edge is two arcs: values and gradients agree with the directed
// form, where the gradient of an edge's weight is shared among its arcs.
func TestASAPoolForms(t *testing.T) {
	r := rng.Stream(43, "forms")
	for trial := range 20 {
		u := must(graph.Collate([]*graph.Graph{loopy(r, 6, 8, 3, false), loopy(r, 3, 2, 3, false)})).View
		weights := random(r, u.H.NumEdges()).Square()
		config := pool.ASAPConfig{Keep: pool.Keep{Fraction: 0.5}, Intra: intra([]string{"gcn", "graphconv", ""}[trial%3])}
		layer := must(pool.NewASAPool(nn.NewInit(uint64(trial)), 3, config))
		run := func(arcs bool) (pool.Result, []*tensor.Tensor) {
			p := pass(t, true)
			x, w := p.Tape.Variable(u.X), p.Tape.Variable(weights)
			v := u.WithX(x).WithW(w)
			if arcs {
				v, _ = v.Arcs()
			}
			res := layer.Forward(p, v)
			// A loss of the matrix of edges, not of their list.
			loss := res.View.X.Square().Sum()
			for e := range res.View.H.NumEdges() {
				i, j := res.View.H.Ends()[2*e], res.View.H.Ends()[2*e+1]
				share := float32(1)
				if !arcs && i != j {
					share = 2
				}
				loss = loss.Add(res.View.W.Slice(0, e, e+1).Square().MulScalar(share * float32(i+j+1)).Sum())
			}
			return res, p.Tape.Grad(loss, x, w, p.Var(layer.Lin.Weight), p.Var(layer.Att.Weight))
		}
		a, ga := run(false)
		b, gb := run(true)
		if !slices.Equal(a.Keep, b.Keep) {
			t.Fatalf("kept %v and %v", a.Keep, b.Keep)
		}
		near(t, "features", b.View.X.Data(), a.View.X.Data(), 1e-5)
		near(t, "edges", flatten(weighted(b.View)), flatten(weighted(a.View)), 1e-5)
		for i, what := range []string{"x", "w", "lin", "att"} {
			near(t, "gradient of "+what, gb[i].Data(), ga[i].Data(), 1e-4)
		}
	}
}

// Detached edges pass no gradient; dropout of attention keeps its mean.
func TestASAPoolOptions(t *testing.T) {
	r := rng.Stream(44, "options")
	v := must(graph.Collate([]*graph.Graph{loopy(r, 7, 12, 3, false)})).View
	for _, detached := range []bool{false, true} {
		layer := must(pool.NewASAPool(nn.NewInit(1), 3, pool.ASAPConfig{Keep: pool.Keep{Count: 4}, Loops: pool.ASAPLoopsNone, Detached: detached}))
		p := pass(t, true)
		res := layer.Forward(p, v.WithX(p.Tape.Variable(v.X)))
		sum := 0.0
		for _, g := range p.Tape.Grad(res.View.W, p.Var(layer.Att.Weight))[0].Data() {
			sum += math.Abs(float64(g))
		}
		if (sum == 0) != detached {
			t.Errorf("detached %v: gradient %v", detached, sum)
		}
	}
	layer := must(pool.NewASAPool(nn.NewInit(1), 3, pool.ASAPConfig{Keep: pool.Keep{Fraction: 1}, Dropout: 0.5}))
	calm := layer.Forward(pass(t, false), v).View.X
	if p := pass(t, true); slices.Equal(layer.Forward(p, v).View.X.Data(), calm.Data()) {
		t.Error("dropout does nothing in training")
	}
}

// seen is a layer that keeps the view it was given.
type seen struct{ view graph.View }

func (*seen) Params() []*tensor.Param { return nil }

func (s *seen) Forward(_ *nn.Pass, v graph.View) *tensor.Tensor {
	s.view = v
	return v.X
}

// The layer inside clusters sees one self-loop per node: its own last one with its
// weight, or an added one of weight 1; sample by sample.
func TestASAPoolIntraLoops(t *testing.T) {
	r := rng.Stream(49, "loops")
	for trial := range 20 {
		gs := []*graph.Graph{loopy(r, 5, 9, 2, trial%2 == 0), loopy(r, 3, 2, 2, trial%2 == 0)}
		v := must(graph.Collate(gs)).View
		if trial%4 > 0 {
			v = v.WithW(random(r, v.H.NumEdges()))
		}
		inner := &seen{}
		layer := must(pool.NewASAPool(nn.NewInit(1), 2, pool.ASAPConfig{Keep: pool.Keep{Count: 1},
			Intra: func(nn.Init, nn.ConvDims) (nn.Conv, error) { return inner, nil }}))
		layer.Forward(pass(t, true), v)
		want := weighted(v)
		for i, own := range loopWeights(v) {
			want[i][i] = own
		}
		near(t, "edges", flatten(weighted(inner.view)), flatten(want), 1e-6)
		if inner.view.H.Directed() != v.H.Directed() || !slices.IsSorted(inner.view.EdgeOf.IDs()) || (inner.view.W == nil) != (v.W == nil) {
			t.Errorf("samples of edges %v, weights %v", inner.view.EdgeOf.IDs(), inner.view.W)
		}
	}
}
