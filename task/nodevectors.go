package task

import (
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"github.com/ehgnn/ehgnn/data"
	"github.com/ehgnn/ehgnn/internal/atomicfile"
	"github.com/ehgnn/ehgnn/model"
)

// nodeOption is the row of vectors of nodes in Options.
var nodeOption = of(OfSplit, "node-embedding", "tables: width of learned vectors of nodes, which are known again by their names; a node at no training edge has one vector that all such nodes share, learned by hiding nodes at random; 0 is none (default 0, or "+fmt.Sprint(nodeWidth)+" where nodes come again and trials on the validation part of many edges find that it helps)",
	func(s *Settings) *int {
		return ifEdges(s, func(c *TableSettings) *int { return &c.NodeEmbedding })
	}).where(atLeast(0))

// nodeDrop is the share of the nodes with many edges that a step of training takes for unknown
// ones, and nodeHalf the number of edges with which a node is taken for known half as often.
const (
	nodeDrop = 0.1
	nodeHalf = 15
)

// nodeWidth is the width of vectors of nodes where that is left open and they help, and
// leastMet the share of the ends of edges to validate on that must be nodes of training for
// validation to be asked: of graphs whose nodes are others in use vectors tell nothing.
const (
	nodeWidth = 8
	leastMet  = 0.8
)

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

// nodesFile of a run folder lists the names of nodes that have vectors, in their order.
const nodesFile = "nodes.json"

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
			return misuse("task: --node-embedding learns nothing for %s, where no edge of part %q shares a node with a training edge: it is for edges between nodes that are the same in all parts", c.Name(), part)
		}
	}
	return nil
}

// trainedNames are the names of the nodes that the model has vectors for; nil for none.
func (s *Session) trainedNames() ([]string, error) {
	c, ok := s.Data.(*columnData)
	if !ok || s.Settings.Model.NodeVectors == nil {
		return nil, nil
	}
	split, err := c.set.Split(s.Settings.Split.ofEdges())
	if err != nil {
		return nil, err
	}
	return c.namedNodes(split), nil
}

// writeNodeNames writes nodesFile, if the model has vectors of nodes.
func (s *Session) writeNodeNames(dir string) error {
	names, err := s.trainedNames()
	if err != nil || names == nil {
		return err
	}
	return atomicfile.WriteJSON(filepath.Join(dir, nodesFile), names)
}

// readNodeNames reads nodesFile, which must have as many names as the model has vectors.
func readNodeNames(dir string, s *Settings) ([]string, error) {
	v := s.Model.NodeVectors
	if v == nil {
		return nil, nil
	}
	path := filepath.Join(dir, nodesFile)
	text, err := os.ReadFile(path)
	if errors.Is(err, os.ErrNotExist) {
		return nil, fmt.Errorf("task: run %s has vectors of nodes, and there is no %s in it", dir, nodesFile)
	}
	if err != nil {
		return nil, fmt.Errorf("task: run folder: %w", err)
	}
	var names []string
	if err := json.Unmarshal(text, &names); err != nil {
		return nil, fmt.Errorf("task: %s: %w", path, otherKind(err))
	}
	if len(names) != v.Nodes {
		return nil, fmt.Errorf("task: %s has %d names of nodes, expected %d, as many as the model has vectors", path, len(names), v.Nodes)
	}
	if is := digest(mustJSON(names)); is != s.Data.Tables.NodeNames {
		return nil, fmt.Errorf("task: %s is of another run: its names have digest %s, expected %s", path, is, s.Data.Tables.NodeNames)
	}
	return names, nil
}
