package visit

import (
	"fmt"

	"github.com/ehgnn/ehgnn/model"
	"github.com/ehgnn/ehgnn/nn"
	"github.com/ehgnn/ehgnn/scale/store"
	"github.com/ehgnn/ehgnn/tensor"
)

// dual is the program of a model.DualStack. Turn 0 of the blocks computes the first states, turn k
// is layer k of the model. An edge's state is its message: as in ehgnn's evaluation, layer k
// multiplies the mean over an edge's nodes and itself. Rows of nodes have the mean over their ends
// of edges. In directed graphs they also have the number of these ends, and in the last turn the
// features of the node, from which the first states are computed again for the classifier.
type dual struct {
	*network
	start *nn.Linear
	convs []*nn.HyperConv
	width int
}

func newDual(n *network, m *model.DualStack) (*dual, error) {
	d := &dual{network: n, start: m.Start, width: m.Start.Weight.Value.Dim(0)}
	d.classifier = m.Classifier
	for _, c := range m.Convs {
		h, ok := c.(*nn.HyperConv)
		if !ok {
			return nil, fmt.Errorf("visit: layer of type %T, expected a hypergraph convolution", c)
		}
		d.convs = append(d.convs, h)
	}
	return d, nil
}

func (d *dual) Turns() int                { return len(d.convs) + 1 }
func (d *dual) last(turn int) bool        { return turn == len(d.convs) }
func (d *dual) MessageIsState(int) bool   { return true }
func (d *dual) OutputWidth() int          { return d.out }
func (d *dual) VectorWidth() int          { return d.width }
func (d *dual) NodeVectors() int          { return 0 }
func (d *dual) MessageWidth(turn int) int { return d.StateWidth(turn) }

func (d *dual) StateWidth(turn int) int {
	if d.last(turn) {
		return 0
	}
	return d.width
}

func (d *dual) NodeWidth(turn int) int {
	width := d.meanWidth(turn)
	if turn == 0 || d.last(turn) {
		width += d.node.packed()
	}
	return width
}

// meanWidth returns the number of columns of a node's row that come from its edges.
func (d *dual) meanWidth(turn int) int {
	switch {
	case turn == 0:
		return 0
	case d.directed:
		return d.width + 1
	}
	return d.width
}

func (d *dual) Part(turn int, p *store.Part, _ []float32, sums *Total, to []float32) ([]float32, error) {
	if err := d.node.check(p.Node, len(p.IDs)); err != nil {
		return nil, fmt.Errorf("%w, in part %d", err, p.Index)
	}
	width, mean := d.NodeWidth(turn), d.meanWidth(turn)
	to = sized(to, len(p.IDs)*width)
	for i := range p.IDs {
		row := to[i*width:][:width]
		if turn > 0 {
			ends := sums.Count[i]
			sums.weighted(i, 1/float64(max(ends, 1)), row[:d.width])
			if d.directed {
				row[d.width] = float32(ends)
			}
		}
		if len(row) > mean {
			d.node.pack(p.Node, i, row[mean:])
		}
	}
	return to, nil
}

func (d *dual) Block(turn int, b *store.Block, seen Seen, nodes, state []float32, to *Result) error {
	m := b.NumEdges()
	if turn > 0 && len(state) != m*d.width {
		return fmt.Errorf("visit: block %d: %d numbers of states, expected %d for each of %d edges", b.Index, len(state), d.width, m)
	}
	last := d.last(turn)
	to.Message, to.Greatest = nil, 0
	if last {
		to.State = to.State[:0]
		to.Vector, to.Output = sized(to.Vector, m*d.width), sized(to.Output, m*d.out)
		clearUnseen(to.Vector, b, seen)
		clearUnseen(to.Output, b, seen)
	} else {
		to.State = sized(to.State, m*d.width)
		clearUnseen(to.State, b, seen)
	}
	return d.tiles(b, seen, nodes, d.NodeWidth(turn), state, func(t *tile) (err error) {
		var e, start *tensor.Tensor
		if turn == 0 || last {
			start = d.first(t, d.meanWidth(turn))
			e = start
		}
		if turn > 0 {
			e = d.layer(t, d.convs[turn-1])
		}
		if last {
			if _, err := t.put(to.Vector, e, "vector"); err != nil {
				return err
			}
			_, err := t.put(to.Output, d.classifier.Forward(t.pass, tensor.Concat(1, e, start)), "prediction")
			return err
		}
		most, err := t.put(to.State, e, "state")
		to.Greatest = max(to.Greatest, most)
		return err
	})
}

// first returns the first states of edges.
func (d *dual) first(t *tile, from int) *tensor.Tensor {
	return d.start.ForwardReLU(t.pass, t.withEnds(t.edgeFeatures(), t.nodeFeatures(from)))
}

// layer returns e + ReLU(mean·W + b). The mean is over an edge's own state and those of its nodes.
// In a directed graph a node with one end of an edge is left out (graph.LoopsReplaceSingletons).
func (d *dual) layer(t *tile, c *nn.HyperConv) *tensor.Tensor {
	e, n := t.states(d.width), len(t.ids)
	coef, self := t.pass.Tape.New(2*n), t.pass.Tape.New(n)
	for k, id := range t.ids {
		u, v := t.ends(id)
		has := [2]bool{!d.directed || u[d.width] > 1, !d.directed || v[d.width] > 1}
		of := 1
		for _, ok := range has {
			if ok {
				of++
			}
		}
		share := 1 / float32(of)
		self.Data()[k] = share
		for side, ok := range has {
			coef.Data()[2*k+side] = 0
			if ok {
				coef.Data()[2*k+side] = share
			}
		}
	}
	mean := tensor.SpMM(endSums(coef.Data()), t.nodeRows(d.width), tensor.SpMMConfig{Self: e, SelfW: self})
	y := tensor.Affine(mean, t.pass.Var(c.Weight), t.pass.VarOrNil(c.Bias), tensor.AffineConfig{ReLU: true})
	return e.Add(y)
}

// clearUnseen sets the rows of edges that are not seen to zero.
func clearUnseen(rows []float32, b *store.Block, seen Seen) {
	d := len(rows) / max(b.NumEdges(), 1)
	for e := range b.NumEdges() {
		if !seen.Has(b, e) {
			clear(rows[e*d:][:d])
		}
	}
}
