package model

import (
	"cmp"
	"fmt"

	"github.com/ehgnn/ehgnn/graph"
	"github.com/ehgnn/ehgnn/nn"
	"github.com/ehgnn/ehgnn/nn/pool"
	"github.com/ehgnn/ehgnn/tensor"
)

// Autoencoder compresses a graph by pooling its nodes, and reconstructs features of nodes or edges:
//
//	X_1 = ReLU(L_1(X, E)), ..., X_l = ReLU(L_l(X_(l-1), E))     the encoder, l layers
//	Z   = Unpool(Pool(X_l))                                      k vectors, and n rows again
//	Y   = G_(l+1)(ReLU(G_l( ... ReLU(G_1(Z)))))                  the decoder
//
// The prediction for a node is its row of Y, for an edge the mean of Y over its two ends. This is
// the node autoencoder of GMT (Baek, Kang and Hwang 2021). With edge-aware layers L it is the
// baseline of the paper's edge reconstruction (section 4.1, appendix C.2). The paper does not
// describe the decoder. Here G are GCNs, because layers that read E would read the features that
// they predict. They do so with EdgeAutoencoderConfig.DecoderSeesEdges.
//
// Parameters are named convs.i (L), pool, unconvs.i (G) and last.
type Autoencoder struct {
	Convs   []nn.Conv
	Pool    nodePool
	Unconvs []nn.Conv // no ReLU follows the last one
	ofEdges bool
}

// NodeAutoencoderConfig are the settings of an Autoencoder of nodes.
type NodeAutoencoderConfig struct {
	Hidden int `json:"hidden"`
	Layers int `json:"layers"` // of the encoder; the decoder has one more
	// Ratio gives NodeClusters as a share of the mean number of nodes, if it is not given.
	Ratio        float64 `json:"ratio"`
	NodeClusters int     `json:"node_clusters,omitempty"` // k, at least 1
	Heads        int     `json:"heads,omitempty"`         // of the pool, dividing hidden; 1 when 0
	LayerNorm    bool    `json:"layer_norm,omitempty"`
	SeedScale    float64 `json:"seed_scale,omitempty"` // see pool.MABConfig
}

// Validate checks all fields except the ratio, which only sets the clusters.
func (c NodeAutoencoderConfig) Validate() error {
	return checkClusters("node_clusters", c.NodeClusters, Stack{c.Hidden, c.Layers, 0}, c.Heads, c.SeedScale)
}

func (c *NodeAutoencoderConfig) size(st Stats) {
	c.NodeClusters = cmp.Or(c.NodeClusters, Share(c.Ratio, st.MeanNodes()))
}

// EdgeAutoencoderConfig are the settings of an Autoencoder of edges. Attention convolutions also
// read Heads.
type EdgeAutoencoderConfig struct {
	NodeAutoencoderConfig
	// Conv is the encoder's layer, a name of nn.Convs. Layers "egnn" are those of the paper,
	// restricted to edges and self-loops. From the second layer on they have attention and read the
	// edge features that the previous layer has normalised.
	Conv string `json:"conv"`
	// DecoderSeesEdges uses the encoder's layers in the decoder, which then reads the features that
	// it predicts.
	DecoderSeesEdges bool `json:"decoder_sees_edges,omitempty"`
	// TopK keeps the k nodes with the largest projection instead of using GMPool. The model's name
	// sets it; it is not a setting.
	TopK bool `json:"-"`
}

// Validate checks all fields except the ratio.
func (c EdgeAutoencoderConfig) Validate() error {
	return firstError(c.NodeAutoencoderConfig.Validate(), checkConv(c.Conv))
}

func (c EdgeAutoencoderConfig) ignores(name string) bool {
	switch name {
	case "heads":
		return c.TopK && !hasHeads(c.Conv)
	case "layer_norm", "seed_scale":
		return c.TopK
	}
	return false
}

func (c EdgeAutoencoderConfig) edgeTypes() bool { return readsTypes(c.Conv) }

// name returns the model's name in the registry, for errors.
func (c EdgeAutoencoderConfig) name() string {
	if c.TopK {
		return "topkpool-edges"
	}
	return "gmpool-edges"
}

// NewNodeAutoencoder builds the autoencoder of GMT: GCNs and GMPool.
func NewNodeAutoencoder(in nn.Init, d Dims, c NodeAutoencoderConfig) (*Autoencoder, error) {
	return newAutoencoder(in, d, EdgeAutoencoderConfig{NodeAutoencoderConfig: c, Conv: "gcn"}, "gmpool-nodes", false)
}

// NewEdgeAutoencoder builds a baseline of edge reconstruction.
func NewEdgeAutoencoder(in nn.Init, d Dims, c EdgeAutoencoderConfig) (*Autoencoder, error) {
	return newAutoencoder(in, d, c, c.name(), true)
}

func newAutoencoder(in nn.Init, d Dims, c EdgeAutoencoderConfig, name string, ofEdges bool) (*Autoencoder, error) {
	if err := check(name, d, c); err != nil {
		return nil, err
	}
	m := &Autoencoder{ofEdges: ofEdges}
	decoder := "gcn"
	if c.DecoderSeesEdges {
		decoder = c.Conv
	}
	dims := nn.ConvDims{In: d.Node, Out: c.Hidden, Edge: d.Edge, Heads: c.Heads}
	var err error
	if m.Convs, err = newCoder(in, "convs", c.Conv, dims, c.Layers); err != nil {
		return nil, inModel(name, err)
	}
	if m.Pool, err = newNodePool(in.In("pool"), c); err != nil {
		return nil, inModel(name, err)
	}
	dims.In = c.Hidden
	if m.Unconvs, err = newCoder(in, "unconvs", decoder, dims, c.Layers); err != nil {
		return nil, inModel(name, err)
	}
	dims.Out = d.Out
	if d.Out%max(c.Heads, 1) != 0 {
		dims.Heads = 1 // the output width comes from the data and may not be divisible
	}
	last, err := newCoderConv(in.In("last"), decoder, dims, c.Layers)
	if err != nil {
		return nil, inModel(name, err)
	}
	m.Unconvs = append(m.Unconvs, last)
	return m, nil
}

// newCoder builds the layers of an encoder or a decoder.
func newCoder(in nn.Init, scope, conv string, d nn.ConvDims, layers int) ([]nn.Conv, error) {
	var out []nn.Conv
	for l := range layers {
		c, err := newCoderConv(in.In(scope, l), conv, d, l)
		if err != nil {
			return nil, err
		}
		out = append(out, c)
		d.In = d.Out
	}
	return out, nil
}

// newCoderConv builds layer l: see EdgeAutoencoderConfig.Conv.
func newCoderConv(in nn.Init, conv string, d nn.ConvDims, l int) (nn.Conv, error) {
	spec, err := nn.FindConv(conv)
	switch {
	case err != nil:
		return nil, err
	case spec.Types && d.Edge == 0:
		return nil, fmt.Errorf("convolution %s: edge_dim is 0, expected at least 1, as it reads types of edges", conv)
	case conv == "egnn":
		egnn, err := nn.NewEGNN(in, d, nn.EGNNConfig{Attention: l > 0, Neighbours: true})
		if err != nil {
			return nil, err
		}
		return egnn, nil
	}
	return spec.New(in, d)
}

// Params lists all parameters.
func (m *Autoencoder) Params() []*tensor.Param {
	return nn.Params(nn.Each(m.Convs), m.Pool, nn.Each(m.Unconvs))
}

// Forward reconstructs the nodes or the edges of a batch. Output.Node or Output.Edge holds logits
// or values. Node vectors are those of the encoder. The vector of a graph is its k pooled vectors,
// concatenated.
func (m *Autoencoder) Forward(p *nn.Pass, b *graph.Batch) *Output {
	out := &Output{NodeVec: code(p, b.View, m.Convs, true)}
	pooled, z, attention := m.Pool.forward(p, b.WithX(out.NodeVec))
	out.GraphVec = pooled
	if attention != nil {
		out.Attention = []pool.Attention{attention}
	}
	y := code(p, b.WithX(z), m.Unconvs, false)
	if m.ofEdges {
		out.Edge = tensor.SpMM(endsOf(b.View, 0.5, 0.5), y, tensor.SpMMConfig{})
	} else {
		out.Node = y
	}
	return out
}

// code runs layers with ReLU between them and, if relu is set, after the last one. EGNN layers pass
// edge features on to the next layer.
func code(p *nn.Pass, v graph.View, layers []nn.Conv, relu bool) *tensor.Tensor {
	var loop *tensor.Tensor
	for l, c := range layers {
		switch egnn, ok := c.(*nn.EGNN); {
		case ok:
			v.X, v.E, loop = egnn.ForwardEdges(p, v, loop)
			if relu || l+1 < len(layers) {
				v.X = v.X.ReLU()
			}
		case relu || l+1 < len(layers):
			v.X = convReLU(p, c, v)
		default:
			v.X = c.Forward(p, v)
		}
	}
	return v.X
}
