package session

import (
	"context"
	"fmt"
	"math"
	"path/filepath"
	"slices"

	"github.com/ehgnn/ehgnn/data/schema"
	"github.com/ehgnn/ehgnn/graph"
	"github.com/ehgnn/ehgnn/internal/atomicfile"
	"github.com/ehgnn/ehgnn/internal/lists"
	"github.com/ehgnn/ehgnn/internal/report"
	"github.com/ehgnn/ehgnn/internal/settings"
	"github.com/ehgnn/ehgnn/internal/source"
)

// ExampleFile is the file of a run folder with an example of input and output: a graph of the training
// part as node-link JSON, with the prediction for it. Use it as predict RUN - < input_example.json.
const ExampleFile = "input_example.json"

// Limits of an example that is cut from one large graph.
const (
	exampleNodes  = 24
	exampleValues = 20000 // numbers in the attributes of its nodes
)

// writeExample writes the example: the graph of a collection with the median number of edges, or
// the surroundings of the first item of one graph.
func (s *Session) writeExample(ctx context.Context, dir string) error {
	columns := s.Settings.Schema()
	part, at := s.Parts[source.PartTrain], 0
	if s.Settings.Collection() {
		sorted := lists.Range[int32](len(part.Graphs))
		slices.SortStableFunc(sorted, func(i, j int32) int { return part.Graphs[i].NumEdges() - part.Graphs[j].NumEdges() })
		at = int(sorted[len(sorted)/2])
	}
	from, at, err := s.Unformed(part, at) // the predictions are for graphs in the form of the data
	if err != nil {
		return err
	}
	g := from.Graphs[at]
	var times []float64
	if !s.Settings.Collection() {
		item := int32(0)
		if len(part.Items) > 0 {
			item = part.Items[0]
		}
		if s.Task.Level == settings.Edges {
			item = g.Ends[2*item]
		}
		var edges []int32
		if g, edges, err = surroundings(g, item); err != nil {
			return err
		}
		if c, ok := s.Data.(*source.ColumnData); ok {
			if times, err = recount(c, s.Settings.Data.Tables, from, g, edges); err != nil {
				return err
			}
		}
	}
	taken := g
	if form := s.Spec.Form; form != nil {
		if taken, err = form(g); err != nil {
			return err
		}
	}
	got, err := s.collect(ctx, &source.Part{Graphs: []*graph.Graph{taken}})
	if err != nil {
		return err
	}
	document := nodeLink(g, columns, &report.Table{Columns: got.Predictions})
	for i, t := range times {
		if e := document["edges"].([]map[string]any)[i]; t == t {
			e[s.Settings.Data.Tables.Time] = t
		}
	}
	return atomicfile.WriteJSON(filepath.Join(dir, ExampleFile), document)
}

// recount computes the structure and time columns of a graph that has only some edges of a part, as
// when predicting for it. times are the times of its edges; nil if there are no such columns.
func recount(c *source.ColumnData, t *settings.TableSettings, p *source.Part, g *graph.Graph, edges []int32) (times []float64, err error) {
	own := graph.Features{Codes: g.Edge.Codes, Code: g.Edge.Code}
	for _, f := range t.Encoder.Edges {
		if f.Numeric() {
			own.Dim++
		}
	}
	for e := range edges {
		own.Dense = append(own.Dense, g.Edge.Dense[e*g.Edge.Dim:][:own.Dim]...)
	}
	if len(t.Encoder.Structure) > 0 {
		if g.Edge, err = t.Encoder.WithStructure(own, g.NumNodes, g.Ends, nil, c.Threads); err != nil {
			return nil, err
		}
		own = g.Edge
	}
	if t.Encoder.Times == nil {
		return nil, nil
	}
	for _, e := range edges {
		times = append(times, c.Set.Time[p.ID(source.Place{Item: int(e)})])
	}
	g.Edge, err = t.Encoder.WithTimes(own, g.NumNodes, g.Ends, times, nil, c.Threads)
	return times, err
}

// surroundings returns the numbers of the nodes nearest to a node, and of the edges among them.
func surroundings(g *graph.Graph, node int32) (*graph.Graph, []int32, error) {
	nodes, _ := g.Near(node)
	limit := min(exampleNodes, max(2, exampleValues/max(g.Node.Dim, 1)))
	around, edges := g.Induced(nodes[:min(limit, len(nodes))])
	// A graph to predict for has neither labels nor the run's numbers of nodes.
	bare, err := graph.New(graph.Graph{NumNodes: around.NumNodes, Ends: around.Ends, Directed: around.Directed, Node: around.Node, Edge: around.Edge, Label: graph.NoLabel})
	return bare, edges, err
}

// nodeLink returns a graph as node-link JSON, with the attributes of the data.
func nodeLink(g *graph.Graph, s settings.Schema, prediction *report.Table) map[string]any {
	nodes := make([]map[string]any, g.NumNodes)
	for v := range nodes {
		nodes[v] = attributes(g.Node, v, s.Nodes)
		nodes[v]["id"] = v
	}
	edges := []map[string]any{}
	for i := range g.NumEdges() {
		u, v := g.Ends[2*i], g.Ends[2*i+1]
		e := attributes(g.Edge, i, s.Edges)
		e["source"], e["target"] = u, v
		edges = append(edges, e)
	}
	return map[string]any{"directed": s.Directed, "multigraph": true, "graph": map[string]any{"id": "example", "prediction": prediction},
		"nodes": nodes, "edges": edges}
}

// unscaled is a number before standardisation, without the digits that float32 lost.
func unscaled(v float32, f settings.Field) float32 {
	digit := math.Pow(10, math.Floor(math.Log10(max(f.Scale, math.Abs(f.Mean))))-6)
	return float32(math.Round((float64(v)*f.Scale+f.Mean)/digit)*digit) + 0 // avoids -0
}

// attributes returns the attributes of a row of features, in their original units. Missing
// attributes are left out. Numbers named attribute_0, attribute_1, ... become one list.
func attributes(f graph.Features, row int, fields []settings.Field) map[string]any {
	dense, codes := f.Dense[row*f.Dim:(row+1)*f.Dim], f.Code[row*len(f.Codes):(row+1)*len(f.Codes)]
	out := map[string]any{}
	var list []float32
	for _, field := range fields {
		numbers := field.Kind == settings.KindNumber || field.Kind == settings.KindStructure || field.Kind == settings.KindTime || field.Width == 0 && field.Kind == settings.KindDegree
		missing := false
		var number float32
		var code int32
		if field.IsSet() {
			if parts := partsOf(field, codes[:len(field.Values)]); parts != nil {
				out[field.Name] = schema.Joined(parts, field.Separator)
			}
			codes = codes[len(field.Values):]
			continue
		}
		if numbers {
			number, dense = dense[0], dense[1:]
		}
		if !numbers || field.Gaps {
			code, codes = codes[0], codes[1:]
			missing = (code < 0) != field.Gaps // the gap column marks missing values
		}
		switch {
		case missing || field.Kind == settings.KindDegree || field.Kind == settings.KindConstant || field.Kind == settings.KindStructure || field.Kind == settings.KindTime:
		case field.Kind == settings.KindCategory:
			out[field.Name] = field.Values[code]
		case field.Kind == settings.KindCode:
			out[field.Name] = int(code) + field.Offset
		default:
			if field.Scale != 0 {
				number = unscaled(number, field)
			}
			if !field.Gaps && field.Name == fmt.Sprintf("attribute_%d", len(list)) {
				list = append(list, number)
			} else {
				out[field.Name] = number
			}
		}
	}
	if list != nil {
		out["attribute"] = list
	}
	return out
}

// partsOf returns the members of a set, given its codes.
func partsOf(f settings.Field, codes []int32) (out []string) {
	for k, code := range codes {
		if code >= 0 {
			out = append(out, f.Values[k])
		}
	}
	return out
}
