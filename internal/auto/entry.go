package auto

import (
	"fmt"

	"github.com/ehgnn/ehgnn/model"
)

// Entry is a line of the leaderboard: a learner with a set of columns.
type Entry struct {
	Learner string  `json:"learner"` // constant, linear, trees, network, dual network or average
	Columns string  `json:"columns"` // which it reads, by the name of the set
	Width   int     `json:"width"`   // how many they are
	Loss    float64 `json:"loss"`    // of validation, the mean over the edges
	Error   float64 `json:"error"`   // standard error of Loss
	// Behind is how much more the loss is than that of what was kept, and BehindError the standard error of that paired
	// difference.
	Behind      float64 `json:"behind"`
	BehindError float64 `json:"behind_error"`
	Steps       int     `json:"steps,omitempty"` // rounds of trees or epochs of the network
	Seconds     float64 `json:"seconds"`
	Kept        bool    `json:"kept,omitempty"` // its predictions are part of the mean
}

// String says what was trained and how good it is.
func (e Entry) String() string {
	return fmt.Sprintf("%s, %s: validation loss %.4f, %.1f s", e.Learner, e.Columns, e.Loss, e.Seconds)
}

// Result is what Fit leaves.
type Result struct {
	Learners []model.Learner
	// Arrays are those of each learner, by their names.
	Arrays []map[string][]float32
	// Leaderboard has the entries, the best first.
	Leaderboard []Entry
	// Curve are the epochs of the network, or the rounds of the trees, that were kept.
	Curve []Point
}

// Point is a point of a learning curve.
type Point struct {
	Step  int      `json:"step"`
	Train *float64 `json:"train,omitempty"` // loss; nil where it was not measured
	Valid float64  `json:"valid"`
}

// Store keeps what was trained, so that an interrupted Fit goes on. Its methods are called side by side, each with another name.
type Store interface {
	// Load returns what Save was given under a name, false if there is none.
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
}
