package task

import (
	"fmt"
	"strings"
)

// Choice is what validation decided about a setting that was left open.
type Choice struct {
	Setting string  `json:"setting"` // name of the option
	Value   string  `json:"value"`   // on or off
	Score   string  `json:"score"`   // by which it was decided
	With    float64 `json:"with"`    // the score on the validation part
	Without float64 `json:"without"`
	Epochs  int     `json:"epochs"` // of each trial
}

// Values of Choice.Value.
const (
	choiceOn  = "on"
	choiceOff = "off"
)

// String is the choice in a line.
func (c Choice) String() string {
	won, other, lost := c.With, "without", c.Without
	if c.Value == choiceOff {
		won, other, lost = c.Without, "with", c.With
	}
	return fmt.Sprintf("%s: %s, validation %s %.4g against %.4g %s, in trials of %d epochs",
		strings.ReplaceAll(c.Setting, "-", " "), c.Value, strings.ReplaceAll(c.Score, "_", " "), won, lost, other, c.Epochs)
}
