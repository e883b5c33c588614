package tables

import (
	"fmt"
	"math"
	"strconv"

	"github.com/ehgnn/ehgnn/data"
	"github.com/ehgnn/ehgnn/graph"
	"github.com/ehgnn/ehgnn/internal/lists"
)

// Parts of a split, in the order of growing inputs.
const (
	Train = "train"
	Valid = "valid"
	Test  = "test"
)

// InputOptions change what a model sees.
type InputOptions struct {
	// Transductive puts the edges of all parts into every input, with their features and without
	// labels. Otherwise training sees the training edges, validation also its own edges, and test all
	// edges.
	Transductive bool `json:"transductive"`
	// Context is the number of edges of Whole, at the start, that are not scored.
	Context int `json:"-"`
	// Known says for each edge of the set whether Whole counts it in structure columns like a training
	// edge; nil for none. See Set.FitStructure.
	Known []bool `json:"-"`
	// Threads is the number of threads for structure columns, 0 for all processors. Results
	// do not depend on it.
	Threads int `json:"-"`
	// Structures is what the structure columns of several inputs share; if nil, each input computes
	// its own. Results do not depend on it.
	Structures *Structures `json:"-"`
	// Observed says which labels models may read; nil for none.
	Observed *ObservedLabels `json:"-"`

	beside    *besideEdges // the edges of the input as additions to another set; nil for none
	uncounted bool         // structure columns are 0
}

// ObservedLabels says which labels of a set models may read (graph.ObservedLabels).
type ObservedLabels struct {
	Edges []bool  // for each edge of the set, whether its label may be read
	Unit  []int32 // unit of each edge of the set; nil if each edge is its own unit
	Time  bool    // an edge may read only labels of earlier edges
}

// Input is the graph that a model sees for a part.
type Input struct {
	// Graph has the visible edges, in the order of the set, and the nodes at their ends. EdgeLabel is
	// the class of each scored edge and graph.NoLabel for all others. For a label that is a number,
	// EdgeTargets has a number for each edge, NaN if the edge is not scored or its number is not
	// known.
	Graph *graph.Graph
	Edges []int32 // for each edge of Graph: its index in the set
	Nodes []int32 // for each node of Graph: its index in the set
	// Scored are the edges of Graph that belong to the part, in ascending order, with or without a
	// label.
	Scored []int32
	// Unseen are the categories of nodes and edges that training lacked.
	Unseen []Unseen

	certain []bool  // for each edge of the set, whether structure columns count it; nil for all
	known   []int32 // edges of Graph that structure columns count; nil for all
}

// Input encodes the input of a model for a part of a split of labelled edges.
func (s *Set) Input(e *Encoder, split *data.Split, part string, o InputOptions) (*Input, error) {
	in, err := s.seen(split, part, o)
	if err != nil {
		return nil, err
	}
	return in, s.graph(e, in, o)
}

// seen lists the edges that a model sees for a part, the scored ones among them, and their nodes.
func (s *Set) seen(split *data.Split, part string, o InputOptions) (*Input, error) {
	parts := []struct {
		name  string
		edges []int
	}{{Train, split.Train}, {Valid, split.Valid}, {Test, split.Test}}
	of := make([]int8, s.NumEdges()) // 1 seen, 2 scored
	found := false
	for _, p := range parts {
		for _, i := range p.edges {
			if i < 0 || i >= len(of) || of[i] != 0 {
				return nil, fmt.Errorf("tables: %s: split has edge %d twice, or it is not between 0 and %d", s.Name, i, len(of)-1)
			}
			switch {
			case p.name == part:
				of[i] = 2
			case o.Transductive || !found:
				of[i] = 1
			default:
				of[i] = -1 // of a later part
			}
		}
		found = found || p.name == part
	}
	if !found {
		return nil, fmt.Errorf("tables: part %q, expected %s, %s or %s", part, Train, Valid, Test)
	}
	in := &Input{}
	for i, k := range of {
		if k > 0 {
			if k == 2 {
				in.Scored = append(in.Scored, int32(len(in.Edges)))
			}
			in.Edges = append(in.Edges, int32(i))
		}
	}
	in.touch(s)
	if !o.Transductive {
		in.certain = lists.Marked(len(of), split.Train)
	}
	return in, nil
}

// Whole is the input of all edges, for example of new data.
func (s *Set) Whole(e *Encoder, o InputOptions) (*Input, error) {
	in := &Input{}
	for i := range int32(s.NumEdges()) {
		in.Edges = append(in.Edges, i)
		if int(i) >= o.Context {
			in.Scored = append(in.Scored, i)
		}
	}
	in.touch(s)
	if in.certain = o.Known; in.certain == nil {
		in.certain = make([]bool, s.NumEdges())
	}
	return in, s.graph(e, in, o)
}

// graph builds the graph of an input.
func (s *Set) graph(e *Encoder, in *Input, o InputOptions) error {
	if s.Level != OfEdges {
		return fmt.Errorf("tables: %s: the labels are of each %s, expected labelled edges", s.Name, s.Level)
	}
	if err := s.encodable(e); err != nil {
		return err
	}
	in.know(s, e)
	g := graph.Graph{NumNodes: len(in.Nodes), Ends: in.ends(s), Directed: s.Directed, Label: graph.NoLabel}
	var err error
	if g.Node, g.Edge, in.Unseen, err = s.encode(e, in.Nodes, in.Edges); err != nil {
		return err
	}
	switch {
	case o.beside != nil:
		g.Edge, err = o.beside.withStructure(g.Edge)
	case o.uncounted && len(e.Structure) > 0:
		g.Edge, _ = e.structureTable(g.Edge, len(in.Edges))
	default:
		g.Edge, err = in.withStructure(s, e, g.Edge, o)
	}
	if err != nil {
		return fmt.Errorf("tables: %s: %w", s.Name, err)
	}
	if e.Times != nil {
		if s.Time == nil {
			return fmt.Errorf("tables: %s has no column of times, which training had, called %q", s.Name, e.Options.Time)
		}
		if o.beside != nil {
			g.Edge, err = e.timeTable(g.Edge, o.beside.timeRows(e.Times, g.NumNodes, g.Ends, in.times(s), s.Directed), len(in.Edges))
		} else {
			g.Edge, err = e.WithTimes(g.Edge, g.NumNodes, g.Ends, in.times(s), in.known, o.Threads)
		}
		if err != nil {
			return err
		}
	}
	if e.Options.Number {
		g.EdgeTargets = s.targets(in)
	} else if g.EdgeLabel, err = s.labels(e, in); err != nil {
		return err
	}
	g.Observed = s.shown(e, in, o.Observed)
	in.Graph, err = graph.New(g)
	if err != nil {
		return fmt.Errorf("tables: %s: %w", s.Name, err)
	}
	return nil
}

// touch lists the nodes at the input's edges, in the order of the set; other nodes are left out.
func (in *Input) touch(s *Set) {
	touched := make([]bool, len(s.NodeIDs))
	for _, e := range in.Edges {
		touched[s.Ends[2*e]], touched[s.Ends[2*e+1]] = true, true
	}
	in.Nodes = trueAt(touched)
}

// ends are the ends of the input's edges, as indices in Nodes.
func (in *Input) ends(s *Set) []int32 {
	return lists.Take(lists.Inverse(in.Nodes, len(s.NodeIDs)), s.endsOf(in.Edges))
}

// labels returns the classes of the scored edges. Classes that the training lacks are added to in.Unseen.
func (s *Set) labels(e *Encoder, in *Input) ([]int32, error) {
	out := lists.Repeat[int32](graph.NoLabel, len(in.Edges))
	classes, unseen, err := s.classesOf(e, s.Label, lists.Map(in.Scored, func(i int32) int32 { return in.Edges[i] }))
	for k, i := range in.Scored {
		out[i] = classes[k]
	}
	in.Unseen = append(in.Unseen, unseen...)
	return out, err
}

// classesOf returns the classes of rows with a label column, which may be nil: graph.NoLabel if a class is missing, or
// if the training lacks it, which is counted.
func (s *Set) classesOf(e *Encoder, label *Column, rows []int32) ([]int32, []Unseen, error) {
	out := lists.Repeat[int32](graph.NoLabel, len(rows))
	if label == nil {
		return out, nil, nil
	}
	if label.Numeric() {
		return out, nil, fmt.Errorf("tables: %s: labels are numbers, expected classes", s.Name)
	}
	class := classCodes(e, label)
	unseen := Unseen{Of: s.Level, Column: label.Name, Label: true}
	for i, row := range rows {
		switch k := label.Code[row]; {
		case k < 0:
		case class[k] < 0:
			if unseen.Rows++; unseen.Rows == 1 {
				unseen.Example = label.Text[k]
			}
		default:
			out[i] = class[k]
		}
	}
	if unseen.Rows == 0 {
		return out, nil, nil
	}
	unseen.Classes = shownClasses(e.Classes)
	return out, []Unseen{unseen}, nil
}

// classCodes returns the classes of the values of a label, -1 for one that the training lacks.
func classCodes(e *Encoder, label *Column) []int32 {
	known := lists.Places[int32](e.Classes)
	return lists.Map(label.Text, func(text string) int32 {
		if k, ok := known[text]; ok {
			return k
		}
		return -1
	})
}

// rowName names a row that has a label.
func (s *Set) rowName(row int32) string {
	switch s.Level {
	case OfNodes:
		return "node " + s.NodeIDs[row]
	case OfGraphs:
		if s.GraphIDs == nil {
			return "the graph"
		}
		return "graph " + s.GraphIDs[row]
	}
	return fmt.Sprintf("edge from %s to %s", s.NodeIDs[s.Ends[2*row]], s.NodeIDs[s.Ends[2*row+1]])
}

// shownClasses lists classes for a remark.
func shownClasses(classes []string) string {
	const most = 10
	if len(classes) <= most {
		return fmt.Sprintf("%q", classes)
	}
	text := fmt.Sprintf("%q and %d more", classes[:most], len(classes)-most)
	for _, c := range classes {
		if _, err := strconv.ParseFloat(c, 64); err != nil {
			return text
		}
	}
	return text + "; --task edge-regression estimates numbers"
}

// targets returns the numbers of the scored edges.
func (s *Set) targets(in *Input) []float32 {
	out := lists.Repeat(float32(math.NaN()), len(in.Edges))
	if s.Label != nil && s.Label.Numeric() {
		for _, i := range in.Scored {
			out[i] = float32(s.Label.Value[in.Edges[i]])
		}
	}
	return out
}
