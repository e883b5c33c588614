package tables

import (
	"fmt"
	"slices"
	"strings"

	"github.com/ehgnn/ehgnn/data"
	"github.com/ehgnn/ehgnn/data/schema"
)

// Fitter fits an encoder to the rows of a Scan, like Set.Fit to a set. Means and scales are
// computed in one pass (Welford), so their last bits may differ from those of Set.Fit.
type Fitter struct {
	scan        *Scan
	columns     []*schema.Builder // by column, nil for columns that are not features
	label, time *schema.Builder
	rows        int // of training
	whole       wholeIDs
	keys        []string // columns that identify rows, known after fitting
}

// Fitter returns a fitter for the columns of a scan.
func (s *Scan) Fitter() *Fitter {
	o := s.Options
	f := &Fitter{scan: s, columns: make([]*schema.Builder, len(s.h.names))}
	budget := data.NewBudget(o.MaxMemory) // a separate budget, because that of the scan starts again
	wants := o.wants()
	for c, r := range s.h.roles {
		if r != feature {
			continue
		}
		x := o.builder(wants.want(s.h.names[c]), budget)
		x.Stream = true
		f.columns[c] = schema.NewBuilder(s.h.names[c], c, x)
	}
	f.label, f.time = o.roleBuilders(s.h, budget, true)
	return f
}

// Add adds the row: its values determine the kinds of its columns, and count in the statistics if
// it is a training row.
func (f *Fitter) Add(train bool) error {
	if train {
		f.rows++
	}
	for _, r := range []role{nodeID, source, target} {
		if c := f.scan.h.at[r]; c >= 0 && !f.whole.other {
			f.whole.normalise(strings.TrimSpace(f.scan.row[c].String()))
		}
	}
	for c, x := range f.columns {
		if x != nil {
			if err := x.AddRow(f.scan.row[c], f.scan, train); err != nil {
				return f.scan.errorAt(c, err)
			}
		}
	}
	for _, x := range []struct {
		r role
		b *schema.Builder
	}{{label, f.label}, {moment, f.time}} {
		if x.b != nil {
			c := f.scan.h.at[x.r]
			if err := x.b.AddRow(f.scan.h.cell(f.scan.row, x.r), f.scan, train); err != nil {
				return f.scan.errorAt(c, err)
			}
		}
	}
	return nil
}

// Line is the line of the file with a cell of the row.
func (s *Scan) Line(column int) int { return s.rows.Line(s.place[column]) }

// Encoder returns the encoder fitted to edges and, unless it is nil, to nodes. Notes say which
// columns it leaves out.
func (f *Fitter) Encoder(nodes *Fitter, directed bool) (e *Encoder, notes []string, err error) {
	if f.rows == 0 {
		return nil, nil, fmt.Errorf("tables: no edges to train on")
	}
	edgeFields, notes, err := f.fields()
	if err != nil {
		return nil, nil, err
	}
	o := f.scan.Options
	o.Nodes = NoFiles
	o.WholeIDs = !f.whole.other
	var nodeFields []Field
	if nodes != nil {
		var more []string
		if nodeFields, more, err = nodes.fields(); err != nil {
			return nil, nil, err
		}
		notes = append(notes, more...)
		o.Nodes, o.NodeID, o.Keys, o.WholeIDs = nil, nodes.scan.Options.NodeID, nodes.keys, !nodes.whole.other
	}
	for _, k := range f.keys {
		if !slices.Contains(o.Keys, k) {
			o.Keys = append(o.Keys, k)
		}
	}
	from, to := f.scan.h.name(source), f.scan.h.name(target)
	switch byName := kindsOf(from, to); {
	case nodes != nil && o.Bipartite:
		return nil, nil, f.scan.h.errorf(besideNodes)
	case nodes != nil:
	case o.Bipartite:
		o.Kinds = Kinds{from, to}
	case o.WholeIDs && byName != Kinds{}:
		notes = append(notes, oneNode(from, to)+"--edges bipartite tells them apart")
	}
	e = newEncoder(o, directed, nodeFields, edgeFields)
	if f.time != nil {
		if e.TimeNotation, err = f.time.Times(); err != nil {
			return nil, nil, f.scan.h.wrong(f.time.WrongLine(), f.scan.h.at[moment], err)
		}
	}
	if f.label == nil || f.label.Present() == 0 {
		return e, notes, nil
	}
	if err := f.fitLabel(e); err != nil {
		return nil, nil, f.scan.h.wrong(f.label.WrongLine(), f.scan.h.at[label], err)
	}
	return e, notes, nil
}

// fitLabel fits the labels.
func (f *Fitter) fitLabel(e *Encoder) error {
	if f.scan.Options.Number {
		l, _, err := f.label.Measured(f.rows)
		e.Mean, e.Scale, e.LabelNotation = l.Mean, max(l.Scale, 0), l.Notation
		if e.Scale == 0 {
			e.Scale = 1
		}
		return err
	}
	texts, count, n, err := f.label.Classes()
	e.Classes, e.LabelNotation = classes(texts, count), n
	return err
}

// fields returns the fields of the columns that training rows have.
func (f *Fitter) fields() (out []Field, notes []string, err error) {
	f.keys = nil
	for c, x := range f.columns {
		if f.scan.h.roles[c] == edgeID {
			f.keys = append(f.keys, f.scan.h.names[c])
		}
		if x == nil {
			continue
		}
		field, why, err := x.Measured(f.rows)
		switch {
		case err != nil:
			return nil, nil, f.scan.h.wrong(x.WrongLine(), c, err)
		case why == schema.KeyNote:
			f.keys = append(f.keys, f.scan.h.names[c])
			notes = append(notes, fmt.Sprintf("column %q %s; %s brings it in", f.scan.h.names[c], why, schema.Flag("feature", f.scan.h.names[c])))
		case why != "":
			notes = append(notes, fmt.Sprintf("column %q %s and is left out", f.scan.h.names[c], why))
		case field.Name != "":
			out = append(out, field)
		}
	}
	return out, notes, nil
}
