package explain

import (
	"context"
	"slices"
	"strconv"

	"github.com/ehgnn/ehgnn/chem"
	"github.com/ehgnn/ehgnn/graph"
	"github.com/ehgnn/ehgnn/internal/lists"
	"github.com/ehgnn/ehgnn/internal/session"
	"github.com/ehgnn/ehgnn/internal/settings"
	"github.com/ehgnn/ehgnn/internal/source"
	"github.com/ehgnn/ehgnn/model"
)

// GraphRecord lists which edges of a graph a model kept, dropped and clustered, layer by layer. It
// is not an explanation: a model may drop an edge after it has read it.
type GraphRecord struct {
	Graph  string   `json:"graph"`            // name in predictions
	Nodes  []string `json:"nodes"`            // names in predictions
	Labels []string `json:"labels,omitempty"` // labels of the nodes, if each has one
	// Edges are the node numbers (from 0) of the ends of edges. Directed says that an edge leads from
	// the first to the second.
	Edges [][2]int32 `json:"edges"`
	// EdgeNames are the numbers of the edges, if predictions use them as names; nil if the edges are
	// all edges of the graph.
	EdgeNames []string       `json:"edge_names,omitempty"`
	Directed  bool           `json:"directed"`
	Drops     []DropRecord   `json:"drops,omitempty"`
	Clusters  *ClusterRecord `json:"clusters,omitempty"`
	// Explanation is nil if it was not requested.
	Explanation *Explanation `json:"explanation,omitempty"`
	// Molecule has the graph as atoms, in the same order, and bonds; nil if it is not a molecule.
	Molecule *chem.Structure `json:"-"`
}

// DropRecord is the result of an edge pool.
type DropRecord struct {
	Layer  int       `json:"layer"` // from 1, as in the column dropped_at of predictions
	Edges  []int32   `json:"edges"` // edges that entered, by index in GraphRecord.Edges
	Scores []float32 `json:"scores"`
	Kept   []bool    `json:"kept"`
}

// ClusterRecord is the result of clustering: for each edge the cluster with the largest weight, and
// this weight.
type ClusterRecord struct {
	Of      int       `json:"of"` // number of clusters, which are numbered from 0
	Cluster []int32   `json:"cluster"`
	Weight  []float32 `json:"weight"`
}

// Record runs the model on graphs of a part, named as in predictions, and records what its pools
// did with their edges; without names on the first graph. A model that neither drops nor clusters
// edges is a usage error.
func Record(s *session.Session, ctx context.Context, part string, names ...string) ([]GraphRecord, error) {
	whole, at, err := namedGraphs(s, part, names)
	if err != nil {
		return nil, err
	}
	p := &source.Part{}
	for _, i := range at {
		p.Graphs = append(p.Graphs, whole.Graphs[i])
	}
	if _, err := s.CheckPartMemory(p, false); err != nil {
		return nil, err
	}
	out := plain(s, whole, at)
	return out, record(s, ctx, p, out)
}

// record adds the results of the pools for the graphs of a part to their records.
func record(s *session.Session, ctx context.Context, p *source.Part, out []GraphRecord) error {
	return s.Each(ctx, p, func(y *model.Output, b *graph.Batch, first int) error {
		cluster, weight := y.Clusters(b.H.NumEdges())
		if y.Drops == nil && cluster == nil {
			return settings.Misuse("model %s neither drops nor clusters edges, as hyperdrop and hypercluster do", s.Settings.ModelName)
		}
		records := out[first:][:b.N]
		start, _ := b.EdgeOf.Segments()
		for l, d := range y.Drops {
			addDrop(records, d, l+1, b.EdgeOf.IDs(), start)
		}
		for k := range records {
			if cluster != nil {
				lo, hi := start[k], start[k+1]
				records[k].Clusters = &ClusterRecord{y.Assign[0].Dim(1), cluster[lo:hi], weight[lo:hi]}
			}
		}
		return nil
	})
}

// Sketches returns records of graphs of a part, given their places, without results of pools.
func Sketches(s *session.Session, part string, at []int) ([]GraphRecord, error) {
	whole, err := s.Part(part)
	if err != nil {
		return nil, err
	}
	return plain(s, whole, at), nil
}

// NumberEdges sets the edge numbers of a sketch to those in predictions, if edges have numbers.
func NumberEdges(s *session.Session, part string, g *GraphRecord) error {
	whole, err := s.Part(part)
	if err != nil {
		return err
	}
	at := slices.Index(graphNames(s, whole), g.Graph)
	if at < 0 || whole.Graphs[at].NumEdges() != len(g.Edges) {
		return nil
	}
	places := make([]source.Place, len(g.Edges))
	for e := range places {
		places[e] = source.Place{Graph: at, Item: e}
	}
	if len(places) > 0 {
		if columns := whole.Name(settings.Edges, places); columns[0].Name == "edge" {
			g.EdgeNames = columns[0].Texts()
		}
	}
	return nil
}

func plain(s *session.Session, whole *source.Part, at []int) []GraphRecord {
	out := make([]GraphRecord, len(at))
	names := graphNames(s, whole)
	for k, i := range at {
		g := whole.Graphs[i]
		places := make([]source.Place, g.NumNodes)
		for v := range places {
			places[v] = source.Place{Graph: i, Item: v}
		}
		named := whole.Name(settings.Nodes, places)
		out[k] = sketch(s, g, names[i], named[len(named)-1].Texts())
		out[k].Molecule = molecule(s, g, whole.ID(source.Place{Graph: i}))
	}
	return out
}

// sketch is the record of a graph without results of pools.
func sketch(s *session.Session, g *graph.Graph, name string, nodes []string) GraphRecord {
	out := GraphRecord{Graph: name, Nodes: nodes, Labels: labels(s, g), Edges: make([][2]int32, g.NumEdges()), Directed: g.Directed}
	for e := range out.Edges {
		out.Edges[e] = [2]int32{g.Ends[2*e], g.Ends[2*e+1]}
	}
	return out
}

// graphNames returns the names of the graphs of a part. Data that are not a collection are one
// graph, 0.
func graphNames(s *session.Session, p *source.Part) []string {
	if !s.Settings.Collection() {
		return []string{"0"}
	}
	places := make([]source.Place, len(p.Graphs))
	for i := range places {
		places[i] = source.Place{Graph: i}
	}
	return p.Name(settings.Graphs, places)[0].Texts()
}

// namedGraphs finds a part, and graphs of it by name; without names it is the first.
func namedGraphs(s *session.Session, part string, names []string) (p *source.Part, at []int, err error) {
	if p, err = s.Part(part); err != nil {
		return nil, nil, err
	}
	have := graphNames(s, p)
	if len(have) == 0 {
		return nil, nil, settings.Misuse("%s, part %s: no graph", s.Data.Name(), part)
	}
	if len(names) == 0 {
		names = have[:1]
	}
	for _, name := range names {
		i := slices.Index(have, name)
		if i < 0 {
			return nil, nil, settings.Misuse("%s, part %s: no graph %q, expected one of %d from %q to %q", s.Data.Name(), part, name, len(have), have[0], have[len(have)-1])
		}
		at = append(at, i)
	}
	return p, at, nil
}

// addDrop divides the results of a pool among the graphs of a batch, given the graph of each edge
// and the first edge of each graph.
func addDrop(records []GraphRecord, d model.Drop, layer int, of, start []int32) {
	entered := d.Score.Size()
	kept := lists.Repeat(d.Kept == nil, entered)
	for _, i := range d.Kept {
		kept[i] = true
	}
	for k := range records {
		records[k].Drops = append(records[k].Drops, DropRecord{layer, []int32{}, []float32{}, []bool{}})
	}
	for i, k := range kept {
		e := int32(i)
		if d.Entered != nil {
			e = d.Entered[i]
		}
		to := &records[of[e]].Drops[len(records[of[e]].Drops)-1]
		to.Edges, to.Scores, to.Kept = append(to.Edges, e-start[of[e]]), append(to.Scores, d.Score.Data()[i]), append(to.Kept, k)
	}
}

// labels returns the values of the only category column of nodes; nil if there is none, or if there
// are several.
func labels(s *session.Session, g *graph.Graph) []string {
	schema := s.Settings.Schema()
	if len(schema.Nodes) != 1 || len(g.Node.Codes) != 1 {
		return nil
	}
	f := schema.Nodes[0]
	if f.Kind != settings.KindCode && f.Kind != settings.KindCategory {
		return nil
	}
	out := make([]string, len(g.Node.Code))
	for v, c := range g.Node.Code {
		switch {
		case c < 0 || f.Kind == settings.KindCategory && int(c) >= len(f.Values): // missing, or not in the training data
		case f.Kind == settings.KindCategory:
			out[v] = f.Values[c]
		default:
			out[v] = strconv.Itoa(int(c) + f.Offset)
		}
	}
	return out
}
