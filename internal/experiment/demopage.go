package experiment

import (
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/ehgnn/ehgnn/internal/atomicfile"
	"github.com/ehgnn/ehgnn/internal/report"
	"github.com/ehgnn/ehgnn/internal/report/draw"
)

// page writes the page of the demonstration.
func (d *demo) page(r *demoResult) error {
	r.Seconds = time.Since(r.start).Seconds()
	m, c, p := r.TwoMoon, r.Classes, r.Payments
	f, err := report.Drawn("", "The two-moon graph: its edges in their colours, and in those that HyperCluster gives back",
		moonPanels([]*draw.Scene{moonPanel("original", r.moon, colourTensor(r.moon.EdgeLabel).Data()),
			moonPanel(fmt.Sprintf("from %d vectors, squared error %.4f", m.Clusters, m.MSE), r.moon, r.colours)}))
	if err != nil {
		return err
	}
	share := func(v float64) string { return fmt.Sprintf("%.1f %%", 100*v) }
	page := &report.Document{Title: "ehgnn: edges, learned", Lead: []string{
		"ehgnn learns representations of the edges of graphs: every edge becomes a node of the dual hypergraph, and any message passing made for nodes learns edges. This page shows the default model of tables of edges and the two models of the paper on data that the program has just made."},
		Parts: []report.Part{
			report.Facts{
				{Name: "fraud among payments, ROC-AUC", Value: fmt.Sprintf("%.3f", p.ROCAUC), Note: "on the latest fifth; chance is 0.5"},
				{Name: "average precision", Value: fmt.Sprintf("%.3f", p.AP), Note: fmt.Sprintf("chance is %.3f", p.Chance)},
				{Name: "edges with the right colour", Value: share(m.Right), Note: fmt.Sprintf("of %d edges, from %d vectors", m.Edges, m.Clusters)},
				{Name: "squared error of the colours", Value: fmt.Sprintf("%.4f", m.MSE), Note: fmt.Sprintf("the mean colour has %.4f", m.MeanMSE)},
				{Name: "HyperDrop, test accuracy", Value: share(c.HyperDrop), Note: "the class is decided by edges alone"},
				{Name: "GCN, test accuracy", Value: share(c.GCN), Note: "which sees no edge features; chance is " + share(c.Chance)},
			},
			report.Heading{Title: "Labels of edges: learners that compete", Lines: []string{fmt.Sprintf(
				"%d of %d payments between %d accounts are fraud. Accounts that receive stolen money are known by their other payments; frauds that were never reported and stolen cards cannot be predicted. The losses are those of the validation payments. The predictions of the marked learners are averaged. The run is in %s; ehgnn report makes its page.", p.Frauds, p.Payments, p.Accounts, p.Run)}},
			&report.Listing{Columns: []report.ListingColumn{{Name: "learner, columns", Left: true}, {Name: "validation loss"}, {Name: "behind the chosen"}}, Rows: p.board()},
			report.Heading{Title: "Edge reconstruction: HyperCluster", Lines: []string{fmt.Sprintf(
				"HyperCluster pools the %d edges of a graph of two moons into %d vectors, one percent of them, and gives their colours back; trained for %d epochs in %.0f s.", m.Edges, m.Clusters, m.Epochs, m.Seconds)}},
			f,
			report.Heading{Title: "Graph classification: HyperDrop", Lines: []string{fmt.Sprintf(
				"%d graphs have a class that only their edges decide. HyperDrop reads edges, drops the low-scored ones and keeps every node; a GCN that sees no edge features cannot do better than chance. %.0f s for both.", c.Graphs, c.Seconds)}},
			report.Heading{Title: "Next", Lines: []string{"Train on data of your own; every run gets a page like this with its scores, curves, errors and settings."}},
			report.Lines{"ehgnn train DATA --out runs/mine", "ehgnn train --help"},
		}}
	if err := os.MkdirAll(d.dir, 0o755); err != nil {
		return err
	}
	r.Report = filepath.Join(d.dir, report.PageFile)
	return atomicfile.Write(r.Report, page.WriteHTML)
}
