package learn

import (
	"slices"

	"github.com/ehgnn/ehgnn/internal/links"
	"github.com/ehgnn/ehgnn/internal/links/score"
	"github.com/ehgnn/ehgnn/internal/lists"
	"github.com/ehgnn/ehgnn/nn"
	"github.com/ehgnn/ehgnn/tensor"
)

// decodeRows is the number of candidates in one pass of the decoder.
const decodeRows = 512

// On encodes the nodes of the graph of c and returns a scorer of candidates.
func (m *GAE) On(c *links.Columns, name string, threads int) (s score.Scorer, err error) {
	defer tensor.Catch(&err)
	arena := tensor.NewArena(threads)
	tape := arena.Tape()
	defer tape.Close()
	e := m.encodeGraph(&nn.Pass{Tape: tape}, c.Graph, nil)
	e.nodes = e.nodes.Clone()
	if e.states != nil {
		e.states = e.states.Clone()
	}
	return &gaeScorer{m: m, c: c, name: name, encoded: e, std: m.standardOrNone()}, nil
}

// standardOrNone returns the means and scales of structure columns. They are empty if the decoder
// reads none.
func (m *GAE) standardOrNone() standard {
	if m.columns == nil {
		return standard{}
	}
	return standard{slices.Clone(m.mean.Value.Data()), slices.Clone(m.scale.Value.Data())}
}

type gaeScorer struct {
	m    *GAE
	c    *links.Columns
	name string
	*encoded
	std standard
}

func (s *gaeScorer) Names() []string { return []string{s.name} }

func (s *gaeScorer) Worker(of links.Workers) score.Worker {
	w := &gaeWorker{s: s, arena: tensor.NewArena(1)}
	if s.m.columns != nil {
		w.w = of.Of(s.c)
	}
	return w
}

type gaeWorker struct {
	s     *gaeScorer
	w     *links.Worker
	arena *tensor.Arena
	u, v  []int32
	rows  []float32
	pairs [][2]int32
}

func (w *gaeWorker) Score(kept int32, reverse bool, others []int32, out [][]float64) {
	if w.w != nil {
		w.w.Keep(kept)
	}
	for lo := 0; lo < len(others); lo += decodeRows {
		hi := min(lo+decodeRows, len(others))
		w.block(kept, reverse, others[lo:hi], out[0][lo:hi])
	}
}

// block scores a block of candidates.
func (w *gaeWorker) block(kept int32, reverse bool, others []int32, out []float64) {
	m, n := w.s.m, len(others)
	width := structureWidth(m.kind)
	w.u, w.v, w.pairs = w.u[:0], w.v[:0], w.pairs[:0]
	if w.w != nil && len(w.rows) < n*width {
		w.rows = make([]float32, decodeRows*width)
	}
	for i, v := range others {
		w.u, w.v, w.pairs = append(w.u, kept), append(w.v, v), append(w.pairs, [2]int32{kept, v})
		if w.w != nil {
			raw := w.w.Raw(v, reverse)
			row := w.rows[i*width : (i+1)*width]
			structureOf(m.kind, &raw, row)
			w.s.std.apply(row)
		}
	}
	tape := w.arena.Tape()
	defer tape.Close()
	p := &nn.Pass{Tape: tape}
	e := *w.s.encoded
	h := tape.Constant(e.nodes)
	e.nodes = h
	if e.states != nil {
		e.states = tape.Constant(e.states)
	}
	var columns *tensor.Tensor
	if w.w != nil {
		columns = tape.Constant(tensor.FromSlice(w.rows[:n*width], n, width))
	}
	logits := m.decode(p, tensor.Gather(h, tape.Index(w.u, m.nodes)), tensor.Gather(h, tape.Index(w.v, m.nodes)), columns, m.common(&e, w.pairs))
	for i, x := range logits.Data() {
		out[i] = float64(x)
	}
}

// Near returns, among the nodes for which take is true, the k nodes whose states have the largest
// products with the state of the given node.
func (s *gaeScorer) Near(node int32, k int, take func(int32) bool) []int32 {
	x, width := s.nodes.Data(), s.m.Config.Width
	own, best := x[int(node)*width:][:width], score.NewBest(k)
	for v := range int32(s.m.nodes) {
		if !take(v) {
			continue
		}
		sum := float32(0)
		for i, y := range x[int(v)*width:][:width] {
			sum += float32(own[i] * y)
		}
		best.Add(score.Ranked{Node: v, Score: float64(sum)})
	}
	return lists.Map(best.Sorted(), func(r score.Ranked) int32 { return r.Node })
}
