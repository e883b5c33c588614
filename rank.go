package ehgnn

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/ehgnn/ehgnn/internal/explain"
	"github.com/ehgnn/ehgnn/internal/report"
	"github.com/ehgnn/ehgnn/internal/session"
)

// RankColumn returns the column that ranks rows of predictions: the probability of the class or
// label called of, or the number called of. If of is empty, it is the probability of the class of
// interest, which is the rarer of two classes, or the only number or label.
func (m *Model) RankColumn(of string) (string, error) {
	column, err := session.RankColumn(&m.settings, of)
	if err != nil {
		return "", fmt.Errorf("ehgnn: %w", err)
	}
	return column, nil
}

// Rank returns the order of items by the column of RankColumn, the largest first. Items without a
// number are last, equal items keep their order. It returns the first top items, or all if top is
// 0.
func (m *Model) Rank(items []Item, of string, top int) ([]int, error) {
	column, err := m.RankColumn(of)
	if err != nil {
		return nil, err
	}
	names, before := m.Targets(), "prediction_"
	if classes := m.Classes(); classes != nil {
		names = classes
	}
	if !m.Numbers() {
		before = "probability_"
	}
	k := max(0, slices.IndexFunc(names, func(n string) bool { return before+n == column }))
	value := func(i int) float64 {
		of := items[i].Probabilities
		if m.Numbers() {
			of = items[i].Values
		}
		if k >= len(of) {
			return math.NaN()
		}
		return of[k]
	}
	return session.Order(len(items), top, value), nil
}

// Why says for each row of a table of predictions for edges which columns contribute most to the
// prediction, in words. The values in the text are those of the table's columns.
func (m *Model) Why(ctx context.Context, in *Input, edges []int32, t *report.Table) (report.Column, error) {
	column, err := explain.WhyOf(m.run, ctx, in.plain, edges, t, m.threads)
	if err != nil {
		return column, fmt.Errorf("ehgnn: %w", err)
	}
	return column, nil
}
