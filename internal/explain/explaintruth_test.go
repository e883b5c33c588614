package explain

import (
	"testing"

	"github.com/ehgnn/ehgnn/data/synth"
	"github.com/ehgnn/ehgnn/graph"
	"github.com/ehgnn/ehgnn/internal/session"
	"github.com/ehgnn/ehgnn/internal/settings"
	"github.com/ehgnn/ehgnn/internal/source"
	"github.com/ehgnn/ehgnn/internal/task"
	"github.com/ehgnn/ehgnn/internal/testsets"
	"github.com/ehgnn/ehgnn/metric"
	"github.com/ehgnn/ehgnn/model"
)

// recorded scores edges by how long HyperDrop kept them, and then by their last score.
const recorded = "record"

// found measures how well methods find the edges that decide the class of generated graphs. Over the graphs of the
// test part that the model classifies correctly, it has the mean AUC of the edge scores for the true class, and the
// mean decrease of that class's probability without the tenth of the edges with the highest scores.
type found struct {
	accuracy  float64
	auc, fall map[string]float64
	classes   []foundClass
}

// foundClass has the values of found for the graphs of one class.
type foundClass struct {
	n, hangs float64 // number of graphs, and number of graphs that get another class without the deciding edges
	auc      map[string]float64
}

// explainsTruth trains a model on generated graphs and explains its predictions. EdgeLabel is 1 for
// edges that decide the class. With 0 epochs the model stays untrained.
func explainsTruth(t *testing.T, graphs []*graph.Graph, name string, seed uint64, given settings.Values, methods ...string) found {
	t.Helper()
	s := mustOpen(t, session.Request{Path: testsets.WriteSet(t, t.TempDir(), "T", testsets.TUFiles(graphs)), Model: name, Seed: seed, Threads: 2,
		Given: settings.Values{"hidden": 32, "layers": 2, "dropout": 0.0, "batch-size": 32, "constant-lr": true, "patience": 0}.Over(given)})
	trained := given["epochs"] != nil
	if trained {
		if _, err := s.Fit(t.Context(), session.FitOptions{}); err != nil {
			t.Fatal(err)
		}
	}
	p := s.Parts[source.PartTest]
	scores, err := s.Scores(t.Context(), p)
	if err != nil {
		t.Fatal(err)
	}
	out := found{auc: map[string]float64{}, fall: map[string]float64{}, classes: make([]foundClass, s.Settings.Model.Out)}
	for c := range out.classes {
		out.classes[c].auc = map[string]float64{}
	}
	out.accuracy, _ = scores.Get("accuracy")
	n := 0.0
	for i, g := range p.Graphs {
		var target []float32
		for _, decides := range graphs[p.ID(source.Place{Graph: i})].EdgeLabel {
			target = append(target, float32(decides))
		}
		class, counted := &out.classes[g.Label], false
		for _, method := range methods {
			x := &explained{session: s, graph: g, method: method}
			var scores []float32
			if method == recorded {
				scores = dropScores(t, s, g)
			} else {
				e, err := x.explain(t.Context(), targets(s)[g.Label]) // the true class
				if err != nil {
					t.Fatal(err)
				}
				if trained && x.full.class != int(g.Label) {
					break
				}
				scores = e.Scores
				out.fall[method] += e.Fidelity[1].Without.Fall
			}
			auc, err := metric.ROCAUC(scores, target)
			if err != nil {
				t.Fatal(err)
			}
			out.auc[method] += auc
			class.auc[method] += auc
			counted = true
		}
		if !counted {
			continue
		}
		n++
		class.n++
		x := &explained{session: s, graph: g}
		without, err := x.predict(t.Context(), 1, func(int) variant { return x.variantWith(func(e int32) bool { return target[e] == 0 }) })
		if err != nil {
			t.Fatal(err)
		}
		if without[0].class != int(g.Label) {
			class.hangs++
		}
	}
	for _, class := range out.classes {
		for method := range class.auc {
			class.auc[method] /= class.n
		}
	}
	for _, method := range methods {
		out.auc[method] /= n
		out.fall[method] /= n
	}
	return out
}

// dropScores returns edge scores from the record of a graph.
func dropScores(t *testing.T, s *session.Session, g *graph.Graph) (scores []float32) {
	t.Helper()
	err := s.Each(t.Context(), &source.Part{Graphs: []*graph.Graph{g}}, func(y *model.Output, b *graph.Batch, _ int) error {
		last, dropped := task.DropsOf(y.Drops, g.NumEdges())
		scores = last
		for e, layer := range dropped {
			if layer == layer {
				scores[e] += 1000 * (layer - float32(len(y.Drops)) - 1)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return scores
}

// On graphs for which the deciding edges are known, occlusion finds them (figures in
// docs/results/explain.md). A model may recognise a class by what its graphs lack. Then the prediction
// depends on no edge and there is nothing to find. So occlusion must find the edges only in classes whose
// graphs get another class without the deciding edges.
func TestExplainTruth(t *testing.T) {
	oneEdge, motifs := generated(t, synth.OneEdge, 600), generated(t, synth.BA2Motifs, 300)
	for _, test := range []struct {
		name, model string
		graphs      []*graph.Graph
		given       settings.Values
		better      float64 // in AUC above chance, over all graphs
		methods     []string
	}{
		{"one edge", "gine", oneEdge, settings.Values{"epochs": 20, "lr": 0.004}, 0.2, []string{Occlusion, Gradient, Chance}},
		{"one edge", "hyperdrop", oneEdge, settings.Values{"epochs": 100, "lr": 0.002}, 0.1, []string{Occlusion, Gradient, Chance, recorded}},
		{"motifs", "gin", motifs, settings.Values{"epochs": 30, "lr": 0.01}, 0.2, []string{Occlusion, Gradient, Chance}},
	} {
		if testing.Short() && test.model != "gine" {
			continue // these models train for longer
		}
		seeds := uint64(3)
		if testing.Short() {
			seeds = 1
		}
		for seed := uint64(1); seed <= seeds; seed++ {
			f := explainsTruth(t, test.graphs, test.model, seed, test.given, test.methods...)
			t.Logf("%s, %s, seed %d: accuracy %.3f, AUC %.3v, fall of the probability %.3v", test.name, test.model, seed, f.accuracy, f.auc, f.fall)
			if f.accuracy < 0.9 || f.auc[Occlusion] < f.auc[Chance]+test.better || f.fall[Occlusion] < f.fall[Chance]+0.1 {
				t.Errorf("%s, %s, seed %d: %+v, expected occlusion to find more than chance", test.name, test.model, seed, f)
			}
			if test.name == "motifs" { // in motifs several edges decide together
				continue
			}
			given := false
			for c, class := range f.classes {
				t.Logf("class %d: %.0f of %.0f graphs hang on the edges that decide, AUC %.3v", c, class.hangs, class.n, class.auc)
				if class.hangs > class.n/2 {
					given = true
					if class.auc[Occlusion] < class.auc[Chance]+0.2 {
						t.Errorf("%s, %s, seed %d, class %d: %+v, expected 0.2 more than chance", test.name, test.model, seed, c, class)
					}
				}
			}
			if !given {
				t.Errorf("%s, %s, seed %d: no class hangs on the edges that decide: %+v", test.name, test.model, seed, f.classes)
			}
		}
	}
}

// On models that have learned nothing, occlusion finds the deciding edges no more often than chance.
func TestExplainUntrained(t *testing.T) {
	graphs := generated(t, synth.OneEdge, 100)
	models, seeds := []string{"gine", "hyperdrop"}, 20
	if testing.Short() {
		models, seeds = models[:1], 10
	}
	for _, name := range models {
		mean := 0.0
		for seed := range uint64(seeds) {
			mean += explainsTruth(t, graphs, name, seed+1, settings.Values{}, Occlusion).auc[Occlusion] / float64(seeds)
		}
		t.Logf("%s, not trained, mean of %d seeds: AUC %.3f", name, seeds, mean)
		if mean < 0.4 || mean > 0.6 {
			t.Errorf("%s: the AUC of models that are not trained is %.3f, expected 0.5", name, mean)
		}
	}
}

func generated(t *testing.T, of func(n int, seed uint64) ([]*graph.Graph, error), n int) []*graph.Graph {
	t.Helper()
	graphs, err := of(n, 1)
	if err != nil {
		t.Fatal(err)
	}
	return graphs
}
