package ehgnn_test

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/ehgnn/ehgnn"
)

// payments is a table in memory, in which large payments by night are fraud.
func payments(n int) *ehgnn.Table {
	r := rand.New(rand.NewPCG(1, 2))
	from, to := make([]int, n), make([]int, n)
	amount, label, at, app := make([]float64, n), make([]string, n), make([]time.Time, n), make([]bool, n)
	for i := range n {
		from[i], to[i] = r.IntN(40), r.IntN(40)
		amount[i], app[i] = 100*r.Float64(), r.IntN(2) == 0
		at[i] = time.Date(2024, 1, 1, 0, i, 0, 0, time.UTC)
		if label[i] = "ok"; amount[i] > 70 && app[i] {
			label[i] = "fraud"
		}
	}
	amount[3] = math.NaN()
	kind := make([]string, 40)
	id := make([]int, 40)
	for v := range kind {
		id[v], kind[v] = v, []string{"person", "shop"}[v%2]
	}
	return &ehgnn.Table{Name: "payments", Edges: []ehgnn.Column{{"payer", from}, {"payee", to}, {"amount", amount}, {"app", app}, {"time", at}, {"label", label}},
		Nodes: []ehgnn.Column{{"id", id}, {"kind", kind}}}
}

// rings are graphs of two classes that their edges tell apart.
func rings(n int) ehgnn.GraphSet {
	var out ehgnn.GraphSet
	for i := range n {
		nodes := 4 + i%3
		g := &ehgnn.Graph{NumNodes: nodes, Node: ehgnn.Columns{}, Edge: ehgnn.Columns{}}
		size, bond := make(ehgnn.Numbers, nodes), make(ehgnn.Strings, nodes)
		for v := range nodes {
			g.Ends = append(g.Ends, int32(v), int32((v+1)%nodes))
			size[v], bond[v] = float64(v), []string{"single", "double"}[i%2]
		}
		g.Node["size"], g.Edge["bond"] = size, bond
		out = append(out, ehgnn.LabelledGraph{Graph: g, Label: []string{"plain", "rich"}[i%2]})
	}
	return out
}

// A table in memory is learned, predicted for, saved and opened again, without a run folder and with
// one, with the same bits as the same table in a file.
func TestTrainTable(t *testing.T) {
	table := payments(400)
	options := ehgnn.TrainOptions{Seed: 1, Threads: 1, Settings: map[string]any{"epochs": 5, "hidden": 8, "lr": 1e-2, "split": "time"}}
	epochs := 0
	options.OnEpoch = func(ehgnn.EpochInfo) { epochs++ }
	m, err := ehgnn.Train(t.Context(), table, options)
	if err != nil {
		t.Fatal(err)
	}
	if r := m.Result(); r == nil || r.Run != "" || len(r.Test) == 0 || epochs != 5 || m.Level() != ehgnn.Edges {
		t.Errorf("result %+v after %d epochs", r, epochs)
	}
	g := &ehgnn.Graph{NumNodes: 2, Ends: []int32{0, 1}, Node: ehgnn.Columns{"kind": ehgnn.Strings{"shop", "person"}},
		Edge: ehgnn.Columns{"amount": ehgnn.Numbers{90}, "app": ehgnn.Strings{"True"}}, NodeNames: []string{"1", "2"}}
	want, err := m.Predict(t.Context(), g)
	if err != nil || len(want[0].Edges) != 1 {
		t.Fatalf("%+v, %v", want, err)
	}
	saved := filepath.Join(t.TempDir(), "saved")
	if err := m.Save(saved); err != nil {
		t.Fatal(err)
	}
	options.Dir = filepath.Join(t.TempDir(), "run")
	again, err := ehgnn.Train(t.Context(), table, options)
	if err != nil {
		t.Fatal(err)
	}
	opened := open(t, saved, ehgnn.Options{})
	for name, m := range map[string]*ehgnn.Model{"saved": opened, "with a folder": again, "of the folder": open(t, options.Dir, ehgnn.Options{})} {
		if got, err := m.Predict(t.Context(), g); err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%s: %+v, %v, want %+v", name, got, err, want)
		}
		if err := m.Check(t.Context()); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, _, err := m.Example(); err != nil {
		t.Error(err)
	}
}

// Two tables of nodes in memory are those of the two ends of edges.
func TestTrainTablesOfNodes(t *testing.T) {
	table := payments(200)
	table.Nodes[0].Name = "payer"
	table.MoreNodes = []ehgnn.Column{{"payee", table.Nodes[0].Values}, {"town", table.Nodes[1].Values}}
	m, err := ehgnn.Train(t.Context(), table, ehgnn.TrainOptions{Seed: 1, Threads: 1, Settings: map[string]any{"epochs": 2, "hidden": 4}})
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, f := range m.Schema().Nodes {
		names = append(names, f.Name)
	}
	if !slices.Equal(names, []string{"kind", "town"}) {
		t.Errorf("attributes of nodes %q", names)
	}
	table.MoreNodes[0].Name = "id"
	if _, err := ehgnn.Train(t.Context(), table, ehgnn.TrainOptions{}); err == nil || !strings.Contains(err.Error(), `more nodes:1: of which end of edges these are the nodes is not known`) {
		t.Errorf("a table that does not say which: %v", err)
	}
}

// Graphs in memory are learned and explained.
func TestTrainGraphs(t *testing.T) {
	m, err := ehgnn.Train(t.Context(), rings(60), ehgnn.TrainOptions{Model: "hyperdrop", Seed: 1, Threads: 1, Settings: map[string]any{"epochs": 40, "hidden": 16, "lr": 0.01, "constant-lr": true, "dropout": 0}})
	if err != nil {
		t.Fatal(err)
	}
	g := rings(2)
	ps, err := m.Predict(t.Context(), g[0].Graph, g[1].Graph)
	if err != nil || ps[0].Class != "plain" || ps[1].Class != "rich" {
		t.Errorf("%+v, %v", ps, err)
	}
	in, err := m.Input(g[0].Graph)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := m.Explain(t.Context(), "gradient", "", "", in); err != nil {
		t.Error(err)
	}
	if _, err := m.Embed(t.Context(), ehgnn.Graphs, g[0].Graph); err != nil {
		t.Error(err)
	}
}

// Wrong data and settings are errors that name what is wrong.
func TestTrainRefuses(t *testing.T) {
	short := payments(50)
	short.Edges[2].Values = []float64{1}
	other := payments(50)
	other.Edges[2].Values = []float32{1}
	twice := payments(50)
	twice.Edges[2].Name = "Payer"
	wild := rings(10)
	wild[3].Ends[0] = 99
	for want, run := range map[string]func() error{
		`column "amount" of edges has 1 values, column "payer" has 50`: func() error { _, err := ehgnn.Train(t.Context(), short, ehgnn.TrainOptions{}); return err },
		`column "amount" of edges is []float32, expected`:              func() error { _, err := ehgnn.Train(t.Context(), other, ehgnn.TrainOptions{}); return err },
		`is called "Payer", expected a name of its own`:                func() error { _, err := ehgnn.Train(t.Context(), twice, ehgnn.TrainOptions{}); return err },
		`there are no columns of edges`:                                func() error { _, err := ehgnn.Train(t.Context(), &ehgnn.Table{}, ehgnn.TrainOptions{}); return err },
		`graph 3: edge 0 ends in node 99, expected 0 to`:               func() error { _, err := ehgnn.Train(t.Context(), wild, ehgnn.TrainOptions{}); return err },
		`unknown setting "epoch"`: func() error {
			_, err := ehgnn.Train(t.Context(), payments(50), ehgnn.TrainOptions{Settings: map[string]any{"epoch": 1}})
			return err
		},
		`none.csv`: func() error {
			_, err := ehgnn.Train(t.Context(), ehgnn.Path("none.csv"), ehgnn.TrainOptions{})
			return err
		},
	} {
		if err := run(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := ehgnn.Train(ctx, payments(50), ehgnn.TrainOptions{}); !errors.Is(err, context.Canceled) {
		t.Errorf("with a context that has ended: %v", err)
	}
}
