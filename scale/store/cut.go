package store

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"github.com/ehgnn/ehgnn/data"
	"github.com/ehgnn/ehgnn/data/tables"
	"github.com/ehgnn/ehgnn/graph"
)

// Options are the sizes of a store.
type Options struct {
	BlockEdges int // edges in a block; 0 means 262144
	Parts      int // number of parts; 0 to choose it by the number of nodes
}

const (
	defaultBlockEdges = 1 << 18
	// sumBytes is the largest size of the sums of a part, at a width of sumWidth, if the number of
	// parts is not given.
	sumBytes = 64 << 20
	sumWidth = 32
)

// partsFor returns the number of parts such that the sums of a part, 8 bytes for each number, stay
// below sumBytes.
func partsFor(nodes int64) int {
	return int(min(max((nodes*sumWidth*8+sumBytes-1)/sumBytes, 1), mostParts))
}

func (o Options) withDefaults(nodes int64) (Options, error) {
	o.BlockEdges = cmp.Or(o.BlockEdges, defaultBlockEdges)
	o.Parts = cmp.Or(o.Parts, partsFor(nodes))
	if o.BlockEdges < 1 || o.BlockEdges > mostBlockEdges {
		return o, fmt.Errorf("store: blocks of %d edges, expected 1 to %d", o.BlockEdges, mostBlockEdges)
	}
	if o.Parts < 1 || o.Parts > mostParts {
		return o, fmt.Errorf("store: %d parts, expected 1 to %d", o.Parts, int(mostParts))
	}
	return o, nil
}

// place is the part and the rank of a node.
type place struct{ part, rank int32 }

// setEnds sets Ends, PartPtr and Rank of a block. ends are indices of distinct nodes, and at has the
// place of each node. It returns the order of the nodes in the block.
func (b *Block) setEnds(ends []int32, at []place, parts int) (order []int32) {
	order = make([]int32, len(at))
	for i := range order {
		order[i] = int32(i)
	}
	slices.SortFunc(order, func(i, j int32) int {
		return cmp.Or(cmp.Compare(at[i].part, at[j].part), cmp.Compare(at[i].rank, at[j].rank))
	})
	b.PartPtr = make([]int32, parts+1)
	b.Rank = make([]int32, len(order))
	to := make([]int32, len(order))
	for k, i := range order {
		b.PartPtr[at[i].part+1]++
		b.Rank[k], to[i] = at[i].rank, int32(k)
	}
	for p := range parts {
		b.PartPtr[p+1] += b.PartPtr[p]
	}
	b.Ends = make([]int32, len(ends))
	for i, v := range ends {
		b.Ends[i] = to[v]
	}
	return order
}

// Cut writes a set in memory as a store: all of its edges, encoded, and their nodes. Edges that
// split does not have are in no part. split may be nil.
func Cut(dir string, set *tables.Set, e *tables.Encoder, split *data.Split, o Options) error {
	if len(e.Structure) > 0 || e.Times != nil {
		return errors.New("store: the encoder has columns of structure or of times, which a store does not keep")
	}
	in, err := set.Whole(e, tables.InputOptions{})
	if err != nil {
		return fmt.Errorf("store: %w", err)
	}
	if o, err = o.withDefaults(int64(len(in.Nodes))); err != nil {
		return err
	}
	w, err := Create(dir)
	if err != nil {
		return err
	}
	defer w.Abort()
	m := Manifest{Checksum: set.Checksum, Directed: set.Directed, Nodes: int64(len(in.Nodes)), Edges: int64(len(in.Edges)),
		BlockEdges: o.BlockEdges, Encoder: e, Labels: set.Label != nil, Parts: make([]int, o.Parts), MostEntries: mostEntries(in.Graph)}
	ids := make([]string, len(in.Nodes))
	for i, v := range in.Nodes {
		ids[i] = set.NodeIDs[v]
	}
	at, err := cutParts(w, ids, in.Graph.Node, m.Parts)
	if err != nil {
		return err
	}
	parts := splitParts(split, len(in.Edges))
	if split != nil {
		m.Split = &Split{Kind: split.Name, Edges: [3]int64{int64(len(split.Train)), int64(len(split.Valid)), int64(len(split.Test))}}
	}
	for first := 0; first < len(in.Edges); first += o.BlockEdges {
		end := min(first+o.BlockEdges, len(in.Edges))
		if err := cutBlock(w, &m, in.Graph, parts, ids, at, first, end); err != nil {
			return err
		}
	}
	return w.Commit(&m)
}

// cutParts writes the parts, and returns the place of each node.
func cutParts(w *Writer, ids []string, node graph.Features, sizes []int) ([]place, error) {
	of := make([][]int32, len(sizes))
	for i, id := range ids {
		p := PartOf(id, len(sizes))
		of[p] = append(of[p], int32(i))
	}
	at := make([]place, len(ids))
	for p, nodes := range of {
		slices.SortFunc(nodes, func(a, b int32) int { return cmp.Compare(ids[a], ids[b]) })
		part := &Part{Index: p, Node: node.Take(nodes)}
		for r, v := range nodes {
			part.IDs = append(part.IDs, ids[v])
			at[v] = place{int32(p), int32(r)}
		}
		sizes[p] = len(nodes)
		if err := w.Part(part); err != nil {
			return nil, err
		}
	}
	return at, nil
}

// cutBlock writes the block with the edges from first to end.
func cutBlock(w *Writer, m *Manifest, g *graph.Graph, parts []uint8, ids []string, at []place, first, end int) error {
	b := &Block{Index: m.Blocks, First: int64(first)}
	m.Blocks++
	var ends, nodes, rows []int32 // ends as indices of nodes
	index := map[int32]int32{}
	for e := first; e < end; e++ {
		rows = append(rows, int32(e))
		for _, v := range g.Ends[2*e : 2*e+2] {
			i, ok := index[v]
			if !ok {
				i = int32(len(nodes))
				index[v], nodes = i, append(nodes, v)
			}
			ends = append(ends, i)
		}
	}
	places, names := make([]place, len(nodes)), make([]string, len(nodes))
	for i, v := range nodes {
		places[i] = at[v]
	}
	for k, i := range b.setEnds(ends, places, len(m.Parts)) {
		names[k] = ids[nodes[i]]
	}
	m.Met += int64(len(nodes))
	b.Edge = g.Edge.Take(rows)
	if m.Labels && m.Encoder.Options.Number {
		b.Number = g.EdgeTargets[first:end]
	} else if m.Labels {
		b.Class = g.EdgeLabel[first:end]
	}
	if parts != nil {
		b.Part = parts[first:end]
	}
	return w.Block(b, names)
}

// splitParts returns the part of each edge, or nil if there is no split.
func splitParts(split *data.Split, edges int) []uint8 {
	if split == nil {
		return nil
	}
	out := make([]uint8, edges)
	for e := range out {
		out[e] = InNone
	}
	for p, list := range [][]int{InTrain: split.Train, InValid: split.Valid, InTest: split.Test} {
		for _, e := range list {
			out[e] = uint8(p)
		}
	}
	return out
}

// mostEntries is the largest number of edge ends at one node.
func mostEntries(g *graph.Graph) int64 {
	count := make([]int64, g.NumNodes)
	for _, v := range g.Ends {
		count[v]++
	}
	return slices.Max(count)
}
