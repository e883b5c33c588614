package source

import (
	"github.com/ehgnn/ehgnn/data"
	"github.com/ehgnn/ehgnn/graph/structure"
	"github.com/ehgnn/ehgnn/internal/settings"
)

// RolesModel is the model for labelled edges of large graphs. Its memory is known before anything
// is computed.
const RolesModel = "ehgnn-roles"

// RolesSize has the numbers that determine the memory of RolesModel when it is trained on one graph.
type RolesSize struct {
	Nodes   int
	Edges   [3]int // in the inputs of training, validation and test
	Columns int    // features of an edge, including structure columns
	Context int    // label context columns of an edge
	Width   int
	Layers  int
	Members int
	Outputs int // classes, or 1 for a number
}

// Measured on generated graphs of 10^5 and 10^6 edges with widths of 32 and 64.
const (
	edgeBytes  = 250      // bytes of an input for each edge: ends, labels, structures of message passing
	backRows   = 8.5      // rows of the layer width for each edge in the backward pass
	nodeRows   = 5        // rows of the layer width for each node and layer
	outputRows = 9        // rows of outputs for each edge in a step, with their gradients and losses
	collecting = 1.25     // factor for memory that is not reused at once
	LeastBytes = 64 << 20 // the program and the buffers of its threads
)

// shape sets widths, layers and members from settings or defaults.
func (z *RolesSize) shape(given settings.Values) {
	z.Width, z.Layers, z.Members = 64, 3, 1
	for name, at := range map[string]*int{"hidden": &z.Width, "layers": &z.Layers, "members": &z.Members} {
		if v, ok := given[name].(int); ok {
			*at = v
		}
	}
}

// Bytes is the approximate memory needed after reading, without parameters: features of all parts,
// plus the memory of a training step or of a pass over the largest part.
func (z RolesSize) Bytes() float64 {
	seen := float64(z.Edges[0] + z.Edges[1] + z.Edges[2])
	features := 4*seen*float64(z.Columns) + edgeBytes*seen
	return LeastBytes + collecting*(features+4*z.work())
}

// work is the number of float32 values in memory during a training step or a pass, whichever is larger.
func (z RolesSize) work() float64 {
	width := float64(z.Width)
	nodes := float64(z.Nodes) * width * nodeRows * float64(z.Layers)
	rows := float64(z.Context) + width*float64(1+z.Layers)
	outputs := outputRows * float64(z.Outputs)
	step := float64(z.Edges[0])*(rows+backRows*width+outputs) + nodes
	pass := float64(max(z.Edges[1], z.Edges[2]))*(rows+2*width+outputs/2) + nodes
	return float64(z.Members) * max(step, pass)
}

// RolesSize returns the size before the data are divided. Columns of structure and labels count if
// they may be added later.
func (c *ColumnData) RolesSize(s *settings.Settings, given settings.Values) (RolesSize, error) {
	split, err := c.Set.Split(s.Split.OfEdges())
	if err != nil {
		return RolesSize{}, err
	}
	t := s.Data.Tables
	z := RolesSize{Nodes: len(c.Set.NodeIDs), Edges: seenEdges(split, t.Transductive)}
	z.shape(given)
	for _, column := range c.Set.EdgeColumns {
		z.Columns += max(len(column.Text), 1)
	}
	words := append([]string{settings.StructureAuto}, t.Structure...)
	few := len(c.Set.EdgeColumns)+len(c.Set.NodeColumns) < settings.FewColumns
	if word := words[len(words)-1]; word != settings.StructureNone && (word != settings.StructureAuto || few) {
		names, err := structure.Names(c.Set.Directed, structure.GroupsOf(c.Set.Directed)...)
		if err != nil {
			return z, err
		}
		z.Columns += len(names)
	}
	if t.TimeFeatures == settings.ContextOn {
		z.Columns += MostTimeColumns
	}
	classes := 0
	if l := c.Set.Label; l != nil && !l.Numeric() {
		classes = len(l.Text)
	}
	z.Outputs = max(classes, 1)
	if mode := t.LabelContext; mode == settings.ContextOn || mode == settings.ContextAuto && few {
		z.Context = labelContext(classes, c.Set.Directed).Columns()
	}
	return z, nil
}

// seenEdges returns the edges of the inputs of a split's parts, one after another.
func seenEdges(split *data.Split, transductive bool) [3]int {
	n := [3]int{len(split.Train), len(split.Valid), len(split.Test)}
	all := n[0] + n[1] + n[2]
	if transductive {
		return [3]int{all, all, all}
	}
	return [3]int{n[0], n[0] + n[1], all}
}
