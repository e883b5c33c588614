package smiles

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/ehgnn/ehgnn/chem"
	"github.com/ehgnn/ehgnn/data"
	"github.com/ehgnn/ehgnn/data/tables"
	"github.com/ehgnn/ehgnn/graph"
)

// Set is a table as graphs with their SMILES, without the rows that are not molecules.
type Set struct {
	data.Dataset
	Column string  // of the SMILES
	Class  string  // the column of the class; empty if the labels are targets
	Labels *Labels // of atoms or bonds; nil if molecules have the labels
	Rows   []int   // the row of each graph, counted from 1
	// Invalid counts the rows that are not molecules, or whose labels do not fit.
	Invalid int
	// Same numbers the molecules: those with equal canonical SMILES have the same number. It is nil
	// unless Options.Same is set.
	Same []int32
	// Scaffold numbers the molecules: those with equal scaffolds have the same number. It is nil
	// before ScaffoldSplit.
	Scaffold []int32
	// Part is the part of each graph in the column PartColumn: 0 training, 1 validation, 2 test, -1
	// if missing. It is nil without such a column. Group numbers the values of the column
	// GroupColumn, also with -1 for missing values.
	Part                    []int8
	Group                   []int32
	PartColumn, GroupColumn string

	silent bool // rows without a molecule are not listed
}

// shownInvalid is how many rows without a molecule are listed.
const shownInvalid = 10

// Open reads the table at a path.
func Open(ctx context.Context, path string, o Options) (*Set, error) {
	r, err := NewReader(path, o)
	if err != nil {
		return nil, err
	}
	s := &Set{Column: r.Column()}
	err = s.read(ctx, r)
	sum, closed := r.Close()
	if err = cmp.Or(err, closed); err != nil {
		return nil, err
	}
	s.describe(tables.NameOf(path), sum)
	return s, nil
}

func (s *Set) read(ctx context.Context, r *Reader) error {
	if s.silent = r.o.OnInvalid == Skip; s.silent {
		r.o.OnInvalid = Mark // they are counted
	}
	labels, kept := newColumns(r), newKeepers(r)
	for {
		batch, err := r.next(ctx)
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return err
		}
		for _, m := range batch {
			if m.Graph == nil {
				s.leaveOut(&m)
				continue
			}
			if !r.o.Fixed {
				if err := labels.add(m); err != nil {
					return err
				}
			}
			s.Graphs, s.SMILES, s.Rows = append(s.Graphs, m.Graph), append(s.SMILES, m.SMILES), append(s.Rows, m.Row)
			if err := kept.add(s, &m); err != nil {
				return err
			}
		}
	}
	kept.finish(s)
	switch {
	case r.o.Fixed:
		s.fixed(r)
	case len(s.Graphs) > 0:
		if err := labels.finish(s); err != nil {
			return err
		}
	}
	switch {
	case len(s.Graphs) == 0 && s.Invalid == 0 && !tables.IsTable(r.file):
		return &data.ParseError{File: r.file, Msg: "has no molecules"}
	case len(s.Graphs) == 0 && s.Invalid == 0:
		return &data.ParseError{File: r.file, Msg: "has a header and no rows"}
	case len(s.Graphs) == 0:
		return &data.ParseError{File: r.file, Msg: fmt.Sprintf("none of %d rows of column %q is a molecule%s%s", s.Invalid, s.Column, s.withLists(" with lists that fit"), firstReason(s.Info.Notes))}
	case s.Invalid > 0 && (s.Invalid > shownInvalid || s.silent):
		s.note("%d of %d rows are no molecules%s and are left out", s.Invalid, s.Invalid+len(s.Graphs), s.withLists(" or have lists that do not fit"))
	}
	if r.extended > 0 {
		s.note("%s", NoteExtended(r.extended))
	}
	s.noteRepeats()
	return nil
}

// leaveOut counts a row without a graph. It lists the first of them.
func (s *Set) leaveOut(m *Molecule) {
	if s.Invalid++; s.Invalid <= shownInvalid && !s.silent {
		s.note("row %d %s and is left out: %s", m.Row, m.fault(), m.Reason)
	}
}

func firstReason(notes []string) string {
	if len(notes) == 0 {
		return ""
	}
	return ": " + notes[0]
}

// withLists returns text if atoms or bonds have the labels, else an empty text.
func (s *Set) withLists(text string) string {
	if s.Labels == nil {
		return ""
	}
	return text
}

// fixed describes the labels of training, which the Reader has given to the graphs.
func (s *Set) fixed(r *Reader) {
	if r.o.ofItems() {
		s.Labels = &Labels{Level: r.o.Level, Names: r.labels, Classes: r.o.Classes}
		if r.class != nil {
			s.Class = r.labels[0]
		}
		s.Labels.count(s.Graphs)
		return
	}
	if r.class != nil {
		s.Class = r.labels[0]
		s.Info.NumClasses, s.Info.ClassNames, s.Info.ClassCounts = len(r.o.Classes), slices.Clone(r.o.Classes), make([]int, len(r.o.Classes))
		for _, g := range s.Graphs {
			if g.Label != graph.NoLabel {
				s.Info.ClassCounts[g.Label]++
			}
		}
		return
	}
	s.Info.NumTargets, s.Info.TargetNames = len(r.labels), slices.Clone(r.labels)
	for _, g := range s.Graphs {
		for _, v := range g.Targets {
			if v != v {
				s.Info.MissingTargets++
			}
		}
	}
}

// describe completes Info.
func (s *Set) describe(name, checksum string) {
	directed := s.Graphs[0].Directed
	i := &s.Info
	i.Name, i.Format, i.Checksum = name, Format, checksum
	i.NumGraphs, i.HasNodeLabels, i.HasEdgeLabels, i.Symmetric, i.Directed = len(s.Graphs), true, true, true, directed
	i.NodeWidth, i.EdgeWidth = s.Graphs[0].Node.Width(), s.Graphs[0].Edge.Width()
	for _, g := range s.Graphs {
		edges := g.NumEdges()
		if directed {
			edges /= 2
		}
		i.MeanNodes += float64(g.NumNodes)
		i.MeanEdges += float64(edges)
		i.MaxNodes, i.MaxEdges = max(i.MaxNodes, g.NumNodes), max(i.MaxEdges, edges)
		i.MaxDegree = max(i.MaxDegree, maxDegree(g))
	}
	i.MeanNodes /= float64(len(s.Graphs))
	i.MeanEdges /= float64(len(s.Graphs))
}

func maxDegree(g *graph.Graph) int {
	degree, most := make([]int, g.NumNodes), 0
	for at, v := range g.Ends {
		if !g.Directed || at%2 == 0 {
			degree[v]++
			most = max(most, degree[v])
		}
	}
	return most
}

// direct gives the graphs an edge for each direction of a bond if directed is set.
func (s *Set) direct(directed bool) {
	for i, g := range s.Graphs {
		if directed {
			s.Graphs[i] = arcs(g)
		}
	}
}

func (s *Set) note(format string, args ...any) {
	s.Info.Notes = append(s.Info.Notes, fmt.Sprintf(format, args...))
}

// ScaffoldSplit divides the molecules by their Murcko scaffolds without stereo, as OGB does. The
// largest groups are the training set, smaller groups the validation set and the smallest the test
// set. Of equal sizes the later group comes first. A molecule that is too large for a scaffold is a
// group of its own.
func (s *Set) ScaffoldSplit(ctx context.Context, tk chem.Toolkit, threads int, fractions [3]float64) (parts [3][]int, err error) {
	results, err := chem.Map(ctx, tk, threads, s.SMILES, func(m chem.Molecule) (string, error) { return m.Scaffold(false) })
	if err != nil {
		return parts, err
	}
	groups := map[string][]int{}
	s.Scaffold = make([]int32, len(results))
	for i, r := range results {
		key := "scaffold " + r.Value
		if r.Err != nil {
			key = "molecule " + s.SMILES[i]
		}
		groups[key] = append(groups[key], i)
		s.Scaffold[i] = int32(groups[key][0])
	}
	order := make([][]int, 0, len(groups))
	for _, g := range groups {
		order = append(order, g)
	}
	slices.SortFunc(order, func(a, b []int) int { return cmp.Or(len(b)-len(a), b[0]-a[0]) })
	n := float64(len(s.SMILES))
	train, both := fractions[0]*n, (fractions[0]+fractions[1])*n
	for _, g := range order {
		part := 0
		switch {
		case float64(len(parts[0])+len(g)) <= train:
		case float64(len(parts[0])+len(parts[1])+len(g)) <= both:
			part = 1
		default:
			part = 2
		}
		parts[part] = append(parts[part], g...)
	}
	for k := range parts {
		slices.Sort(parts[k])
	}
	return parts, nil
}
