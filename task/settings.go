package task

import (
	"fmt"
	"iter"
	"reflect"
	"regexp"
	"slices"
	"strings"

	"github.com/ehgnn/ehgnn/data"
	"github.com/ehgnn/ehgnn/model"
)

// Settings are all decisions behind a run, resolved.
type Settings struct {
	Task      string        `json:"task" yaml:"task"`
	ModelName string        `json:"model_name" yaml:"model_name"`
	Data      DataSettings  `json:"data" yaml:"data"`
	Split     Split         `json:"split" yaml:"split"`
	Model     model.Config  `json:"model" yaml:"model"`
	Train     TrainSettings `json:"train" yaml:"train"`
}

// DataSettings say how data are read, so that new data are encoded as those of
// the training were.
type DataSettings struct {
	Path string `json:"path" yaml:"path"`
	// Set selects a set where Path holds several.
	Set    string `json:"set,omitempty" yaml:"set,omitempty"`
	Name   string `json:"name" yaml:"name"`
	Format string `json:"format" yaml:"format"`
	// Directed makes each arc an edge of its own, as the authors' code does;
	// else both directions are one edge.
	Directed bool `json:"directed" yaml:"directed"`
	// NodeCodes and EdgeCodes are the widths of the one-hot parts of features; 0
	// for none. NodeOffset and EdgeOffset were subtracted from labels to get codes.
	NodeCodes  int      `json:"node_codes" yaml:"node_codes"`
	EdgeCodes  int      `json:"edge_codes" yaml:"edge_codes"`
	NodeOffset int      `json:"node_offset,omitempty" yaml:"node_offset,omitempty"`
	EdgeOffset int      `json:"edge_offset,omitempty" yaml:"edge_offset,omitempty"`
	Classes    []string `json:"classes,omitempty" yaml:"classes,omitempty"`
	// Targets are the names of the labels or numbers that are predicted per graph,
	// where it is not one class.
	Targets []string `json:"targets,omitempty" yaml:"targets,omitempty"`
	// Units are those of Targets in graph-regression.
	Units    []Unit `json:"units,omitempty" yaml:"units,omitempty"`
	Checksum string `json:"checksum" yaml:"checksum"`
}

// Kinds of Split.
const (
	SplitFold   = "fold"   // one of the data set's fixed folds
	SplitRandom = "random" // stratified by class, by seed
	SplitGiven  = "given"  // the one that comes with the data
)

// Split says which samples train, validate and test: graphs, or the nodes of one.
type Split struct {
	Kind string `json:"kind" yaml:"kind"`
	Fold int    `json:"fold,omitempty" yaml:"fold,omitempty"` // 1 to 10
	// Fractions for train, valid and test of a random split.
	Fractions [3]float64 `json:"fractions,omitempty" yaml:"fractions,omitempty"`
	Seed      uint64     `json:"seed,omitempty" yaml:"seed,omitempty"`
}

// Overrides are the settings a user gave; nil means the default of the task,
// the data set and the model.
type Overrides struct {
	Epochs, BatchSize, Hidden, EdgeHidden, Layers, Patience, Clusters, Heads, Members *int
	LR, WeightDecay, Dropout, Ratio, InitGain                                         *float64
	LayerNorm, Encode, VirtualNode, Unnormalised, CarryGradients                      *bool
	Constant                                                                          *bool // no warm-up, no cosine
	Conv, EdgeConv, EdgeInit, Score                                                   *string
}

// modelOptions are those of Overrides that models read, if not each of them.
var modelOptions = []string{"hidden", "layers", "dropout", "ratio", "score", "clusters", "heads", "layer-norm",
	"edge-hidden", "conv", "edge-conv", "edge-init", "virtual-node", "init-gain", "unnormalised"}

// camel is where words of a field's name meet, for the name of its option.
var camel = regexp.MustCompile("([a-z])([A-Z])")

// given lists the options that are set, by the places of their fields.
func (o Overrides) given() iter.Seq2[int, string] {
	return func(yield func(int, string) bool) {
		for i, field := range reflect.VisibleFields(reflect.TypeFor[Overrides]()) {
			if o.has(i) && !yield(i, strings.ToLower(camel.ReplaceAllString(field.Name, "$1-$2"))) {
				return
			}
		}
	}
}

// has reports whether the i-th field is set.
func (o Overrides) has(i int) bool { return !reflect.ValueOf(o).Field(i).IsNil() }

// checkRead refuses options of models that the model does not read: they would
// pass for settings of the run.
func (o Overrides) checkRead(spec model.Spec) error {
	for _, option := range o.given() {
		if err := o.checkOption(option, spec); err != nil {
			return err
		}
	}
	return nil
}

// checkOption refuses an option of models that none of the given ones, at least one, reads.
func (o Overrides) checkOption(option string, specs ...model.Spec) error {
	var conv, edgeConv string
	set(&conv, o.Conv)
	set(&edgeConv, o.EdgeConv)
	reads := func(s model.Spec) bool { return s.Reads(option, conv, edgeConv) }
	if !slices.Contains(modelOptions, option) || slices.ContainsFunc(specs, reads) {
		return nil
	}
	if len(specs) > 1 {
		return misuse("task: --%s applies to none of the models asked for", option)
	}
	err := fmt.Sprintf("task: --%s does not apply to model %s", option, specs[0].Name)
	if own := specs[0].Options; len(own) > 0 {
		err += "; its own options are --" + strings.Join(own, ", --")
	}
	return misuse("%s", err)
}

func set[T any](to *T, v *T) {
	if v != nil {
		*to = *v
	}
}

// recipe is what the authors trained a data set with (GMT's settings, which the
// paper adopts: its scripts and appendix C.3). Ratio is the share of edges kept.
type recipe struct {
	hidden, edgeHidden, batch int
	lr                        float64
	ratio                     float64
	heads                     int // of GMT
	layerNorm                 bool
	conv                      string // of models that leave the choice; empty for their own
}

// recipes holds the published settings by data set, others of graphs train with
// those of the first line.
var recipes = map[string]recipe{
	"":            {hidden: 128, batch: 128, lr: 5e-4, ratio: 0.85, heads: 1},
	"DD":          {hidden: 32, batch: 10, lr: 5e-4, ratio: 0.75, heads: 4},
	"PROTEINS":    {hidden: 128, batch: 128, lr: 5e-4, ratio: 0.65, heads: 2},
	"MUTAG":       {hidden: 128, batch: 128, lr: 5e-4, ratio: 0.90, heads: 4, layerNorm: true},
	"IMDB-BINARY": {hidden: 128, batch: 128, lr: 5e-4, ratio: 0.90, heads: 1},
	"IMDB-MULTI":  {hidden: 128, batch: 128, lr: 5e-4, ratio: 0.85, heads: 1},
	"COLLAB":      {hidden: 128, edgeHidden: 16, batch: 128, lr: 5e-4, ratio: 0.85, heads: 2},
}

// moleculeRecipes are the recipes of the Open Graph Benchmark by the name of the
// set without "ogbg_mol".
var moleculeRecipes = map[string]recipe{
	"":        {hidden: 128, batch: 128, lr: 1e-3, ratio: 0.85, heads: 1, conv: "egcn"},
	"hiv":     {hidden: 128, batch: 512, lr: 1e-3, ratio: 0.95, heads: 4, conv: "egcn"},
	"tox21":   {hidden: 128, batch: 128, lr: 1e-3, ratio: 0.45, heads: 1, conv: "egcn"},
	"toxcast": {hidden: 128, batch: 128, lr: 1e-3, ratio: 0.85, heads: 8, conv: "egcn"},
	"bbbp":    {hidden: 128, batch: 128, lr: 1e-3, ratio: 0.65, heads: 2, layerNorm: true, conv: "egcn"},
}

func recipeOf(d DataSettings) recipe {
	table, name := recipes, d.Name
	if d.Format == data.FormatOGB {
		table, name = moleculeRecipes, strings.TrimPrefix(strings.ReplaceAll(strings.ToLower(name), "-", "_"), "ogbg_mol")
	}
	if r, ok := table[name]; ok {
		return r
	}
	return table[""]
}

func (s *Settings) checkRatio() error {
	if !(s.Model.Ratio > 0 && s.Model.Ratio <= 1) {
		return fmt.Errorf("task: ratio is %v, expected above 0 and at most 1", s.Model.Ratio)
	}
	return nil
}
