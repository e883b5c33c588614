package task

import (
	"cmp"
	"context"
	"fmt"

	"github.com/ehgnn/ehgnn/data"
	"github.com/ehgnn/ehgnn/graph"
)

// ResolveSplit takes the split that is named. Where none is, it is that of the column of parts, if
// one is named, else a random one. It knows the splits by scaffold, group and column beside those
// of other graphs.
func (m *moleculeData) ResolveSplit(s *Split, t *Kind) error {
	if s.Kind == "" && m.set.Part != nil {
		s.Kind = SplitColumn
	}
	switch s.Kind {
	case SplitColumn:
		if m.set.Part == nil {
			return Misuse("task: %s: --split %s needs a column of parts; --part names it", m.Name(), s.Kind)
		}
		return nil
	case SplitGroup:
		if m.set.Group == nil {
			return Misuse("task: %s: --split %s needs a column of groups; --group names it", m.Name(), s.Kind)
		}
	case SplitScaffold:
	default:
		if err := m.graphData.ResolveSplit(s, t); err != nil {
			return err
		}
		s.SameMolecule = m.set.Repeats()
		return nil
	}
	s.SameMolecule = s.Kind == SplitGroup && m.set.Repeats()
	if s.Fractions == nil && s.Folds == 0 {
		s.Fractions = []float64{0.8, 0.1, 0.1}
	}
	return nil
}

// Divide makes the parts.
func (m *moleculeData) Divide(ctx context.Context, s *Settings, t *Kind, form Form) (map[string]*Part, error) {
	var out map[string]*Part
	var err error
	switch k := s.Split.Kind; {
	case k == SplitScaffold:
		out, err = m.byScaffold(ctx, s.Split)
	case k == SplitColumn:
		out, err = m.byColumn()
	case k == SplitGroup || s.Split.SameMolecule:
		out, err = m.byUnits(s.Split)
	default:
		out, err = m.graphData.Divide(ctx, s, t, form)
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
		if err := p.take(form, formed); err != nil {
			return nil, err
		}
		m.name(p, form)
	}
	return out, nil
}

// units numbers the molecules, with one number for those that a split kept together; nil for a split that
// keeps nothing together.
func (m *moleculeData) units(s Split) []int32 {
	switch {
	case s.Kind == SplitScaffold:
		return m.set.Scaffold
	case s.Kind == SplitGroup || s.SameMolecule:
		return m.set.Units(s.Kind == SplitGroup)
	}
	return nil
}

func (m *moleculeData) byScaffold(ctx context.Context, s Split) (map[string]*Part, error) {
	ids, err := m.set.ScaffoldSplit(ctx, m.options.Toolkit, m.options.Threads, s.fractions())
	if err != nil {
		return nil, err
	}
	return m.filled(ids, s, "too many have one scaffold")
}

// tooFew is why a part of a split by units is empty.
const tooFew = "equal molecules, and those of one group, are kept in one part, and too few differ; --part names a column of parts"

// byUnits divides the molecules with those that are equal in one part and, of a split by group,
// those of one group.
func (m *moleculeData) byUnits(s Split) (map[string]*Part, error) {
	labels, unit := m.strata(), m.set.Units(s.Kind == SplitGroup)
	var ids [3][]int
	if s.Folds == 0 {
		var err error
		if ids[0], ids[1], ids[2], err = data.UnitSplit(labels, unit, s.fractions(), s.Seed); err != nil {
			return nil, err
		}
		return m.filled(ids, s, tooFew)
	}
	folds, err := data.UnitFolds(labels, unit, s.Folds, s.Seed)
	if err != nil {
		return nil, fmt.Errorf("task: %s: split %s: %w", m.Name(), s.Kind, err)
	}
	if ids, err = partsOf(folds, s); err != nil {
		return nil, err
	}
	return m.filled(ids, s, tooFew)
}

// strata are what a split by units gives each part its share of: the classes, or those of a single
// column of 0 and 1.
func (m *moleculeData) strata() []int32 {
	labels := m.whole.Labels()
	if m.whole.Info.NumTargets == 1 && m.binary() {
		for i, g := range m.whole.Graphs {
			if v := g.Targets[0]; v == v { // not missing
				labels[i] = int32(v)
			}
		}
	}
	return labels
}

// byColumn gives each molecule to the part that its row names. Parts may be empty but for the
// training.
func (m *moleculeData) byColumn() (map[string]*Part, error) {
	var ids [3][]int
	for i, p := range m.set.Part {
		if p < 0 {
			return nil, fmt.Errorf("task: %s: row %d has no part in column %q, which --split %s needs", m.Name(), m.set.Rows[i], m.set.PartColumn, SplitColumn)
		}
		ids[p] = append(ids[p], i)
	}
	if len(ids[0]) == 0 {
		return nil, fmt.Errorf("task: %s: no molecule has part %s in column %q", m.Name(), PartTrain, m.set.PartColumn)
	}
	out := map[string]*Part{PartAll: allOf(m.whole)}
	for k, name := range parts {
		if len(ids[k]) > 0 {
			out[name] = pick(m.whole, ids[k])
		}
	}
	return out, nil
}

// filled are parts none of which may be empty that is to have a share.
func (m *moleculeData) filled(ids [3][]int, s Split, why string) (map[string]*Part, error) {
	out := map[string]*Part{PartAll: allOf(m.whole)}
	share := s.fractions()
	for k, name := range parts {
		if out[name] = pick(m.whole, ids[k]); len(ids[k]) == 0 && cmp.Or(float64(s.Folds), share[k]) > 0 {
			return nil, fmt.Errorf("task: %s: split %s leaves %s without a molecule: %s", m.Name(), s.Kind, name, why)
		}
	}
	return out, nil
}
