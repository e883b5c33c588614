package task

import (
	"bytes"
	"encoding/json"
	"fmt"

	"github.com/ehgnn/ehgnn/data"
	"github.com/ehgnn/ehgnn/data/tables"
	"github.com/ehgnn/ehgnn/model"
	"github.com/ehgnn/ehgnn/train"
)

// settingsVersion is that of the layout of Settings in files; 0 is that of version 0.1
// of the program, which legacy.go reads.
const settingsVersion = 2

// Settings are all decisions behind a run, resolved. Options lists those that a user may
// give. They are written to config.yaml and into the metadata of the weights.
type Settings struct {
	Version   int          `json:"settings"`
	Task      string       `json:"task"`
	ModelName string       `json:"model_name"`
	Data      DataSettings `json:"data"`
	Split     Split        `json:"split"`
	Target    Target       `json:"target"`
	Model     model.Config `json:"model"`
	Train     train.Config `json:"train"`
}

// DataSettings say how data are read, so that new data are encoded as those of the
// training were. Of the parts at the end, the one of the source is there.
type DataSettings struct {
	Source string `json:"source"` // Source.Name
	Path   string `json:"path"`
	// FromRun is the path from the run folder, which leads there when both have moved.
	FromRun  string `json:"from_run,omitempty"`
	Name     string `json:"name"`
	Format   string `json:"format,omitempty"`
	Checksum string `json:"checksum"`
	// Edges is auto, undirected or directed; after reading not auto. In a directed graph
	// each arc is an edge of its own, else both directions are one edge.
	Edges string `json:"edges"`
	// MaxMemory is the memory, in bytes, that reading may take; 0 is
	// data.DefaultMaxMemory. It does not change results and is not kept.
	MaxMemory int64 `json:"-"`

	Graphs *GraphSettings `json:"graphs,omitempty"`
	Tables *TableSettings `json:"tables,omitempty"`
}

// Values of DataSettings.Edges.
const (
	edgesAuto       = "auto"
	edgesDirected   = "directed"
	edgesUndirected = "undirected"
)

// form is Edges as readers have it.
func (d DataSettings) form() data.Edges {
	return map[string]data.Edges{edgesDirected: data.Directed, edgesUndirected: data.Undirected}[d.Edges]
}

// setForm records the form of data that were read.
func (d *DataSettings) setForm(directed bool) {
	d.Edges = edgesUndirected
	if directed {
		d.Edges = edgesDirected
	}
}

// Directed reports whether each arc is an edge of its own.
func (d DataSettings) Directed() bool { return d.Edges == edgesDirected }

// GraphSettings are those of collections of graphs and of the one graph whose nodes are
// learned.
type GraphSettings struct {
	// Set selects a set where the path holds several.
	Set string `json:"set,omitempty"`
	// Standardise asks for numeric features less their mean and divided by their
	// deviation over the training part; false where none are to be.
	Standardise bool `json:"standardise"`
	// NodeScale and EdgeScale are these means and deviations; nil where features stay
	// as they are.
	NodeScale *data.Scale `json:"node_scale,omitempty"`
	EdgeScale *data.Scale `json:"edge_scale,omitempty"`
	// NodeCodes and EdgeCodes are the widths of the one-hot parts of features that a
	// reader chose by the data, 0 for none; NodeOffset and EdgeOffset were subtracted
	// from labels to get codes.
	NodeCodes  int `json:"node_codes"`
	EdgeCodes  int `json:"edge_codes"`
	NodeOffset int `json:"node_offset,omitempty"`
	EdgeOffset int `json:"edge_offset,omitempty"`
	// NodeFields and EdgeFields name the columns of features, in their order.
	NodeFields []Field `json:"node_fields"`
	EdgeFields []Field `json:"edge_fields"`
}

// TableSettings are those of tables of nodes and edges, and of node-link JSON: which
// files and columns are what, as given or found by convention.
type TableSettings struct {
	NodesFile  string   `json:"nodes,omitempty"` // file of the nodes, where it was given
	EdgesFile  string   `json:"edges,omitempty"` // that of the edges
	NodeID     string   `json:"node_id,omitempty"`
	From       string   `json:"source,omitempty"`
	To         string   `json:"target,omitempty"`
	Label      string   `json:"label,omitempty"`
	Time       string   `json:"time,omitempty"`
	Group      string   `json:"group,omitempty"`
	Graph      string   `json:"graph,omitempty"`
	Ignore     []string `json:"ignore,omitempty"`
	Categories []string `json:"categories,omitempty"`
	// Transductive lets training see the features of the edges of all parts.
	Transductive bool `json:"transductive"`
	// Encoder is fitted on the training part.
	Encoder *tables.Encoder `json:"encoder,omitempty"`
}

// Kinds of Split.
const (
	SplitFold   = "fold"   // one of the data set's fixed folds
	SplitFolds  = "folds"  // one of Split.Folds folds made by seed, stratified by class
	SplitRandom = "random" // stratified by class, by seed
	SplitGiven  = "given"  // the one that comes with the data
	SplitTime   = "time"   // of tables: the latest edges are tested
	SplitGroup  = "group"  // of tables: all edges of a group in one part
)

var splitKinds = []string{SplitFold, SplitFolds, SplitRandom, SplitGiven, SplitTime, SplitGroup}

// Split says which items train, validate and test.
type Split struct {
	Kind  string `json:"kind"`
	Folds int    `json:"folds,omitempty"` // of SplitFolds
	Fold  int    `json:"fold,omitempty"`  // that tests, from 1
	// Fractions are the shares of train, valid and test where the split is no fold.
	Fractions []float64 `json:"fractions,omitempty"`
	Pairs     bool      `json:"pairs,omitempty"` // see tables.SplitOptions
	Seed      uint64    `json:"seed,omitempty"`
}

// fractions are Fractions as the splitters take them.
func (s Split) fractions() [3]float64 {
	var out [3]float64
	copy(out[:], s.Fractions)
	return out
}

// Target says what is predicted.
type Target struct {
	// Classes are the names of the classes, nil where the data do not name them.
	Classes []string `json:"classes,omitempty"`
	// Names are those of the labels or numbers, where it is not one class.
	Names []string `json:"names,omitempty"`
	// Units are those of numbers.
	Units []Unit `json:"units,omitempty"`
	// Unweighted counts all classes alike in the loss. Otherwise, where the task weighs
	// them, ClassWeights are the weights.
	Unweighted   bool      `json:"unweighted,omitempty"`
	ClassWeights []float32 `json:"class_weights,omitempty"`
	// LabelSmoothing is the share of a label that the training loss spreads over all
	// classes (loss.SmoothCrossEntropy); scores do without.
	LabelSmoothing float64 `json:"label_smoothing,omitempty"`
	// Binary is there for two classes of edges.
	Binary *Binary `json:"binary,omitempty"`
}

// Binary is the rule by which an item counts as one of two classes.
type Binary struct {
	// Positive is the rarer class among the training items, whose F1, precision and
	// recall are scored.
	Positive int `json:"positive"`
	// Threshold is the least probability of Positive from which an item counts as it;
	// chosen on the validation part after training.
	Threshold float64 `json:"threshold"`
}

// Unit is what a number was before it was scaled: mean and deviation over the training
// items that have it.
type Unit struct {
	Mean  float64 `json:"mean"`
	Scale float64 `json:"scale"` // 1 where all are equal
}

// UnmarshalJSON reads settings strictly: an unknown key is an error, as a misspelt one
// would pass for a setting.
func (s *Settings) UnmarshalJSON(text []byte) error {
	var probe struct {
		Version int `json:"settings"`
	}
	if err := json.Unmarshal(text, &probe); err != nil {
		return err
	}
	switch probe.Version {
	case settingsVersion:
	case 0:
		return s.fromVersion01(text)
	default:
		return fmt.Errorf("settings of layout %d, expected %d: a newer version wrote them", probe.Version, settingsVersion)
	}
	type plain Settings // without this method
	var raw struct {
		plain
		Model json.RawMessage `json:"model"`
	}
	dec := json.NewDecoder(bytes.NewReader(text))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&raw); err != nil {
		return err
	}
	*s = Settings(raw.plain)
	spec, err := model.Find(s.ModelName)
	if err != nil {
		return err
	}
	s.Model, err = spec.Decode(raw.Model, true)
	return err
}

// task is the task of the settings; the zero Task where there is none of its name.
func (s *Settings) task() *Task {
	t, err := FindTask(s.Task)
	if err != nil {
		return &Task{}
	}
	return t
}

// classifies reports whether one class per item is predicted.
func (s *Settings) classifies() bool {
	t := s.task()
	return s.Target.Names == nil && !t.Number && !(t.Items == Edges && t.Collection)
}

// spec is the registered model of the settings.
func (s *Settings) spec() model.Spec {
	spec, _ := model.Find(s.ModelName) // which was found before
	return spec
}
