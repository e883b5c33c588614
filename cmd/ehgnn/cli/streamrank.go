package cli

import (
	"context"
	"slices"

	"github.com/ehgnn/ehgnn"
	"github.com/ehgnn/ehgnn/data/nodelink"
	"github.com/ehgnn/ehgnn/internal/lists"
	"github.com/ehgnn/ehgnn/internal/report"
	"github.com/ehgnn/ehgnn/internal/settings"
)

// rankedItem is the prediction for a node or edge in a JSON line, with its number if the order differs from the document.
type rankedItem struct {
	Number *int `json:"number,omitempty"`
	ehgnn.Item
	Why string `json:"why,omitempty"`
}

var errWhyMolecules = settings.Misuse("--why is for edges, and standard input has molecules; ehgnn explain shows what a prediction depends on")

// isSet reports whether an order is set.
func (r *rankFlags) isSet() bool { return r.sort.by != "" || r.top > 0 }

// inOrder writes the lines of a run that predicts for graphs in the order of --sort, after all lines with errors. Lines
// of other runs are written at once, because their order is within each document (within).
func (r *rankFlags) inOrder(m *ehgnn.Model, write func(*streamed) error, lines func(write func(*streamed) error) error) error {
	if r.isSet() {
		if _, err := m.RankColumn(r.sort.by); err != nil {
			return usage(err)
		}
	}
	if !r.isSet() || m.Level() != ehgnn.Graphs {
		return lines(write)
	}
	var kept []*streamed
	most := 4 * max(r.top, 1<<10) // with --top only so many are kept
	sort := func() error {
		items := lists.Map(kept, func(line *streamed) ehgnn.Item { return line.Item })
		order, err := m.Rank(items, r.sort.by, r.top)
		if err != nil {
			return usage(err)
		}
		kept = lists.Take(kept, order)
		return nil
	}
	failed := lines(func(line *streamed) error {
		if line.Error != "" {
			return write(line)
		}
		if kept = append(kept, line); r.top > 0 && len(kept) >= most {
			return sort()
		}
		return nil
	})
	if err := sort(); err != nil {
		return err
	}
	for _, line := range kept {
		if err := write(line); err != nil {
			return err
		}
	}
	return failed
}

// sortDocument sorts the nodes or edges of a document's line by --sort, and adds their reasons.
func (r *rankFlags) sortDocument(ctx context.Context, m *ehgnn.Model, d *nodelink.Document, g *ehgnn.Graph, line *streamed) error {
	p := &line.Prediction
	items := p.Edges
	if m.Level() == ehgnn.Nodes {
		items = p.Nodes
	}
	if r.why && m.Level() != ehgnn.Edges {
		return usage(settings.Misuse("--why is for runs that predict for edges; ehgnn explain shows what others depend on"))
	}
	order := lists.Range[int](len(items))
	if r.isSet() && m.Level() != ehgnn.Graphs {
		var err error
		if order, err = m.Rank(items, r.sort.by, r.top); err != nil {
			return usage(err)
		}
	}
	if r.isSet() || r.why {
		ranked := make([]rankedItem, len(order))
		for i, k := range order {
			if ranked[i].Item = items[k]; r.isSet() {
				ranked[i].Number = &k
			}
		}
		if m.Level() == ehgnn.Nodes {
			line.Nodes = ranked
		} else {
			line.Edges = ranked
		}
	}
	if !r.why || len(line.Edges) == 0 {
		return nil
	}
	return r.reasons(ctx, m, d, g, order, line)
}

// fill copies fields that the prediction has and the line lacks.
func (l *streamed) fill() {
	p := &l.Prediction
	for _, of := range []struct {
		items []ehgnn.Item
		to    *[]rankedItem
	}{{p.Nodes, &l.Nodes}, {p.Edges, &l.Edges}} {
		if *of.to == nil {
			for _, x := range of.items {
				*of.to = append(*of.to, rankedItem{Item: x})
			}
		}
	}
	l.Unseen, l.Remarks = p.Unseen, p.Remarks
}

// reasons adds why to edges, whose values come from the document.
func (r *rankFlags) reasons(ctx context.Context, m *ehgnn.Model, d *nodelink.Document, g *ehgnn.Graph, order []int, line *streamed) error {
	in, err := m.Input(g)
	if err != nil {
		return err
	}
	edges, classes := make([]int32, len(order)), make([]string, len(order))
	var names []string
	values := map[string][]string{}
	for row, k := range order {
		edges[row], classes[row] = int32(k), line.Edges[row].Class
		for _, a := range d.Edges[k].Attributes {
			if values[a.Name] == nil {
				names, values[a.Name] = append(names, a.Name), make([]string, len(order))
			}
			values[a.Name][row] = a.Value.Text
		}
	}
	t := &report.Table{}
	for _, n := range names {
		t.Columns = append(t.Columns, report.Strings(n, values[n]))
	}
	t.Columns = slices.DeleteFunc(t.Columns, func(c report.Column) bool { return c.Name == "prediction" })
	t.Columns = append(t.Columns, report.Strings("prediction", classes))
	why, err := m.Why(ctx, in, edges, t)
	if err != nil {
		return usage(err)
	}
	for row, text := range why.Texts() {
		line.Edges[row].Why = text
	}
	return nil
}
