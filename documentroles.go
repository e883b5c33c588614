package ehgnn

import (
	"fmt"
	"math"

	"github.com/ehgnn/ehgnn/data/nodelink"
	"github.com/ehgnn/ehgnn/data/schema"
	"github.com/ehgnn/ehgnn/internal/lists"
)

// documentRoles reads the times, labels and groups of edges, which a run on tables reads in addition
// to features. They are attributes of the document with the names of the columns in training.
func (m *Model) documentRoles(g *Graph, d *nodelink.Document) error {
	names := m.columns
	if names.Time != "" {
		g.Time = lists.Repeat(math.NaN(), len(d.Edges))
	}
	err := eachCalled(d, names.Time, func(row int, c schema.Cell) (err error) {
		if names.Date == "" {
			g.Time[row], err = names.TimeReader.Number(c)
			return err
		}
		if c, err = nodelink.WithDate(d.Edges[row].Attributes, names.Date, c, names.TimeReader.Missing); err == nil {
			g.Time[row], err = names.TimeReader.Number(c)
		}
		return err
	})
	if err != nil {
		return err
	}
	if err := m.documentLabels(g, d); err != nil {
		return err
	}
	var groups Strings
	err = eachCalled(d, names.Group, func(row int, c schema.Cell) error {
		if groups == nil {
			groups = make(Strings, len(d.Edges))
		}
		groups[row] = names.GroupReader.Key(c)
		return nil
	})
	g.Groups = groups
	return err
}

// documentLabels reads the labels of edges.
func (m *Model) documentLabels(g *Graph, d *nodelink.Document) error {
	reader, classes := m.columns.LabelReader, m.settings.Target.Classes
	var numbers Numbers
	var texts Strings
	err := eachCalled(d, m.columns.Label, func(row int, c schema.Cell) (err error) {
		if m.task.Number {
			if numbers == nil {
				numbers = lists.Repeat(math.NaN(), len(d.Edges))
			}
			numbers[row], err = reader.Number(c)
			return err
		}
		if texts == nil {
			texts = make(Strings, len(d.Edges))
		}
		switch k, err := reader.Code(c); {
		case err != nil:
			return err
		case k == schema.Unseen:
			return fmt.Errorf("is %q, expected one of %q", c, classes)
		case k >= 0:
			texts[row] = classes[k]
		}
		return nil
	})
	switch {
	case numbers != nil:
		g.Labels = numbers
	case texts != nil:
		g.Labels = texts
	}
	return err
}

// eachCalled calls read with each cell of the edge attribute called name. If name is empty, it does
// nothing.
func eachCalled(d *nodelink.Document, name string, read func(row int, c schema.Cell) error) error {
	if name == "" {
		return nil
	}
	for i := range d.Edges {
		at := nodelink.Called(d.Edges[i].Attributes, name)
		if at == nil {
			continue
		}
		cell, err := at.Value.Cell()
		if err == nil {
			err = read(i, cell)
		}
		if err != nil {
			return fmt.Errorf("attribute %q of edge %d %w", at.Name, i, err)
		}
	}
	return nil
}
