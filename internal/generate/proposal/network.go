package proposal

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/ehgnn/ehgnn/graph"
	"github.com/ehgnn/ehgnn/internal/generate/operator"
	"github.com/ehgnn/ehgnn/internal/lists"
	"github.com/ehgnn/ehgnn/nn"
	"github.com/ehgnn/ehgnn/nn/loss"
	"github.com/ehgnn/ehgnn/optim"
	"github.com/ehgnn/ehgnn/tensor"
)

// Kinds of networks. They have the same number of parameters.
const (
	MLP   = "mlp"   // an MLP of the features of the bond
	EHGNN = "ehgnn" // hypergraph convolutions on the dual, which also read neighbouring bonds
)

const (
	hidden = 32
	steps  = 150
	batch  = 64 // number of examples in a step
	rate   = 0.003
	extent = 3 // gains are clipped at this number of standard deviations from the mean
)

// Example is the choice of a bond and the gain in the score.
type Example struct {
	Of   *operator.Molecule
	End  int // as in Choice
	Gain float64
}

// Network predicts standardised gains:
//
//	h = two layers of x_u + x_v ‖ |x_u - x_v| ‖ e,   gain = MLP(h ‖ x_u ‖ x_v ‖ share)
//
// e is a bond with the atoms u, which is kept, and v. share is the share of the atoms that stay
// with u after the bond is cut. The layers are linear maps or hypergraph convolutions on the dual,
// both with ReLU.
type Network struct {
	threads int
	convs   []*nn.HyperConv
	linear  []*nn.Linear
	head    *nn.MLP
	seen    map[*operator.Molecule]*molecule
}

// New returns a network with initial weights from a seed. threads is the number of threads, 0 for
// all processors.
func New(kind string, seed uint64, threads int) (*Network, error) {
	in := nn.NewInit(seed)
	n := &Network{threads: threads, seen: map[*operator.Molecule]*molecule{}, head: nn.NewMLP(in.In("head"), nn.MLPDims{In: hidden + 2*atomWidth + 1, Hidden: []int{hidden}, Out: 1}, nn.MLPConfig{})}
	for i, width := range []int{2*atomWidth + bondWidth, hidden} {
		switch kind {
		case MLP:
			n.linear = append(n.linear, nn.NewLinear(in.In("layers", i), nn.Dims{In: width, Out: hidden}))
		case EHGNN:
			n.convs = append(n.convs, nn.NewHyperConv(in.In("layers", i), nn.ConvDims{In: width, Out: hidden}, nn.HyperConvConfig{}))
		default:
			return nil, fmt.Errorf("proposal: the network is %q, expected %s or %s", kind, MLP, EHGNN)
		}
	}
	return n, nil
}

// Params lists the parameters in a fixed order.
func (n *Network) Params() []*tensor.Param {
	return append(append(nn.Each(n.convs).Params(), nn.Each(n.linear).Params()...), n.head.Params()...)
}

// molecules returns a batch of molecules for the network.
func (n *Network) molecules(of []*operator.Molecule) *molecules {
	return join(lists.Map(of, func(m *operator.Molecule) *molecule {
		if n.seen[m] == nil {
			n.seen[m] = newMolecule(m)
		}
		return n.seen[m]
	}))
}

// forward returns the gain of each end, [ends,1].
func (n *Network) forward(p *nn.Pass, m *molecules) *tensor.Tensor {
	v := graph.View{X: m.atoms, E: m.bonds, H: m.incidence, VertexOf: m.atomOf, EdgeOf: m.bondOf}.Dual()
	for _, l := range n.linear {
		v.X = l.ForwardReLU(p, v.X)
	}
	for _, c := range n.convs {
		v.X = c.ForwardReLU(p, v)
	}
	return n.head.Forward(p, tensor.Concat(1, tensor.Gather(v.X, m.bondOfEnd), m.ends))
}

// Fit trains the network on examples, which it draws with r.
func (n *Network) Fit(ctx context.Context, examples []Example, r *rand.Rand) (err error) {
	defer tensor.Catch(&err)
	mean, deviation := Standard(gainsOf(examples))
	params := n.Params()
	adam, err := optim.NewAdam(params, optim.AdamConfig{})
	if err != nil {
		return err
	}
	arena := tensor.NewArena(n.threads)
	for range steps {
		of, rows, target := make([]*operator.Molecule, batch), make([]int32, batch), make([]float32, batch)
		first := 0
		for i := range of {
			e := examples[r.IntN(len(examples))]
			of[i], rows[i] = e.Of, int32(first+e.End)
			target[i] = float32(min(max((e.Gain-mean)/deviation, -extent), extent))
			first += e.Of.Ends()
		}
		if err := n.step(ctx, arena, adam, n.molecules(of), rows, target); err != nil {
			return err
		}
	}
	return nil
}

func gainsOf(examples []Example) []float64 {
	return lists.Map(examples, func(e Example) float64 { return e.Gain })
}

// Standard returns the mean and the standard deviation of gains. The deviation is never 0.
func Standard(gains []float64) (mean, deviation float64) {
	for _, g := range gains {
		mean += g / float64(len(gains))
	}
	for _, g := range gains {
		deviation += (g - mean) * (g - mean) / float64(len(gains))
	}
	return mean, math.Sqrt(deviation) + 1e-9
}

func (n *Network) step(ctx context.Context, arena *tensor.Arena, adam *optim.Adam, m *molecules, rows []int32, target []float32) error {
	tape := arena.Tape()
	defer tape.Close()
	tape.SetContext(ctx)
	pass := &nn.Pass{Tape: tape, Train: true}
	wrt := lists.Map(adam.Params(), tape.Watch)
	gains := n.forward(pass, m)
	chosen := tensor.Gather(gains, tensor.MustIndex(rows, gains.Dim(0)))
	grads := tape.Grad(loss.MSE(chosen, tape.Constant(tensor.FromSlice(target, len(target), 1))), wrt...)
	adam.Step(rate, grads)
	return ctx.Err()
}

// Predict returns the gain of each end of each bond of molecules.
func (n *Network) Predict(ctx context.Context, of []*operator.Molecule) (out [][]float64, err error) {
	defer tensor.Catch(&err)
	arena := tensor.NewArena(n.threads)
	for ; len(of) > 0; of = of[min(batch, len(of)):] {
		some := of[:min(batch, len(of))]
		tape := arena.Tape()
		tape.SetContext(ctx)
		gains := n.forward(&nn.Pass{Tape: tape}, n.molecules(some)).Data()
		for _, m := range some {
			row := make([]float64, m.Ends())
			for i := range row {
				row[i] = float64(gains[i])
			}
			out, gains = append(out, row), gains[len(row):]
		}
		tape.Close()
	}
	return out, ctx.Err()
}
