package visit

import (
	"fmt"
	"sync"

	"github.com/ehgnn/ehgnn/internal/kernel"
	"github.com/ehgnn/ehgnn/nn"
	"github.com/ehgnn/ehgnn/scale/store"
	"github.com/ehgnn/ehgnn/tensor"
)

// tileRows is the number of rows that go through the dense layers at a time. It is small enough
// that intermediate values stay in a cache.
const tileRows = 1024

// network is what the programs share: the layout and encoders of features, and working memory.
type network struct {
	directed   bool
	node, edge layout
	// Encoders of features; nil if the model reads features directly.
	nodes, edges *nn.Encoder
	classifier   *nn.MLP
	out          int

	idle sync.Pool // of *worker
}

// worker is the working memory of one visit.
type worker struct {
	arena *tensor.Arena
	ids   []int32
}

func (n *network) worker() *worker {
	if w, ok := n.idle.Get().(*worker); ok {
		return w
	}
	return &worker{arena: tensor.NewArena(1), ids: make([]int32, 0, tileRows)}
}

// tile has some seen edges of a block during a turn.
type tile struct {
	net   *network
	block *store.Block
	pass  *nn.Pass
	ids   []int32   // numbers of the edges in the block
	nodes []float32 // rows of the block's nodes
	width int       // width of these rows
	state []float32 // states of the block's edges; nil if there are none
}

// tiles calls f with the seen edges of a block, tile by tile.
func (n *network) tiles(b *store.Block, seen Seen, nodes []float32, width int, state []float32, f func(t *tile) error) (err error) {
	if len(nodes) != b.NumNodes()*width {
		return fmt.Errorf("visit: block %d: %d numbers for %d nodes, expected %d for each", b.Index, len(nodes), b.NumNodes(), width)
	}
	if err := n.edge.check(b.Edge, b.NumEdges()); err != nil {
		return fmt.Errorf("%w, in block %d", err, b.Index)
	}
	w := n.worker()
	defer n.idle.Put(w)
	run := func() (err error) {
		defer tensor.Catch(&err)
		tape := w.arena.Tape()
		defer tape.Close()
		return f(&tile{net: n, block: b, pass: &nn.Pass{Tape: tape}, ids: w.ids, nodes: nodes, width: width, state: state})
	}
	w.ids = w.ids[:0]
	for e := range b.NumEdges() {
		if seen.Has(b, e) {
			w.ids = append(w.ids, int32(e))
		}
		if len(w.ids) == tileRows || e == b.NumEdges()-1 && len(w.ids) > 0 {
			if err := run(); err != nil {
				return err
			}
			w.ids = w.ids[:0]
		}
	}
	return nil
}

// ends returns the rows of the nodes at both ends of an edge.
func (t *tile) ends(e int32) (u, v []float32) {
	a, b := int(t.block.Ends[2*e]), int(t.block.Ends[2*e+1])
	return t.nodes[a*t.width:][:t.width], t.nodes[b*t.width:][:t.width]
}

// edgeFeatures returns the features of the edges, as the model reads them.
func (t *tile) edgeFeatures() *tensor.Tensor {
	x := t.pass.Tape.New(len(t.ids), t.net.edge.width())
	d := x.Dim(1)
	for k, e := range t.ids {
		t.block.Edge.Row(int(e), x.Data()[k*d:][:d])
	}
	return encoded(t.pass, t.net.edges, x)
}

// nodeFeatures returns the features of the nodes at both ends. In the rows of nodes they begin at
// column from. Row 2k of the result is for the first end of edge k, row 2k+1 for the second.
func (t *tile) nodeFeatures(from int) *tensor.Tensor {
	l := t.net.node
	d := l.width()
	x := t.pass.Tape.New(2*len(t.ids), d)
	for k, e := range t.ids {
		u, v := t.ends(e)
		l.unpack(u[from:], x.Data()[2*k*d:][:d])
		l.unpack(v[from:], x.Data()[(2*k+1)*d:][:d])
	}
	return encoded(t.pass, t.net.nodes, x)
}

// nodeRows returns the first d columns of the rows of the nodes at both ends, in the row order of
// nodeFeatures.
func (t *tile) nodeRows(d int) *tensor.Tensor {
	x := t.pass.Tape.New(2*len(t.ids), d)
	for k, e := range t.ids {
		u, v := t.ends(e)
		copy(x.Data()[2*k*d:][:d], u)
		copy(x.Data()[(2*k+1)*d:][:d], v)
	}
	return t.pass.Tape.Bind(x)
}

// states returns the states of the edges.
func (t *tile) states(d int) *tensor.Tensor {
	x := t.pass.Tape.New(len(t.ids), d)
	for k, e := range t.ids {
		copy(x.Data()[k*d:][:d], t.state[int(e)*d:][:d])
	}
	return t.pass.Tape.Bind(x)
}

// withEnds is model.WithEnds: it concatenates e with the rows of both ends if edges are directed,
// otherwise with their mean and distance.
func (t *tile) withEnds(e, ends *tensor.Tensor) *tensor.Tensor {
	if t.net.directed {
		return tensor.Concat(1, e, ends.Reshape(len(t.ids), 2*ends.Dim(1)))
	}
	return tensor.Concat(1, e, tensor.SpMM(t.overEnds(0.5, 0.5), ends, tensor.SpMMConfig{}), tensor.SpMM(t.overEnds(1, -1), ends, tensor.SpMMConfig{}).Abs())
}

// overEnds returns the matrix that adds the rows of both ends of each edge, with these factors.
func (t *tile) overEnds(first, second float32) *tensor.Sparse {
	coef := t.pass.Tape.New(2 * len(t.ids)).Data()
	for k := range t.ids {
		coef[2*k], coef[2*k+1] = first, second
	}
	return endSums(coef)
}

// endSums returns the matrix that adds pairs of rows, each row with its factor.
func endSums(coef []float32) *tensor.Sparse {
	return tensor.NewSparse(tensor.SparseConfig{Rows: len(coef) / 2, Cols: len(coef), Width: 2, Coef: coef})
}

// encoded returns features after their encoder, if there is one.
func encoded(p *nn.Pass, e *nn.Encoder, x *tensor.Tensor) *tensor.Tensor {
	if e == nil {
		return p.Tape.Bind(x)
	}
	return e.Forward(p, x)
}

// put writes the rows of the edges into the rows of their block. It returns an error with the
// number of an edge whose row is not finite.
func (t *tile) put(to []float32, x *tensor.Tensor, what string) (most float32, err error) {
	d := x.Dim(1)
	most, ok := kernel.Greatest(x.Data())
	for k, e := range t.ids {
		row := x.Data()[k*d:][:d]
		if !ok {
			if _, finite := kernel.Greatest(row); !finite {
				return 0, fmt.Errorf("visit: edge %d: its %s is not finite", t.block.First+int64(e), what)
			}
		}
		copy(to[int(e)*d:][:d], row)
	}
	return most, nil
}

// partTiles calls f with the nodes of a part, tile by tile.
func (n *network) partTiles(p *store.Part, f func(pass *nn.Pass, lo, hi int) error) error {
	if err := n.node.check(p.Node, len(p.IDs)); err != nil {
		return fmt.Errorf("%w, in part %d", err, p.Index)
	}
	w := n.worker()
	defer n.idle.Put(w)
	run := func(lo, hi int) (err error) {
		defer tensor.Catch(&err)
		tape := w.arena.Tape()
		defer tape.Close()
		return f(&nn.Pass{Tape: tape}, lo, hi)
	}
	for lo := 0; lo < len(p.IDs); lo += tileRows {
		if err := run(lo, min(lo+tileRows, len(p.IDs))); err != nil {
			return err
		}
	}
	return nil
}
