package molgan

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/ehgnn/ehgnn/graph"
	"github.com/ehgnn/ehgnn/nn"
	"github.com/ehgnn/ehgnn/tensor"
)

// On one-hot graphs the dense branch equals EHGNN on the dual hypergraph of the bonds, with the
// mean over its nodes.
func TestEdgesAreSparseEHGNN(t *testing.T) {
	r := newRand(t)
	ls := newLayouts(QM9)
	ms := randomMolecules(QM9, r, 200)
	ms[0].Bonds = make([]uint8, QM9.Pairs()) // without any bond
	e := newEdges(nn.NewInit(3))
	for _, p := range e.Params() {
		for i := range p.Value.Data() {
			p.Value.Data()[i] += 0.1 * float32(r.NormFloat64())
		}
	}
	tape := tensor.NewArena(1).Tape()
	defer tape.Close()
	p := &nn.Pass{Tape: tape}
	g := ls.oneHot(ms)
	types := tape.Bind(g.bonds).Slice(1, 1, bondCodes)
	got := e.forward(p, g.layout, types, types.SumAxis(1))

	var sparse []*graph.Graph
	for _, m := range ms {
		one := &graph.Graph{NumNodes: QM9.Size, Node: graph.Features{Code: make([]int32, QM9.Size), Codes: []int{1}}, Edge: graph.Features{Codes: []int{bondCodes - 1}}}
		for i, ends := range QM9.ends() {
			if m.Bonds[i] > 0 {
				one.Ends = append(one.Ends, ends[0], ends[1])
				one.Edge.Code = append(one.Edge.Code, int32(m.Bonds[i])-1)
			}
		}
		sparse = append(sparse, one)
	}
	b, err := graph.Collate(sparse)
	if err != nil {
		t.Fatal(err)
	}
	h := b.E
	for _, layer := range e.layers {
		h = layer.ForwardReLU(p, b.WithE(h).Dual())
	}
	want := tensor.SegmentMean(h, b.EdgeOf)
	worst := 0.0
	for i, v := range want.Data() {
		worst = max(worst, math.Abs(float64(v-got.Data()[i])))
	}
	if worst > 1e-6 || slices.Max(want.Data()) < 0.1 {
		t.Errorf("largest difference %v of numbers up to %v, want at most 1e-6", worst, slices.Max(want.Data()))
	}
}

// A critic does not depend on the order of atoms.
func TestCriticPermutation(t *testing.T) {
	forms(func(name string, c Config) {
		r := newRand(t)
		ms := randomMolecules(QM9, r, 8)
		k := newCritic(nn.NewInit(5), QM9, c)
		var moved []Molecule
		for _, m := range ms {
			order := r.Perm(QM9.Size)
			to := Molecule{Atoms: make([]uint8, QM9.Size), Bonds: make([]uint8, QM9.Pairs())}
			for i, a := range m.Atoms {
				to.Atoms[order[i]] = a
			}
			for p, ends := range QM9.ends() {
				to.Bonds[QM9.pair(order[ends[0]], order[ends[1]])] = m.Bonds[p]
			}
			moved = append(moved, to)
		}
		ls := newLayouts(QM9)
		a, b := score(k, ls.oneHot(ms)), score(k, ls.oneHot(moved))
		for i := range a {
			if math.Abs(float64(a[i]-b[i])) > 1e-6*max(1, math.Abs(float64(a[i]))) {
				t.Errorf("%s: score %v, want %v", name, b[i], a[i])
			}
		}
	})
}

// Shared R-GCN does not see the types of bonds, with or without GMPool. EHGNN does.
func TestSharedIsBlindToBondTypes(t *testing.T) {
	forms(func(name string, c Config) {
		r := newRand(t)
		ms := randomMolecules(QM9, r, 4)
		other := make([]Molecule, len(ms))
		for i, m := range ms {
			other[i] = Molecule{Atoms: m.Atoms, Bonds: slices.Clone(m.Bonds)}
			at := slices.IndexFunc(m.Bonds, func(b uint8) bool { return b != 0 })
			other[i].Bonds[at] = 1 + m.Bonds[at]%4
		}
		k := newCritic(nn.NewInit(5), QM9, c)
		ls := newLayouts(QM9)
		same := slices.Equal(score(k, ls.oneHot(ms)), score(k, ls.oneHot(other)))
		if want := c.RGCN == Shared && !c.EHGNN; same != want {
			t.Errorf("%s: equal scores %v, want %v", name, same, want)
		}
	})
}

// Rows of generated graphs are distributions, one-hot in the hard mode, and critics see the same
// molecules as the hard draw returns.
func TestGenerate(t *testing.T) {
	for _, mode := range []string{Softmax, SoftGumbel, HardGumbel} {
		c := Default()
		c.Mode = mode
		g := newGenerator(nn.NewInit(1), QM9, c)
		tape := tensor.NewArena(1).Tape()
		out, ms := g.generate(&nn.Pass{Tape: tape}, g.draw(rand.New(rand.NewPCG(1, 2)), 10))
		for _, x := range []*tensor.Tensor{out.bonds, out.atoms} {
			hard := true
			for i, s := range x.SumAxis(1).Data() {
				if math.Abs(float64(s-1)) > 1e-5 {
					t.Errorf("%s: row %d sums to %v", mode, i, s)
				}
			}
			for _, v := range x.Data() {
				hard = hard && (v == 0 || v == 1)
			}
			if hard != (mode == HardGumbel) {
				t.Errorf("%s: one-hot %v", mode, hard)
			}
		}
		if mode == HardGumbel {
			want := newLayouts(QM9).oneHot(ms)
			if !slices.Equal(want.bonds.Data(), out.bonds.Data()) || !slices.Equal(want.atoms.Data(), out.atoms.Data()) {
				t.Error("the molecules are not what critics see")
			}
		}
		tape.Close()
	}
}

// Gradients reach all parameters of the generator through both critics, in every mode.
func TestGeneratorLearns(t *testing.T) {
	for _, mode := range []string{Softmax, SoftGumbel, HardGumbel} {
		c := Default()
		c.Mode, c.GMPool, c.EHGNN = mode, true, true
		init := nn.NewInit(1)
		g, d, v := newGenerator(init.In("g"), QM9, c), newCritic(init.In("d"), QM9, c), newCritic(init.In("v"), QM9, c)
		tape := tensor.NewArena(1).Tape()
		fake, _ := g.generate(&nn.Pass{Tape: tape, Train: true}, g.draw(newRand(t), 8))
		l := generatorLoss(&nn.Pass{Tape: tape}, d, v, fake, 0.5)
		for _, p := range g.Params() {
			if by := tape.Grad(l, tape.Watch(p))[0]; by.Abs().Sum().Item() == 0 {
				t.Errorf("%s: no gradient reaches %s", mode, p.Name)
			}
		}
		for _, p := range d.Params() {
			if tape.Watched(p) != nil {
				t.Errorf("%s: the loss of the generator trains %s", mode, p.Name)
			}
		}
		tape.Close()
	}
}
