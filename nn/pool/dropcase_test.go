package pool_test

import (
	"slices"
	"testing"

	"github.com/ehgnn/ehgnn/graph"
	"github.com/ehgnn/ehgnn/internal/golden"
	"github.com/ehgnn/ehgnn/nn"
	"github.com/ehgnn/ehgnn/nn/pool"
	"github.com/ehgnn/ehgnn/tensor"
)

// Tolerances of the pooling fixtures, within those of their README: 2e-5 plus
// 2e-4 relative for outputs, 5e-5 plus 5e-4 for gradients.
const (
	poolTol     = 1e-5
	poolGradTol = 2e-5
)

// graphCase is the directed graph of a fixture case.
func graphCase(c golden.Case, vars map[string]*tensor.Tensor) graph.View {
	n := c.Value("x").Shape[0]
	of := make([]int32, n)
	if c.Has("batch") {
		of = c.IDs("batch")
	}
	samples := 0
	for _, g := range of {
		samples = max(samples, int(g)+1)
	}
	src, dst := c.Pair("edge_index")
	var ends, edgeOf []int32
	for e := range src {
		ends, edgeOf = append(ends, src[e], dst[e]), append(edgeOf, of[src[e]])
	}
	return graph.View{X: vars["x"], E: vars["edge_attr"], W: vars["edge_weight"], H: must(graph.NewPairs(n, ends, true)),
		VertexOf: tensor.MustIndex(of, samples), EdgeOf: tensor.MustIndex(edgeOf, samples)}
}

// renamed gives the parameters of a case the names of this library; to "" takes
// one out.
func renamed(c golden.Case, to map[string]string) golden.Case {
	for old, name := range to {
		v, ok := c.Params[old]
		if !ok {
			continue
		}
		g := c.Grads["params."+old]
		delete(c.Params, old)
		delete(c.Grads, "params."+old)
		if name != "" {
			c.Params[name], c.Grads["params."+name] = v, g
		}
	}
	return c
}

// checkEnds compares the edges of a view, in their order.
func checkEnds(t *testing.T, what string, v graph.View, c golden.Case, name string) {
	t.Helper()
	src, dst := c.Pair(name)
	var want []int32
	for e := range src {
		want = append(want, src[e], dst[e])
	}
	if got := v.H.Ends(); !slices.Equal(got, want) {
		t.Errorf("%s: edges %v, want %v", what, got, want)
	}
}

// checkKept compares what a pool of the node-drop family has kept with a case.
func checkKept(t *testing.T, c golden.Case, p *nn.Pass, vars map[string]*tensor.Tensor, res pool.Result) {
	t.Helper()
	if want := c.IDs("outputs.perm"); !slices.Equal(res.Keep, want) {
		t.Fatalf("kept %v, want %v", res.Keep, want)
	}
	if want := c.IDs("outputs.batch"); !slices.Equal(res.View.VertexOf.IDs(), want) {
		t.Errorf("samples %v, want %v", res.View.VertexOf.IDs(), want)
	}
	checkEnds(t, "kept edges", res.View, c, "outputs.edge_index")
	out := map[string]*tensor.Tensor{"x": res.View.X,
		"score": tensor.Gather(res.Score, tensor.MustIndex(res.Keep, res.Score.Size()))}
	if c.Has("outputs.edge_attr") {
		out["edge_attr"] = res.View.E
	}
	golden.CheckOutputs(t, c, out, poolTol)
	golden.CheckGrads(t, p.Tape, c, out, vars, poolGradTol)
}

// gateOf reads a case's options for how scores gate.
func gateOf(t *testing.T, c golden.Config) pool.GateConfig {
	t.Helper()
	acts := map[string]pool.ScoreAct{"tanh": pool.ScoreTanh, "sigmoid": pool.ScoreSigmoid}
	act, ok := acts[c.String("nonlinearity", "tanh")]
	if !ok {
		t.Fatalf("nonlinearity %v is not handled", c["nonlinearity"])
	}
	return pool.GateConfig{Keep: keepOf(c), Act: act, Multiplier: float32(c.Float("multiplier", 0))}
}

func TestCaseTopKPool(t *testing.T) {
	for _, file := range []string{"layers/topk_pooling", "pooling/topk_pooling"} {
		for _, c := range golden.Load(t, file).Cases {
			t.Run(file+"/"+c.Name, func(t *testing.T) {
				c.Config.Only(t, "ratio", "min_score", "multiplier", "nonlinearity")
				c := renamed(c, map[string]string{"weight": "select.weight"})
				layer := must(pool.NewTopKPool(nn.NewInit(0), c.Value("x").Shape[1], gateOf(t, c.Config)))
				p := pass(t, true)
				vars := c.Bind(t, p.Tape, layer.Params())
				if attn := vars["attn"]; attn != nil {
					checkKept(t, c, p, vars, layer.ForwardBy(p, graphCase(c, vars), attn))
					return
				}
				checkKept(t, c, p, vars, layer.Forward(p, graphCase(c, vars)))
			})
		}
	}
}

// The library multiplies the scores by one more scalar. With a fraction only its
// sign acts, with a minimum score all of it; either way it is the same as scaling
// the scorer's parameters, whose gradients are scaled with them.
func TestCaseSAGPool(t *testing.T) {
	for _, c := range golden.Load(t, "pooling/sag_pooling").Cases {
		t.Run(c.Name, func(t *testing.T) {
			c.Config.Only(t, "ratio", "min_score", "multiplier", "scorer")
			scale := c.Value("params.select_weight").Floats[0]
			if c.Config["min_score"] == nil && scale != 1 {
				scale = -1
			}
			c := renamed(c, map[string]string{"select_weight": "", "gnn_weight": "gnn.lin.weight", "gnn_bias": "gnn.bias",
				"gnn_rel_weight": "gnn.lin_rel.weight", "gnn_rel_bias": "gnn.lin_rel.bias", "gnn_root_weight": "gnn.lin_root.weight"})
			for name, v := range c.Params {
				for i := range v.Floats {
					v.Floats[i] *= scale
					c.Grads["params."+name].Floats[i] /= scale
				}
			}
			config := pool.SAGPoolConfig{GateConfig: gateOf(t, c.Config)}
			if c.Config.String("scorer", "") == "graphconv" {
				config.Scorer = graphConv
			}
			layer := must(pool.NewSAGPool(nn.NewInit(0), 4, config))
			p := pass(t, true)
			vars := c.Bind(t, p.Tape, layer.Params())
			checkKept(t, c, p, vars, layer.Forward(p, graphCase(c, vars)))
		})
	}
}

func TestCaseTopKSelect(t *testing.T) {
	for _, c := range golden.Load(t, "pooling/topk_select").Cases {
		t.Run(c.Name, func(t *testing.T) {
			if c.Has("outputs.rows") {
				rows := c.Value("outputs.rows")
				for i := 0; i < len(rows.Ints); i += 5 {
					percent, n, want := rows.Ints[i], int(rows.Ints[i+1]), int(rows.Ints[i+2])
					if got := (pool.Keep{Fraction: float64(percent) / 100}).Of(n); got != want {
						t.Errorf("%d%% of %d keep %d, want %d", percent, n, got, want)
					}
				}
				return
			}
			c.Config.Only(t, "ratio", "min_score", "tol")
			batch := c.IDs("batch")
			of := tensor.MustIndex(batch, int(slices.Max(batch))+1)
			// Also where the ratio 1.0 is a count to the library and keeps one.
			if got, want := pool.TopK(c.Tensor("score").Data(), of, keepOf(c.Config)), c.IDs("outputs.perm"); !slices.Equal(got, want) {
				t.Errorf("kept %v, want %v", got, want)
			}
		})
	}
}
