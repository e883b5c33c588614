package sample

import (
	"context"
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"

	"github.com/ehgnn/ehgnn/graph"
	"github.com/ehgnn/ehgnn/internal/rng"
	"github.com/ehgnn/ehgnn/tensor"
)

// Config has the settings of a sampler.
type Config struct {
	Neighbours   []int // for each layer, the first layer first; -1 for all
	Batch        int   // number of seeds
	ExcludeSeeds bool
	Directed     bool
	Seed         uint64
	Threads      int
}

// sampler makes subgraphs, one after the other. Only one goroutine may use it.
type sampler struct {
	Config
	x        *Index
	perRound int64 // number of steps in a round

	edgeRow map[int64]int32 // row of each edge of the current subgraph, by position
	nodeRow map[int64]int32
	edges   []int64 // positions
	rows    []byte  // rows of the edges, as in the file
	nodes   []int64 // numbers of the nodes
	local   []int32 // rows of the nodes at both ends of each edge
	starts  []int64 // of each node: position of its first end, and number of its ends
	counts  []int64
	inBatch []int64 // of each node: number of its ends of seeds
	swapped map[int64]int64
}

func newSampler(x *Index, c Config) *sampler {
	if c.Threads <= 0 {
		c.Threads = runtime.GOMAXPROCS(0)
	}
	return &sampler{Config: c, x: x, perRound: (x.Seeds-1)/int64(c.Batch) + 1,
		edgeRow: map[int64]int32{}, nodeRow: map[int64]int32{}, swapped: map[int64]int64{}}
}

// seeds returns the positions of the seeds of a step, in ascending order.
func (s *sampler) seeds(step int) ([]int64, error) {
	round, first := int64(step)/s.perRound, int64(step)%s.perRound*int64(s.Batch)
	n := min(int64(s.Batch), s.x.Seeds-first)
	at := make([]int64, n)
	if o := newOrder(s.x.Seeds, s.Seed, int(round)); s.perRound > 1 {
		for i := range at {
			at[i] = o.at(first + int64(i))
		}
		slices.Sort(at)
	} else {
		for i := range at {
			at[i] = int64(i)
		}
	}
	b := make([]byte, 8*n)
	if err := s.x.seeds.read(at, b, s.Threads); err != nil {
		return nil, err
	}
	return longsOf(b), nil
}

func longsOf(b []byte) []int64 {
	out := make([]int64, len(b)/8)
	for i := range out {
		out[i] = int64(binary.LittleEndian.Uint64(b[8*i:]))
	}
	return out
}

// subgraph returns the subgraph of a step.
func (s *sampler) subgraph(ctx context.Context, step int) (*Subgraph, error) {
	seeds, err := s.seeds(step)
	if err != nil {
		return nil, err
	}
	return s.around(ctx, seeds, step)
}

// around returns the subgraph of seeds.
func (s *sampler) around(ctx context.Context, seeds []int64, step int) (*Subgraph, error) {
	clear(s.edgeRow)
	clear(s.nodeRow)
	s.edges, s.rows, s.nodes, s.local = s.edges[:0], s.rows[:0], s.nodes[:0], s.local[:0]
	s.starts, s.counts, s.inBatch = s.starts[:0], s.counts[:0], s.inBatch[:0]
	if err := s.add(seeds); err != nil {
		return nil, err
	}
	if s.ExcludeSeeds {
		for _, v := range s.local {
			s.inBatch[v]++
		}
	}
	h := &Subgraph{Seeds: len(seeds), Layers: make([]Layer, len(s.Neighbours))}
	for l := len(s.Neighbours); l > 0; l-- {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		layer, err := s.layer(l, step, len(seeds))
		if err != nil {
			return nil, err
		}
		h.Layers[l-1] = *layer
	}
	var err error
	h.Batch, err = s.batch(len(seeds))
	return h, err
}

// layer draws the edges that layer l reads, and adds new ones to the subgraph.
func (s *sampler) layer(l, step, seeds int) (*Layer, error) {
	n := len(s.nodes)
	out := &Layer{Edges: len(s.edges), Nodes: n, Ptr: make([]int32, n+1), Degree: make([]int64, n), Single: make([]bool, n)}
	picks, of, err := s.draw(l, step)
	if err != nil {
		return nil, err
	}
	// Of the drawn ends, the first k that are no seeds count.
	at := 0
	var kept []int64
	for v := range n {
		end := at + int(of[v])
		out.Degree[v], out.Single[v] = s.counts[v]-s.inBatch[v], s.counts[v] == 1
		mine := picks[at:end]
		if s.ExcludeSeeds && s.inBatch[v] > 0 {
			mine = slices.DeleteFunc(mine, func(e int64) bool { row, ok := s.edgeRow[e>>1]; return ok && int(row) < seeds })
			if k := s.Neighbours[l-1]; k >= 0 {
				mine = mine[:min(k, len(mine))]
			}
		}
		slices.Sort(mine) // sums are in the order of edge numbers
		kept = append(kept, mine...)
		out.Ptr[v+1], at = int32(len(kept)), end
		if len(kept) > math.MaxInt32/2 {
			return nil, fmt.Errorf("sample: layer %d reads more than %d ends of edges; smaller --neighbours or --batch read fewer", l, math.MaxInt32/2)
		}
	}
	var more []int64
	for _, e := range kept {
		if _, ok := s.edgeRow[e>>1]; !ok {
			more = append(more, e>>1)
			s.edgeRow[e>>1] = -1
		}
	}
	slices.Sort(more)
	if err := s.add(more); err != nil {
		return nil, err
	}
	out.Ends = make([]int32, len(kept))
	for i, e := range kept {
		out.Ends[i] = s.edgeRow[e>>1]
	}
	out.EdgesIn, out.NodesIn = len(s.edges), len(s.nodes)
	return out, nil
}

// draw draws ends at each node for layer l and returns how many at each node: k, and one more for
// each end of a seed at the node if seeds are excluded.
func (s *sampler) draw(l, step int) (picks []int64, of []int32, err error) {
	n := len(s.nodes)
	k := s.Neighbours[l-1]
	first, err := s.firstEnds()
	if err != nil {
		return nil, nil, err
	}
	of = make([]int32, n)
	var at []int64 // positions in the file of ends
	for v := range n {
		want := k + int(s.inBatch[v])
		if k < 0 {
			want = math.MaxInt32
		}
		from := len(at)
		at = draw(at, s.counts[v], want, func() *rand.Rand { return rng.Stream(s.Seed, "draw", step, l, first[v]) }, s.swapped)
		for i := from; i < len(at); i++ {
			at[i] += s.starts[v]
		}
		of[v] = int32(len(at) - from)
	}
	b := make([]byte, 8*len(at))
	if err := s.x.ends.read(at, b, s.Threads); err != nil {
		return nil, nil, err
	}
	return longsOf(b), of, nil
}

// firstEnds returns the first end at each node, which names the random stream of the node.
func (s *sampler) firstEnds() ([]int64, error) {
	b := make([]byte, 8*len(s.nodes))
	if err := s.x.ends.read(s.starts, b, s.Threads); err != nil {
		return nil, err
	}
	return longsOf(b), nil
}

// add reads the edges that the subgraph does not have yet, and their nodes.
func (s *sampler) add(places []int64) error {
	w := s.x.edges.width
	from := len(s.rows)
	s.rows = slices.Grow(s.rows, len(places)*w)[:from+len(places)*w]
	if err := s.x.edges.read(places, s.rows[from:], s.Threads); err != nil {
		return err
	}
	old := len(s.nodes)
	for i, e := range places {
		s.edgeRow[e] = int32(len(s.edges))
		s.edges = append(s.edges, e)
		row := s.rows[from+i*w:]
		for side := range 2 {
			v := int64(binary.LittleEndian.Uint64(row[side*endBytes:]))
			at, ok := s.nodeRow[v]
			if !ok {
				at = int32(len(s.nodes))
				s.nodeRow[v] = at
				s.nodes = append(s.nodes, v)
			}
			s.local = append(s.local, at)
		}
	}
	return s.addStarts(s.nodes[old:])
}

// addStarts reads the position of the first end of each node, and the number of its ends.
func (s *sampler) addStarts(nodes []int64) error {
	both := make([]int64, 0, 2*len(nodes))
	for _, v := range nodes {
		both = append(both, v, v+1)
	}
	b := make([]byte, 8*len(both))
	if err := s.x.starts.read(both, b, s.Threads); err != nil {
		return err
	}
	at := longsOf(b)
	for i := range nodes {
		s.starts = append(s.starts, at[2*i])
		s.counts = append(s.counts, at[2*i+1]-at[2*i])
		s.inBatch = append(s.inBatch, 0)
	}
	return nil
}

// batch returns the graph of all edges of the subgraph, with the labels of the seeds.
func (s *sampler) batch(seeds int) (*graph.Batch, error) {
	w := s.x.edges.width
	nodeRows := make([]byte, len(s.nodes)*s.x.nodes.width)
	if err := s.x.nodes.read(s.nodes, nodeRows, s.Threads); err != nil {
		return nil, err
	}
	g := &graph.Graph{NumNodes: len(s.nodes), Ends: slices.Clone(s.local), Directed: s.Directed, Label: graph.NoLabel,
		Node: s.x.Node.features(nodeRows, len(s.nodes), s.x.nodes.width, 0), Edge: s.x.Edge.features(s.rows, len(s.edges), w, edgeBytes)}
	b, err := graph.Collate([]*graph.Graph{g})
	if err != nil {
		return nil, fmt.Errorf("sample: %w", err)
	}
	label := func(i int) uint32 { return binary.LittleEndian.Uint32(s.rows[i*w+labelAt:]) }
	if s.x.Classes != nil {
		b.EdgeLabels = make([]int32, seeds)
		for i := range b.EdgeLabels {
			b.EdgeLabels[i] = int32(label(i))
		}
		return b, nil
	}
	b.EdgeTargets = tensor.New(seeds, 1)
	for i := range seeds {
		b.EdgeTargets.Data()[i] = math.Float32frombits(label(i))
	}
	return b, nil
}
