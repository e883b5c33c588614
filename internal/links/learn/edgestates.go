package learn

import (
	"slices"

	"github.com/ehgnn/ehgnn/internal/links"
	"github.com/ehgnn/ehgnn/nn"
	"github.com/ehgnn/ehgnn/tensor"
)

// dualGraph is the dual of a graph of known pairs: each pair is a node of the dual, and each node
// of the graph is a hyperedge. A hidden pair receives messages but does not send any, like a
// candidate.
type dualGraph struct {
	g    *links.Graph
	edge []int32        // the pair of each entry of g.Both.Adj
	up   *tensor.Sparse // | [nodes, pairs]: the mean over the pairs at a node that send
	down *tensor.Sparse // | [pairs, nodes]: the mean over the two ends
	send []bool         // for each pair, whether it sends
}

// newDual returns the dual of a graph. The hidden pairs do not send.
func newDual(g *links.Graph, hidden map[[2]int32]bool) *dualGraph {
	d := &dualGraph{g: g, edge: make([]int32, len(g.Both.Adj))}
	down := tensor.SparseConfig{Cols: g.Nodes, Width: 2}
	for u := range int32(g.Nodes) {
		for i, v := range g.Both.Of(u) {
			at := g.Both.Ptr[u] + i
			if u < v {
				d.edge[at] = int32(len(d.send))
				d.send = append(d.send, !hidden[[2]int32{u, v}])
				down.Col = append(down.Col, u, v)
				continue
			}
			back, _ := slices.BinarySearch(g.Both.Of(v), u)
			d.edge[at] = d.edge[g.Both.Ptr[v]+back]
		}
	}
	down.Rows = len(d.send)
	down.Coef = slices.Repeat([]float32{0.5}, len(down.Col))
	d.down = tensor.NewSparse(down)
	up := tensor.SparseConfig{Rows: g.Nodes, Cols: len(d.send), Ptr: make([]int32, 1, g.Nodes+1), Col: []int32{}, Coef: []float32{}}
	for u := range g.Nodes {
		lo := len(up.Col)
		for at := g.Both.Ptr[u]; at < g.Both.Ptr[u+1]; at++ {
			if d.send[d.edge[at]] {
				up.Col = append(up.Col, d.edge[at])
			}
		}
		for range up.Col[lo:] {
			up.Coef = append(up.Coef, 1/float32(len(up.Col)-lo))
		}
		up.Ptr = append(up.Ptr, int32(len(up.Col)))
	}
	d.up = tensor.NewSparse(up)
	return d
}

// encodeEdges returns the messages of the hyperedges, one for each node, and the states of the
// pairs. A layer sends the states of pairs to the hyperedges at their ends and back.
func (m *GAE) encodeEdges(p *nn.Pass, d *dualGraph) (nodes, states *tensor.Tensor) {
	x := m.input(p)
	states = tensor.SpMM(d.down, x, tensor.SpMMConfig{})
	weights := p.Var(m.mix).Softmax()
	nodes = x
	for l, layer := range m.layers {
		message := tensor.SpMM(d.up, states, tensor.SpMMConfig{})
		nodes = nodes.Add(message.Mul(weights.Slice(1, l, l+1)))
		if l == len(m.layers)-1 {
			break
		}
		back := m.norms[l].Forward(p, tensor.SpMM(d.down, message, tensor.SpMMConfig{}))
		states = states.Add(nn.Dropout(p, layer.ForwardReLU(p, back), m.Config.Dropout))
	}
	return nodes, states
}

// commonStates returns for each candidate (u,v) the sum, over the common neighbours w, of the
// products of the states of (u,w) and (w,v).
func (d *dualGraph) commonStates(states *tensor.Tensor, pairs [][2]int32) *tensor.Tensor {
	var first, second, of []int32
	g := d.g.Both
	for k, p := range pairs {
		g.Common(p[0], p[1], func(i, j int) {
			e, f := d.edge[g.Ptr[p[0]]+i], d.edge[g.Ptr[p[1]]+j]
			if d.send[e] && d.send[f] {
				first, second, of = append(first, e), append(second, f), append(of, int32(k))
			}
		})
	}
	m := len(d.send)
	product := tensor.Gather(states, tensor.MustIndex(first, m)).Mul(tensor.Gather(states, tensor.MustIndex(second, m)))
	return tensor.SegmentSum(product, tensor.MustIndex(of, len(pairs)))
}
