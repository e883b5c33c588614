package learn

import (
	"math"

	"github.com/ehgnn/ehgnn/internal/links"
	"github.com/ehgnn/ehgnn/internal/lists"
	"github.com/ehgnn/ehgnn/nn"
	"github.com/ehgnn/ehgnn/tensor"
)

// GAEConfig are the settings of a graph autoencoder.
type GAEConfig struct {
	Width     int     `json:"width"`
	Layers    int     `json:"layers"`
	MLP       int     `json:"mlp"` // number of linear layers of the decoder
	Dropout   float64 `json:"dropout"`
	Rate      float64 `json:"lr"`
	Epochs    int     `json:"epochs"`
	Batch     int     `json:"batch"` // 0 to choose it by the number of pairs
	Negatives int     `json:"negatives"`
	Structure bool    `json:"structure"`
	// Common adds the sum of the states of common neighbours to the input of the decoder (NCN).
	Common bool `json:"common,omitempty"`
	// Edges uses layers on the dual of the known pairs instead of propagation between nodes
	// (ehgnn-link).
	Edges bool `json:"edges,omitempty"`
	// Every is the number of epochs between validations.
	Every int    `json:"every"`
	Seed  uint64 `json:"seed"`
}

// NewGAEConfig returns the defaults.
func NewGAEConfig() GAEConfig {
	return GAEConfig{Width: 256, Layers: 4, MLP: 3, Dropout: 0.6, Rate: 0.003, Epochs: 60, Negatives: 3, Structure: true, Every: 4}
}

// structureHidden is the hidden width of the decoder's map of structure columns.
const structureHidden = 64

// GAE is a graph autoencoder (Refined-GAE): one linear map of the features, propagations without
// weights, a learned mean over them, and an MLP on the elementwise product of two node states.
type GAE struct {
	Config   GAEConfig
	kind     links.Kind
	nodes    int
	features *tensor.Tensor // [nodes, columns]; nil if nodes have learned vectors
	encode   *nn.Linear
	vectors  *tensor.Param
	norms    []*nn.LayerNorm // of each propagation from the second on
	layers   []*nn.Linear    // layers for the states of pairs, with Config.Edges
	mix      *tensor.Param   // [layers], weights before softmax
	columns  *nn.Linear
	colNorm  *nn.LayerNorm
	hidden   []*nn.Linear
	hidNorms []*nn.LayerNorm
	out      *nn.Linear
	mean     *tensor.Param // means of structure columns
	scale    *tensor.Param
}

// NewGAE returns a model for the nodes of the data. The features may be nil.
func NewGAE(d *links.Data, f *links.Features, c GAEConfig) *GAE {
	in := nn.NewInit(c.Seed).In("gae")
	m := &GAE{Config: c, kind: d.Kind, nodes: d.Nodes()}
	if f != nil {
		m.features = sparseFeatures(d.Nodes(), f)
		m.encode = nn.NewLinear(in.In("encode"), nn.Dims{In: f.Columns, Out: c.Width})
	} else {
		m.vectors = in.Normal("vectors", 1/math.Sqrt(float64(c.Width)), d.Nodes(), c.Width)
		orthogonal(m.vectors.Value.Data(), d.Nodes(), c.Width)
	}
	for l := 1; l < c.Layers; l++ {
		m.norms = append(m.norms, nn.NewLayerNorm(in.In("norms", l), c.Width))
	}
	m.mix = in.Zeros("mix", 1, c.Layers)
	if c.Edges {
		for l := range c.Layers {
			m.layers = append(m.layers, nn.NewLinear(in.In("layers", l), nn.Dims{In: c.Width, Out: c.Width}))
		}
	}
	width := c.Width
	if c.Common || c.Edges {
		width += c.Width
	}
	if c.Structure {
		k := structureWidth(d.Kind)
		m.columns = nn.NewLinear(in.In("columns"), nn.Dims{In: k, Out: structureHidden})
		m.colNorm = nn.NewLayerNorm(in.In("columns", "norm"), structureHidden)
		m.mean, m.scale = in.Zeros("columns.mean", k), in.Full("columns.scale", 1, k)
		m.mean.Buffer, m.scale.Buffer = true, true
		width += structureHidden
	}
	for l := 1; l < c.MLP; l++ {
		m.hidden = append(m.hidden, nn.NewLinear(in.In("decode", l), nn.Dims{In: width, Out: c.Width}))
		m.hidNorms = append(m.hidNorms, nn.NewLayerNorm(in.In("decode", l, "norm"), c.Width))
		width = c.Width
	}
	m.out = nn.NewLinear(in.In("decode.out"), nn.Dims{In: width, Out: 1})
	return m
}

// Params lists the parameters.
func (m *GAE) Params() []*tensor.Param {
	var out []*tensor.Param
	if m.encode != nil {
		out = append(out, m.encode.Params()...)
	} else {
		out = append(out, m.vectors)
	}
	out = append(out, nn.Each(m.norms).Params()...)
	out = append(out, nn.Each(m.layers).Params()...)
	out = append(out, m.mix)
	if m.columns != nil {
		out = append(out, nn.Params(m.columns, m.colNorm)...)
		out = append(out, m.mean, m.scale)
	}
	out = append(out, nn.Each(m.hidden).Params()...)
	out = append(out, nn.Each(m.hidNorms).Params()...)
	return append(out, m.out.Params()...)
}

// sparseFeatures returns the features as a tensor.
func sparseFeatures(nodes int, f *links.Features) *tensor.Tensor {
	c := tensor.SparseConfig{Rows: nodes, Cols: f.Columns, Ptr: make([]int32, 1, nodes+1)}
	for v := range int32(nodes) {
		cols, vals := f.Row(v)
		c.Col = append(c.Col, cols...)
		for _, x := range vals {
			c.Coef = append(c.Coef, float32(x))
		}
		c.Ptr = append(c.Ptr, int32(len(c.Col)))
	}
	return tensor.SparseRows(tensor.NewSparse(c))
}

// orthogonal makes the columns of a random matrix orthogonal, with rows of length about 1.
func orthogonal(x []float32, rows, cols int) {
	if rows < cols {
		return
	}
	column := make([][]float64, cols)
	for k := range cols {
		c := make([]float64, rows)
		for i := range c {
			c[i] = float64(x[i*cols+k])
		}
		for _, b := range column[:k] {
			dot := 0.0
			for i, y := range b {
				dot += float64(y * c[i])
			}
			for i, y := range b {
				c[i] -= float64(dot * y)
			}
		}
		norm := math.Sqrt(lists.SumOf(c, func(y float64) float64 { return float64(y * y) }))
		for i := range c {
			c[i] /= norm
			x[i*cols+k] = float32(c[i] * math.Sqrt(float64(rows)/float64(cols)))
		}
		column[k] = c
	}
}

// propagation returns D^-½(A+I)D^-½, or D^-½AD^-½ without loops, of a graph without the hidden
// pairs.
func propagation(g *links.Graph, hidden map[[2]int32]bool, loops bool) *tensor.Sparse {
	c := tensor.SparseConfig{Rows: g.Nodes, Cols: g.Nodes, Ptr: make([]int32, 1, g.Nodes+1), Symmetric: true}
	c.Col = make([]int32, 0, len(g.Both.Adj)+g.Nodes)
	for u := range int32(g.Nodes) {
		own := !loops
		for _, v := range g.Both.Of(u) {
			if !own && v > u {
				c.Col, own = append(c.Col, u), true
			}
			if !hidden[[2]int32{min(u, v), max(u, v)}] {
				c.Col = append(c.Col, v)
			}
		}
		if !own {
			c.Col = append(c.Col, u)
		}
		c.Ptr = append(c.Ptr, int32(len(c.Col)))
	}
	root := make([]float32, g.Nodes)
	for u := range root {
		if d := c.Ptr[u+1] - c.Ptr[u]; d > 0 {
			root[u] = float32(1 / math.Sqrt(float64(d)))
		}
	}
	c.Coef = make([]float32, len(c.Col))
	for u := range g.Nodes {
		for k := c.Ptr[u]; k < c.Ptr[u+1]; k++ {
			c.Coef[k] = root[u] * root[c.Col[k]]
		}
	}
	return tensor.NewSparse(c)
}

// input returns the states of the nodes before propagation.
func (m *GAE) input(p *nn.Pass) *tensor.Tensor {
	if m.encode != nil {
		return m.encode.Forward(p, m.features)
	}
	return p.Var(m.vectors)
}

// encodeNodes returns the states of all nodes.
func (m *GAE) encodeNodes(p *nn.Pass, a *tensor.Sparse) *tensor.Tensor {
	h := m.input(p)
	weights := p.Var(m.mix).Softmax()
	var sum *tensor.Tensor
	for l := range m.Config.Layers {
		if l > 0 {
			h = nn.Dropout(p, m.norms[l-1].Forward(p, h), m.Config.Dropout)
		}
		h = tensor.SpMM(a, h, tensor.SpMMConfig{})
		part := h.Mul(weights.Slice(1, l, l+1))
		if sum == nil {
			sum = part
		} else {
			sum = sum.Add(part)
		}
	}
	return sum
}

// decode returns the logits of pairs of states. columns are the pairs' standardised structure
// columns, and common the sums of the states of their common neighbours. Each may be nil.
func (m *GAE) decode(p *nn.Pass, u, v, columns, common *tensor.Tensor) *tensor.Tensor {
	z := u.Mul(v)
	parts := []*tensor.Tensor{z}
	if common != nil {
		parts = append(parts, common)
	}
	if columns != nil {
		parts = append(parts, m.colNorm.Forward(p, m.columns.Forward(p, columns)).ReLU())
	}
	if len(parts) > 1 {
		z = tensor.Concat(1, parts...)
	}
	for l, hidden := range m.hidden {
		z = m.hidNorms[l].Forward(p, hidden.Forward(p, z))
		z = nn.Dropout(p, z.Mul(z.Sigmoid()), m.Config.Dropout) // SiLU
	}
	return m.out.Forward(p, z)
}

// commonSums returns the matrix that sums the states of the common neighbours of pairs, in a graph
// without the hidden pairs.
func commonSums(g *links.Graph, pairs [][2]int32, hidden map[[2]int32]bool) *tensor.Sparse {
	c := tensor.SparseConfig{Rows: len(pairs), Cols: g.Nodes, Ptr: make([]int32, 1, len(pairs)+1), Col: []int32{}}
	for _, p := range pairs {
		of := g.Both.Of(p[0])
		g.Both.Common(p[0], p[1], func(i, _ int) {
			w := of[i]
			if !hidden[[2]int32{min(w, p[0]), max(w, p[0])}] && !hidden[[2]int32{min(w, p[1]), max(w, p[1])}] {
				c.Col = append(c.Col, w)
			}
		})
		c.Ptr = append(c.Ptr, int32(len(c.Col)))
	}
	return tensor.NewSparse(c)
}

// encoded has the states that the decoder reads.
type encoded struct {
	nodes  *tensor.Tensor
	states *tensor.Tensor // states of the pairs of dual; nil without Config.Edges
	dual   *dualGraph
	graph  *links.Graph
	hidden map[[2]int32]bool
}

// encodeGraph encodes a graph without the hidden pairs.
func (m *GAE) encodeGraph(p *nn.Pass, g *links.Graph, hidden map[[2]int32]bool) *encoded {
	e := &encoded{graph: g, hidden: hidden}
	if m.Config.Edges {
		e.dual = newDual(g, hidden)
		e.nodes, e.states = m.encodeEdges(p, e.dual)
		return e
	}
	e.nodes = m.encodeNodes(p, propagation(g, hidden, true))
	return e
}

// common returns the sums over common neighbours that the decoder reads, or nil if it reads none.
func (m *GAE) common(e *encoded, pairs [][2]int32) *tensor.Tensor {
	switch {
	case m.Config.Edges:
		return e.dual.commonStates(e.states, pairs)
	case m.Config.Common:
		return tensor.SpMM(commonSums(e.graph, pairs, e.hidden), e.nodes, tensor.SpMMConfig{})
	}
	return nil
}
