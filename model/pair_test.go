package model

import (
	"strings"
	"testing"

	"github.com/ehgnn/ehgnn/internal/rng"
)

// A pair predicts what its parts do alone, from the same first weights.
func TestPair(t *testing.T) {
	b := batchOf(form{}, generic(rng.Stream(5, "pair"), 9, 5), generic(rng.Stream(6, "pair"), 7, 2))
	for _, s := range ofTask(graphRecon) {
		c := valid(s.Name)
		m := must(s.New(c)).(*Pair)
		p := pass(t, false)
		got := m.Forward(p, b)
		nodes, edges := valid("gmpool-nodes"), valid(s.parts[1])
		nodes.Out = nodeDim
		node, edge := must(must(Find("gmpool-nodes")).New(nodes)), must(must(Find(s.parts[1])).New(edges))
		near(t, "nodes", got.Node.Data(), node.Forward(p, b).Node.Data(), 0)
		near(t, "edges", got.Edge.Data(), edge.Forward(p, b).Edge.Data(), 0)
		for i, name := range append(namesOf(node), namesOf(edge)...) {
			prefix := PairNodes
			if i >= len(node.Params()) {
				prefix = PairEdges
			}
			if have := m.Params()[i].Name; have != prefix+name {
				t.Errorf("%s: parameter %s, want %s", s.Name, have, prefix+name)
			}
		}
		c.Members = 2
		if _, err := s.New(c); err == nil || !strings.Contains(err.Error(), "members is 2, expected 1") {
			t.Errorf("%s: two members: %v", s.Name, err)
		}
	}
}
