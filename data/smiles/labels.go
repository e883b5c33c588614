package smiles

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/ehgnn/ehgnn/data"
	"github.com/ehgnn/ehgnn/data/schema"
	"github.com/ehgnn/ehgnn/data/tables"
	"github.com/ehgnn/ehgnn/graph"
	"github.com/ehgnn/ehgnn/internal/lists"
)

// maxClasses is the largest number of different texts or whole numbers in a column of classes.
const maxClasses = 100

// label sets the labels of a molecule, or of its atoms or bonds, as in training. It also gives the
// graph the form of training. A class that training did not have is a missing label. A molecule
// whose lists do not fit is refused.
func (r *Reader) label(m *Molecule) error {
	if r.o.ofItems() {
		if err := r.labelItems(m); err != nil {
			m.refuse(err)
		}
		return nil
	}
	if r.o.Edges == data.Directed {
		m.Graph = arcs(m.Graph)
	}
	if r.class != nil {
		if text := strings.TrimSpace(m.labels[0]); !schema.IsMissing(text) {
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
		if text = strings.TrimSpace(text); !schema.IsMissing(text) {
			var err error
			if v, err = strconv.ParseFloat(text, 32); err != nil || math.IsInf(v, 0) {
				return &data.ParseError{File: r.file, Line: m.line, Msg: fmt.Sprintf("column %q is %s, expected a finite number", r.labels[k], shown(text))}
			}
		}
		m.Graph.Targets = append(m.Graph.Targets, float32(v))
	}
	return nil
}

// ofItems reports whether the labels are known to belong to atoms or bonds.
func (o *Options) ofItems() bool { return o.Level == tables.OfNodes || o.Level == tables.OfEdges }

// className returns the text that identifies a class: 1 and 1.0 are the same class.
func className(text string) string {
	if v, err := strconv.ParseFloat(text, 64); err == nil {
		return strconv.FormatFloat(v, 'g', -1, 64)
	}
	return text
}

func binary(values []float64) bool {
	return !slices.ContainsFunc(values, func(v float64) bool { return v == v && v != 0 && v != 1 })
}

// asText converts a column of numbers to a column of texts.
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

// classesOf returns the texts of a column as sorted classes, and the class of each text.
func classesOf(file string, c *tables.Column, level tables.Level) (names []string, class []int32, err error) {
	if len(c.Text) > maxClasses {
		return nil, nil, &data.ParseError{File: file, Msg: fmt.Sprintf("column %q has %d different values, expected classes, at most %d; numbers are for --task %s-regression", c.Name, len(c.Text), maxClasses, level)}
	}
	order := lists.Range[int32](len(c.Text))
	slices.SortFunc(order, func(a, b int32) int { return byNumber(c.Text[a], c.Text[b]) })
	names, class = make([]string, len(order)), make([]int32, len(order))
	for k, code := range order {
		names[k], class[code] = className(c.Text[code]), int32(k)
	}
	return names, class, nil
}

// byNumber compares numbers by value. Texts come after numbers, in alphabetical order.
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
