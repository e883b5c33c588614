package molgan

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/ehgnn/ehgnn/nn"
	"github.com/ehgnn/ehgnn/tensor"
)

// oracle computes a critic by its definition, in float64, for one graph whose bonds are a full
// matrix A[i][j][c]. It shares only the names of parameters with critic.
type oracle struct {
	s      Space
	c      Config
	values map[string][]float64
	dims   map[string][]int
}

func newOracle(s Space, c Config, k *critic) *oracle {
	o := &oracle{s: s, c: c, values: map[string][]float64{}, dims: map[string][]int{}}
	for _, p := range slices.Concat(k.Params(), k.EdgeParams()) {
		for _, v := range p.Value.Data() {
			o.values[p.Name] = append(o.values[p.Name], float64(v))
		}
		o.dims[p.Name] = p.Value.Shape()
	}
	return o
}

type matrix [][]float64

func zeros(n, d int) matrix {
	m := make(matrix, n)
	for i := range m {
		m[i] = make([]float64, d)
	}
	return m
}

func (m matrix) each(f func(float64) float64) matrix {
	out := zeros(len(m), len(m[0]))
	for i, row := range m {
		for j, v := range row {
			out[i][j] = f(v)
		}
	}
	return out
}

func (m matrix) times(k matrix) matrix {
	out := zeros(len(m), len(k[0]))
	for i, row := range m {
		for l, v := range row {
			for j, w := range k[l] {
				out[i][j] += v * w
			}
		}
	}
	return out
}

// timesT returns m·kᵀ.
func (m matrix) timesT(k matrix) matrix {
	out := zeros(len(m), len(k))
	for i, row := range m {
		for j, w := range k {
			out[i][j] = dot(row, w)
		}
	}
	return out
}

// dot returns the inner product, in four independent sums.
func dot(x, y []float64) float64 {
	var a, b, c, d float64
	for ; len(x) >= 4; x, y = x[4:], y[4:] {
		x, y := x[:4], y[:4]
		a += x[0] * y[0]
		b += x[1] * y[1]
		c += x[2] * y[2]
		d += x[3] * y[3]
	}
	for i, v := range x {
		a += v * y[i]
	}
	return a + b + c + d
}

func (m matrix) plus(k matrix) matrix {
	out := zeros(len(m), len(m[0]))
	for i := range m {
		for j := range m[i] {
			out[i][j] = m[i][j] + k[min(i, len(k)-1)][j] // a single row is repeated
		}
	}
	return out
}

func (m matrix) transposed() matrix {
	out := zeros(len(m[0]), len(m))
	for i := range m {
		for j := range m[i] {
			out[j][i] = m[i][j]
		}
	}
	return out
}

// matrix returns a parameter with two axes; row returns a parameter with one.
func (o *oracle) matrix(name string) matrix {
	d := o.dims[name]
	m := make(matrix, d[0])
	for i := range m {
		m[i] = o.values[name][i*d[1]:][:d[1]]
	}
	return m
}

func (o *oracle) row(name string) matrix { return matrix{o.values[name]} }

// linear returns x·Wᵀ + b.
func (o *oracle) linear(name string, x matrix) matrix {
	return x.timesT(o.matrix(name + ".weight")).plus(o.row(name + ".bias"))
}

func sigmoid(x float64) float64 { return 1 / (1 + math.Exp(-x)) }
func relu(x float64) float64    { return max(x, 0) }

// score returns the score of a graph with bonds [pairs·5] and atoms [Size·codes].
func (o *oracle) score(bonds, atoms []float64) float64 {
	score, _ := o.scoreAndFeatures(bonds, atoms)
	return score
}

// scoreAndFeatures returns the score and the sum of the features below it.
func (o *oracle) scoreAndFeatures(bonds, atoms []float64) (score, features float64) {
	n, codes := o.s.Size, o.s.atomCodes()
	x := zeros(n, codes)
	for i, v := range atoms {
		x[i/codes][i%codes] = v
	}
	a := make([]matrix, bondCodes)
	for c := range a {
		a[c] = zeros(n, n)
	}
	s := zeros(n, n)
	p := 0
	for i := range n {
		for j := i + 1; j < n; j++ {
			for c := 1; c < bondCodes; c++ {
				v := bonds[p*bondCodes+c]
				a[c][i][j], a[c][j][i] = v, v
				s[i][j] += v
				s[j][i] += v
			}
			p++
		}
	}
	h := x
	for _, layer := range []string{"c.nodes.0", "c.nodes.1"} {
		if o.c.RGCN == Shared {
			y := o.linear(layer, h)
			h = s.times(y).plus(y)
			continue
		}
		w := o.matrix(layer + ".weight")
		out := len(w) / bondCodes
		y := h.timesT(w[:out])
		for c := 1; c < bondCodes; c++ {
			y = y.plus(a[c].times(h).timesT(w[c*out : (c+1)*out]))
		}
		h = y.each(math.Tanh)
	}
	q := zeros(n, 0)
	for i := range q {
		q[i] = append(slices.Clone(h[i]), x[i]...)
	}
	gate, value := o.linear("c.gate", q).each(sigmoid), o.linear("c.value", q).each(math.Tanh)
	y := zeros(1, len(gate[0]))
	for i := range n {
		for j := range gate[i] {
			y[0][j] += gate[i][j] * value[i][j]
		}
	}
	y = y.each(math.Tanh)
	if o.c.GMPool {
		y[0] = append(y[0], o.gmpool(s, h)...)
	}
	if o.c.EHGNN {
		y[0] = append(y[0], o.edges(a, s)...)
	}
	for _, layer := range []string{"c.head.0", "c.head.1"} {
		if y = o.linear(layer, y); o.c.RGCN == Typed {
			y = y.each(math.Tanh)
		}
	}
	for _, v := range y[0] {
		features += v
	}
	return o.linear("c.head.2", y)[0][0], features
}

func (o *oracle) gmpool(s, h matrix) []float64 {
	n := len(s)
	hat := zeros(n, n)
	degree := func(i int) float64 {
		d := 1.0
		for _, v := range s[i] {
			d += v
		}
		return d
	}
	for i := range n {
		for j := range n {
			link := s[i][j]
			if i == j {
				link++
			}
			hat[i][j] = link / math.Sqrt(degree(i)*degree(j))
		}
	}
	smooth := hat.times(h)
	query := o.matrix("c.gmpool.seed").times(o.matrix("c.gmpool.query"))
	share := smooth.times(o.matrix("c.gmpool.key")).timesT(query).each(func(v float64) float64 { return math.Exp(v / 8) })
	total := 0.0
	for _, v := range share {
		total += v[0]
	}
	share = share.each(func(v float64) float64 { return v / total })
	out := query.plus(share.transposed().times(smooth.times(o.matrix("c.gmpool.value"))))
	return out.plus(out.times(o.matrix("c.gmpool.output")).each(relu)).each(math.Tanh)[0]
}

// edges computes the dense branch, pair by pair.
func (o *oracle) edges(a []matrix, w matrix) []float64 {
	n := len(w)
	pair := map[[2]int][]float64{}
	both := func(f func(i, j int)) {
		for i := range n {
			for j := range n {
				if i != j {
					f(i, j)
				}
			}
		}
	}
	both(func(i, j int) {
		for c := 1; c < bondCodes; c++ {
			pair[[2]int{i, j}] = append(pair[[2]int{i, j}], a[c][i][j])
		}
	})
	for _, layer := range []string{"c.edges.0", "c.edges.1"} {
		weight, bias := o.matrix(layer+".weight"), o.values[layer+".bias"]
		t, z := map[[2]int][]float64{}, zeros(n, len(bias))
		both(func(i, j int) { t[[2]int{i, j}] = matrix{pair[[2]int{i, j}]}.times(weight)[0] })
		for i := range n {
			degree := 0.0
			for j := range n {
				degree += w[i][j]
			}
			for j := range n {
				if i != j {
					for d, v := range t[[2]int{i, j}] {
						z[i][d] += w[i][j] * v / max(degree, 1)
					}
				}
			}
		}
		both(func(i, j int) {
			next := make([]float64, len(bias))
			for d := range next {
				next[d] = relu((z[i][d]+z[j][d]+t[[2]int{i, j}][d])/3 + bias[d])
			}
			pair[[2]int{i, j}] = next
		})
	}
	out := make([]float64, edgeWidths[1])
	total := 0.0
	both(func(i, j int) { total += w[i][j] / 2 })
	both(func(i, j int) {
		for d, v := range pair[[2]int{i, j}] {
			out[d] += w[i][j] * v / 2 / max(total, 1)
		}
	})
	return out
}

// step is the step of central differences in float64. The error of one difference is about step²,
// the error of a nested one step² + 1e-16/step².
const step = 1e-4

// slope returns the derivative of f with respect to *v.
func slope(v *float64, f func() float64) float64 {
	at := *v
	*v = at + step
	hi := f()
	*v = at - step
	lo := f()
	*v = at
	return (hi - lo) / (2 * step)
}

// penalty returns the penalty of one graph.
func (o *oracle) penalty(bonds, atoms []float64) float64 {
	total := 0.0
	for _, of := range []struct {
		x        []float64
		factor   float64
		features bool
	}{{bonds, 0.5, false}, {atoms, 1, o.c.ReferenceLoss}} {
		norm := 0.0
		for i := range of.x {
			d := slope(&of.x[i], func() float64 {
				score, features := o.scoreAndFeatures(bonds, atoms)
				if of.features {
					return features
				}
				return score
			})
			norm += of.factor * d * d
		}
		total += (math.Sqrt(norm) - 1) * (math.Sqrt(norm) - 1)
	}
	return total
}

func float64s(x []float32) []float64 {
	out := make([]float64, len(x))
	for i, v := range x {
		out[i] = float64(v)
	}
	return out
}

// some returns a few positions below n.
func some(r *rand.Rand, n, most int) []int {
	return r.Perm(n)[:min(n, most)]
}

// near fails the test if a derivative is off by more than tol, relative to the largest derivative
// of its tensor.
func near(t *testing.T, what string, got []float32, at []int, want func(i int) float64, tol float64) {
	t.Helper()
	scale := 1e-3
	for _, v := range got {
		scale = max(scale, math.Abs(float64(v)))
	}
	for _, i := range at {
		if w := want(i); !(math.Abs(float64(got[i])-w) <= tol*scale) {
			t.Errorf("%s: element %d is %v, want %v (largest %v)", what, i, got[i], w, scale)
		}
	}
}

// The score, its gradient with respect to bonds, atoms and parameters, and the gradient of the
// penalty with respect to the parameters equal those of the definition.
func TestCriticGradients(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds")
	}
	tiny := Space{Size: 4, Elements: []uint8{6, 8}}
	check := func(name string, c Config) {
		t.Run(name, func(t *testing.T) {
			r := rand.New(rand.NewPCG(3, 5))
			k := newCritic(nn.NewInit(11).In("c"), tiny, c)
			for _, p := range slices.Concat(k.Params(), k.EdgeParams()) {
				for i := range p.Value.Data() { // with biases of 0, ReLU would be at its kink
					p.Value.Data()[i] += 0.05 * float32(r.NormFloat64())
				}
			}
			o := newOracle(tiny, c, k)
			ls := newLayouts(tiny)
			g := soften(ls.oneHot(randomMolecules(tiny, r, 1)), r)
			bonds, atoms := float64s(g.bonds.Data()), float64s(g.atoms.Data())
			value := func() float64 { return o.score(bonds, atoms) }

			tape := tensor.NewArena(1).Tape()
			defer tape.Close()
			p := &nn.Pass{Tape: tape, Train: true}
			of := graphs{layout: g.layout, bonds: tape.Variable(g.bonds), atoms: tape.Variable(g.atoms)}
			y := k.forward(p, of)
			if want := value(); math.Abs(float64(y.Item())-want) > 1e-6*max(1, math.Abs(want)) {
				t.Fatalf("score %v, want %v", y.Item(), want)
			}
			by := tape.Grad(y, of.bonds, of.atoms)
			near(t, "by bonds", by[0].Data(), some(r, len(bonds), len(bonds)), func(i int) float64 { return slope(&bonds[i], value) }, 1e-4)
			near(t, "by atoms", by[1].Data(), some(r, len(atoms), len(atoms)), func(i int) float64 { return slope(&atoms[i], value) }, 1e-4)

			gp := penalty(p, k, graphs{layout: g.layout, bonds: tape.Variable(g.bonds), atoms: tape.Variable(g.atoms)}, c.ReferenceLoss)
			square := func() float64 { return o.penalty(bonds, atoms) }
			if want := square(); math.Abs(float64(gp.Item())-want) > 1e-5*max(1, want) {
				t.Errorf("penalty %v, want %v", gp.Item(), want)
			}
			params := slices.Concat(k.Params(), k.EdgeParams())
			for _, param := range params {
				w := o.values[param.Name]
				near(t, "score by "+param.Name, tape.Grad(y, tape.Watch(param))[0].Data(), some(r, len(w), 3), func(i int) float64 { return slope(&w[i], value) }, 1e-4)
			}
			// The penalty along its gradient and some noise, for a third of the parameters at a
			// time.
			for third := range 3 {
				var of []*float64
				var by []float64
				norm := 0.0
				for i := third; i < len(params); i += 3 {
					for j, v := range tape.Grad(gp, tape.Watch(params[i]))[0].Data() {
						of, by = append(of, &o.values[params[i].Name][j]), append(by, float64(v))
						norm += float64(v) * float64(v)
					}
				}
				norm = math.Sqrt(norm)
				way := make([]float64, len(by))
				got, along := 0.0, 0.0
				for j, v := range by {
					way[j] = v/norm + r.NormFloat64()/math.Sqrt(float64(len(by)))
					got += way[j] * v
				}
				move := func(by float64) {
					for j, v := range of {
						*v += by * way[j]
					}
				}
				want := slope(&along, func() float64 {
					to := along
					move(to)
					defer move(-to)
					return square()
				})
				if !(math.Abs(got-want) <= 1e-3*norm) {
					t.Errorf("penalty along a direction: %v, want %v (norm %v)", got, want, norm)
				}
			}
		})
	}
	forms(check)
	forms(func(name string, c Config) {
		if testing.Short() && !(c.GMPool && c.EHGNN) {
			return // the penalty of this case is checked without the reference loss
		}
		c.ReferenceLoss = true
		check(name+", reference loss", c)
	})
}
