package session

import (
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/ehgnn/ehgnn/graph"
	"github.com/ehgnn/ehgnn/internal/realdata"
	"github.com/ehgnn/ehgnn/internal/settings"
	"github.com/ehgnn/ehgnn/internal/source"
	"github.com/ehgnn/ehgnn/internal/task"
	"github.com/ehgnn/ehgnn/internal/testsets"
	"github.com/ehgnn/ehgnn/model"
	"github.com/ehgnn/ehgnn/tensor"
	"github.com/ehgnn/ehgnn/train"
)

// tinyNodes is a generated set of 90 nodes in Planetoid format: 15 train, 45 validate, 30 test.
var tinyNodes = filepath.Join("..", "..", "testdata", "planetoid")

// nodeRequest requests a very short training of a model for nodes.
func nodeRequest(name string) Request {
	return Request{Path: tinyNodes, Task: task.NodeClassification.Name, Model: name, Seed: 1, Threads: 2,
		Given: settings.Values{"epochs": 30, "layers": 4, "constant-lr": true}}
}

// Every model for nodes learns the classes. The run supports everything that other runs do.
func TestNodeModels(t *testing.T) {
	for _, spec := range model.Specs() {
		if spec.Tasks[0] != task.NodeClassification.Name {
			continue
		}
		t.Run(spec.Name, func(t *testing.T) {
			r := nodeRequest(spec.Name)
			if spec.Edges { // its wide sums learn little from 15 nodes with the dropout of the other models
				r.Given["dropout"] = 0.0
			}
			dir, res := trained(t, r)
			if a, _ := res.Test.Get("accuracy"); a < 0.8 || res.Dataset != "tiny" {
				t.Errorf("result %+v", res)
			}
			s, err := Load(t.Context(), dir, source.LoadOptions{Threads: 1})
			if err != nil {
				t.Fatal(err)
			}
			if !slices.Equal(res.Test, mustEvaluate(t, s, source.PartTest)) {
				t.Error("the loaded run has other scores")
			}
			for part, want := range map[string]int{source.PartTrain: 15, source.PartValid: 45, source.PartTest: 30, source.PartAll: 90} {
				e, err := s.Evaluate(t.Context(), part)
				if err != nil || e.Nodes != want || e.Graphs != 1 {
					t.Errorf("Evaluate(%s) = %+v, %v; want %d nodes", part, e, err, want)
				}
				table, err := s.Predict(t.Context(), part)
				if err != nil || table.Rows() != want {
					t.Errorf("%d predictions for %s, %v; want %d", table.Rows(), part, err, want)
				}
				// The accuracy follows from the rows.
				right := 0
				for _, row := range testsets.CSVRows(t, table) {
					if f := strings.Split(row, ","); f[len(f)-5] == f[len(f)-4] {
						right++
					}
				}
				if a, _ := e.Scores.Get("accuracy"); a != float64(right)/float64(want) {
					t.Errorf("%s: accuracy %v, %d of %d rows are right", part, a, right, want)
				}
				if table, err = s.Embed(t.Context(), part, "node"); err != nil || table.Rows() != want {
					t.Errorf("%d vectors of nodes for %s, %v; want %d", table.Rows(), part, err, want)
				}
			}
			_, err = s.Embed(t.Context(), source.PartTest, "edge")
			if edges := spec.Form != nil || spec.Edges; edges != (err == nil) {
				t.Errorf("vectors of edges: %v", err)
			}
			_, err = s.Embed(t.Context(), source.PartTest, "graph")
			testsets.Fails(t, err, "learns no vectors of graphs")
		})
	}
}

// Rows of the test part are those of its nodes, in ascending order.
func TestNodeRows(t *testing.T) {
	dir, _ := trained(t, nodeRequest("deep-gcn"))
	s, err := Load(t.Context(), dir, source.LoadOptions{Data: tinyNodes, Threads: 1})
	if err != nil {
		t.Fatal(err)
	}
	all, err := s.Predict(t.Context(), source.PartAll)
	if err != nil {
		t.Fatal(err)
	}
	test, err := s.Predict(t.Context(), source.PartTest)
	if err != nil {
		t.Fatal(err)
	}
	if want := "graph,node,part,label,prediction,probability_0,probability_1,probability_2"; testsets.CSVHeader(t, all) != want {
		t.Errorf("columns %s, want %s", testsets.CSVHeader(t, all), want)
	}
	rows := testsets.CSVRows(t, all)
	tested := slices.Clone(rows[60:])
	for i, row := range tested {
		tested[i] = strings.Replace(row, ",test,", ",", 1)
	}
	if !slices.Equal(testsets.CSVRows(t, test), tested) {
		t.Error("the rows of the test part are not those of nodes 60 to 89")
	}
	checkParts(t, s)
	for v, row := range rows {
		if f := strings.Split(row, ","); f[0] != "0" || f[1] != strconv.Itoa(v) || f[3] != strconv.Itoa(v%3) {
			t.Fatalf("row %d is %q", v, row)
		}
	}
	if testsets.Contents(t, dir, PredictionsFile) != testsets.CSVHeader(t, test)+"\n"+strings.Join(testsets.CSVRows(t, test), "\n")+"\n" {
		t.Error("the predictions of the run are not those of the test part")
	}
}

// Training reads the classes of the training nodes only, and the choice of the best epoch those of
// the validation nodes only.
func TestNodeLeak(t *testing.T) {
	weights := func(change func(g *graph.Graph)) string {
		s := mustOpen(t, nodeRequest("deep-hyperdrop"))
		whole := s.Data.(*source.GraphData).Whole
		g := *whole.Graphs[0]
		g.NodeLabel = slices.Clone(g.NodeLabel)
		change(&g)
		whole.Graphs[0] = &g
		var err error
		if s.Parts, err = s.Data.Split(t.Context(), &s.Settings, &s.Task.Kind, s.Spec.Form); err != nil {
			t.Fatal(err)
		}
		dir := filepath.Join(t.TempDir(), "run")
		if _, err := s.Train(t.Context(), TrainOptions{Dir: dir}); err != nil {
			t.Fatal(err)
		}
		return testsets.Contents(t, dir, ModelFile)
	}
	turn := func(lo, hi int) func(*graph.Graph) {
		return func(g *graph.Graph) {
			for v := lo; v < hi; v++ {
				g.NodeLabel[v] = (g.NodeLabel[v] + 1) % 3
			}
		}
	}
	want := weights(func(*graph.Graph) {})
	if weights(turn(60, 90)) != want {
		t.Error("the classes of test nodes change the weights")
	}
	if weights(turn(0, 3)) == want {
		t.Error("the classes of training nodes do not change the weights")
	}
	if weights(turn(15, 60)) == want {
		t.Error("the classes of validation nodes do not change the epoch that is chosen")
	}
}

// The published settings, and the settings that a user may change.
func TestNodeDefaults(t *testing.T) {
	s := mustOpen(t, Request{Path: tinyNodes, Task: task.NodeClassification.Name, Seed: 3})
	m, c := s.Settings.Model, s.Settings.Train
	if s.Settings.ModelName != "deep-hyperdrop" || setting[int](m, "hidden") != 32 || setting[int](m, "edge-hidden") != 16 ||
		setting[int](m, "layers") != 6 || setting[float64](m, "ratio") != 0.8 || setting[float64](m, "dropout") != 0.5 || m.Encode {
		t.Errorf("model %+v", s.Settings)
	}
	want := train.Config{Epochs: 5000, LR: 0.01, ClipNorm: 1, Patience: 300, Seed: 3,
		Schedule: train.Schedule{Name: "cosine", WarmupEpochs: 300}, Monitor: train.Monitor{Metric: "accuracy", Maximize: true, TiesReset: true}}
	want.Optimizer.Name, want.Optimizer.WeightDecay = "adam", 5e-4
	if !reflect.DeepEqual(c, want) {
		t.Errorf("training %+v\nwant %+v", c, want)
	}
	if got := s.Settings.Split; !reflect.DeepEqual(got, settings.Split{Kind: settings.SplitGiven, Seed: 3}) {
		t.Errorf("split %+v", got)
	}

	r := nodeRequest("deep-hyperdrop")
	// Changes that an experiment may make to a session before training.
	changed := func(unnormalised bool) string {
		s := mustOpen(t, r)
		s.Gradients = func([]*tensor.Param) train.GradientHook { return still{} }
		if unnormalised {
			s.Model.(*model.DeepHyperDrop).First = func(v graph.View) graph.View { return v.WithW(nil) }
		}
		dir := filepath.Join(t.TempDir(), "run")
		if _, err := s.Train(t.Context(), TrainOptions{Dir: dir}); err != nil {
			t.Fatal(err)
		}
		return dir
	}
	gained := nodeRequest("deep-gcn")
	gained.Given["init-gain"] = 1.5
	if m := mustOpen(t, gained).Settings.Model; setting[float64](m, "init-gain") != 1.5 {
		t.Errorf("given a gain of 1.5, resolved %+v", m)
	}
	plain, _ := trained(t, nodeRequest("deep-hyperdrop"))
	quirks := changed(true)
	if epochLoss(t, plain, 0) == epochLoss(t, quirks, 0) {
		t.Error("sums without degrees change no loss")
	}
	stopped := changed(false)
	if epochLoss(t, plain, 0) != epochLoss(t, stopped, 0) || epochLoss(t, plain, 1) == epochLoss(t, stopped, 1) {
		t.Error("changed gradients first show in the second epoch")
	}

	r = nodeRequest("deep-gcn")
	r.Given["split"] = settings.SplitRandom
	s = mustOpen(t, r)
	if n := len(s.Parts[source.PartTrain].Items); n != 72 {
		t.Errorf("a random split trains on %d nodes, want 72", n)
	}
}

// still is a hook that freezes all parameters.
type still struct{}

func (still) Apply(grads []*tensor.Tensor) {
	for _, g := range grads {
		if g != nil {
			clear(g.Data())
		}
	}
}

func (still) State() []*tensor.Param { return nil }

func TestNodeErrors(t *testing.T) {
	set := foldSet(t, "SET", 20)
	for want, r := range map[string]Request{
		"needs one graph with classes of nodes":                       {Path: set, Task: task.NodeClassification.Name},
		"the classes are of nodes: see --task node-classification":    {Path: tinyNodes, Task: task.GraphClassification.Name},
		"model hyperdrop has no predictions for node-classification":  {Path: tinyNodes, Task: task.NodeClassification.Name, Model: "hyperdrop"},
		`split "fold" of the nodes of tiny, expected given or random`: {Path: tinyNodes, Task: task.NodeClassification.Name, Given: settings.Values{"split": settings.SplitFold}},
		"layers is 0": {Path: tinyNodes, Task: task.NodeClassification.Name, Given: settings.Values{"layers": 0}},
	} {
		_, err := Open(t.Context(), r)
		testsets.Fails(t, err, want)
	}
}

// Cora with the published settings and a constant learning rate: after a few epochs more than half
// of the nodes are correct.
func TestCora(t *testing.T) {
	path := realdata.Path(t, "planetoid")
	if testing.Short() {
		t.Skip("takes seconds")
	}
	for _, name := range []string{"deep-gcn", "deep-hyperdrop"} {
		dir, res := trained(t, Request{Path: path, Task: task.NodeClassification.Name, Model: name, Seed: 42, Threads: 2,
			Given: settings.Values{"name": "cora", "epochs": 30, "layers": 2, "constant-lr": true}})
		t.Logf("%s: %v", name, res.Test)
		if a, _ := res.Test.Get("accuracy"); a < 0.6 {
			t.Errorf("%s: scores %v", name, res.Test)
		}
		s, err := Load(t.Context(), dir, source.LoadOptions{Data: path, Threads: 2})
		if err != nil {
			t.Fatal(err)
		}
		for part, want := range map[string]int{source.PartTrain: 140, source.PartValid: 500, source.PartTest: 1000, source.PartAll: 2708} {
			if e, err := s.Evaluate(t.Context(), part); err != nil || e.Nodes != want {
				t.Errorf("Evaluate(%s) = %+v, %v; want %d nodes", part, e, err, want)
			}
		}
	}
}
