// Package substructure counts the neighbourhoods of the nodes of graphs, as columns that describe a
// whole graph.
//
// The identifier of a node at radius 0 is a hash of its categories and of its number of edges. At
// radius r it is a hash of its identifier at radius r-1 and of the identifiers at radius r-1 of its
// neighbours with the categories of the edges to them, in any order. A count is how many nodes of a
// graph have an identifier. These are the subtree features of Weisfeiler and Lehman (Shervashidze
// et al., JMLR 2011); on molecules they are circular fingerprints (Rogers and Hahn, 2010).
//
// Columns of numbers are left out: most of their values differ, and then all identifiers would
// differ.
package substructure

import (
	"cmp"
	"slices"

	"github.com/ehgnn/ehgnn/graph"
	"github.com/ehgnn/ehgnn/tensor"
)

// Identifiers is the number of possible identifiers. They are hashes below it, exact as float32.
const Identifiers = 1 << 20

// Counter says which features are numbers and up to which radius identifiers are counted.
type Counter struct {
	Radius int `json:"radius"`
	// NodeNumbers and EdgeNumbers are how many of the first feature columns of nodes and edges are
	// numbers, not categories.
	NodeNumbers int `json:"node_numbers,omitempty"`
	EdgeNumbers int `json:"edge_numbers,omitempty"`
}

// Count says how often an identifier occurs in a graph.
type Count struct {
	ID    int32
	Times int32
}

// Counts returns the counts of each of n samples of a view, sorted by identifier.
func (c Counter) Counts(v graph.View, n int) [][]Count {
	id, edge, ends := hashRows(v.X, c.NodeNumbers, v.H.NumVertices()), hashRows(v.E, c.EdgeNumbers, v.H.NumEdges()), v.H.Ends()
	degree := make([]int32, len(id))
	for _, u := range ends {
		degree[u]++
	}
	ptr := make([]int32, len(id)+1)
	for u, d := range degree {
		id[u] = mix(id[u], uint64(d))
		ptr[u+1] = ptr[u] + d
	}
	of := make([]int32, len(ends)) // positions in ends, node by node
	at := slices.Clone(ptr[:len(id)])
	for k, u := range ends {
		of[at[u]] = int32(k)
		at[u]++
	}
	all := make([][]uint64, n)
	add := func(radius int) {
		for u, h := range id {
			s := v.VertexOf.IDs()[u]
			all[s] = append(all[s], mix(h, uint64(radius)))
		}
	}
	add(0)
	next, around := make([]uint64, len(id)), []uint64{}
	for r := 1; r <= c.Radius; r++ {
		for u := range id {
			around = around[:0]
			for _, k := range of[ptr[u]:ptr[u+1]] {
				h := mix(edge[k/2], id[ends[k^1]])
				if v.H.Directed() {
					h = mix(h, uint64(k&1))
				}
				around = append(around, h)
			}
			slices.Sort(around)
			next[u] = id[u]
			for _, h := range around {
				next[u] = mix(next[u], h)
			}
		}
		id, next = next, id
		add(r)
	}
	out := make([][]Count, n)
	for s, hashes := range all {
		out[s] = tally(hashes)
	}
	return out
}

// tally counts equal hashes.
func tally(hashes []uint64) []Count {
	ids := make([]int32, len(hashes))
	for i, h := range hashes {
		ids[i] = int32(h % Identifiers)
	}
	slices.Sort(ids)
	var out []Count
	for i, id := range ids {
		if i == 0 || id != ids[i-1] {
			out = append(out, Count{ID: id})
		}
		out[len(out)-1].Times++
	}
	return out
}

// hashRows hashes the categories of each of n rows. The first columns, as many as numbers, are left
// out.
func hashRows(x *tensor.Tensor, numbers, n int) []uint64 {
	out := make([]uint64, n)
	if x == nil || n == 0 {
		return out
	}
	width := x.Dim(1)
	for i := range out {
		for c, v := range x.Data()[i*width+min(numbers, width) : (i+1)*width] {
			if v != 0 {
				out[i] = mix(out[i], uint64(c)+1)
			}
		}
	}
	return out
}

// mix joins a number to a hash (the finaliser of SplitMix64).
func mix(h, v uint64) uint64 {
	h = h*0x9E3779B97F4A7C15 + v + 0x632BE59BD9B4E019
	h = (h ^ h>>30) * 0xBF58476D1CE4E5B9
	h = (h ^ h>>27) * 0x94D049BB133111EB
	return h ^ h>>31
}

// Frequent lists the identifiers that occur in the most graphs, ascending: at most most
// identifiers, each in at least two graphs.
func Frequent(of [][]Count, most int) []int32 {
	graphs := map[int32]int{}
	for _, counts := range of {
		for _, c := range counts {
			graphs[c.ID]++
		}
	}
	var ids []int32
	for id, n := range graphs {
		if n > 1 {
			ids = append(ids, id)
		}
	}
	slices.SortFunc(ids, func(a, b int32) int { return cmp.Or(cmp.Compare(graphs[b], graphs[a]), cmp.Compare(a, b)) })
	ids = ids[:min(len(ids), most)]
	slices.Sort(ids)
	return ids
}
