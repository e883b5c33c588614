package sample

import (
	"fmt"
	"math"

	"github.com/ehgnn/ehgnn/graph"
	"github.com/ehgnn/ehgnn/model"
	"github.com/ehgnn/ehgnn/nn"
	"github.com/ehgnn/ehgnn/tensor"
)

// network predicts for the seeds of a subgraph, with the parameters of a model of package model.
type network interface {
	nn.Module
	layers() int
	forward(p *nn.Pass, h *Subgraph) *tensor.Tensor
}

// networkOf returns the network of a model.
func networkOf(m model.Model) (network, error) {
	switch m := m.(type) {
	case *model.DualStack:
		d := &dual{DualStack: m}
		for _, c := range m.Convs {
			h, ok := c.(*nn.HyperConv)
			if !ok {
				return nil, fmt.Errorf("sample: layer of type %T, expected a hypergraph convolution", c)
			}
			d.convs = append(d.convs, h)
		}
		return d, nil
	case *model.JointDecoder:
		return joint{m}, nil
	}
	return nil, fmt.Errorf("sample: model of type %T, expected one of ehgnn-edge, ehgnn-joint-edge and mlp-edge", m)
}

// dual is the network of a DualStack.
type dual struct {
	*model.DualStack
	convs []*nn.HyperConv
}

func (d *dual) layers() int { return len(d.convs) }

func (d *dual) forward(p *nn.Pass, h *Subgraph) *tensor.Tensor {
	start := d.Start.ForwardReLU(p, model.WithEnds(p, h.Batch.View, h.Batch.E, h.Batch.X))
	e := start
	for k, c := range d.convs {
		l := &h.Layers[k]
		own := e
		if l.EdgesIn > l.Edges {
			own = first(e, l.Edges)
		}
		mean := tensor.SpMM(l.mean(func(int) float64 { return 1 }), e, tensor.SpMMConfig{})
		down, self := l.down(h.Batch.H)
		mean = tensor.SpMM(down, mean, tensor.SpMMConfig{Self: own, SelfW: self})
		y := tensor.Affine(mean, p.Var(c.Weight), p.VarOrNil(c.Bias), tensor.AffineConfig{ReLU: true})
		e = nn.AddDropout(p, own, y, d.Dropout)
	}
	if start.Dim(0) > h.Seeds {
		start = first(start, h.Seeds)
	}
	return d.Classifier.Forward(p, tensor.Concat(1, e, start))
}

// down returns the matrix from means at nodes to the edges of a layer, and the factor of each
// edge's own state: an edge takes the mean over its nodes and itself. A node at which no edge is
// read does not count, and in a directed graph a node with a single end does not count
// (graph.LoopsReplaceSingletons).
func (l *Layer) down(h *graph.Incidence) (down *tensor.Sparse, self *tensor.Tensor) {
	ends := h.Ends()[:2*l.Edges]
	coef := make([]float32, 2*l.Edges)
	self = tensor.New(l.Edges)
	for e := range l.Edges {
		has := [2]bool{}
		n := 1
		for side := range has {
			v := ends[2*e+side]
			if has[side] = !l.empty(v) && !(h.Directed() && l.Single[v]); has[side] {
				n++
			}
		}
		share := 1 / float32(n)
		self.Data()[e] = share
		for side, ok := range has {
			if ok {
				coef[2*e+side] = share
			}
		}
	}
	return tensor.NewSparse(tensor.SparseConfig{Rows: l.Edges, Cols: l.Nodes, Width: 2, Col: ends, Coef: coef}), self
}

// joint is the network of a JointDecoder.
type joint struct{ *model.JointDecoder }

func (j joint) layers() int { return len(j.Layers) }

func (j joint) forward(p *nn.Pass, h *Subgraph) *tensor.Tensor {
	x, e := p.Tape.Bind(h.Batch.X), p.Tape.Bind(h.Batch.E)
	for k, c := range j.Layers {
		l := &h.Layers[k]
		m := tensor.SpMM(ends(h.Batch.H, l.EdgesIn, l.NodesIn), x.MatMul(p.Var(c.NodeMsg)), tensor.SpMMConfig{Self: c.EdgeMsg.Forward(p, e), ReLU: true})
		own, nodes, said := e, x, m
		if l.EdgesIn > l.Edges {
			own, said = first(e, l.Edges), first(m, l.Edges)
		}
		if l.NodesIn > l.Nodes {
			nodes = first(x, l.Nodes)
		}
		around := tensor.SpMM(l.mean(func(v int) float64 { d := float64(l.Degree[v]); return d / math.Sqrt(d+1) }), m, tensor.SpMMConfig{})
		e = c.EdgeSelf.Forward(p, own).Add(c.EdgeUp.Forward(p, said)).ReLU()
		x = c.NodeSelf.Forward(p, nodes).Add(around.MatMul(p.Var(c.NodeUp))).ReLU()
	}
	seeds := h.Batch.View
	seeds.H = pairs(h.Batch.H, h.Seeds, x.Dim(0))
	return j.Classifier.Forward(p, model.WithEnds(p, seeds, e, x))
}

// ends returns the matrix of the mean over the nodes of each of the first edges.
func ends(h *graph.Incidence, edges, nodes int) *tensor.Sparse {
	coef := make([]float32, 2*edges)
	for i := range coef {
		coef[i] = 0.5
	}
	return tensor.NewSparse(tensor.SparseConfig{Rows: edges, Cols: nodes, Width: 2, Col: h.Ends()[:2*edges], Coef: coef})
}

// pairs returns the graph of the first edges and the first nodes.
func pairs(h *graph.Incidence, edges, nodes int) *graph.Incidence {
	out, err := graph.NewPairs(nodes, h.Ends()[:2*edges], h.Directed())
	if err != nil {
		panic(err) // cannot happen: the nodes of the first edges are the first nodes
	}
	return out
}
