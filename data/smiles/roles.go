package smiles

import (
	"fmt"
	"strings"

	"github.com/ehgnn/ehgnn/data"
	"github.com/ehgnn/ehgnn/data/schema"
	"github.com/ehgnn/ehgnn/data/tables"
	"github.com/ehgnn/ehgnn/internal/lists"
)

// roles are the columns that say how to divide molecules, -1 if there is none.
type roles struct{ part, group int }

// findRoles finds the columns of parts and of groups. Prediction input may lack them.
func (r *Reader) findRoles(columns []string) error {
	r.roles = roles{-1, -1}
	for _, of := range []struct {
		flag, name string
		at         *int
	}{{"part", r.o.Part, &r.roles.part}, {"group", r.o.Group, &r.roles.group}} {
		if of.name == "" || of.name == tables.None {
			continue
		}
		*of.at = find(columns, of.name)
		switch {
		case *of.at < 0 && !r.o.Fixed:
			return r.wrongHeader("--%s: there is no column %q, found %s", of.flag, of.name, listed(columns))
		case *of.at >= 0 && *of.at == r.column || r.roles.part >= 0 && r.roles.part == r.roles.group:
			return r.wrongHeader("--%s: column %q has two roles", of.flag, of.name)
		}
	}
	return nil
}

// has reports whether a column has a role.
func (r roles) has(column int) bool {
	return column >= 0 && (column == r.part || column == r.group)
}

// divide reads the part and the group of a row.
func (r *Reader) divide(m *Molecule, row []string) error {
	m.part = -1
	if c := r.roles.part; c >= 0 {
		var err error
		if m.part, err = tables.PartOf(row[c]); err != nil && !r.o.Fixed {
			return &data.ParseError{File: r.file, Line: r.rows.Line(c), Msg: fmt.Sprintf("column %q %v", r.rows.Columns()[c], err)}
		}
	}
	if c := r.roles.group; c >= 0 {
		m.group = strings.Clone(strings.TrimSpace(row[c]))
	}
	return nil
}

// keepers collect, row by row, what a split reads of a Set.
type keepers struct {
	r            *Reader
	same, groups *numbers
}

func newKeepers(r *Reader) *keepers {
	return &keepers{r, newNumbers(r.budget), newNumbers(r.budget)}
}

// add reads a molecule.
func (k *keepers) add(s *Set, m *Molecule) error {
	failed := func(err error) error {
		return &data.ParseError{File: k.r.file, Line: m.line, Msg: "cannot be read", Err: err}
	}
	if k.r.o.Same {
		n, err := k.same.add(m.key)
		if err != nil {
			return failed(err)
		}
		s.Same = append(s.Same, n)
	}
	if k.r.roles.part >= 0 {
		s.Part = append(s.Part, m.part)
	}
	if k.r.roles.group >= 0 {
		n := int32(-1)
		if !schema.IsMissing(m.group) {
			var err error
			if n, err = k.groups.add(m.group); err != nil {
				return failed(err)
			}
		}
		s.Group = append(s.Group, n)
	}
	return nil
}

// finish sets the names of the columns.
func (k *keepers) finish(s *Set) {
	if c := k.r.roles.part; c >= 0 {
		s.PartColumn = k.r.rows.Columns()[c]
	}
	if c := k.r.roles.group; c >= 0 {
		s.GroupColumn = k.r.rows.Columns()[c]
	}
}

// take keeps only the given rows, which are ascending.
func (s *Set) take(rows []int) {
	s.Graphs, s.SMILES, s.Rows = lists.TakeRows(s.Graphs, 1, rows), lists.TakeRows(s.SMILES, 1, rows), lists.TakeRows(s.Rows, 1, rows)
	s.Same, s.Part, s.Group = lists.TakeRows(s.Same, 1, rows), lists.TakeRows(s.Part, 1, rows), lists.TakeRows(s.Group, 1, rows)
}

// PartInfo describes the column of parts. It is nil if there is none.
func (s *Set) PartInfo() *tables.PartInfo {
	if s.PartColumn == "" {
		return nil
	}
	i := &tables.PartInfo{Name: s.PartColumn}
	counts := []*int{&i.Missing, &i.Train, &i.Valid, &i.Test}
	for _, p := range s.Part {
		*counts[p+1]++
	}
	return i
}

// GroupInfo describes the column of groups. It is nil if there is none.
func (s *Set) GroupInfo() *tables.ColumnInfo {
	if s.GroupColumn == "" {
		return nil
	}
	i := &tables.ColumnInfo{Name: s.GroupColumn}
	seen := map[int32]bool{}
	for _, g := range s.Group {
		if g < 0 {
			i.Missing++
		} else if !seen[g] {
			seen[g] = true
			i.Values++
		}
	}
	return i
}
