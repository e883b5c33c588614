package experiment

import (
	"context"
	"fmt"

	"github.com/ehgnn/ehgnn/data/synth"
	"github.com/ehgnn/ehgnn/graph"
	"github.com/ehgnn/ehgnn/internal/report"
	"github.com/ehgnn/ehgnn/nn"
	"github.com/ehgnn/ehgnn/tensor"
)

// messageTime is table 5 of the paper.
var messageTime = Experiment{
	Name: "message-time", Title: "Table 5: time of message passing between nodes and between edges",
	Options: []Option{runsOption, outOption},
	run: func(ctx context.Context, c *call) (*report.Document, error) {
		rows, err := measureMessages(ctx, value[int](c, "runs"), c.Threads, c.Seed)
		if err != nil {
			return nil, err
		}
		number := func(name string, paper bool) report.ListingColumn {
			return report.ListingColumn{Name: name, Width: 11, Paper: paper}
		}
		list := &report.Listing{Columns: []report.ListingColumn{{Name: "graph", Left: true, Width: 16}, number("nodes (GCN)", false), number("edges", false),
			number("paper nodes", true), number("paper edges", true)}}
		for _, r := range rows {
			list.Rows = append(list.Rows, []string{r.Graph, seconds(r.NodeTime), seconds(r.EdgeTime), fmt.Sprintf("%.4f", r.PaperNodes), fmt.Sprintf("%.4f", r.PaperEdges)})
		}
		return c.write(&report.Document{Title: "Seconds of one message passing of width 32, 3,000 nodes and 11,984 edges.",
			Parts: []report.Part{list}, Sheets: []report.Sheet{list.Sheet("table")}, Value: rows})
	},
}

// messageRow is one row of the paper's table 5: seconds of one message passing
// between nodes (GCN) and between edges (hypergraph convolution on the dual).
type messageRow struct {
	Graph      string  `json:"graph"`
	Nodes      int     `json:"nodes"`
	Edges      int     `json:"edges"`
	NodeTime   float64 `json:"node_time"`
	EdgeTime   float64 `json:"edge_time"`
	PaperNodes float64 `json:"paper_node_time"`
	PaperEdges float64 `json:"paper_edge_time"`
}

// measureMessages measures table 5: forward passes of width 32 on graphs of 3,000
// nodes and 11,984 edges.
func measureMessages(ctx context.Context, runs, threads int, seed uint64) ([]messageRow, error) {
	const nodes, edges, width = 3000, 11984, 32
	er, err := synth.ErdosRenyi(nodes, edges, seed)
	if err != nil {
		return nil, fmt.Errorf("experiment: message time: %w", err)
	}
	ba, err := synth.BarabasiAlbert(nodes, 4, seed) // 4·(3000-4) edges
	if err != nil {
		return nil, fmt.Errorf("experiment: message time: %w", err)
	}
	rows := []messageRow{
		{Graph: "Erdos-Renyi", PaperNodes: 0.0031, PaperEdges: 0.0034},
		{Graph: "Barabasi-Albert", PaperNodes: 0.0029, PaperEdges: 0.0032},
	}
	arena := tensor.NewArena(threads)
	for i, g := range []*graph.Graph{er, ba} {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		r := &rows[i]
		r.Nodes, r.Edges = g.NumNodes, g.NumEdges()
		h, err := graph.NewPairs(g.NumNodes, g.Ends, false)
		if err != nil {
			return nil, fmt.Errorf("experiment: message time: %w", err)
		}
		v := graph.View{H: h, X: tensor.Full(1, r.Nodes, width), E: tensor.Full(1, r.Edges, width)}
		dims := nn.ConvDims{In: width, Out: width}
		in := nn.NewInit(seed)
		r.NodeTime = timeConv(arena, runs, nn.NewGCN(in.In("gcn"), dims, nn.GCNConfig{}), v)
		r.EdgeTime = timeConv(arena, runs, nn.NewHyperConv(in.In("hyper"), dims, nn.HyperConvConfig{}), v.Dual())
	}
	return rows, nil
}

func timeConv(arena *tensor.Arena, runs int, c nn.Conv, v graph.View) float64 {
	return fastest(runs, func() {
		tape := arena.Tape()
		c.Forward(&nn.Pass{Tape: tape}, v)
		tape.Close()
	})
}
