package nn_test

import (
	"math"
	"testing"

	"github.com/ehgnn/ehgnn/graph"
	"github.com/ehgnn/ehgnn/internal/golden"
	"github.com/ehgnn/ehgnn/internal/rng"
	"github.com/ehgnn/ehgnn/nn"
	"github.com/ehgnn/ehgnn/tensor"
)

// gatConfig translates the configuration of a case whose attention vector is named
// att.
func gatConfig(c golden.Case, att string) (nn.ConvDims, nn.GATConfig) {
	config := nn.GATConfig{Average: !c.Config.Bool("concat", true), NoLoops: !c.Config.Bool("add_self_loops", true)}
	d := nn.ConvDims{In: c.Value("x").Shape[1], Out: c.Value("params." + att).Shape[2], Edge: c.Config.Int("edge_dim", 0), Heads: c.Config.Int("heads", 1)}
	if !config.Average {
		d.Out *= d.Heads
	}
	return d, config
}

func TestCaseGAT(t *testing.T) {
	for _, c := range golden.Load(t, "layers/gat_conv").Cases {
		t.Run(c.Name, func(t *testing.T) {
			c.Config.Only(t, "heads", "concat", "edge_dim", "add_self_loops")
			d, config := gatConfig(c, "att_src")
			checkNeighbourCase(t, c, must(nn.NewGAT(nn.NewInit(0), d, config)))
		})
	}
}

func TestCaseGATv2(t *testing.T) {
	for _, c := range golden.Load(t, "layers/gatv2_conv").Cases {
		t.Run(c.Name, func(t *testing.T) {
			c.Config.Only(t, "heads", "concat", "edge_dim", "share_weights")
			d, config := gatConfig(c, "att")
			checkNeighbourCase(t, c, must(nn.NewGATv2(nn.NewInit(0), d, nn.GATv2Config{GATConfig: config, Shared: c.Config.Bool("share_weights", false)})))
		})
	}
}

// message is one message as the definition sees it.
type message struct {
	src, dst int
	edge     []float64
	weight   float64
}

// messagesOf lists the messages of a graph by the definition of GAT.
func messagesOf(v graph.View, loops bool) []message {
	var out []message
	ends, n := v.H.Ends(), v.H.NumVertices()
	for e := range len(ends) / 2 {
		a, b := int(ends[2*e]), int(ends[2*e+1])
		if a == b && loops {
			continue
		}
		m := message{a, b, row64(v.E, e), 1}
		if v.W != nil {
			m.weight = float64(v.W.Data()[e])
		}
		out = append(out, m)
		if !v.H.Directed() && a != b {
			m.src, m.dst = b, a
			out = append(out, m)
		}
	}
	if !loops {
		return out
	}
	for i := range n {
		mean, k := make([]float64, v.E.Dim(1)), 0.0
		for _, m := range out {
			if m.dst == i && m.src != i {
				k++
				for j, a := range m.edge {
					mean[j] += a
				}
			}
		}
		for j := range mean {
			mean[j] /= max(k, 1)
		}
		out = append(out, message{i, i, mean, 1})
	}
	return out
}

// attentionWant is the definition: score gives the logit of a message for a
// head, value what a source sends. It returns the output and the attention of
// each message.
func attentionWant(n, heads, d int, average bool, bias *tensor.Tensor, ms []message,
	score func(m message, h int) float64, value func(v, h int) []float64) (out []float64, attention [][]float64) {
	width := heads * d
	if average {
		width = d
	}
	out = make([]float64, n*width)
	attention = make([][]float64, len(ms))
	for i := range attention {
		attention[i] = make([]float64, heads)
	}
	for h := range heads {
		total := make([]float64, n)
		for i, m := range ms {
			attention[i][h] = math.Exp(score(m, h))
			total[m.dst] += attention[i][h]
		}
		for i, m := range ms {
			attention[i][h] /= total[m.dst]
			for j, a := range value(m.src, h) {
				if average {
					out[m.dst*width+j] += attention[i][h] * m.weight * a / float64(heads)
				} else {
					out[m.dst*width+h*d+j] += attention[i][h] * m.weight * a
				}
			}
		}
	}
	if bias != nil {
		for i := range out {
			out[i] += float64(bias.Data()[i%width])
		}
	}
	return out, attention
}

func leaky64(a, slope float64) float64 {
	if a < 0 {
		return slope * a
	}
	return a
}

// part64 is w·x + b for the rows of head h, w being [heads·d,in].
func part64(x []float64, w, b *tensor.Tensor, h, d int) []float64 {
	y := make([]float64, w.Dim(0))
	linear64(y, x, w, b)
	return y[h*d : (h+1)*d]
}

func dot64(a *tensor.Tensor, h int, x []float64) float64 {
	sum := 0.0
	for j, b := range x {
		sum += float64(a.Data()[h*len(x)+j]) * b
	}
	return sum
}

func TestGATAgainstDefinition(t *testing.T) {
	r := rng.Stream(29, "gat")
	for trial := range 150 {
		const in, d = 3, 2
		g := multigraph(r, 1+r.IntN(5), r.IntN(9), in, edgeWidth, trial%2 == 0, true)
		v := must(graph.Collate([]*graph.Graph{g})).View
		if trial%3 == 0 {
			v.W = random(r, g.NumEdges())
		}
		dims := nn.ConvDims{In: in, Out: d, Heads: 1 + r.IntN(3)}
		c := nn.GATConfig{Average: r.IntN(2) == 0, NoLoops: r.IntN(3) == 0, NoBias: r.IntN(4) == 0}
		if !c.Average {
			dims.Out *= dims.Heads
		}
		if r.IntN(2) == 0 {
			dims.Edge = edgeWidth
		}
		if r.IntN(3) == 0 {
			c.Slope = 0.5
		}
		slope := map[bool]float64{true: 0.2, false: 0.5}[c.Slope == 0]
		ms := messagesOf(v, !c.NoLoops)
		check := func(what string, layer interface {
			nn.Conv
			ForwardAttention(*nn.Pass, graph.View) (*tensor.Tensor, nn.ArcAttention)
		}, bias *tensor.Param, score func(m message, h int) float64, value func(v, h int) []float64) {
			t.Helper()
			var b *tensor.Tensor
			if bias != nil {
				bias.Value = random(r, bias.Value.Shape()...)
				b = bias.Value
			}
			want, attention := attentionWant(g.NumNodes, dims.Heads, d, c.Average, b, ms, score, value)
			p := pass(t, trial%2 == 0)
			got, paid := layer.ForwardAttention(p, v)
			near(t, what, got.Data(), narrowed(want), 2e-5)
			near(t, what+", Forward", layer.Forward(p, v).Data(), got.Data(), 0)
			checkAttention(t, v, ms, paid, attention)
		}
		gat := must(nn.NewGAT(nn.NewInit(uint64(trial)), dims, c))
		x := func(u, h int) []float64 { return part64(row64(v.X, u), gat.Weight.Value, nil, h, d) }
		check("GAT", gat, gat.Bias, func(m message, h int) float64 {
			s := dot64(gat.AttSrc.Value, h, x(m.src, h)) + dot64(gat.AttDst.Value, h, x(m.dst, h))
			if dims.Edge > 0 {
				s += dot64(gat.AttEdge.Value, h, part64(m.edge, gat.Edge.Value, nil, h, d))
			}
			return leaky64(s, slope)
		}, x)

		v2 := must(nn.NewGATv2(nn.NewInit(uint64(trial)), dims, nn.GATv2Config{GATConfig: c, Shared: r.IntN(2) == 0}))
		side := func(l *nn.Linear, u, h int) []float64 {
			var b *tensor.Tensor
			if l.Bias != nil {
				b = l.Bias.Value
			}
			return part64(row64(v.X, u), l.Weight.Value, b, h, d)
		}
		target := v2.Target
		if target == nil {
			target = v2.Source
		}
		check("GATv2", v2, v2.Bias, func(m message, h int) float64 {
			z := side(v2.Source, m.src, h)
			for j, a := range side(target, m.dst, h) {
				z[j] += a
			}
			if dims.Edge > 0 {
				for j, a := range part64(m.edge, v2.Edge.Value, nil, h, d) {
					z[j] += a
				}
			}
			return dot64(v2.Att.Value, h, mapped(z, func(a float64) float64 { return leaky64(a, slope) }))
		}, func(u, h int) []float64 { return side(v2.Source, u, h) })
		if t.Failed() {
			t.Fatalf("trial %d: %+v, edges %v", trial, c, g.Ends)
		}
	}
}

// checkAttention matches arcs with messages, which are in another order.
func checkAttention(t *testing.T, v graph.View, ms []message, paid nn.ArcAttention, want [][]float64) {
	t.Helper()
	arcs := paid.Arcs
	if arcs.Src.Len() != len(ms) || paid.Weight.Dim(0) != len(ms) {
		t.Errorf("%d arcs with %v weights, want %d", arcs.Src.Len(), paid.Weight.Shape(), len(ms))
		return
	}
	m, heads := v.H.NumEdges(), paid.Weight.Dim(1)
	ends := v.H.Ends()
	used := make([]bool, len(ms))
	for k := range ms {
		src, dst, e := int(arcs.Src.IDs()[k]), int(arcs.Dst.IDs()[k]), int(arcs.Edge.IDs()[k])
		if e >= m && (src != dst || e != m+dst) {
			t.Errorf("arc %d from %d to %d has edge %d of %d", k, src, dst, e, m)
		}
		if e < m {
			a, b := int(ends[2*e]), int(ends[2*e+1])
			if !(src == a && dst == b || !v.H.Directed() && src == b && dst == a) {
				t.Errorf("arc %d from %d to %d claims edge %d from %d to %d", k, src, dst, e, a, b)
			}
		}
		found := false
		for i, want := range want {
			if used[i] || ms[i].src != src || ms[i].dst != dst {
				continue
			}
			same := true
			for h, w := range want {
				same = same && math.Abs(float64(paid.Weight.Data()[k*heads+h])-w) < 1e-5
			}
			if same {
				used[i], found = true, true
				break
			}
		}
		if !found {
			t.Errorf("arc %d from %d to %d has attention %v, which no message has", k, src, dst, paid.Weight.Data()[k*heads:(k+1)*heads])
		}
	}
}

// Dropout takes arcs away in training, from what is sent and not from what is
// reported.
func TestGATDropout(t *testing.T) {
	r := rng.Stream(30, "dropout")
	v := must(graph.Collate([]*graph.Graph{multigraph(r, 6, 12, 3, 2, false, false)})).View
	for _, rate := range []float64{0.5, 1} {
		for name, layer := range map[string]interface {
			nn.Conv
			ForwardAttention(*nn.Pass, graph.View) (*tensor.Tensor, nn.ArcAttention)
		}{
			"GAT":   must(nn.NewGAT(nn.NewInit(1), nn.ConvDims{In: 3, Out: 8, Heads: 2}, nn.GATConfig{Dropout: rate})),
			"GATv2": must(nn.NewGATv2(nn.NewInit(1), nn.ConvDims{In: 3, Out: 8, Heads: 2}, nn.GATv2Config{GATConfig: nn.GATConfig{Dropout: rate}})),
		} {
			eval, clean := layer.ForwardAttention(pass(t, false), v)
			train, paid := layer.ForwardAttention(pass(t, true), v)
			near(t, name+", attention", paid.Weight.Data(), clean.Weight.Data(), 0)
			differ := 0
			for i, a := range train.Data() {
				if a != eval.Data()[i] {
					differ++
				}
				if rate == 1 && a != 0 { // the bias is 0 at first
					t.Errorf("%s: everything is dropped, but element %d is %v", name, i, a)
				}
			}
			if differ == 0 {
				t.Errorf("%s: dropout of %v changed nothing", name, rate)
			}
			again, _ := layer.ForwardAttention(pass(t, true), v)
			near(t, name+", the same stream", again.Data(), train.Data(), 0)
		}
	}
}

// Initial scales: Glorot over what the products see.
func TestGATInit(t *testing.T) {
	gat := must(nn.NewGAT(nn.NewInit(1), nn.ConvDims{In: 10, Out: 20, Edge: 3, Heads: 4}, nn.GATConfig{}))
	v2 := must(nn.NewGATv2(nn.NewInit(1), nn.ConvDims{In: 10, Out: 20, Edge: 3, Heads: 4}, nn.GATv2Config{}))
	for _, c := range []struct {
		w     *tensor.Param
		bound float64
	}{
		{gat.Weight, math.Sqrt(6. / 30)}, {gat.AttSrc, math.Sqrt(6. / 9)}, {gat.Edge, math.Sqrt(6. / 23)}, {gat.Bias, 0},
		{v2.Source.Weight, math.Sqrt(6. / 30)}, {v2.Source.Bias, math.Sqrt(.1)}, {v2.Att, math.Sqrt(6. / 9)}, {v2.Bias, 0},
	} {
		top := 0.0
		for _, a := range c.w.Value.Data() {
			top = max(top, math.Abs(float64(a)))
		}
		if top > c.bound*1.0001 || top < 0.7*c.bound {
			t.Errorf("%s %v reaches %v, want nearly %v", c.w.Name, c.w.Value.Shape(), top, c.bound)
		}
	}
}
