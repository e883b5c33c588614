package tiny

import (
	"math/rand/v2"
	"slices"
	"strconv"

	"github.com/ehgnn/ehgnn/data"
	"github.com/ehgnn/ehgnn/data/tables"
	"github.com/ehgnn/ehgnn/graph"
	"github.com/ehgnn/ehgnn/scale/store"
)

// Large describes a random graph that is written directly as a store, a block at a time. A fifth of
// the ends of edges are at two hubs, the others at random nodes.
type Large struct {
	Seed       uint64
	Nodes      int
	Edges      int
	Sorted     bool // edges are sorted by their first node
	Encoder    *tables.Encoder
	BlockEdges int
	Parts      int
}

// Store writes the store. Features are random, in the layout of the encoder.
func (l Large) Store(dir string) error {
	w, err := store.Create(dir)
	if err != nil {
		return err
	}
	defer w.Abort()
	m := store.Manifest{Checksum: "generated", Directed: l.Encoder.Options.Form == data.Directed, Nodes: int64(l.Nodes), Edges: int64(l.Edges), BlockEdges: l.BlockEdges,
		Parts: make([]int, l.Parts), Encoder: l.Encoder}
	ids, first, err := l.parts(w, &m)
	if err != nil {
		return err
	}
	r := rand.New(rand.NewPCG(l.Seed, 2))
	entries := make([]int64, l.Nodes)
	end := func() int32 {
		if r.IntN(5) == 0 {
			return int32(r.IntN(2))
		}
		return int32(r.IntN(l.Nodes))
	}
	for at := 0; at < l.Edges; at += l.BlockEdges {
		n := min(l.BlockEdges, l.Edges-at)
		ends := make([]int32, 2*n)
		for i := range ends {
			ends[i] = end()
			if l.Sorted && i%2 == 0 {
				ends[i] = int32(int64(at+i/2) * int64(l.Nodes) / int64(l.Edges))
			}
			entries[ends[i]]++
		}
		b := &store.Block{Index: m.Blocks, First: int64(at), Edge: randomFeatures(r, l.Encoder.Edges, n)}
		met := slices.Compact(slices.Sorted(slices.Values(ends)))
		place := make(map[int32]int32, len(met))
		names := make([]string, len(met))
		b.PartPtr = make([]int32, l.Parts+1)
		p := 0
		for k, v := range met {
			for v >= first[p+1] {
				p++
			}
			place[v], names[k] = int32(k), ids[v]
			b.Rank = append(b.Rank, v-first[p])
			b.PartPtr[p+1]++
		}
		for p := range l.Parts {
			b.PartPtr[p+1] += b.PartPtr[p]
		}
		for i, v := range ends {
			ends[i] = place[v]
		}
		b.Ends = ends
		if err := w.Block(b, names); err != nil {
			return err
		}
		m.Blocks++
		m.Met += int64(len(met))
	}
	m.MostEntries = slices.Max(entries)
	return w.Commit(&m)
}

// parts writes the parts. Nodes are numbered part by part.
func (l Large) parts(w *store.Writer, m *store.Manifest) (ids []string, first []int32, err error) {
	of := make([][]string, l.Parts)
	for i := range l.Nodes {
		id := "account-" + strconv.Itoa(i)
		p := store.PartOf(id, l.Parts)
		of[p] = append(of[p], id)
	}
	r := rand.New(rand.NewPCG(l.Seed, 3))
	first = make([]int32, l.Parts+1)
	for p, list := range of {
		slices.Sort(list)
		ids = append(ids, list...)
		m.Parts[p] = len(list)
		first[p+1] = first[p] + int32(len(list))
		if err := w.Part(&store.Part{Index: p, IDs: list, Node: randomFeatures(r, l.Encoder.Nodes, len(list))}); err != nil {
			return nil, nil, err
		}
	}
	return ids, first, nil
}

// randomFeatures returns rows in the layout of an encoder's fields.
func randomFeatures(r *rand.Rand, fields []tables.Field, rows int) graph.Features {
	if len(fields) == 0 {
		return graph.Ones(rows)
	}
	f := graph.Features{}
	for _, c := range fields {
		if c.Numeric() {
			f.Dim++
		}
		if !c.Numeric() || c.Gaps {
			f.Codes = append(f.Codes, max(len(c.Values), 1))
		}
	}
	for range rows * f.Dim {
		f.Dense = append(f.Dense, float32(r.NormFloat64()))
	}
	for range rows {
		for _, k := range f.Codes {
			f.Code = append(f.Code, int32(r.IntN(k+1))-1)
		}
	}
	return f
}
