package experiment

import (
	"fmt"
	"strconv"

	"github.com/ehgnn/ehgnn/internal/lists"
	"github.com/ehgnn/ehgnn/internal/report"
	"github.com/ehgnn/ehgnn/model"
)

// packValue is the experiment for programs.
type packValue struct {
	Preset    string       `json:"preset"`
	Nodes     int          `json:"nodes"`
	Rows      []packRow    `json:"rows"`
	Trainings []packResult `json:"trainings"`
}

// packRow is a method on a number of edges: its size after compression, in percent of the graph.
type packRow struct {
	Edges  int    `json:"edges"`
	Method string `json:"method"`
	// Goal is the required accuracy, 0 for none; Clusters is the number that reaches it, 0 if no
	// number of the grid does.
	Goal     int `json:"goal,omitempty"`
	Clusters int `json:"clusters,omitempty"`
	// EdgeAccuracy and NodeAccuracy are means over the graphs.
	EdgeAccuracy float64 `json:"edge_accuracy"`
	NodeAccuracy float64 `json:"node_accuracy"`
	Features     float64 `json:"features"` // rows of features, as the paper counts
	Scalars      float64 `json:"scalars"`  // scalars, including an index for each edge
}

// Widths of the compressed features.
const (
	packNodeWidth = 3
	packEdgeWidth = 6
)

// packRows compares the methods on one size.
func (z packSize) rows() []packRow {
	kn, n, m := float64(model.Share(packRatio, packNodes)), float64(packNodes), float64(z.edges)
	whole := packNodeWidth*n + packEdgeWidth*m
	nodes := meanAccuracy(z.nodes)
	out := []packRow{{Edges: z.edges, Method: "GMT", EdgeAccuracy: 100, NodeAccuracy: nodes,
		Features: 100 * (kn + m) / (n + m), Scalars: 100 * (kn*packHidden + packEdgeWidth*m) / whole}}
	for _, goal := range packGoals {
		row := packRow{Edges: z.edges, Method: "HyperCluster", Goal: goal, NodeAccuracy: nodes}
		if of := z.first(goal); of != nil {
			ke := float64(of[0].Vectors)
			row.Clusters, row.EdgeAccuracy = of[0].Vectors, meanAccuracy(of)
			row.Features, row.Scalars = 100*(kn+ke)/(n+m), 100*(kn*packHidden+ke*packHidden+m)/whole
		}
		out = append(out, row)
	}
	return out
}

// document makes the table and the figure.
func (r packRequest) document(sizes []packSize) (*report.Document, error) {
	list := &report.Listing{Columns: []report.ListingColumn{{Name: "edges"}, {Name: "method", Left: true}, {Name: "edge vectors"}, {Name: "edges right, %"},
		{Name: "nodes right, %"}, {Name: "size in rows, %"}, {Name: "size in scalars, %"}}}
	sheet := report.Sheet{Name: "table", Header: []string{"edges", "method", "goal", "clusters", "edge_accuracy", "node_accuracy", "features", "scalars"}}
	v := packValue{Preset: r.preset.name, Nodes: packNodes}
	curves := map[string]*meanLine{}
	var order []string
	for _, z := range sizes {
		for _, row := range z.rows() {
			v.Rows = append(v.Rows, row)
			list.Rows = append(list.Rows, row.line())
			sheet.Rows = append(sheet.Rows, []string{fmt.Sprint(row.Edges), row.Method, fmt.Sprint(row.Goal), fmt.Sprint(row.Clusters), fmt.Sprint(row.EdgeAccuracy),
				fmt.Sprint(row.NodeAccuracy), fmt.Sprint(row.Features), fmt.Sprint(row.Scalars)})
			if row.Features == 0 {
				continue
			}
			name := row.name()
			if curves[name] == nil {
				curves[name] = &meanLine{name: name}
				order = append(order, name)
			}
			curves[name].add(float64(row.Edges), []float64{row.Features})
		}
		v.Trainings = append(v.Trainings, z.nodes...)
		for _, of := range z.tried {
			v.Trainings = append(v.Trainings, of...)
		}
	}
	lines := lists.Map(order, func(name string) meanLine { return *curves[name] })
	charts := drawnCharts([]*report.Chart{meanChart("Compressed graph, rows of features", "edges", "% of the graph", lines)})
	figure, err := report.Charted("compression", "Size of the compressed graph by its number of edges, as the paper counts", 1, charts)
	if err != nil {
		return nil, err
	}
	notes := append(remarks(r.preset.note), fmt.Sprintf("Nodes are pooled to %d vectors by GMPool in both methods; GMT leaves the edges as they are. Graphs a size: %d, of which means are taken.", model.Share(packRatio, packNodes), len(r.seeds)),
		fmt.Sprintf("size in rows: feature rows of nodes and edges, the assignment of edges to vectors left out. size in scalars: vectors of\nwidth %d and an index for each edge, of %d scalars a node and %d an edge.", packHidden, packNodeWidth, packEdgeWidth))
	return &report.Document{Title: fmt.Sprintf("Compression of Erdos-Renyi graphs of %d nodes", packNodes), Parts: []report.Part{list, figure},
		Remarks: notes, Sheets: []report.Sheet{sheet}, Value: v}, nil
}

// name is the name of the method with its goal.
func (r packRow) name() string {
	if r.Goal == 0 {
		return r.Method + ", nodes alone"
	}
	return fmt.Sprintf("%s, %d %%", r.Method, r.Goal)
}

func (r packRow) line() []string {
	if r.Features == 0 {
		return []string{strconv.Itoa(r.Edges), r.name(), "–", "–", fmt.Sprintf("%.1f", r.NodeAccuracy), "–", "–"}
	}
	clusters := strconv.Itoa(r.Clusters)
	if r.Goal == 0 {
		clusters = "–"
	}
	return []string{strconv.Itoa(r.Edges), r.name(), clusters, fmt.Sprintf("%.1f", r.EdgeAccuracy), fmt.Sprintf("%.1f", r.NodeAccuracy),
		fmt.Sprintf("%.1f", r.Features), fmt.Sprintf("%.1f", r.Scalars)}
}
