package pool

import (
	"cmp"
	"fmt"
	"math"

	"github.com/ehgnn/ehgnn/graph"
	"github.com/ehgnn/ehgnn/nn"
	"github.com/ehgnn/ehgnn/tensor"
)

// MABDims are the widths of a MAB: of queries, of the vertices that give keys and values, and of
// the result.
type MABDims struct{ Query, Key, Out int }

// MABConfig describes a multi-head attention block.
type MABConfig struct {
	Heads int // 1 when zero; divides the output width
	// LayerNorm normalises after the attention and after the last map.
	LayerNorm bool
	// Cluster takes the softmax over the queries and not over the keys. It assigns every vertex to
	// the queries.
	Cluster bool
	// SeedScale is the standard deviation of a GMPool's initial seeds, which are then normal. 0
	// means Glorot-uniform seeds. If seeds are far from each other, they divide the vertices from
	// the first step on.
	SeedScale float64
	// Keys builds the maps of keys and values, for example ConvSpec.New. nil means Linear.
	Keys func(in nn.Init, d nn.ConvDims) (nn.Conv, error)
	// ReferencePadding adds the effect of padding in the authors' code with Linear keys and
	// Cluster: each missing vertex, up to the size of the largest sample of the batch, sends the
	// bias of fc_v to every query with weight 1/queries. A sample's result then depends on its
	// batch, so it is off by default.
	ReferencePadding bool
}

// MAB is the multi-head attention block of GMPool (Baek, Kang and Hwang 2021, section 3.2, and the
// authors' code):
//
//	Q = q·W_q,  K = keys(v),  V = values(v)
//	A = softmax(Q·Kᵀ/sqrt(d)),  O = Q + A·V,  out = O + ReLU(O·W_o)
//
// d is the full width, whatever the number of heads. Queries attend only to the vertices of their
// own sample. There is no padding.
//
// Keys and values of GCN, HyperConv and Linear have the form P(v·W) + b. They are not computed if
// the following products are less work, as they are for few queries: Q·Kᵀ is P(v·(W·Qᵀ)) + b·Qᵀ for
// queries that all samples share, and A·V is (A·P(v))·W + A·1·b.
type MAB struct {
	Q, O         *nn.Linear
	Keys, Values nn.Conv
	Norm0, Norm1 *nn.LayerNorm // nil without LayerNorm
	MABConfig
}

// NewMAB returns a block. It returns an error if the heads do not divide the output width.
func NewMAB(in nn.Init, d MABDims, c MABConfig) (*MAB, error) {
	c.Heads = cmp.Or(c.Heads, 1)
	if c.Heads < 0 || d.Out%c.Heads != 0 {
		return nil, fmt.Errorf("pool: MAB: the width is %d, expected a multiple of the %d heads", d.Out, c.Heads)
	}
	build := c.Keys
	if build == nil {
		build = func(in nn.Init, d nn.ConvDims) (nn.Conv, error) { return nn.NewPointwise(in, d), nil }
	}
	maps := nn.ConvDims{In: d.Key, Out: d.Out}
	keys, err := build(in.In("fc_k"), maps)
	if err != nil {
		return nil, err
	}
	values, err := build(in.In("fc_v"), maps)
	if err != nil {
		return nil, err
	}
	m := &MAB{MABConfig: c, Q: nn.NewLinear(in.In("fc_q"), nn.Dims{In: d.Query, Out: d.Out}), Keys: keys, Values: values,
		O: nn.NewLinear(in.In("fc_o"), nn.Dims{In: d.Out, Out: d.Out})}
	if c.LayerNorm {
		m.Norm0, m.Norm1 = nn.NewLayerNorm(in.In("ln0"), d.Out), nn.NewLayerNorm(in.In("ln1"), d.Out)
	}
	return m, nil
}

// Params lists the parameters of all parts.
func (m *MAB) Params() []*tensor.Param {
	out := nn.Params(m.Q, m.Keys, m.Values)
	if m.Norm0 != nil {
		out = append(out, nn.Params(m.Norm0, m.Norm1)...)
	}
	return append(out, m.O.Params()...)
}

// Attention holds the weights of an attention block, head by head: [n,queries] over the vertices of
// a batch. With Cluster this is the assignment of vertices to queries, the matrix C of the paper,
// and rows sum to 1.
type Attention []*tensor.Tensor

// Forward attends from q [samples,queries,dimQ] to the vertices of v. It returns
// [samples,queries,dim] and the attention. Queries that all samples share are [1,queries,dimQ] and
// are mapped once.
func (m *MAB) Forward(p *nn.Pass, q *tensor.Tensor, v graph.View) (*tensor.Tensor, Attention) {
	seeds := m.Q.Forward(p, q)
	query := seeds
	if n := v.VertexOf.Slots(); query.Dim(0) == 1 && n != 1 {
		query = query.Expand(n, query.Dim(1), query.Dim(2))
	}
	assign, value := m.assignment(p, seeds, query, v), m.attended(p, query, v)
	weights := make(Attention, 0, m.Heads)
	out := m.eachHead(query, func(h head) *tensor.Tensor {
		a := assign(h)
		weights = append(weights, a)
		return value(h, a)
	})
	if m.ReferencePadding && m.Cluster {
		out = m.addPadding(p, out, query, v.VertexOf)
	}
	return m.finish(p, out), weights
}

// scale is 1/sqrt(d), where d is the full width.
func (m *MAB) scale(query *tensor.Tensor) float32 {
	return float32(1 / math.Sqrt(float64(query.Dim(-1))))
}

// head is the range of columns of one head in queries, keys and values.
type head struct{ at, lo, hi int }

func (m *MAB) head(query *tensor.Tensor, i int) head {
	width := query.Dim(-1) / m.Heads
	return head{i, i * width, (i + 1) * width}
}

func (h head) of(x *tensor.Tensor) *tensor.Tensor { return x.Slice(-1, h.lo, h.hi) }

// eachHead is Q + A·V, head by head. attend returns A·V.
func (m *MAB) eachHead(query *tensor.Tensor, attend func(head) *tensor.Tensor) *tensor.Tensor {
	parts := make([]*tensor.Tensor, m.Heads)
	for i := range parts {
		h := m.head(query, i)
		parts[i] = h.of(query).Add(attend(h))
	}
	return tensor.Concat(-1, parts...)
}

// fewer reports whether multiplying one row per query by W is less work than multiplying the n
// vertices by W.
func (m *MAB) fewer(queries, n int, query *tensor.Tensor) bool {
	k, dim := query.Dim(1), query.Dim(2)
	return queries*dim+n*m.Heads*k < n*dim
}

// assignment returns a function that computes A of a head [n,queries]. seeds are the queries
// [1,queries,dim] before they were expanded, or equal to query.
func (m *MAB) assignment(p *nn.Pass, seeds, query *tensor.Tensor, v graph.View) func(head) *tensor.Tensor {
	scale, k := m.scale(query), query.Dim(1)
	normalise := func(score *tensor.Tensor) *tensor.Tensor {
		if m.Cluster {
			return score.Softmax()
		}
		return tensor.SegmentSoftmax(score, v.VertexOf)
	}
	keys, ok := m.Keys.(nn.Factored)
	if !ok || seeds.Dim(0) != 1 || !m.fewer(k, v.VertexOf.Len(), query) {
		all := m.Keys.Forward(p, v)
		return func(h head) *tensor.Tensor {
			// There are fewer queries than scores, so the queries are scaled.
			q := h.of(query).MulScalar(scale)
			if m.Cluster {
				return tensor.RaggedAssign(h.of(all), q, v.VertexOf)
			}
			return normalise(tensor.RaggedNT(h.of(all), q, v.VertexOf))
		}
	}
	w, b, mix := keys.Factors(p, v)
	q := seeds.Reshape(k, -1).MulScalar(scale)
	products := make([]*tensor.Tensor, m.Heads)
	for i := range products {
		h := m.head(query, i)
		products[i] = h.of(w).MatMulT(h.of(q))
	}
	score := mix(v.X.MatMul(tensor.Concat(1, products...)))
	return func(h head) *tensor.Tensor {
		s := score.Slice(1, h.at*k, (h.at+1)*k)
		if b != nil {
			s = s.Add(h.of(b).Reshape(1, -1).MatMulT(h.of(q)))
		}
		return normalise(s)
	}
}

// attended returns a function that computes A·V of a head [samples,queries,dim/heads] from A.
func (m *MAB) attended(p *nn.Pass, query *tensor.Tensor, v graph.View) func(h head, a *tensor.Tensor) *tensor.Tensor {
	samples, k, of := query.Dim(0), query.Dim(1), v.VertexOf
	values, ok := m.Values.(nn.Factored)
	if !ok || !m.fewer(samples*k, of.Len(), query) {
		all := m.Values.Forward(p, v)
		return func(h head, a *tensor.Tensor) *tensor.Tensor { return tensor.RaggedTN(a, h.of(all), of) }
	}
	w, b, mix := values.Factors(p, v)
	x := mix(v.X)
	return func(h head, a *tensor.Tensor) *tensor.Tensor {
		sum := tensor.RaggedTN(a, x, of).Reshape(samples*k, -1).MatMul(h.of(w)).Reshape(samples, k, -1)
		if b == nil {
			return sum
		}
		return sum.Add(tensor.SegmentSum(a, of).Reshape(samples, k, 1).Mul(h.of(b)))
	}
}

// finish is the part after the attention: O + ReLU(O·W_o) and the norms.
func (m *MAB) finish(p *nn.Pass, out *tensor.Tensor) *tensor.Tensor {
	if m.Norm0 != nil {
		out = m.Norm0.Forward(p, out)
	}
	out = out.Add(m.O.ForwardReLU(p, out))
	if m.Norm1 != nil {
		out = m.Norm1.Forward(p, out)
	}
	return out
}

// addPadding is ReferencePadding of MABConfig. Only Linear values have this effect.
func (m *MAB) addPadding(p *nn.Pass, out, query *tensor.Tensor, of *tensor.Index) *tensor.Tensor {
	keys, ok := m.Keys.(*nn.Pointwise)
	values, ok2 := m.Values.(*nn.Pointwise)
	if !ok || !ok2 {
		return out
	}
	counts := of.Counts()
	longest := int32(0)
	for _, c := range counts {
		longest = max(longest, c)
	}
	missing := tensor.New(len(counts), 1, 1)
	for i, c := range counts {
		missing.Data()[i] = float32(longest - c)
	}
	dim := query.Dim(2)
	scale := float32(1 / math.Sqrt(float64(dim)))
	width := dim / m.Heads
	parts := make([]*tensor.Tensor, m.Heads)
	for h := range m.Heads {
		lo, hi := h*width, (h+1)*width
		// The mask of -1e9 hides the score of a missing vertex, whose key is the bias of fc_k, but
		// not the gradient of the score.
		score := query.Slice(2, lo, hi).Mul(p.Var(keys.Bias).Slice(0, lo, hi)).SumAxis(2).Transpose()
		share := score.Sub(score.Detach()).MulScalar(scale).Softmax().Transpose()
		parts[h] = share.Mul(p.Var(values.Bias).Slice(0, lo, hi)).Mul(missing)
	}
	return out.Add(tensor.Concat(2, parts...))
}

// GMPool turns the vertices of each sample into k vectors by attention from k learned seeds
// (GMPool_k). On a graph it pools nodes. On the dual, with hypergraph convolutions as keys and
// values, it pools edges: see NewHyperCluster.
type GMPool struct {
	Seeds *tensor.Param // S [1,k,dim]: see MABConfig.SeedScale
	*MAB
}

// GMPoolDims are the width of the vertices and of the result, and the number of seeds.
type GMPoolDims struct{ Dim, Seeds int }

// NewGMPool returns a pool of vertices of width d.Dim to d.Seeds vectors of that width. It returns
// an error if there is no seed or the heads do not divide the width.
func NewGMPool(in nn.Init, d GMPoolDims, c MABConfig) (*GMPool, error) {
	if d.Seeds < 1 {
		return nil, fmt.Errorf("pool: GMPool: %d seeds, expected at least 1", d.Seeds)
	}
	mab, err := NewMAB(in.In("mab"), MABDims{Query: d.Dim, Key: d.Dim, Out: d.Dim}, c)
	if err != nil {
		return nil, err
	}
	g := &GMPool{MAB: mab}
	if c.SeedScale > 0 {
		g.Seeds = in.Normal("S", c.SeedScale, 1, d.Seeds, d.Dim)
	} else {
		g.Seeds = in.Glorot("S", d.Seeds, d.Dim, 1, d.Seeds, d.Dim)
	}
	return g, nil
}

// Params lists the seeds and the block's parameters.
func (g *GMPool) Params() []*tensor.Param {
	return append([]*tensor.Param{g.Seeds}, g.MAB.Params()...)
}

// Forward pools the vertices of v to [samples,k,dim].
func (g *GMPool) Forward(p *nn.Pass, v graph.View) (*tensor.Tensor, Attention) {
	return g.MAB.Forward(p, p.Var(g.Seeds), v)
}

// Unpool spreads pooled vectors [samples,k,dim] over the vertices by their attention, x_i = Σ_j
// A_ij·P_j, head by head: [n,dim].
func Unpool(pooled *tensor.Tensor, a Attention, of *tensor.Index) *tensor.Tensor {
	width := pooled.Dim(2) / len(a)
	parts := make([]*tensor.Tensor, len(a))
	for h := range a {
		parts[h] = tensor.RaggedNN(a[h], pooled.Slice(2, h*width, (h+1)*width), of)
	}
	return tensor.Concat(1, parts...)
}

// NewHyperCluster is NewGMPool for the dual hypergraph, with hypergraph convolutions
// as keys and values (paper, section 3.2, equation 7 and appendix B.1): it clusters
// the edges of a graph. Call Forward on v.Dual().
func NewHyperCluster(in nn.Init, d GMPoolDims, c MABConfig) (*GMPool, error) {
	c.Keys = func(in nn.Init, d nn.ConvDims) (nn.Conv, error) {
		return nn.NewHyperConv(in, d, nn.HyperConvConfig{}), nil
	}
	return NewGMPool(in, d, c)
}
