package mars

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/ehgnn/ehgnn/chem"
	"github.com/ehgnn/ehgnn/internal/rng"
	"github.com/ehgnn/ehgnn/nn"
	"github.com/ehgnn/ehgnn/tensor"
)

// sketch returns a connected molecule for the network. It need not be chemically possible.
func sketch(r *rand.Rand, atoms int) *Molecule {
	s := &chem.Structure{}
	for i := range atoms {
		s.Atoms = append(s.Atoms, chem.Atom{Number: []uint8{6, 7, 8, 16, 34}[r.IntN(5)], TotalHs: uint8(r.IntN(4)), Charge: int32(r.IntN(3) - 1),
			Aromatic: r.IntN(2) == 0, Hybridization: chem.HybridS + chem.Hybridization(r.IntN(4))})
		if i > 0 {
			s.Bonds = append(s.Bonds, chem.Bond{Begin: int32(r.IntN(i)), End: int32(i), Type: chem.Single + chem.BondType(r.IntN(4))})
		}
	}
	if atoms > 2 {
		s.Bonds = append(s.Bonds, chem.Bond{Begin: int32(atoms - 1), End: s.Bonds[0].Begin, Type: chem.Single})
		if l := len(s.Bonds); s.Bonds[l-2].Begin == s.Bonds[l-1].End {
			s.Bonds = s.Bonds[:l-1]
		}
	}
	return newMolecule("", s)
}

func sketches(seed uint64, n int) (out []*Molecule) {
	r := rng.Stream(seed, "sketches")
	for range n {
		out = append(out, sketch(r, 1+r.IntN(9)))
	}
	return out
}

func network(t *testing.T, edges string, arms int) *Network {
	t.Helper()
	n, err := NewNetwork(NetworkConfig{Edges: edges, Arms: arms, Seed: 5})
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// examples returns one edit of each molecule.
func examples(r *rand.Rand, of []*Molecule, arms int) (out []example) {
	for i, m := range of {
		e := edit{add: i%2 == 0 || len(m.bonds) == 0, at: int32(r.IntN(len(m.atoms))), arm: int32(r.IntN(arms))}
		if !e.add {
			e.at = int32(r.IntN(2 * len(m.bonds)))
		}
		out = append(out, example{m, e})
	}
	return out
}

func TestFeatures(t *testing.T) {
	row := make([]float32, atomWidth)
	atom{number: 35, hydrogens: 2, hybrid: chem.SP2, aromatic: true, charge: -1}.row(row)
	for k, v := range row {
		want := map[int]float32{8: 1, 10: 35, 11: -1, 12: 1, 14: 1, 16: 2}[k]
		if v != want {
			t.Errorf("column %d is %v, expected %v", k, v, want)
		}
	}
	row = make([]float32, atomWidth)
	atom{number: 34, hybrid: chem.SP3D}.row(row)
	for k, v := range row {
		if want := map[int]float32{10: 34}[k]; v != want {
			t.Errorf("selenium: column %d is %v, expected %v", k, v, want)
		}
	}
}

func TestParameters(t *testing.T) {
	for _, edges := range []string{EdgesMLP, EdgesEHGNN} {
		n := network(t, edges, 50)
		count := 0
		for _, p := range n.EdgeParams() {
			count += p.Value.Size()
		}
		if count != 828 {
			t.Errorf("%s has %d parameters, expected 828", edges, count)
		}
		names := map[string]bool{}
		for _, p := range append(n.EdgeParams(), n.OtherParams()...) {
			if names[p.Name] {
				t.Errorf("two parameters are called %s", p.Name)
			}
			names[p.Name] = true
		}
	}
	for _, c := range []NetworkConfig{{Edges: "gcn", Arms: 3}, {Edges: EdgesMLP}, {Edges: EdgesMLP, Arms: 1, Wide: -1}} {
		if _, err := NewNetwork(c); err == nil {
			t.Errorf("built %+v", c)
		}
	}
}

// slow computes the network in plain loops, by the equations of the package.
type slow struct {
	*testing.T
	of *Molecule
}

func at(p *tensor.Param, index ...int) float64 {
	i := 0
	for k, d := range p.Value.Shape() {
		i = i*d + index[k]
	}
	return float64(p.Value.Data()[i])
}

func affine(l *nn.Linear, x []float64) []float64 {
	out := make([]float64, l.Weight.Value.Dim(0))
	for o := range out {
		out[o] = float64(l.Bias.Value.Data()[o]) + dot(l.Weight.Value.Data()[o*len(x):][:len(x)], x)
	}
	return out
}

// dot returns the inner product, in four independent sums.
func dot(w []float32, x []float64) float64 {
	var a, b, c, d float64
	for ; len(x) >= 4; w, x = w[4:], x[4:] {
		w, x := w[:4], x[:4]
		a += float64(w[0]) * x[0]
		b += float64(w[1]) * x[1]
		c += float64(w[2]) * x[2]
		d += float64(w[3]) * x[3]
	}
	for i, v := range x {
		a += float64(w[i]) * v
	}
	return a + b + c + d
}

func relu(x []float64) []float64 {
	out := make([]float64, len(x))
	for i, v := range x {
		out[i] = max(v, 0)
	}
	return out
}

func mlp(layers []*nn.Linear, x []float64) []float64 {
	for i, l := range layers {
		if x = affine(l, x); i < len(layers)-1 {
			x = relu(x)
		}
	}
	return x
}

func (s slow) bond(i int) []float64 {
	x := make([]float64, bondWidth)
	x[int(s.of.bonds[i].kind)-1] = 1
	return x
}

func (s slow) encode(e *encoder) [][]float64 {
	h := make([][]float64, len(s.of.atoms))
	for v, a := range s.of.atoms {
		row := make([]float32, atomWidth)
		a.row(row)
		x := make([]float64, atomWidth)
		for k := range x {
			x[k] = float64(row[k])
		}
		h[v] = affine(e.atoms, x)
	}
	var thetas [bondKinds][]float64
	for i, b := range s.of.bonds {
		if k := kindOf(b.kind); thetas[k] == nil {
			thetas[k] = affine(e.second, relu(affine(e.first, affine(e.bonds, s.bond(i)))))
		}
	}
	for range rounds {
		sum, degree := make([][]float64, len(h)), make([]float64, len(h))
		for i := range 2 * len(s.of.bonds) {
			u, v := s.of.directed(i)
			theta := thetas[kindOf(s.of.bonds[i/2].kind)]
			if sum[v] == nil {
				sum[v] = make([]float64, hidden)
			}
			for a := range hidden {
				for b := range hidden {
					sum[v][b] += h[u][a] * theta[a*hidden+b]
				}
			}
			degree[v]++
		}
		next := make([][]float64, len(h))
		for v := range h {
			m := make([]float64, hidden)
			for k := range sum[v] {
				m[k] = max(0, sum[v][k]/degree[v])
			}
			next[v] = s.gru(e.gru, m, h[v])
		}
		h = next
	}
	return h
}

func (s slow) gru(g *nn.GRUCell, x, h []float64) []float64 {
	in := affine(&nn.Linear{Weight: g.WeightIH, Bias: g.BiasIH}, x)
	of := affine(&nn.Linear{Weight: g.WeightHH, Bias: g.BiasHH}, h)
	sigmoid := func(v float64) float64 { return 1 / (1 + math.Exp(-v)) }
	out := make([]float64, hidden)
	for k := range out {
		r, z := sigmoid(in[k]+of[k]), sigmoid(in[hidden+k]+of[hidden+k])
		n := math.Tanh(in[2*hidden+k] + r*of[2*hidden+k])
		out[k] = (1-z)*n + z*h[k]
	}
	return out
}

// edges returns r of all bonds.
func (s slow) edges(e *edges) (r [][]float64) {
	for i := range s.of.bonds {
		r = append(r, s.bond(i))
	}
	if e.mlp != nil {
		for i := range r {
			r[i] = mlp(e.mlp.Layers, r[i])
		}
		return r
	}
	for l, c := range e.convs {
		width := c.Weight.Value.Dim(1)
		xw := make([][]float64, len(r))
		mean, degree := make([][]float64, len(s.of.atoms)), make([]float64, len(s.of.atoms))
		for v := range mean {
			mean[v] = make([]float64, width)
		}
		for i, x := range r {
			xw[i] = make([]float64, width)
			for a := range x {
				for b := range xw[i] {
					xw[i][b] += x[a] * at(c.Weight, a, b)
				}
			}
		}
		for d := range 2 * len(s.of.bonds) { // both directions count at both atoms
			u, v := s.of.directed(d)
			for _, atom := range []int{u, v} {
				degree[atom]++
				for k, value := range xw[d/2] {
					mean[atom][k] += value
				}
			}
		}
		for i := range r {
			u, v := s.of.directed(2 * i)
			out := make([]float64, width)
			for k := range out {
				out[k] = (mean[u][k]/degree[u]+mean[v][k]/degree[v]+xw[i][k])/3 + at(c.Bias, k)
			}
			if l < len(e.convs)-1 {
				out = relu(out)
			}
			r[i] = out
		}
	}
	return r
}

// deletion returns the logits of a directed edge.
func (s slow) deletion(n *Network, h, r [][]float64, d int) []float64 {
	u, v := s.of.directed(d)
	return mlp(append([]*nn.Linear{n.delete.first}, n.delete.rest.Layers...), slices.Concat(h[u], h[v], r[d/2]))
}

func (s slow) compare(what string, got []float32, want []float64) {
	s.Helper()
	for k := range want {
		if math.Abs(float64(got[k])-want[k]) > 2e-4*max(1, math.Abs(want[k])) {
			s.Errorf("%s %d is %v, expected %v", what, k, got[k], want[k])
			return
		}
	}
}

// The logits of a batch of molecules equal those of the equations.
func TestLogits(t *testing.T) {
	of := sketches(3, 12)
	for _, edges := range []string{EdgesMLP, EdgesEHGNN} {
		n := network(t, edges, 7)
		for _, p := range n.EdgeParams() { // biases are 0 at first
			for i := range p.Value.Data() {
				p.Value.Data()[i] += 0.1
			}
		}
		tape := tensor.NewArena(2).Tape()
		p, b := &nn.Pass{Tape: tape}, newBatch(of)
		var atoms []int32
		for i := range of {
			atoms = append(atoms, int32(b.firstAtom[i+1]-1))
		}
		deletions, additions, fragments := n.deletions(p, b).Data(), n.additions(p, b).Data(), n.fragments(p, b, atoms).Data()
		for i, m := range of {
			s := slow{t, m}
			h, r := s.encode(n.deleteEncoder), s.edges(n.edges)
			for d := range 2 * len(m.bonds) {
				s.compare("deletion", deletions[2*(2*b.firstBond[i]+d):], s.deletion(n, h, r, d))
			}
			for a, x := range s.encode(n.addEncoder) {
				s.compare("addition", additions[2*(b.firstAtom[i]+a):], mlp(n.add.Layers, x))
			}
			x := s.encode(n.armEncoder)
			s.compare("fragment", fragments[7*i:], mlp(n.arm.Layers, x[len(x)-1]))
		}
		tape.Close()
	}
}

// slowLoss computes Network.loss in plain loops.
func slowLoss(t *testing.T, n *Network, list []example) float64 {
	var sums, counts [3]float64 // of deletions, atoms of additions, arms
	take := func(kind int, logits []float64, class int) {
		sum := 0.0
		for _, v := range logits {
			sum += math.Exp(v)
		}
		sums[kind] += math.Log(sum) - logits[class]
		counts[kind]++
	}
	for _, e := range list {
		s := slow{t, e.of}
		if !e.add {
			h, r := s.encode(n.deleteEncoder), s.edges(n.edges)
			for d := range 2 * len(e.of.bonds) {
				take(0, s.deletion(n, h, r, d), chosen(d == int(e.at)))
			}
			continue
		}
		for a, x := range s.encode(n.addEncoder) {
			take(1, mlp(n.add.Layers, x), chosen(a == int(e.at)))
		}
		take(2, mlp(n.arm.Layers, s.encode(n.armEncoder)[e.at]), int(e.arm))
	}
	total := 0.0
	for k, sum := range sums {
		total += sum / (counts[k] + epsilon)
	}
	return total
}

// chosen returns the class of an item that was or was not chosen.
func chosen(it bool) int {
	if it {
		return 1
	}
	return 0
}

// The gradients of the loss with respect to parameters of every part, compared with central
// differences of the loss in plain loops. Small gradients are not compared, because of rounding.
func TestGradients(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds")
	}
	r := rng.Stream(4, "sketches")
	of := []*Molecule{sketch(r, 5), sketch(r, 6), sketch(r, 4)} // two additions and a deletion
	list := examples(rng.Stream(4, "edits"), of, 5)
	for _, edges := range []string{EdgesMLP, EdgesEHGNN} {
		n := network(t, edges, 5)
		for _, p := range n.EdgeParams() {
			for i := range p.Value.Data() {
				p.Value.Data()[i] += 0.2 // away from the kinks of ReLU
			}
		}
		tape := tensor.NewArena(1).Tape()
		params := n.EdgeParams()
		if edges == EdgesMLP { // all other parts are the same for both
			params = append(params, n.OtherParams()...)
		}
		var wrt []*tensor.Tensor
		for _, p := range params {
			wrt = append(wrt, tape.Watch(p))
		}
		y := n.loss(&nn.Pass{Tape: tape, Train: true}, list)
		if want := slowLoss(t, n, list); math.Abs(float64(y.Item())-want) > 1e-4*want {
			t.Errorf("%s: loss %v, expected %v", edges, y.Item(), want)
		}
		grads := tape.Grad(y, wrt...)
		for i, p := range params {
			// The derivative along the gradient is its norm.
			g, x := grads[i].Data(), p.Value.Data()
			norm := 0.0
			for _, v := range g {
				norm += float64(v) * float64(v)
			}
			norm = math.Sqrt(norm)
			was := slices.Clone(x)
			along := func(h float64) float64 {
				for k := range x {
					x[k] = was[k] + float32(h*float64(g[k])/norm)
				}
				defer copy(x, was)
				return slowLoss(t, n, list)
			}
			const h = 1e-4 // a larger step meets kinks of ReLU
			if got := (along(h) - along(-h)) / (2 * h); !(math.Abs(got-norm) < 1e-2*norm) {
				t.Errorf("%s, %s: gradient %v, differences %v", edges, p.Name, norm, got)
			}
		}
		tape.Close()
	}
}

// A bond whose second layer is all zero is dead. Here the first layer reads only single bonds and
// the second passes its output on. With an MLP all other bonds are dead, with EHGNN the bonds far
// from a single bond.
func TestDeadShare(t *testing.T) {
	chain := func(kinds ...chem.BondType) *Molecule {
		s := &chem.Structure{Atoms: []chem.Atom{{Number: 6}}}
		for i, k := range kinds {
			s.Atoms = append(s.Atoms, chem.Atom{Number: 6})
			s.Bonds = append(s.Bonds, chem.Bond{Begin: int32(i), End: int32(i + 1), Type: k})
		}
		return newMolecule("", s)
	}
	of := []*Molecule{chain(chem.Single), chain(chem.Double, chem.Double), chain(chem.Single, chem.Triple), chain()}
	for edges, want := range map[string]float64{EdgesMLP: 3.0 / 5, EdgesEHGNN: 2.0 / 5} {
		n := network(t, edges, 3)
		for _, p := range n.EdgeParams()[:4] { // weights and biases of two layers
			clear(p.Value.Data())
			if p.Value.Size() == bondWidth*bondWidth {
				p.Value.Data()[0] = 1
			}
		}
		if got := n.DeadShare(of); math.Abs(got-want) > 1e-12 {
			t.Errorf("%s: %v, expected %v", edges, got, want)
		}
		if got := n.DeadShare(of[:1]); got != 0 {
			t.Errorf("%s: %v of a single bond, expected 0", edges, got)
		}
	}
}

// A network can fit 64 edits exactly, in a short test 16.
func TestOverfit(t *testing.T) {
	kinds, edits, steps := []string{EdgesEHGNN, EdgesMLP}, 64, 300
	if testing.Short() {
		kinds, edits, steps = kinds[:1], 8, 60
	}
	list := examples(rng.Stream(6, "edits"), sketches(6, edits), 20)
	for _, edges := range kinds {
		c := NewConfig()
		c.Rate, c.EdgeRate, c.Threads = 3e-3, 3e-3, 2
		l, err := newLearner(network(t, edges, 20), c)
		if err != nil {
			t.Fatal(err)
		}
		var first, last float64
		for i := range steps {
			if last, err = l.step(t.Context(), list); err != nil {
				t.Fatal(err)
			}
			if i == 0 {
				first = last
			}
		}
		if last > first/5 {
			t.Errorf("%s: loss %v after %d steps, %v before", edges, last, steps, first)
		}
	}
}

// A loss has terms only for the kinds of edits that occur. A molecule without bonds only adds the
// term of its atom.
func TestLossOfOneKind(t *testing.T) {
	lone := newMolecule("C", &chem.Structure{Atoms: []chem.Atom{{Number: 6}}})
	n := network(t, EdgesEHGNN, 3)
	tape := tensor.NewArena(1).Tape()
	defer tape.Close()
	got := float64(n.loss(&nn.Pass{Tape: tape}, []example{{lone, edit{add: true, arm: 2}}}).Item())
	if math.IsNaN(got) || got <= 0 {
		t.Errorf("loss %v", got)
	}
}
