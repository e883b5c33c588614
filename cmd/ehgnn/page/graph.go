package page

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strconv"

	"github.com/ehgnn/ehgnn/cmd/ehgnn/items"
	"github.com/ehgnn/ehgnn/internal/explain"
	"github.com/ehgnn/ehgnn/internal/report"
	"github.com/ehgnn/ehgnn/internal/report/picture"
	"github.com/ehgnn/ehgnn/internal/session"
	"github.com/ehgnn/ehgnn/internal/settings"
	"github.com/ehgnn/ehgnn/internal/source"
)

// mostNodes is how many nodes of a graph a screen shows; of a larger graph it shows those around one node.
const mostNodes = 500

// hops is the distance up to which nodes are shown.
const hops = 2

// methods are the contents of a figure, in the order of the form.
var methods = []choice{
	{Value: explain.Shapley, Text: "what the prediction is made of"},
	{Value: explain.Occlusion, Text: "what the prediction depends on (occlusion)"},
	{Value: explain.Gradient, Text: "what the prediction depends on (gradient)"},
	{Value: explain.Mask, Text: "what the prediction depends on (mask)"},
	{Value: explain.Chance, Text: "scores at random, to compare with"},
	{Value: explain.Recorded, Text: "what the model kept"},
}

// graphQuery asks for a record of a graph.
type graphQuery struct{ part, graph, item, method, target string }

// graphForm is the content of the form of a graph.
type graphForm struct {
	Graph, Target  string
	Node, To       string // marked node, and other end of the marked edge; empty for none
	Kind           string // level of the explained items, node or edge; empty for graphs
	Item           string // name of the explained item; empty for the first
	Parts, Methods []choice
	Colours        []choice // nil if edges are not kept and dropped
	Layers, Layer  int
	LayerText      string
	Previous, Next string   // addresses of the previous and the next graph; empty for none
	Names          []string // of some graphs
	Drawn          bool
	Plain          bool // a node and its edges, for a model that does not drop or cluster edges
	// Edges are the addresses of the previous and the next page of the table of edges; empty for none.
	EdgesBefore, EdgesAfter string
	Why                     string // why this item is shown, if it was not requested
	query                   string // of the address
}

// File is the address of a download, relative to a screen of the run.
func (f *graphForm) File(name string) string { return "graph/" + name + "?" + f.query }

// graph makes the content of the screen and its files.
func (s *site) graph(ctx context.Context, o *opened, q url.Values) (*drawn, error) {
	g, end, err := o.withData(ctx)
	if err != nil {
		return nil, err
	}
	defer end()
	why := ""
	if q.Get("graph")+q.Get("node")+q.Get("item") == "" {
		q, why = o.doubtful(q)
	}
	f := &graphForm{Why: why, Graph: q.Get("graph"), Node: q.Get("node"), To: q.Get("to"), Target: q.Get("target"), query: q.Encode()}
	ask, err := f.choose(g.session, q)
	if err != nil {
		return nil, err
	}
	d := &drawn{form: f, model: g.session.Settings.ModelName}
	if ask.method == explain.Shapley {
		return d, d.explainEdge(ctx, g, ask)
	}
	whole, ok := g.remembered(ask)
	if !ok {
		if whole, d.problem, err = recordOf(ctx, g.session, ask); err != nil {
			return nil, err
		}
		if f.Kind == string(settings.Edges) && ask.method == explain.Recorded && d.problem != "" { // the model keeps all edges: show its predictions for them
			d.problem, f.Plain = "", true
			d.told = toldOf(o)
			if err := explain.NumberEdges(g.session, ask.part, &whole); err != nil {
				return nil, err
			}
		}
		if d.problem == "" && !f.Plain {
			g.remember(ask, whole)
		}
	}
	if err := d.cut(whole); err != nil {
		return nil, err
	}
	d.draw(s, q)
	return d, nil
}

// toldOf returns the true classes of the test set and their predicted probabilities; nil if the run predicts no classes
// or stores no predictions.
func toldOf(o *opened) map[string]picture.Told {
	set, err := o.Stored()
	if err != nil || !set.Classes() || !slices.Contains(set.Columns(), "edge") {
		return nil
	}
	out := make(map[string]picture.Told, set.Len())
	for i := range set.Len() {
		r := set.Row(int32(i))
		class := r.Text("label")
		p, err := strconv.ParseFloat(r.Text("probability_"+class), 64)
		if class == "" || err != nil {
			continue
		}
		out[r.Text("edge")] = picture.Told{Class: class, Probability: p, Wrong: r.Text("prediction") != class}
	}
	return out
}

// doubtful adds the item with the worst prediction to a query, and the reason. It returns the query unchanged for
// another part, if nothing is stored, or if nothing is wrong.
func (o *opened) doubtful(q url.Values) (url.Values, string) {
	set, err := o.Stored()
	if err != nil || q.Get("part") != "" && q.Get("part") != source.PartTest || q.Get("method") == explain.Recorded {
		return q, ""
	}
	page, err := set.Select(items.Query{Size: 1, Sort: "-" + items.ErrorColumn})
	if err != nil || len(page.Rows) == 0 {
		return q, ""
	}
	if e, known := page.Rows[0].Error(); !known || e == 0 {
		return q, ""
	}
	link, err := url.Parse(graphOf("", page.Rows[0]))
	if err != nil {
		return q, ""
	}
	out := maps.Clone(q)
	maps.Copy(out, link.Query())
	return out, "Opened on the test item with the largest error; Items lists all by their error."
}

// cut returns the part of a graph to draw: all of it, or the surroundings of a node.
func (d *drawn) cut(whole explain.GraphRecord) error {
	d.nodes, d.record = len(whole.Nodes), whole
	if whole.Explanation != nil {
		return nil // few of its edges are drawn
	}
	from, err := centre(whole, d.form.Node)
	if err != nil {
		return err
	}
	if to := slices.Index(whole.Nodes, d.form.To); to >= 0 {
		from = append(from, int32(to))
	}
	if d.nodes > mostNodes {
		d.record, d.centre = picture.Around(whole, from, hops, mostNodes), whole.Nodes[from[0]]
	}
	return nil
}

// choose reads the form: graph, part and method.
func (f *graphForm) choose(s *session.Session, q url.Values) (ask graphQuery, err error) {
	part := q.Get("part")
	var names []string
	for _, name := range []string{part, source.PartTest, source.PartAll} {
		if name == "" {
			continue
		}
		if names, err = explain.GraphNames(s, name); err == nil && (f.Graph == "" || part != "" || slices.Contains(names, f.Graph)) {
			part = name
			break
		}
	}
	if err != nil {
		return ask, &httpError{http.StatusBadRequest, sentence(err)}
	}
	if len(names) == 0 {
		return ask, &httpError{http.StatusNotFound, fmt.Sprintf("Part %s has no graphs.", part)}
	}
	if f.Graph == "" {
		f.Graph = names[0]
	}
	at := slices.Index(names, f.Graph)
	if at < 0 {
		return ask, &httpError{http.StatusNotFound, fmt.Sprintf("There is no graph %q, expected one of %d from %q to %q.", f.Graph, len(names), names[0], names[len(names)-1])}
	}
	f.Names = names[:min(len(names), 1000)]
	ask = graphQuery{part: part, graph: f.Graph, method: q.Get("method"), target: f.Target}
	f.chooseItem(s, q.Get("item"))
	if ask.method == "" {
		// A node without a second node is not an edge to explain, but a place to show.
		if ask.method = explain.Occlusion; explain.ExplainsEdges(s) {
			ask.method = explain.Shapley
		}
		if !explain.Explains(s) || f.Kind == string(settings.Edges) && f.Item == "" && f.Node != "" {
			ask.method = explain.Recorded
		}
	}
	if ask.method != explain.Recorded && f.Kind != "" {
		ask.item, f.Node, f.To = f.Item, "", ""
	}
	for _, m := range methods {
		if m.Value == explain.Recorded || m.Value == explain.Shapley && explain.ExplainsEdges(s) || m.Value != explain.Shapley && explain.Explains(s) {
			m.Chosen = m.Value == ask.method
			f.Methods = append(f.Methods, m)
		}
	}
	if !slices.ContainsFunc(f.Methods, func(m choice) bool { return m.Chosen }) {
		return ask, &httpError{http.StatusBadRequest, fmt.Sprintf("There is no method %q for this run.", ask.method)}
	}
	f.Parts = choices(part, source.PartTest, source.PartValid, source.PartTrain, source.PartAll)
	near := func(k int) string {
		if k < 0 || k >= len(names) {
			return ""
		}
		return "?" + url.Values{"part": {part}, "graph": {names[k]}, "method": {ask.method}}.Encode()
	}
	f.Previous, f.Next = near(at-1), near(at+1)
	return ask, nil
}

// chooseItem sets the node or edge to explain: the named one, or the marked one.
func (f *graphForm) chooseItem(s *session.Session, name string) {
	if explain.Predicts(s) == settings.Graphs || !explain.Explains(s) {
		return
	}
	f.Kind, f.Item = string(explain.Predicts(s)), name
	switch {
	case name != "":
	case explain.Predicts(s) == settings.Nodes:
		f.Item = f.Node
	case f.To != "":
		f.Item = f.Node + ":" + f.To
	}
}

// recordOf makes a record; if this fails, it returns the graph only and the reason.
func recordOf(ctx context.Context, s *session.Session, ask graphQuery) (r explain.GraphRecord, problem string, err error) {
	var records []explain.GraphRecord
	switch {
	case ask.method == explain.Recorded:
		records, err = explain.Record(s, ctx, ask.part, ask.graph)
	case explain.Predicts(s) == settings.Graphs:
		records, err = explain.Graphs(s, ctx, ask.part, ask.method, ask.target, ask.graph)
	case ask.item == "":
		records, err = explain.Items(s, ctx, ask.part, ask.method, ask.target, ask.graph)
	default:
		records, err = explain.Items(s, ctx, ask.part, ask.method, ask.target, ask.graph, ask.item)
	}
	if err != nil && settings.IsUsage(err) {
		problem = sentence(err)
		names, err := explain.GraphNames(s, ask.part)
		if err != nil {
			return r, "", err
		}
		if records, err = explain.Sketches(s, ask.part, []int{slices.Index(names, ask.graph)}); err != nil {
			return r, "", err
		}
		return records[0], problem, nil
	}
	if err != nil {
		return r, "", err
	}
	return records[0], "", nil
}

// centre is the node that a large graph is drawn around: the named node, an end of the edge with
// the highest score, or the node with the most edges.
func centre(g explain.GraphRecord, name string) ([]int32, error) {
	if name != "" {
		v := slices.Index(g.Nodes, name)
		if v < 0 {
			return nil, &httpError{http.StatusNotFound, fmt.Sprintf("Graph %s has no node %q.", g.Graph, name)}
		}
		return []int32{int32(v)}, nil
	}
	if len(g.Nodes) == 0 {
		return nil, nil
	}
	if x := g.Explanation; x != nil && len(x.Scores) > 0 {
		best := 0
		for e, s := range x.Scores {
			if s > x.Scores[best] {
				best = e
			}
		}
		return []int32{g.Edges[best][0]}, nil
	}
	degree, best := make([]int, len(g.Nodes)), 0
	for _, e := range g.Edges {
		for _, v := range e {
			if degree[v]++; degree[v] > degree[best] {
				best = int(v)
			}
		}
	}
	return []int32{int32(best)}, nil
}

// showGraph shows a graph.
func (s *site) showGraph(o *opened, r *http.Request) (*view, error) {
	v := &view{Title: "Graph of " + o.Name, Tab: "graph"}
	d, err := s.graph(r.Context(), o, r.URL.Query())
	if err != nil {
		return missingScreen(v, err)
	}
	if d.edge != nil {
		d.record.Graph = d.form.Graph
	}
	if d.form.Plain {
		for i := range d.form.Methods {
			if d.form.Methods[i].Value == explain.Recorded {
				d.form.Methods[i].Text = "a node and its edges"
			}
		}
	}
	v.Title, v.Form, v.Data, v.Problem = fmt.Sprintf("Graph %s of %s", d.record.Graph, o.Name), "graph", d.form, d.problem
	switch {
	case d.edge != nil:
		v.Title = fmt.Sprintf("Edge %s of %s", d.edge.ID, o.Name)
		d.form.Item = d.edge.ID
	case len(d.form.Names) == 1:
		v.Title = "Graph of " + o.Name
	}
	text := d.size()
	if x := d.record.Explanation; x != nil {
		text += explains(o, x)
	}
	v.Lead = []string{text}
	return v.setDocument(d.document())
}

// explains says what is explained.
func explains(o *opened, x *explain.Explanation) string {
	if o.Model().Classes() != nil {
		if x.Value < 0 {
			return fmt.Sprintf(" Explained is class %s, whose logit is %s below the highest.", x.Target, report.Significant(-x.Value))
		}
		return fmt.Sprintf(" Explained is class %s, whose logit is %s above that of the next.", x.Target, report.Significant(x.Value))
	}
	if set, err := o.settings(); err == nil && set.Target.Units == nil {
		return fmt.Sprintf(" Explained is label %s, whose logit is %s.", x.Target, report.Significant(x.Value))
	}
	return fmt.Sprintf(" Explained is %s, for which the model says %s.", x.Target, report.Significant(x.Value))
}

// graphFile is the figure or the record of a graph as a file.
func (s *site) graphFile(o *opened, r *http.Request, w io.Writer) (name, kind string, err error) {
	name = r.PathValue("file")
	kinds := map[string]string{"figure.svg": "image/svg+xml", "figure.png": "image/png", "record.json": "application/json"}
	if kinds[name] == "" {
		return "", "", &httpError{http.StatusNotFound, "There is no such file; expected figure.svg, figure.png or record.json."}
	}
	d, err := s.graph(r.Context(), o, r.URL.Query())
	if m := (*missing)(nil); errors.As(err, &m) {
		return "", "", &httpError{http.StatusNotFound, sentence(err)}
	}
	if err != nil {
		return "", "", err
	}
	var text []byte
	switch {
	case name == "record.json" && d.edge != nil:
		text, err = json.MarshalIndent(d.edge, "", "  ")
	case name == "record.json":
		text, err = json.MarshalIndent(d.record, "", "  ")
	case d.drawing == nil:
		err = &httpError{http.StatusNotFound, d.problem}
	case name == "figure.svg":
		text, err = d.drawing.SVG()
	default:
		text, err = d.drawing.PNG()
	}
	if err != nil {
		return "", "", err
	}
	_, err = w.Write(text)
	return name, kinds[name], err
}
