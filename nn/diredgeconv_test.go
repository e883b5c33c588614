package nn_test

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/ehgnn/ehgnn/graph"
	"github.com/ehgnn/ehgnn/internal/inittest"
	"github.com/ehgnn/ehgnn/internal/rng"
	"github.com/ehgnn/ehgnn/nn"
)

// dirEdgeConvOracle is DirEdgeConv by its equations, node by node and edge by edge in float64.
type dirEdgeConvOracle struct {
	l        *nn.DirEdgeConv
	ends     []int32
	directed bool
	x, e     [][]float64
}

func rows64(data []float32, width int) (out [][]float64) {
	for row := range slices.Chunk(data, width) {
		wide := make([]float64, width)
		for k, v := range row {
			wide[k] = float64(v)
		}
		out = append(out, wide)
	}
	return out
}

// times is row·W for W [in,out].
func times(row []float64, w []float32) []float64 {
	y := make([]float64, len(w)/len(row))
	for i, a := range row {
		for k := range y {
			y[k] += a * float64(w[i*len(y)+k])
		}
	}
	return y
}

// linear is W·row + b.
func linear(row []float64, l *nn.Linear) []float64 {
	y := make([]float64, l.Bias.Value.Size())
	for k := range y {
		y[k] = float64(l.Bias.Value.Data()[k])
		for i, a := range row {
			y[k] += a * float64(l.Weight.Value.Data()[k*len(row)+i])
		}
	}
	return y
}

func plus(a []float64, more ...[]float64) []float64 {
	y := slices.Clone(a)
	for _, b := range more {
		for k := range y {
			y[k] += b[k]
		}
	}
	return y
}

func relu(a []float64) []float64 {
	y := slices.Clone(a)
	for k := range y {
		y[k] = max(y[k], 0)
	}
	return y
}

// normed is a layer norm with weights 1 and 0, as it starts.
func normed(a []float64) []float64 {
	mean, square := 0.0, 0.0
	for _, v := range a {
		mean += v / float64(len(a))
	}
	for _, v := range a {
		square += (v - mean) * (v - mean) / float64(len(a))
	}
	y := make([]float64, len(a))
	for k, v := range a {
		y[k] = (v - mean) / math.Sqrt(square+1e-5)
	}
	return y
}

// mean is that of some rows, 0 of none.
func mean(rows [][]float64, width int) []float64 {
	y := make([]float64, width)
	for _, row := range rows {
		for k, v := range row {
			y[k] += v / float64(len(rows))
		}
	}
	return y
}

// node is the new vector of a node.
func (o dirEdgeConvOracle) node(v int32) []float64 {
	l, width := o.l, len(o.x[0])
	roles := 1
	if o.directed {
		roles = 2
	}
	sum := rows64(l.NodeBias.Value.Data(), width)[0]
	for role := range roles {
		var messages [][]float64
		for e := range o.e {
			for end := range 2 {
				if o.ends[2*e+end] != v || o.directed && end != role {
					continue
				}
				other := o.x[o.ends[2*e+1-end]]
				messages = append(messages, relu(plus(times(other, l.WNode[role].Value.Data()), linear(o.e[e], l.WEdge[role]))))
			}
		}
		m, d := mean(messages, width), math.Log1p(float64(len(messages)))
		columns := slices.Clone(m)
		for _, a := range m {
			columns = append(columns, a*d)
		}
		columns = append(columns, d)
		if role == 0 {
			columns = slices.Concat(o.x[v], columns)
		}
		sum = plus(sum, times(columns, l.Node[role].Value.Data()))
	}
	return normed(plus(o.x[v], relu(sum)))
}

// edge is the new vector of an edge, given those of the nodes.
func (o dirEdgeConvOracle) edge(e int, nodes [][]float64) []float64 {
	l, u, v := o.l, o.ends[2*e], o.ends[2*e+1]
	first, second := nodes[u], nodes[v]
	z := linear(o.e[e], l.Self)
	if o.directed {
		var back [][]float64
		for f := range o.e {
			if o.ends[2*f] == v && o.ends[2*f+1] == u && u != v {
				back = append(back, o.e[f])
			}
		}
		z = plus(z, times(mean(back, len(o.e[e])), l.Reverse.Value.Data()))
	} else {
		first, second = plus(nodes[u], nodes[v]), slices.Clone(nodes[u])
		for k := range second {
			second[k] = math.Abs(second[k] - nodes[v][k])
		}
	}
	z = relu(plus(z, times(first, l.WSrc.Value.Data()), times(second, l.WDst.Value.Data())))
	return normed(plus(o.e[e], linear(z, l.Out)))
}

// roleLayer is a layer whose weights are no zeros, and a graph with parallel and reverse edges, a
// loop and a node without edges.
func roleLayer(t *testing.T, ends []int32, directed bool) (*nn.DirEdgeConv, graph.View) {
	t.Helper()
	const nodes, width, inner = 6, 4, 7
	r := rng.Stream(4, "roles")
	l := inittest.Weights(nn.NewDirEdgeConv(nn.NewInit(3), width, inner, 0))
	for _, b := range []*nn.Linear{l.WEdge[0], l.WEdge[1], l.Self, l.Out} {
		copy(b.Bias.Value.Data(), random(r, 1, b.Bias.Value.Size()).Data())
	}
	copy(l.NodeBias.Value.Data(), random(r, 1, width).Data())
	return l, graph.View{H: must(graph.NewPairs(nodes, ends, directed)), X: random(r, nodes, width), E: random(r, len(ends)/2, width)}
}

var roleEnds = []int32{0, 1, 1, 0, 0, 1, 1, 2, 2, 0, 3, 3, 2, 3, 3, 2, 3, 2, 4, 0}

// DirEdgeConv is what its equations say.
func TestDirEdgeConvDefinition(t *testing.T) {
	for _, directed := range []bool{true, false} {
		l, v := roleLayer(t, roleEnds, directed)
		nodes, edges := l.Forward(pass(t, false), v)
		width := v.X.Dim(1)
		o := dirEdgeConvOracle{l: l, ends: roleEnds, directed: directed, x: rows64(v.X.Data(), width), e: rows64(v.E.Data(), width)}
		var wantNodes [][]float64
		for n := range int32(len(o.x)) {
			wantNodes = append(wantNodes, o.node(n))
		}
		var wantEdges [][]float64
		for e := range o.e {
			wantEdges = append(wantEdges, o.edge(e, wantNodes))
		}
		flat := func(rows [][]float64) (out []float32) {
			for _, row := range rows {
				for _, a := range row {
					out = append(out, float32(a))
				}
			}
			return out
		}
		near(t, fmt.Sprint("nodes, directed ", directed), nodes.Data(), flat(wantNodes), 1e-5) // sums of a dozen float32
		near(t, fmt.Sprint("edges, directed ", directed), edges.Data(), flat(wantEdges), 1e-5)
	}
}

// Neither end of an undirected edge comes first: in which order they are listed changes nodes in no
// bit, and edges, to which both ends are added one after the other, by rounding alone.
func TestDirEdgeConvUndirected(t *testing.T) {
	swapped := slices.Clone(roleEnds)
	for i := 0; i < len(swapped); i += 4 { // every second edge
		swapped[i], swapped[i+1] = swapped[i+1], swapped[i]
	}
	l, v := roleLayer(t, roleEnds, false)
	_, w := roleLayer(t, swapped, false)
	nodes, edges := l.Forward(pass(t, false), v)
	others, twins := l.Forward(pass(t, false), w)
	near(t, "nodes", others.Data(), nodes.Data(), 0)
	near(t, "edges", twins.Data(), edges.Data(), 1e-6)
}
