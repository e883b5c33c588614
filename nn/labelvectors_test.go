package nn_test

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/ehgnn/ehgnn/graph"
	"github.com/ehgnn/ehgnn/internal/rng"
	"github.com/ehgnn/ehgnn/nn"
	"github.com/ehgnn/ehgnn/tensor"
)

// labelVectorsOracle is LabelVectors by its equations, edge by edge.
func labelVectorsOracle(l *nn.LabelVectors, ends []int32, label []float32, classes int, directed bool) [][]float64 {
	m := len(label)
	prior, total := make([]float64, classes), 0.0
	for _, x := range label {
		if x == x {
			prior[int(x)]++
			total++
		}
	}
	for c := range prior {
		prior[c] = (prior[c] + 1) / (total + float64(classes))
	}
	// shown counts the shown labels of edges, each as often as times says, and those edges.
	shown := func(times func(a, b int32) int) (n []float64, labels, edges float64) {
		n = make([]float64, classes)
		for f := range m {
			k := float64(times(ends[2*f], ends[2*f+1]))
			edges += k
			if x := label[f]; x == x {
				n[int(x)] += k
				labels += k
			}
		}
		return n, labels, edges
	}
	is := func(x bool) int {
		if x {
			return 1
		}
		return 0
	}
	atEnds := func(n []float64, w *tensor.Param) []float64 {
		var both []float64
		for c, k := range n {
			both = append(both, math.Log1p(k), 0.5*math.Log((k+2*prior[c])/(2*prior[c])))
		}
		return times(both, w.Value.Data())
	}
	ofPair := func(n []float64, w *tensor.Param) []float64 {
		row := make([]float64, classes)
		for c, k := range n {
			row[c] = math.Log1p(k)
		}
		return times(row, w.Value.Data())
	}
	half := func(n float64) float64 { return 0.5 * math.Log1p(n) }
	var out [][]float64
	for e := range m {
		u, v := ends[2*e], ends[2*e+1]
		known := 0.0
		own := make([]float64, classes)
		if x := label[e]; x == x {
			known, own[int(x)] = 1, 1
		}
		sum := times(own, l.Own.Value.Data())
		share := func(labels, edges, less float64) float64 {
			if edges <= less {
				return 0
			}
			return (labels - less*known) / (edges - less)
		}
		if directed {
			leaveU, a, _ := shown(func(x, _ int32) int { return is(x == u) })
			enterU, b, _ := shown(func(_, y int32) int { return is(y == u) })
			enterV, c, _ := shown(func(_, y int32) int { return is(y == v) })
			leaveV, d, _ := shown(func(x, _ int32) int { return is(x == v) })
			along, n, along2 := shown(func(x, y int32) int { return is(x == u && y == v) })
			back, k, back2 := shown(func(x, y int32) int { return is(x == v && y == u && u != v) })
			sum = plus(sum, atEnds(leaveU, l.Ends[0]), atEnds(enterU, l.Ends[1]), atEnds(enterV, l.Ends[2]), atEnds(leaveV, l.Ends[3]))
			if along2+back2 > 1 {
				sum = plus(sum, ofPair(along, l.Pairs[0]), ofPair(back, l.Pairs[1]))
			}
			out = append(out, append(sum, known, half(a), half(b), half(c), half(d), share(n, along2, 1), share(k, back2, 0)))
			continue
		}
		atU, a, _ := shown(func(x, y int32) int { return is(x == u) + is(y == u) })
		atV, b, _ := shown(func(x, y int32) int { return is(x == v) + is(y == v) })
		pair, n, edges := shown(func(x, y int32) int { return is(x == u && y == v || x == v && y == u) })
		sum = plus(sum, atEnds(atU, l.Ends[0]), atEnds(atV, l.Ends[0]))
		if edges > 1 {
			sum = plus(sum, ofPair(pair, l.Pairs[0]))
		}
		first, second := atEnds(atU, l.Ends[1]), atEnds(atV, l.Ends[1])
		for k := range first {
			sum = append(sum, math.Abs(first[k]-second[k]))
		}
		out = append(out, append(sum, known, half(a)+half(b), math.Abs(half(a)-half(b)), share(n, edges, 1)))
	}
	return out
}

// nearRows compares the rows of edges with those of the oracle.
func nearRows(t *testing.T, got []float32, want [][]float64) {
	t.Helper()
	for e, row := range want {
		narrow := make([]float32, len(row))
		for k, x := range row {
			narrow[k] = float32(x)
		}
		near(t, fmt.Sprintf("edge %d", e), got[e*len(row):(e+1)*len(row)], narrow, 1e-5)
	}
}

// TestLabelVectors compares columns with the oracle, for one and for several threads, and gradients
// with what follows from the columns being of degree one in the parameters.
func TestLabelVectors(t *testing.T) {
	const classes, width = 5, 4
	for _, directed := range []bool{true, false} {
		for seed := range uint64(20) {
			t.Run(fmt.Sprintf("directed %v seed %d", directed, seed), func(t *testing.T) {
				b, label := labelledMultigraph(t, seed, directed, classes)
				l := nn.NewLabelVectors(nn.NewInit(seed), classes, width, directed)
				want := labelVectorsOracle(l, b.H.Ends(), label, classes, directed)
				var before []float32
				for _, threads := range []int{1, 3} {
					tape := tensor.NewArena(threads).Tape()
					p := &nn.Pass{Tape: tape, Train: true}
					got := l.Columns(p, b.View, label)
					if cols := nn.LabelVectorsWidth(width, directed); got.Dim(1) != cols {
						t.Fatalf("%d columns, expected %d", got.Dim(1), cols)
					}
					nearRows(t, got.Data(), want)
					if before != nil && !slices.Equal(before, got.Data()) {
						t.Error("columns depend on the number of threads")
					}
					before = slices.Clone(got.Data())

					up := random(rng.Stream(seed, "upstream"), got.Shape()...)
					vectors := got.Dim(1) - nn.LabelVectorsWidth(0, directed)
					sum, byWeights := 0.0, 0.0
					for i, x := range got.Data() {
						if i%got.Dim(1) < vectors {
							sum += float64(x) * float64(up.Data()[i])
						}
					}
					var vars []*tensor.Tensor
					for _, w := range l.Params() {
						vars = append(vars, p.Var(w))
					}
					for k, g := range gradients(p, got, up, vars...) {
						for i, x := range g.Data() {
							byWeights += float64(x) * float64(l.Params()[k].Value.Data()[i])
						}
					}
					if math.Abs(sum-byWeights) > 1e-3*max(1, math.Abs(sum)) {
						t.Errorf("gradients times weights are %v, columns times upstream %v", byWeights, sum)
					}
					tape.Close()
				}
			})
		}
	}
}

// TestLabelVectorsOrder: columns are the same to the bit however edges are ordered.
func TestLabelVectorsOrder(t *testing.T) {
	const classes, width = 5, 4
	b, label := labelledMultigraph(t, 3, true, classes)
	ends, m := b.H.Ends(), len(label)
	order := rng.Stream(1, "order").Perm(m)
	var turned []int32
	var other []float32
	for _, e := range order {
		turned, other = append(turned, ends[2*e], ends[2*e+1]), append(other, label[e])
	}
	g := must(graph.New(graph.Graph{NumNodes: b.H.NumVertices(), Ends: turned, Directed: true, Label: graph.NoLabel,
		Node: graph.Ones(b.H.NumVertices()), Edge: graph.Ones(m)}))
	moved := must(graph.Collate([]*graph.Graph{g}))
	l := nn.NewLabelVectors(nn.NewInit(1), classes, width, true)
	p := pass(t, false)
	x, y, w := l.Columns(p, b.View, label).Data(), l.Columns(p, moved.View, other).Data(), nn.LabelVectorsWidth(width, true)
	for i, e := range order {
		if !slices.Equal(y[i*w:(i+1)*w], x[e*w:(e+1)*w]) {
			t.Fatalf("edge %d has %v, in another order %v", e, x[e*w:(e+1)*w], y[i*w:(i+1)*w])
		}
	}
}

// TestLabelVectorsAlone: where no two nodes have several edges between them, and where no label is
// shown, there are columns, too.
func TestLabelVectorsAlone(t *testing.T) {
	const classes, width = 3, 4
	for _, directed := range []bool{true, false} {
		g := must(graph.New(graph.Graph{NumNodes: 4, Ends: []int32{0, 1, 1, 2, 3, 2}, Directed: directed, Label: graph.NoLabel,
			Node: graph.Ones(4), Edge: graph.Ones(3)}))
		b := must(graph.Collate([]*graph.Graph{g}))
		l := nn.NewLabelVectors(nn.NewInit(1), classes, width, directed)
		for _, label := range [][]float32{{0, 2, graph.Masked}, {graph.Masked, graph.Masked, graph.Masked}} {
			nearRows(t, l.Columns(pass(t, false), b.View, label).Data(), labelVectorsOracle(l, b.H.Ends(), label, classes, directed))
		}
	}
}
