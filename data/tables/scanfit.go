package tables

import (
	"fmt"
	"math"

	"github.com/ehgnn/ehgnn/data"
)

// Fitter measures the columns of a Scan for an encoder, a row at a time, as Set.Fit does those of
// a set. Means and scales are from one pass (Welford's), so their last bits may differ from
// those of Set.Fit.
type Fitter struct {
	scan    *Scan
	columns []*fitted // by column, nil for those that are no features
	label   *fitted
	rows    int // of training
}

// fitted is a column that is measured. The builder says what kind it is, and keeps no rows.
type fitted struct {
	builder
	train  []int // rows of training by category
	spread welford
}

// welford is the number, the mean and the sum of squared deviations of numbers.
type welford struct {
	n        int
	mean, m2 float64
}

func (m *welford) add(v float64) {
	m.n++
	d := v - m.mean
	m.mean += d / float64(m.n)
	m.m2 += d * (v - m.mean)
}

// meanScale are mean and standard deviation, or 1 where that is 0.
func (m *welford) meanScale() (mean, scale float64) {
	if m.n == 0 {
		return 0, 1
	}
	if scale = math.Sqrt(m.m2 / float64(m.n)); scale == 0 {
		scale = 1
	}
	return m.mean, scale
}

// Fitter begins to measure the columns of a scan.
func (s *Scan) Fitter() *Fitter {
	o := s.Options
	f := &Fitter{scan: s, columns: make([]*fitted, len(s.h.names))}
	budget := data.NewBudget(o.MaxMemory) // that of the scan begins anew as it goes
	categories, numbers := newNameSet(o.Categories), newNameSet(o.Numbers)
	for c, r := range s.h.roles {
		switch r {
		case feature:
			f.columns[c] = &fitted{builder: *newFeature(s.h.names[c], categories, numbers, budget)}
		case label:
			f.label = &fitted{builder: *newLabel(s.h.names[c], o.Number, budget)}
		}
	}
	return f
}

// Add measures the row: its values decide what kind its columns are, and are counted if it is one
// of training.
func (f *Fitter) Add(train bool) error {
	if train {
		f.rows++
	}
	for c, x := range f.columns {
		if x == nil {
			continue
		}
		if err := x.measure(f.scan.row[c], train); err != nil {
			return f.scan.at(c, err)
		}
		if x.word != "" && x.line == 0 {
			x.line = f.scan.rows.line(f.scan.place[c])
		}
	}
	if c := f.scan.h.at[label]; c >= 0 {
		return f.scan.at(c, f.label.measure(f.scan.row[c], train))
	}
	return nil
}

func (x *fitted) measure(text string, train bool) error {
	if err := x.add(text); err != nil {
		return err
	}
	if n := len(x.value); n > 0 {
		if v := x.value[n-1]; train && !math.IsNaN(v) {
			x.spread.add(v)
		}
		x.value = x.value[:0]
	}
	if n := len(x.code); n > 0 {
		if k := x.code[n-1]; k >= 0 {
			for len(x.train) < len(x.words.texts) {
				x.train = append(x.train, 0)
			}
			if train {
				x.train[k]++
			}
		}
		x.code = x.code[:0]
	}
	return nil
}

// Encoder is the encoder of what was measured of edges and, unless it is nil, of nodes. Notes say
// which columns it leaves out.
func (f *Fitter) Encoder(nodes *Fitter, directed bool) (e *Encoder, notes []string, err error) {
	if f.rows == 0 {
		return nil, nil, fmt.Errorf("tables: no edges to train on")
	}
	edgeFields, notes, err := f.fields()
	if err != nil {
		return nil, nil, err
	}
	o := f.scan.Options
	o.Nodes = None
	var nodeFields []Field
	if nodes != nil {
		var more []string
		if nodeFields, more, err = nodes.fields(); err != nil {
			return nil, nil, err
		}
		notes = append(notes, more...)
		o.Nodes, o.NodeID = "", nodes.scan.Options.NodeID
	}
	if e, err = newEncoder(o, directed, nodeFields, edgeFields); err != nil {
		return nil, nil, fmt.Errorf("tables: %w", err)
	}
	switch {
	case f.label == nil || f.label.present == 0:
	case o.Number:
		e.Mean, e.Scale = f.label.spread.meanScale()
	default:
		e.Classes = classes(f.label.words.texts, f.label.train)
	}
	return e, notes, nil
}

// fields are those of the columns that rows of training have.
func (f *Fitter) fields() (out []Field, notes []string, err error) {
	for c, x := range f.columns {
		if x == nil {
			continue
		}
		column, why, err := x.column()
		if err != nil {
			return nil, nil, f.scan.h.wrong(x.line, c, err)
		}
		if column == nil {
			notes = append(notes, fmt.Sprintf("column %q %s and is left out", x.name, why))
			continue
		}
		field := Field{Name: x.name}
		if x.number {
			if x.spread.n == 0 {
				continue
			}
			field.Mean, field.Scale = x.spread.meanScale()
			field.Gaps = x.spread.n < f.rows
		} else if field.Values = frequent(x.words.texts, x.train); len(field.Values) == 0 {
			continue
		}
		out = append(out, field)
	}
	return out, notes, nil
}
