package experiment

import (
	"context"
	"fmt"

	"github.com/ehgnn/ehgnn/data/synth"
	"github.com/ehgnn/ehgnn/graph"
	"github.com/ehgnn/ehgnn/internal/report"
)

// transformTime is table 4 of the paper.
var transformTime = Experiment{
	Name: "transform-time", Title: "Table 4: time of the line graph and of the dual hypergraph",
	Options: []Option{runsOption, outOption},
	run: func(ctx context.Context, c *call) (*report.Document, error) {
		rows, err := measureTransforms(ctx, value[int](c, "runs"), c.Seed)
		if err != nil {
			return nil, err
		}
		number := func(name string) report.ListingColumn { return report.ListingColumn{Name: name, Width: 11} }
		paper := func(name string) report.ListingColumn {
			return report.ListingColumn{Name: name, Width: 10, Paper: true}
		}
		list := &report.Listing{Columns: []report.ListingColumn{{Name: "edges", Width: 7}, number("line graph"), number("its pairs"),
			number("dual"), number("dual+index"), number("copy edges"), paper("paper line"), paper("paper dual")}}
		for _, r := range rows {
			list.Rows = append(list.Rows, []string{fmt.Sprint(r.Edges), seconds(r.LineGraph), fmt.Sprint(r.LinePairs), seconds(r.Dual),
				seconds(r.Index), seconds(r.Copy), fmt.Sprintf("%.2f", r.PaperLine), fmt.Sprintf("%.2f", r.PaperDual)})
		}
		return c.write(&report.Document{
			Title: "Seconds to make the edges of an Erdos-Renyi graph of 1,000 nodes learnable.",
			Parts: []report.Part{list}, Sheets: []report.Sheet{list.Sheet("table")}, Value: rows,
			Remarks: []string{"dual: the transformation alone, which shares the edge list; index: with its entries sorted\n" +
				"by hyperedge, as message passing needs once per batch. Paper: Python, its own machine."}})
	},
}

// transformRow is one column of the paper's table 4: seconds to make edges
// learnable, for an Erdos-Renyi graph of 1,000 nodes.
type transformRow struct {
	Edges     int     `json:"edges"`
	LineGraph float64 `json:"line_graph"` // time to build the line graph's edge list
	LinePairs int     `json:"line_pairs"` // its size
	Dual      float64 `json:"dual"`       // time to build the dual hypergraph of the edge list
	// Index is the time to sort the dual's entries by hyperedge. Message passing needs this once for
	// each batch, and caches it.
	Index float64 `json:"index"`
	Copy  float64 `json:"copy"` // time to copy the edge list, for comparison
	// The paper's numbers: Python on the authors' machine.
	PaperLine float64 `json:"paper_line_graph"`
	PaperDual float64 `json:"paper_dual"`
}

// measureTransforms measures table 4 over the given number of runs each.
func measureTransforms(ctx context.Context, runs int, seed uint64) ([]transformRow, error) {
	rows := []transformRow{
		{Edges: 2000, PaperLine: 32.78, PaperDual: 0.13}, {Edges: 4000, PaperLine: 65.93, PaperDual: 0.18},
		{Edges: 8000, PaperLine: 131.36, PaperDual: 0.26}, {Edges: 16000, PaperLine: 260.92, PaperDual: 0.45},
		{Edges: 32000, PaperLine: 527.44, PaperDual: 0.81}, {Edges: 64000, PaperLine: 1071.31, PaperDual: 1.37},
	}
	const nodes = 1000
	for i := range rows {
		r := &rows[i]
		g, err := synth.ErdosRenyi(nodes, r.Edges, seed)
		if err != nil {
			return nil, fmt.Errorf("experiment: transform time: %w", err)
		}
		buf := make([]int32, len(g.Ends))
		steps := []struct {
			to *float64
			f  func()
		}{
			{&r.LineGraph, func() { r.LinePairs = len(graph.LineGraph(nodes, g.Ends)) / 2 }},
			{&r.Dual, func() { keep(graph.DualOf(g)) }},
			{&r.Index, func() { keep(graph.DualOf(g).Hyper()) }},
			{&r.Copy, func() { copy(buf, g.Ends) }},
		}
		for _, s := range steps {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			*s.to = fastest(runs, s.f)
		}
	}
	return rows, nil
}
