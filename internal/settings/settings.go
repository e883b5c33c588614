package settings

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/ehgnn/ehgnn/model"
	"github.com/ehgnn/ehgnn/train"
)

// SettingsVersion is the version of the layout of Settings in files.
const SettingsVersion = 2

// Settings are all decisions behind a run, resolved; Options lists those that a user may
// make. They are written to config.yaml and into the metadata of the weights.
type Settings struct {
	Version   int          `json:"settings"`
	Task      string       `json:"task"`
	Kind      Kind         `json:"-"` // what Task predicts
	ModelName string       `json:"model_name"`
	Data      DataSettings `json:"data"`
	Split     Split        `json:"split"`
	Target    Target       `json:"target"`
	Model     model.Config `json:"model"`
	Train     train.Config `json:"train"`
	// Sampling is how neighbourhoods were sampled for training; nil where all edges were read.
	Sampling *Sampling `json:"sampling,omitempty"`
}

// Sampling is how a training read edges that no memory holds: in steps of some edges, for each layer
// with some of the edges at either end. What it trains is used as any other run.
type Sampling struct {
	Batch int `json:"batch"` // training edges of a step
	Steps int `json:"steps"` // of an epoch
	// Neighbours are, for each layer, the most edges that are read at a node; -1 for all.
	Neighbours []int `json:"neighbours"`
	// ExcludeSeeds hides the edges of a step from each other.
	ExcludeSeeds bool `json:"exclude_seeds,omitempty"`
}

// Target says what is predicted.
type Target struct {
	// Classes are the names of the classes; nil where the data do not name them.
	Classes []string `json:"classes,omitempty"`
	// Names are the names of the labels or numbers where it is not one class that is
	// predicted.
	Names []string `json:"names,omitempty"`
	// Units are the units of numbers that are predicted.
	Units []Unit `json:"units,omitempty"`
	// Unweighted counts all classes alike in the loss. Else the loss weighs them by
	// ClassWeights, if the task has these.
	Unweighted   bool      `json:"unweighted,omitempty"`
	ClassWeights []float32 `json:"class_weights,omitempty"`
	// LabelSmoothing is the share of a label that the training loss spreads over all
	// classes (loss.SmoothCrossEntropy). Scores do not smooth.
	LabelSmoothing float64 `json:"label_smoothing,omitempty"`
	// Binary is set where edges have two classes, or Threshold is set.
	Binary *Binary `json:"binary,omitempty"`
	// Threshold is the rule by which Binary.Threshold is chosen (ParseThreshold); empty for the best macro
	// F1 of edges, and of nodes and graphs for the more probable class.
	Threshold string `json:"threshold,omitempty"`
	// Curve says what thresholds do on the validation set; nil before training, and where one of two
	// classes is not what is predicted. The weights have it, apart from the settings.
	Curve *ThresholdCurve `json:"-"`
	// Budget lists, where Binary is set, how many of the edges with the highest probability
	// of the positive class can be looked at, as shares of all below 1, else as numbers: the
	// recall is scored at each.
	Budget []float64 `json:"budget,omitempty"`
	// Calibrate has the probabilities of classes calibrated on the validation part after
	// training. Temperature is the outcome, 0 for none; see Decide.
	Calibrate   bool    `json:"calibrate,omitempty"`
	Temperature float64 `json:"temperature,omitempty"`
	// Coverage is the share of items that predicted sets of classes, or intervals of numbers,
	// are to cover; 0 predicts none. Conformal has their bounds once the model is trained.
	Coverage  float64    `json:"coverage,omitempty"`
	Conformal *Conformal `json:"conformal,omitempty"`
	// Learners has a linear model and trees on columns of graphs trained beside a network of whole graphs, and
	// averaged with it where validation prefers that (model.GraphLearners).
	Learners bool `json:"learners,omitempty"`
}

// Binary says when an item counts as one of two classes.
type Binary struct {
	// Positive is the rarer class among the training items; F1, precision and recall are
	// those of this class.
	Positive int `json:"positive"`
	// Threshold is the probability of Positive, calibrated where that is done, from which an
	// item counts as that class. It is chosen on the validation part after training.
	Threshold float64 `json:"threshold"`
}

// Unit is the unit of a number in the data: its mean and deviation over the training items
// that have it.
type Unit struct {
	Mean  float64 `json:"mean"`
	Scale float64 `json:"scale"` // 1 where all numbers are equal
}

// UnmarshalJSON reads settings strictly: an unknown key is an error, since a misspelt one
// would be ignored otherwise.
func (s *Settings) UnmarshalJSON(text []byte) error {
	var probe struct {
		Version int `json:"settings"`
	}
	if err := json.Unmarshal(text, &probe); err != nil {
		return err
	}
	switch {
	case probe.Version == 0:
		return fmt.Errorf("no settings of a run: there is no key \"settings\" with the version of their layout, %d", SettingsVersion)
	case probe.Version != SettingsVersion:
		return fmt.Errorf("settings of layout %d, expected %d: another version of the program wrote them", probe.Version, SettingsVersion)
	}
	if err := removed(text); err != nil {
		return err
	}
	type plain Settings // without this method
	var raw struct {
		plain
		Model json.RawMessage `json:"model"`
		// Choices were kept by versions in which short trainings decided some settings. Those
		// settings have the outcome, so that the record is read and dropped.
		Choices json.RawMessage `json:"choices"`
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
	s.Model, err = spec.Decode(raw.Model)
	if kind := (*json.UnmarshalTypeError)(nil); errors.As(err, &kind) {
		kind.Field = strings.TrimSuffix("model."+kind.Field, ".")
	}
	return err
}

// removed refuses settings of the current layout that have what this version no longer has.
func removed(text []byte) error {
	var old struct {
		Data struct {
			Tables struct {
				NodeEmbedding int `json:"node_embedding"`
			} `json:"tables"`
		} `json:"data"`
	}
	_ = json.Unmarshal(text, &old) // reading them strictly tells what is wrong with them
	if width := old.Data.Tables.NodeEmbedding; width != 0 {
		return fmt.Errorf("the run has learned vectors of nodes (--node-embedding %d), which this version of the program no longer has; train it again without them, or use the version that trained it", width)
	}
	return nil
}

// Collection reports whether a split divides graphs, and not the items of one graph.
func (s *Settings) Collection() bool { return s.Data.Many() || s.Kind.Collection }

// Classifies reports whether one class per item is predicted.
func (s *Settings) Classifies() bool {
	t := s.Kind
	return s.Target.Names == nil && !t.Number && !t.Reconstructs
}

// Spec is the registered model of the settings.
func (s *Settings) Spec() model.Spec {
	spec, _ := model.Find(s.ModelName) // it was found when the settings were made
	return spec
}
