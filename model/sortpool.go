package model

import (
	"cmp"

	"github.com/ehgnn/ehgnn/graph"
	"github.com/ehgnn/ehgnn/nn"
	"github.com/ehgnn/ehgnn/nn/pool"
	"github.com/ehgnn/ehgnn/tensor"
)

// SortPool is DGCNN (Zhang, Cui, Neumann and Chen, AAAI 2018) with GMT's settings: convolutions
// with ReLU and one more of width 1, their concatenated outputs, the SortPoolConfig.SortK nodes
// with the largest last channel as a sequence, and the convolutional head of the paper.
type SortPool struct {
	Convs   []nn.Conv
	Channel *nn.GCN // of width 1, to sort by
	Head    *pool.SortHead
	K       int
}

// SortPoolConfig are the settings of a SortPool.
type SortPoolConfig struct {
	Stack
	NodeConv
	SortK int `json:"sort_k,omitempty"` // number of nodes that are kept of each graph, at least 10
}

// Validate checks all fields except SortK, which NewSortPool checks.
func (c SortPoolConfig) Validate() error {
	return firstError(c.Stack.Validate(), c.NodeConv.Validate())
}

func (c SortPoolConfig) ignores(name string) bool { return name == "heads" && !c.attends() }

// size sets SortK so that 60% of the graphs have at most SortK nodes, as the authors do.
func (c *SortPoolConfig) size(st Stats) { c.SortK = cmp.Or(c.SortK, pool.SortPoolSize(st.Nodes, 0.6)) }

// NewSortPool builds the model.
func NewSortPool(in nn.Init, d Dims, c SortPoolConfig) (*SortPool, error) {
	if err := check("sortpool", d, c); err != nil {
		return nil, err
	}
	m := &SortPool{K: c.SortK, Channel: nn.NewGCN(in.In("channel"), nn.ConvDims{In: c.Hidden, Out: 1}, nn.GCNConfig{})}
	var err error
	if m.Convs, err = newConvs(in, d, c.Stack, c.NodeConv, d.Edge); err != nil {
		return nil, inModel("sortpool", err)
	}
	m.Head, err = pool.NewSortHead(in.In("head"), pool.SortHeadDims{K: c.SortK, Dim: c.Layers*c.Hidden + 1,
		Hidden: c.Hidden, Out: d.Out}, pool.SortHeadConfig{Dropout: c.Dropout})
	if err != nil {
		return nil, inModel("sortpool", err)
	}
	return m, nil
}

// Params lists all parameters.
func (m *SortPool) Params() []*tensor.Param {
	return nn.Params(nn.Each(m.Convs), m.Channel, m.Head)
}

// Forward classifies the graphs of a batch: Output.Graph holds logits.
func (m *SortPool) Forward(p *nn.Pass, b *graph.Batch) *Output {
	xs, v := forwardConvs(p, m.Convs, b.View)
	out := &Output{NodeVec: tensor.Concat(1, append(xs, m.Channel.Forward(p, v).Tanh())...)}
	out.GraphVec = pool.SortPool(out.NodeVec, v.VertexOf, m.K)
	out.Graph = m.Head.Forward(p, out.GraphVec)
	return out
}
