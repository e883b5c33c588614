package picture

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/ehgnn/ehgnn/chem"
	"github.com/ehgnn/ehgnn/internal/explain"
	"github.com/ehgnn/ehgnn/internal/lists"
	"github.com/ehgnn/ehgnn/internal/report"
	"github.com/ehgnn/ehgnn/internal/report/draw"
	"github.com/ehgnn/ehgnn/internal/settings"
)

// Document shows records as text, page and value: pictures of explanations (Scores), or of records (Record) for each
// graph and layer, and below them a row for each edge.
func Document(records []explain.GraphRecord, model string, o Kept, tk chem.Toolkit) *report.Document {
	d := &report.Document{Title: "Record of " + model + ": " + did(records), Parts: []report.Part{listing(records)}, Value: records,
		Remarks: []string{"The record says what the model did, not what its prediction depends on: a model may drop an edge after it has read it."}}
	if len(records) > 0 && records[0].Explanation != nil {
		x := records[0].Explanation
		d.Title = "Which edges predictions of " + model + " depend on, by " + x.Method
		d.Remarks = append(surroundings(records), fidelityText(x.Unit))
		d.Parts = nil
		for _, g := range records {
			d.Parts = append(d.Parts, report.SceneOf(fidelity(g), func(width float64) *draw.Scene { return Scores(g, tk, width) }))
		}
		d.Parts = append(d.Parts, listing(records))
		return d
	}
	var pictures []report.Part
	for _, g := range records {
		first, last := o.Layer, o.Layer
		if o.Layer == AllLayers {
			first, last = min(1, len(g.Drops)), len(g.Drops)
		}
		for layer := first; layer <= last && len(pictures) < maxPictures; layer++ {
			of := o
			of.Layer = layer
			s := report.SceneOf(nil, func(width float64) *draw.Scene { return Record(g, of, tk, width) })
			s.Caption = caption(g, layer)
			pictures = append(pictures, s)
		}
	}
	d.Parts = append(pictures, d.Parts...)
	return d
}

// caption describes a picture.
func caption(g explain.GraphRecord, layer int) string {
	switch name := "Graph " + safe(g.Graph); {
	case g.Clusters != nil:
		return name + ", edges by their cluster; the table below has its number."
	case layer > 0:
		return fmt.Sprintf("%s, what layer %d kept and dropped.", name, layer)
	default:
		return "" // the picture has its name
	}
}

// fidelityText explains the columns of fidelity.
func fidelityText(unit string) string {
	what := "the probability of the target"
	if unit == explain.Number {
		what = "the prediction"
	}
	return "Fidelity+ is the decrease of " + what + " without the edges of the highest scores; it should be large. Fidelity− is the decrease with only these edges; it should be near 0. If as many random edges have the same fidelity, the scores are not informative."
}

// surroundings says which edges have scores, for predictions of nodes and edges.
func surroundings(records []explain.GraphRecord) (out []string) {
	for _, g := range records {
		item := g.Explanation.Item
		if item == nil {
			continue
		}
		scored := len(g.Edges)
		if item.Kind == settings.Edges {
			scored-- // without the edge itself
		}
		text := fmt.Sprintf("The prediction for %s %s depends on edges up to %s away, of which there are %d", item.Kind, item.Name, report.Counted(item.Hops, "hop"), item.Within)
		if scored < item.Within {
			text += fmt.Sprintf("; the nearest %d have scores", scored)
		}
		out = append(out, text+".")
	}
	return out
}

// recordName is the name of a record's graph, node or edge in tables.
func recordName(g explain.GraphRecord) string {
	if x := g.Explanation; x != nil && x.Item != nil {
		return fmt.Sprintf("%s %s", x.Item.Kind, x.Item.Name)
	}
	return g.Graph
}

// subject is the heading of records.
func subject(records []explain.GraphRecord) string {
	if len(records) > 0 && records[0].Explanation != nil && records[0].Explanation.Item != nil {
		return "prediction for"
	}
	return "graph"
}

// fidelity has a row for each share of the edges of a graph that gives a different number of edges.
func fidelity(g explain.GraphRecord) *report.Listing {
	x, of := g.Explanation, recordName(g)
	if x.Item == nil {
		of = "graph " + of
	}
	l := &report.Listing{Columns: []report.ListingColumn{{Name: fmt.Sprintf("%s, %s: edges", of, targetOf(x)), Left: true},
		{Name: "fidelity+"}, {Name: "random fidelity+"}, {Name: "fidelity−"}, {Name: "random fidelity−"}}}
	change := func(c explain.Change) string {
		if x.Unit == explain.Number {
			return number(c.Fall)
		}
		return numberTo(c.Fall, 3)
	}
	for i, f := range x.Fidelity {
		if i > 0 && f.Edges == x.Fidelity[i-1].Edges {
			continue
		}
		l.Rows = append(l.Rows, []string{fmt.Sprintf("%d (%g %%)", f.Edges, 100*f.Share), change(f.Without), change(f.RandomWithout), change(f.Alone), change(f.RandomAlone)})
	}
	return l
}

func number[T float32 | float64](v T) string { return numberTo(float64(v), 4) }

// numberTo formats a number with so many decimals; 0 has no sign.
func numberTo(v float64, decimals int) string {
	text := strconv.FormatFloat(v, 'f', decimals, 64)
	if strings.Trim(text, "-0.") == "" {
		return strings.TrimPrefix(text, "-")
	}
	return text
}

// did says what records contain.
func did(records []explain.GraphRecord) string {
	if len(records) > 0 && records[0].Clusters != nil {
		return "edges and their clusters"
	}
	return "edges that it kept and dropped"
}

// listing has a row for each edge: its score at each layer that it reached, the layer that dropped
// it, and its cluster.
func listing(records []explain.GraphRecord) *report.Listing {
	l := &report.Listing{Columns: []report.ListingColumn{{Name: subject(records), Left: true}, {Name: "edge"}, {Name: "source", Left: true}, {Name: "target", Left: true}}}
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
	if records[0].Explanation != nil {
		l.Columns = append(l.Columns, report.ListingColumn{Name: "score"})
		if records[0].Explanation.Spread != nil {
			l.Columns = append(l.Columns, report.ListingColumn{Name: "deviation"})
		}
	}
	if records[0].Clusters != nil {
		l.Columns = append(l.Columns, report.ListingColumn{Name: "cluster"}, report.ListingColumn{Name: "weight"})
	}
	for _, g := range records {
		rows := make([][]string, len(g.Edges))
		for e, ends := range g.Edges {
			rows[e] = make([]string, len(l.Columns))
			copy(rows[e], []string{recordName(g), edgeName(g, e), g.Nodes[ends[0]], g.Nodes[ends[1]]})
			if x := g.Explanation; x != nil {
				if rows[e][4] = number(x.Scores[e]); x.Spread != nil {
					rows[e][5] = number(x.Spread[e])
				}
			}
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
		l.Rows = append(l.Rows, byScore(g, rows)...)
	}
	if len(l.Rows) > mostUnfolded {
		l.Fold = fmt.Sprintf("All %s edges with their scores", report.Count(len(l.Rows)))
		if records[0].Clusters != nil {
			l.Fold = fmt.Sprintf("All %s edges with their clusters", report.Count(len(l.Rows)))
		}
	}
	return l
}

// mostUnfolded is how many edges a page lists without collapsing them.
const mostUnfolded = 12

func edgeName(g explain.GraphRecord, e int) string {
	if g.EdgeNames != nil {
		return g.EdgeNames[e]
	}
	return strconv.Itoa(e)
}

// byScore returns the rows of edges in order; around an item they are sorted by score, highest
// first, without the item.
func byScore(g explain.GraphRecord, rows [][]string) [][]string {
	x := g.Explanation
	if x == nil || x.Item == nil {
		return rows
	}
	order := make([]int, 0, len(rows))
	for e := range rows {
		if x.Item.Kind != settings.Edges || e != int(x.Item.Number) {
			order = append(order, e)
		}
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(x.Scores[b], x.Scores[a]) })
	return lists.Take(rows, order)
}
