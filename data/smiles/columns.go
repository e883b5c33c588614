package smiles

import (
	"fmt"
	"strings"

	"github.com/ehgnn/ehgnn/data"
	"github.com/ehgnn/ehgnn/data/schema"
	"github.com/ehgnn/ehgnn/data/tables"
)

// columns are the candidate label columns, with the values of molecules only.
type columns struct {
	r     *Reader
	each  []*column
	rows  int
	named bool // the columns were asked for by name
}

// column has one value for each molecule, or one list for each molecule. Its first value decides.
type column struct {
	name  string
	begun bool // a value that is not missing has been read
	plain *schema.Builder
	lists *listColumn // nil for a column with one value for each molecule
}

func newColumns(r *Reader) *columns {
	c := &columns{r: r, named: len(r.o.Labels) > 0}
	for _, name := range r.labels {
		c.each = append(c.each, &column{name: name, plain: schema.NewBuilder(name, 0, schema.BuilderOptions{Want: schema.Feature, Budget: r.budget})})
	}
	return c
}

// add reads the values of a molecule.
func (c *columns) add(m Molecule) error {
	for k, to := range c.each {
		text := m.labels[k]
		if !to.begun && !schema.IsMissing(strings.TrimSpace(text)) {
			to.begun = true
			if _, err := parseList(text); err == nil {
				to.lists = &listColumn{name: to.name, budget: c.r.budget, values: schema.NewBuilder(to.name, 0, schema.BuilderOptions{Want: schema.Feature, Budget: c.r.budget})}
				for range c.rows {
					to.lists.rows = append(to.lists.rows, listRow{missing: true})
				}
			}
		}
		var err error
		if to.lists != nil {
			err = to.lists.add(text, m.Graph)
		} else {
			err = to.plain.AddText(text)
		}
		if err != nil {
			return &data.ParseError{File: c.r.file, Line: m.line, Msg: fmt.Sprintf("column %q %v", to.name, err)}
		}
	}
	c.rows++
	return nil
}

// wrong returns an error about a column.
func (c *columns) wrong(format string, args ...any) error {
	return &data.ParseError{File: c.r.file, Msg: fmt.Sprintf(format, args...)}
}

// finish chooses the labels and gives them to the graphs.
func (c *columns) finish(s *Set) error {
	if c.r.o.ofItems() {
		return c.items(s, c.r.o.Level)
	}
	numbers, words, err := c.plainColumns(s)
	if err != nil {
		return err
	}
	var items tables.Level
	if c.r.o.Level == "" && len(numbers) == 0 {
		if items, err = c.level(); err != nil {
			return err
		}
	}
	switch {
	case items != "" && c.named && len(words) > 0:
		return c.wrong("column %q has one value for each molecule where others have a list; expected labels of one kind", words[0].Name)
	case items != "":
		return c.items(s, items)
	}
	s.direct(c.r.o.Edges == data.Directed)
	for _, to := range c.each {
		switch {
		case to.lists == nil:
		case c.named:
			return c.wrong("column %q has a list for each molecule, expected one value%s", to.name, hint(to.lists.level()))
		default:
			s.note("column %q has a list for each molecule and is no label of it%s", to.name, hint(to.lists.level()))
		}
	}
	return c.molecules(s, numbers, words)
}

// hint names the tasks for labels of a level.
func hint(level tables.Level) string {
	if level == "" {
		return ""
	}
	return fmt.Sprintf("; --task %s-regression or %s-classification learns it of each %s", level, level, itemName(level))
}

// level returns the level of the columns of lists, empty if there are none.
func (c *columns) level() (level tables.Level, err error) {
	var of, open *column
	for _, to := range c.each {
		switch {
		case to.lists == nil:
		case to.lists.level() == "":
			open = to
		case of != nil && level != to.lists.level():
			return "", c.wrong("column %q is of each %s and column %q of each %s; name those to learn with --label", of.name, itemName(level), to.name, itemName(to.lists.level()))
		default:
			of, level = to, to.lists.level()
		}
	}
	if of == nil && open != nil {
		return "", c.wrong("column %q fits atoms as well as bonds; --task node-regression, node-classification, edge-regression or edge-classification says which", open.name)
	}
	return level, nil
}

// plainColumns returns the columns with one value for each molecule that may be labels.
func (c *columns) plainColumns(s *Set) (numbers, words []*tables.Column, err error) {
	for _, to := range c.each {
		if to.lists != nil {
			continue
		}
		column, why, err := to.plain.Column()
		switch {
		case err != nil:
			return nil, nil, c.wrong("column %q %v", to.name, err)
		case column == nil && c.named:
			return nil, nil, c.wrong("column %q %s, expected labels", to.name, why)
		case column == nil:
			s.note("column %q %s and is no label", to.name, why)
		case column.Numeric():
			numbers = append(numbers, column)
		case len(column.Text) <= maxClasses || c.named:
			words = append(words, column)
		default:
			s.note("column %q has %d different texts and is no label", column.Name, len(column.Text))
		}
	}
	return numbers, words, nil
}

// molecules sets the labels of molecules.
func (c *columns) molecules(s *Set, numbers, words []*tables.Column) error {
	switch {
	case len(words) > 0 && (c.named && len(numbers)+len(words) > 1 || c.r.o.Number && c.named):
		return c.wrong("column %q is text, expected numbers; one column of classes may be text, several are 0 and 1", words[0].Name)
	case len(numbers) > 0:
		for _, w := range words {
			s.note("column %q is text and is no label, as other columns are numbers; --label names it", w.Name)
		}
		if len(numbers) == 1 && c.r.o.Classify && !binary(numbers[0].Value) {
			return s.classes(c.r.file, asText(numbers[0]))
		}
		s.targets(numbers)
	case len(words) > 1:
		return c.wrong("columns %q and %q may be the class; name one with --label", words[0].Name, words[1].Name)
	case len(words) == 1:
		return s.classes(c.r.file, words[0])
	}
	return nil
}

// targets sets numbers, or classes 0 and 1, as targets of the graphs.
func (s *Set) targets(of []*tables.Column) {
	for i, g := range s.Graphs {
		g.Targets = make([]float32, len(of))
		for k, c := range of {
			if g.Targets[k] = float32(c.Value[i]); c.Value[i] != c.Value[i] {
				s.Info.MissingTargets++
			}
		}
	}
	for _, c := range of {
		s.Info.TargetNames = append(s.Info.TargetNames, c.Name)
	}
	s.Info.NumTargets = len(of)
}

// classes sets the class of each graph from one column. Classes are in the order of the texts.
func (s *Set) classes(file string, c *tables.Column) error {
	names, class, err := classesOf(file, c, tables.OfGraphs)
	if err != nil {
		return err
	}
	counts := make([]int, len(names))
	for i, g := range s.Graphs {
		if code := c.Code[i]; code >= 0 {
			g.Label = class[code]
			counts[g.Label]++
		}
	}
	s.Class = c.Name
	s.Info.NumClasses, s.Info.ClassNames, s.Info.ClassCounts = len(names), names, counts
	return nil
}
