package source

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/ehgnn/ehgnn/data/schema"
	"github.com/ehgnn/ehgnn/data/smiles"
	"github.com/ehgnn/ehgnn/data/tables"
	"github.com/ehgnn/ehgnn/graph"
	"github.com/ehgnn/ehgnn/internal/report"
	"github.com/ehgnn/ehgnn/internal/settings"
)

// MoleculeSource reads tables with a column of SMILES as graphs with the features of OGB.
var MoleculeSource = &Source{
	Name:      smiles.Format,
	Expect:    "molecules: a table with a column smiles, a file of SMILES (.smi) or an SD file (.sdf) (chemistry build)",
	Formats:   []string{smiles.Format},
	Recognise: smiles.Recognise,
	InitSettings: func(d *settings.DataSettings) {
		d.Graphs, d.Molecules = &settings.GraphSettings{}, &settings.MoleculeSettings{OnInvalid: smiles.Mark}
	},
	Read: func(ctx context.Context, d *settings.DataSettings, t *settings.Kind) (Data, error) {
		m := d.Molecules
		o := smiles.Options{Column: m.Column, Ignore: m.Ignore, Edges: d.Form(), Hydrogens: m.Hydrogens, OnInvalid: m.OnInvalid,
			Part: m.Part, Group: m.Group, Same: true, Toolkit: d.Toolkit, Threads: d.Threads, MaxMemory: d.MaxMemory}
		if m.Label != "" {
			o.Labels = tables.SplitLabels(m.Label)
		}
		if t != nil {
			o.Level = labels(t)
			if !t.Reconstructs {
				o.Number, o.Classify = t.Number, !t.Number
			}
		}
		set, err := smiles.Open(ctx, d.Path, o)
		if err != nil {
			return nil, err
		}
		m.Column, m.Class, m.Part, m.Group = set.Column, set.Class, set.PartColumn, set.GroupColumn
		p := NewMoleculeData(set, o)
		p.Describe(d)
		return p, nil
	},
	ReadForInference: func(ctx context.Context, s *settings.Settings, o LoadOptions, own bool) (Data, error) {
		options := MoleculeOptions(s, o)
		set, err := smiles.Open(ctx, o.Data, options)
		if err != nil {
			return nil, err
		}
		p := NewMoleculeData(set, options)
		return p, p.checkColumns(s, o.Data)
	},
	InferenceOptions: []string{"smiles", "on-invalid", "format"},
}

// MoleculeOptions are the options with which tables are read like the training table.
func MoleculeOptions(s *settings.Settings, o LoadOptions) smiles.Options {
	m := s.Data.Molecules
	out := smiles.Options{Column: o.SMILES, Prefer: m.Column, Fixed: true, Labels: s.Target.Names, Level: labels(&s.Kind), Edges: s.Data.Form(),
		Hydrogens: m.Hydrogens, OnInvalid: cmp.Or(o.OnInvalid, m.OnInvalid), Part: m.Part, Group: m.Group, Same: s.Split.SameMolecule, KeepColumns: o.KeepColumns, Toolkit: o.Toolkit, Threads: o.Threads, MaxMemory: o.MaxMemory}
	if m.Class != "" && s.Classifies() {
		out.Labels, out.Classes = []string{m.Class}, s.Target.Classes
	}
	return out
}

// labels is the level of the labels that a task learns in a table of molecules.
func labels(t *settings.Kind) tables.Level {
	if t.Reconstructs {
		return tables.OfGraphs
	}
	return tables.Level(t.Level)
}

// MoleculeData are the molecules of a table.
type MoleculeData struct {
	GraphData
	Set     *smiles.Set
	Options smiles.Options
}

// NewMoleculeData returns the molecules of a table that was read with the given options.
func NewMoleculeData(set *smiles.Set, o smiles.Options) *MoleculeData {
	return &MoleculeData{GraphData{Whole: &set.Dataset, many: true}, set, o}
}

// Labelled returns the level of the labels, and whether they are numbers.
func (m *MoleculeData) Labelled() (settings.Level, bool) {
	if l := m.Set.Labels; l != nil {
		return settings.Level(l.Level), l.Classes == nil
	}
	return m.GraphData.Labelled()
}

// Labels returns the labels of molecules, or of their atoms or bonds.
func (m *MoleculeData) Labels(items settings.Level) (Labels, error) {
	l := m.Set.Labels
	switch {
	case l == nil && items == settings.Graphs:
		return m.GraphData.Labels(items)
	case l == nil || settings.Level(l.Level) != items:
		return Labels{}, settings.Misuse("%s was read without labels of %ss; --label names their columns, for nodes or edges with a list for each molecule", m.Name(), items)
	case l.Classes != nil:
		return Labels{Classes: len(l.Classes), ClassNames: l.Classes}, nil
	}
	return Labels{Targets: l.Names}, nil
}

// Summary describes the molecules and their labels.
func (m *MoleculeData) Summary() Summary {
	return setSummary{Info: m.Whole.Info, Labels: m.Set.Labels, Parts: m.Set.PartInfo(), Group: m.Set.GroupInfo()}
}

// Notes describe the columns and rows that were left out.
func (m *MoleculeData) Notes() []string { return m.Set.Info.Notes }

// All returns all molecules as one part.
func (m *MoleculeData) All(s *settings.Settings, t *settings.Kind, form Form) (*Part, error) {
	p, err := m.GraphData.All(s, t, form)
	if err != nil {
		return nil, err
	}
	if err := p.Take(form, map[*graph.Graph]*graph.Graph{}); err != nil {
		return nil, err
	}
	m.NameRows(p, form)
	return p, nil
}

// Take returns the graphs of a part in the form that a model reads; formed caches converted graphs.
func (p *Part) Take(form Form, formed map[*graph.Graph]*graph.Graph) error {
	if form == nil {
		return nil
	}
	graphs, ids := make([]*graph.Graph, len(p.Graphs)), make([]int, len(p.Graphs))
	for i, g := range p.Graphs {
		ids[i] = p.ID(Place{Graph: i})
		if formed[g] == nil {
			to, err := form(g)
			if err != nil {
				return fmt.Errorf("graph %d: %w", ids[i], err)
			}
			formed[g] = to
		}
		graphs[i] = formed[g]
	}
	*p = *GraphPart(graphs, ids)
	return nil
}

// NameRows replaces the graph in rows of predictions by the row of the table. Predictions for
// molecules also get the SMILES, and predictions for bonds, or their directions, the bond.
func (m *MoleculeData) NameRows(p *Part, form Form) {
	graphs := p.Name
	p.Name = func(items settings.Level, at []Place) []report.Column {
		columns := graphs(items, at)
		rows, text := make([]int, len(at)), make([]string, len(at))
		for i, place := range at {
			id := p.ID(place)
			rows[i], text[i] = m.Set.Rows[id], ValidText(m.Set.SMILES[id])
		}
		columns[0] = report.Ints("row", rows)
		switch {
		case items == settings.Graphs:
			columns = slices.Insert(columns, 1, report.Strings("smiles", text))
		case items == settings.Edges && form == nil:
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

// ValidText is a text of a table in a form that results may contain.
func ValidText(text string) string { return strings.ToValidUTF8(text, "\uFFFD") }

// CellText formats a cell of a data table for predictions and pictures.
func CellText(cell string) string { return ValidText(schema.WholeOf(cell)) }

// Collection returns the graphs of data that are a collection.
func Collection(d Data) (*GraphData, bool) {
	switch d := d.(type) {
	case *GraphData:
		return d, true
	case *MoleculeData:
		return &d.GraphData, true
	}
	return nil, false
}
