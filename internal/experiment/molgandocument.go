package experiment

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/ehgnn/ehgnn/chem"
	"github.com/ehgnn/ehgnn/internal/generate/molgan"
	"github.com/ehgnn/ehgnn/internal/lists"
	"github.com/ehgnn/ehgnn/internal/report"
	"github.com/ehgnn/ehgnn/internal/report/picture"
)

// ganValue is the experiment for programs.
type ganValue struct {
	Preset    string      `json:"preset"`
	Toolkit   string      `json:"toolkit"`
	Dataset   string      `json:"dataset"`
	Training  int         `json:"training_molecules"`
	Left      molgan.Left `json:"left_out"`
	Test      ganTest     `json:"test_molecules"`
	Trainings []ganResult `json:"trainings"`
	Notes     []string    `json:"notes"`
}

// ganTest has the measurements of real molecules, with the same codes as generated ones.
type ganTest struct {
	Molecules int     `json:"molecules"`
	Valid     float64 `json:"valid"`
	QED       float64 `json:"qed"` // over valid molecules
	SA        float64 `json:"sa"`
}

// ganMeasure is a column of the table.
type ganMeasure struct {
	name, column string // for people, and in files for programs
	format       string
	of           func(molgan.Metrics) float64
}

var ganMeasures = []ganMeasure{
	{"valid, %", "valid", "%.1f", func(m molgan.Metrics) float64 { return m.Valid }},
	{"unique, %", "unique", "%.1f", func(m molgan.Metrics) float64 { return m.Unique }},
	{"novel, %", "novel", "%.1f", func(m molgan.Metrics) float64 { return m.Novel }},
	{"QED", "qed", "%.3f", func(m molgan.Metrics) float64 { return m.QED.Valid }},
	{"SA", "sa", "%.3f", func(m molgan.Metrics) float64 { return m.SA.Valid }},
	{"QED, all", "qed_all", "%.3f", func(m molgan.Metrics) float64 { return m.QED.All }},
	{"SA, all", "sa_all", "%.3f", func(m molgan.Metrics) float64 { return m.SA.All }},
	{"QED, nonzero", "qed_nonzero", "%.3f", func(m molgan.Metrics) float64 { return m.QED.NonZero }},
	{"SA, nonzero", "sa_nonzero", "%.3f", func(m molgan.Metrics) float64 { return m.SA.NonZero }},
	{"diversity", "diversity", "%.3f", func(m molgan.Metrics) float64 { return m.Diversity }},
	{"valid by the reference, %", "valid_reference", "%.1f", func(m molgan.Metrics) float64 { return m.ValidReference }},
}

// ganMain is how many of the measures are in the first table and are drawn over training (novelty
// is not drawn). The others are in a second table.
const ganMain = 5

// ganLine has the trainings of a row.
type ganLine struct {
	ganRow
	results []ganResult
}

// document makes the table and the figures.
func (r ganRequest) document(set *ganSet, results []ganResult) (*report.Document, error) {
	v := ganValue{Preset: r.preset.name, Toolkit: r.toolkit.Version(), Dataset: set.name, Training: len(set.parts.Train), Left: set.Left, Test: newGANTest(set.test), Notes: r.notes(set)}
	var lines []ganLine
	for _, row := range r.rows {
		lines = append(lines, ganLine{row, results[:len(r.seeds)]})
		results = results[len(r.seeds):]
	}
	main, more := listing(2, "R-GCN", "model"), listing(2, "R-GCN", "model")
	for i, m := range ganMeasures {
		list := main
		if i >= ganMain {
			list = more
		}
		list.Columns = append(list.Columns, report.ListingColumn{Name: m.name})
	}
	main.Columns = append(main.Columns, report.ListingColumn{Name: "ms a step"}, report.ListingColumn{Name: "diverged"})
	main.Rows = [][]string{{"–", "test molecules", fmt.Sprintf("%.1f", v.Test.Valid), "–", "–", fmt.Sprintf("%.3f", v.Test.QED), fmt.Sprintf("%.3f", v.Test.SA), "–", "–"}}
	for _, l := range lines {
		main.Rows = append(main.Rows, append(l.row(ganMeasures[:ganMain]), l.costs()...))
		more.Rows = append(more.Rows, l.row(ganMeasures[ganMain:]))
		v.Trainings = append(v.Trainings, l.results...)
	}
	d := &report.Document{Title: fmt.Sprintf("Molecules generated after %d iterations on %s, seeds %d to %d", r.base.Iterations, set.name, r.seeds[0], r.seeds[len(r.seeds)-1]),
		Parts: []report.Part{main, more}, Remarks: v.Notes, Sheets: ganSheets(lines), Value: v}
	for _, form := range []string{molgan.Typed, molgan.Shared} {
		of := lists.Filter(lines, func(l ganLine) bool { return l.form == form })
		if len(of) == 0 {
			continue
		}
		f, err := ganFigure(form, of)
		if err != nil {
			return nil, err
		}
		d.Parts = append(d.Parts, f)
	}
	if r.pictures > 0 {
		f, err := r.pictured(lines)
		if err != nil {
			return nil, err
		}
		d.Parts = append(d.Parts, f)
	}
	return d, nil
}

func newGANTest(scores []molgan.Score) ganTest {
	t := ganTest{Molecules: len(scores)}
	valid := 0
	for _, s := range scores {
		if s.Valid() {
			valid++
			t.QED, t.SA = t.QED+s.QED, t.SA+s.SA
		}
	}
	t.Valid, t.QED, t.SA = percent(valid, len(scores)), t.QED/float64(max(valid, 1)), t.SA/float64(max(valid, 1))
	return t
}

// row returns a row of a table with some measures.
func (l ganLine) row(measures []ganMeasure) []string {
	out := []string{l.form, l.title}
	for _, m := range measures {
		out = append(out, l.mean(m.format, func(r ganResult) float64 { return m.of(r.last().Metrics) }))
	}
	return out
}

// costs returns the time of an iteration and the number of trainings that diverged.
func (l ganLine) costs() []string {
	diverged := lists.Count(l.results, func(r ganResult) bool { return r.Diverged > 0 })
	step := l.mean("%.1f", func(r ganResult) float64 {
		return 1000 * r.Seconds / float64(max(cmp.Or(r.Diverged, r.last().Iteration), 1))
	})
	return []string{step, fmt.Sprintf("%d of %d", diverged, len(l.results))}
}

// mean returns the mean over the seeds, with the deviation if there are several.
func (l ganLine) mean(format string, of func(ganResult) float64) string {
	return meanText(format, lists.Map(l.results, of))
}

// ganFigure has a panel for each of the first measures, with a line for each row over the
// iterations, and the deviation over seeds as a band. The line of a row ends where a training
// diverged.
func ganFigure(form string, lines []ganLine) (*report.Figure, error) {
	var charts []*report.Chart
	for _, m := range ganMeasures[:ganMain] {
		if m.column == "novel" {
			continue
		}
		var drawn []meanLine
		for _, l := range lines {
			drawn = append(drawn, meanOver(l.title, l.results, func(r ganResult) int { return len(r.Points) },
				func(i int) float64 { return float64(l.results[0].Points[i].Iteration) / 1000 }, func(r ganResult, i int) float64 { return m.of(r.Points[i].Metrics) }))
		}
		charts = append(charts, meanChart(m.name, "thousand iterations", "mean over seeds", drawn))
	}
	return report.Charted("molgan-"+form, fmt.Sprintf("Generated molecules over training with %s R-GCN, with the deviation over seeds", form), 2, drawnCharts(charts))
}

// pictured draws the first molecules of the first seed of each row.
func (r ganRequest) pictured(lines []ganLine) (*report.Figure, error) {
	g := picture.Grid{Columns: min(r.pictures, ganDrawn)}
	g.Width = 48 + 190*float64(g.Columns)
	for _, l := range lines {
		drawn := l.results[0].Drawn
		for i := range g.Columns {
			c := picture.Cell{BottomLeft: "no other molecule"}
			if i < len(drawn) {
				c = picture.Cell{SMILES: drawn[i].SMILES, BottomLeft: fmt.Sprintf("QED %.2f", drawn[i].QED), BottomRight: fmt.Sprintf("SA %.2f", drawn[i].SA)}
			}
			if i == 0 {
				c.TopLeft = l.title + ", " + l.form
			}
			g.Cells = append(g.Cells, c)
		}
	}
	return drawnMolecules("molgan-molecules", "The first different molecules that each row draws, of the first seed", g, r.toolkit)
}

// drawnMolecules is a grid as a figure.
func drawnMolecules(name, caption string, g picture.Grid, tk chem.Toolkit) (*report.Figure, error) {
	scene, err := picture.Molecules(g, tk)
	if err != nil {
		return nil, fmt.Errorf("experiment: %w", err)
	}
	return report.Drawn(name, caption, scene)
}

// notes explain the table.
func (r ganRequest) notes(set *ganSet) []string {
	losses := fmt.Sprintf("λ %g", r.base.Lambda)
	if r.base.ReferenceLoss {
		losses = "Losses of the code that EHGNN's authors used"
	}
	return append(remarks(r.preset.note),
		fmt.Sprintf("%d molecules train; %d of the table were left out as not in the space of QM9, %d as charged, %d do not parse. %s, reward %s.",
			len(set.parts.Train), set.Left.Outside, set.Left.Charged, set.Left.Unparsable, losses, strings.Join(r.base.Reward, " · ")),
		fmt.Sprintf("Of %d drawn molecules. valid: sanitises, connected, without a pad that is bound. unique: different ones of the valid. novel: valid\nand not in the training part. QED, SA (1 is easy): means over valid molecules; all: 0 for those that are not; nonzero: over scores\nthat are not 0, as MolGAN's code has it. Where nothing is valid, they are 0.", r.base.Samples),
		"The paper has curves alone (figures 8 and 18) and no numbers: there, EHGNN is clearly above R-GCN and GMPool in QED and SA with a\nnarrower band, and GMPool + EHGNN adds little and is less stable.")
}

// ganSheets returns a sheet with a row for each training, and a sheet with a row for each measurement.
func ganSheets(lines []ganLine) []report.Sheet {
	table := report.Sheet{Name: "table", Header: []string{"rgcn", "model", "seed", "iterations", "diverged", "seconds", "toolkit_calls"}}
	curves := report.Sheet{Name: "curves", Header: []string{"rgcn", "model", "seed", "iteration", "distance", "penalty", "reward_loss", "generator_loss", "dead"}}
	for _, m := range ganMeasures {
		table.Header, curves.Header = append(table.Header, m.column), append(curves.Header, m.column)
	}
	for _, l := range lines {
		for _, r := range l.results {
			head := []string{l.form, l.ganVariant.name, fmt.Sprint(r.Seed)}
			one := append(slices.Clone(head), fmt.Sprint(r.last().Iteration), fmt.Sprint(r.Diverged), fmt.Sprintf("%.1f", r.Seconds), fmt.Sprint(r.Calls))
			table.Rows = append(table.Rows, append(one, ganCells(r.last())...))
			for _, p := range r.Points {
				row := append(slices.Clone(head), fmt.Sprint(p.Iteration), fmt.Sprint(p.Distance), fmt.Sprint(p.Penalty), fmt.Sprint(p.Reward), fmt.Sprint(p.Generator), fmt.Sprint(p.Dead))
				curves.Rows = append(curves.Rows, append(row, ganCells(p)...))
			}
		}
	}
	return []report.Sheet{table, curves}
}

func ganCells(p molgan.Point) []string {
	return lists.Map(ganMeasures, func(m ganMeasure) string { return fmt.Sprint(m.of(p.Metrics)) })
}
