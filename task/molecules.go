package task

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/ehgnn/ehgnn/data/smiles"
	"github.com/ehgnn/ehgnn/data/tables"
	"github.com/ehgnn/ehgnn/graph"
	"github.com/ehgnn/ehgnn/report"
)

// moleculeSource reads tables with a column of SMILES as graphs with the features of OGB.
var moleculeSource = &Source{
	Name:      smiles.Format,
	Expect:    "molecules: a table with a column smiles, a file of SMILES (.smi) or an SD file (.sdf) (chemistry build)",
	Formats:   []string{smiles.Format},
	Recognise: smiles.Recognise,
	Begin: func(d *DataSettings) {
		d.Graphs, d.Molecules = &GraphSettings{}, &MoleculeSettings{OnInvalid: smiles.Mark}
	},
	Read: func(ctx context.Context, d *DataSettings, t *Kind) (Data, error) {
		m := d.Molecules
		o := smiles.Options{Column: m.Column, Ignore: m.Ignore, Edges: d.form(), Hydrogens: m.Hydrogens, OnInvalid: m.OnInvalid,
			Part: m.Part, Group: m.Group, Same: true, Toolkit: d.Toolkit, Threads: d.Threads, MaxMemory: d.MaxMemory}
		if m.Label != "" {
			o.Labels = strings.Split(m.Label, ",")
		}
		if t != nil {
			o.Level = t.labels()
			if !t.Reconstructs {
				o.Number, o.Classify = t.Number, !t.Number
			}
		}
		set, err := smiles.Open(ctx, d.Path, o)
		if err != nil {
			return nil, err
		}
		m.Column, m.Class, m.Part, m.Group = set.Column, set.Class, set.PartColumn, set.GroupColumn
		p := newMoleculeData(set, o)
		p.describe(d)
		return p, nil
	},
	Reread: func(ctx context.Context, s *Settings, o LoadOptions, own bool) (Data, error) {
		options := s.moleculeOptions(o)
		set, err := smiles.Open(ctx, o.Data, options)
		if err != nil {
			return nil, err
		}
		p := newMoleculeData(set, options)
		return p, p.fits(s, o.Data)
	},
	Rereads: []string{"smiles", "on-invalid", "format"},
}

// moleculeOptions are the options that make tables be read as that of the training was.
func (s *Settings) moleculeOptions(o LoadOptions) smiles.Options {
	m := s.Data.Molecules
	out := smiles.Options{Column: o.SMILES, Prefer: m.Column, Fixed: true, Labels: s.Target.Names, Level: s.Kind.labels(), Edges: s.Data.form(),
		Hydrogens: m.Hydrogens, OnInvalid: m.OnInvalid, Part: m.Part, Group: m.Group, Same: s.Split.SameMolecule, Toolkit: o.Toolkit, Threads: o.Threads, MaxMemory: o.MaxMemory}
	if m.Class != "" && s.classifies() {
		out.Labels, out.Classes = []string{m.Class}, s.Target.Classes
	}
	if o.OnInvalid != "" {
		out.OnInvalid = o.OnInvalid
	}
	return out
}

// labels are the level of the labels that a task learns, in a table of molecules.
func (t *Kind) labels() tables.Level {
	if t.Reconstructs {
		return tables.OfGraphs
	}
	return tables.Level(t.Items)
}

// moleculeData are the molecules of a table.
type moleculeData struct {
	graphData
	set     *smiles.Set
	options smiles.Options
}

func newMoleculeData(set *smiles.Set, o smiles.Options) *moleculeData {
	return &moleculeData{graphData{whole: &set.Dataset, many: true}, set, o}
}

// Labelled says of which items the labels are, and whether they are numbers.
func (m *moleculeData) Labelled() (Items, bool) {
	if l := m.set.Labels; l != nil {
		return Items(l.Level), l.Classes == nil
	}
	return m.graphData.Labelled()
}

// Labels are those of molecules, or of their atoms or bonds.
func (m *moleculeData) Labels(items Items) (Labels, error) {
	l := m.set.Labels
	switch {
	case l == nil && items == Graphs:
		return m.graphData.Labels(items)
	case l == nil || Items(l.Level) != items:
		return Labels{}, Misuse("task: %s was read without labels of %ss; --label names their columns, with a list for each molecule where they are of nodes or edges", m.Name(), items)
	case l.Classes != nil:
		return Labels{Classes: len(l.Classes), ClassNames: l.Classes}, nil
	}
	return Labels{Targets: l.Names}, nil
}

// Summary describes the molecules and their labels.
func (m *moleculeData) Summary() Summary {
	return setSummary{Info: m.whole.Info, Labels: m.set.Labels, Parts: m.set.PartInfo(), Group: m.set.GroupInfo()}
}

// Notes are about columns and rows that were left out.
func (m *moleculeData) Notes() []string { return m.set.Info.Notes }

// Whole is all molecules as one part.
func (m *moleculeData) Whole(s *Settings, t *Kind, form Form) (*Part, error) {
	p, err := m.graphData.Whole(s, t, form)
	if err != nil {
		return nil, err
	}
	if err := p.take(form, map[*graph.Graph]*graph.Graph{}); err != nil {
		return nil, err
	}
	m.name(p, form)
	return p, nil
}

// take gives the graphs of a part the form that a model takes; formed are those that have it.
func (p *Part) take(form Form, formed map[*graph.Graph]*graph.Graph) error {
	if form == nil {
		return nil
	}
	graphs, ids := make([]*graph.Graph, len(p.Graphs)), make([]int, len(p.Graphs))
	for i, g := range p.Graphs {
		ids[i] = p.ID(Place{Graph: i})
		if formed[g] == nil {
			to, err := form(g)
			if err != nil {
				return fmt.Errorf("task: graph %d: %w", ids[i], err)
			}
			formed[g] = to
		}
		graphs[i] = formed[g]
	}
	*p = *graphPart(graphs, ids)
	return nil
}

// name makes rows of predictions name the row of the table in place of the graph and, where
// they are about molecules, the SMILES; of edges that are bonds, or their directions, the bond.
func (m *moleculeData) name(p *Part, form Form) {
	graphs := p.Name
	p.Name = func(items Items, at []Place) []report.Column {
		columns := graphs(items, at)
		rows, text := make([]int, len(at)), make([]string, len(at))
		for i, place := range at {
			id := p.ID(place)
			rows[i], text[i] = m.set.Rows[id], validText(m.set.SMILES[id])
		}
		columns[0] = report.Ints("row", rows)
		switch {
		case items == Graphs:
			columns = slices.Insert(columns, 1, report.Strings("smiles", text))
		case items == Edges && form == nil:
			bonds := make([]int, len(at))
			for i, place := range at {
				if bonds[i] = place.Item; p.Graphs[place.Graph].Directed {
					bonds[i] /= 2
				}
			}
			columns = slices.Insert(columns, 1, report.Ints("bond", bonds))
		}
		return columns
	}
}

// validText is a text of a table as results may hold it.
func validText(text string) string { return strings.ToValidUTF8(text, "\uFFFD") }

// collection is the graphs of data that are a collection, as they were read.
func collection(d Data) (*graphData, bool) {
	switch d := d.(type) {
	case *graphData:
		return d, true
	case *moleculeData:
		return &d.graphData, true
	}
	return nil, false
}
