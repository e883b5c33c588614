package tensor_test

import (
	"testing"

	"github.com/ehgnn/ehgnn/internal/golden"
	"github.com/ehgnn/ehgnn/tensor"
)

// Fixture tolerances are those that the fixtures' own float32 runs keep.
const (
	fixtureTol = 1e-6
	penaltyTol = 1e-5 // second derivatives through two layers
)

// eachCase runs f for every case of a fixture, with the variables it lists
// gradients for, and compares the outputs that f returns and their gradients.
func eachCase(t *testing.T, fixture string, tol float64, f func(c golden.Case, vars map[string]*tensor.Tensor) map[string]*tensor.Tensor) {
	t.Helper()
	for _, c := range golden.Load(t, fixture).Cases {
		t.Run(c.Name, func(t *testing.T) {
			tape := newTape(t)
			vars := c.Variables(tape)
			out := f(c, vars)
			if out == nil {
				t.Skip("another operation")
			}
			golden.CheckOutputs(t, c, out, tol)
			golden.CheckGrads(t, tape, c, out, vars, tol)
		})
	}
}

func TestGoldenSegmentSoftmax(t *testing.T) {
	eachCase(t, "layers/segment_softmax", fixtureTol, func(c golden.Case, vars map[string]*tensor.Tensor) map[string]*tensor.Tensor {
		ix := tensor.MustIndex(c.IDs("index"), c.Config.Int("num_segments", 0))
		return map[string]*tensor.Tensor{"out": tensor.SegmentSoftmax(vars["x"], ix)}
	})
}

func TestGoldenReadout(t *testing.T) {
	pools := map[string]func(x *tensor.Tensor, ix *tensor.Index) *tensor.Tensor{
		"add": tensor.SegmentSum, "mean": tensor.SegmentMean, "max": tensor.SegmentMax,
	}
	eachCase(t, "layers/readout", fixtureTol, func(c golden.Case, vars map[string]*tensor.Tensor) map[string]*tensor.Tensor {
		pool := pools[c.Config.String("pool", "")]
		ix := tensor.MustIndex(c.IDs("batch"), c.Config.Int("num_graphs", 0))
		return map[string]*tensor.Tensor{"out": pool(vars["x"], ix)}
	})
}

func TestGoldenLogSoftmax(t *testing.T) {
	ran := 0
	eachCase(t, "layers/losses", fixtureTol, func(c golden.Case, vars map[string]*tensor.Tensor) map[string]*tensor.Tensor {
		if c.Name != "log_softmax" && c.Name != "log_softmax/large" {
			return nil
		}
		ran++
		return map[string]*tensor.Tensor{"out": vars["x"].LogSoftmax()}
	})
	if ran != 2 {
		t.Errorf("%d cases, want 2", ran)
	}
}

// TestGoldenGradientPenalty takes the penalty of MolGAN's critic, and the
// gradients of its parameters through the penalty.
func TestGoldenGradientPenalty(t *testing.T) {
	for _, c := range golden.Load(t, "layers/wgan_gp").Cases {
		t.Run(c.Name, func(t *testing.T) {
			tape := newTape(t)
			vars := c.Variables(tape)
			mix := func(name string) *tensor.Tensor {
				eps := c.Tensor("eps").Reshape(-1, 1, 1, 1)
				realPart, fake := c.Tensor(name+"_real"), c.Tensor(name+"_fake")
				if realPart.Rank() == 3 {
					eps = eps.Reshape(-1, 1, 1)
				}
				return tape.Variable(eps.Mul(realPart).Add(eps.Neg().AddScalar(1).Mul(fake)))
			}
			a, x := mix("A"), mix("X")
			d := critic(vars, a, x)
			g := tape.GradGraph(d, a, x)
			samples := a.Dim(0)
			square := func(g *tensor.Tensor) *tensor.Tensor { return g.Reshape(samples, -1).Square().SumAxis(1) }
			penalty := func(squares *tensor.Tensor) *tensor.Tensor { return squares.Sqrt().AddScalar(-1).Square().Mean() }
			byA, byX := penalty(square(g[0])), penalty(square(g[1]))
			joint := penalty(square(g[0]).Add(square(g[1])))
			out := map[string]*tensor.Tensor{}
			switch on := c.Config.String("penalty_on", ""); on {
			case "A":
				out["gp"] = byA
			case "X":
				out["gp"] = byX
			case "sum":
				out["gp"] = byA.Add(byX)
			case "joint":
				out["gp"] = joint
			case "": // the whole loss of the critic, with the joint penalty
				score := func(kind string) *tensor.Tensor {
					return critic(vars, c.Tensor("A_"+kind), c.Tensor("X_"+kind)).Mean()
				}
				lambda := float32(c.Config.Float("lambda", 0))
				out["loss"] = score("fake").Sub(score("real")).Add(joint.MulScalar(lambda))
			default:
				t.Fatalf("penalty on %q", on)
			}
			if c.Has("outputs.d_hat") {
				out["d_hat"], out["dA"], out["dX"] = d, g[0], g[1]
			}
			golden.CheckOutputs(t, c, out, penaltyTol)
			golden.CheckGrads(t, tape, c, out, vars, penaltyTol)
		})
	}
}

// critic scores graphs with adjacency a [b,relations,n,n] and features x
// [b,n,f]: two relational layers and a gated sum over the nodes.
func critic(vars map[string]*tensor.Tensor, a, x *tensor.Tensor) *tensor.Tensor {
	b, relations, n := a.Dim(0), a.Dim(1), a.Dim(2)
	linear := func(h *tensor.Tensor, name string) *tensor.Tensor {
		y := tensor.Affine(h.Reshape(b*n, -1), vars["params."+name+".weight"], vars["params."+name+".bias"],
			tensor.AffineConfig{TransW: true})
		return y.Reshape(b, n, -1)
	}
	h := x
	for _, layer := range []string{"conv1", "conv2"} {
		sum := linear(h, layer+".self")
		for r := range relations {
			v := vars["params."+layer+".rel.weight"]
			v = v.Slice(0, r, r+1).Reshape(v.Dim(1), v.Dim(2))
			sent := h.Reshape(b*n, -1).MatMul(v).Reshape(b, n, -1)
			sum = sum.Add(tensor.BatchMatMul(a.Slice(1, r, r+1).Reshape(b, n, n), sent, false, false))
		}
		h = sum.Tanh()
	}
	joined := tensor.Concat(2, h, x)
	s := linear(joined, "gate").Sigmoid().Mul(linear(joined, "value").Tanh()).SumAxis(1).Tanh()
	return tensor.Affine(s.Reshape(b, -1), vars["params.out.weight"], vars["params.out.bias"],
		tensor.AffineConfig{TransW: true}).Reshape(b)
}
