package session

import (
	"cmp"
	"context"
	"slices"

	"github.com/ehgnn/ehgnn/internal/lists"
	"github.com/ehgnn/ehgnn/internal/report"
	"github.com/ehgnn/ehgnn/internal/settings"
	"github.com/ehgnn/ehgnn/internal/source"
)

// Predictions are predictions for a part of the data, with a row for each graph, node or edge.
type Predictions struct {
	*report.Table
	Part *source.Part
	At   []source.Place // place of the item of each row
	Keys int            // number of the first columns, which are those of the data
}

// Predictions is like Predict, and also returns the places of the items.
func (s *Session) Predictions(ctx context.Context, part string) (*Predictions, error) {
	p, got, err := s.CollectPart(ctx, part)
	if err != nil {
		return nil, err
	}
	out := &Predictions{Table: s.table(p, part, got), Part: p, At: got.At}
	out.Keys = len(out.Columns) - len(got.Predictions) - len(got.records)
	return out, nil
}

// IDs returns the number of the item of each row in the data.
func (p *Predictions) IDs() []int {
	return lists.Map(p.At, p.Part.ID)
}

// Rank sorts predictions by a column of numbers, the largest first, and keeps the first rows; 0 keeps all.
func (p *Predictions) Rank(column string, top int) {
	order := Ranked(p.Table, column, top)
	p.Table, p.At = p.Pick(order), lists.Take(p.At, order)
}

// Ranked sorts the rows of a table by a column of numbers, as Order does, and keeps the first top; 0
// keeps all.
func Ranked(t *report.Table, column string, top int) []int {
	k := slices.IndexFunc(t.Columns, func(c report.Column) bool { return c.Name == column })
	values := t.Columns[k].Values()
	return Order(len(values), top, func(i int) float64 { return float64(values[i]) })
}

// Order sorts n items by their values, the largest first; items without a number are last, and equal items keep their
// order. It returns the first top items; 0 for all.
func Order(n, top int, value func(i int) float64) []int {
	order := lists.Range[int](n)
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(value(b), value(a)) }) // NaN is the smallest
	if top > 0 {
		order = order[:min(top, n)]
	}
	return order
}

// SortUsual stands for the default column of RankColumn. No column can have this name.
const SortUsual = "usual"

// RankColumn is the column by which predictions of a run are ranked. name selects the probability of a class
// or label, or a number. The default is the probability of the rarer of two classes, or the only number or
// label.
func RankColumn(s *settings.Settings, of string) (string, error) {
	t := &s.Target
	if of == SortUsual {
		of = ""
	}
	switch {
	case s.Kind.Reconstructs:
		return "", settings.Misuse("the run reconstructs features, which have no order")
	case !s.Classifies():
		before := "probability_"
		if s.Kind.Number {
			before = "prediction_"
		}
		switch {
		case len(t.Names) == 0 && of == "":
			return "prediction", nil
		case len(t.Names) == 0:
			return "", settings.Misuse("--sort=%s names a class, and the run predicts one number; --sort sorts by it", of)
		case of == "" && len(t.Names) == 1:
			return before + t.Names[0], nil
		case !slices.Contains(t.Names, of):
			return "", settings.Misuse("--sort=%s, expected the name of one of %q", of, t.Names)
		}
		return before + of, nil
	}
	names := lists.Map(lists.Range[int32](s.Model.Out), func(k int32) string { return settings.ClassName(t.Classes, k) })
	switch {
	case of != "" && !slices.Contains(names, of):
		return "", settings.Misuse("--sort=%s, expected one of the classes %q", of, names)
	case of == "" && len(names) != 2:
		return "", settings.Misuse("the run predicts one of %d classes; --sort=CLASS says which comes first, one of %q", len(names), names)
	case of == "":
		of = names[t.PositiveClass()]
	}
	return "probability_" + of, nil
}
