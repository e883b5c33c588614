package task

import (
	"github.com/ehgnn/ehgnn/model"
	"github.com/ehgnn/ehgnn/optim"
	"github.com/ehgnn/ehgnn/train"
)

// Tasks on labelled edges. They are beyond the paper, whose edges are learned to serve nodes
// and graphs. One graph is trained on as a whole: a part of the data is the graph in which
// the edges of the part have labels and no others do. Molecules are trained on in batches: a
// part is some of them, with the labels of all their bonds.

// edgeClassification predicts one class per edge. With Target.Unweighted off, the loss
// weighs each edge by the inverse frequency of its class: m/(classes·edges of the class),
// over the m training edges.
var edgeClassification = &Task{
	Kind:    Kind{Name: "edge-classification", Title: "one class per edge of a graph or of molecules", Items: Edges, Weighted: true, WarmupPart: edgeWarmup},
	Default: "ehgnn-roles",
	Scores:  []string{"loss", "accuracy", "macro_f1"},
	Resolve: func(s *Settings, d Data, parts map[string]*Part) error {
		l, err := d.Labels(Edges)
		if err != nil {
			return err
		}
		if l.Classes < 2 {
			return Misuse("task: %s needs training edges of at least 2 classes, found %q in %s", s.Task, l.ClassNames, d.Name())
		}
		s.Target.Classes, s.Target.Calibrate = l.ClassNames, true
		if s.Data.many() {
			s.itemDefaults(l.Classes, parts)
		} else {
			s.edgeDefaults(l.Classes)
			s.batchComponents(parts)
			s.contextDefaults(parts, l.Classes)
			s.vectorDefaults(parts)
		}
		s.weighClasses(parts)
		return nil
	},
	Problem: func(m model.Model, s *Settings) train.Problem { return classProblem(m, s, Edges) },
	Predict: func(s *Settings) Predictor { return newClassRows(s, Edges) },
	Finish:  func(s *Settings) Chooser { return newClassChooser(s, Edges) },
}

// edgeRegression predicts a number per edge.
var edgeRegression = &Task{
	Kind:    Kind{Name: "edge-regression", Title: "a number per edge of a graph, or numbers per edge of molecules", Items: Edges, Number: true, WarmupPart: edgeWarmup},
	Default: "ehgnn-roles",
	Scores:  []string{"loss", "mae", "rmse", "r2"},
	Resolve: func(s *Settings, d Data, parts map[string]*Part) error {
		l, err := d.Labels(Edges)
		if err != nil {
			return err
		}
		if s.Data.many() {
			return s.resolveNumbers(l, d, parts, Edges)
		}
		s.Target.Units = l.Units
		s.edgeDefaults(1)
		s.Train.Monitor = robustMonitor
		s.batchComponents(parts)
		s.contextDefaults(parts, 0)
		s.vectorDefaults(parts)
		return nil
	},
	Problem: func(m model.Model, s *Settings) train.Problem { return numberProblem(m, s, Edges) },
	Predict: func(s *Settings) Predictor { return newNumberRows(s, Edges) },
	Finish:  func(s *Settings) Chooser { return newNumberChooser(s, Edges) },
}

// edgeDefaults are the defaults of edge-classification and edge-regression.
func (s *Settings) edgeDefaults(out int) {
	s.Model.Out = out
	s.Model.Default("hidden", 64)
	s.Model.Default("layers", 3)
	s.Model.Default("dropout", 0.1)
	s.Model.Default("widen-input", 2)
	s.Train = train.Config{Epochs: 200, LR: 0.01, ClipNorm: 1, Optimizer: optim.Config{Name: "adamw", WeightDecay: 0.1},
		Schedule: train.Schedule{Name: "cosine", WarmupEpochs: 10}} // as edgeWarmup
}

// A graph that falls apart is trained on in batches of components, so that one of many
// molecules takes many steps in an epoch, as a collection of them does: more and smaller ones
// than a graph in one piece.
const epochSteps = 25

// batchComponents sets the number of components of a batch where the training graph falls
// apart; else the graph is one batch.
func (s *Settings) batchComponents(parts map[string]*Part) {
	g := parts[PartTrain].Graphs[0]
	if n, apart := fallsApart(g.NumNodes, g.Ends); apart {
		s.Train.BatchSize = (n + epochSteps - 1) / epochSteps
		s.Train.Epochs, s.Train.LR, s.Train.Schedule.WarmupEpochs = 300, 0.003, 15
		s.Train.Optimizer.WeightDecay = 0.3
		for _, at := range s.Model.At("layers") {
			*at.(*int) = 4
		}
	}
}

// edgeWarmup is Kind.WarmupPart of tasks on edges.
const edgeWarmup = 20

// weighClasses sets what depends on how many training edges each class has: weights, the
// positive class.
func (s *Settings) weighClasses(parts map[string]*Part) {
	count := make([]int, len(s.Target.Classes))
	for _, g := range parts[PartTrain].Graphs {
		for _, c := range g.EdgeLabel {
			if c >= 0 {
				count[c]++
			}
		}
	}
	s.weigh(count)
}

// weigh is weighClasses by the number of training edges of each class.
func (s *Settings) weigh(count []int) {
	k, total := len(count), 0
	for _, n := range count {
		total += n
	}
	s.Target.Unweighted = true
	for _, n := range count {
		// A class that training lacks, as those of molecules may be, weighs nothing.
		weight := 0.0
		if n > 0 {
			weight = float64(total) / (float64(k) * float64(n))
		}
		s.Target.ClassWeights = append(s.Target.ClassWeights, float32(weight))
	}
	if k != 2 {
		return
	}
	s.Target.Binary, s.Target.Budget = &Binary{Threshold: 0.5}, defaultBudget
	if count[1] <= count[0] {
		s.Target.Binary.Positive = 1
	}
}
