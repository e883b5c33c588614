package experiment

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/ehgnn/ehgnn/model"
	"github.com/ehgnn/ehgnn/task"
)

// Experiment is a table of the paper: which rows and data sets, and shortened forms
// of it.
type Experiment struct {
	Name  string // the verb's argument: "graph-classification"
	Title string
	Rows  []Row
	// Extra are rows of this project beside the paper's.
	Extra []Row
	Sets  []string // names of data sets
	// Depths are numbers of layers, each a column of every data set; nil for the one
	// that the protocol has.
	Depths []int
	// Notes are below every table of the experiment.
	Notes []string
	// Single is the row that one data set by itself is trained with; empty for all.
	Single  string
	Presets []Preset
}

// Preset is a form of an experiment; what it leaves empty is the experiment's.
type Preset struct {
	Name  string
	Rows  []string
	Sets  []string
	Folds map[string][]int // by data set; those not named have all
	// Depths are those of an experiment that has several.
	Depths []int
	Seeds  int
	// Overrides are below what the user asks for.
	Overrides task.Overrides
	Note      string // what is shortened; empty for the full protocol
}

// Names of presets.
const (
	PresetQuick = "quick"
	PresetPaper = "paper"
)

// GraphClassification is table 3 of the paper. Its quick preset takes ten minutes or
// so on two cores and still tells HyperDrop from GCN on MUTAG, which the paper's
// table does by 14 points.
var GraphClassification = Experiment{
	Name: "graph-classification", Title: "Graph classification (table 3): test accuracy, or ROC-AUC on OGB sets, in percent",
	Rows: tableRows(), Extra: extraRows, Sets: setNames(), Single: "hyperdrop",
	Presets: []Preset{
		{Name: PresetQuick, Rows: []string{"mlp", "deepset", "gcn", "gin", "sagpool", "hyperdrop", "hyperdrop-endpoints"},
			Sets:  []string{"MUTAG", "PROTEINS", "IMDB-BINARY", "ogbg_molbbbp"},
			Folds: map[string][]int{"PROTEINS": {1, 4, 7}, "IMDB-BINARY": {1, 4, 7}}, Seeds: 1, Overrides: quickSettings(100, 25),
			Note: "Shortened (preset quick): one seed, three of ten folds but for MUTAG, at most 100 epochs at a constant learning rate instead of 500 with warm-up and cosine, patience 25 instead of 50 (none on OGB sets). The numbers say which way the table goes; they do not reproduce it."},
		{Name: PresetPaper, Seeds: paperRuns},
	},
}

// Ablation is the paper's ablation table. Its line "w/o EHGNN" is the row of GCN in
// table 3 to the last digit, so that step also changes the readout; gcn-summed, a row
// of this project, changes the edges alone.
var Ablation = Experiment{
	Name: "ablation", Title: "Ablation: test accuracy, or ROC-AUC on Tox21, in percent",
	Rows:  []Row{{Name: "hyperdrop"}, {Name: "hypercluster-graph"}, {Name: "randdrop"}, {Name: "ehgnn"}, {Name: "gcn", Title: "w/o EHGNN (GCN)", Molecules: "egcn"}},
	Extra: []Row{{Name: "gcn-summed", Title: "w/o EHGNN, same readout"}},
	Sets:  []string{"MUTAG", "PROTEINS", "ogbg_moltox21"},
	Presets: []Preset{
		{Name: PresetQuick, Sets: []string{"MUTAG", "PROTEINS"}, Folds: map[string][]int{"PROTEINS": {1, 4, 7}}, Seeds: 1, Overrides: quickSettings(100, 25),
			Note: "Shortened (preset quick): one seed, without Tox21, three of ten folds on PROTEINS, at most 100 epochs at a constant learning rate instead of 500 with warm-up and cosine, patience 25 instead of 50. The numbers say which way the table goes; they do not reproduce it."},
		{Name: PresetPaper, Seeds: paperRuns},
	},
}

// NodeClassification is the paper's experiment on deep networks (section 4.3, its
// figure; appendix C.4): how accuracy holds up with the number of layers.
var NodeClassification = Experiment{
	Name: "node-classification", Title: "Node classification by depth: test accuracy in percent",
	Rows: []Row{{Name: "deep-gcn", Title: "GCN"}, {Name: "deep-gcn-batchnorm", Title: "GCN with BatchNorm"},
		{Name: "deep-dropedge", Title: "DropEdge"}, {Name: "deep-hyperdrop", Title: "HyperDrop"}},
	Extra: []Row{{Name: "deep-randdrop", Title: "HyperDrop, edges dropped at random"},
		{Name: "deep-hyperdrop-loops", Title: "HyperDrop, self-loops kept"},
		{Name: "deep-hyperdrop-hold", Title: "HyperDrop, nodes without edges held"}},
	Sets:   []string{"cora", "citeseer"},
	Depths: []int{2, 4, 8, 16, 32, 64},
	Notes:  []string{"The paper shows this experiment as a figure and prints no numbers."},
	Presets: []Preset{
		{Name: PresetQuick, Sets: []string{"cora"}, Depths: []int{2, 8, 16}, Seeds: 1, Overrides: quickSettings(400, 100),
			Note: "Shortened (preset quick): Cora alone, one seed, three depths, at most 400 epochs at a constant learning rate instead of 5000 with warm-up and cosine, patience 100 instead of 300. The numbers say which way the figure goes; they do not reproduce it."},
		{Name: PresetPaper, Seeds: paperRuns},
	},
}

// tuned are settings found on the validation parts of MUTAG: GINE reads the edge
// features that GCN does not, and small batches make more steps of a small set.
var tuned = task.Overrides{Conv: new("gine"), BatchSize: new(32)}

// extraRows are systems the paper lacks: this project's, and baselines that make a
// gain believable.
var extraRows = []Row{
	{Name: "hyperdrop-endpoints", Title: "HyperDrop, edges from endpoints", Model: "hyperdrop", Overrides: task.Overrides{EdgeInit: new(model.EdgesFromEnds)}},
	{Name: "hyperdrop-gine", Title: "HyperDrop, tuned (GINE, batch 32)", Model: "hyperdrop", Overrides: tuned},
	{Name: "hyperdrop-committee", Title: "HyperDrop (GINE), ehgnn-joint and gine-residual averaged", Overrides: tuned},
	{Name: "hyperdrop-mlp", Title: "HyperDrop and mlp averaged"},
	{Name: "hyperdrop-ensemble", Title: "HyperDrop, three averaged", Model: "hyperdrop", Overrides: task.Overrides{Members: new(3)}},
	{Name: "ehgnn-joint"}, {Name: "mlp"}, {Name: "gine-residual"}, {Name: "gatedgcn"},
}

func tableRows() []Row {
	var rows []Row
	for _, r := range paperTable[:tableModels] {
		rows = append(rows, Row{Name: r.model, Molecules: map[string]string{"gcn": "egcn", "gin": "gine"}[r.model]})
	}
	return rows
}

func setNames() []string {
	var names []string
	for _, s := range PaperSets {
		names = append(names, s.Name)
	}
	return names
}

func quickSettings(epochs, patience int) task.Overrides {
	return task.Overrides{Epochs: &epochs, Patience: &patience, Constant: new(true)}
}

// Spread is a data set as columns: itself, or one for each depth.
func (e Experiment) Spread(c Column, depths []int) []Column {
	if e.Depths == nil {
		return []Column{c}
	}
	var out []Column
	for _, n := range depths {
		d := c
		d.Variant = fmt.Sprintf("%d layers", n)
		d.Overrides = c.Overrides.Over(task.Overrides{Layers: &n})
		out = append(out, d)
	}
	return out
}

// WithRatios adds to each row whose model has a ratio one row for each of ratios, as the
// paper searched it ("hyperdrop-ratio-0.5"): the share that pools keep, or clusters.
func WithRatios(rows []Row, ratios []float64) ([]Row, error) {
	var out []Row
	for _, row := range rows {
		out = append(out, row)
		spec, err := model.Find(cmp.Or(row.Model, row.Name))
		if err != nil || !slices.Contains(spec.Options(), "ratio") {
			continue
		}
		for _, ratio := range ratios {
			r := row
			r.Name = fmt.Sprintf("%s-ratio-%v", row.Name, ratio)
			r.Title = fmt.Sprintf("%s, ratio %v", cmp.Or(row.Title, titleOf(row.Name), row.Name), ratio)
			r.Model = spec.Name
			r.Overrides = row.Overrides.Over(task.Overrides{Ratio: &ratio})
			out = append(out, r)
		}
	}
	if len(out) == len(rows) && len(ratios) > 0 {
		return nil, task.Misuse("experiment: none of the models asked for has a ratio")
	}
	return out, nil
}

// Groups of rows that Select knows.
const (
	RowsPaper = "paper" // the experiment's rows
	RowsAll   = "all"   // with this project's
)

// Select resolves names of rows: those of the experiment, this project's, any other
// model of the registry, and the groups paper and all.
func (e Experiment) Select(names []string) ([]Row, error) {
	var out []Row
	add := func(rows ...Row) {
		for _, r := range rows {
			if !slices.ContainsFunc(out, func(o Row) bool { return o.Name == r.Name }) {
				out = append(out, r)
			}
		}
	}
	known := slices.Concat(e.Rows, e.Extra)
	for _, name := range names {
		at := slices.IndexFunc(known, func(r Row) bool { return r.Name == name })
		switch {
		case name == RowsPaper:
			add(e.Rows...)
		case name == RowsAll:
			add(known...)
		case at >= 0:
			add(known[at])
		default:
			spec, err := model.Find(name)
			if err != nil {
				return nil, task.Misuse("%w; or a group of rows: %s, %s", err, RowsPaper, RowsAll)
			}
			add(Row{Name: spec.Name})
		}
	}
	return out, nil
}

// Preset finds a preset by name; the empty name is the experiment in full with one
// seed.
func (e Experiment) Preset(name string) (Preset, error) {
	if name == "" {
		return Preset{Seeds: 1}, nil
	}
	var names []string
	for _, p := range e.Presets {
		if p.Name == name {
			return p, nil
		}
		names = append(names, p.Name)
	}
	return Preset{}, task.Misuse("experiment: unknown preset %q, expected one of: %s", name, strings.Join(names, ", "))
}

// RowHelp lists the rows for a help text, indented.
func (e Experiment) RowHelp() string {
	var b strings.Builder
	list := func(head string, rows []Row) {
		line := "  " + head
		for i, r := range rows {
			word := " " + r.Name
			if i < len(rows)-1 {
				word += ","
			}
			if len(line)+len(word) > 80 {
				b.WriteString(line + "\n")
				line = "   "
			}
			line += word
		}
		b.WriteString(line + "\n")
	}
	list(RowsPaper+":", e.Rows)
	if len(e.Extra) > 0 {
		list(RowsAll+": these and", e.Extra)
	}
	return strings.TrimSuffix(b.String(), "\n")
}
