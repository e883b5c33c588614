package cli

import (
	"strings"
	"testing"

	"github.com/ehgnn/ehgnn/experiment"
)

// The table of the demonstration has every number with the one to compare it to.
func TestPrintDemo(t *testing.T) {
	r := &experiment.DemoResult{Seconds: 28.6}
	r.TwoMoon.Edges, r.TwoMoon.Clusters, r.TwoMoon.MSE, r.TwoMoon.MeanMSE, r.TwoMoon.Right = 6099, 61, 0.0019, 0.1019, 0.982
	r.Classes.Graphs, r.Classes.HyperDrop, r.Classes.GCN = 1000, 0.995, 0.515
	var b strings.Builder
	if err := printDemo(&b, r); err != nil {
		t.Fatal(err)
	}
	want := `Edge reconstruction: the two-moon graph, 6099 edges, colours from 61 pooled vectors
                                      squared error       right colour
  HyperCluster                        0.0019              98.2 %
  predicting the mean colour          0.1019

Graph classification: 1000 graphs whose class is decided by their edges alone
                                      test accuracy
  HyperDrop                           99.5 %
  GCN, which sees no edge features    51.5 %

29 seconds. Next: ehgnn train --help
`
	if b.String() != want {
		t.Errorf("it prints\n%s\nwant\n%s", b.String(), want)
	}
}
