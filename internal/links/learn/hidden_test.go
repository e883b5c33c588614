package learn

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/ehgnn/ehgnn/internal/links"
	"github.com/ehgnn/ehgnn/nn"
	"github.com/ehgnn/ehgnn/tensor"
)

// randomData returns an undirected graph with the given number of nodes.
func randomData(t *testing.T, nodes, rows int) *links.Data {
	t.Helper()
	r := rand.New(rand.NewPCG(4, 4))
	table := links.Table{Kind: links.Undirected}
	for v := range nodes {
		table.IDs = append(table.IDs, fmt.Sprintf("n%d", v))
	}
	for range 2 * rows {
		table.Ends = append(table.Ends, int32(r.IntN(nodes)))
	}
	d, err := links.NewData(table)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// A hidden pair has no effect: states and decoder inputs have the same bits as in the graph without
// it.
func TestHiddenPairIsNotSeen(t *testing.T) {
	d := randomData(t, 14, 40)
	pair := d.Pairs[5]
	kept := slices.DeleteFunc(slices.Clone(d.Pairs), func(p [2]int32) bool { return p == pair })
	whole, without := links.GraphOf(d.Kind, d.Hash, d.Pairs), links.GraphOf(d.Kind, d.Hash, kept)
	for name, change := range map[string]func(*GAEConfig){
		"gae": func(*GAEConfig) {}, "gae-cn": func(c *GAEConfig) { c.Common = true }, "ehgnn-link": func(c *GAEConfig) { c.Edges = true }} {
		c := NewGAEConfig()
		c.Width, c.Layers = 8, 3
		change(&c)
		m := NewGAE(d, nil, c)
		read := func(g *links.Graph, hidden map[[2]int32]bool) []float32 {
			tape := tensor.NewArena(1).Tape()
			defer tape.Close()
			e := m.encodeGraph(&nn.Pass{Tape: tape}, g, hidden)
			out := slices.Clone(e.nodes.Data())
			if common := m.common(e, [][2]int32{pair, {0, 7}, {pair[0], 3}}); common != nil {
				out = append(out, common.Data()...)
			}
			return out
		}
		got, want := read(whole, map[[2]int32]bool{pair: true}), read(without, nil)
		if !slices.Equal(got, want) {
			t.Errorf("%s: states differ from those of the graph without the pair", name)
		}
		if slices.Equal(read(whole, nil), want) {
			t.Errorf("%s: the pair changes nothing when it is seen", name)
		}
	}
}

// Columns of a training pair and of its negatives do not depend on the pair.
func TestColumnsDoNotSeeTheirPair(t *testing.T) {
	d := randomData(t, 14, 40)
	all := make([]int32, len(d.Pairs))
	for i := range all {
		all[i] = int32(i)
	}
	f := NewFolds(d, all, nil, 3)
	for i, p := range f.Pairs {
		if f.columns(int(f.Fold[i])).Graph.Both.Has(p[0], p[1]) {
			t.Errorf("the pair %v is in the graph of its own columns", p)
		}
	}
}
