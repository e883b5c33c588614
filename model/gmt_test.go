package model

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/ehgnn/ehgnn/graph"
	"github.com/ehgnn/ehgnn/internal/golden"
	"github.com/ehgnn/ehgnn/internal/rng"
	"github.com/ehgnn/ehgnn/nn"
	"github.com/ehgnn/ehgnn/nn/pool"
	"github.com/ehgnn/ehgnn/tensor"
)

// gmtCase is the model a case describes.
func gmtCase(t *testing.T, c golden.Case) *GMT {
	t.Helper()
	c.Config.Only(t, "num_features", "num_hidden", "num_classes", "pooling_ratio", "dropout", "num_convs", "avg_num_nodes",
		"model_string", "conv", "mab_conv", "num_heads", "ln", "cluster", "mode")
	seeds := int(math.Ceil(c.Config.Float("pooling_ratio", 0) * c.Config.Float("avg_num_nodes", 0)))
	var blocks []pool.GMTBlock
	for _, kind := range strings.Split(c.Config.String("model_string", ""), "-") {
		blocks = append(blocks, pool.GMTBlock{Kind: pool.BlockKind(kind), Seeds: seeds})
	}
	blocks[len(blocks)-1].Seeds = 1
	keys, err := nn.FindConv(strings.ToLower(c.Config.String("mab_conv", "")))
	if err != nil {
		t.Fatal(err)
	}
	return must(newGMT(nn.NewInit(0), Dims{Node: c.Config.Int("num_features", 0), Out: c.Config.Int("num_classes", 0)},
		GMTConfig{Stack: Stack{c.Config.Int("num_hidden", 0), c.Config.Int("num_convs", 0), c.Config.Float("dropout", 0)},
			NodeConv: NodeConv{Conv: strings.ToLower(c.Config.String("conv", ""))}},
		pool.GMTPoolConfig{Blocks: blocks, MAB: pool.MABConfig{Heads: c.Config.Int("num_heads", 1), LayerNorm: c.Config.Bool("ln", false),
			Cluster: c.Config.Bool("cluster", false), Keys: keys.New}}))
}

func TestCaseGMT(t *testing.T) {
	for _, file := range []string{"layers/gmt_model", "layers/gmt_model_gin"} {
		for _, c := range golden.Load(t, file).Cases {
			t.Run(c.Name, func(t *testing.T) {
				m := gmtCase(t, c)
				// A model of GCNs is the same in training; one with BatchNorm is not, and
				// has no gradients of parameters outside training.
				train := c.Config.String("mode", "") == "train" || len(c.Buffers) == 0
				p := pass(t, train)
				vars := map[string]*tensor.Tensor{"x": p.Tape.Variable(c.Tensor("x"))}
				seen := 0
				for _, w := range m.Params() {
					name := "params." + w.Name
					if w.Buffer {
						name = "buffers." + w.Name
					}
					v := c.Tensor(name)
					if !slices.Equal(v.Shape(), w.Value.Shape()) {
						t.Fatalf("%s has shape %v, want %v", name, w.Value.Shape(), v.Shape())
					}
					w.Value = v
					if w.Buffer {
						continue
					}
					seen++
					vars[name] = nil
					if train {
						vars[name] = p.Var(w)
					}
				}
				if seen != len(c.Params) {
					t.Fatalf("%d parameters, the case has %d", seen, len(c.Params))
				}
				out := map[string]*tensor.Tensor{"out": m.Forward(p, caseBatch(c, vars)).Graph.LogSoftmax()}
				golden.CheckOutputs(t, c, out, 1e-4)
				golden.CheckGrads(t, p.Tape, c, out, vars, 1e-4)
			})
		}
	}
}

func TestNewGMTErrors(t *testing.T) {
	for want, change := range map[string]values{
		"model: gmt: hidden is 0, expected at least 1":                           {"hidden": 0},
		"model: gmt: clusters is 0, expected at least 1":                         {"clusters": 0},
		"pool: gmt: widths 16 and 8, expected positive multiples of the 3 heads": {"heads": 3},
		`unknown convolution "gnc"`:                                              {"conv": "gnc"},
	} {
		if m, err := must(Find("gmt")).New(configOf("gmt", small().but(change))); m != nil || err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %s", err, want)
		}
	}
}

// A graph has the same logits alone and in a batch, and however its nodes and
// edges are numbered.
func TestGMTInvariance(t *testing.T) {
	r := rng.Stream(8, "gmt")
	m := built[*GMT]("gmt", 1, small().but(values{"layer_norm": true, "dropout": 0.0}))
	gs := []*graph.Graph{multigraph(r, 5, 9, true), multigraph(r, 1, 0, true), multigraph(r, 7, 0, true), multigraph(r, 6, 4, true)}
	all := m.Forward(pass(t, true), must(graph.Collate(gs))).Graph.Data()
	for i, g := range gs {
		alone := m.Forward(pass(t, true), must(graph.Collate([]*graph.Graph{g}))).Graph.Data()
		near(t, "alone", alone, all[2*i:2*i+2], 1e-5)
		nodes := r.Perm(g.NumNodes)
		h := *g
		h.Ends = slices.Clone(g.Ends)
		for k, v := range h.Ends {
			h.Ends[k] = int32(nodes[v])
		}
		h.Node.Dense = make([]float32, len(g.Node.Dense))
		for v, to := range nodes {
			copy(h.Node.Dense[to*nodeDim:(to+1)*nodeDim], g.Node.Dense[v*nodeDim:])
		}
		near(t, "renumbered", m.Forward(pass(t, true), must(graph.Collate([]*graph.Graph{&h}))).Graph.Data(), alone, 1e-5)
	}
}

// A batch of any kind of graph gives finite numbers: see TestDegenerate, which
// covers the registered models.
func TestGMTDegenerate(t *testing.T) {
	r := rng.Stream(9, "gmt")
	empty := &graph.Graph{Node: graph.Features{Dim: nodeDim}, Edge: graph.Features{Dim: edgeDim}}
	for name, gs := range map[string][]*graph.Graph{
		"no node": {empty}, "one node": {multigraph(r, 1, 0, false)}, "only loops": {multigraph(r, 1, 3, true)},
		"empty inside": {multigraph(r, 4, 6, true), empty, multigraph(r, 2, 0, false)},
		"no edges":     {multigraph(r, 3, 0, false), multigraph(r, 2, 0, false)},
	} {
		t.Run(name, func(t *testing.T) { checkFinite(t, build[*GMT]("gmt", valid("gmt")), must(graph.Collate(gs))) })
	}
}
