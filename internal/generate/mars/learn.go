package mars

import (
	"context"

	"github.com/ehgnn/ehgnn/nn"
	"github.com/ehgnn/ehgnn/optim"
	"github.com/ehgnn/ehgnn/tensor"
)

// example is an edit that improved a molecule.
type example struct {
	of *Molecule
	edit
}

// epsilon avoids a division by zero if a minibatch has no example of a kind.
const epsilon = 1e-6

// loss is the cross-entropy of improving edits. It is the sum of three means over possible choices:
// the directed edges of the molecules with a deletion, the atoms of the molecules with an addition,
// and the arms at the chosen atom. A kind without examples adds nothing.
func (n *Network) loss(p *nn.Pass, examples []example) *tensor.Tensor {
	var cut, grown []*Molecule
	var cuts, adds []edit
	for _, e := range examples {
		if e.add {
			grown, adds = append(grown, e.of), append(adds, e.edit)
		} else {
			cut, cuts = append(cut, e.of), append(cuts, e.edit)
		}
	}
	total := p.Tape.Full(0)
	if len(cut) > 0 {
		b := newBatch(cut)
		target := make([]int32, 2*len(b.kinds))
		for j, e := range cuts {
			target[2*b.firstBond[j]+int(e.at)] = 1
		}
		total = total.Add(crossEntropy(n.deletions(p, b), target))
	}
	if len(grown) > 0 {
		b := newBatch(grown)
		target, atoms, arms := make([]int32, b.x.Dim(0)), make([]int32, len(adds)), make([]int32, len(adds))
		for j, e := range adds {
			atoms[j], arms[j] = int32(b.firstAtom[j])+e.at, e.arm
			target[atoms[j]] = 1
		}
		total = total.Add(crossEntropy(n.additions(p, b), target)).Add(crossEntropy(n.fragments(p, b, atoms), arms))
	}
	return total
}

// crossEntropy returns the mean over the rows of logits.
func crossEntropy(logits *tensor.Tensor, class []int32) *tensor.Tensor {
	return tensor.Pick(logits.RoundGrad().LogSoftmax(), class).Sum().MulScalar(-1 / (float32(len(class)) + epsilon))
}

// learner trains a network with Adam. Edges have their own learning rate.
type learner struct {
	network *Network
	rate    float64
	clip    float32
	edgesAt float64
	edges   optim.Schedule
	steps   int // number of updates so far

	optimizers [2]*optim.Adam // of the edges, of all other parameters
	wrt        []*tensor.Tensor
	arena      *tensor.Arena
}

func newLearner(n *Network, c Config) (*learner, error) {
	l := &learner{network: n, rate: c.Rate, clip: float32(c.Clip), edgesAt: c.EdgeRate, edges: optim.Constant{}, arena: tensor.NewArena(c.Threads)}
	if c.Cosine {
		total := c.Batches * c.Steps
		l.edges = optim.CosineWarmup{Warmup: total / 20, Total: total}
	}
	for i, params := range [][]*tensor.Param{n.EdgeParams(), n.OtherParams()} {
		var err error
		if l.optimizers[i], err = optim.NewAdam(params, optim.AdamConfig{}); err != nil {
			return nil, err
		}
		l.wrt = append(l.wrt, make([]*tensor.Tensor, len(l.optimizers[i].Params()))...)
	}
	return l, nil
}

// step makes one update with some examples. It returns the loss before the update.
func (l *learner) step(ctx context.Context, examples []example) (loss float64, err error) {
	defer tensor.Catch(&err)
	tape := l.arena.Tape()
	defer tape.Close()
	tape.SetContext(ctx)
	pass := &nn.Pass{Tape: tape, Train: true}
	edges, others := l.optimizers[0].Params(), l.optimizers[1].Params()
	for i, p := range edges {
		l.wrt[i] = tape.Watch(p)
	}
	for i, p := range others {
		l.wrt[len(edges)+i] = tape.Watch(p)
	}
	y := l.network.loss(pass, examples)
	grads := tape.Grad(y, l.wrt...)
	if l.clip > 0 {
		optim.ClipGradNorm(grads, l.clip)
	}
	l.optimizers[0].Step(l.edgesAt*l.edges.Factor(l.steps), grads[:len(edges)])
	l.optimizers[1].Step(l.rate, grads[len(edges):])
	l.steps++
	return float64(y.Item()), nil
}
