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

// Settings are all resolved settings of a run; Options lists the settings that a user may give.
// They are written to config.yaml and to the metadata of the weights.
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
	// Sampling describes the sampling of neighbourhoods in training; nil if all edges were read.
	Sampling *Sampling `json:"sampling,omitempty"`
}

// Sampling describes a training on more edges than fit into memory: a step reads some edges, and for
// each layer a sample of the edges at their ends. The trained run is used like any other run.
type Sampling struct {
	Batch int `json:"batch"` // training edges in a step
	Steps int `json:"steps"` // in an epoch
	// Neighbours is, for each layer, the largest number of edges read at a node; -1 for all.
	Neighbours []int `json:"neighbours"`
	// ExcludeSeeds hides the edges of a step from each other.
	ExcludeSeeds bool `json:"exclude_seeds,omitempty"`
}

// Target says what is predicted.
type Target struct {
	// Classes are the names of the classes; nil where the data do not name them.
	Classes []string `json:"classes,omitempty"`
	// Names are the names of several labels or of numbers; empty if one class is predicted.
	Names []string `json:"names,omitempty"`
	// Units are the units of predicted numbers.
	Units []Unit `json:"units,omitempty"`
	// Unweighted counts all classes alike in the loss. Otherwise the loss weighs them by ClassWeights,
	// if the task has them.
	Unweighted   bool      `json:"unweighted,omitempty"`
	ClassWeights []float32 `json:"class_weights,omitempty"`
	// LabelSmoothing is the share of a label that the training loss spreads over all classes
	// (loss.SmoothCrossEntropy). Scores use no smoothing.
	LabelSmoothing float64 `json:"label_smoothing,omitempty"`
	// Binary is set where edges have two classes, or Threshold is set.
	Binary *Binary `json:"binary,omitempty"`
	// Threshold is the rule by which Binary.Threshold is chosen (ParseThreshold); empty for the best macro
	// F1 (edges), or for the more probable class (nodes and graphs).
	Threshold string `json:"threshold,omitempty"`
	// Curve says what each threshold does on the validation set; nil before training, and if the task
	// does not predict one of two classes. It is stored with the weights, not in the settings.
	Curve *ThresholdCurve `json:"-"`
	// Budget lists budgets at which recall is scored, if Binary is set: how many of the edges with the
	// highest probability of the positive class are reviewed. Values below 1 are shares, others are
	// counts.
	Budget []float64 `json:"budget,omitempty"`
	// Calibrate says that class probabilities are calibrated on the validation part after training.
	// Temperature is the result, 0 for none; see Decide.
	Calibrate   bool    `json:"calibrate,omitempty"`
	Temperature float64 `json:"temperature,omitempty"`
	// Coverage is the target share of items covered by predicted sets of classes or intervals of
	// numbers; 0 for none. Conformal has their bounds after training.
	Coverage  float64    `json:"coverage,omitempty"`
	Conformal *Conformal `json:"conformal,omitempty"`
	// Learners says that a linear model and trees on columns of graphs are trained in addition to a network of
	// whole graphs, and averaged with it if this lowers the validation loss (model.GraphLearners).
	Learners bool `json:"learners,omitempty"`
}

// Binary says when an item is predicted to be in the positive one of two classes.
type Binary struct {
	// Positive is the rarer class among the training items. F1, precision and recall are for this
	// class.
	Positive int `json:"positive"`
	// Threshold is the (calibrated) probability of Positive from which an item is predicted to be in
	// that class. It is chosen on the validation part after training.
	Threshold float64 `json:"threshold"`
}

// Unit standardises a number: its mean and deviation over the training items that have it.
type Unit struct {
	Mean  float64 `json:"mean"`
	Scale float64 `json:"scale"` // 1 if all numbers are equal
}

// UnmarshalJSON reads settings strictly: an unknown key is an error, because it may be misspelt.
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
	type plain Settings // the type without this method
	var raw struct {
		plain
		Model json.RawMessage `json:"model"`
		// Older versions stored Choices, the record of short trainings that decided some settings. The
		// settings have the result, so the record is dropped.
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

// removed returns an error for settings that this version no longer has.
func removed(text []byte) error {
	var old struct {
		Data struct {
			Tables struct {
				NodeEmbedding int `json:"node_embedding"`
			} `json:"tables"`
		} `json:"data"`
	}
	_ = json.Unmarshal(text, &old) // strict reading reports errors
	if width := old.Data.Tables.NodeEmbedding; width != 0 {
		return fmt.Errorf("the run has learned vectors of nodes (--node-embedding %d), which this version of the program no longer has; train it again without them, or use the version that trained it", width)
	}
	return nil
}

// Collection reports whether a split divides graphs, not the items of one graph.
func (s *Settings) Collection() bool { return s.Data.Many() || s.Kind.Collection }

// Classifies reports whether one class for each item is predicted.
func (s *Settings) Classifies() bool {
	t := s.Kind
	return s.Target.Names == nil && !t.Number && !t.Reconstructs
}

// Spec is the entry of the model in the registry.
func (s *Settings) Spec() model.Spec {
	spec, _ := model.Find(s.ModelName) // the name was valid when the settings were made
	return spec
}
