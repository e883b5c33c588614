package learn

import (
	"context"

	"github.com/ehgnn/ehgnn/internal/links"
	"github.com/ehgnn/ehgnn/internal/links/score"
	"github.com/ehgnn/ehgnn/internal/lists"
	"github.com/ehgnn/ehgnn/internal/rng"
	"github.com/ehgnn/ehgnn/internal/safetensors"
	"github.com/ehgnn/ehgnn/nn"
	"github.com/ehgnn/ehgnn/nn/loss"
	"github.com/ehgnn/ehgnn/tensor"
)

// LightGCNConfig are the settings of LightGCN.
type LightGCNConfig struct {
	Width  int     `json:"width"`
	Layers int     `json:"layers"`
	Rate   float64 `json:"lr"`
	Epochs int     `json:"epochs"`
	Batch  int     `json:"batch"`
	Every  int     `json:"every"` // number of epochs between validations
}

// NewLightGCNConfig returns the defaults.
func NewLightGCNConfig() LightGCNConfig {
	return LightGCNConfig{Width: 64, Layers: 3, Rate: 0.01, Epochs: 120, Batch: 8192, Every: 10}
}

// LightGCN scores a source and a target of a bipartite graph by the inner product of their states.
// A state is the mean of the learned vectors and their propagations with D^-½AD^-½, without weights
// or activation (He et al. 2020).
type LightGCN struct {
	Config  LightGCNConfig
	nodes   int
	vectors *tensor.Param // [nodes, width]

	sources, targets []int32
}

// NewLightGCN returns a model for the nodes of the data.
func NewLightGCN(d *links.Data, c LightGCNConfig, seed uint64) *LightGCN {
	m := &LightGCN{Config: c, nodes: d.Nodes(), vectors: nn.NewInit(seed).In("lightgcn").Normal("vectors", 0.1, d.Nodes(), c.Width)}
	m.sources, m.targets = d.Ends()
	return m
}

// Params lists the parameters.
func (m *LightGCN) Params() []*tensor.Param { return []*tensor.Param{m.vectors} }

// states returns the means over layers, [nodes, width].
func (m *LightGCN) states(p *nn.Pass, a *tensor.Sparse) *tensor.Tensor {
	h := p.Var(m.vectors)
	sum := h
	for range m.Config.Layers {
		h = tensor.SpMM(a, h, tensor.SpMMConfig{})
		sum = sum.Add(h)
	}
	return sum.MulScalar(1 / float32(m.Config.Layers+1))
}

// Training returns the training of the model on the pairs of a graph.
func (m *LightGCN) Training(g *links.Graph, seed uint64) (*LightGCNTraining, error) {
	t := &LightGCNTraining{model: m, graph: g, seed: seed}
	for u := range int32(g.Nodes) {
		for _, v := range g.Out.Of(u) {
			t.pairs = append(t.pairs, [2]int32{u, v})
		}
	}
	var err error
	t.State, err = newState(m.Params())
	return t, err
}

// LightGCNTraining trains a LightGCN epoch by epoch.
type LightGCNTraining struct {
	State
	model *LightGCN
	graph *links.Graph
	pairs [][2]int32
	seed  uint64
}

// Epoch trains one epoch.
func (t *LightGCNTraining) Epoch(ctx context.Context, arena *tensor.Arena) (Epoch, error) {
	r := rng.Stream(t.seed, "links", "lightgcn", "epoch", t.Done)
	c := &t.model.Config
	return t.run(ctx, "lightgcn", r, len(t.pairs), c.Batch, c.Rate, func(of []int) (float32, error) {
		b := rankBatch{hidden: map[[2]int32]bool{}}
		for _, i := range of {
			b.add(t.pairs[i], t.negative(t.pairs[i][0], r.IntN))
		}
		return t.step(arena, &b)
	})
}

// negative draws a target that is no training partner of a source. If the draws find none, it
// returns any target.
func (t *LightGCNTraining) negative(u int32, next func(n int) int) int32 {
	for range 50 {
		if v := t.model.targets[next(len(t.model.targets))]; !t.graph.Out.Has(u, v) {
			return v
		}
	}
	return t.model.targets[next(len(t.model.targets))]
}

// rankBatch has the pairs of a step: source u should score target v above target w.
type rankBatch struct {
	u, v, w []int32
	hidden  map[[2]int32]bool // the pairs of the batch; the graph of the step does not have them
}

func (b *rankBatch) add(p [2]int32, negative int32) {
	b.u, b.v, b.w = append(b.u, p[0]), append(b.v, p[1]), append(b.w, negative)
	b.hidden[[2]int32{min(p[0], p[1]), max(p[0], p[1])}] = true
}

// step updates the vectors with one batch and the loss of Bayesian personalised ranking.
func (t *LightGCNTraining) step(arena *tensor.Arena, b *rankBatch) (l float32, err error) {
	defer tensor.Catch(&err)
	tape := arena.Tape()
	defer tape.Close()
	p := &nn.Pass{Tape: tape, Train: true}
	h := t.model.states(p, propagation(t.graph, b.hidden, false))
	at := func(v []int32) *tensor.Tensor { return tensor.Gather(h, tensor.MustIndex(v, t.model.nodes)) }
	above := at(b.u).Mul(at(b.v).Sub(at(b.w))).SumAxis(1).Reshape(len(b.u))
	total := loss.BCEWithLogits(above, tensor.Full(1, len(b.u))) // -ln sigmoid(s(u,v) - s(u,w))
	t.Opt.Step(t.model.Config.Rate, tape.Grad(total, tape.Watch(t.model.vectors)))
	return total.Item(), nil
}

// On returns a scorer of candidates that uses the graph of c.
func (m *LightGCN) On(c *links.Columns, name string, threads int) (s score.Scorer, err error) {
	defer tensor.Catch(&err)
	tape := tensor.NewArena(threads).Tape()
	defer tape.Close()
	h := m.states(&nn.Pass{Tape: tape}, propagation(c.Graph, nil, false)).Data()
	w := m.Config.Width
	rows := func(nodes []int32) score.Vectors {
		return score.Vectors{Nodes: nodes, Rows: lists.TakeRows(h, w, nodes)}
	}
	return score.NewProducts(name, m.nodes, w, rows(m.sources), rows(m.targets)), nil
}

// Arrays returns the weights as arrays of a file.
func (m *LightGCN) Arrays() []safetensors.Tensor { return ParamArrays(m.Params()) }
