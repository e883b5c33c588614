package explain

import (
	"cmp"
	"context"
	"math"
	"slices"

	"github.com/ehgnn/ehgnn/graph"
	"github.com/ehgnn/ehgnn/internal/lists"
	"github.com/ehgnn/ehgnn/internal/report"
	"github.com/ehgnn/ehgnn/internal/session"
	"github.com/ehgnn/ehgnn/internal/settings"
	"github.com/ehgnn/ehgnn/internal/source"
	"github.com/ehgnn/ehgnn/internal/task"
	"github.com/ehgnn/ehgnn/model"
)

// ExplainedItem is the node or edge that the explained prediction is for.
type ExplainedItem struct {
	Kind   settings.Level `json:"kind"`
	Name   string         `json:"name"`   // name in predictions; ends of an edge without a number
	Number int32          `json:"number"` // index in GraphRecord.Nodes or GraphRecord.Edges
	// Hops is the receptive field of the model in edges; Within is the number of edges in it, of which
	// the nearest have scores.
	Hops   int `json:"hops"`
	Within int `json:"within"`
}

// mostWork limits the total number of edges that the model reads while edges of a large graph are removed one
// at a time. At least leastScored edges are scored. A model that is fitted on columns takes workFitted times
// as long, so fewer edges are scored.
const (
	mostWork    = 1 << 23
	leastScored = 100
	leastFitted = 20
	workFitted  = 50
)

// Items explains predictions of a target for nodes or edges of a graph by other edges. Items and the
// graph are named as in predictions; without names it is the first item of the part, and an empty
// name is the first graph.
//
// The candidate edges are in the receptive field of the item: as many hops away as the model has
// layers, or further, until a graph of only these edges gives the same prediction as the whole graph.
// At most mostOccluded of them, and fewer in a large graph, have scores: the nearest ones. When edges
// are removed, the others keep their structure and time columns. A model that reads labels of edges
// reads the same labels as in the prediction.
func Items(s *session.Session, ctx context.Context, part, method, target, graphName string, names ...string) ([]GraphRecord, error) {
	if s.Task.Level == settings.Graphs || !Explains(s) {
		return nil, settings.Misuse("this run has the task %s, which predicts for no single node or edge", s.Task.Name)
	}
	whole, at, items, err := itemsOf(s, part, graphName, names)
	if err != nil {
		return nil, err
	}
	out := make([]GraphRecord, len(items))
	for k, item := range items {
		if out[k], err = explainItem(s, ctx, whole, at, item, method, target); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// itemsOf finds the named nodes or edges of a graph of a part, and the graph in the form of the data.
func itemsOf(s *session.Session, part, graphName string, names []string) (whole *source.Part, at int, items []namedItem, err error) {
	var graphs []string
	if graphName != "" {
		graphs = []string{graphName}
	}
	whole, places, err := namedGraphs(s, part, graphs)
	if err != nil {
		return nil, 0, nil, err
	}
	if items, err = namedItems(s, s.Data.Name(), whole, places[0], names); err != nil {
		return nil, 0, nil, err
	}
	whole, at, err = s.Unformed(whole, places[0])
	return whole, at, items, err
}

// namedItem is a node or edge by its number in its graph.
type namedItem struct {
	number int32
	name   string
}

// namedItems finds items of a graph of a part by name; without names it is the first. kind is for
// errors.
func namedItems(s *session.Session, of string, p *source.Part, at int, names []string) ([]namedItem, error) {
	var places []source.Place
	if p.Items == nil {
		for i := range task.CountOf(p.Graphs[at], s.Task.Level) {
			places = append(places, source.Place{Graph: at, Item: i})
		}
	}
	for _, i := range p.Items {
		places = append(places, source.Place{Graph: at, Item: int(i)})
	}
	if len(places) == 0 {
		return nil, settings.Misuse("%s: the graph has no %s to predict for", of, s.Task.Level)
	}
	called := itemNames(s.Task.Level, p.Name(s.Task.Level, places))
	by := map[string][]int32{}
	for i, have := range called {
		for _, name := range have {
			by[name] = append(by[name], int32(places[i].Item))
		}
	}
	if len(names) == 0 {
		names = called[0][:1]
	}
	keyed := false
	var out []namedItem
	for _, name := range names {
		if by[name] == nil && !keyed && s.Task.Level == settings.Edges && p.Edges != nil {
			keyed = true // ids of the table are looked up last, because they may look like edge numbers
			for i, id := range p.Edges.KeyTexts(places) {
				if by[id] == nil || by[id][0] != int32(places[i].Item) {
					by[id] = append(by[id], int32(places[i].Item))
				}
			}
		}
		switch found := by[name]; len(found) {
		case 0:
			return nil, settings.Misuse("%s: no %s %q, expected one of %d from %q to %q", of, s.Task.Level, name, len(places), called[0][0], called[len(called)-1][0])
		case 1:
			out = append(out, namedItem{found[0], name})
		default:
			return nil, settings.Misuse("%s: %d edges are %q; name one by its number in the column edge of predictions", of, len(found), name)
		}
	}
	return out, nil
}

// itemNames returns the names of items from the columns that identify them: the name of a node; the
// number of an edge, if it has one, or its ends as SOURCE:TARGET.
func itemNames(items settings.Level, columns []report.Column) [][]string {
	last := columns[len(columns)-1].Texts()
	out := make([][]string, len(last))
	if items != settings.Edges {
		for i, name := range last {
			out[i] = []string{name}
		}
		return out
	}
	numbers, sources := columns[0].Texts(), columns[len(columns)-2].Texts()
	for i, name := range last {
		if columns[0].Name == "edge" {
			out[i] = append(out[i], numbers[i])
		}
		out[i] = append(out[i], sources[i]+":"+name)
	}
	return out
}

// explainItem explains the prediction for an item of a graph in the form of the data.
func explainItem(s *session.Session, ctx context.Context, p *source.Part, at int, item namedItem, method, target string) (GraphRecord, error) {
	g, err := shownTo(s, p.Graphs[at], item.number)
	if err != nil {
		return GraphRecord{}, err
	}
	n := &neighbourhood{explained: explained{session: s, graph: g, item: item.number, method: method, form: s.Spec.Form}}
	if err := n.cut(ctx); err != nil {
		return GraphRecord{}, err
	}
	x, err := n.explain(ctx, target)
	if err != nil {
		return GraphRecord{}, err
	}
	return n.record(p, at, item.name, x), nil
}

// shownTo is a graph with the labels that the model reads to predict an edge, and without labels to
// predict.
func shownTo(s *session.Session, g *graph.Graph, edge int32) (*graph.Graph, error) {
	out := *g
	var reads func(b *graph.Batch, edge int32) []float32
	if m, ok := s.Model.(*model.Auto); ok {
		reads = m.Reads
	} else if context := s.Settings.Model.Context; context != nil {
		reads = context.Reads
	}
	if reads != nil && g.Observed != nil {
		b, err := graph.Collate([]*graph.Graph{g})
		if err != nil {
			return nil, err
		}
		out.Observed = &graph.ObservedLabels{Label: reads(b, edge)}
	}
	out.NodeLabel, out.EdgeLabel, out.NodeTargets, out.EdgeTargets = nil, nil, nil, nil
	return &out, nil
}

// neighbourhood is the prediction for an item and the part of a graph that it depends on.
type neighbourhood struct {
	explained
	nodes, of []int32 // nodes and edges of the whole graph for those of this graph
	hops      []int32 // distance of each node from the item
	reach     int     // receptive field in hops
	within    int     // number of edges in reach
}

// sameShare is the relative difference up to which a prediction from a part of a graph counts as
// that from the whole graph.
const sameShare = 1e-4

// cut replaces the whole graph by the surroundings of the item, if the prediction is the same, and
// lists the edges to score, nearest first.
func (n *neighbourhood) cut(ctx context.Context) error {
	s, whole := n.session, n.graph
	from := []int32{n.item}
	if s.Task.Level == settings.Edges {
		from = []int32{whole.Ends[2*n.item], whole.Ends[2*n.item+1]}
	}
	nodes, hops := whole.Near(from...)
	far := int(hops[nodes[len(nodes)-1]])
	unchanged := func(int) variant { return n.variantWith(func(int32) bool { return true }) }
	full, err := n.outputs(ctx, 1, unchanged)
	if err != nil {
		return err
	}
	item := n.item
	for n.reach = leastReach(s); n.reach < far; n.reach++ {
		// One hop more, because layers divide by the degree of a node.
		count, _ := slices.BinarySearchFunc(nodes, int32(n.reach+2), func(v, d int32) int { return cmp.Compare(hops[v], d) })
		n.Take(whole, item, nodes[:count])
		part, err := n.outputs(ctx, 1, unchanged)
		if err != nil {
			return err
		}
		if alike(part[0], full[0]) {
			break
		}
	}
	if n.reach >= far {
		n.reach = far + 1
		n.Take(whole, item, lists.Range[int32](whole.NumNodes))
	}
	n.hops = lists.Take(hops, n.nodes)
	for e := range int32(n.graph.NumEdges()) {
		if d := n.away(e); d > 0 && d <= n.reach && !(s.Task.Level == settings.Edges && e == n.item) {
			n.edges = append(n.edges, e)
		}
	}
	slices.SortStableFunc(n.edges, func(a, b int32) int { return n.away(a) - n.away(b) })
	n.within = len(n.edges)
	least, work := leastScored, mostWork
	if s.Spec.Fitted { // each prediction makes its columns from all known labels again
		least, work = leastFitted, mostWork/workFitted
	}
	n.edges = n.edges[:min(n.within, mostOccluded, max(least, work/max(n.graph.NumEdges(), 1)))]
	if n.edges == nil {
		n.edges = []int32{}
	}
	return nil
}

// Take restricts the graph to some nodes, which changes the number of the item.
func (n *neighbourhood) Take(whole *graph.Graph, item int32, nodes []int32) {
	n.nodes = nodes
	n.graph, n.of = whole.Induced(nodes)
	in := n.nodes
	if n.session.Task.Level == settings.Edges {
		in = n.of
	}
	n.item = int32(slices.Index(in, item))
}

// away is the number of hops from the item to an edge: 1 for an edge at the item, 0 for an
// unreachable one.
func (n *neighbourhood) away(e int32) int {
	return int(min(n.hops[n.graph.Ends[2*e]], n.hops[n.graph.Ends[2*e+1]])) + 1
}

// leastReach is the smallest receptive field of a model: its number of layers, plus one if labels
// of neighbouring edges are among the features.
func leastReach(s *session.Session) int {
	reach := 1
	for _, at := range s.Settings.Model.At("layers") {
		if layers, ok := at.(*int); ok {
			reach = max(reach, *layers)
		}
	}
	if s.Settings.Model.Context != nil {
		reach++
	}
	return reach
}

// alike reports whether two rows are equal except for rounding.
func alike(a, b []float32) bool {
	for k := range a {
		if math.Abs(float64(a[k]-b[k])) > sameShare*max(1, math.Abs(float64(b[k]))) {
			return false
		}
	}
	return true
}

// record returns the explained neighbourhood: the item, the edges with scores, and their nodes.
func (n *neighbourhood) record(p *source.Part, at int, name string, x *Explanation) GraphRecord {
	s := n.session
	edges := n.edges
	number := int32(0)
	x.Item = &ExplainedItem{Kind: s.Task.Level, Name: name, Hops: n.reach, Within: n.within}
	var nodes []int32
	place := slices.Repeat([]int32{-1}, n.graph.NumNodes)
	add := func(v int32) int32 {
		if place[v] < 0 {
			place[v] = int32(len(nodes))
			nodes = append(nodes, v)
		}
		return place[v]
	}
	if s.Task.Level == settings.Edges {
		edges = append([]int32{n.item}, edges...)
		x.Scores = append([]float32{0}, x.Scores...)
		if x.Spread != nil {
			x.Spread = append([]float32{0}, x.Spread...)
		}
	} else {
		number = add(n.item)
	}
	x.Item.Number = number
	out := GraphRecord{Graph: graphNames(s, p)[at], Directed: n.graph.Directed, Explanation: x}
	var edgePlaces, nodePlaces []source.Place
	for _, e := range edges {
		out.Edges = append(out.Edges, [2]int32{add(n.graph.Ends[2*e]), add(n.graph.Ends[2*e+1])})
		edgePlaces = append(edgePlaces, source.Place{Graph: at, Item: int(n.of[e])})
	}
	for _, v := range nodes {
		nodePlaces = append(nodePlaces, source.Place{Graph: at, Item: int(n.nodes[v])})
	}
	named := p.Name(settings.Nodes, nodePlaces)
	out.Nodes = named[len(named)-1].Texts()
	if columns := p.Name(settings.Edges, edgePlaces); columns[0].Name == "edge" {
		out.EdgeNames = columns[0].Texts()
	}
	labelled, _ := n.graph.Induced(nodes)
	out.Labels = labels(s, labelled)
	return out
}
