package model

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/ehgnn/ehgnn/graph"
	"github.com/ehgnn/ehgnn/internal/rng"
	"github.com/ehgnn/ehgnn/tensor"
)

func TestRegistry(t *testing.T) {
	r := rng.Stream(1, "registry")
	b := must(graph.Collate([]*graph.Graph{multigraph(r, 5, 9, true), multigraph(r, 3, 2, true)}))
	seen := map[string]bool{}
	for _, s := range registry {
		if found, err := Find(s.Name); err != nil || found.Name != s.Name || seen[s.Name] {
			t.Errorf("%s is not found or twice in the list: %v", s.Name, err)
		}
		seen[s.Name] = true
		if s.Title == "" || s.Paper == "" || len(s.Tasks) == 0 {
			t.Errorf("%s is not described", s.Name)
		}
		m, err := s.New(valid(s.Name))
		if err != nil {
			t.Fatalf("%s: %v", s.Name, err)
		}
		names := map[string]bool{}
		for _, p := range m.Params() {
			if names[p.Name] || p.Value.Size() == 0 {
				t.Errorf("%s: parameter %s is empty or there twice", s.Name, p.Name)
			}
			names[p.Name] = true
		}
		out := m.Forward(pass(t, true), b)
		for _, task := range s.Tasks {
			switch task {
			case "graph-classification", "graph-regression":
				if out.Graph == nil || !slices.Equal(out.Graph.Shape(), []int{2, 2}) {
					t.Errorf("%s: no prediction per graph: %v", s.Name, out.Graph)
				}
			case "node-classification", "node-reconstruction":
				if out.Node == nil || !slices.Equal(out.Node.Shape(), []int{8, 2}) || !slices.Equal(out.NodeVec.Shape(), []int{8, 8}) {
					t.Errorf("%s: no prediction or vector per node: %v, %v", s.Name, out.Node, out.NodeVec)
				}
			case "edge-reconstruction", "edge-classification", "edge-regression":
				if out.Edge == nil || !slices.Equal(out.Edge.Shape(), []int{11, 2}) {
					t.Errorf("%s: no prediction per edge: %v", s.Name, out.Edge)
				}
			case "graph-reconstruction":
				if !slices.Equal(out.Node.Shape(), []int{8, nodeDim}) || !slices.Equal(out.Edge.Shape(), []int{11, 2}) {
					t.Errorf("%s: predictions of nodes %v and edges %v", s.Name, out.Node, out.Edge)
				}
			default:
				t.Errorf("%s: task %s is not known to this test", s.Name, task)
			}
		}
		bad := with(valid(s.Name), "hidden", 0)
		if s.Fitted {
			bad = with(valid(s.Name), "quality", "perfect")
		}
		if m, err := s.New(bad); m != nil || err == nil {
			t.Errorf("%s: a bad configuration gives %v, error %v", s.Name, m, err)
		}
	}
}

// The flat baseline from its parts: all layers side by side, the mean of the
// nodes, the classifier.
func TestGCN(t *testing.T) {
	r := rng.Stream(6, "gcn")
	b := must(graph.Collate([]*graph.Graph{multigraph(r, 5, 9, true), multigraph(r, 3, 0, false), multigraph(r, 4, 4, true)}))
	m := build[*Flat]("gcn", valid("gcn"))
	p := pass(t, false)
	x1 := m.Convs[0].Forward(p, b.View).ReLU()
	x2 := m.Convs[1].Forward(p, b.View.WithX(x1)).ReLU()
	mean := make([]float32, 3*16)
	for v, g := range b.VertexOf.IDs() {
		for k := range 16 {
			x := x1
			if k >= 8 {
				x = x2
			}
			mean[int(g)*16+k] += x.Data()[8*v+k%8] / float32(b.VertexOf.Counts()[g])
		}
	}
	out := m.Forward(p, b)
	near(t, "mean of the nodes", out.GraphVec.Data(), mean, 1e-5)
	near(t, "logits", out.Graph.Data(), m.Classifier.Forward(p, tensor.FromSlice(mean, 3, 16)).Data(), 1e-5)
	if !slices.Equal(out.NodeVec.Shape(), []int{12, 16}) {
		t.Errorf("node vectors of shape %v", out.NodeVec.Shape())
	}
	// It sees no edge features.
	blind := *b
	blind.E = nil
	near(t, "without edge features", m.Forward(p, &blind).Graph.Data(), out.Graph.Data(), 0)
	var names []string
	for _, w := range m.Params()[:4] {
		names = append(names, w.Name)
	}
	if want := []string{"convs.0.bias", "convs.0.lin.weight", "convs.1.bias", "convs.1.lin.weight"}; !slices.Equal(names, want) {
		t.Errorf("parameters %q, want %q", names, want)
	}
}

func TestFindUnknown(t *testing.T) {
	for name, want := range map[string]string{
		"hyperdop": "hyperdrop", "HyperDrop": "hyperdrop", "hyper-cluster": "hypercluster", "gnc": "gcn", "GCN": "gcn", "": "gcn",
	} {
		s, err := Find(name)
		if err == nil || s.Name != "" || !strings.Contains(err.Error(), `did you mean "`+want+`"?`) ||
			!strings.Contains(err.Error(), "known: hyperdrop, hypercluster, ") || !strings.Contains(err.Error(), registry[len(registry)-1].Name+")") {
			t.Errorf("%q: error %v, want a suggestion of %s", name, err, want)
		}
	}
}

func TestConfigErrors(t *testing.T) {
	all := []string{"hyperdrop", "hypercluster", "gcn"}
	for _, c := range []struct {
		setting string
		value   any
		models  []string
		want    string
	}{
		{"hidden", 0, all, "hidden is 0, expected at least 1"},
		{"layers", 0, all, "layers is 0, expected at least 1"},
		{"out", -1, all, "out is -1, expected at least 1"},
		{"node_dim", -1, all, "node_dim is -1, expected at least 0"},
		{"edge_dim", -1, all, "edge_dim is -1, expected at least 0"},
		{"edge_hidden", -2, all, "edge_hidden is -2, expected at least 0"},
		{"dropout", 1.0, all, "dropout is 1, expected 0 or more and below 1"},
		{"dropout", -0.1, all, "dropout is -0.1, expected 0 or more and below 1"},
		{"dropout", math.NaN(), all, "dropout is NaN, expected 0 or more and below 1"},
		{"ratio", 0.0, all[:1], "ratio: pool: keep: 0 of fraction, count and minimum score are set, expected one"},
		{"ratio", 1.5, all[:1], "ratio: pool: keep: fraction 1.5, expected above 0 and at most 1"},
		{"clusters", 0, all[1:2], "clusters is 0, expected at least 1"},
		{"heads", 3, all[1:2], "hidden is 8, expected a multiple of the 3 heads"},
		{"heads", -1, all, "heads is -1, expected at least 0"},
	} {
		for _, name := range c.models {
			config := valid(name)
			if !put(&config, c.setting, c.value) {
				continue
			}
			s := must(Find(name))
			if m, err := s.New(config); m != nil || err == nil || err.Error() != "model: "+name+": "+c.want {
				t.Errorf("%s: got %v, error %v, want %q", name, m, err, c.want)
			}
		}
	}
}

// Two models of one seed start equal, two seeds do not.
func TestSeed(t *testing.T) {
	for _, s := range networks() {
		c := valid(s.Name)
		a, b := must(s.New(c)), must(s.New(c))
		c.Seed = 2
		other := must(s.New(c))
		same := true
		for i, p := range a.Params() {
			near(t, p.Name, b.Params()[i].Value.Data(), p.Value.Data(), 0)
			same = same && slices.Equal(other.Params()[i].Value.Data(), p.Value.Data())
		}
		if same {
			t.Errorf("%s: the seed has no effect", s.Name)
		}
	}
}

// A sample is predicted in a batch as it is alone.
func TestBatchIndependence(t *testing.T) {
	r := rng.Stream(4, "batch")
	gs := []*graph.Graph{multigraph(r, 5, 9, true), multigraph(r, 1, 0, false), multigraph(r, 4, 3, true), multigraph(r, 7, 6, false)}
	b := must(graph.Collate(gs))
	for _, s := range networks() {
		m := must(s.New(valid(s.Name)))
		whole := predictions(m.Forward(pass(t, false), b))
		seen := make([]int, len(whole))
		for i, g := range gs {
			for k, want := range predictions(m.Forward(pass(t, false), must(graph.Collate([]*graph.Graph{g})))) {
				near(t, s.Name, whole[k].Data()[seen[k]:seen[k]+want.Size()], want.Data(), 1e-4)
				if seen[k] += want.Size(); t.Failed() {
					t.Fatalf("sample %d", i)
				}
			}
		}
	}
}

// predictions are those of graphs, nodes and edges, as far as a model has them.
func predictions(o *Output) []*tensor.Tensor {
	return slices.DeleteFunc([]*tensor.Tensor{o.Graph, o.Node, o.Edge}, func(x *tensor.Tensor) bool { return x == nil })
}

// prediction is all that a model predicts.
func prediction(o *Output) *tensor.Tensor {
	all := predictions(o)
	if len(all) == 1 {
		return all[0]
	}
	for i, x := range all {
		all[i] = x.Reshape(x.Size())
	}
	return tensor.Concat(0, all...)
}
