package smiles

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/ehgnn/ehgnn/data"
	"github.com/ehgnn/ehgnn/data/tables"
	"github.com/ehgnn/ehgnn/graph"
)

// maxClasses is how many different texts, or whole numbers, a column of classes may have.
const maxClasses = 100

// label gives a molecule the labels of a training. A class that the training had not is none.
func (r *Reader) label(m *Molecule) error {
	if r.class != nil {
		if text := strings.TrimSpace(m.labels[0]); !tables.IsMissing(text) {
			c, ok := r.class[className(text)]
			if !ok {
				c = graph.NoLabel
			}
			m.Graph.Label = c
		}
		return nil
	}
	for k, text := range m.labels {
		v := math.NaN()
		if text = strings.TrimSpace(text); !tables.IsMissing(text) {
			var err error
			if v, err = strconv.ParseFloat(text, 32); err != nil || math.IsInf(v, 0) {
				return &data.ParseError{File: r.file, Line: m.line, Msg: fmt.Sprintf("column %q is %.40q, expected a finite number", r.labels[k], text)}
			}
		}
		m.Graph.Targets = append(m.Graph.Targets, float32(v))
	}
	return nil
}

// className is the text by which classes are told apart: 1 and 1.0 are one.
func className(text string) string {
	if v, err := strconv.ParseFloat(text, 64); err == nil {
		return strconv.FormatFloat(v, 'g', -1, 64)
	}
	return text
}

// columns are candidates for labels, with the values of molecules only.
type columns struct {
	r    *Reader
	each []*tables.Builder
}

func newColumns(r *Reader) *columns {
	c := &columns{r: r}
	for _, name := range r.labels {
		c.each = append(c.each, tables.NewBuilder(name, r.budget))
	}
	return c
}

func (c *columns) add(m Molecule) error {
	for k, b := range c.each {
		if err := b.Add(m.labels[k]); err != nil {
			return &data.ParseError{File: c.r.file, Line: m.line, Msg: fmt.Sprintf("column %q %v", c.r.labels[k], err)}
		}
	}
	return nil
}

// finish chooses the labels and gives them to the graphs.
func (c *columns) finish(s *Set) error {
	var numbers, words []*tables.Column
	named := len(c.r.o.Labels) > 0
	for k, b := range c.each {
		column, why, err := b.Column()
		switch {
		case err != nil:
			return &data.ParseError{File: c.r.file, Msg: fmt.Sprintf("column %q %v", c.r.labels[k], err)}
		case column == nil && named:
			return &data.ParseError{File: c.r.file, Msg: fmt.Sprintf("column %q %s, expected labels", c.r.labels[k], why)}
		case column == nil:
			s.note("column %q %s and is no label", c.r.labels[k], why)
		case column.Numeric():
			numbers = append(numbers, column)
		case len(column.Text) <= maxClasses || named:
			words = append(words, column)
		default:
			s.note("column %q has %d different texts and is no label", column.Name, len(column.Text))
		}
	}
	switch {
	case len(words) > 0 && (named && len(numbers)+len(words) > 1 || c.r.o.Number && named):
		return &data.ParseError{File: c.r.file, Msg: fmt.Sprintf("column %q is text, expected numbers; one column of classes may be text, several are 0 and 1", words[0].Name)}
	case len(numbers) > 0:
		for _, w := range words {
			s.note("column %q is text and is no label, as other columns are numbers; --label names it", w.Name)
		}
		if len(numbers) == 1 && c.r.o.Classify && !binary(numbers[0].Value) {
			return s.classes(c.r.file, asText(numbers[0]))
		}
		s.targets(numbers)
	case len(words) > 1:
		return &data.ParseError{File: c.r.file, Msg: fmt.Sprintf("columns %q and %q may be the class; name one with --label", words[0].Name, words[1].Name)}
	case len(words) == 1:
		return s.classes(c.r.file, words[0])
	}
	return nil
}

func binary(values []float64) bool {
	return !slices.ContainsFunc(values, func(v float64) bool { return v == v && v != 0 && v != 1 })
}

// asText is a column of numbers as one of texts.
func asText(c *tables.Column) *tables.Column {
	out := &tables.Column{Name: c.Name, Code: make([]int32, len(c.Value))}
	code := map[float64]int32{}
	for i, v := range c.Value {
		if out.Code[i] = -1; v != v {
			continue
		}
		k, ok := code[v]
		if !ok {
			k = int32(len(out.Text))
			code[v], out.Text = k, append(out.Text, strconv.FormatFloat(v, 'g', -1, 64))
		}
		out.Code[i] = k
	}
	return out
}

// targets gives numbers, or classes 0 and 1, to the graphs.
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

// classes gives the graphs the one class that a column says, in the order of the texts.
func (s *Set) classes(file string, c *tables.Column) error {
	if len(c.Text) > maxClasses {
		return &data.ParseError{File: file, Msg: fmt.Sprintf("column %q has %d different values, expected classes, at most %d; numbers are for --task graph-regression", c.Name, len(c.Text), maxClasses)}
	}
	order := slices.Clone(c.Text)
	slices.SortFunc(order, byNumber)
	place := map[string]int32{}
	for k, text := range order {
		place[text] = int32(k)
		order[k] = className(text)
	}
	counts := make([]int, len(order))
	for i, g := range s.Graphs {
		if code := c.Code[i]; code >= 0 {
			g.Label = place[c.Text[code]]
			counts[g.Label]++
		}
	}
	s.Class = c.Name
	s.Info.NumClasses, s.Info.ClassNames, s.Info.ClassCounts = len(order), order, counts
	return nil
}

// byNumber orders numbers by value and texts behind them by letter.
func byNumber(a, b string) int {
	x, errA := strconv.ParseFloat(a, 64)
	y, errB := strconv.ParseFloat(b, 64)
	switch {
	case errA == nil && errB == nil && x != y:
		if x < y {
			return -1
		}
		return 1
	case (errA == nil) != (errB == nil):
		if errA == nil {
			return -1
		}
		return 1
	}
	return strings.Compare(a, b)
}
