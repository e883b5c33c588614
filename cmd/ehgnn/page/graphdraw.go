package page

import (
	"cmp"
	"fmt"
	"net/url"
	"slices"
	"strconv"

	"github.com/ehgnn/ehgnn/chem"
	"github.com/ehgnn/ehgnn/internal/explain"
	"github.com/ehgnn/ehgnn/internal/lists"
	"github.com/ehgnn/ehgnn/internal/report"
	"github.com/ehgnn/ehgnn/internal/report/picture"
	"github.com/ehgnn/ehgnn/internal/settings"
)

// drawn is a graph for the screen.
type drawn struct {
	record  explain.GraphRecord      // record to draw
	nodes   int                      // of the whole graph
	drawing report.Drawing           // nil if it cannot be drawn
	edge    *explain.EdgeExplanation // replaces the record for edges of tables
	toolkit chem.Toolkit
	kept    picture.Kept // how to draw a record
	problem string       // why the record differs from the requested one
	form    *graphForm
	model   string
	centre  string // node at the centre of a part of a graph
	told    map[string]picture.Told
}

// draw makes the picture of the layer and colours chosen in the form.
func (d *drawn) draw(s *site, q url.Values) {
	f := d.form
	d.toolkit, f.Drawn = s.Toolkit, true
	if d.record.Explanation != nil {
		d.drawing = picture.Scores(d.record, s.Toolkit, picture.WideEdge)
		return
	}
	by := q.Get("colour")
	if by != picture.ByComponent {
		by = picture.ByScore
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
	d.kept = picture.Kept{Layer: f.Layer, By: by, Node: f.Node, To: f.To, Told: d.told}
	if d.centre != "" {
		d.kept.Node = d.centre
	}
	d.drawing = picture.Record(d.record, d.kept, s.Toolkit, picture.WideEdge)
	d.kept.Link = func(node string) string {
		to := url.Values{"part": {q.Get("part")}, "graph": {f.Graph}, "method": {explain.Recorded}, "node": {node}}
		return "?" + to.Encode()
	}
}

// document has the picture and the tables.
func (d *drawn) document() *report.Document {
	if d.edge != nil {
		document := picture.EdgeDocument([]explain.EdgeExplanation{*d.edge}, picture.EdgeWords{}, d.model)
		document.Title = ""
		return document
	}
	document := picture.Document([]explain.GraphRecord{d.record}, d.model, d.kept, d.toolkit)
	if d.problem != "" || d.form.Plain {
		document.Remarks = nil
	}
	document.Title = ""
	document.Parts = d.headed(document)
	return document
}

// headed adds headings to the parts of a document, and adapts its tables to the screen.
func (d *drawn) headed(document *report.Document) (out []report.Part) {
	for _, p := range document.Parts {
		if p, ok := p.(*report.Listing); ok {
			d.narrow(p)
			heading := report.Heading{Title: "Edges"}
			if p.Columns[0].Name == "target" {
				heading = report.Heading{Title: "Fidelity", Lines: []string{"The decrease of the prediction (probability of a class or label, or number) without the edges with the highest scores, and with only these edges, compared with as many random edges."}}
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

// narrow removes the column of the graph, because the screen shows one graph, and, for the edges around a node, edges elsewhere.
func (d *drawn) narrow(l *report.Listing) {
	if l.Columns[0].Name != "graph" {
		return
	}
	node := d.kept.Node
	from := slices.IndexFunc(l.Columns, func(c report.ListingColumn) bool { return c.Name == "source" })
	if d.form.Plain && node != "" && from >= 0 {
		l.Rows = slices.DeleteFunc(l.Rows, func(row []string) bool { return row[from] != node && row[from+1] != node })
	}
	l.Columns = l.Columns[1:]
	for i := range l.Rows {
		l.Rows[i] = l.Rows[i][1:]
	}
}

// turn keeps one page of the rows of edges, highest scores first, and says which.
func (d *drawn) turn(l *report.Listing) string {
	if x := d.record.Explanation; x != nil && len(x.Scores) == len(l.Rows) {
		order := lists.Range[int](len(l.Rows))
		slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(abs(x.Scores[b]), abs(x.Scores[a])) })
		l.Rows = lists.Take(l.Rows, order)
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
	if d.record.Explanation == nil {
		return fmt.Sprintf("%s to %s of %s; record.json has all.", report.Count(min(from+1, n)), report.Count(to), report.Count(n))
	}
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
		return fmt.Sprintf("Surroundings of %s %s: %s with scores, of %d that are up to %s away, the receptive field of the model.",
			x.Item.Kind, x.Item.Name, report.Counted(withScores(x), "edge"), x.Item.Within, report.Counted(x.Item.Hops, "edge"))
	}
	if len(d.record.Nodes) < d.nodes {
		return fmt.Sprintf("%d of %d nodes: those up to %d edges away from node %s, with %s among them%s.", len(d.record.Nodes), d.nodes, hops, d.centre, edges, map[bool]string{true: ", renumbered"}[d.record.EdgeNames == nil])
	}
	return fmt.Sprintf("%s and %s.", report.Counted(d.nodes, "node"), edges)
}

// withScores is the number of edges with scores: all except the explained one.
func withScores(x *explain.Explanation) int {
	if x.Item.Kind == settings.Edges {
		return len(x.Scores) - 1
	}
	return len(x.Scores)
}
