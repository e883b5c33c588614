package experiment

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/ehgnn/ehgnn/internal/lists"
	"github.com/ehgnn/ehgnn/internal/memory"
	"github.com/ehgnn/ehgnn/internal/report"
	"github.com/ehgnn/ehgnn/model"
)

// tablesValue is the experiment for programs.
type tablesValue struct {
	Preset  string        `json:"preset"`
	Quality string        `json:"quality"`
	Results []tableResult `json:"results"`
	Ranks   []rowRank     `json:"mean_ranks"`
	Notes   []string      `json:"notes,omitempty"`
}

// rowRank is the mean rank of a row over the data sets that all rows have.
type rowRank struct {
	Row  string  `json:"model"`
	Rank float64 `json:"rank"`
}

var tablesRemarks = []string{
	"Scores are those of the test part: the mean over seeds and the deviation between them. Learners, columns, thresholds and temperatures are chosen on the validation part.",
	"linear, trees and network are the learners of the default model, each by itself, with the set of columns that is best on validation.",
	"Seconds of a learner are those of its own training; of the default model and of other programs from reading the table to the scores, on all threads.",
}

// document makes the tables, the plot and the files.
func (r tablesRequest) document(results []tableResult) (*report.Document, error) {
	for k := range r.sets {
		if r.sets[k].scores == nil {
			r.sets[k].scores = scoresFound(results, r.sets[k].name)
		}
	}
	rows := r.names(results)
	ranks := r.ranks(rows, results)
	v := tablesValue{Preset: r.preset.name, Quality: r.quality, Results: results, Ranks: ranks, Notes: r.notes}
	d := &report.Document{Title: fmt.Sprintf("Tables of edges, %s, quality %s", seedsText(r.seeds), r.quality), Value: v,
		Remarks: slices.Concat(tablesRemarks, r.notes), Sheets: []report.Sheet{tablesSheet(results)}}
	d.Parts = []report.Part{r.scoresTable(rows, ranks, results), r.costs(rows, results)}
	m, err := r.messages(results)
	if err != nil {
		return nil, err
	}
	d.Parts = append(d.Parts, m...)
	f, err := r.plot(rows, results)
	if err != nil {
		return nil, err
	}
	if f != nil {
		d.Parts = append(d.Parts, f)
	}
	return d, nil
}

// scoresFound returns the scores of an unknown data set, derived from its results.
func scoresFound(results []tableResult, set string) []edgeScore {
	for _, of := range [][]edgeScore{rankScores, manyClassScores, absoluteScores} {
		if slices.ContainsFunc(results, func(t tableResult) bool { _, ok := t.Test[of[0].name]; return ok && t.Set == set }) {
			return of
		}
	}
	return accuracyScores
}

// names returns the rows that have results; rows of other programs are last.
func (r tablesRequest) names(results []tableResult) []string {
	out := lists.Map(r.rows, func(r tableRow) string { return r.name })
	for _, t := range results {
		if !slices.Contains(out, t.Row) {
			out = append(out, t.Row)
		}
	}
	return out
}

// ofRow returns the results of a row on a data set.
func ofRow(results []tableResult, set, row string) []tableResult {
	return lists.Filter(results, func(t tableResult) bool { return t.Set == set && t.Row == row })
}

// meanOf is the mean of a number over some results, NaN for none.
func meanOf(of []tableResult, number func(tableResult) (float64, bool)) (mean float64, values []float64) {
	for _, t := range of {
		if v, ok := number(t); ok {
			values = append(values, v)
		}
	}
	if values == nil {
		return math.NaN(), nil
	}
	mean, _ = report.MeanStd(values)
	return mean, values
}

// testScore returns a score of the test part.
func testScore(name string) func(tableResult) (float64, bool) {
	return func(t tableResult) (float64, bool) { v, ok := t.Test[name]; return v, ok }
}

// ranks returns the mean ranks of the rows by the first score, over the data sets that all rows have.
func (r tablesRequest) ranks(rows []string, results []tableResult) (out []rowRank) {
	sum, sets := make([]float64, len(rows)), 0
	for _, set := range r.sets {
		score := set.scores[0].name
		value := make([]float64, len(rows))
		for k, row := range rows {
			if value[k], _ = meanOf(ofRow(results, set.name, row), testScore(score)); smaller(score) {
				value[k] = -value[k]
			}
		}
		if slices.ContainsFunc(value, math.IsNaN) {
			continue
		}
		sets++
		for k, v := range value {
			rank := 1.0
			for i, w := range value {
				if w > v {
					rank++
				} else if w == v && i != k {
					rank += 0.5
				}
			}
			sum[k] += rank
		}
	}
	if sets == 0 {
		return nil
	}
	for k, row := range rows {
		out = append(out, rowRank{row, sum[k] / float64(sets)})
	}
	return out
}

// scoresTable has a line for each score of each data set.
func (r tablesRequest) scoresTable(rows []string, ranks []rowRank, results []tableResult) *report.Listing {
	t := listing(2, append([]string{"data", "score"}, rows...)...)
	for _, set := range r.sets {
		for _, score := range set.scores {
			line := []string{set.name, score.title}
			for _, row := range rows {
				_, values := meanOf(ofRow(results, set.name, row), testScore(score.name))
				line = append(line, scoreText(values))
			}
			t.Rows = append(t.Rows, line)
		}
	}
	if ranks != nil {
		line := []string{"mean rank", "first score"}
		for _, rank := range ranks {
			line = append(line, fmt.Sprintf("%.2f", rank.Rank))
		}
		t.Strong, t.Rows = []int{len(t.Rows)}, append(t.Rows, line)
	}
	return t
}

// scoreText is a score with its deviation, or a dash.
func scoreText(values []float64) string {
	switch {
	case values == nil:
		return "–"
	case slices.ContainsFunc(values, func(v float64) bool { return math.Abs(v) >= 100 }):
		return meanText("%.1f", values)
	}
	return meanText("%.4f", values)
}

// costs is the table of seconds and memory.
func (r tablesRequest) costs(rows []string, results []tableResult) *report.Listing {
	t := &report.Listing{Columns: []report.ListingColumn{{Name: "data", Left: true}}}
	kinds := []struct {
		title  string
		number func(tableResult) (float64, bool)
		text   func(v float64) string
	}{
		{", s", func(t tableResult) (float64, bool) { return t.Seconds, true }, func(v float64) string { return fmt.Sprintf("%.1f", v) }},
		{", memory", func(t tableResult) (float64, bool) { return float64(t.PeakBytes), t.PeakBytes > 0 }, func(v float64) string { return memory.Text(int64(v)) }},
	}
	type column struct {
		row  string
		kind int
	}
	var columns []column
	for k := range kinds {
		for _, row := range rows {
			if slices.ContainsFunc(results, func(t tableResult) bool {
				_, ok := kinds[k].number(t)
				return ok && t.Row == row && row != tablesTrivial
			}) {
				columns = append(columns, column{row, k})
				t.Columns = append(t.Columns, report.ListingColumn{Name: row + kinds[k].title})
			}
		}
	}
	for _, set := range r.sets {
		line := []string{set.name}
		for _, c := range columns {
			mean, values := meanOf(ofRow(results, set.name, c.row), kinds[c.kind].number)
			if values == nil {
				line = append(line, "–")
				continue
			}
			line = append(line, kinds[c.kind].text(mean))
		}
		t.Rows = append(t.Rows, line)
	}
	return t
}

// messagesLine compares a dual network with the network without messages on a data set.
type messagesLine struct {
	set, score  string
	known       float64   // median number of known labels at an end of a test edge
	plain, dual []float64 // scores
	gain        float64   // share of the error that messages remove
}

// messagesLines returns the lines of the data sets that have both networks, fewest known labels first.
func (r tablesRequest) messagesLines(results []tableResult) (out []messagesLine) {
	for _, set := range r.sets {
		score := set.scores[0]
		duals := ofRow(results, set.name, tablesDual)
		plain, l := 0.0, messagesLine{set: set.name, score: score.title}
		plain, l.plain = meanOf(ofRow(results, set.name, model.LearnerNetwork), testScore(score.name))
		dual, values := meanOf(duals, testScore(score.name))
		l.known, _ = meanOf(duals, func(t tableResult) (float64, bool) {
			if t.KnownLabels == nil {
				return 0, false
			}
			return *t.KnownLabels, true
		})
		if math.IsNaN(plain + dual + l.known) {
			continue
		}
		if l.dual = values; !smaller(score.name) {
			plain, dual = 1-plain, 1-dual
		}
		l.gain = 1 - dual/plain
		out = append(out, l)
	}
	slices.SortStableFunc(out, func(a, b messagesLine) int { return cmp.Compare(a.known, b.known) })
	return out
}

// messages compares a dual network with the network without messages, by the number of known labels around test edges:
// messages should help if there are few.
func (r tablesRequest) messages(results []tableResult) ([]report.Part, error) {
	lines := r.messagesLines(results)
	if lines == nil {
		return nil, nil
	}
	t := &report.Listing{Columns: []report.ListingColumn{{Name: "data", Left: true}, {Name: "known labels at an end"}, {Name: "score", Left: true}, {Name: model.LearnerNetwork}, {Name: tablesDual}, {Name: "gain"}}}
	dots := report.Series{Name: "data set", Kind: report.Dots, Colour: report.ColourOf(0)}
	low, high := 0.0, 0.0
	for _, l := range lines {
		t.Rows = append(t.Rows, []string{l.set, fmt.Sprintf("%.0f", l.known), l.score, scoreText(l.plain), scoreText(l.dual), fmt.Sprintf("%.0f %%", 100*l.gain)})
		dots.X, dots.Y = append(dots.X, l.known+1), append(dots.Y, 100*l.gain)
		dots.Texts = append(dots.Texts, l.set)
		low, high = min(low, 100*l.gain), max(high, 100*l.gain)
	}
	c := &report.Chart{Title: "Gain of messages against known labels", Hide: true, Series: []report.Series{dots},
		X: report.LogAxis("known labels at an end, and one", 1, slices.Max(dots.X)), Y: report.AxisFor("share of the error that messages take away, %", low, high, true)}
	f, err := report.Charted("messages", "What messages take off the error of the network without them, a point for each data set, against the labels that are known at an end of a test edge", 1, []*report.Chart{c})
	return []report.Part{t, f}, err
}

// plot has a point for each row of each data set: its time, and its first score on a scale from the trivial baseline to
// the best row. It is nil without a trivial row.
func (r tablesRequest) plot(rows []string, results []tableResult) (*report.Figure, error) {
	group := map[string]int{}
	c := &report.Chart{Title: "Scores against seconds", Hide: true}
	low, high := math.Inf(1), 0.0
	for _, set := range r.sets {
		score := set.scores[0].name
		trivial, _ := meanOf(ofRow(results, set.name, tablesTrivial), testScore(score))
		gain, best := make([]float64, len(rows)), 0.0
		for k, row := range rows {
			mean, _ := meanOf(ofRow(results, set.name, row), testScore(score))
			if gain[k] = mean - trivial; smaller(score) {
				gain[k] = -gain[k]
			}
			best = max(best, gain[k]) // NaN is not larger
		}
		for k, row := range rows {
			seconds, _ := meanOf(ofRow(results, set.name, row), func(t tableResult) (float64, bool) { return t.Seconds, t.Seconds > 0 })
			if y := gain[k] / best; row != tablesTrivial && best > 0 && !math.IsNaN(y+seconds) {
				if _, ok := group[row]; !ok {
					group[row] = len(group)
					c.Series = append(c.Series, report.Series{Name: row, Kind: report.Dots, Colour: report.ColourOf(group[row])})
				}
				s := &c.Series[group[row]]
				s.X, s.Y = append(s.X, seconds), append(s.Y, max(y, 0))
				low, high = min(low, seconds), max(high, seconds)
			}
		}
	}
	if c.Series == nil {
		return nil, nil
	}
	c.X, c.Y = report.LogAxis("seconds", low, high), report.ScoreAxis("share of the best row's gain")
	return report.Charted("seconds", "Scores against seconds, a point for each data set: the gain over the trivial answer as a share of that of the best row", 1, []*report.Chart{c})
}

// tablesSheet has a line for each score of each result.
func tablesSheet(results []tableResult) report.Sheet {
	s := report.Sheet{Name: "table", Header: strings.Split("dataset,model,seed,columns,score,test,valid,seconds,peak_bytes", ",")}
	for _, t := range results {
		for _, score := range scoreCells(t.Valid, t.Test) {
			s.Rows = append(s.Rows, slices.Concat([]string{t.Set, t.Row, fmt.Sprint(t.Seed), cmp.Or(t.Columns, "-")}, score, []string{fmt.Sprintf("%.1f", t.Seconds), fmt.Sprint(t.PeakBytes)}))
		}
	}
	return s
}
