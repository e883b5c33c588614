package experiment

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"

	"github.com/ehgnn/ehgnn/internal/lists"
	"github.com/ehgnn/ehgnn/internal/report"
)

// checksumOf is the checksum of a list of texts.
func checksumOf(texts []string) string {
	sum := sha256.Sum256([]byte(strings.Join(texts, "\n")))
	return hex.EncodeToString(sum[:])
}

// optimiseTable has the finished searches.
type optimiseTable struct {
	optimiseRequest
	runs []optimiseRun // by task, row and seed
}

func (t optimiseTable) of(task, row int) []optimiseRun {
	n := len(t.seeds)
	return t.runs[(task*len(t.rows)+row)*n:][:n]
}

// optimiseValue is the experiment for programs.
type optimiseValue struct {
	Preset  string        `json:"preset"`
	Toolkit string        `json:"toolkit"`
	Runs    []optimiseRun `json:"runs"`
}

func (t optimiseTable) document() (*report.Document, error) {
	budgets := optimiseBudgets(t.calls)
	areas := lists.Map(budgets, func(n int) string { return fmt.Sprintf("AUC top-10, %d", n) })
	list := listing(2, slices.Concat([]string{"task", "search"}, areas,
		[]string{"best", "best 10", "best 100", "seconds", "children, %", "model, %", "score, %"})...)
	sheet := report.Sheet{Name: "table", Header: []string{"task", "search", "seed", "calls"}}
	for _, n := range budgets {
		sheet.Header = append(sheet.Header, fmt.Sprintf("auc_%d", n))
	}
	sheet.Header = append(sheet.Header, "best", "best_10", "best_100", "seconds", "first_hit", "hits_1000", "hits_3000", "hits_10000", "scaffolds", "diversity", "circles")
	hits := listing(1, "search", "seed", "first hit", "hits by 1,000", "3,000", "10,000", "scaffolds", "diversity",
		"circles")
	parts := []report.Part{list}
	for i, task := range t.tasks {
		for k, row := range t.rows {
			runs := t.of(i, k)
			list.Rows = append(list.Rows, append([]string{task, row}, optimiseCells(runs, budgets)...))
			for _, r := range runs {
				sheet.Rows = append(sheet.Rows, optimiseSheetRow(r, budgets))
				if r.Hits != nil {
					hits.Rows = append(hits.Rows, append([]string{row, fmt.Sprint(r.Config.Seed)}, hitCells(r)...))
				}
			}
		}
	}
	if len(hits.Rows) > 0 {
		parts = append(parts, report.Heading{Title: "Strict hits of the scores of MARS"}, hits)
	}
	curves, err := t.curves()
	if err != nil {
		return nil, err
	}
	remarks := []string{"AUC top-10 is the area under the mean of the ten best over the calls, divided by the budget (PMO). Children, model and score are\nshares of the time; all searches of a seed begin with the same 120 molecules."}
	return &report.Document{Title: fmt.Sprintf("Searches for molecules: %d calls, seeds %d to %d", t.calls, t.seeds[0], t.seeds[len(t.seeds)-1]), Parts: append(parts, curves), Remarks: remarks,
		Sheets: []report.Sheet{sheet}, Value: optimiseValue{t.preset.name, t.toolkit.Version(), t.runs}}, nil
}

// optimiseCells are means over the seeds.
func optimiseCells(runs []optimiseRun, budgets []int) (out []string) {
	mean := func(format string, of func(r optimiseRun) float64) {
		out = append(out, meanText(format, lists.Map(runs, of)))
	}
	for _, n := range budgets {
		mean("%.3f", func(r optimiseRun) float64 { return r.AUC[n] })
	}
	for k := range 3 {
		mean("%.3f", func(r optimiseRun) float64 { return r.last(k) })
	}
	mean("%.0f", func(r optimiseRun) float64 { return r.Seconds["all"] })
	for _, part := range []string{"breed", "model", "score"} {
		mean("%.0f", func(r optimiseRun) float64 { return 100 * r.Seconds[part] / r.Seconds["all"] })
	}
	return out
}

// last is a number at the end of the curve, or 0 if it is shorter than 100 calls.
func (r optimiseRun) last(k int) float64 {
	if len(r.Curve) == 0 {
		return 0
	}
	return r.Curve[len(r.Curve)-1][k]
}

func optimiseSheetRow(r optimiseRun, budgets []int) []string {
	out := []string{r.Task, r.Row, fmt.Sprint(r.Config.Seed), fmt.Sprint(r.Calls)}
	for _, n := range budgets {
		out = append(out, fmt.Sprint(r.AUC[n]))
	}
	for k := range 3 {
		out = append(out, fmt.Sprint(r.last(k)))
	}
	out = append(out, fmt.Sprintf("%.1f", r.Seconds["all"]))
	if r.Hits == nil {
		return append(out, make([]string, 7)...)
	}
	return append(out, hitCells(r)...)
}

// hitCells describes the hits of a search.
func hitCells(r optimiseRun) []string {
	first := "none"
	if r.Hits.First > 0 {
		first = fmt.Sprint(r.Hits.First)
	}
	return []string{first, fmt.Sprint(r.Hits.Within[1000]), fmt.Sprint(r.Hits.Within[3000]), fmt.Sprint(r.Hits.Within[10000]), fmt.Sprint(r.Hits.Scaffolds), fmt.Sprintf("%.3f", r.Hits.Diversity), fmt.Sprint(r.Hits.Circles)}
}

// curves shows the mean of the ten best over the calls, with a panel for each task.
func (t optimiseTable) curves() (*report.Figure, error) {
	var charts []*report.Chart
	for i, task := range t.tasks {
		var lines []meanLine
		for k, row := range t.rows {
			line := meanOver(row, t.of(i, k), func(r optimiseRun) int { return len(r.Curve) },
				func(p int) float64 { return float64(100 * (p + 1)) }, func(r optimiseRun, p int) float64 { return r.Curve[p][1] })
			if len(line.x) > 1 {
				lines = append(lines, line)
			}
		}
		charts = append(charts, meanChart(task, "calls", "mean of the ten best", lines))
	}
	return report.Charted("optimise", "Mean of the ten best molecules over the calls, with the deviation over seeds", 3, drawnCharts(charts))
}
