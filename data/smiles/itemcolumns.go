package smiles

import (
	"slices"

	"github.com/ehgnn/ehgnn/data"
	"github.com/ehgnn/ehgnn/data/tables"
	"github.com/ehgnn/ehgnn/graph"
)

// labelColumn is a column of lists with the values of all rows.
type labelColumn struct {
	*listColumn
	values *tables.Column
}

// items sets the labels of atoms or bonds. Rows whose lists do not fit are left out.
func (c *columns) items(s *Set, level tables.Level) error {
	of, err := c.listColumns(s, level)
	if err != nil {
		return err
	}
	classes, err := c.choose(of, level)
	if err != nil {
		return err
	}
	s.Labels = &Labels{Level: level}
	rows, err := c.fit(s, of, level)
	if err != nil || len(rows) == 0 {
		return err
	}
	directed := c.r.o.Edges == data.Directed
	for _, l := range of {
		pairs := l.pairs && level == tables.OfEdges
		if pairs && c.r.o.Edges == data.Undirected {
			return c.wrong("column %q has two values for each bond, which --edges undirected does not tell apart; expected auto or directed", l.name)
		}
		directed = directed || pairs
		s.Labels.Names = append(s.Labels.Names, l.name)
	}
	if directed && c.r.o.Edges == data.Auto {
		for _, g := range s.Graphs {
			if err := c.r.charge(int64(len(g.Ends))*bondBytes/2, 0); err != nil {
				return err
			}
		}
	}
	s.direct(directed)
	if classes {
		err = s.itemClasses(c.r.file, of[0], rows, level)
	} else {
		s.itemTargets(of, rows, level)
	}
	s.Labels.count(s.Graphs)
	return err
}

// listColumns returns the columns with a value for each atom or bond.
func (c *columns) listColumns(s *Set, level tables.Level) (out []labelColumn, err error) {
	refuse := func(format string, args ...any) {
		if !c.named {
			s.note(format+" and is no label", args...)
		} else if err == nil {
			err = c.wrong(format+", expected a list with a value for each %s", append(args, itemName(level))...)
		}
	}
	for _, to := range c.each {
		switch {
		case !to.begun:
			refuse("column %q is empty", to.name)
		case to.lists == nil:
			refuse("column %q has one value for each molecule", to.name)
		case to.lists.level() != "" && to.lists.level() != level:
			refuse("column %q has a value for each %s", to.name, itemName(to.lists.level()))
		default:
			values, why, wrong := to.lists.values.Column()
			if wrong != nil {
				return nil, c.wrong("column %q %v", to.name, wrong)
			}
			if values == nil {
				refuse("column %q %s", to.name, why)
				continue
			}
			out = append(out, labelColumn{to.lists, values})
		}
	}
	if err == nil && len(out) == 0 {
		err = c.wrong("no column has a list with a value for each %s, such as [1.5, null, 3]", itemName(level))
	}
	return out, err
}

// choose reports whether the only column has classes. Otherwise all columns have numbers.
func (c *columns) choose(of []labelColumn, level tables.Level) (classes bool, err error) {
	o := c.r.o
	word := slices.IndexFunc(of, func(l labelColumn) bool { return !l.values.Numeric() })
	number := slices.ContainsFunc(of, func(l labelColumn) bool { return l.values.Numeric() && !binary(l.values.Value) })
	switch {
	case word >= 0 && (o.Number || number):
		return false, c.wrong("column %q is text, expected numbers; --label names the columns to learn", of[word].name)
	case len(of) > 1 && (o.Classify || word >= 0 || !o.Number && !number):
		return false, c.wrong("columns %q and %q are classes, expected one; --label names it, and numbers are for --task %s-regression", of[0].name, of[1].name, level)
	}
	return o.Classify || !o.Number && !number, nil
}

// fit leaves out molecules whose lists do not fit. It returns the rows of the remaining lists.
func (c *columns) fit(s *Set, of []labelColumn, level tables.Level) (rows []int, err error) {
	for i, g := range s.Graphs {
		m := Molecule{Row: s.Rows[i]}
		for _, l := range of {
			if err := l.fit(i, g, level); err != nil {
				m.refuse(err)
				break
			}
		}
		switch {
		case m.Reason == "":
			rows = append(rows, i)
		case c.r.o.OnInvalid == Fail:
			return nil, c.r.failed(&m)
		default:
			s.leaveOut(&m)
		}
	}
	s.take(rows)
	return rows, nil
}

// itemTargets sets numbers as targets of the items.
func (s *Set) itemTargets(of []labelColumn, rows []int, level tables.Level) {
	for i, g := range s.Graphs {
		targets := setTargets(g, level, len(of))
		for k, l := range of {
			l.place(rows[i], g, level, func(item, at int) { targets[item*len(of)+k] = float32(l.values.Value[at]) })
		}
	}
}

// itemClasses sets the class of each item from one column.
func (s *Set) itemClasses(file string, of labelColumn, rows []int, level tables.Level) error {
	values := of.values
	if values.Numeric() {
		values = asText(values)
	}
	names, class, err := classesOf(file, values, level)
	if err != nil {
		return err
	}
	s.Class, s.Labels.Classes = of.name, names
	for i, g := range s.Graphs {
		classes := setClasses(g, level)
		of.place(rows[i], g, level, func(item, at int) {
			if code := values.Code[at]; code >= 0 {
				classes[item] = class[code]
			}
		})
	}
	return nil
}

// count counts the items and their missing labels.
func (l *Labels) count(graphs []*graph.Graph) {
	if l.Classes != nil {
		l.Counts = make([]int, len(l.Classes))
	}
	for _, g := range graphs {
		l.Items += items(g, l.Level)
		classes, targets := g.NodeLabel, g.NodeTargets
		if l.Level == tables.OfEdges {
			classes, targets = g.EdgeLabel, g.EdgeTargets
		}
		for _, c := range classes {
			if c == graph.NoLabel {
				l.Missing++
			} else {
				l.Counts[c]++
			}
		}
		for _, v := range targets {
			if v != v {
				l.Missing++
			}
		}
	}
}
