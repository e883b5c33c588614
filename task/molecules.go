package task

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/ehgnn/ehgnn/data/smiles"
	"github.com/ehgnn/ehgnn/report"
)

// MoleculeSettings say how a table of SMILES is read. Its graphs are described by
// GraphSettings.
type MoleculeSettings struct {
	Column string   `json:"column"`          // of the SMILES
	Label  string   `json:"label,omitempty"` // columns to predict, by commas, where they were named
	Ignore []string `json:"ignore,omitempty"`
	// Class is the column of the one class; empty where Target.Names are the columns.
	Class     string `json:"class,omitempty"`
	OnInvalid string `json:"on_invalid"` // what becomes of rows that are no molecule
}

// moleculeSource reads tables with a column of SMILES as graphs with the features of OGB.
var moleculeSource = &Source{
	Name:      smiles.Format,
	Expect:    "a table of molecules, CSV, TSV or Parquet, with a column smiles (chemistry build)",
	Formats:   []string{smiles.Format},
	Recognise: smiles.Recognise,
	Begin: func(d *DataSettings) {
		d.Graphs, d.Molecules = &GraphSettings{}, &MoleculeSettings{OnInvalid: smiles.Mark}
	},
	Read: func(ctx context.Context, d *DataSettings, t *Task) (Data, error) {
		m := d.Molecules
		o := smiles.Options{Column: m.Column, Ignore: m.Ignore, Directed: d.Edges == edgesDirected, OnInvalid: m.OnInvalid,
			Toolkit: d.Toolkit, Threads: d.Threads, MaxMemory: d.MaxMemory}
		if m.Label != "" {
			o.Labels = strings.Split(m.Label, ",")
		}
		if t != nil && t.Items == Graphs {
			o.Number, o.Classify = t.Number, !t.Number
		}
		set, err := smiles.Open(ctx, d.Path, o)
		if err != nil {
			return nil, err
		}
		m.Column, m.Class = set.Column, set.Class
		p := &moleculeData{graphData{whole: &set.Dataset}, set, o}
		p.describe(d)
		return p, nil
	},
	Reread: func(ctx context.Context, s *Settings, o LoadOptions, own bool) (Data, error) {
		options := s.moleculeOptions(o)
		set, err := smiles.Open(ctx, o.Data, options)
		if err != nil {
			return nil, err
		}
		p := &moleculeData{graphData{whole: &set.Dataset}, set, options}
		return p, p.fits(s, o.Data)
	},
	Rereads: []string{"smiles", "on-invalid", "format"},
}

// moleculeOptions are the options that make tables be read as that of the training was.
func (s *Settings) moleculeOptions(o LoadOptions) smiles.Options {
	m := s.Data.Molecules
	out := smiles.Options{Column: o.SMILES, Prefer: m.Column, Fixed: true, Labels: s.Target.Names, Directed: s.Data.Directed(),
		OnInvalid: m.OnInvalid, Toolkit: o.Toolkit, Threads: o.Threads, MaxMemory: o.MaxMemory}
	if m.Class != "" {
		out.Labels, out.Classes = []string{m.Class}, s.Target.Classes
	}
	if o.OnInvalid != "" {
		out.OnInvalid = o.OnInvalid
	}
	return out
}

// moleculeData are the molecules of a table.
type moleculeData struct {
	graphData
	set     *smiles.Set
	options smiles.Options
}

// Notes are about columns and rows that were left out.
func (m *moleculeData) Notes() []string { return m.set.Info.Notes }

// ResolveSplit knows the split by scaffold beside those of other graphs.
func (m *moleculeData) ResolveSplit(s *Split, t *Task) error {
	if s.Kind != SplitScaffold {
		return m.graphData.ResolveSplit(s, t)
	}
	if s.Fractions == nil {
		s.Fractions = []float64{0.8, 0.1, 0.1}
	}
	return nil
}

// Divide makes the parts.
func (m *moleculeData) Divide(ctx context.Context, s *Settings, t *Task, form Form) (map[string]*Part, error) {
	var out map[string]*Part
	var err error
	if s.Split.Kind == SplitScaffold {
		out, err = m.byScaffold(ctx, s.Split)
	} else {
		out, err = m.graphData.Divide(ctx, s, t, form)
	}
	for _, p := range out {
		m.name(p)
	}
	return out, err
}

func (m *moleculeData) byScaffold(ctx context.Context, s Split) (map[string]*Part, error) {
	ids, err := m.set.ScaffoldSplit(ctx, m.options.Toolkit, m.options.Threads, s.fractions())
	if err != nil {
		return nil, err
	}
	out := map[string]*Part{PartAll: allOf(m.whole)}
	for k, name := range parts {
		if out[name] = pick(m.whole, ids[k]); len(ids[k]) == 0 && s.Fractions[k] > 0 {
			return nil, fmt.Errorf("task: %s: split %s leaves %s without a molecule: too many have one scaffold", m.Name(), s.Kind, name)
		}
	}
	return out, nil
}

// Whole is all molecules as one part.
func (m *moleculeData) Whole(s *Settings, t *Task, form Form) (*Part, error) {
	p, err := m.graphData.Whole(s, t, form)
	if err == nil {
		m.name(p)
	}
	return p, err
}

// name makes rows of predictions name the row of the table in place of the graph and, where
// they are about molecules, the SMILES.
func (m *moleculeData) name(p *Part) {
	graphs := p.Name
	p.Name = func(items Items, at []Place) []report.Column {
		columns := graphs(items, at)
		rows, text := make([]int, len(at)), make([]string, len(at))
		for i, place := range at {
			id := p.ID(place)
			rows[i], text[i] = m.set.Rows[id], validText(m.set.SMILES[id])
		}
		columns[0] = report.Ints("row", rows)
		if items == Graphs {
			columns = slices.Insert(columns, 1, report.Strings("smiles", text))
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
