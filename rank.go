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

// RankColumn is the column by which rows of predictions are ranked: the probability of the class or label with that
// name, or the number with that name. An empty name is for the class of interest, which is the rarer of two classes, or
// for the only number or label.
func (m *Model) RankColumn(of string) (string, error) {
	column, err := session.RankColumn(&m.settings, of)
	if err != nil {
		return "", fmt.Errorf("ehgnn: %w", err)
	}
	return column, nil
}

// Rank is the order of items by what RankColumn names, the largest first, items without a number last and equal ones in
// their order; the first top of them, 0 for all.
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

// Why says in words, for each row of a table of predictions for edges of a graph, which columns contribute most to it. The
// values that it names are those of the table's columns.
func (m *Model) Why(ctx context.Context, in *Input, edges []int32, t *report.Table) (report.Column, error) {
	column, err := explain.WhyOf(m.run, ctx, in.plain, edges, t, m.threads)
	if err != nil {
		return column, fmt.Errorf("ehgnn: %w", err)
	}
	return column, nil
}
