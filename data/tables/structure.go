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
// package structure names them, measured over the training edges in the graph that
// training sees. Columns that are the same for all of these are left out.
func (s *Set) FitStructure(e *Encoder, split *data.Split, groups []string, o InputOptions) error {
	names, err := structure.Names(s.Directed, groups...)
	if err != nil {
		return fmt.Errorf("tables: %s: %w", s.Name, err)
	}
	in, err := s.seen(split, Train, o)
	if err != nil {
		return err
	}
	rows, err := structureRows(len(in.Nodes), in.ends(s), s.Directed, names, o.Threads)
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

// structureRows are the columns of all edges of a graph.
func structureRows(nodes int, ends []int32, directed bool, names []string, threads int) ([]float32, error) {
	g, err := structure.New(nodes, ends, directed, par.New(threads))
	if err != nil {
		return nil, err
	}
	return g.Columns(names, structure.Pairs{Ends: ends})
}

// WithStructure adds the structure columns of the encoder, standardised, to the features of
// the edges of a graph: behind their numbers. They take the place of the constant feature of
// edges without any of their own. Results do not depend on threads, 0 of which stand for all
// processors.
func (e *Encoder) WithStructure(own graph.Features, nodes int, ends []int32, threads int) (graph.Features, error) {
	k := len(e.Structure)
	if k == 0 {
		return own, nil
	}
	names := make([]string, k)
	for i, f := range e.Structure {
		names[i] = f.Name
	}
	rows, err := structureRows(nodes, ends, e.Options.Form == data.Directed, names, threads)
	if err != nil {
		return own, err
	}
	for i, x := range rows {
		f := e.Structure[i%k]
		rows[i] = float32(min(max((float64(x)-f.Mean)/f.Scale, -maxStructure), maxStructure))
	}
	if len(e.Edges) == 0 {
		return graph.Features{Dense: rows, Dim: k}, nil
	}
	out := own
	out.Dim, out.Dense = own.Dim+k, rows
	if own.Dim > 0 {
		out.Dense = make([]float32, 0, len(own.Dense)+len(rows))
		for i := range len(ends) / 2 {
			out.Dense = append(out.Dense, own.Dense[i*own.Dim:][:own.Dim]...)
			out.Dense = append(out.Dense, rows[i*k:][:k]...)
		}
	}
	return out, nil
}
