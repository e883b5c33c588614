package task

import (
	"slices"

	"github.com/ehgnn/ehgnn/data"
	"github.com/ehgnn/ehgnn/graph/structure"
)

// rolesModel is the model whose memory is known before anything is computed: of large graphs
// it is what there is for labelled edges.
const rolesModel = "ehgnn-roles"

// rolesSize is what the memory depends on that rolesModel takes for a training on one graph.
type rolesSize struct {
	nodes   int
	edges   [3]int // that training, validation and test see
	columns int    // features of an edge, structure among them
	context int    // columns of the labels around it
	width   int
	layers  int
	members int
	vectors int  // width of those of nodes
	outputs int  // classes, or 1 for a number
	trials  bool // of what to read come first
}

// Bytes and numbers that were measured, on generated graphs of 10^5 and 10^6 edges with widths of
// 32 and 64.
const (
	edgeBytes  = 250      // of an edge of an input: ends, labels, the structures of message passing
	backRows   = 8.5      // rows of the width that an edge takes in the backward pass
	nodeRows   = 5        // rows of the width that a node takes in a layer
	outputRows = 9        // rows of outputs that an edge takes in a step, with their gradients and losses
	besideRows = 6        // more of them, for what vectors of nodes add
	vectorRows = 6        // rows of vectors of nodes that an edge takes, with their gradients
	weightRows = 5        // of a table of vectors: with gradient, two moments and the best so far
	collecting = 1.25     // times that in all: memory that is not used again at once
	leastBytes = 64 << 20 // the program, buffers of the threads
)

// shape sets widths, layers and members to those of settings, or to the defaults.
func (z *rolesSize) shape(given Values) {
	z.width, z.layers, z.members = 64, 3, 1
	for name, at := range map[string]*int{"hidden": &z.width, "layers": &z.layers, "members": &z.members, "node-embedding": &z.vectors} {
		if v, ok := given[name].(int); ok {
			*at = v
		}
	}
}

// Width and layers of the models that trials train.
const (
	trialHidden = 8
	trialLayers = 2
)

// bytes are about what reading has not taken yet, but for parameters: features of all parts, and
// what the step of training, or the pass over the largest part, adds to them. While a trial runs
// there are its features beside those of the training.
func (z rolesSize) bytes() float64 {
	seen := float64(z.edges[0] + z.edges[1] + z.edges[2])
	features := 4*seen*float64(z.columns) + edgeBytes*seen
	most := features + 4*z.work()
	if z.trials {
		small := z
		small.width, small.layers, small.members = min(z.width, trialHidden), min(z.layers, trialLayers), 1
		most = max(most, 2*features+4*small.work())
	}
	return leastBytes + collecting*most
}

// work is in how many numbers a step or a pass is kept, whichever takes more.
func (z rolesSize) work() float64 {
	width, vectors := float64(z.width), float64(z.vectors)
	nodes := float64(z.nodes) * (width*nodeRows*float64(z.layers) + vectors)
	rows := float64(z.context) + width*float64(1+z.layers)
	outputs := outputRows * float64(z.outputs)
	if z.vectors > 0 {
		outputs += besideRows * float64(z.outputs)
	}
	step := float64(z.edges[0])*(rows+backRows*width+vectorRows*vectors+outputs) + nodes
	pass := float64(max(z.edges[1], z.edges[2]))*(rows+2*width+vectorRows/2*vectors+outputs/2) + nodes
	return float64(z.members) * max(step, pass)
}

// tables are the bytes of the vectors of nodes in training.
func (z rolesSize) tables() float64 {
	return 4 * weightRows * float64(z.nodes) * float64(z.vectors) * float64(z.members)
}

// rolesSize is known before the data are divided but for what data decide later: columns of
// structure and labels count where they may be there.
func (c *columnData) rolesSize(s *Settings, given Values) (rolesSize, error) {
	split, err := c.set.Split(s.Split.ofEdges())
	if err != nil {
		return rolesSize{}, err
	}
	t := s.Data.Tables
	z := rolesSize{nodes: len(c.set.NodeIDs), edges: seenEdges(split, t.Transductive)}
	z.shape(given)
	for _, column := range c.set.EdgeColumns {
		z.columns += max(len(column.Text), 1)
	}
	words := append([]string{structureAuto}, t.Structure...)
	few := len(c.set.EdgeColumns)+len(c.set.NodeColumns) < fewColumns
	if word := words[len(words)-1]; word != structureNone && (word != structureAuto || few) {
		names, err := structure.Names(c.set.Directed, structure.GroupsOf(c.set.Directed)...)
		if err != nil {
			return z, err
		}
		z.columns += len(names)
	}
	if t.TimeFeatures == contextOn {
		z.columns += mostTimeColumns
	}
	classes := 0
	if l := c.set.Label; l != nil && !l.Numeric() {
		classes = len(l.Text)
	}
	z.outputs = max(classes, 1)
	z.trials = len(split.Valid) > 0 && len(split.Train) >= enoughTrial && slices.ContainsFunc(openOptions, given.leavesOpen)
	if mode := t.LabelContext; mode == contextOn || mode == contextAuto && few {
		z.context = labelContext(classes, c.set.Directed).Columns()
	}
	return z, nil
}

// seenEdges are the edges that the inputs of a split's parts have, one after the other.
func seenEdges(split *data.Split, transductive bool) [3]int {
	n := [3]int{len(split.Train), len(split.Valid), len(split.Test)}
	all := n[0] + n[1] + n[2]
	if transductive {
		return [3]int{all, all, all}
	}
	return [3]int{n[0], n[0] + n[1], all}
}
