package experiment

import (
	"github.com/ehgnn/ehgnn/graph"
	"github.com/ehgnn/ehgnn/internal/session"
	"github.com/ehgnn/ehgnn/model"
)

// nodeClassification is the paper's experiment on deep networks (section 4.3, its figure; appendix
// C.4): how accuracy depends on the number of layers.
var nodeClassification = gridExperiment{
	Name: "node-classification", Short: "The figure on deep networks: node classification by depth",
	Title: "Node classification by depth", Measure: "test accuracy in percent",
	Help: `The paper's experiment on deep networks: how the accuracy of GCN, with batch
normalisation, with edges dropped at random (DropEdge) and of HyperDrop holds up with
the number of layers, on Cora and Citeseer. The first epoch with the highest
validation accuracy is tested. The authors' code never zeroes gradients and sums
neighbours without degrees before the first drop: --carry-gradients --unnormalised.
With these settings hardly any network of 16 layers or more learns but
deep-hyperdrop-hold, which leaves nodes alone that no kept edge leads to; with
--dropout 0 --init-gain 1.4142 all do but deep-hyperdrop, where deep-hyperdrop-loops
--score sigmoid takes its place.
`,
	Rows: []modelRow{{Name: "deep-gcn", Title: "GCN"}, {Name: "deep-gcn-batchnorm", Title: "GCN with BatchNorm"},
		{Name: "deep-dropedge", Title: "DropEdge"}, {Name: "deep-hyperdrop", Title: "HyperDrop"}},
	Extra: []modelRow{{Name: "deep-randdrop", Title: "HyperDrop, edges dropped at random"},
		{Name: "deep-hyperdrop-loops", Title: "HyperDrop, self-loops kept"},
		{Name: "deep-hyperdrop-hold", Title: "HyperDrop, nodes without edges held"}},
	Sets:   []string{"cora", "citeseer"},
	Depths: []int{2, 4, 8, 16, 32, 64},
	Notes:  []string{"The paper shows this experiment as a figure and prints no numbers."},
	Presets: []gridPreset{
		{Name: presetQuick, Sets: []string{"cora"}, Depths: []int{2, 8, 16}, Seeds: 1, Overrides: quickSettings(400, 100),
			Note: "Shortened (preset quick): Cora alone, one seed, three depths, at most 400 epochs at a constant learning rate instead of 5000 with warm-up and cosine, patience 100 instead of 300. The numbers say which way the figure goes; they do not reproduce it."},
		{Name: presetPaper, Seeds: paperRuns},
	},
	// Mistakes in the authors' code.
	Options: []Option{
		{Name: "unnormalised", Help: "deep-hyperdrop: before the first drop sum neighbours without degrees, as the authors' code does", Default: false, Setting: true},
		{Name: "carry-gradients", Help: "never zero gradients, as the authors' node classification does: a kind of momentum", Default: false, Setting: true},
	},
	Apply: func(c *call, r *gridRequest) {
		if value[bool](c, "unnormalised") {
			r.Adjust = append(r.Adjust, adjustment{Name: "unnormalised", Apply: func(s *session.Session) error { return sumFirst(s.Model) }})
		}
		if value[bool](c, "carry-gradients") {
			r.Adjust = append(r.Adjust, adjustment{Name: "carry-gradients", Apply: func(s *session.Session) error {
				s.Gradients = newCarriedGradients
				return nil
			}})
		}
	},
}

// sumFirst makes a DeepHyperDrop sum neighbours without degree normalisation before its first drop,
// as in the authors' code, which uses only the indices of the normalised adjacency matrix. It does
// not change other models, and variants whose layers add self-loops.
func sumFirst(m model.Model) error {
	switch m := m.(type) {
	case *model.DeepHyperDrop:
		m.First = func(v graph.View) graph.View { return v.WithW(nil) }
	case *model.Encoded:
		return sumFirst(m.Model)
	case *model.Ensemble:
		for _, one := range m.Members {
			if err := sumFirst(one); err != nil {
				return err
			}
		}
	}
	return nil
}
