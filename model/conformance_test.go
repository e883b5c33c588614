package model

import (
	"cmp"
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/ehgnn/ehgnn/data/synth"
	"github.com/ehgnn/ehgnn/graph"
	"github.com/ehgnn/ehgnn/internal/inittest"
	"github.com/ehgnn/ehgnn/internal/rng"
	"github.com/ehgnn/ehgnn/nn"
	"github.com/ehgnn/ehgnn/nn/loss"
	"github.com/ehgnn/ehgnn/nn/pool"
	"github.com/ehgnn/ehgnn/tensor"
	"github.com/ehgnn/ehgnn/train"
)

// orderly lists the models whose predictions rightly depend on the order in which
// nodes and edges are listed, and why.
var orderly = map[string]string{
	"randdrop":      "which edges are kept is drawn by their places in the list",
	"deep-randdrop": "likewise",
	"deep-dropedge": "likewise",
	"haarpool":      "the Haar basis of a cluster depends on the order of its members (Wang et al. 2020)",
}

// A form is a registered model under some settings.
type form struct {
	Spec
	set values
}

// forms lists every registered model and, where edges can start from their ends,
// scores be weighed otherwise, nodes joined to a virtual one or read out otherwise, those
// forms of it, under the names of their subtests.
func forms() map[string]form {
	out := map[string]form{}
	for _, s := range networks() {
		out[s.Name] = form{Spec: s}
		for _, other := range []struct {
			option, name string
			value        any
		}{
			{"edge-init", " from endpoints", EdgesFromEnds},
			{"score", " with sigmoid", ScoreSigmoid},
			{"virtual-node", " with virtual node", true},
			{"decoder-sees-edges", " with edges in the decoder", true},
			{"decoder-sees-edges", " of egcn", values{"conv": "egcn"}},
			{"decoder-sees-edges", " of rgcn", values{"conv": "rgcn", "decoder-sees-edges": true}},
			{"decoder-sees-edges", " of egnn", values{"conv": "egnn", "decoder-sees-edges": true}},
		} {
			if slices.Contains(s.Options(), other.option) && !s.paired {
				set, ok := other.value.(values)
				if !ok {
					set = values{other.option: other.value}
				}
				out[s.Name+other.name] = form{s, set}
			}
		}
	}
	for _, r := range pool.Readouts() {
		out["gcn with readout "+r.Name] = form{must(Find("gcn")), values{"readout": r.Name}}
	}
	return out
}

// TestModelConformance holds every registered model to what a model promises.
func TestModelConformance(t *testing.T) {
	for form, s := range forms() {
		t.Run(form, func(t *testing.T) {
			t.Run("order", func(t *testing.T) { checkOrder(t, s) })
			t.Run("batches", func(t *testing.T) { checkBatches(t, s) })
			t.Run("threads", func(t *testing.T) { checkThreads(t, s) })
			t.Run("seed", func(t *testing.T) { checkSeed(t, s) })
			t.Run("settings", func(t *testing.T) { checkSettings(t, s) })
			t.Run("learning", func(t *testing.T) { checkLearning(t, s) })
		})
	}
	for name := range orderly {
		if _, err := Find(name); err != nil {
			t.Errorf("the list of exemptions is out of date: %v", err)
		}
	}
}

// validOf is a configuration that a model accepts, deep enough for every part of
// it to run.
func validOf(s form) Config {
	of := small().but(s.set)
	if slices.Contains(s.Tasks, nodeClass) {
		of["layers"] = 7 // DeepHyperDrop drops twice
	}
	c := configOf(s.Name, of)
	c.Seed = 1
	return c
}

// with is c with another setting.
func with(c Config, name string, value any) Config {
	put(&c, name, value)
	return c
}

// formed are graphs in the form that a model wants.
func formed(s form, gs ...*graph.Graph) []*graph.Graph {
	out := slices.Clone(gs)
	for i, g := range gs {
		if s.Form != nil {
			out[i] = must(s.Form(g))
		}
		if s.set["conv"] == "egnn" { // which takes features that are 0 or more
			positive := *out[i]
			positive.Edge.Dense = slices.Clone(positive.Edge.Dense)
			for k, v := range positive.Edge.Dense {
				positive.Edge.Dense[k] = max(v, -v)
			}
			out[i] = &positive
		}
	}
	return out
}

// batchOf is a batch of graphs in the form that a model wants.
func batchOf(s form, gs ...*graph.Graph) *graph.Batch { return must(graph.Collate(formed(s, gs...))) }

// generic is a random graph without leaves, parallel edges and loops: no two
// nodes and no two edges look the same to a model.
func generic(r *rand.Rand, n, chords int) *graph.Graph {
	g := graph.Graph{NumNodes: n}
	joined := map[[2]int32]bool{}
	add := func(u, v int32) {
		if pair := [2]int32{min(u, v), max(u, v)}; u != v && !joined[pair] {
			joined[pair] = true
			g.Ends = append(g.Ends, u, v)
		}
	}
	for v := range int32(n) {
		add(v, (v+1)%int32(n))
	}
	for m := n + chords; len(g.Ends) < 2*m; {
		add(r.Int32N(int32(n)), r.Int32N(int32(n)))
	}
	g.Node = graph.Features{Dim: nodeDim, Dense: random(r, n, nodeDim).Data()}
	g.Edge = graph.Features{Dim: edgeDim, Dense: random(r, g.NumEdges(), edgeDim).Data()}
	return must(graph.New(g))
}

// renamed moves node i of g to place nodes[i] and edge e to place edges[e], and
// turns every other edge around.
func renamed(g *graph.Graph, nodes, edges []int) *graph.Graph {
	moved := func(x []float32, to []int, d int) []float32 {
		out := make([]float32, len(x))
		for i, j := range to {
			copy(out[j*d:(j+1)*d], x[i*d:(i+1)*d])
		}
		return out
	}
	out := *g
	out.Ends = make([]int32, len(g.Ends))
	for e, to := range edges {
		out.Ends[2*to+e%2] = int32(nodes[g.Ends[2*e]])
		out.Ends[2*to+1-e%2] = int32(nodes[g.Ends[2*e+1]])
	}
	out.Node.Dense = moved(g.Node.Dense, nodes, nodeDim)
	out.Edge.Dense = moved(g.Edge.Dense, edges, edgeDim)
	return &out
}

// checkOrder: the order in which nodes and edges are listed, and the direction in
// which an undirected edge is written, change neither the prediction nor the
// gradients, but for rounding.
func checkOrder(t *testing.T, s form) {
	r := rng.Stream(61, "order")
	c := validOf(s)
	c = with(with(c, "dropout", 0.0), "hidden", 16)
	m := inittest.Weights(must(s.New(c)))
	differs := false
	for range 6 {
		g := generic(r, 10+r.IntN(5), 6)
		nodes, edges := r.Perm(g.NumNodes), r.Perm(g.NumEdges())
		h := renamed(g, nodes, edges)
		for _, training := range []bool{false, true} {
			pa, pb := pass(t, training), pass(t, training)
			a, b := m.Forward(pa, batchOf(s, g)), m.Forward(pb, batchOf(s, h))
			moved := *a
			for to, by := range map[**tensor.Tensor][]int{&moved.Node: nodes, &moved.Edge: edges} {
				if *to == nil {
					continue
				}
				rows, width := (*to).Clone(), (*to).Dim(1)
				for i, at := range by {
					copy(rows.Data()[at*width:(at+1)*width], (*to).Data()[i*width:(i+1)*width])
				}
				*to = rows
			}
			want := prediction(&moved)
			if orderly[s.Name] != "" {
				differs = differs || !close(prediction(b).Data(), want.Data(), 1e-3)
				continue
			}
			near(t, "prediction of the renamed graph", prediction(b).Data(), want.Data(), 1e-4)
			if !training {
				continue
			}
			ga := pa.Tape.Grad(prediction(a).Square(), watched(pa, m)...)
			gb := pb.Tape.Grad(prediction(b).Square(), watched(pb, m)...)
			for i, w := range m.Params() {
				near(t, "gradient by "+w.Name, gb[i].Data(), ga[i].Data(), 1e-3)
			}
		}
	}
	if why := orderly[s.Name]; why != "" && !differs {
		t.Errorf("the order makes no difference here, though the list of exemptions says: %s", why)
	}
}

// close compares elements as near does.
func close(got, want []float32, tol float64) bool {
	return slices.EqualFunc(got, want, func(a, b float32) bool {
		return math.Abs(float64(a)-float64(b)) <= tol*max(1, math.Abs(float64(b)))
	})
}

// checkBatches: outside training a graph is predicted in a batch as it is alone,
// next to graphs without nodes, without edges and with loops and parallel edges.
// The tolerance is for sums in other blocks.
func checkBatches(t *testing.T, s form) {
	r := rng.Stream(62, "batches")
	gs := []*graph.Graph{multigraph(r, 0, 0, true), generic(r, 9, 3), multigraph(r, 1, 0, true), multigraph(r, 4, 7, true),
		multigraph(r, 0, 0, true), multigraph(r, 6, 0, true), generic(r, 14, 9), multigraph(r, 1, 2, true), multigraph(r, 0, 0, true)}
	m := inittest.Weights(must(s.New(validOf(s))))
	whole := predictions(m.Forward(pass(t, false), batchOf(s, gs...)))
	seen := make([]int, len(whole))
	for i, g := range gs {
		for k, want := range predictions(m.Forward(pass(t, false), batchOf(s, g))) {
			near(t, "graph in a batch", whole[k].Data()[seen[k]:seen[k]+want.Size()], want.Data(), 1e-4)
			if seen[k] += want.Size(); t.Failed() {
				t.Fatalf("graph %d of %d nodes and %d edges", i, g.NumNodes, g.NumEdges())
			}
		}
	}
	for k, got := range whole {
		if got.Size() > seen[k] {
			t.Errorf("%d predictions too many", got.Size()-seen[k])
		}
	}
}

// checkThreads: prediction and gradients in training are the same to the bit on
// one thread and on several.
func checkThreads(t *testing.T, s form) {
	r := rng.Stream(63, "threads")
	n, counts := 1200, []int{1, 2, 3}
	if testing.Short() {
		n, counts = 400, []int{1, 3}
	}
	b := batchOf(s, multigraph(r, n, 3*n, true), multigraph(r, 40, 300, false), generic(r, 200, 100), multigraph(r, 150, 0, true))
	c := validOf(s)
	put(&c, "hidden", 32)
	m := inittest.Weights(must(s.New(c)))
	var first [][]float32
	for _, threads := range counts {
		tape := tensor.NewArena(threads).Tape()
		p := &nn.Pass{Tape: tape, Train: true, Rand: rng.Stream(1, "dropout")}
		y := prediction(m.Forward(p, b))
		for i, x := range append(tape.Grad(y.Square(), watched(p, m)...), y) {
			if threads == 1 {
				first = append(first, x.Clone().Data())
			} else if !slices.Equal(x.Data(), first[i]) {
				t.Errorf("result %d of the pass differs between one thread and %d", i, threads)
			}
		}
		tape.Close()
	}
}

// checkSeed: the seed decides how a model starts, and nothing else does;
// parameters have names of their own.
func checkSeed(t *testing.T, s form) {
	c := validOf(s)
	a, b := must(s.New(c)), must(s.New(c))
	c.Seed++
	other := must(s.New(c))
	seen, changed := map[string]bool{}, false
	for i, w := range a.Params() {
		if seen[w.Name] || w.Value.Size() == 0 {
			t.Errorf("parameter %q of shape %v: name taken or nothing in it", w.Name, w.Value.Shape())
		}
		seen[w.Name] = true
		near(t, w.Name, b.Params()[i].Value.Data(), w.Value.Data(), 0)
		changed = changed || !slices.Equal(other.Params()[i].Value.Data(), w.Value.Data())
	}
	if !changed {
		t.Error("the seed has no effect")
	}
}

// changes are settings that differ from those of validOf.
var changes = values{"hidden": 12, "layers": 3, "dropout": 0.7, "ratio": 0.2, "score": ScoreSigmoid, "virtual-node": true, "clusters": 6,
	"sort-k": 12, "heads": 4, "layer-norm": true, "edge-hidden": 6, "conv": "egcn", "edge-conv": "sage", "edge-init": EdgesFromEnds,
	"init-gain": 1.5, "readout": "max-mean-sum", "node-clusters": 6, "widen-input": 3, "seed-scale": 3.0, "decoder-sees-edges": true}

// TestOptions: the options that a model lists change it. Each of the other settings that
// it has is one that Reads denies, and changes nothing.
func TestOptions(t *testing.T) {
	for _, spec := range networks() {
		s := form{Spec: spec}
		b := batchOf(s, generic(rng.Stream(5, "options"), 20, 15))
		run := func(option string, value any) []float32 {
			c := validOf(s)
			put(&c, "clusters", 0) // which follow from the ratio
			put(&c, "node-clusters", 0)
			if slices.Contains(s.Tasks, nodeClass) && option == "layers" {
				value = 8
			}
			put(&c, option, value)
			s.Size(&c, Stats{Nodes: []int{20}, MeanEdges: 10})
			out := must(s.New(c)).Forward(&nn.Pass{Tape: tensor.NewArena(1).Tape(), Train: true, Rand: rng.Stream(6, "options")}, b)
			var got []float32
			for _, x := range []*tensor.Tensor{out.Graph, out.Node, out.Edge} {
				if x != nil {
					got = append(got, x.Data()...)
				}
			}
			return got
		}
		before := run("", nil)
		c := s.Config()
		for _, f := range c.fields() {
			option := strings.ReplaceAll(f.name, "_", "-")
			value, ok := changes[option]
			if !ok {
				if option != "encode" && option != "members" {
					t.Errorf("%s: no other value of %s is known to this test", s.Name, option)
				}
				continue
			}
			changed, listed := !slices.Equal(before, run(option, value)), slices.Contains(s.Options(), option)
			if changed != listed || c.Reads(option) != listed {
				t.Errorf("%s: %s changes it: %v; it is read: %v, and listed: %v", s.Name, option, changed, c.Reads(option), listed)
			}
		}
	}
}

// Heads are read by the convolutions that have some, where the model leaves the choice.
func TestReads(t *testing.T) {
	for _, c := range []struct {
		model, option, conv, edgeConv string
		want                          bool
	}{
		{"sagpool", "heads", "", "", false},
		{"sagpool", "heads", "gat", "", true},
		{"sagpool", "heads", "gin", "", false},
		{"sagpool", "heads", "", "gat", false},
		{"gcn", "heads", "gat", "", false},
		{"gatv2", "heads", "", "", true},
		{"gmt", "heads", "", "", true},
		{"hypercluster", "heads", "", "", true},
		{"hypercluster-graph", "heads", "", "", true},
		{"hyperdrop-gmt", "heads", "", "", true},
		{"hyperdrop", "heads", "", "", false},
		{"hyperdrop", "heads", "", "hyper-attention", true},
		{"hyperdrop", "heads", "", nn.LinePrefix + "gat", true},
		{"hyperdrop", "ratio", "", "", true},
		{"hyperdrop-committee", "ratio", "", "", true},
		{"hyperdrop-committee", "heads", "gat", "", true},
		{"hyperdrop-mlp", "heads", "", "", false},
		{"ehgnn", "ratio", "", "", false},
		{"diffpool", "layers", "", "", false},
		{"diffpool", "encode", "", "", true},
		{"mlp-edge", "members", "", "", true},
		{"mlp-edge", "node-dim", "", "", false},
		{"edgepool", "ratio", "", "", false},
		{"gcn", "readout", "", "", true},
	} {
		of := configOf(c.model, values{"conv": c.conv, "edge-conv": c.edgeConv})
		if got := of.Reads(c.option); got != c.want {
			t.Errorf("%+v: %v", c, got)
		}
	}
}

// A convolution by types of edges needs some.
func TestTypesWithoutEdges(t *testing.T) {
	for _, name := range []string{"rgcn", "hyperdrop"} {
		c := with(valid(name), "conv", "rgcn")
		if _, err := must(Find(name)).New(c); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		c.Edge = 0
		if _, err := must(Find(name)).New(c); err == nil || !strings.Contains(err.Error(), "edge_dim") {
			t.Errorf("%s without edge features: error %v", name, err)
		}
	}
}

// refusals are values of settings that no model accepts that has them. The ratio of a
// clustering decides the clusters, which are checked instead.
var refusals = map[string][]any{
	"out": {0, -1}, "node_dim": {-1}, "edge_dim": {-1}, "hidden": {0, -1}, "layers": {0}, "edge_hidden": {-1}, "heads": {-1},
	"dropout": {1.0, -0.1, math.NaN()}, "clusters": {0, -3}, "node_clusters": {0, -3}, "sort_k": {9}, "edge_init": {"ends"}, "score": {"softmax"},
	"readout": {"", "median"}, "init_gain": {-1.0, math.NaN(), math.Inf(1)}, "conv": {"gnc"},
	"edge_conv": {"gnc", nn.LinePrefix + "gnc", "gcn"}, // the last is not defined on the dual
	"ratio":     {0.0, -0.5, 1.5, math.NaN()}, "seed_scale": {-1.0, math.NaN(), math.Inf(1)},
}

// checkSettings: what makes no model is refused with an error that names the
// model and the setting.
func checkSettings(t *testing.T, s form) {
	of := validOf(s)
	clustering := of.At("clusters") != nil && s.Name != "hyperdrop-gmt" || of.At("node-clusters") != nil
	called := map[string]string{"conv": "convolution", "edge_conv": "convolution", "sort_k": "sort"}
	for name, bad := range refusals {
		for _, value := range bad {
			c := validOf(s)
			if !put(&c, name, value) || name == "ratio" && clustering || name == "layers" && s.Name == "ehgnn-roles" { // a baseline without
				continue
			}
			m, err := s.New(c)
			if what := cmp.Or(called[name], name); m != nil || err == nil {
				t.Errorf("%s %v: model %v, error %v", name, value, m, err)
			} else if text := err.Error(); !strings.HasPrefix(text, "model: "+s.Name+": ") || !strings.Contains(text, what) {
				t.Errorf("%s %v: error %q, want it to begin with the model's name and to hold %q", name, value, text, what)
			}
		}
	}
	if c := with(validOf(s), "heads", 3); c.Reads("heads") {
		if _, err := s.New(c); err == nil || !strings.Contains(err.Error(), "heads") {
			t.Errorf("3 heads of width 8: %v", err)
		}
	}
	c := validOf(s)
	c.Parts = []any{&struct{ Hidden int }{8}}
	if m, err := s.New(c); m != nil || err == nil {
		t.Errorf("a config of another model: model %v, error %v", m, err)
	}
	c.Encode = true
	if m, err := s.New(c); m != nil || err == nil {
		t.Errorf("a config of another model, encoded: model %v, error %v", m, err)
	}
}

// checkLearning: the loss of a few graphs, or of their edges or nodes, falls when
// the model is fitted to them. The classes of nodes are among their features; those
// of graphs lie in the edge features; models that do not
// read these can only learn the graphs by heart, which is why they are few.
func checkLearning(t *testing.T, s form) {
	gs := must(synth.EdgeClass(6, 3))
	c := validOf(s)
	c = with(with(c, "hidden", 16), "dropout", 0.0)
	c.Node, c.Edge = gs[0].Node.Width(), gs[0].Edge.Width()
	if slices.Contains(s.Tasks, graphRecon) {
		c.Out = gs[0].Edge.NumCodes()
	}
	if slices.Contains(s.Tasks, nodeRecon) {
		c.Out = gs[0].Node.NumCodes()
		for _, g := range gs {
			g.NodeLabel = g.Node.Code
		}
	}
	if slices.Contains(s.Tasks, edgeRecon) {
		c.Out = gs[0].Edge.NumCodes()
	}
	if slices.Contains(s.Tasks, edgeClass) {
		c.Out = gs[0].Edge.NumCodes()
	}
	if slices.Contains(s.Tasks, nodeClass) {
		// Of a node that has lost its loop the model sees the neighbours alone, and
		// evaluation keeps every edge: few are dropped, so that training shows.
		c = with(with(c, "layers", 3), "ratio", 0.9)
		c.Out = gs[0].Node.NumCodes()
		for i, g := range formed(s, gs...) {
			gs[i] = g
			gs[i].NodeLabel = g.Node.Code
		}
	}
	m := must(s.New(c))
	entropy := func(o *Output, b *graph.Batch) (*tensor.Tensor, float64) {
		if o.Node != nil && o.Edge != nil { // the codes of both
			sum, total := (*tensor.Tensor)(nil), 0.0
			for _, of := range [][2]*tensor.Tensor{{o.Node, b.X}, {o.Edge, b.E}} {
				class := make([]int32, of[1].Dim(0))
				for i := range class {
					class[i] = int32(slices.Index(of[1].Data()[i*of[1].Dim(1):], 1))
				}
				l := must(loss.NewLabels(class, of[1].Dim(1), nil))
				sum, total = added(loss.CrossEntropy(of[0], l), sum), total+l.Total
			}
			return sum, total
		}
		class := b.Labels
		if o.Edge != nil {
			class = b.EdgeLabels
		}
		if o.Node != nil {
			class = b.NodeLabels
		}
		l := must(loss.NewLabels(class, c.Out, nil))
		return loss.CrossEntropy(prediction(o), l), l.Total
	}
	problem := train.Problem{Model: m,
		Loss: func(p *nn.Pass, b *graph.Batch) (*tensor.Tensor, float64) {
			o := m.Forward(p, b)
			l, n := entropy(o, b)
			return added(l, o.Aux), n
		},
		Score: train.Sums(func(p *nn.Pass, b *graph.Batch) []train.Sum {
			l, n := entropy(m.Forward(p, b), b)
			return []train.Sum{{Name: "loss", Total: float64(l.Item()) * n, Weight: n}}
		}),
	}
	cfg := train.Config{Epochs: 100, LR: 0.003, ClipNorm: 1, Seed: 1, Threads: 1}
	score := func() float64 {
		return must(train.Evaluate(context.Background(), problem, gs, cfg))[0].Value
	}
	before := score()
	res := must(train.Fit(t.Context(), problem, gs, nil, cfg, train.Options{}))
	after := score()
	for _, e := range res.History {
		if math.IsNaN(e.TrainLoss) || math.IsInf(e.TrainLoss, 0) {
			t.Fatalf("training loss of epoch %d is %v", e.Epoch, e.TrainLoss)
		}
	}
	t.Logf("cross-entropy %.4f before, %.4f after", before, after)
	if !(after < 0.95*before) {
		t.Errorf("cross-entropy %v before and %v after 100 epochs, expected it to fall", before, after)
	}
}
