package run

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/ehgnn/ehgnn/internal/links"
	"github.com/ehgnn/ehgnn/internal/links/score"
	"github.com/ehgnn/ehgnn/internal/lists"
	"github.com/ehgnn/ehgnn/internal/report"
	"github.com/ehgnn/ehgnn/internal/safetensors"
)

// heuristic is a baseline, a column x of the graph, as a member of an average. Its score is ln(1 + x/scale).
type heuristic struct {
	name  string
	scale float64
}

// mostHeuristics is the largest number of baselines in an average.
const mostHeuristics = 2

// bestHeuristics returns the columns without negative numbers that are the best baselines on the
// validation part: the best of each form, then the second best of each, up to mostHeuristics.
func (t *training) bestHeuristics(ctx context.Context, s *score.Setting, forms []string) ([]*heuristic, error) {
	of := score.Heuristics{Columns: t.columns(links.Valid)}
	positives, negatives, err := s.Shared(ctx, of)
	if err != nil {
		return nil, err
	}
	usable := make([]*heuristic, len(of.Names())) // nil for a column with negative numbers or only zeros
	for i, name := range of.Names() {
		if mean, _ := report.MeanStd(positives[i]); mean > 0 && min(slices.Min(positives[i]), slices.Min(negatives[i])) >= 0 {
			usable[i] = &heuristic{name, mean}
		}
	}
	tables, err := s.Evaluate(ctx, of, forms, nil)
	if err != nil {
		return nil, err
	}
	orders := make([][]*heuristic, len(forms))
	for f, table := range tables {
		rows := lists.Range[int](len(table.Rows))
		slices.SortStableFunc(rows, func(a, b int) int { return cmp.Compare(table.Tuned(b).Value, table.Tuned(a).Value) })
		for _, i := range rows {
			if usable[i] != nil {
				orders[f] = append(orders[f], usable[i])
			}
		}
	}
	var best []*heuristic
	for place := range orders[0] {
		for _, order := range orders {
			if h := order[place]; len(best) < mostHeuristics && !slices.Contains(best, h) {
				best = append(best, h)
			}
		}
	}
	return best, nil
}

// Arrays returns nil: a heuristic has no weights.
func (h *heuristic) Arrays() []safetensors.Tensor { return nil }

// On returns the scorer by the columns of a graph.
func (h *heuristic) On(c *links.Columns, _ string, _ int) (score.Scorer, error) {
	of := score.Heuristics{Columns: c}
	at := slices.Index(of.Names(), h.name)
	if at < 0 {
		return nil, fmt.Errorf("the graph has no column %q of the average", h.name)
	}
	return &heuristicScorer{h, of, at}, nil
}

type heuristicScorer struct {
	*heuristic
	of score.Heuristics
	at int
}

func (s *heuristicScorer) Names() []string { return []string{s.name} }

func (s *heuristicScorer) Worker(of links.Workers) score.Worker {
	return &heuristicWorker{s, s.of.Worker(of), make([][]float64, len(s.of.Names()))}
}

type heuristicWorker struct {
	s    *heuristicScorer
	of   score.Worker
	rows [][]float64
}

func (w *heuristicWorker) Score(kept int32, reverse bool, others []int32, out [][]float64) {
	for i := range w.rows {
		if cap(w.rows[i]) < len(others) {
			w.rows[i] = make([]float64, len(others))
		}
		w.rows[i] = w.rows[i][:len(others)]
	}
	w.of.Score(kept, reverse, others, w.rows)
	for i, x := range w.rows[w.s.at] {
		out[0][i] = math.Log1p(max(0, x) / w.s.scale)
	}
}
