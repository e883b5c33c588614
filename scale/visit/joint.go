package visit

import (
	"fmt"
	"math"

	"github.com/ehgnn/ehgnn/internal/kernel"
	"github.com/ehgnn/ehgnn/model"
	"github.com/ehgnn/ehgnn/nn"
	"github.com/ehgnn/ehgnn/scale/store"
	"github.com/ehgnn/ehgnn/tensor"
)

// joint is the program of a model.JointDecoder. Turn k of the blocks computes the messages of layer
// k+1 and the states of edges after it. Turn k of the parts computes the nodes after layer k. Rows
// of nodes are their features in turn 0, and later the nodes' representations.
type joint struct {
	*network
	layers    []*nn.Joint
	nodeAfter int // width of nodes after a layer
	edgeAfter int // width of edges and of messages after a layer
}

func newJoint(n *network, m *model.JointDecoder) *joint {
	j := &joint{network: n, layers: m.Layers, nodeAfter: m.Layers[0].NodeSelf.Weight.Value.Dim(0), edgeAfter: m.Layers[0].EdgeSelf.Weight.Value.Dim(0)}
	j.classifier = m.Classifier
	return j
}

func (j *joint) Turns() int              { return len(j.layers) + 1 }
func (j *joint) last(turn int) bool      { return turn == len(j.layers) }
func (j *joint) MessageIsState(int) bool { return false }
func (j *joint) OutputWidth() int        { return j.out }
func (j *joint) VectorWidth() int        { return j.edgeAfter }
func (j *joint) NodeVectors() int        { return j.nodeAfter }

func (j *joint) NodeWidth(turn int) int {
	if turn == 0 {
		return j.node.packed()
	}
	return j.nodeAfter
}

func (j *joint) StateWidth(turn int) int {
	if j.last(turn) {
		return 0
	}
	return j.edgeAfter
}

func (j *joint) MessageWidth(turn int) int { return j.StateWidth(turn) }

func (j *joint) Part(turn int, p *store.Part, last []float32, sums *Total, to []float32) ([]float32, error) {
	n, width := len(p.IDs), j.NodeWidth(turn)
	to = sized(to, n*width)
	if turn > 1 && len(last) != n*j.nodeAfter {
		return nil, fmt.Errorf("visit: part %d: %d numbers of nodes, expected %d for each of %d", p.Index, len(last), j.nodeAfter, n)
	}
	return to, j.partTiles(p, func(pass *nn.Pass, lo, hi int) error {
		if turn == 0 {
			for i := lo; i < hi; i++ {
				j.node.pack(p.Node, i, to[i*width:][:width])
			}
			return nil
		}
		l := j.layers[turn-1]
		x := j.before(pass, turn, p, last, lo, hi)
		around := pass.Tape.New(hi-lo, sums.Width)
		for i := lo; i < hi; i++ {
			ends := float64(sums.Count[i])
			sums.weighted(i, 1/math.Sqrt(ends+1), around.Data()[(i-lo)*sums.Width:][:sums.Width])
		}
		rows := l.NodeSelf.Forward(pass, x).Add(pass.Tape.Bind(around).MatMul(pass.Var(l.NodeUp))).ReLU().Data()
		if _, ok := kernel.Greatest(rows); !ok {
			for i := lo; i < hi; i++ {
				if _, ok := kernel.Greatest(rows[(i-lo)*width:][:width]); !ok {
					return fmt.Errorf("visit: node %q: what layer %d gives is not finite", p.IDs[i], turn)
				}
			}
		}
		copy(to[lo*width:], rows)
		return nil
	})
}

// before returns the representations of some nodes before the layer that a turn of parts completes.
func (j *joint) before(pass *nn.Pass, turn int, p *store.Part, last []float32, lo, hi int) *tensor.Tensor {
	if turn > 1 {
		x := pass.Tape.New(hi-lo, j.nodeAfter)
		copy(x.Data(), last[lo*j.nodeAfter:hi*j.nodeAfter])
		return pass.Tape.Bind(x)
	}
	x := pass.Tape.New(hi-lo, j.node.width())
	d := x.Dim(1)
	for i := lo; i < hi; i++ {
		p.Node.Row(i, x.Data()[(i-lo)*d:][:d])
	}
	return encoded(pass, j.nodes, x)
}

func (j *joint) Block(turn int, b *store.Block, seen Seen, nodes, state []float32, to *Result) error {
	m := b.NumEdges()
	if turn > 0 && len(state) != m*j.edgeAfter {
		return fmt.Errorf("visit: block %d: %d numbers of states, expected %d for each of %d edges", b.Index, len(state), j.edgeAfter, m)
	}
	last := j.last(turn)
	to.Greatest = 0
	if last {
		to.State, to.Message = to.State[:0], to.Message[:0]
		to.Vector, to.Output = sized(to.Vector, m*j.edgeAfter), sized(to.Output, m*j.out)
		clearUnseen(to.Vector, b, seen)
		clearUnseen(to.Output, b, seen)
	} else {
		to.State, to.Message = sized(to.State, m*j.edgeAfter), sized(to.Message, m*j.edgeAfter)
		clearUnseen(to.State, b, seen)
		clearUnseen(to.Message, b, seen)
	}
	return j.tiles(b, seen, nodes, j.NodeWidth(turn), state, func(t *tile) (err error) {
		var e, ends *tensor.Tensor
		if turn == 0 {
			e, ends = t.edgeFeatures(), t.nodeFeatures(0)
		} else {
			e, ends = t.states(j.edgeAfter), t.nodeRows(j.nodeAfter)
		}
		if last {
			if _, err := t.put(to.Vector, e, "vector"); err != nil {
				return err
			}
			_, err := t.put(to.Output, j.classifier.Forward(t.pass, t.withEnds(e, ends)), "prediction")
			return err
		}
		l := j.layers[turn]
		says := tensor.SpMM(t.overEnds(0.5, 0.5), ends.MatMul(t.pass.Var(l.NodeMsg)), tensor.SpMMConfig{Self: l.EdgeMsg.Forward(t.pass, e), ReLU: true})
		after := l.EdgeSelf.Forward(t.pass, e).Add(l.EdgeUp.Forward(t.pass, says)).ReLU()
		most, err := t.put(to.Message, says, "message")
		if err != nil {
			return err
		}
		to.Greatest = max(to.Greatest, most)
		_, err = t.put(to.State, after, "state")
		return err
	})
}
