package task

import (
	"iter"
	"maps"
	"slices"

	"github.com/ehgnn/ehgnn/data"
	"github.com/ehgnn/ehgnn/model"
)

// nodeDrop is the share of the nodes with many edges that a step of training takes for unknown
// ones, and nodeHalf the number of edges with which a node is taken for known half as often.
const (
	nodeDrop = 0.1
	nodeHalf = 15
)

// leastMet is the share of the ends of edges to validate on that must be nodes of training for
// validation to be asked whether vectors of nodes help: of graphs whose nodes are others in use
// vectors tell nothing.
const leastMet = 0.8

// meetsAgain is the share of the ends of the edges to validate on that are nodes of training
// edges.
func meetsAgain(parts map[string]*Part) float64 {
	trained, again, all := map[int32]bool{}, 0, 0
	for v := range parts[PartTrain].ends() {
		trained[v] = true
	}
	for v := range parts[PartValid].ends() {
		if all++; trained[v] {
			again++
		}
	}
	return float64(again) / float64(max(all, 1))
}

// ends are the ends of the edges of a part, nodes of the set of columns.
func (p *Part) ends() iter.Seq[int32] {
	return func(yield func(int32) bool) {
		g := p.Graphs[0]
		for _, e := range p.Items {
			if !yield(p.nodes[g.Ends[2*e]]) || !yield(p.nodes[g.Ends[2*e+1]]) {
				return
			}
		}
	}
}

// vectorDefaults resolves the vectors of nodes.
func (s *Settings) vectorDefaults(parts map[string]*Part) {
	if c := s.Data.Tables; c != nil && c.NodeEmbedding > 0 {
		nodes := 0 // the training part has all that have one
		for _, k := range parts[PartTrain].Graphs[0].NodeID {
			nodes = max(nodes, int(k)+1)
		}
		s.Model.NodeVectors = &model.NodeVectorsConfig{Nodes: nodes, Width: c.NodeEmbedding, Drop: nodeDrop, Half: nodeHalf}
	}
}

// namedNodes are the names of the nodes at the training edges of a split, in the order of the
// data.
func (c *columnData) namedNodes(split *data.Split) []string {
	at := make([]bool, len(c.set.NodeIDs))
	for _, e := range split.Train {
		at[c.set.Ends[2*e]], at[c.set.Ends[2*e+1]] = true, true
	}
	var out []string
	for v, is := range at {
		if is {
			out = append(out, c.set.NodeIDs[v])
		}
	}
	return out
}

// numberNodes tells the graphs of parts which nodes have vectors, those of some names. Where
// none has in the part to validate on, or to test, vectors would be learned for nothing.
func (c *columnData) numberNodes(names []string, parts map[string]*Part) error {
	number := make(map[string]int32, len(names))
	for k, name := range names {
		number[name] = int32(k)
	}
	for _, part := range slices.Sorted(maps.Keys(parts)) {
		p := parts[part]
		g := p.Graphs[0]
		g.NodeID = make([]int32, g.NumNodes)
		for i, v := range p.nodes {
			g.NodeID[i] = -1
			if k, ok := number[c.set.NodeIDs[v]]; ok {
				g.NodeID[i] = k
			}
		}
		if part != PartValid && part != PartTest {
			continue
		}
		if !slices.ContainsFunc(p.Items, func(e int32) bool { return g.NodeID[g.Ends[2*e]] >= 0 || g.NodeID[g.Ends[2*e+1]] >= 0 }) {
			return Misuse("task: --node-embedding learns nothing for %s, where no edge of part %q shares a node with a training edge: it is for edges between nodes that are the same in all parts", c.Name(), part)
		}
	}
	return nil
}
