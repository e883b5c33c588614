package pool

import (
	"slices"

	"github.com/ehgnn/ehgnn/graph"
	"github.com/ehgnn/ehgnn/nn"
)

// HaarChain is built by tests from the partitions of fixtures.
type HaarChain = haarChain

func NewHaarChain(n int, ends []int32, directed bool, parents ...[]int32) *HaarChain {
	return newHaarChain(n, ends, directed, parents)
}

// ForwardOn is Forward with given chains, one per sample.
func (h *HaarPool) ForwardOn(p *nn.Pass, v graph.View, chains []*HaarChain) Result {
	needGraph("HaarPool", v)
	return h.forward(p, v, h.level(v, chains))
}

func (c *HaarChain) Coarser() *HaarChain { return c.coarser }

func (c *HaarChain) Parents() []int32 { return c.parent }

// Basis is the Haar basis of the finest level as a matrix, a column per vector,
// those that pooling keeps first.
func (c *HaarChain) Basis() [][]float64 {
	out := make([][]float64, c.points)
	for v := range out {
		out[v] = make([]float64, c.points)
	}
	rows := c.basis()
	for j := range c.points {
		for k := rows.ptr[j]; k < rows.ptr[j+1]; k++ {
			out[rows.col[k]][j] = rows.val[k]
		}
	}
	return out
}

// AddReadout adds a readout, which undo takes away.
func AddReadout(r ReadoutSpec) (undo func()) {
	before := readouts
	readouts = append(slices.Clone(before), r)
	return func() { readouts = before }
}
