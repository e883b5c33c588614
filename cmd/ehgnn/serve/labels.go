package serve

import (
	"fmt"
	"math"
	"strconv"

	"github.com/ehgnn/ehgnn"
	"github.com/ehgnn/ehgnn/data/schema"
)

// known has the labels and groups of edges read so far.
type known struct {
	texts   ehgnn.Strings // labels that are classes
	amounts ehgnn.Numbers // labels that are numbers
	groups  ehgnn.Strings
	labels  bool // there is a label
}

// label reads the label of an edge.
func (d *decoder) label(row int, c schema.Cell) *Problem {
	k, r := &d.known, d.names.LabelReader
	k.labels = true
	switch {
	case r == nil:
		return wrong("labels of edges", "none: the run was trained without label context")
	case d.run.model.Numbers():
		v, err := r.Number(c)
		if err != nil {
			return wrongCell(c, err)
		}
		k.amounts = append(padded(k.amounts, row, math.NaN()), v)
		return nil
	}
	class, err := r.Code(c)
	classes := d.run.model.Classes()
	switch {
	case err != nil:
		return wrongCell(c, err)
	case class == schema.Unseen:
		return wrong(strconv.Quote(shortened([]byte(c.String()))), fmt.Sprintf("one of %q", classes))
	case class < 0:
		k.texts = append(padded(k.texts, row, ""), "")
	default:
		k.texts = append(padded(k.texts, row, ""), classes[class])
	}
	return nil
}

// group reads the group of an edge.
func (d *decoder) group(row int, c schema.Cell) {
	d.known.groups = append(padded(d.known.groups, row, ""), d.names.GroupReader.Key(c))
}

// padded is a list of so many rows, with a default for missing ones.
func padded[S ~[]E, E any](list S, rows int, missing E) S {
	for len(list) < rows {
		list = append(list, missing)
	}
	return list
}

// setLabels gives the graph the groups and, unless it must not have them, the labels.
func (d *decoder) setLabels(labels bool) {
	k, g := &d.known, &d.graph
	edges := len(g.Ends) / 2
	if k.groups != nil {
		g.Groups = padded(k.groups, edges, "")
	}
	switch {
	case !k.labels || !labels:
	case d.run.model.Numbers():
		g.Labels = padded(k.amounts, edges, math.NaN())
	default:
		g.Labels = padded(k.texts, edges, "")
	}
}
