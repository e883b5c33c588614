package source

import (
	"cmp"
	"context"
	"fmt"

	"github.com/ehgnn/ehgnn/data"
	"github.com/ehgnn/ehgnn/graph"
	"github.com/ehgnn/ehgnn/internal/settings"
)

// ResolveSplit completes the split. The default is a split by the part column, if there is one,
// else a random split. In addition to the splits of other graphs, there are splits by scaffold,
// group and column.
func (m *MoleculeData) ResolveSplit(s *settings.Split, t *settings.Kind) error {
	if s.Kind == "" && m.Set.Part != nil {
		s.Kind = settings.SplitColumn
	}
	switch s.Kind {
	case settings.SplitColumn:
		if m.Set.Part == nil {
			return settings.Misuse("%s: --split %s needs a column of parts; --part names it", m.Name(), s.Kind)
		}
		return nil
	case settings.SplitGroup:
		if m.Set.Group == nil {
			return settings.Misuse("%s: --split %s needs a column of groups; --group names it", m.Name(), s.Kind)
		}
	case settings.SplitScaffold:
	default:
		if err := m.GraphData.ResolveSplit(s, t); err != nil {
			return err
		}
		s.SameMolecule = m.Set.Repeats()
		return nil
	}
	s.SameMolecule = s.Kind == settings.SplitGroup && m.Set.Repeats()
	if s.Fractions == nil && s.Folds == 0 {
		s.Fractions = []float64{0.8, 0.1, 0.1}
	}
	return nil
}

// Split makes the parts.
func (m *MoleculeData) Split(ctx context.Context, s *settings.Settings, t *settings.Kind, form Form) (map[string]*Part, error) {
	var out map[string]*Part
	var err error
	switch k := s.Split.Kind; {
	case k == settings.SplitScaffold:
		out, err = m.byScaffold(ctx, s.Split)
	case k == settings.SplitColumn:
		out, err = m.byColumn()
	case k == settings.SplitGroup || s.Split.SameMolecule:
		out, err = m.byUnits(s.Split)
	default:
		out, err = m.GraphData.Split(ctx, s, t, form)
	}
	if err != nil {
		return nil, err
	}
	formed := map[*graph.Graph]*graph.Graph{} // parts share graphs
	units := m.units(s.Split)
	for _, p := range out {
		if id := p.ID; units != nil {
			p.Unit = func(at Place) int32 { return units[id(Place{Graph: at.Graph})] }
		}
		if err := p.Take(form, formed); err != nil {
			return nil, err
		}
		m.NameRows(p, form)
	}
	return out, nil
}

// units numbers the groups of molecules that a split keeps together; nil for a split without groups.
func (m *MoleculeData) units(s settings.Split) []int32 {
	switch {
	case s.Kind == settings.SplitScaffold:
		return m.Set.Scaffold
	case s.Kind == settings.SplitGroup || s.SameMolecule:
		return m.Set.Units(s.Kind == settings.SplitGroup)
	}
	return nil
}

func (m *MoleculeData) byScaffold(ctx context.Context, s settings.Split) (map[string]*Part, error) {
	ids, err := m.Set.ScaffoldSplit(ctx, m.Options.Toolkit, m.Options.Threads, s.Shares())
	if err != nil {
		return nil, err
	}
	return m.filled(ids, s, "too many have one scaffold")
}

// tooFew says why a part of a split by units is empty.
const tooFew = "equal molecules, and molecules of one group, stay in one part, and there are too few different ones; --part names a column of parts"

// byUnits divides the molecules; equal molecules, or molecules of a group, are in the same part.
func (m *MoleculeData) byUnits(s settings.Split) (map[string]*Part, error) {
	labels, unit := m.strata(), m.Set.Units(s.Kind == settings.SplitGroup)
	var ids [3][]int
	if s.Folds == 0 {
		var err error
		if ids[0], ids[1], ids[2], err = data.UnitSplit(labels, unit, s.Shares(), s.Seed); err != nil {
			return nil, err
		}
		return m.filled(ids, s, tooFew)
	}
	folds, err := data.UnitFolds(labels, unit, s.Folds, s.Seed)
	if err != nil {
		return nil, fmt.Errorf("%s: split %s: %w", m.Name(), s.Kind, err)
	}
	if ids, err = settings.PartsOf(folds, s); err != nil {
		return nil, err
	}
	return m.filled(ids, s, tooFew)
}

// strata are the classes, or the values of a single column of 0 and 1, of which a split by units
// gives each part its share.
func (m *MoleculeData) strata() []int32 {
	labels := m.Whole.Labels()
	if m.Whole.Info.NumTargets == 1 && m.binary() {
		for i, g := range m.Whole.Graphs {
			if v := g.Targets[0]; v == v { // not missing
				labels[i] = int32(v)
			}
		}
	}
	return labels
}

// byColumn puts each molecule into the part that its row names. Parts other than training may be
// empty.
func (m *MoleculeData) byColumn() (map[string]*Part, error) {
	var ids [3][]int
	for i, p := range m.Set.Part {
		if p < 0 {
			return nil, fmt.Errorf("%s: row %d has no part in column %q, which --split %s needs", m.Name(), m.Set.Rows[i], m.Set.PartColumn, settings.SplitColumn)
		}
		ids[p] = append(ids[p], i)
	}
	if len(ids[0]) == 0 {
		return nil, fmt.Errorf("%s: no molecule has part %s in column %q", m.Name(), PartTrain, m.Set.PartColumn)
	}
	out := map[string]*Part{PartAll: AllOf(m.Whole)}
	for k, name := range Parts() {
		if len(ids[k]) > 0 {
			out[name] = pick(m.Whole, ids[k])
		}
	}
	return out, nil
}

// filled checks that no part with a positive share is empty.
func (m *MoleculeData) filled(ids [3][]int, s settings.Split, why string) (map[string]*Part, error) {
	out := map[string]*Part{PartAll: AllOf(m.Whole)}
	share := s.Shares()
	for k, name := range Parts() {
		if out[name] = pick(m.Whole, ids[k]); len(ids[k]) == 0 && cmp.Or(float64(s.Folds), share[k]) > 0 {
			return nil, fmt.Errorf("%s: split %s leaves %s without a molecule: %s", m.Name(), s.Kind, name, why)
		}
	}
	return out, nil
}
