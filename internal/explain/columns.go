package explain

import (
	"cmp"
	"context"
	"math"
	"slices"

	"github.com/ehgnn/ehgnn/graph"
	"github.com/ehgnn/ehgnn/internal/session"
	"github.com/ehgnn/ehgnn/internal/settings"
	"github.com/ehgnn/ehgnn/internal/source"
	"github.com/ehgnn/ehgnn/model"
)

// ByColumns divides a prediction for an edge by model.Auto among the columns of the edge.
const ByColumns = "columns"

// ColumnRecord is a prediction for an edge divided among the columns that the model reads: Base plus the contributions
// is Value.
type ColumnRecord struct {
	Edge   string  `json:"edge"`   // name in predictions
	Target string  `json:"target"` // the class, or the number
	Base   float64 `json:"base"`   // probability or number when no column is known
	Value  float64 `json:"value"`  // probability or number of the edge
	// Share is the weight, in the mean of learners, of the learners that can be divided: all except networks that pass
	// messages. Base and Value are for these learners.
	Share float64 `json:"share"`
	// Columns are the columns with a contribution, the largest first.
	Columns []ColumnPart `json:"columns"`
}

// ColumnPart is the contribution of a column.
type ColumnPart struct {
	Column       string  `json:"column"`
	Value        string  `json:"value,omitempty"` // value of the edge in the data
	Contribution float64 `json:"contribution"`
}

// HasColumns reports whether predictions of a run can be divided among columns.
func HasColumns(s *session.Session) bool {
	m, ok := s.Model.(*model.Auto)
	return ok && m.Divides()
}

// Columns divides predictions for edges of a graph among columns. Edges are named as for Items.
func Columns(s *session.Session, ctx context.Context, part, target, graphName string, names ...string) ([]ColumnRecord, error) {
	if !HasColumns(s) {
		return nil, settings.Misuse("--method %s is for runs of %s with learners on columns, and this run has none; --method %s works for it", ByColumns, model.AutoName, Occlusion)
	}
	whole, at, items, err := itemsOf(s, part, graphName, names)
	if err != nil {
		return nil, err
	}
	b, err := graph.Collate(whole.Graphs[at : at+1])
	if err != nil {
		return nil, err
	}
	class, err := targetsOf(s, ctx, whole, at, items, target)
	if err != nil {
		return nil, err
	}
	title := session.ColumnNames(&s.Settings)
	out := make([]ColumnRecord, len(items))
	for k, item := range items {
		got, err := s.Model.(*model.Auto).Contributions(ctx, b, []int32{item.number}, class[k], s.Threads)
		if err != nil {
			return nil, err
		}
		out[k] = columnRecord(&s.Settings, got[0], title)
		out[k].Edge, out[k].Target = item.name, targets(s)[class[k]]
	}
	return out, nil
}

// targetsOf returns the explained output of each item: the named one, or the class with the largest probability.
func targetsOf(s *session.Session, ctx context.Context, p *source.Part, at int, items []namedItem, target string) ([]int, error) {
	if target != "" || s.Task.Number {
		c, err := findTarget(s, target)
		return slices.Repeat([]int{c}, len(items)), err
	}
	out := make([]int, len(items))
	err := s.Each(ctx, &source.Part{Graphs: p.Graphs[at : at+1]}, func(o *model.Output, _ *graph.Batch, _ int) error {
		for k, item := range items {
			row := o.Edge.Data()[int(item.number)*o.Edge.Dim(1):][:o.Edge.Dim(1)]
			for c, v := range row {
				if v > row[out[k]] {
					out[k] = c
				}
			}
		}
		return nil
	})
	return out, err
}

// columnRecord converts contributions to the unit of the label and sorts them.
func columnRecord(s *settings.Settings, c model.Contributions, title []string) ColumnRecord {
	share := max(c.Share, math.SmallestNonzeroFloat64)
	out := ColumnRecord{Base: c.Base / share, Value: c.Output / share, Share: c.Share}
	scale := 1 / share
	if u := s.Target.Units; s.Model.Auto().Number {
		out.Base, out.Value, scale = out.Base*u[0].Scale+u[0].Mean, out.Value*u[0].Scale+u[0].Mean, u[0].Scale/share
	}
	for i, v := range c.Parts {
		if v != 0 {
			out.Columns = append(out.Columns, ColumnPart{Column: title[i], Contribution: v * scale})
		}
	}
	slices.SortStableFunc(out.Columns, func(a, b ColumnPart) int { return cmp.Compare(math.Abs(b.Contribution), math.Abs(a.Contribution)) })
	return out
}
