package task

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/ehgnn/ehgnn/data"
	"github.com/ehgnn/ehgnn/graph"
	"github.com/ehgnn/ehgnn/internal/rng"
	"github.com/ehgnn/ehgnn/internal/settings"
	"github.com/ehgnn/ehgnn/internal/source"
	"github.com/ehgnn/ehgnn/metric"
	"github.com/ehgnn/ehgnn/model"
	"github.com/ehgnn/ehgnn/nn"
	"github.com/ehgnn/ehgnn/tensor"
	"github.com/ehgnn/ehgnn/train"
)

func TestRecallScore(t *testing.T) {
	for budget, want := range map[float64]string{0.01: "recall@1%", 0.05: "recall@5%", 0.07: "recall@7%", 0.005: "recall@0.5%", 1: "recall@1", 200: "recall@200"} {
		if got := settings.RecallScore(budget); got != want {
			t.Errorf("%v is called %s, want %s", budget, got, want)
		}
	}
	for _, c := range []struct {
		budget float64
		n      int
		want   int
	}{{0.01, 1000, 10}, {0.01, 10, 1}, {0.05, 130, 7}, {3, 10, 3}} {
		if got := Budgeted(c.budget, c.n); got != c.want {
			t.Errorf("%v of %d is %d, want %d", c.budget, c.n, got, c.want)
		}
	}
}

// The loss is the mean over labelled entries and ROC-AUC is computed over all graphs at once, for
// any batches. The expected values are computed by hand.
func TestLabelProblem(t *testing.T) {
	nan := float32(math.NaN())
	r := rng.Stream(4, "labels")
	const n, out = 23, 3
	var graphs []*graph.Graph
	var logits, targets []float32
	for i := range n {
		g := &graph.Graph{NumNodes: 1, Label: graph.NoLabel, Node: graph.Features{Dim: 1, Dense: []float32{float32(i)}}}
		for k := range out {
			logits = append(logits, float32(r.NormFloat64()))
			y := float32(r.IntN(2))
			switch {
			case k == 2 && y == 1, i%4 == k, i < 2:
				y = nan // label 2 has one class, and the first two graphs have no label
			}
			targets = append(targets, y)
		}
		g.Targets = targets[i*out:]
		graphs = append(graphs, g)
	}
	total, labelled := 0.0, 0
	for i, y := range targets {
		if y == y {
			labelled++
			total += math.Log1p(math.Exp(float64(logits[i]))) - float64(y*logits[i])
		}
	}
	want, counted, err := metric.OverTasks(logits, targets, out, metric.ROCAUC)
	if err != nil || counted != 2 {
		t.Fatal(counted, err)
	}
	m := &fixed{w: &tensor.Param{Name: "w", Value: tensor.New(out)}, out: out,
		logits: func(first float32) []float32 { return logits[int(first)*out : int(first+1)*out] }}
	p := LabelProblem(m, &settings.Settings{Model: model.Config{Dims: model.Dims{Out: out}}})
	for _, size := range []int{1, 2, 5, 0} {
		scores, err := train.Evaluate(t.Context(), p, graphs, train.Config{BatchSize: size, Threads: 1})
		if err != nil {
			t.Fatal(err)
		}
		if v, _ := scores.Get("loss"); math.Abs(v-total/float64(labelled)) > 1e-6 {
			t.Errorf("batches of %d: loss %v, want %v", size, v, total/float64(labelled))
		}
		if v, _ := scores.Get("roc_auc"); v != want {
			t.Errorf("batches of %d: ROC-AUC %v, want %v", size, v, want)
		}
	}
	tape := tensor.NewArena(1).Tape()
	defer tape.Close()
	for lo, want := range map[int]float64{0: 0, 2: 6} {
		b, err := graph.Collate(graphs[lo : lo+2])
		if err != nil {
			t.Fatal(err)
		}
		n := 0
		for _, y := range targets[lo*out : (lo+2)*out] {
			if y == y {
				n++
			}
		}
		l, weight := p.Loss(&nn.Pass{Tape: tape}, b)
		if weight != float64(n) || (l == nil) != (want == 0) {
			t.Errorf("graphs %d and %d: loss %v of %v entries, want %d", lo, lo+1, l, weight, n)
		}
	}
	// Names that cannot be column names are replaced by numbers.
	for _, names := range [][]string{nil, {"a", "a"}, {"a", ""}, {"a", "\xff"}} {
		if got := source.TargetNames(data.Info{NumTargets: 2, TargetNames: names}); !slices.Equal(got, []string{"0", "1"}) {
			t.Errorf("%q become %q", names, got)
		}
	}
}

// Types are scored by cross-entropy, by the share of correct edges, and by the share of graphs with
// edges in which all edges are correct.
func TestEdgeTypes(t *testing.T) {
	codes := []int32{0, 2, -1, 1} // the third edge has no type
	b := pathBatch(t, func(from, to int) graph.Features { return graph.Features{Code: codes[from:to], Codes: []int{3}} })
	target := Features{settings.Edges, true, 3}
	out := tensor.FromSlice([]float32{
		2, 0, 0, // correct
		0, 0, 1, // correct
		9, 0, 0, // has no type
		3, 1, 0, // wrong
	}, 4, 3)
	nll := func(k int, row ...float64) float64 {
		sum := 0.0
		for _, v := range row {
			sum += math.Exp(v)
		}
		return math.Log(sum) - row[k]
	}
	total := nll(0, 2, 0, 0) + nll(2, 0, 0, 1) + nll(1, 3, 1, 0)
	want := []struct {
		name          string
		total, weight float64
	}{{"loss", total, 3}, {"accuracy", 2, 3}, {"all_right", 1, 2}}
	for i, s := range target.Score(out, b).All() {
		if s.Name != want[i].name || math.Abs(s.Total-want[i].total) > 1e-5 || s.Weight != want[i].weight {
			t.Errorf("score %+v, want %+v", s, want[i])
		}
	}
	loss, weight := target.Loss(out, b)
	if weight != 3 || math.Abs(float64(loss.Item())-total/3) > 1e-5 {
		t.Errorf("loss %v of %v edges, want %v of 3", loss.Item(), weight, total/3)
	}
	none := pathBatch(t, func(from, to int) graph.Features {
		return graph.Features{Code: []int32{-1, -1, -1, -1}[from:to], Codes: []int{3}}
	})
	if _, weight := target.Loss(out, none); weight != 0 {
		t.Errorf("edges without types weigh %v", weight)
	}
}

// Features that are not types are scored by squared error.
func TestEdgeFeatures(t *testing.T) {
	values := []float32{1, 2, 3, 4, 5, 6, 7, 8}
	b := pathBatch(t, func(from, to int) graph.Features { return graph.Features{Dense: values[2*from : 2*to], Dim: 2} })
	target := Features{settings.Edges, false, 2}
	out := tensor.FromSlice([]float32{1, 2, 3, 4, 5, 6, 7, 12}, 4, 2)
	loss, weight := target.Loss(out, b)
	if weight != 4 || loss.Item() != 16.0/8 {
		t.Errorf("loss %v of %v edges, want 2 of 4", loss.Item(), weight)
	}
	sums := target.Score(out, b).All()
	if len(sums) != 1 || sums[0].Name != "loss" || sums[0].Total != 8 || sums[0].Weight != 4 {
		t.Errorf("scores %+v", sums)
	}
}

// A batch without edges has scores with weight 0.
func TestNoEdges(t *testing.T) {
	for _, coded := range []bool{true, false} {
		f := graph.Features{Dim: 2}
		if coded {
			f = graph.Features{Codes: []int{2}, Code: []int32{}}
		}
		b, err := graph.Collate([]*graph.Graph{{NumNodes: 2, Node: graph.Ones(2), Edge: f}})
		if err != nil {
			t.Fatal(err)
		}
		want := "loss"
		if coded {
			want = "loss accuracy all_right"
		}
		var names []string
		for _, s := range (Features{settings.Edges, coded, 2}).Score(tensor.New(0, 2), b).All() {
			names = append(names, s.Name)
			if s.Weight != 0 || s.Total != 0 {
				t.Errorf("%+v of no edges", s)
			}
		}
		if got := strings.Join(names, " "); got != want {
			t.Errorf("scores %q, want %q", got, want)
		}
	}
}

// Nodes and edges count alike in the joint accuracy. A graph is correct if all its nodes and edges are.
func TestGraphScores(t *testing.T) {
	b := pathBatch(t, func(from, to int) graph.Features {
		return graph.Features{Code: []int32{0, 2, 1, 1}[from:to], Codes: []int{3}}
	})
	f := Features{settings.Edges, true, 3}
	edges := f.Score(tensor.FromSlice([]float32{2, 0, 0 /* right */, 0, 0, 1 /* right */, 9, 0, 0 /* wrong */, 0, 1, 0 /* right */}, 4, 3), b)
	nodes := Features{settings.Nodes, true, 1}.Score(tensor.New(7, 1), b) // a single code, which is always predicted
	want := map[string][2]float64{"accuracy": {10, 11}, "all_right": {2, 3}, "node_accuracy": {7, 7}, "edge_accuracy": {3, 4}}
	for _, s := range GraphSums(nodes, edges) {
		if w, ok := want[s.Name]; ok && (s.Total != w[0] || s.Weight != w[1]) {
			t.Errorf("%s is %v of %v, want %v of %v", s.Name, s.Total, s.Weight, w[0], w[1])
		}
		delete(want, s.Name)
	}
	if len(want) > 0 {
		t.Errorf("no scores %v", want)
	}
}

func TestUnits(t *testing.T) {
	nan := float32(math.NaN())
	var graphs []*graph.Graph
	for _, row := range [][]float32{{1, 5, nan, nan}, {3, 5, 7, nan}, {nan, 5, 9, nan}, {8, 5, nan, nan}} {
		graphs = append(graphs, &graph.Graph{Targets: row})
	}
	u := UnitsOf(graphs, settings.Graphs, 4)
	for k, want := range []settings.Unit{{Mean: 4, Scale: math.Sqrt(26.0 / 3)}, {Mean: 5, Scale: 1}, {Mean: 8, Scale: 1}, {Mean: 0, Scale: 1}} {
		if math.Abs(u[k].Mean-want.Mean) > 1e-12 || math.Abs(u[k].Scale-want.Scale) > 1e-12 {
			t.Errorf("unit of target %d is %v, want %v", k, u[k], want)
		}
	}
	target := tensor.FromSlice([]float32{1, 5, 7, nan, 3, 6, nan, 2}, 2, 4)
	scaled := u.Scaled(target)
	u.Restore(scaled.Data())
	for i, v := range target.Data() {
		if got := scaled.Data()[i]; got-v > 1e-6 || v-got > 1e-6 || (v != v) != (got != got) {
			t.Errorf("number %d is %v there and back, want %v", i, got, v)
		}
	}

	// (1-2)² + (5-1)² over two targets. Missing targets have no gradient.
	tape := tensor.NewArena(1).Tape()
	defer tape.Close()
	x := tape.Variable(tensor.FromSlice([]float32{1, 3, 5, 7}, 2, 2))
	l := MaskedMSE(x, tensor.FromSlice([]float32{2, nan, 1, nan}, 2, 2))
	if l.Item() != 8.5 {
		t.Errorf("loss %v, want 8.5", l.Item())
	}
	for i, want := range []float32{-1, 0, 4, 0} {
		if g := tape.Grad(l, x)[0].Data()[i]; g != want {
			t.Errorf("gradient %d is %v, want %v", i, g, want)
		}
	}
}

// fixed is a model that predicts given logits, graph by graph.
type fixed struct {
	w      *tensor.Param
	out    int
	logits func(first float32) []float32
}

func (m *fixed) Params() []*tensor.Param { return []*tensor.Param{m.w} }

// Forward reads the first feature of the first node of every graph.
func (m *fixed) Forward(p *nn.Pass, b *graph.Batch) *model.Output {
	y := tensor.New(b.N, m.out)
	for v, g := range b.VertexOf.IDs() {
		copy(y.Data()[int(g)*m.out:], m.logits(b.X.Data()[v*b.X.Dim(1)]))
	}
	return &model.Output{Graph: y.Add(p.Var(m.w))}
}

// pathBatch is a batch of a path of three edges, a graph without edges, and a
// single edge, with the given edge features.
func pathBatch(t *testing.T, edge func(from, to int) graph.Features) *graph.Batch {
	t.Helper()
	b, err := graph.Collate([]*graph.Graph{
		{NumNodes: 4, Ends: []int32{0, 1, 1, 2, 2, 3}, Node: graph.Ones(4), Edge: edge(0, 3)},
		{NumNodes: 1, Node: graph.Ones(1), Edge: edge(3, 3)},
		{NumNodes: 2, Ends: []int32{0, 1}, Node: graph.Ones(2), Edge: edge(3, 4)},
	})
	if err != nil {
		t.Fatal(err)
	}
	return b
}
