package experiment

import (
	"fmt"
	"strconv"

	"github.com/ehgnn/ehgnn/internal/lists"
	"github.com/ehgnn/ehgnn/internal/report"
)

// zincValue is the experiment for programs.
type zincValue struct {
	Preset  string `json:"preset"`
	Toolkit string `json:"toolkit,omitempty"`
	// Molecules is the number of molecules in the test part. Rebuilt is how many of them validity and
	// exact match are computed on; 0 without a toolkit.
	Molecules int            `json:"molecules"`
	Rebuilt   int            `json:"rebuilt"`
	Strict    bool           `json:"strict_molecules"`
	Plain     zincScores     `json:"all_single"`
	Trainings []zincMeasured `json:"trainings"`
	Notes     []string       `json:"notes,omitempty"`
}

// zincMeasure is a column of the table and a panel of the figure.
type zincMeasure struct {
	name string
	of   func(zincScores) *float64
}

// measures are the columns of scores; atoms have one if they are predicted.
func (t zincTable) measures(graphs bool) []zincMeasure {
	out := []zincMeasure{{"accuracy, %", func(s zincScores) *float64 { return &s.Accuracy }}}
	if graphs {
		out = append(out, zincMeasure{"atoms, %", func(s zincScores) *float64 { return &s.Atoms }}, zincMeasure{"edges, %", func(s zincScores) *float64 { return &s.Bonds }})
	}
	return append(out, zincMeasure{"validity, %", func(s zincScores) *float64 { return s.Validity }}, zincMeasure{"exact match, %", func(s zincScores) *float64 { return s.Exact }},
		zincMeasure{"all right, %", func(s zincScores) *float64 { return &s.All }})
}

// document makes the table and the figure.
func (t zincTable) document(name string, graphs bool) (*report.Document, error) {
	measures := t.measures(graphs)
	list := &report.Listing{Columns: []report.ListingColumn{{Name: "ratio"}, {Name: "model", Left: true}, {Name: "vectors"}, {Name: "share, %"}}}
	plain := []string{"–", "all single", "–", "–"}
	for _, m := range measures {
		list.Columns = append(list.Columns, report.ListingColumn{Name: m.name})
		plain = append(plain, zincNumber(m, []zincScores{t.plain}))
	}
	list.Columns = append(list.Columns, report.ListingColumn{Name: "epochs"}, report.ListingColumn{Name: "seconds"})
	list.Rows = append(list.Rows, append(plain, "–", "–"))
	v := zincValue{Preset: t.preset.name, Molecules: len(t.truth.graphs), Rebuilt: t.truth.of, Strict: t.strict, Plain: t.plain, Notes: t.notes(graphs)}
	if t.truth.toolkit != nil {
		v.Toolkit = t.truth.toolkit.Version()
	}
	for _, line := range t.lines {
		list.Rows = append(list.Rows, t.line(line, measures))
		v.Trainings = append(v.Trainings, line.trainings...)
	}
	what := "Bonds"
	if graphs {
		what = "Atoms and bonds"
	}
	figure, err := t.figure(name, what, measures)
	if err != nil {
		return nil, err
	}
	pictures, err := t.pictures(name)
	if err != nil {
		return nil, err
	}
	title := fmt.Sprintf("%s of ZINC, reconstructed: %d epochs at most, seeds %d to %d", what, t.base.Epochs, t.seeds[0], t.seeds[len(t.seeds)-1])
	return &report.Document{Title: title, Parts: append([]report.Part{list, figure}, pictures...), Remarks: v.Notes, Sheets: []report.Sheet{zincSheet(v)}, Value: v}, nil
}

// line returns a row of the table: means over the seeds, with their deviations.
func (t zincTable) line(of zincLine, measures []zincMeasure) []string {
	first := of.trainings[0]
	all := t.set.atoms
	if of.row.conv == "" {
		all = t.set.bonds
	}
	out := []string{strconv.FormatFloat(of.ratio, 'g', -1, 64), of.row.title, strconv.Itoa(first.Vectors), fmt.Sprintf("%.0f", 100*float64(first.Vectors)/all)}
	epochs, seconds := 0.0, 0.0
	for _, m := range of.trainings {
		epochs += float64(m.Trained) / float64(len(of.trainings))
		seconds += m.Seconds / float64(len(of.trainings))
	}
	for _, m := range measures {
		out = append(out, zincNumber(m, of.scores()))
	}
	return append(out, fmt.Sprintf("%.0f", epochs), fmt.Sprintf("%.0f", seconds))
}

func (l zincLine) scores() []zincScores {
	return lists.Map(l.trainings, func(m zincMeasured) zincScores { return m.zincScores })
}

// zincNumber is the mean of a measure, with the deviation if there are several values; n/a if it
// was not measured.
func zincNumber(m zincMeasure, of []zincScores) string {
	if values := m.values(of); values != nil {
		return meanText("%.2f", values)
	}
	return "n/a"
}

// values returns the values of a measure; nil if it was not measured.
func (m zincMeasure) values(of []zincScores) (values []float64) {
	for _, s := range of {
		v := m.of(s)
		if v == nil {
			return nil
		}
		values = append(values, *v)
	}
	return values
}

// figure has a panel for each measure, with a line for each model over the ratios, and the
// deviation over seeds as a band.
func (t zincTable) figure(name, what string, measures []zincMeasure) (*report.Figure, error) {
	var charts []*report.Chart
	for _, m := range measures {
		var lines []meanLine
		for _, row := range t.rows {
			line := meanLine{name: row.title}
			for _, of := range t.lines {
				if of.row.name != row.name {
					continue
				}
				if values := m.values(of.scores()); values != nil {
					line.add(100*of.ratio, values)
				}
			}
			lines = append(lines, line)
		}
		charts = append(charts, meanChart(m.name, "pooling ratio, %", "mean over seeds", lines))
	}
	return report.Charted(name, what+" of ZINC over pooling ratios, with the deviation over seeds", 2, drawnCharts(charts))
}

// notes explain the columns.
func (t zincTable) notes(graphs bool) []string {
	out := remarks(t.preset.note)
	if t.base.Leaky {
		out = append(out, "The decoders of models that pool nodes were given the bonds that they predict (--decoder-sees-edges).")
	}
	accuracy, plain := "edges of the test part whose type is right", "single"
	if graphs {
		accuracy, plain = "atoms and edges of the test part, together, whose type is right", "single,\nevery atom carbon"
	}
	out = append(out, fmt.Sprintf("accuracy: %s; edges are %s. all right: molecules without a mistake.\nshare: the vectors in percent of the bonds of a molecule (HyperCluster, %.1f on the mean) or of its atoms (%.1f), since\nthe ratio of HyperCluster counts each bond twice, as the authors' code does. all single: every bond is said to be %s.",
		accuracy, t.base.Edges, t.set.bonds, t.set.atoms, plain))
	out = append(out, remarks(t.picturesNote())...)
	switch {
	case t.truth.toolkit == nil:
		out = append(out, "validity, exact match: n/a, since this build has no chemistry toolkit (make build-chem).")
	case t.strict:
		out = append(out, fmt.Sprintf("validity, exact match: rebuilt with charges and hydrogens, of all %d molecules (--strict-molecules, %s).", t.truth.of, t.truth.toolkit.Version()))
	default:
		out = append(out, fmt.Sprintf("validity, exact match: of the %d among %d molecules whose true types can be rebuilt without charges and hydrogens\n(%s). A molecule of single bonds is nearly always valid, so that validity says little by itself.",
			t.truth.of, len(t.truth.graphs), t.truth.toolkit.Version()))
	}
	return out
}

// zincSheet has a row for each training.
func zincSheet(v zincValue) report.Sheet {
	s := report.Sheet{Name: "table", Header: []string{"ratio", "model", "seed", "vectors", "accuracy", "atoms_right", "edges_right", "validity", "exact_match", "all_right", "best_epoch", "epochs", "seconds"}}
	cell := func(v *float64) string {
		if v == nil {
			return ""
		}
		return fmt.Sprint(*v)
	}
	row := func(ratio, model, seed, vectors string, z zincScores, rest ...string) {
		s.Rows = append(s.Rows, append([]string{ratio, model, seed, vectors, fmt.Sprint(z.Accuracy), fmt.Sprint(z.Atoms), fmt.Sprint(z.Bonds), cell(z.Validity), cell(z.Exact), fmt.Sprint(z.All)}, rest...))
	}
	row("", "all-single", "", "", v.Plain, "", "", "")
	for _, m := range v.Trainings {
		row(fmt.Sprint(m.Ratio), m.Row, fmt.Sprint(m.Seed), fmt.Sprint(m.Vectors), m.zincScores, fmt.Sprint(m.BestEpoch), fmt.Sprint(m.Trained), fmt.Sprintf("%.1f", m.Seconds))
	}
	return s
}
