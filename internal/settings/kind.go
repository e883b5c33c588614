package settings

import "github.com/ehgnn/ehgnn/train"

// Level is what a task predicts for: graphs, nodes or edges.
type Level string

// The levels, which are also the levels of Embed.
const (
	Graphs Level = "graph"
	Nodes  Level = "node"
	Edges  Level = "edge"
)

// ByLevel returns the one of three values that belongs to a level.
func ByLevel[T any](l Level, graph, node, edge T) T {
	switch l {
	case Nodes:
		return node
	case Edges:
		return edge
	}
	return graph
}

// Kind describes what a task predicts, for packages that read data and settings for the task. The
// zero Kind means no task.
type Kind struct {
	Name  string
	Title string // one line of text
	// Level is the level of the items. A split divides graphs if Collection is set, or if the labelled
	// nodes or edges belong to many graphs (DataSettings.Many). Otherwise it divides the items of one
	// graph.
	Level      Level
	Collection bool
	// Number says that labels are numbers, not classes.
	Number bool
	// Reconstructs says that the features of the items are predicted, so that data need no labels.
	Reconstructs bool
	// Weighted says that the loss weighs classes by inverse frequency by default.
	Weighted bool
	// WarmupPart says that the warm-up of a cosine schedule takes 1/WarmupPart of the epochs; 0 for a
	// warm-up as long as the patience.
	WarmupPart int
}

// warmup is the length of the warm-up in epochs.
func (t *Kind) warmup(c train.Config) int {
	if t.WarmupPart > 0 {
		return c.Epochs / t.WarmupPart
	}
	return c.Patience
}

// NodeClasses is the name of the task that predicts classes of nodes.
const NodeClasses = "node-classification"

// TaskOf is the name of the task that predicts labels of items: numbers or classes.
func TaskOf(items Level, number bool) string {
	if number {
		return string(items) + "-regression"
	}
	return string(items) + "-classification"
}
