package model_test

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/ehgnn/ehgnn/graph"
	"github.com/ehgnn/ehgnn/model"
)

// vectorModel is a small model with vectors of four nodes.
func vectorModel(t *testing.T, name string, change func(c *model.Config)) (model.Model, error) {
	t.Helper()
	spec, err := model.Find(name)
	if err != nil {
		t.Fatal(err)
	}
	c := spec.Config()
	c.Node, c.Edge, c.Out, c.Seed = 1, 2, 2, 1
	c.Default("hidden", 8)
	c.Default("layers", 2)
	c.NodeVectors = &model.NodeVectorsConfig{Nodes: 4, Width: 3, Drop: 0.4}
	if change != nil {
		change(&c)
	}
	return spec.New(c)
}

// Nodes with the same features are told apart by their vectors; those that are not known are
// alike, and so is every node in a pass that drops it.
func TestNodeVectors(t *testing.T) {
	for _, name := range []string{"mlp-edge", "ehgnn-roles", "ehgnn-joint-edge", "gin-edge"} {
		m, err := vectorModel(t, name, nil)
		if err != nil {
			t.Fatal(err)
		}
		g := graph.Graph{NumNodes: 6, Ends: []int32{0, 1, 2, 3, 4, 5}, Directed: true, Label: graph.NoLabel, Node: graph.Ones(6),
			Edge: graph.Features{Dim: 2, Dense: []float32{1, 2, 1, 2, 1, 2}}}
		apart := func(ids ...int32) (out []bool) {
			g.NodeID = ids
			rows, _ := pass(t, m, g, false, 0)
			for _, pair := range [][2]int{{0, 1}, {0, 2}, {1, 2}} {
				out = append(out, !sameBits(rows[pair[0]], rows[pair[1]]))
			}
			return out
		}
		for _, test := range []struct {
			ids  []int32
			want []bool
		}{
			{nil, []bool{false, false, false}},
			{[]int32{-1, -1, -1, -1, -1, -1}, []bool{false, false, false}},
			{[]int32{0, 1, 2, 3, -1, -1}, []bool{true, true, true}},
			{[]int32{0, 1, 0, 1, 0, 1}, []bool{false, false, false}},
			{[]int32{-1, -1, 4, 9, 2, 3}, []bool{false, true, true}}, // which the table has not
		} {
			if got := apart(test.ids...); !slices.Equal(got, test.want) {
				t.Errorf("%s: of nodes %v edges differ as %v, want %v", name, test.ids, got, test.want)
			}
		}
		g.NodeID = []int32{0, 1, 0, 1, 0, 1}
		dropped := false
		for step := range 10 {
			rows, _ := pass(t, m, g, true, step)
			dropped = dropped || !sameBits(rows[0], rows[1])
		}
		if !dropped {
			t.Errorf("%s: training drops no node", name)
		}
	}
}

// What is added to a model's prediction is what both vectors and their product say, by hand; of
// an undirected edge, whose ends have no order, what their mean and their larger elements say.
func TestNodeVectorsTerms(t *testing.T) {
	m, err := vectorModel(t, "mlp-edge", nil)
	if err != nil {
		t.Fatal(err)
	}
	of := m.(*model.NodeVectors)
	vector := func(id int32) []float32 { return of.Table.Value.Data()[3*(1+id) : 3*(2+id)] }
	weight, bias := of.Ends.Weight.Value.Data(), of.Ends.Bias.Value.Data()
	ids := []int32{2, 0, -1, 1}
	for _, directed := range []bool{true, false} {
		g := graph.Graph{NumNodes: 4, Ends: []int32{0, 1, 2, 3, 3, 1}, Directed: directed, Label: graph.NoLabel, Node: graph.Ones(4),
			Edge: graph.Features{Dim: 2, Dense: []float32{1, 2, 3, 4, 5, 6}}, NodeID: ids}
		with, _ := pass(t, m, g, false, 0)
		alone, _ := pass(t, of.Model, g, false, 0)
		for e := range with {
			u, v := vector(ids[g.Ends[2*e]]), vector(ids[g.Ends[2*e+1]])
			for c := range with[e] {
				want := float64(alone[e][c] + bias[c])
				w := weight[9*c : 9*c+9]
				for k := range 3 {
					a, b := u[k], v[k]
					if !directed {
						a, b = (u[k]+v[k])/2, max(u[k], v[k])
					}
					want += float64(w[k]*a + w[3+k]*b + w[6+k]*10*u[k]*v[k])
				}
				if got := float64(with[e][c]); math.Abs(got-want) > 1e-5 {
					t.Errorf("directed %v, edge %d, output %d: %v, want %v", directed, e, c, got, want)
				}
			}
		}
	}
}

// The fewer edges a node has, the more passes of training take it for unknown.
func TestNodeVectorsHalf(t *testing.T) {
	const steps = 400
	for _, test := range []struct{ drop, half, hub, leaf float64 }{
		{0, 0, 1, 1}, {0, 1e9, 0, 0}, {0.2, 0, 0.8, 0.8}, {0, 4, 0.5, 0.2}, {0.2, 4, 0.4, 0.16},
	} {
		m, err := vectorModel(t, "mlp-edge", func(c *model.Config) {
			c.NodeVectors.Drop, c.NodeVectors.Half = test.drop, test.half
			c.Default("dropout", 0.0)
		})
		if err != nil {
			t.Fatal(err)
		}
		g := graph.Graph{NumNodes: 6, Ends: []int32{0, 1, 0, 2, 0, 3, 0, 4}, Directed: true, Label: graph.NoLabel, Node: graph.Ones(6),
			Edge: graph.Features{Dim: 2, Dense: []float32{1, 2, 1, 2, 1, 2, 1, 2}}}
		known := func(id []int32, e int) (share float64) { // passes that differ from those of unknown nodes
			for step := range steps {
				g.NodeID = []int32{-1, -1, -1, -1, -1, -1}
				none, _ := pass(t, m, g, true, step)
				g.NodeID = id
				if rows, _ := pass(t, m, g, true, step); !sameBits(rows[e], none[e]) {
					share += 1.0 / steps
				}
			}
			return share
		}
		hub, leaf := known([]int32{0, -1, -1, -1, -1, -1}, 1), known([]int32{-1, -1, -1, 1, -1, -1}, 2)
		if math.Abs(hub-test.hub) > 0.08 || math.Abs(leaf-test.leaf) > 0.08 {
			t.Errorf("%+v: known in %.2f and %.2f of the passes", test, hub, leaf)
		}
	}
}

// Settings out of range are refused, and config and parameters are those of the table.
func TestNodeVectorsSettings(t *testing.T) {
	for _, bad := range []model.NodeVectorsConfig{{Nodes: 0, Width: 2}, {Nodes: 2, Width: 0}, {Nodes: 2, Width: 2, Drop: 1}, {Nodes: 2, Width: 2, Drop: math.NaN()}, {Nodes: 2, Width: 2, Half: -1}, {Nodes: 2, Width: 2, Half: math.Inf(1)}} {
		if _, err := vectorModel(t, "mlp-edge", func(c *model.Config) { c.NodeVectors = &bad }); err == nil || !strings.Contains(err.Error(), "node_vectors") {
			t.Errorf("%+v: error %v", bad, err)
		}
	}
	m, err := vectorModel(t, "mlp-edge", func(c *model.Config) { c.Context = &model.LabelContextConfig{Classes: 2, Hide: 0.2} })
	if err != nil {
		t.Fatal(err)
	}
	if p := m.Params()[0]; p.Name != "node_vectors.table" || p.Value.Dim(0) != 5 || p.Value.Dim(1) != 3 {
		t.Errorf("the first parameter is %s %v", p.Name, p.Value.Shape())
	}
}

// Every member of an ensemble has vectors of its own.
func TestNodeVectorsOfMembers(t *testing.T) {
	m, err := vectorModel(t, "ehgnn-roles", func(c *model.Config) { c.Members = 2 })
	if err != nil {
		t.Fatal(err)
	}
	var tables [][]float32
	for _, p := range m.Params() {
		if strings.HasSuffix(p.Name, "node_vectors.table") {
			tables = append(tables, p.Value.Data())
		}
	}
	if len(tables) != 2 || slices.Equal(tables[0], tables[1]) {
		t.Errorf("tables of vectors %v, want one for each of 2 members", tables)
	}
}
