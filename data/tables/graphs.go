package tables

import (
	"fmt"

	"github.com/ehgnn/ehgnn/graph"
	"github.com/ehgnn/ehgnn/internal/lists"
)

// graphOf is the graph of a node.
func (s *Set) graphOf(v int32) int32 {
	if s.GraphOf == nil {
		return 0
	}
	return s.GraphOf[v]
}

// Graphs encodes the graphs of a set labelled by graph, in the order of GraphIDs, with the class as
// Label or the numbers as Targets, NaN if missing. Without labels Label is graph.NoLabel and
// Targets nil. The graphs share their arrays.
func (s *Set) Graphs(e *Encoder) ([]*graph.Graph, []Unseen, error) {
	if s.Level != OfGraphs {
		return nil, nil, fmt.Errorf("tables: %s: the labels are of each %s, expected labelled graphs", s.Name, s.Level)
	}
	if err := s.encodable(e); err != nil {
		return nil, nil, err
	}
	// Nodes and edges by graph, in their order within each graph.
	nodes, firstNode := byGraph(len(s.NodeIDs), s.NumGraphs(), s.graphOf)
	edges, firstEdge := byGraph(s.NumEdges(), s.NumGraphs(), func(i int32) int32 { return s.graphOf(s.Ends[2*i]) })
	place := lists.Inverse(nodes, len(nodes))
	node, edge, unseen, err := s.encode(e, nodes, edges)
	if err != nil {
		return nil, nil, err
	}
	labels, lacking, err := s.GraphLabels(e)
	if err != nil {
		return nil, nil, err
	}
	unseen = append(unseen, lacking...)
	targets, width, err := s.targetRows(e)
	if err != nil {
		return nil, nil, err
	}
	out := make([]*graph.Graph, s.NumGraphs())
	ends := make([]int32, 0, len(s.Ends))
	for k := range out {
		n, m := [2]int{firstNode[k], firstNode[k+1]}, [2]int{firstEdge[k], firstEdge[k+1]}
		for _, i := range edges[m[0]:m[1]] {
			ends = append(ends, place[s.Ends[2*i]]-int32(n[0]), place[s.Ends[2*i+1]]-int32(n[0]))
		}
		g := graph.Graph{NumNodes: n[1] - n[0], Ends: ends[2*m[0] : 2*m[1] : 2*m[1]], Directed: s.Directed,
			Node: part(node, n), Edge: part(edge, m), Label: labels[k]}
		if width > 0 {
			g.Targets = targets[k*width : (k+1)*width : (k+1)*width]
		}
		if out[k], err = graph.New(g); err != nil {
			return nil, nil, fmt.Errorf("tables: %s: graph %d: %w", s.Name, k, err)
		}
	}
	return out, unseen, nil
}

// byGraph sorts n items by their graph, and returns the start of each graph.
func byGraph(n, graphs int, of func(i int32) int32) (order []int32, first []int) {
	first = make([]int, graphs+1)
	for i := range int32(n) {
		first[of(i)+1]++
	}
	for k := range graphs {
		first[k+1] += first[k]
	}
	next := append([]int(nil), first...)
	order = make([]int32, n)
	for i := range int32(n) {
		k := of(i)
		order[next[k]] = i
		next[k]++
	}
	return order, first
}

// part returns the features of the rows r[0] to r[1], in the same arrays.
func part(f graph.Features, r [2]int) graph.Features {
	k := len(f.Codes)
	out := graph.Features{Dim: f.Dim, Codes: f.Codes}
	if f.Dim > 0 {
		out.Dense = f.Dense[r[0]*f.Dim : r[1]*f.Dim : r[1]*f.Dim]
	}
	if k > 0 {
		out.Code = f.Code[r[0]*k : r[1]*k : r[1]*k]
	}
	return out
}

// targetRows returns the numeric targets of the graphs, a row for each; nil without labels or with
// classes.
func (s *Set) targetRows(e *Encoder) (rows []float32, width int, err error) {
	if len(s.Targets) == 0 || e.Units == nil {
		return nil, 0, nil
	}
	if len(s.Targets) != len(e.Units) {
		return nil, 0, fmt.Errorf("tables: %s: graphs have %d targets, and had %d in training", s.Name, len(s.Targets), len(e.Units))
	}
	width = len(s.Targets)
	rows = make([]float32, s.NumGraphs()*width)
	for t, c := range s.Targets {
		if !c.Numeric() || c.Name != e.Units[t].Name {
			return nil, 0, fmt.Errorf("tables: %s: target %d is %q, expected the number %q of training", s.Name, t, c.Name, e.Units[t].Name)
		}
		for k, v := range c.Value {
			rows[k*width+t] = float32(v)
		}
	}
	return rows, width, nil
}

// GraphLabels returns the classes of the graphs. It is graph.NoLabel for numeric targets, for a
// missing class, and for a class that the training lacks, which is counted.
func (s *Set) GraphLabels(e *Encoder) ([]int32, []Unseen, error) {
	var label *Column
	if len(s.Targets) == 1 && e.Units == nil {
		label = s.Targets[0]
	}
	return s.classesOf(e, label, lists.Range[int32](s.NumGraphs()))
}

// NodeLabels returns the classes of the nodes of a set labelled by node: graph.NoLabel if it is
// missing or if the training lacks it, which is counted.
func (s *Set) NodeLabels(e *Encoder) ([]int32, []Unseen, error) {
	if s.Level != OfNodes {
		return nil, nil, fmt.Errorf("tables: %s: the labels are of each %s, expected labelled nodes", s.Name, s.Level)
	}
	return s.classesOf(e, s.Label, lists.Range[int32](len(s.NodeIDs)))
}

// WholeNodes is the input of a set labelled by node: one graph of all nodes and edges, even of
// several graphs, with the classes as NodeLabel. Scored is empty.
func (s *Set) WholeNodes(e *Encoder) (*Input, error) {
	labels, unseen, err := s.NodeLabels(e)
	if err != nil {
		return nil, err
	}
	if err := s.encodable(e); err != nil {
		return nil, err
	}
	in := &Input{Nodes: lists.Range[int32](len(s.NodeIDs)), Edges: lists.Range[int32](s.NumEdges())}
	g := graph.Graph{NumNodes: len(s.NodeIDs), Ends: s.Ends, Directed: s.Directed, Label: graph.NoLabel, NodeLabel: labels}
	if g.Node, g.Edge, in.Unseen, err = s.encode(e, in.Nodes, in.Edges); err != nil {
		return nil, err
	}
	in.Unseen = append(in.Unseen, unseen...)
	if in.Graph, err = graph.New(g); err != nil {
		return nil, fmt.Errorf("tables: %s: %w", s.Name, err)
	}
	return in, nil
}
