package session

import (
	"testing"

	"github.com/ehgnn/ehgnn/data/synth"
	"github.com/ehgnn/ehgnn/internal/settings"
	"github.com/ehgnn/ehgnn/internal/source"
	"github.com/ehgnn/ehgnn/internal/task"
	"github.com/ehgnn/ehgnn/model"
)

// If there are many classes, labels of other edges are read as vectors, from which the model
// recognises kinds of nodes.
func TestRelations(t *testing.T) {
	if testing.Short() {
		t.Skip("trains two models")
	}
	r, err := synth.NewRelations(300, 80, 6000, 3)
	if err != nil {
		t.Fatal(err)
	}
	path := drawnEdges(t, r)
	hit := map[string]float64{}
	for _, context := range []string{settings.ContextOn, settings.ContextOff} {
		s := mustOpen(t, Request{Path: path, Task: task.EdgeClassification.Name, Seed: 1, Given: settings.Values{"label": "relation", "label-context": context,
			"hidden": 32, "layers": 0, "epochs": 100, "fractions": []float64{0.7, 0.15, 0.15}}})
		c := s.Settings.Model.Context
		if want := (&model.LabelContextConfig{Classes: 80, Directed: true, Hide: source.HiddenShare, Vectors: source.LabelVectors}); context == settings.ContextOn && (c == nil || *c != *want) {
			t.Fatalf("labels are read as %+v, expected %+v", c, want)
		}
		hit[context] = fittedScore(t, s, "hit@1")
	}
	t.Logf("Hit@1 %.3f with labels, %.3f without; who knows kinds has %.3f", hit[settings.ContextOn], hit[settings.ContextOff], r.Known)
	if hit[settings.ContextOn] < 0.9*r.Known || hit[settings.ContextOn] < 1.3*hit[settings.ContextOff] {
		t.Errorf("Hit@1 %.3f with labels, %.3f without; who knows kinds has %.3f", hit[settings.ContextOn], hit[settings.ContextOff], r.Known)
	}
}
