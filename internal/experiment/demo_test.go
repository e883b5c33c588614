package experiment

import (
	"testing"

	"github.com/ehgnn/ehgnn/data/synth"
	"github.com/ehgnn/ehgnn/internal/auto"
)

// A colour is right if the nearest colour of the palette is that of the edge. The tests of the
// command run the whole demonstration.
func TestRightColours(t *testing.T) {
	palette := synth.Palette()
	var rgb []float32
	var label []int32
	for k, c := range palette {
		rgb = append(rgb, c[0], c[1], c[2]) // the colour itself
		rgb = append(rgb, 0.9*c[0]+0.1*palette[0][0], 0.9*c[1]+0.1*palette[0][1], 0.9*c[2]+0.1*palette[0][2])
		label = append(label, int32(k), int32(k))
	}
	if got := rightColours(rgb, label); got != 1 {
		t.Errorf("%v of the palette's colours are right, want all", got)
	}
	for i := range label {
		label[i] = (label[i] + int32(i)%2) % int32(len(palette))
	}
	if got := rightColours(rgb, label); got != 0.5 {
		t.Errorf("%v are right, want half", got)
	}
}

// The table of the demonstration has every number with the number to which it is compared.
func TestDemoLines(t *testing.T) {
	r := &demoResult{Seconds: 28.6, Report: "runs/demo/report.html"}
	r.TwoMoon.Edges, r.TwoMoon.Clusters, r.TwoMoon.MSE, r.TwoMoon.MeanMSE, r.TwoMoon.Right = 6099, 61, 0.0019, 0.1019, 0.982
	r.Classes.Graphs, r.Classes.HyperDrop, r.Classes.GCN = 1000, 0.995, 0.515
	r.Payments = demoPayments{Payments: 4000, Accounts: 300, Frauds: 185, ROCAUC: 0.9111, AP: 0.6, Chance: 0.035, Learner: []auto.Entry{
		{Learner: "average", Columns: "of the marked learners", Loss: 0.1, Error: 0.02}, {Learner: "trees", Columns: "all", Loss: 0.12, Error: 0.02, Behind: 0.02, BehindError: 0.004, Kept: true}}}
	want := `Labels of edges: 185 of 4000 payments between 300 accounts are fraud; the latest fifth is tested
                                      validation loss     behind the chosen
  average, of the marked learners     0.1000 ± 0.0200
  trees, all *                        0.1200 ± 0.0200     0.0200 ± 0.0040
  test: ROC-AUC 0.911, average precision 0.600 (chance: 0.5 and 0.035)

Edge reconstruction: the two-moon graph, 6099 edges, colours from 61 pooled vectors
                                      squared error       right colour
  HyperCluster                        0.0019              98.2 %
  predicting the mean colour          0.1019

Graph classification: 1000 graphs whose class is decided by their edges alone
                                      test accuracy
  HyperDrop                           99.5 %
  GCN, which sees no edge features    51.5 %

29 seconds. To look at: runs/demo/report.html. Next: ehgnn train --help
`
	if text := r.lines().Text(); text != want {
		t.Errorf("it prints\n%s\nwant\n%s", text, want)
	}
}
