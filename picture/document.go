package picture

import (
	"fmt"
	"strconv"

	"github.com/ehgnn/ehgnn/draw"
	"github.com/ehgnn/ehgnn/report"
	"github.com/ehgnn/ehgnn/task"
)

// Document is records as text, page and value: a row for each edge, below the figure, which
// may be nil.
func Document(records []task.GraphRecord, model string, figure *draw.Figure) (*report.Document, error) {
	d := &report.Document{Title: "Record of " + model + ": " + did(records), Parts: []report.Part{listing(records)}, Value: records,
		Remarks: []string{"The record says what the model did, not what its prediction hangs on: a model may drop an edge after it has read it."}}
	if figure == nil {
		return d, nil
	}
	f, err := report.Drawn("record", d.Title, figure)
	if err != nil {
		return nil, err
	}
	d.Parts = append([]report.Part{f}, d.Parts...)
	return d, nil
}

// did says what records are of.
func did(records []task.GraphRecord) string {
	if len(records) > 0 && records[0].Clusters != nil {
		return "edges and their clusters"
	}
	return "edges that it kept and dropped"
}

// listing has a row for each edge: its score at each layer that it reached, the layer that
// dropped it, its cluster.
func listing(records []task.GraphRecord) *report.Listing {
	l := &report.Listing{Columns: []report.ListingColumn{{Name: "graph", Left: true}, {Name: "edge"}, {Name: "source", Left: true}, {Name: "target", Left: true}}}
	if len(records) == 0 {
		return l
	}
	layers := len(records[0].Drops)
	for _, d := range records[0].Drops {
		l.Columns = append(l.Columns, report.ListingColumn{Name: fmt.Sprintf("score %d", d.Layer)})
	}
	if layers > 0 {
		l.Columns = append(l.Columns, report.ListingColumn{Name: "dropped at"})
	}
	if records[0].Clusters != nil {
		l.Columns = append(l.Columns, report.ListingColumn{Name: "cluster"}, report.ListingColumn{Name: "weight"})
	}
	number := func(v float32) string { return strconv.FormatFloat(float64(v), 'f', 4, 32) }
	for _, g := range records {
		rows := make([][]string, len(g.Edges))
		for e, ends := range g.Edges {
			rows[e] = make([]string, len(l.Columns))
			copy(rows[e], []string{g.Graph, strconv.Itoa(e), g.Nodes[ends[0]], g.Nodes[ends[1]]})
			if c := g.Clusters; c != nil {
				copy(rows[e][len(l.Columns)-2:], []string{strconv.Itoa(int(c.Cluster[e])), number(c.Weight[e])})
			}
		}
		for k, d := range g.Drops {
			for i, e := range d.Edges {
				rows[e][4+k] = number(d.Scores[i])
				if !d.Kept[i] {
					rows[e][4+layers] = strconv.Itoa(d.Layer)
				}
			}
		}
		l.Rows = append(l.Rows, rows...)
	}
	return l
}
