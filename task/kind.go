package task

import "github.com/ehgnn/ehgnn/train"

// Items are what a task predicts for.
type Items string

// The kinds of items, which are also the levels of Embed.
const (
	Graphs Items = "graph"
	Nodes  Items = "node"
	Edges  Items = "edge"
)

// Kind says what a task predicts, for those who read data and settings for it. The zero Kind
// stands for no task.
type Kind struct {
	Name  string
	Title string // one line
	// Items are what is predicted for. A split divides the graphs where Collection is set, or
	// nodes and edges of many graphs have labels (DataSettings.many), else the items of one
	// graph.
	Items      Items
	Collection bool
	// Number says that labels are numbers and not classes.
	Number bool
	// Reconstructs says that the features of the items themselves are predicted, so that
	// data need no labels.
	Reconstructs bool
	// Weighted says that the loss weighs classes by inverse frequency unless that is
	// declined.
	Weighted bool
	// WarmupPart is the part of the epochs, such as 20 for a twentieth, that a warm-up takes where a
	// cosine schedule is asked for; 0 for a warm-up as long as the patience.
	WarmupPart int
}

// warmup is the length in epochs of a warm-up that is asked for.
func (t *Kind) warmup(c train.Config) int {
	if t.WarmupPart > 0 {
		return c.Epochs / t.WarmupPart
	}
	return c.Patience
}

// nodeClasses is the name of the task that predicts classes of nodes.
const nodeClasses = "node-classification"
