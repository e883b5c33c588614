package task

import (
	"fmt"

	"github.com/ehgnn/ehgnn/internal/settings"
	"github.com/ehgnn/ehgnn/internal/source"
	"github.com/ehgnn/ehgnn/model"
	"github.com/ehgnn/ehgnn/optim"
	"github.com/ehgnn/ehgnn/train"
)

// NodeClassification predicts the class of each node of one graph, which is trained on as a whole.
// It follows the paper's section 4.3 and appendix C.4: Adam at 0.01 with L2 of 5e-4, gradients
// clipped to norm 1, hidden width 32, edge width 16, dropout 0.5, 80 % of the edges kept at each
// drop, a linear warm-up over 300 epochs and a cosine schedule to epoch 5000. The first epoch with
// the highest validation accuracy is tested; training stops after 300 epochs without a higher one.
// The authors' script uses six layers; their figure shows 2 to 64. Each part is the whole graph, in
// which only the nodes of the part have classes: training, validation and test see all features and
// edges. For molecules, whole molecules are divided, and itemDefaults apply.
var NodeClassification = &Task{
	Kind:                  settings.Kind{Name: settings.NodeClasses, Title: "one class per node of a graph or of molecules", Level: settings.Nodes},
	Default:               "deep-hyperdrop",
	DefaultForCollections: "ehgnn-joint-node",
	Scores:                []string{"loss", "accuracy"},
	Resolve: func(s *settings.Settings, d source.Data, parts map[string]*source.Part) error {
		l, err := d.Labels(settings.Nodes)
		if err != nil {
			return err
		}
		if l.Classes < 2 {
			return fmt.Errorf("node-classification needs nodes with at least 2 classes, found %d in %s", l.Classes, d.Name())
		}
		s.Target.Classes, s.Model.Out = l.ClassNames, l.Classes
		if s.Data.Many() {
			itemDefaults(s, l.Classes, parts)
			return nil
		}
		s.Model.Default("hidden", 32)
		s.Model.Default("edge-hidden", 16)
		s.Model.Default("layers", 6)
		s.Model.Default("ratio", 0.8)
		s.Model.Default("dropout", 0.5)
		s.Train = train.Config{Epochs: 5000, LR: 0.01, ClipNorm: 1, Patience: 300,
			Optimizer: optim.Config{Name: "adam", WeightDecay: 5e-4},
			Schedule:  train.Schedule{Name: "cosine", WarmupEpochs: 300},
			Monitor:   train.Monitor{Metric: "accuracy", Maximize: true, TiesReset: true}}
		return nil
	},
	Problem: func(m model.Model, s *settings.Settings) train.Problem { return classProblem(m, s, settings.Nodes) },
	Predict: func(s *settings.Settings) Predictor { return newClassRows(s, settings.Nodes) },
	Finish:  func(s *settings.Settings) Chooser { return newClassChooser(s, settings.Nodes) },
}
