package settings

import "github.com/ehgnn/ehgnn/train"

// Level are what a task predicts for.
type Level string

// The kinds of items, which are also the levels of Embed.
const (
	Graphs Level = "graph"
	Nodes  Level = "node"
	Edges  Level = "edge"
)

// ByLevel is the one of three values that belongs to a level.
func ByLevel[T any](l Level, graph, node, edge T) T {
	switch l {
	case Nodes:
		return node
	case Edges:
		return edge
	}
	return graph
}

// Kind says what a task predicts, for those who read data and settings for it. The zero Kind
// stands for no task.
type Kind struct {
	Name  string
	Title string // one line
	// Level are what is predicted for. A split divides the graphs where Collection is set, or
	// nodes and edges of many graphs have labels (DataSettings.many), else the items of one
	// graph.
	Level      Level
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

// NodeClasses is the name of the task that predicts classes of nodes.
const NodeClasses = "node-classification"

// TaskOf is the name of the task that predicts labels of items, which are numbers or classes.
func TaskOf(items Level, number bool) string {
	if number {
		return string(items) + "-regression"
	}
	return string(items) + "-classification"
}
