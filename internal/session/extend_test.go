package session

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/ehgnn/ehgnn/data"
	"github.com/ehgnn/ehgnn/graph"
	"github.com/ehgnn/ehgnn/internal/settings"
	"github.com/ehgnn/ehgnn/internal/source"
	"github.com/ehgnn/ehgnn/internal/task"
	"github.com/ehgnn/ehgnn/internal/testsets"
	"github.com/ehgnn/ehgnn/model"
	"github.com/ehgnn/ehgnn/nn"
	"github.com/ehgnn/ehgnn/optim"
	"github.com/ehgnn/ehgnn/tensor"
	"github.com/ehgnn/ehgnn/train"
)

// newTask predicts numbers of graphs with the absolute error, on which a few wrong labels have less
// effect than on the squared error.
var newTask = &task.Task{
	Kind:         settings.Kind{Name: "graph-absolute", Title: "numbers per graph, by absolute error", Level: settings.Graphs, Collection: true, Number: true},
	Default:      "gcn",
	SameModelsAs: "graph-regression",
	Scores:       []string{"loss"},
	Resolve: func(s *settings.Settings, d source.Data, parts map[string]*source.Part) error {
		l, err := d.Labels(settings.Graphs)
		if err != nil {
			return err
		}
		s.Target.Names, s.Model.Out = l.Targets, len(l.Targets)
		s.Target.Units = slices.Repeat([]settings.Unit{{Scale: 1}}, s.Model.Out) // in the unit of the data
		s.Model.Default("hidden", 32)
		s.Model.Default("layers", 2)
		s.Train = train.Config{Epochs: 100, BatchSize: 32, LR: 0.01, Optimizer: optim.Config{Name: "adam"}}
		return nil
	},
	Problem: func(m model.Model, _ *settings.Settings) train.Problem {
		return train.Problem{Model: m, Loss: func(p *nn.Pass, b *graph.Batch) (*tensor.Tensor, float64) {
			return m.Forward(p, b).Graph.Sub(b.Targets).Abs().Mean(), float64(b.N)
		}}
	},
	Predict: func(s *settings.Settings) task.Predictor { return task.NewNumberRows(s, settings.Graphs) },
}

// newSource reads one graph from each line: its class, its nodes as letters and its edges, as "1
// CCO 0-1 1-2".
var newSource = &source.Source{
	Name: "letters", Expect: "a file .letters with a graph a line, as 1 CCO 0-1 1-2",
	Recognise:    func(path string) bool { return filepath.Ext(path) == ".letters" },
	InitSettings: func(d *settings.DataSettings) { d.Graphs = &settings.GraphSettings{} },
	Read: func(_ context.Context, d *settings.DataSettings, _ *settings.Kind) (source.Data, error) {
		p, err := readLetters(d.Path)
		if err != nil {
			return nil, err
		}
		p.Describe(d)
		return p, nil
	},
	ReadForInference: func(_ context.Context, _ *settings.Settings, o source.LoadOptions, _ bool) (source.Data, error) {
		return readLetters(o.Data)
	},
}

func readLetters(path string) (*source.GraphData, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	set := &data.Dataset{Info: data.Info{Name: filepath.Base(path), NumClasses: 2, ClassNames: []string{"0", "1"},
		HasNodeLabels: true, NodeLabelOffset: []int{'A'}, NodeWidth: 26, EdgeWidth: 1, Checksum: settings.Digest(text)}}
	for line := range strings.Lines(string(text)) {
		words := strings.Fields(line)
		g := graph.Graph{NumNodes: len(words[1]), Edge: graph.Ones(len(words) - 2), Label: int32(words[0][0] - '0')}
		g.Node.Codes = []int{26}
		for _, letter := range words[1] {
			g.Node.Code = append(g.Node.Code, letter-'A')
		}
		for _, edge := range words[2:] {
			var u, v int32
			if _, err := fmt.Sscanf(edge, "%d-%d", &u, &v); err != nil {
				return nil, &data.ParseError{File: path, Err: err}
			}
			g.Ends = append(g.Ends, u, v)
		}
		set.Graphs = append(set.Graphs, &g)
	}
	return &source.GraphData{Whole: set}, nil
}

// newOption is an option for the bound on the gradient norm.
var newOption = settings.Option{
	Name: "clip-norm", Of: settings.OfTrain, Kind: 0.0, Help: "largest norm of the gradients of a step",
	At: func(s *settings.Settings) []any { return []any{&s.Train.ClipNorm} },
	Check: func(v any) error {
		if v.(float64) <= 0 {
			return errors.New("a number above 0")
		}
		return nil
	},
}

// A new task is trained, stored and used like the others.
func TestExtendTask(t *testing.T) {
	t.Cleanup(task.Register(newTask))

	path := filepath.Join("..", "..", "testdata", "sets", "NUMBERS")
	dir, res := trained(t, Request{Path: path, Task: newTask.Name, Seed: 1, Given: settings.Values{"epochs": 5, "hidden": 8}})
	if res.Model != "gcn" || len(res.Test) != 1 || res.Test[0].Name != "loss" {
		t.Errorf("model %s, scores %v", res.Model, res.Test)
	}
	s, err := Load(t.Context(), dir, source.LoadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if e, err := s.Evaluate(t.Context(), source.PartTest); err != nil || e.Scores[0] != res.Test[0] {
		t.Errorf("%+v, %v, want the score %v", e, err, res.Test[0])
	}
	table, err := s.Predict(t.Context(), source.PartAll)
	if err != nil {
		t.Fatal(err)
	}
	if header := testsets.CSVHeader(t, table); !strings.HasPrefix(header, "graph,part,target_") {
		t.Errorf("columns %s", header)
	}
}

// A new source is recognised and read, in training and afterwards.
func TestExtendSource(t *testing.T) {
	t.Cleanup(source.Register(newSource))

	path := filepath.Join(t.TempDir(), "set.letters")
	text := strings.Repeat("1 CCO 0-1 1-2\n0 COC 0-1 1-2\n", 20)
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	dir, res := trained(t, Request{Path: path, Seed: 1, Given: quick()})
	if res.Dataset != "set.letters" || res.Task != "graph-classification" {
		t.Errorf("%s of %s", res.Task, res.Dataset)
	}
	s, err := Load(t.Context(), dir, source.LoadOptions{Data: path})
	if err != nil {
		t.Fatal(err)
	}
	if e, err := s.Evaluate(t.Context(), source.PartAll); err != nil || e.Graphs != 40 {
		t.Errorf("%+v, %v, want 40 graphs", e, err)
	}
	_, err = Open(t.Context(), Request{Path: path, Given: settings.Values{"label": "x"}})
	testsets.Fails(t, err, "--label does not apply to letters")
}

// A new option is applied and checked, and the settings of a run contain it.
func TestExtendOption(t *testing.T) {
	t.Cleanup(settings.Register(newOption))
	path := filepath.Join("..", "..", "testdata", "sets", "RINGS")
	s := mustOpen(t, Request{Path: path, Given: settings.Values{"clip-norm": 0.5}})
	if s.Settings.Train.ClipNorm != 0.5 || s.Settings.Given()["clip-norm"] != 0.5 {
		t.Errorf("clipped at %v, given %v", s.Settings.Train.ClipNorm, s.Settings.Given())
	}
	_, err := Open(t.Context(), Request{Path: path, Given: settings.Values{"clip-norm": -1.0}})
	testsets.Fails(t, err, "--clip-norm is -1, expected a number above 0")
}
