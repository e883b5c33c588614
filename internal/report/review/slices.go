package review

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"time"

	"github.com/ehgnn/ehgnn/internal/lists"
	"github.com/ehgnn/ehgnn/internal/report"
	"github.com/ehgnn/ehgnn/internal/session"
	"github.com/ehgnn/ehgnn/internal/settings"
	"github.com/ehgnn/ehgnn/internal/source"
	"github.com/ehgnn/ehgnn/internal/task"
)

// fewItems is the number of items below which a slice is grey, because its scores are unreliable.
const fewItems = 20

// mostSlices is how many classes have a slice.
const mostSlices = 20

// Limits of the slices by columns of the data.
const (
	mostAttributes = 8  // columns
	mostValues     = 10 // values of a column, the most frequent ones
)

// byClass is the name of slices by true class.
const byClass = "class"

// slice is a subset of the rows of an outcome.
type slice struct {
	by, name string
	rows     []int32
}

// slices shows the main scores of subsets of the items, with a dot for each on one axis.
func (r *Review) slices() ([]report.Part, error) {
	all := r.rows()
	if len(all) == 0 || r.contest == nil {
		return nil, nil
	}
	attributes, err := r.attributes(all)
	if err != nil {
		return nil, err
	}
	cut := slices.Concat(r.sliced(all), attributes)
	if len(cut) == 0 {
		return nil, nil
	}
	names := r.contest.names
	if c := r.outcome.Classes; c != nil {
		names = [2]string{"accuracy", names[0]} // with one class, the other score is undefined
		if len(c.Names) > 2 {
			names[1] = "macro_f1"
		}
	}
	score := scorerOf(r.outcome, r.settings.Target.Binary)
	of := func(rows []int32) (out [2]float64, err error) {
		scores, err := score(rows)
		for k, name := range names {
			v, ok := scores.Get(name)
			if out[k] = v; !ok {
				out[k] = math.NaN()
			}
		}
		return out, err
	}
	whole, err := of(all)
	if err != nil {
		return nil, err
	}
	drawn := 0 // accuracy is not informative for a rare class, so the ranking score is drawn
	if c := r.outcome.Classes; c != nil && len(c.Names) == 2 {
		drawn = 1
	}
	values := make([][2]float64, len(cut))
	high := whole[0]
	for k, s := range cut {
		if values[k], err = of(s.rows); err != nil {
			return nil, err
		}
		if s.by == byClass {
			values[k][1] = math.NaN() // over several classes
		}
		if len(s.rows) >= fewItems && values[k][0] > high {
			high = values[k][0]
		}
	}
	axis := report.LinearAxis("", 0, high)
	if !smaller(names[0]) {
		axis = report.ScoreAxis("")
	}
	t := &report.DataTable{Label: "Slices", Class: "w1", Columns: []report.DataColumn{{Name: "slice", Left: true}, {Name: "items"}, {Name: task.ScoreTitle(names[drawn]) + ", drawn", Bar: &axis}, {Name: task.ScoreTitle(names[0]), Unit: r.unit()}, {Name: task.ScoreTitle(names[1]), Class: "p2"}}}
	d := r.contest.decimals(names[0])
	row := func(name string, n int, v [2]float64) report.DataRow {
		out := report.DataRow{Faint: n < fewItems, Cells: []report.DataCell{report.TextCell(shortened(name, 40)), report.NumberCell(report.Count(n), float64(n)), {Value: v[drawn]},
			report.NumberCell(formatted(names[0], v[0], d), v[0]), report.NumberCell(formatted(names[1], v[1], 3), v[1])}}
		if v[drawn] <= axis.High { // small slices may be beyond
			out.Cells[2].Dots = []report.Dot{{Value: v[drawn], Low: math.NaN(), Colour: "c1"}}
		}
		return out
	}
	t.Rows = append(t.Rows, row("all", len(all), whole))
	by := ""
	for k, s := range cut {
		if s.by != by {
			by = s.by
			t.Rows = append(t.Rows, report.DataRow{Group: by})
		}
		t.Rows = append(t.Rows, row(s.name, len(s.rows), values[k]))
	}
	return []report.Part{report.Heading{Name: "Slices", Title: "Slices", Lines: []string{fmt.Sprintf("The same scores on test items of one kind; the dots are %s. Rows of fewer than %d items are grey: they say little.", task.ScoreTitle(names[drawn]), fewItems)}}, t}, nil
}

// sliced divides rows by class, by the size of their graph and by the degree of their ends.
func (r *Review) sliced(all []int32) []slice {
	var out []slice
	o := r.outcome
	if c := o.Classes; c != nil && len(c.Names) <= mostSlices {
		for k, name := range c.Names {
			out = append(out, slice{byClass, name, lists.Filter(all, func(i int32) bool { return int(c.True[i]) == k })})
		}
	}
	graphs := r.session.Graphs(source.PartTest)
	if len(graphs) > 1 {
		out = append(out, quartiles("nodes of the graph", all, func(i int32) int { return graphs[o.At[i].Graph].NumNodes })...)
	}
	if o.Level == settings.Graphs {
		return append(out, quartiles("edges of the graph", all, func(i int32) int { return graphs[o.At[i].Graph].NumEdges() })...)
	}
	degrees := make([][]int32, len(graphs))
	for k, g := range graphs {
		degrees[k] = make([]int32, g.NumNodes)
		for _, v := range g.Ends {
			degrees[k][v]++
		}
	}
	if o.Level == settings.Nodes {
		return append(out, quartiles("edges at the node", all, func(i int32) int { return int(degrees[o.At[i].Graph][o.At[i].Item]) })...)
	}
	return append(out, quartiles("fewest edges at an end", all, func(i int32) int {
		at := o.At[i]
		ends := graphs[at.Graph].Ends[2*at.Item:]
		return int(min(degrees[at.Graph][ends[0]], degrees[at.Graph][ends[1]]))
	})...)
}

// attributes divides rows by the categories of their items, by group and by time.
func (r *Review) attributes(all []int32) (out []slice, err error) {
	attributes, err := r.session.Attributes(source.PartTest, r.outcome.At)
	if err != nil {
		return nil, err
	}
	for _, t := range attributes[:min(len(attributes), mostAttributes)] {
		if t.Code != nil {
			out = append(out, frequent(t, all)...)
			continue
		}
		timed := lists.Filter(all, func(i int32) bool { return t.Time[i] == t.Time[i] })
		out = append(out, quartersOf(t.Name, timed, func(i int32) float64 { return t.Time[i] }, func(v float64) string {
			if t.Dates {
				return time.Unix(int64(v), 0).UTC().Format(time.DateOnly)
			}
			return number(v)
		})...)
	}
	return out, nil
}

// frequent returns slices by the most frequent values of an attribute; none if all rows have the same value.
func frequent(t session.Attribute, all []int32) (out []slice) {
	rows := map[int32][]int32{}
	for _, i := range all {
		rows[t.Code[i]] = append(rows[t.Code[i]], i)
	}
	codes := slices.SortedFunc(maps.Keys(rows), func(a, b int32) int { return cmp.Or(len(rows[b])-len(rows[a]), int(a-b)) })
	if len(codes) < 2 {
		return nil
	}
	for _, c := range codes[:min(len(codes), mostValues)] {
		name := "missing, or in no training"
		if c >= 0 {
			name = t.Values[c]
		}
		out = append(out, slice{shortened(t.Name, 40), name, rows[c]})
	}
	return out
}

// quartiles is quartersOf for whole numbers.
func quartiles(by string, rows []int32, of func(i int32) int) []slice {
	return quartersOf(by, rows, func(i int32) float64 { return float64(of(i)) }, func(v float64) string { return report.Count(int(v)) })
}

// quartersOf divides rows by a number into four slices of about equal size, fewer if many rows have
// the same number; none if all have.
func quartersOf(by string, rows []int32, of func(i int32) float64, text func(v float64) string) []slice {
	values := lists.Map(rows, of)
	slices.Sort(values)
	var out []slice
	below := math.Inf(-1)
	for q := 1; q <= 4 && len(values) > 0; q++ {
		high := values[(len(values)-1)*q/4]
		if high <= below {
			continue
		}
		part := lists.Filter(rows, func(i int32) bool { v := of(i); return v > below && v <= high })
		low := of(slices.MinFunc(part, func(a, b int32) int { return cmp.Compare(of(a), of(b)) }))
		name := text(low) + " to " + text(high)
		if text(low) == text(high) {
			name = text(low)
		}
		out = append(out, slice{by, name, part})
		below = high
	}
	if len(out) < 2 {
		return nil
	}
	return out
}
