package auto

import (
	"fmt"

	"github.com/ehgnn/ehgnn/model"
)

// Entry is a line of the leaderboard: a learner with a set of columns.
type Entry struct {
	Learner string  `json:"learner"` // constant, linear, trees, network, dual network or average
	Columns string  `json:"columns"` // name of the set
	Width   int     `json:"width"`   // number of columns
	Loss    float64 `json:"loss"`    // mean over the validation edges
	Error   float64 `json:"error"`   // standard error of Loss
	// Behind is the loss minus the loss of the final predictor, and BehindError the standard error of this paired
	// difference.
	Behind      float64 `json:"behind"`
	BehindError float64 `json:"behind_error"`
	Steps       int     `json:"steps,omitempty"` // rounds of trees, or epochs of the network
	Seconds     float64 `json:"seconds"`
	Kept        bool    `json:"kept,omitempty"` // its predictions are part of the final mean
}

// String describes the learner and its loss.
func (e Entry) String() string {
	return fmt.Sprintf("%s, %s: validation loss %.4f, %.1f s", e.Learner, e.Columns, e.Loss, e.Seconds)
}

// Result is the result of Fit.
type Result struct {
	Learners []model.Learner
	// Arrays has the arrays of each learner by name.
	Arrays []map[string][]float32
	// Leaderboard has the entries, best first.
	Leaderboard []Entry
	// Curve is the learning curve of the network, or of the trees.
	Curve []Point
}

// Point is a point of a learning curve.
type Point struct {
	Step  int      `json:"step"`
	Train *float64 `json:"train,omitempty"` // loss; nil if it was not measured
	Valid float64  `json:"valid"`
}

// Store keeps trained learners, so that an interrupted Fit can continue. Its methods are called concurrently, with different names.
type Store interface {
	// Load returns what Save stored under a name, or false.
	Load(name string) (Trained, bool)
	Save(name string, t Trained) error
}

// Trained is a learner with its predictions for the validation edges.
type Trained struct {
	Learner    model.Learner
	Arrays     map[string][]float32
	Prediction []float32 // of the validation edges
	Steps      int
	Seconds    float64
	Curve      []Point
	Stopped    bool        // trees were stopped early, because trees on all columns are better
	Pace       [][]float32 // of trees: losses of the validation rows after paceFirst rounds, twice as many, and so on
}
