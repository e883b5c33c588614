package model

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/ehgnn/ehgnn/graph"
	"github.com/ehgnn/ehgnn/internal/golden"
	"github.com/ehgnn/ehgnn/internal/rng"
	"github.com/ehgnn/ehgnn/nn"
	"github.com/ehgnn/ehgnn/tensor"
)

// stacked is the case with the encoders' tables one below the other, under the
// names of this project.
func stacked(c golden.Case) golden.Case {
	c.Params, c.Grads = maps.Clone(c.Params), maps.Clone(c.Grads)
	stack := func(in map[string]golden.Value, table, name string) {
		all := golden.Value{Dtype: "float32"}
		for k := 0; ; k++ {
			key := fmt.Sprintf(table, k)
			v, ok := in[key]
			if !ok {
				break
			}
			delete(in, key)
			all.Floats = append(all.Floats, v.Floats...)
			all.Shape = []int{len(all.Floats) / v.Shape[1], v.Shape[1]}
		}
		in[name] = all
	}
	for peer, own := range map[string]string{"atom_encoder.atom": "node", "bond_encoder.bond": "edge"} {
		stack(c.Params, peer+"_embedding_list.%d.weight", own+"_encoder.weight")
		stack(c.Grads, "params."+peer+"_embedding_list.%d.weight", "params."+own+"_encoder.weight")
	}
	return c
}

// categories are the codes of an input from row lo on, in columns of the given
// sizes.
func categories(c golden.Case, name, sizes string, lo, rows int) graph.Features {
	var f graph.Features
	for _, k := range c.Config[sizes].([]any) {
		f.Codes = append(f.Codes, int(k.(float64)))
	}
	k := len(f.Codes)
	f.Code = c.IDs(name)[lo*k : (lo+rows)*k]
	return f
}

// HyperDrop in the form for molecules, against layers/model_hyperdrop_ogb: the
// edges as arcs, as the authors' code has them, and as bonds, no pair of arcs
// being split there.
func TestCaseHyperDropOGB(t *testing.T) {
	const tol = 1e-4
	for _, c := range golden.Load(t, "layers/model_hyperdrop_ogb").Cases {
		c = stacked(c)
		c.Config.Only(t, "data", "num_node_features", "num_edge_features", "num_hidden", "num_classes",
			"edge_ratio", "dropout", "num_convs", "atom_dims", "bond_dims", "modes", "score_gap")
		nodes, arcs := c.Value("x").Shape[0], c.Value("edge_attr").Shape[0]
		atoms, bonds := categories(c, "x", "atom_dims", 0, nodes), categories(c, "edge_attr", "bond_dims", 0, arcs)
		config := configOf("hyperdrop", values{"node_dim": atoms.Width(), "edge_dim": bonds.Width(), "out": c.Config.Int("num_classes", 0),
			"hidden": c.Config.Int("num_hidden", 0), "layers": c.Config.Int("num_convs", 0), "conv": "egcn",
			"dropout": c.Config.Float("dropout", 0), "ratio": c.Config.Float("edge_ratio", 0), "encode": true})
		config.NodeBlocks, config.EdgeBlocks = atoms.Blocks(), bonds.Blocks()
		for form, b := range map[string]*graph.Batch{"arcs": arcBatch(c, atoms, bonds), "bonds": bondBatch(c)} {
			t.Run(c.Name+"/"+form, func(t *testing.T) {
				m := must(must(Find("hyperdrop")).New(config))
				p := pass(t, true)
				vars := c.Bind(t, p.Tape, m.Params())
				for _, train := range []bool{true, false} {
					p.Train = train
					out := m.Forward(p, b)
					logits := map[string]*tensor.Tensor{"out": out.Graph}
					golden.CheckOutputs(t, c, logits, tol)
					if train { // outside training parameters are constants
						golden.CheckGrads(t, p.Tape, c, logits, vars, tol)
					}
					if form == "arcs" {
						checkDrops(t, c, out, tol)
					}
				}
			})
		}
	}
}

// arcBatch is the batch of a case with its categories as features.
func arcBatch(c golden.Case, atoms, bonds graph.Features) *graph.Batch {
	var ends []int32
	src, dst := c.Pair("edge_index")
	for e := range src {
		ends = append(ends, src[e], dst[e])
	}
	features := must(graph.Collate([]*graph.Graph{must(graph.New(graph.Graph{NumNodes: len(c.IDs("batch")), Ends: ends, Directed: true,
		Node: atoms, Edge: bonds}))}))
	return caseBatch(c, map[string]*tensor.Tensor{"x": features.X, "edge_attr": features.E})
}

// bondBatch is the batch of a case in the undirected form, with an edge for each
// pair of arcs.
func bondBatch(c golden.Case) *graph.Batch {
	src, dst := c.Pair("edge_index")
	batch := c.IDs("batch")
	gs := make([]*graph.Graph, batch[len(batch)-1]+1)
	node, arc := 0, 0
	for i := range gs {
		n, m := 0, 0
		for node+n < len(batch) && int(batch[node+n]) == i {
			n++
		}
		for arc+m < len(src) && int(batch[src[arc+m]]) == i {
			m++
		}
		g := graph.Graph{NumNodes: n, Directed: true, Node: categories(c, "x", "atom_dims", node, n), Edge: categories(c, "edge_attr", "bond_dims", arc, m)}
		for e := arc; e < arc+m; e++ {
			g.Ends = append(g.Ends, src[e]-int32(node), dst[e]-int32(node))
		}
		gs[i] = must(must(graph.New(g)).Undirected())
		node, arc = node+n, arc+m
	}
	return must(graph.Collate(gs))
}

// coded is a graph with categories for features: two columns for nodes, of which
// some are unknown, and one beside a number for edges.
func coded(n, m int) *graph.Graph {
	r := rng.Stream(1, "coded", n)
	g := multigraph(r, n, m, true)
	g.Node = graph.Features{Codes: []int{4, 2}}
	for range n {
		g.Node.Code = append(g.Node.Code, r.Int32N(5)-1, r.Int32N(2))
	}
	g.Edge = graph.Features{Dim: 1, Dense: random(r, m, 1).Data(), Codes: []int{3}}
	for range m {
		g.Edge.Code = append(g.Edge.Code, r.Int32N(3))
	}
	return must(graph.New(*g))
}

// Every registered model takes encoders: it computes what it computes on features
// encoded by hand, and the tables learn.
func TestEncoded(t *testing.T) {
	gs := []*graph.Graph{coded(9, 14), coded(1, 0), coded(12, 25), coded(0, 0)}
	b := must(graph.Collate(gs))
	for _, s := range networks() {
		t.Run(s.Name, func(t *testing.T) {
			c := valid(s.Name)
			put(&c, "dropout", 0.0)
			c.Seed = 3 // with which no decoder starts with all of its ReLU at 0
			c.Encode, c.Node, c.Edge = true, 6, 4
			c.NodeBlocks, c.EdgeBlocks = gs[0].Node.Blocks(), gs[0].Edge.Blocks()
			if s.paired {
				pair := must(s.New(c)).(*Pair)
				for _, one := range []Model{pair.Nodes, pair.Edges} {
					if _, ok := one.(*Encoded); !ok {
						t.Errorf("%s has a %T", s.Name, one)
					}
				}
				return
			}
			if s.parts != nil { // each has encoders of its own
				for k, one := range must(s.New(c)).(*Ensemble).Members {
					if _, ok := one.(*Encoded); !ok {
						t.Errorf("%s is %T", s.parts[k], one)
					}
				}
				return
			}
			m := must(s.New(c)).(*Encoded)
			if (m.Node == nil) != s.EdgesOnly || (m.Edge == nil) == (s.Edges && s.Name != "rgcn") {
				t.Fatalf("encoders %v and %v for a model that reads edges: %v, nothing else: %v", m.Node, m.Edge, s.Edges, s.EdgesOnly)
			}
			p := pass(t, true)
			out := m.Forward(p, b)
			var tables []*tensor.Tensor
			plain, encoded := c, *b
			plain.Encode = false
			if m.Node != nil {
				tables = append(tables, p.Tape.Watch(m.Node.Weight))
				plain.Node, encoded.X = 8, b.X.MatMul(m.Node.Weight.Value)
			}
			if m.Edge != nil {
				tables = append(tables, p.Tape.Watch(m.Edge.Weight))
				plain.Edge, encoded.E = 8, b.E.MatMul(m.Edge.Weight.Value)
			}
			inner := must(s.New(plain))
			if _, ok := inner.(*Encoded); ok {
				t.Error("encoders without being asked for")
			}
			want := inner.Forward(pass(t, true), &encoded)
			near(t, "prediction", prediction(out).Data(), prediction(want).Data(), 0)
			for i, g := range p.Tape.Grad(prediction(out).Square(), tables...) {
				if !finite(g) || !slices.ContainsFunc(g.Data(), func(x float32) bool { return x != 0 }) {
					t.Errorf("gradient of table %d is %v", i, g.Data())
				}
			}
			if names := namesOf(m); len(names) != len(tables)+len(inner.Params()) || !slices.Equal(names[len(tables):], namesOf(inner)) {
				t.Errorf("parameters %q", names)
			}
			checkFinite(t, m, must(graph.Collate(gs[1:2])))
			checkFinite(t, m, must(graph.Collate(gs[3:])))

			// The convolution decides where the model leaves the choice.
			if put(&c, "conv", "egcn") {
				if m := must(s.New(c)).(*Encoded); m.Edge == nil {
					t.Error("egcn reads edge features, which are not encoded")
				}
			}
			// Nodes without features have nothing to encode.
			c = valid(s.Name)
			c.Encode, c.Node = true, 0
			if m := must(s.New(c)).(*Encoded); m.Node != nil {
				t.Error("an encoder of nodes without features")
			}
			for _, bad := range []func(c *Config){
				func(c *Config) { c.NodeBlocks = []int{nodeDim, 1} },
				func(c *Config) { c.NodeBlocks = []int{nodeDim + 1, -1} },
				func(c *Config) { c.EdgeBlocks = []int{} },
				func(c *Config) { c.EdgeBlocks = []int{0, edgeDim} },
				func(c *Config) { c.Node = -1 },
				func(c *Config) { put(c, "hidden", 0) },
			} {
				c := valid(s.Name)
				c.Encode = true
				bad(&c)
				if m, err := s.New(c); m != nil || err == nil || !strings.HasPrefix(err.Error(), "model: "+s.Name+": ") {
					t.Errorf("%+v: model %v, error %v", c, m, err)
				}
			}
		})
	}
	c := configOf("gcn", values{"node_dim": 3, "hidden": 8, "out": 2, "layers": 1, "encode": true})
	c.NodeBlocks = []int{1, 1}
	_, err := must(Find("gcn")).New(c)
	if want := "model: gcn: node_blocks are [1 1], expected widths of 1 or more that add up to node_dim, 3"; err == nil || err.Error() != want {
		t.Errorf("error %v, want %q", err, want)
	}
}

func namesOf(m nn.Module) []string {
	var names []string
	for _, w := range m.Params() {
		names = append(names, w.Name)
	}
	return names
}
