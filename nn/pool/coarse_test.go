package pool_test

import (
	"math"
	"slices"
	"testing"

	"github.com/ehgnn/ehgnn/graph"
	"github.com/ehgnn/ehgnn/internal/golden"
	"github.com/ehgnn/ehgnn/nn"
	"github.com/ehgnn/ehgnn/nn/pool"
	"github.com/ehgnn/ehgnn/tensor"
)

// coarsener is a dense pool without the network for its logits.
type coarsener interface {
	Coarsen(p *nn.Pass, v graph.View, logits *tensor.Tensor) pool.Coarse
	CoarsenDense(p *nn.Pass, d pool.Dense, logits *tensor.Tensor) pool.Coarse
}

// padding describes the dense inputs of a case: samples of n rows, of which
// some are padding.
type padding struct {
	samples, n int
	real       []int32 // rows that are nodes
	of         []int32 // the sample of each of them
}

func casePadding(c golden.Case) padding {
	shape := c.Value("adj").Shape
	d := padding{samples: shape[0], n: shape[1]}
	for i := range d.samples * d.n {
		if !c.Has("mask") || c.Value("mask").Ints[i] == 1 {
			d.real, d.of = append(d.real, int32(i)), append(d.of, int32(i/d.n))
		}
	}
	return d
}

// view is the graph of a dense adjacency, with an edge for every element that
// keep accepts: arcs, or one edge for both directions of a symmetric matrix. The
// second result lists the element behind each edge.
func (d padding) view(x, adj *tensor.Tensor, directed bool, keep func(weight float32) bool) (graph.View, []int32) {
	var ends, of, element []int32
	for i, u := range d.real {
		for j, v := range d.real {
			e := int(u)*d.n + int(v)%d.n
			if d.of[i] == d.of[j] && (directed || i <= j) && keep(adj.Data()[e]) {
				ends, of, element = append(ends, int32(i), int32(j)), append(of, d.of[i]), append(element, int32(e))
			}
		}
	}
	w := tensor.Gather(adj.Reshape(-1), tensor.MustIndex(element, adj.Size()))
	return graph.View{
		X:        tensor.Gather(x.Reshape(d.samples*d.n, -1), tensor.MustIndex(d.real, d.samples*d.n)),
		H:        must(graph.NewPairs(len(d.real), ends, directed)),
		VertexOf: tensor.MustIndex(d.of, d.samples), EdgeOf: tensor.MustIndex(of, d.samples),
	}.WithW(w), element
}

// coarseForms are the ways to give a dense pool the graphs of a case. want
// adapts the gradient of the dense adjacency: an element without an edge has
// none.
var coarseForms = map[string]func(t *testing.T, p *nn.Pass, pl coarsener, c golden.Case, vars map[string]*tensor.Tensor) (out pool.Coarse, want func(adj golden.Value)){
	"all arcs": func(t *testing.T, p *nn.Pass, pl coarsener, c golden.Case, vars map[string]*tensor.Tensor) (pool.Coarse, func(golden.Value)) {
		return sparseForm(p, pl, c, vars, true, func(float32) bool { return true })
	},
	"arcs": func(t *testing.T, p *nn.Pass, pl coarsener, c golden.Case, vars map[string]*tensor.Tensor) (pool.Coarse, func(golden.Value)) {
		return sparseForm(p, pl, c, vars, true, func(w float32) bool { return w != 0 })
	},
	"edges": func(t *testing.T, p *nn.Pass, pl coarsener, c golden.Case, vars map[string]*tensor.Tensor) (pool.Coarse, func(golden.Value)) {
		return sparseForm(p, pl, c, vars, false, func(w float32) bool { return w != 0 })
	},
	"dense": func(t *testing.T, p *nn.Pass, pl coarsener, c golden.Case, vars map[string]*tensor.Tensor) (pool.Coarse, func(golden.Value)) {
		if c.Has("mask") {
			t.Skip("graphs that have been coarsened have no padding")
		}
		return pl.CoarsenDense(p, pool.Dense{X: vars["x"], A: vars["adj"]}, vars["s"]), func(golden.Value) {}
	},
}

func sparseForm(p *nn.Pass, pl coarsener, c golden.Case, vars map[string]*tensor.Tensor, directed bool, keep func(float32) bool) (pool.Coarse, func(golden.Value)) {
	d := casePadding(c)
	v, element := d.view(vars["x"], vars["adj"], directed, keep)
	logits := tensor.Gather(vars["s"].Reshape(d.samples*d.n, -1), tensor.MustIndex(d.real, d.samples*d.n))
	return pl.Coarsen(p, v, logits), func(adj golden.Value) {
		own := slices.Clone(adj.Floats)
		clear(adj.Floats)
		for _, e := range element {
			adj.Floats[e] = own[e]
			s, i, j := int(e)/(d.n*d.n), int(e)/d.n%d.n, int(e)%d.n
			if !directed && i != j { // the edge has the gradient of both its elements
				adj.Floats[e] += own[s*d.n*d.n+j*d.n+i]
			}
		}
	}
}

// checkCoarse compares a case in every form. losses are the names of the case's
// losses in the pool's order.
func checkCoarse(t *testing.T, file string, losses [2]string, build func(t *testing.T, c golden.Config) coarsener) {
	for form, run := range coarseForms {
		for _, c := range golden.Load(t, file).Cases {
			t.Run(form+"/"+c.Name, func(t *testing.T) {
				p := pass(t, true)
				vars := c.Bind(t, p.Tape, nil)
				y, want := run(t, p, build(t, c.Config), c, vars)
				out := map[string]*tensor.Tensor{"out": y.X, "adj": y.A, losses[0]: y.Losses[0].Value, losses[1]: y.Losses[1].Value}
				if v := c.Outputs[losses[0]]; v.Floats[0] != v.Floats[0] {
					v.Floats[0] = out[losses[0]].Item() // NaN there; the project decides
				}
				golden.CheckOutputs(t, c, out, 1e-5)
				// Where the reference's gradient is NaN, any finite one will do here.
				loss := tensor.Scalar(0)
				for name, up := range c.Upstream {
					loss = loss.Add(out[name].Mul(up.Tensor()).Sum())
				}
				want(c.Grads["adj"])
				for name, x := range vars {
					got := p.Tape.Grad(loss, x)[0]
					for i, g := range got.Data() {
						if math.IsNaN(float64(g)) || math.IsInf(float64(g), 0) {
							t.Fatalf("gradient of %s is %v at %d", name, g, i)
						}
						if w := c.Grads[name].Floats; w[i] != w[i] {
							w[i] = g
						}
					}
				}
				golden.CheckGrads(t, p.Tape, c, out, vars, 1e-5)
			})
		}
	}
}

func TestCaseDiffPool(t *testing.T) {
	checkCoarse(t, "pooling/dense_diff_pool", [2]string{"link_loss", "entropy_loss"}, func(t *testing.T, c golden.Config) coarsener {
		c.Only(t, "normalize")
		return pool.DiffPoolConfig{Undivided: !c.Bool("normalize", true)}
	})
}

func TestCaseMinCutPool(t *testing.T) {
	checkCoarse(t, "pooling/dense_mincut_pool", [2]string{"mincut_loss", "ortho_loss"}, func(t *testing.T, c golden.Config) coarsener {
		c.Only(t, "temp")
		return pool.MinCutConfig{Temp: c.Float("temp", 1)}
	})
}
