package pool

import (
	"fmt"

	"github.com/ehgnn/ehgnn/graph"
	"github.com/ehgnn/ehgnn/nn"
	"github.com/ehgnn/ehgnn/tensor"
)

// BlockKind is the kind of a GMT block, by the authors' names.
type BlockKind string

// The blocks of GMT: GMPool with keys from the graph, GMPool with keys from
// linear maps, and self-attention.
const (
	GMPoolG BlockKind = "GMPool_G"
	GMPoolI BlockKind = "GMPool_I"
	SelfAtt BlockKind = "SelfAtt"
)

// GMTBlock is one block: its kind and, for the pools, the number of vectors of its result.
type GMTBlock struct {
	Kind  BlockKind
	Seeds int
}

// GMTBlocks is the chain of the paper: GMPool_G to k vectors, SelfAtt, GMPool_I to one vector.
func GMTBlocks(k int) []GMTBlock {
	return []GMTBlock{{GMPoolG, k}, {SelfAtt, 0}, {GMPoolI, 1}}
}

// GMTPoolConfig describes a GMTPool.
type GMTPoolConfig struct {
	Blocks []GMTBlock
	// MAB describes all attention blocks. Its Keys are those of GMPool_G, GCN when nil. The other
	// blocks have Linear keys.
	MAB MABConfig
}

// check returns an error if the chain does not end in one vector per sample or the heads do not
// divide the widths.
func (c GMTPoolConfig) check(d nn.Dims) error {
	heads := max(c.MAB.Heads, 1)
	if d.In < 1 || d.Out < 1 || d.In%heads != 0 || d.Out%heads != 0 {
		return fmt.Errorf("pool: gmt: widths %d and %d, expected positive multiples of the %d heads", d.In, d.Out, heads)
	}
	vectors := 0 // per sample; 0 for the vertices themselves
	for i, b := range c.Blocks {
		switch b.Kind {
		case GMPoolG, GMPoolI:
			if b.Seeds < 1 {
				return fmt.Errorf("pool: gmt: block %d, %s, pools to %d vectors, expected at least 1", i, b.Kind, b.Seeds)
			}
			if b.Kind == GMPoolG && vectors > 0 {
				return fmt.Errorf("pool: gmt: block %d, %s, follows a pool, where there is no graph; use %s", i, b.Kind, GMPoolI)
			}
			vectors = b.Seeds
		case SelfAtt:
		default:
			return fmt.Errorf("pool: gmt: block %d is %q, expected %s, %s or %s", i, b.Kind, GMPoolG, GMPoolI, SelfAtt)
		}
	}
	if vectors != 1 {
		return fmt.Errorf("pool: gmt: %d blocks end in %d vectors per sample, expected 1", len(c.Blocks), vectors)
	}
	return nil
}

// GMTPool is the pooling of the Graph Multiset Transformer (Baek, Kang and Hwang 2021, section
// 3.3): attention blocks that turn the nodes of each graph into one vector, then a linear map. With
// the blocks of GMTBlocks
//
//	Z = Linear(GMPool_I(SelfAtt(GMPool_G(X, A))))
//
// Input: a graph with X [n,in] and optional edge weights, which the keys of the first pool read.
// Output: [samples,out]; SelfAtt changes the width to out. Block i has the scope i, and the map has
// the number of blocks as its scope. Only the first pool attends to nodes: those of its own sample,
// without padding. Later blocks work on the same number of vectors for each sample. Cost: O(n·k·in)
// for k seeds.
type GMTPool struct {
	Blocks []nn.Module // *GMPool or *SAB
	Last   *nn.Linear  // may be nil
}

// NewGMTPool returns a pool of vertices of width d.In to one vector of width d.Out per sample. It
// returns an error if the chain does not end in one vector or the heads do not divide both widths.
func NewGMTPool(in nn.Init, d nn.Dims, c GMTPoolConfig) (*GMTPool, error) {
	if err := c.check(d); err != nil {
		return nil, err
	}
	keys := c.MAB.Keys
	if keys == nil {
		keys = func(in nn.Init, d nn.ConvDims) (nn.Conv, error) { return nn.NewGCN(in, d, nn.GCNConfig{}), nil }
	}
	g := &GMTPool{}
	width := d.In
	for i, b := range c.Blocks {
		mab := c.MAB
		mab.Keys = nil
		if b.Kind == SelfAtt {
			block, err := NewSAB(in.In(i), nn.Dims{In: width, Out: d.Out}, mab)
			if err != nil {
				return nil, err
			}
			g.Blocks = append(g.Blocks, block)
			width = d.Out
			continue
		}
		if b.Kind == GMPoolG {
			mab.Keys = keys
		}
		block, err := NewGMPool(in.In(i), GMPoolDims{Dim: width, Seeds: b.Seeds}, mab)
		if err != nil {
			return nil, err
		}
		g.Blocks = append(g.Blocks, block)
	}
	g.Last = nn.NewLinear(in.In(len(c.Blocks)), nn.Dims{In: width, Out: d.Out})
	return g, nil
}

// Params lists the parameters of the blocks and of the last map.
func (g *GMTPool) Params() []*tensor.Param {
	out := nn.Params(g.Blocks...)
	if g.Last != nil {
		out = append(out, g.Last.Params()...)
	}
	return out
}

// Forward pools the nodes of each sample to one vector. The second result is the attention of each
// block. It is nil for a SelfAtt before the first pool.
func (g *GMTPool) Forward(p *nn.Pass, v graph.View) (*tensor.Tensor, []Attention) {
	attention := make([]Attention, len(g.Blocks))
	var x *tensor.Tensor // [samples,k,width] after the first pool
	for i, b := range g.Blocks {
		switch b := b.(type) {
		case *GMPool:
			if x != nil {
				v = setView(x)
			}
			x, attention[i] = b.Forward(p, v)
		case *SAB:
			if x == nil {
				y, _ := b.Forward(p, v)
				v = v.WithX(y)
				continue
			}
			x, attention[i] = b.ForwardDense(p, x)
		}
	}
	x = x.Reshape(x.Dim(0), x.Dim(2))
	if g.Last != nil {
		x = g.Last.Forward(p, x)
	}
	return x, attention
}
