package tables

import (
	"fmt"
	"slices"

	"github.com/ehgnn/ehgnn/data"
	"github.com/ehgnn/ehgnn/graph"
	"github.com/ehgnn/ehgnn/graph/structure"
	"github.com/ehgnn/ehgnn/internal/par"
)

// maxStructure bounds a standardised structure column: the counts at a hub of new data are
// far outside those of training.
const maxStructure = 5

// FitStructure adds structure columns to an encoder of edges: those of some groups, as
// package structure names them, measured over the training edges. Columns that are the same
// for all of these are left out.
//
// Structure is counted from the training edges, in all inputs, and each of them is left out
// of its own row: so a training edge looks like one that comes later. Counting the edges of
// each input would give the same nodes higher degrees in testing than in training, and every
// training edge a trace of itself. Edges between nodes that no training edge touches, as those
// of another molecule, are counted, too, each without itself; and edges that are seen together
// are counted between their two ends where none of these joins them. With
// InputOptions.Transductive all edges are counted like training edges. So are those of new data,
// or those that InputOptions.Known names.
func (s *Set) FitStructure(e *Encoder, split *data.Split, groups []string, o InputOptions) error {
	names, err := structure.Names(s.Directed, groups...)
	if err != nil {
		return fmt.Errorf("tables: %s: %w", s.Name, err)
	}
	in, err := s.seen(split, Train, o)
	if err != nil {
		return err
	}
	rows, err := structureRows(len(in.Nodes), in.ends(s), s.Directed, names, in.known, o.Threads)
	if err != nil {
		return err
	}
	e.Structure = nil
	value := make([]float64, len(in.Edges))
	for k, name := range names {
		for i := range value {
			value[i] = float64(rows[i*len(names)+k])
		}
		first := value[in.Scored[0]]
		if slices.ContainsFunc(in.Scored, func(i int32) bool { return value[i] != first }) {
			f := Field{Name: name}
			f.Mean, f.Scale, _ = meanScale(value, in.Scored)
			e.Structure = append(e.Structure, f)
		}
	}
	return nil
}

// know lists the edges that structure columns count, those of the set in base being known.
func (in *Input) know(s *Set, base []bool) {
	is := make([]bool, len(in.Edges))
	for k, e := range in.Edges {
		is[k] = base[e]
	}
	in.known = KnownEdges(len(in.Nodes), in.ends(s), is)
}

// KnownEdges lists the edges of a graph that structure columns count: those that are known, then
// those that share no node with any of them. In this order nodes that known edges have are the
// same to package structure whatever else there is.
func KnownEdges(nodes int, ends []int32, is []bool) []int32 {
	touched := make([]bool, nodes)
	for e, known := range is {
		if known {
			touched[ends[2*e]], touched[ends[2*e+1]] = true, true
		}
	}
	var out, apart []int32
	for e, known := range is {
		switch {
		case known:
			out = append(out, int32(e))
		case !touched[ends[2*e]] && !touched[ends[2*e+1]]:
			apart = append(apart, int32(e))
		}
	}
	return append(out, apart...)
}

// structureRows are the columns of all edges of a graph, counted from those that are known
// (all for nil), each without itself.
func structureRows(nodes int, ends []int32, directed bool, names []string, known []int32, threads int) ([]float32, error) {
	base, own := ends, slices.Repeat([]bool{known == nil}, len(ends)/2)
	if known != nil {
		base = make([]int32, 0, 2*len(known))
		for _, i := range known {
			base = append(base, ends[2*i], ends[2*i+1])
			own[i] = true
		}
	}
	g, err := structure.New(nodes, base, directed, par.New(threads))
	if err != nil {
		return nil, err
	}
	return g.Columns(names, structure.Pairs{Ends: ends, Own: own, Together: true})
}

// WithStructure adds the structure columns of the encoder, standardised, to the features of
// the edges of a graph: behind their numbers. They take the place of the constant feature of
// edges without any of their own. They are counted from the edges that are known, all for
// nil, each without itself. Results do not depend on threads, 0 of which stand for all
// processors.
func (e *Encoder) WithStructure(own graph.Features, nodes int, ends []int32, known []int32, threads int) (graph.Features, error) {
	k := len(e.Structure)
	if k == 0 {
		return own, nil
	}
	names := make([]string, k)
	for i, f := range e.Structure {
		names[i] = f.Name
	}
	rows, err := structureRows(nodes, ends, e.Options.Form == data.Directed, names, known, threads)
	if err != nil {
		return own, err
	}
	for i, x := range rows {
		f := e.Structure[i%k]
		rows[i] = float32(min(max((float64(x)-f.Mean)/f.Scale, -maxStructure), maxStructure))
	}
	return appendDense(own, len(e.Edges) == 0, rows, k), nil
}
