package page

import (
	"cmp"
	"fmt"
	"image/color"
	"net/url"
	"slices"
	"strconv"

	"github.com/ehgnn/ehgnn/chem"
	"github.com/ehgnn/ehgnn/internal/explain"
	"github.com/ehgnn/ehgnn/internal/report"
	"github.com/ehgnn/ehgnn/internal/report/draw"
	"github.com/ehgnn/ehgnn/internal/report/picture"
	"github.com/ehgnn/ehgnn/internal/settings"
)

// fewNodes is how many nodes a small figure has room for, fewLines how many black lines.
const (
	fewNodes = 40
	fewLines = 300
)

// drawn is a graph for the screen.
type drawn struct {
	record  explain.GraphRecord      // of what is drawn
	nodes   int                      // of the whole graph
	figure  *draw.Figure             // nil where it cannot be drawn, and of explanations
	drawing report.Drawing           // the figure, or the picture of an explanation
	edge    *explain.EdgeExplanation // in place of the record, for edges of tables
	toolkit chem.Toolkit
	problem string // why the record is not what was asked for
	form    *graphForm
	model   string
	centre  string // the node that a part of a graph is around
}

// draw makes the figure of the layer and colours that the form has chosen.
func (d *drawn) draw(s *site, q url.Values) error {
	f := d.form
	d.toolkit = s.Toolkit
	if d.record.Explanation != nil {
		d.drawing, f.Drawn = picture.Scores(d.record, s.Toolkit, picture.WideEdge), true
		return nil
	}
	by := q.Get("colour")
	if by != picture.ByComponent {
		by = picture.ByScore
	}
	figure, err := picture.Figure([]explain.GraphRecord{d.record}, picture.Options{Toolkit: s.Toolkit, By: by, Named: true})
	if err != nil {
		d.problem += sentence(err)
		return nil
	}
	f.Layers = len(d.record.Drops)
	f.Layer = f.Layers // what is left at the end
	if k, err := strconv.Atoi(q.Get("layer")); err == nil && k >= 0 && k <= f.Layers {
		f.Layer = k
	}
	f.LayerText = "the whole graph"
	if f.Layers > 0 {
		f.Colours = choices(by, picture.ByScore, picture.ByComponent)
		if f.Layer > 0 {
			f.LayerText = fmt.Sprintf("layer %d of %d", f.Layer, f.Layers)
		}
	}
	figure.Panels, figure.Columns = figure.Panels[f.Layer:f.Layer+1], 1
	if f.Layers > 0 && f.Layer == 0 {
		figure.Key = nil
	}
	if panel, ok := figure.Panels[0].(draw.Diagram); ok {
		figure.Panels[0], figure.Key = d.marked(panel, figure.Key)
	}
	figure.Width, figure.Height = 600, 440
	if len(d.record.Nodes) <= fewNodes {
		figure.Width, figure.Height = 400, 280
	}
	d.figure, d.drawing, f.Drawn = figure, figure, true
	return nil
}

// marked is the panel with the node and the edge that were asked for.
func (d *drawn) marked(panel draw.Diagram, key []draw.Key) (draw.Diagram, []draw.Key) {
	f := d.form
	if f.Layer == 0 {
		panel.Title = "" // the caption says it
	}
	panel.Fill = len(d.record.Nodes) > fewNodes
	u, v := slices.Index(d.record.Nodes, f.Node), slices.Index(d.record.Nodes, f.To)
	circled := false
	for i, l := range panel.Edges {
		if len(panel.Edges) > fewLines && l.Colour.A == 0 {
			panel.Edges[i].Colour = color.NRGBA{A: 90} // of lines one above the other each shows
		}
		if v >= 0 && (int(l.From) == u && int(l.To) == v || !d.record.Directed && int(l.From) == v && int(l.To) == u) {
			panel.Edges[i].Circled, panel.Edges[i].Colour, circled = true, draw.MarkColour, true
		}
	}
	if u >= 0 {
		panel.Squared = []int32{int32(u)}
		key = append(key, draw.Key{Text: "node " + f.Node, Squared: true})
	}
	if circled {
		key = append(key, draw.Key{Text: "edge from " + f.Node + " to " + f.To, Line: draw.Line{Circled: true, Colour: draw.MarkColour}})
	}
	return panel, key
}

// document is the figure and the tables.
func (d *drawn) document() (*report.Document, error) {
	if d.edge != nil {
		document := picture.EdgeDocument([]explain.EdgeExplanation{*d.edge}, picture.EdgeWords{}, d.model)
		document.Title = ""
		return document, nil
	}
	document, err := picture.Document([]explain.GraphRecord{d.record}, d.model, d.figure, d.toolkit)
	if err != nil {
		return nil, err
	}
	if d.problem != "" {
		document.Remarks = nil
	}
	document.Title = ""
	document.Parts = d.headed(document)
	return document, nil
}

// headed are the parts of a document with headings, its figure and tables fit for the screen.
func (d *drawn) headed(document *report.Document) (out []report.Part) {
	for _, p := range document.Parts {
		switch p := p.(type) {
		case *report.Figure:
			p.Vector, p.Caption, p.Description = true, d.caption(), d.size()
		case *report.Listing:
			heading := report.Heading{Title: "Edges"}
			if p.Columns[1].Name == "target" {
				heading = report.Heading{Title: "Fidelity", Lines: []string{"What the prediction loses without the edges of the highest scores, and with these alone, beside as many edges at random: probability of a class or label, or the number."}}
			}
			if heading.Title == "Edges" {
				heading.Lines = append(heading.Lines, d.turn(p))
			}
			out = append(out, heading)
		}
		out = append(out, p)
	}
	return out
}

// turn leaves a page of the rows of edges, those of the highest scores first, and says which.
func (d *drawn) turn(l *report.Listing) string {
	if x := d.record.Explanation; x != nil && len(x.Scores) == len(l.Rows) {
		order := make([]int, len(l.Rows))
		for i := range order {
			order[i] = i
		}
		slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(abs(x.Scores[b]), abs(x.Scores[a])) })
		rows := make([][]string, len(order))
		for k, i := range order {
			rows[k] = l.Rows[i]
		}
		l.Rows = rows
	}
	q, err := url.ParseQuery(d.form.query)
	n := len(l.Rows)
	from, _ := strconv.Atoi(q.Get("edges"))
	if err != nil || from < 0 || from >= n {
		from = 0
	}
	address := func(at int) string {
		q.Set("edges", strconv.Itoa(at))
		return "?" + q.Encode()
	}
	to := min(from+pageSize, n)
	if from > 0 {
		d.form.EdgesBefore = address(max(0, from-pageSize))
	}
	if to < n {
		d.form.EdgesAfter = address(to)
	}
	l.Rows = l.Rows[from:to]
	return fmt.Sprintf("%s to %s of %s, the highest scores first; record.json has all.", report.Count(min(from+1, n)), report.Count(to), report.Count(n))
}

func abs(v float32) float32 { return max(v, -v) }

// size says how much of the graph is drawn.
func (d *drawn) size() string {
	edges := report.Counted(len(d.record.Edges), "edge")
	if d.edge != nil {
		return ""
	}
	if x := d.record.Explanation; x != nil && x.Item != nil {
		return fmt.Sprintf("What is around %s %s: %s with scores, of %d that are up to %s away, as far as the model looks.",
			x.Item.Kind, x.Item.Name, report.Counted(withScores(x), "edge"), x.Item.Within, report.Counted(x.Item.Hops, "edge"))
	}
	if len(d.record.Nodes) < d.nodes {
		return fmt.Sprintf("%d of %d nodes: those up to %d edges away from node %s, with %s among them, numbered anew.", len(d.record.Nodes), d.nodes, hops, d.centre, edges)
	}
	return fmt.Sprintf("%s and %s.", report.Counted(d.nodes, "node"), edges)
}

// withScores is how many edges have scores: all but the one that is explained.
func withScores(x *explain.Explanation) int {
	if x.Item.Kind == settings.Edges {
		return len(x.Scores) - 1
	}
	return len(x.Scores)
}

// caption says what the figure shows.
func (d *drawn) caption() string {
	r := d.record
	switch {
	case r.Clusters != nil:
		return fmt.Sprintf("Graph %s, edges by their cluster; the table below has its number", r.Graph)
	case d.form.Layer > 0:
		return fmt.Sprintf("Graph %s, what layer %d kept (solid) and dropped (dashed)", r.Graph, d.form.Layer)
	}
	return "Graph " + r.Graph
}
