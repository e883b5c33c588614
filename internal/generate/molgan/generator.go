package molgan

import (
	"fmt"
	"math/rand/v2"

	"github.com/ehgnn/ehgnn/nn"
	"github.com/ehgnn/ehgnn/nn/loss"
	"github.com/ehgnn/ehgnn/tensor"
)

// hiddenWidths are the hidden widths of the generator's MLP.
var hiddenWidths = []int{128, 256, 512}

// The forms in which critics read generated graphs.
const (
	Softmax    = "softmax"     // probabilities, without noise
	SoftGumbel = "soft-gumbel" // a Gumbel-softmax
	HardGumbel = "hard-gumbel" // one-hot draws with the gradient of the Gumbel-softmax
)

// Generator makes graphs from noise:
//
//	h = tanh(W₃ tanh(W₂ tanh(W₁ z + b₁) + b₂) + b₃)
//	A = (Aʰ + Aʰᵀ)/2 of Aʰ = W_A h + b_A,  X = W_X h + b_X
//
// Input: z [graphs, ZDim]. Output: logits of bonds [graphs·pairs, 5] and of atoms [graphs·Size,
// codes].
type Generator struct {
	Space       Space
	ZDim        int
	Mode        string
	Temperature float64

	layers       []*nn.Linear
	bonds, atoms *nn.Linear
	layouts      *layouts
}

// newGenerator returns a generator with the settings of c.
func newGenerator(in nn.Init, s Space, c Config) *Generator {
	g := &Generator{Space: s, ZDim: c.ZDim, Mode: c.Mode, Temperature: c.Temperature, layouts: newLayouts(s)}
	width := c.ZDim
	for i, out := range hiddenWidths {
		g.layers = append(g.layers, nn.NewLinear(in.In("layers", i), nn.Dims{In: width, Out: out}))
		width = out
	}
	g.bonds = nn.NewLinear(in.In("bonds"), nn.Dims{In: width, Out: s.Size * s.Size * bondCodes})
	g.atoms = nn.NewLinear(in.In("atoms"), nn.Dims{In: width, Out: s.Size * s.atomCodes()})
	return g
}

// Params lists the parameters.
func (g *Generator) Params() []*tensor.Param {
	return nn.Params(nn.Each(g.layers), g.bonds, g.atoms)
}

// noise is the random input of a batch of graphs.
type noise struct {
	z            *tensor.Tensor // [graphs, ZDim]
	bonds, atoms *tensor.Tensor // Gumbel noise with the shapes of the logits
}

// draw draws the noise of n graphs.
func (g *Generator) draw(r *rand.Rand, n int) noise {
	out := noise{z: tensor.New(n, g.ZDim)}
	for i := range out.z.Data() {
		out.z.Data()[i] = float32(r.NormFloat64())
	}
	out.bonds = loss.Gumbel(r, n*g.Space.Pairs(), bondCodes)
	out.atoms = loss.Gumbel(r, n*g.Space.Size, g.Space.atomCodes())
	return out
}

// logits returns the logits of bonds and atoms.
func (g *Generator) logits(p *nn.Pass, z *tensor.Tensor) (bonds, atoms *tensor.Tensor) {
	h := p.Tape.Bind(z)
	for _, l := range g.layers {
		h = l.Forward(p, h).Tanh()
	}
	l := g.layouts.get(z.Dim(0))
	matrix := g.bonds.Forward(p, h).Reshape(-1, bondCodes)
	bonds = tensor.Gather(matrix, l.upper).Add(tensor.Gather(matrix, l.lower)).MulScalar(0.5)
	return bonds, g.atoms.Forward(p, h).Reshape(-1, g.Space.atomCodes())
}

// generate returns graphs as critics read them, and the molecules that the same noise draws.
func (g *Generator) generate(p *nn.Pass, n noise) (graphs, []Molecule) {
	bonds, atoms := g.logits(p, n.z)
	out := graphs{layout: g.layouts.get(n.z.Dim(0)), bonds: g.discrete(bonds, n.bonds), atoms: g.discrete(atoms, n.atoms)}
	return out, g.molecules(bonds, atoms, n)
}

// drawnSlice is the number of graphs that are drawn at once.
const drawnSlice = 250

// sample draws molecules.
func (g *Generator) sample(arena *tensor.Arena, r *rand.Rand, n int) []Molecule {
	tape := arena.Tape()
	defer tape.Close()
	of := g.draw(r, n)
	bonds, atoms := g.logits(&nn.Pass{Tape: tape}, of.z)
	return g.molecules(bonds, atoms, of)
}

// molecules returns the molecules that noise draws from logits.
func (g *Generator) molecules(bonds, atoms *tensor.Tensor, n noise) []Molecule {
	bondOf, atomOf := drawCodes(bonds, n.bonds), drawCodes(atoms, n.atoms)
	ms := make([]Molecule, n.z.Dim(0))
	for k := range ms {
		ms[k] = Molecule{Atoms: atomOf[k*g.Space.Size:][:g.Space.Size], Bonds: bondOf[k*g.Space.Pairs():][:g.Space.Pairs()]}
	}
	return ms
}

// discrete returns the form of logits that critics read.
func (g *Generator) discrete(logits, gumbel *tensor.Tensor) *tensor.Tensor {
	if g.Mode == Softmax {
		return logits.MulScalar(float32(1 / g.Temperature)).Softmax()
	}
	y, err := loss.GumbelSoftmax(logits, gumbel, loss.GumbelConfig{Temperature: g.Temperature, Hard: g.Mode == HardGumbel})
	if err != nil {
		panic(fmt.Sprintf("molgan: %v", err)) // Config.Validate refuses it
	}
	return y
}

// drawCodes returns the code of each row of logits, drawn with Gumbel noise.
func drawCodes(logits, gumbel *tensor.Tensor) []uint8 {
	k := logits.Dim(1)
	out := make([]uint8, logits.Dim(0))
	l, g := logits.Data(), gumbel.Data()
	for i := range out {
		best := i * k
		for j := best + 1; j < (i+1)*k; j++ {
			if l[j]+g[j] > l[best]+g[best] {
				best = j
			}
		}
		out[i] = uint8(best - i*k)
	}
	return out
}
