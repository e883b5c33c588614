package task

import (
	"context"
	"fmt"
	"math"
	"path/filepath"
	"slices"

	"github.com/ehgnn/ehgnn/graph"
	"github.com/ehgnn/ehgnn/internal/atomicfile"
	"github.com/ehgnn/ehgnn/report"
)

// ExampleFile, in a run folder, holds a graph of the training part as node-link JSON, with the prediction
// for it: what a run takes and gives, to be tried as predict RUN - < input_example.json.
const ExampleFile = "input_example.json"

// Bounds of an example that is cut from one large graph.
const (
	exampleNodes  = 24
	exampleValues = 20000 // numbers of its nodes
)

// writeExample writes the example. Of a collection it is the graph with the median number
// of edges, of one graph the surroundings of its first item.
func (s *Session) writeExample(ctx context.Context, dir string) error {
	schema, ok := s.Settings.Schema()
	if !ok {
		return nil
	}
	part := s.parts[PartTrain]
	var g *graph.Graph
	var times []float64
	var err error
	if s.Settings.collection() {
		sorted := slices.SortedStableFunc(slices.Values(part.Graphs), func(a, b *graph.Graph) int { return a.NumEdges() - b.NumEdges() })
		g = sorted[len(sorted)/2]
	} else {
		var edges []int32
		if g, edges, err = surroundings(part, s.task.Items); err != nil {
			return err
		}
		if c, ok := s.Data.(*columnData); ok {
			if times, err = c.recount(s.Settings.Data.Tables, part, g, edges); err != nil {
				return err
			}
		}
	}
	got, err := s.collect(ctx, &Part{Graphs: []*graph.Graph{g}})
	if err != nil {
		return err
	}
	arcs := s.spec.Form != nil
	if arcs && s.Settings.Data.many() { // the features of edges are in the graph as it was read
		g, arcs = s.Data.Graphs()[part.ID(Place{Graph: slices.Index(part.Graphs, g)})], false
	}
	document := nodeLink(g, schema, arcs, &report.Table{Columns: got.predictions})
	for i, t := range times {
		if e := document["edges"].([]map[string]any)[i]; t == t {
			e[s.Settings.Data.Tables.Time] = t
		}
	}
	return atomicfile.WriteJSON(filepath.Join(dir, ExampleFile), document)
}

// recount makes what edges of a part say of the graph around them and of their time be of a graph
// of some of them alone, as where it is predicted for; times are those of its edges, nil where
// they say nothing of these.
func (c *columnData) recount(t *TableSettings, p *Part, g *graph.Graph, edges []int32) (times []float64, err error) {
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
		if g.Edge, err = t.Encoder.WithStructure(own, g.NumNodes, g.Ends, nil, c.threads); err != nil {
			return nil, err
		}
		own = g.Edge
	}
	if t.Encoder.Times == nil {
		return nil, nil
	}
	for _, e := range edges {
		times = append(times, c.set.Time[p.ID(Place{Item: int(e)})])
	}
	g.Edge, err = t.Encoder.WithTimes(own, g.NumNodes, g.Ends, times, nil, c.threads)
	return times, err
}

// surroundings are the nodes that are reached first from an item of a part, and the edges
// among them, by their numbers.
func surroundings(p *Part, items Items) (*graph.Graph, []int32, error) {
	g := p.Graphs[0]
	item := 0
	if len(p.Items) > 0 {
		item = int(p.Items[0])
	}
	if items == Edges {
		item = int(g.Ends[2*item])
	}
	limit := min(exampleNodes, max(2, exampleValues/max(g.Node.Dim, 1)))
	place := map[int32]int32{int32(item): 0}
	nodes := []int32{int32(item)}
	for grown := true; grown && len(nodes) < limit; {
		grown = false
		for i := 0; i < len(g.Ends) && len(nodes) < limit; i += 2 {
			u, v := g.Ends[i], g.Ends[i+1]
			_, hasU := place[u]
			_, hasV := place[v]
			if hasU == hasV {
				continue
			}
			if hasU {
				u = v
			}
			place[u] = int32(len(nodes))
			nodes = append(nodes, u)
			grown = true
		}
	}
	out := graph.Graph{NumNodes: len(nodes), Directed: g.Directed, Label: graph.NoLabel}
	var edges []int32
	for i := 0; i < len(g.Ends); i += 2 {
		u, hasU := place[g.Ends[i]]
		v, hasV := place[g.Ends[i+1]]
		if hasU && hasV {
			out.Ends = append(out.Ends, u, v)
			edges = append(edges, int32(i/2))
		}
	}
	out.Node, out.Edge = g.Node.Take(nodes), g.Edge.Take(edges)
	around, err := graph.New(out)
	return around, edges, err
}

// nodeLink is a graph as node-link JSON, with attributes as the data had them. Where its
// edges are arcs, both ways and loops, each edge is written once.
func nodeLink(g *graph.Graph, s Schema, arcs bool, prediction *report.Table) map[string]any {
	nodes := make([]map[string]any, g.NumNodes)
	for v := range nodes {
		nodes[v] = attributes(g.Node, v, s.Nodes)
		nodes[v]["id"] = v
	}
	edges := []map[string]any{}
	for i := range g.NumEdges() {
		u, v := g.Ends[2*i], g.Ends[2*i+1]
		if arcs && u >= v {
			continue
		}
		e := attributes(g.Edge, i, s.Edges)
		e["source"], e["target"] = u, v
		edges = append(edges, e)
	}
	return map[string]any{"directed": s.Directed, "multigraph": true, "graph": map[string]any{"id": "example", "prediction": prediction},
		"nodes": nodes, "edges": edges}
}

// unscaled is a number before it was standardised, without the digits that float32 has
// lost.
func unscaled(v float32, f Field) float32 {
	digit := math.Pow(10, math.Floor(math.Log10(max(f.Scale, math.Abs(f.Mean))))-6)
	return float32(math.Round((float64(v)*f.Scale+f.Mean)/digit) * digit)
}

// attributes are those of a row of features, in their own units. Missing ones are left
// out. Numbers that are called attribute_0, attribute_1, ... are one list.
func attributes(f graph.Features, row int, fields []Field) map[string]any {
	dense, codes := f.Dense[row*f.Dim:(row+1)*f.Dim], f.Code[row*len(f.Codes):(row+1)*len(f.Codes)]
	out := map[string]any{}
	var list []float32
	for _, field := range fields {
		numbers := field.Kind == KindNumber || field.Kind == KindStructure || field.Kind == KindTime || field.Width == 0 && field.Kind == KindDegree
		missing := false
		var number float32
		var code int32
		if numbers {
			number, dense = dense[0], dense[1:]
		}
		if !numbers || field.Gaps {
			code, codes = codes[0], codes[1:]
			missing = (code < 0) != field.Gaps // the column of gaps marks what is missing
		}
		switch {
		case missing || field.Kind == KindDegree || field.Kind == KindConstant || field.Kind == KindStructure || field.Kind == KindTime:
		case field.Kind == KindCategory:
			out[field.Name] = field.Values[code]
		case field.Kind == KindCode:
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
