package learn

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/ehgnn/ehgnn/internal/links"
	"github.com/ehgnn/ehgnn/internal/lists"
)

// AddTimes adds columns of a target's events up to a moment, including it: the time of the last
// event, and decayed popularity. Further events are added to the events of the data. If one of them
// is later than the moment, the columns describe its time instead. Time constants are those of the data.
func AddTimes(c *links.Columns, d *links.Data, cut float64, dates bool, further ...links.Event) {
	rows := d.TimedRows()
	taus, names := timeConstants(d, rows, dates)
	events := slices.Clone(further)
	for _, r := range rows {
		if d.Time[r] > cut {
			break
		}
		p := d.Pairs[d.Row[r]]
		events = append(events, links.Event{Source: p[0], Target: p[1], Time: d.Time[r]})
	}
	slices.SortStableFunc(events, func(a, b links.Event) int { return cmp.Compare(a.Time, b.Time) })
	h := links.NewHistory(c.Graph.Nodes, taus)
	for _, e := range events {
		h.Add(e.Source, e.Target, e.Time)
	}
	if n := len(events); n > 0 {
		cut = max(cut, events[n-1].Time)
	}
	recent := make([]float64, c.Graph.Nodes)
	for v := range recent {
		if t := h.Recency(int32(v)); !math.IsNaN(t) {
			recent[v] = 1 / (1 + cut - t)
		}
	}
	c.AddTarget("recency", true, recent)
	for k, name := range names {
		of := make([]float64, c.Graph.Nodes)
		for v := range of {
			of[v] = h.Decayed(k, int32(v), cut)
		}
		c.AddTarget("popularity-decayed "+name, true, of)
	}
}

// timeConstants returns time constants in days if times are dates, otherwise as shares of the time span.
func timeConstants(d *links.Data, rows []int32, dates bool) (taus []float64, names []string) {
	const day = 86400
	span := d.Time[rows[len(rows)-1]] - d.Time[rows[0]]
	if !dates {
		return []float64{span / 1000, span / 100, span / 10}, []string{"1/1000", "1/100", "1/10"}
	}
	for _, n := range []float64{1, 7, 30, 90} {
		taus, names = append(taus, n*day), append(names, fmt.Sprintf("%gd", n))
	}
	return taus, names
}

// firstCut is the share of the training rows before the first fold in time.
const firstCut = 0.4

// NewTimeFolds divides training pairs by the time of their first row. A fold has the pairs that are
// new in a period, and its graph has the earlier pairs, as in the test. Pairs of the first rows are
// in no fold, and pairs with a node that was not seen before are in no fold.
func NewTimeFolds(d *links.Data, s *links.Split, f *links.Features, dates bool) *Folds {
	rows := lists.Filter(d.TimedRows(), func(r int32) bool { return s.RowPart[r] == links.Train })
	first := map[int32]float64{} // time of the first row of each pair
	var order []int32
	for _, r := range rows {
		if _, ok := first[d.Row[r]]; !ok {
			first[d.Row[r]] = d.Time[r]
			order = append(order, d.Row[r])
		}
	}
	out := &Folds{Data: d, Graph: links.NewGraph(d, order)}
	out.partners = links.KnownIn(out.Graph)
	var columns [FoldCount]*links.Columns
	for k := range FoldCount {
		cut, end := cutAt(d, rows, k), cutAt(d, rows, k+1)
		var before [][2]int32
		for _, p := range order {
			if first[p] <= cut {
				before = append(before, d.Pairs[p])
			}
		}
		g := links.GraphOf(d.Kind, d.Hash, before)
		columns[k] = links.NewColumns(g, f)
		AddTimes(columns[k], d, cut, dates)
		for _, p := range order {
			if pair := d.Pairs[p]; first[p] > cut && first[p] <= end && g.Both.Degree(pair[0]) > 0 && g.Both.Degree(pair[1]) > 0 {
				out.Pairs, out.Fold = append(out.Pairs, pair), append(out.Fold, int8(k))
			}
		}
	}
	out.Width = len(columns[0].Names())
	out.columns = func(fold int) *links.Columns { return columns[fold] }
	return out
}

// cutAt returns the time at which fold k begins.
func cutAt(d *links.Data, rows []int32, k int) float64 {
	share := firstCut + (1-firstCut)*float64(k)/FoldCount
	return d.Time[rows[min(len(rows)-1, int(share*float64(len(rows))))]]
}
