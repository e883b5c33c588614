package model

import (
	"fmt"

	"github.com/ehgnn/ehgnn/graph"
	"github.com/ehgnn/ehgnn/nn"
	"github.com/ehgnn/ehgnn/nn/pool"
	"github.com/ehgnn/ehgnn/tensor"
)

// SortPool is DGCNN (Zhang, Cui, Neumann and Chen, AAAI 2018) in GMT's settings:
// convolutions with ReLU and one more of width 1, their outputs side by side,
// the Config.SortK nodes with the largest last channel as a sequence, and the
// convolutional head of the paper.
type SortPool struct {
	Convs   []nn.Conv
	Channel *nn.GCN // of width 1, to sort by
	Head    *pool.SortHead
	K       int
}

// NewSortPool builds the model; Config.SortK is at least 10.
func NewSortPool(c Config) (*SortPool, error) {
	if err := c.validate("sortpool"); err != nil {
		return nil, err
	}
	in := nn.NewInit(c.Seed)
	m := &SortPool{K: c.SortK, Channel: nn.NewGCN(in.In("channel"), nn.ConvDims{In: c.Hidden, Out: 1}, nn.GCNConfig{})}
	var err error
	if m.Convs, err = newConvs(in, c.Conv, c, c.EdgeDim); err != nil {
		return nil, err
	}
	m.Head, err = pool.NewSortHead(in.In("head"), pool.SortHeadDims{K: c.SortK, Dim: c.Layers*c.Hidden + 1,
		Hidden: c.Hidden, Out: c.Out}, pool.SortHeadConfig{Dropout: c.Dropout})
	if err != nil {
		return nil, fmt.Errorf("model: sortpool: %w", err)
	}
	return m, nil
}

// Params lists all parameters.
func (m *SortPool) Params() []*tensor.Param {
	return append(convParams(m.Convs), nn.Params(m.Channel, m.Head)...)
}

// Forward classifies the graphs of a batch: Output.Graph holds logits.
func (m *SortPool) Forward(p *nn.Pass, b *graph.Batch) *Output {
	v := b.View
	var xs []*tensor.Tensor
	for _, c := range m.Convs {
		v = v.WithX(convReLU(p, c, v))
		xs = append(xs, v.X)
	}
	out := &Output{NodeVec: tensor.Concat(1, append(xs, m.Channel.Forward(p, v).Tanh())...)}
	out.GraphVec = pool.SortPool(out.NodeVec, v.VertexOf, m.K)
	out.Graph = m.Head.Forward(p, out.GraphVec)
	return out
}
