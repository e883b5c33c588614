package task

import (
	"github.com/ehgnn/ehgnn/data"
	"github.com/ehgnn/ehgnn/data/smiles"
	"github.com/ehgnn/ehgnn/graph"
	"github.com/ehgnn/ehgnn/internal/settings"
	"github.com/ehgnn/ehgnn/internal/source"
	"github.com/ehgnn/ehgnn/optim"
	"github.com/ehgnn/ehgnn/train"
)

// graphDefaults are the defaults of tasks on graphs. If a model is named and predicts classes, they are the settings
// that the authors used for most data sets; package experiment has their settings for single sets. Molecules with the
// features of the Open Graph Benchmark have a different learning rate and convolution. If no model is named, and for
// numbers, which the paper does not predict, ownGraphDefaults apply.
func graphDefaults(s *settings.Settings, out int, training []*graph.Graph) {
	m := &s.Model
	m.Out = out
	m.Default("hidden", 128)
	m.Default("layers", 3)
	m.Default("ratio", 0.85)
	own := s.Target.Learners || s.Kind.Number
	if own {
		m.Default("dropout", graphDropout)
	}
	m.Default("dropout", 0.5)
	if s.Spec().PaperHeads {
		m.Default("heads", 1)
	}
	s.Train = train.Config{Epochs: 500, BatchSize: 128, LR: 5e-4, ClipNorm: 1, Patience: 50,
		Optimizer: optim.Config{Name: "adam", WeightDecay: 1e-4},
		Schedule:  train.Schedule{Name: "cosine", WarmupEpochs: 50}}
	if s.Data.Format == data.FormatOGB || s.Data.Format == smiles.Format {
		m.Default("conv", "egcn")
		s.Train.LR = 1e-3
	}
	if own {
		ownGraphDefaults(s, len(training))
	}
}

// Settings of a network of graphs chosen by validation on molecules and the paper's data sets together. With the
// paper's dropout, errors of numbers of molecules are 50 % larger.
const (
	graphDropout  = 0.1
	graphRate     = 2e-3
	graphSteps    = 4500 // of training, at most
	graphEpochs   = 500  // at most
	fewestEpochs  = 40
	leastPatience = 20 // otherwise a fifth of the epochs
	graphWarmup   = 10
)

// ownGraphDefaults limits training by steps: small sets of graphs are trained for more epochs than large ones.
func ownGraphDefaults(s *settings.Settings, graphs int) {
	steps := max(1, (graphs+s.Train.BatchSize-1)/s.Train.BatchSize)
	s.Train.Epochs = max(fewestEpochs, min(graphEpochs, graphSteps/steps))
	s.Train.LR, s.Train.Patience, s.Train.Schedule.WarmupEpochs = graphRate, max(leastPatience, s.Train.Epochs/5), graphWarmup
}

// encodeCategories selects learned encoders of categories if features have several categorical
// columns, for example features of molecules.
func encodeCategories(s *settings.Settings, parts map[string]*source.Part) {
	g := parts[source.PartTrain].Graphs[0]
	s.Model.Encode = max(len(g.Node.Codes), len(g.Edge.Codes)) > 1
}

// itemDefaults are the defaults of tasks on atoms and bonds of molecules.
func itemDefaults(s *settings.Settings, out int, parts map[string]*source.Part) {
	m := &s.Model
	m.Out = out
	m.Default("hidden", 128)
	m.Default("layers", 4)
	m.Default("ratio", 0.8)
	m.Default("dropout", 0.1)
	s.Train = train.Config{Epochs: 200, BatchSize: 64, LR: 1e-3, ClipNorm: 1, Patience: 30,
		Optimizer: optim.Config{Name: "adam"}, Schedule: train.Schedule{Name: "constant"}}
	encodeCategories(s, parts)
}
