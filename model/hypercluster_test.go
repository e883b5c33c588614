package model

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

func caseHyperCluster(t *testing.T, c golden.Case) *HyperCluster {
	t.Helper()
	c.Config.Only(t, "num_node_features", "num_edge_features", "num_hidden", "num_classes", "edge_ratio",
		"avg_num_edges", "dropout", "num_convs", "ln", "num_heads", "cluster", "modes", "num_seeds")
	k := int(math.Ceil(c.Config.Float("edge_ratio", 0) * c.Config.Float("avg_num_edges", 0)))
	if want := c.Config.Int("num_seeds", k); want != k {
		t.Fatalf("%d clusters, the case has %d", k, want)
	}
	width := c.Config.Int("num_edge_features", 0)
	config := HyperClusterConfig{Hidden: c.Config.Int("num_hidden", 0), Layers: c.Config.Int("num_convs", 0), Clusters: k}
	return must(newHyperCluster(nn.NewInit(0), Dims{Edge: width, Out: width}, config, pool.MABConfig{Heads: c.Config.Int("num_heads", 1),
		LayerNorm: c.Config.Bool("ln", false), Cluster: c.Config.Bool("cluster", false)}))
}

func TestCaseHyperCluster(t *testing.T) {
	for _, file := range []string{"layers/model_hypercluster", "layers/model_hypercluster_cluster"} {
		for _, c := range golden.Load(t, file).Cases {
			t.Run(c.Name, func(t *testing.T) {
				m := caseHyperCluster(t, c)
				if c.ReferenceError != "" { // several heads, or no edge in the batch: both work here
					checkFinite(t, m, caseBatch(c, nil))
					return
				}
				p := pass(t, true)
				vars := c.Bind(t, p.Tape, m.Params())
				b := caseBatch(c, vars)
				out := map[string]*tensor.Tensor{"out": m.Forward(p, b).Edge}
				golden.CheckOutputs(t, c, out, 1e-4)
				golden.CheckGrads(t, p.Tape, c, out, vars, 1e-4)
				near(t, "evaluation", m.Forward(pass(t, false), caseBatch(c, nil)).Edge.Data(), out["out"].Data(), 1e-6)
			})
		}
	}
}

// The public constructor builds the cluster form.
func TestHyperClusterOutput(t *testing.T) {
	r := rng.Stream(1, "output")
	b := must(graph.Collate([]*graph.Graph{multigraph(r, 5, 9, false), multigraph(r, 2, 0, false), multigraph(r, 4, 6, true)}))
	m := built[*HyperCluster]("hypercluster", 0, values{"edge_dim": edgeDim, "out": 4, "hidden": 8, "layers": 2, "clusters": 3, "heads": 2, "layer_norm": true})
	if !m.Pool.Cluster || !m.Pool.LayerNorm || m.Pool.Heads != 2 {
		t.Errorf("the pool is %+v", m.Pool.MABConfig)
	}
	p := pass(t, false)
	out := m.Forward(p, b)
	if !slices.Equal(out.Edge.Shape(), []int{15, 4}) || !slices.Equal(out.GraphVec.Shape(), []int{3, 24}) || out.Graph != nil {
		t.Errorf("shapes %v %v", out.Edge.Shape(), out.GraphVec.Shape())
	}
	if len(out.EdgeVecs) != 1 || out.EdgeVecs[0].IDs != nil || !slices.Equal(out.EdgeVecs[0].Rows.Shape(), []int{15, 8}) {
		t.Error("edge vectors are not the encoder's")
	}
	pooled, _ := m.Pool.Forward(p, b.View.Dual().WithX(out.EdgeVecs[0].Rows))
	near(t, "graph vectors", out.GraphVec.Data(), pooled.Data(), 1e-6)
	// Node features play no part.
	blind := *b
	blind.X = nil
	near(t, "without nodes", m.Forward(p, &blind).Edge.Data(), out.Edge.Data(), 0)
}

// Bonds and pairs of arcs have the same edge vectors. With the softmax over
// edges, twin arcs share what their bond would get: pooled vectors are equal and
// assignments halved. With the softmax over clusters assignments are equal.
func TestHyperClusterForms(t *testing.T) {
	r := rng.Stream(2, "forms")
	c := HyperClusterConfig{Hidden: 8, Layers: 2, Clusters: 3}
	for _, cluster := range []bool{false, true} {
		m := must(newHyperCluster(nn.NewInit(0), Dims{Edge: edgeDim, Out: edgeDim}, c, pool.MABConfig{Heads: 2, LayerNorm: true, Cluster: cluster}))
		for range 10 {
			g := multigraph(r, 6, 9, false)
			arcs := withArcs(g)
			edgeOf := tensor.MustIndex(arcs.EdgeLabel, 9)
			p := pass(t, false)
			u, d := must(graph.Collate([]*graph.Graph{g})), must(graph.Collate([]*graph.Graph{arcs}))
			a, b := m.Forward(p, u), m.Forward(p, d)
			near(t, "edge vectors", b.EdgeVecs[0].Rows.Data(), tensor.Gather(a.EdgeVecs[0].Rows, edgeOf).Data(), 1e-5)
			_, assignA := m.Pool.Forward(p, u.View.Dual().WithX(a.EdgeVecs[0].Rows))
			_, assignB := m.Pool.Forward(p, d.View.Dual().WithX(b.EdgeVecs[0].Rows))
			share := float32(1)
			if !cluster {
				share = 0.5
				near(t, "pooled vectors", b.GraphVec.Data(), a.GraphVec.Data(), 1e-4)
			}
			for h := range assignA {
				near(t, "assignment", assignB[h].Data(), tensor.Gather(assignA[h], edgeOf).MulScalar(share).Data(), 1e-4)
			}
		}
	}
}
