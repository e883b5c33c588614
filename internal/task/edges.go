package task

import (
	"github.com/ehgnn/ehgnn/internal/settings"
	"github.com/ehgnn/ehgnn/internal/source"
	"github.com/ehgnn/ehgnn/model"
	"github.com/ehgnn/ehgnn/optim"
	"github.com/ehgnn/ehgnn/train"
)

// Tasks on labelled edges. The paper has no such tasks: it learns edges only for tasks on nodes and
// graphs. One graph is one batch: in the graph of a part, only the edges of the part have labels.
// Molecules are trained in batches: a part is some molecules with the labels of all their bonds.

// EdgeClassification predicts one class for each edge. Unless Target.Unweighted is set, the loss
// weighs each edge by the inverse frequency of its class among the m training edges:
// m/(classes·edges of the class).
var EdgeClassification = &Task{
	Kind:    settings.Kind{Name: "edge-classification", Title: "one class per edge of a graph or of molecules", Level: settings.Edges, Weighted: true, WarmupPart: edgeWarmup},
	Default: model.AutoName, DefaultForCollections: "ehgnn-roles", DefaultNetwork: "ehgnn-roles",
	Scores: []string{"loss", "accuracy", "macro_f1"},
	Resolve: func(s *settings.Settings, d source.Data, parts map[string]*source.Part) error {
		l, err := d.Labels(settings.Edges)
		if err != nil {
			return err
		}
		if l.Classes < 2 {
			return settings.Misuse("%s needs training edges of at least 2 classes, found %q in %s", s.Task, l.ClassNames, d.Name())
		}
		s.Target.Classes, s.Target.Calibrate = l.ClassNames, true
		if s.Data.Many() {
			itemDefaults(s, l.Classes, parts)
		} else {
			EdgeDefaults(s, l.Classes)
			componentDefaults(s, parts)
			source.ContextDefaults(s, parts, l.Classes)
		}
		weighClasses(s, parts)
		return nil
	},
	Problem: func(m model.Model, s *settings.Settings) train.Problem { return classProblem(m, s, settings.Edges) },
	Predict: func(s *settings.Settings) Predictor { return newClassRows(s, settings.Edges) },
	Finish:  func(s *settings.Settings) Chooser { return newClassChooser(s, settings.Edges) },
}

// EdgeRegression predicts a number for each edge.
var EdgeRegression = &Task{
	Kind:    settings.Kind{Name: "edge-regression", Title: "a number per edge of a graph, or numbers per edge of molecules", Level: settings.Edges, Number: true, WarmupPart: edgeWarmup},
	Default: model.AutoName, DefaultForCollections: "ehgnn-roles", DefaultNetwork: "ehgnn-roles",
	Scores: []string{"loss", "mae", "rmse", "r2"},
	Resolve: func(s *settings.Settings, d source.Data, parts map[string]*source.Part) error {
		l, err := d.Labels(settings.Edges)
		if err != nil {
			return err
		}
		if s.Data.Many() {
			return resolveNumbers(s, l, d, parts, settings.Edges)
		}
		s.Target.Units = l.Units
		EdgeDefaults(s, 1)
		s.Train.Monitor = robustMonitor
		componentDefaults(s, parts)
		source.ContextDefaults(s, parts, 0)
		return nil
	},
	Problem: func(m model.Model, s *settings.Settings) train.Problem { return numberProblem(m, s, settings.Edges) },
	Predict: func(s *settings.Settings) Predictor { return NewNumberRows(s, settings.Edges) },
	Finish:  func(s *settings.Settings) Chooser { return newNumberChooser(s, settings.Edges) },
}

// EdgeDefaults are the defaults of edge-classification and edge-regression.
func EdgeDefaults(s *settings.Settings, out int) {
	s.Model.Out = out
	s.Model.Default("hidden", 64)
	s.Model.Default("layers", 3)
	s.Model.Default("dropout", 0.1)
	s.Model.Default("widen-input", 2)
	s.Train = train.Config{Epochs: 200, LR: 0.01, ClipNorm: 1, Optimizer: optim.Config{Name: "adamw", WeightDecay: 0.1},
		Schedule: train.Schedule{Name: "cosine", WarmupEpochs: 10}} // consistent with edgeWarmup
}

// A disconnected graph is trained in batches of components. So a graph that consists of many
// molecules takes many steps in an epoch, like a collection of molecules.
const epochSteps = 25

// componentDefaults sets the number of components in a batch if the training graph is disconnected.
// A connected graph is one batch.
func componentDefaults(s *settings.Settings, parts map[string]*source.Part) {
	g := parts[source.PartTrain].Graphs[0]
	if n, apart := source.ManySmallComponents(g.NumNodes, g.Ends); apart {
		s.Train.BatchSize = (n + epochSteps - 1) / epochSteps
		s.Train.Epochs, s.Train.LR, s.Train.Schedule.WarmupEpochs = 300, 0.003, 15
		s.Train.Optimizer.WeightDecay = 0.3
		for _, at := range s.Model.At("layers") {
			*at.(*int) = 4
		}
	}
}

// edgeWarmup is Kind.WarmupPart for tasks on edges.
const edgeWarmup = 20

// weighClasses sets what depends on the number of training edges of each class: the weights and the
// positive class.
func weighClasses(s *settings.Settings, parts map[string]*source.Part) {
	count := make([]int, len(s.Target.Classes))
	for _, g := range parts[source.PartTrain].Graphs {
		for _, c := range g.EdgeLabel {
			if c >= 0 {
				count[c]++
			}
		}
	}
	Weigh(s, count)
}

// Weigh is weighClasses, given the number of training edges of each class.
func Weigh(s *settings.Settings, count []int) {
	k, total := len(count), 0
	for _, n := range count {
		total += n
	}
	s.Target.Unweighted = true
	for _, n := range count {
		// A class without training edges, which molecules may have, gets weight 0.
		weight := 0.0
		if n > 0 {
			weight = float64(total) / (float64(k) * float64(n))
		}
		s.Target.ClassWeights = append(s.Target.ClassWeights, float32(weight))
	}
	if k != 2 {
		return
	}
	s.Target.Binary, s.Target.Budget = &settings.Binary{Threshold: 0.5}, settings.DefaultBudget()
	if count[1] <= count[0] {
		s.Target.Binary.Positive = 1
	}
}
