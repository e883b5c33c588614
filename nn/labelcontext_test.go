package nn_test

import (
	"math"
	"testing"

	"github.com/ehgnn/ehgnn/graph"
	"github.com/ehgnn/ehgnn/internal/rng"
	"github.com/ehgnn/ehgnn/nn"
	"github.com/ehgnn/ehgnn/tensor"
)

// labelledMultigraph draws a batch with loops, parallel and reverse edges, and labels of which some
// are hidden; classes 0 draws numbers.
func labelledMultigraph(t *testing.T, seed uint64, directed bool, classes int) (*graph.Batch, []float32) {
	t.Helper()
	r := rng.Stream(seed, "multigraph")
	n, m := 6, 20
	ends, label := make([]int32, 2*m), make([]float32, m)
	for i := range ends {
		ends[i] = int32(r.IntN(n))
	}
	for e := range label {
		switch {
		case r.IntN(4) == 0:
			label[e] = graph.Masked
		case classes > 0:
			label[e] = float32(r.IntN(classes))
		default:
			label[e] = float32(r.NormFloat64())
		}
	}
	g, err := graph.New(graph.Graph{NumNodes: n, Ends: ends, Directed: directed, Label: graph.NoLabel, Node: graph.Ones(n), Edge: graph.Ones(m)})
	if err != nil {
		t.Fatal(err)
	}
	b, err := graph.Collate([]*graph.Graph{g})
	if err != nil {
		t.Fatal(err)
	}
	return b, label
}

func columns(c nn.LabelContext, b *graph.Batch, label []float32, threads int) (x, estimate []float32) {
	tape := tensor.NewArena(threads).Tape()
	defer tape.Close()
	cols, guess := c.Columns(&nn.Pass{Tape: tape}, b.View, label)
	if guess != nil {
		estimate = append(estimate, guess.Data()...)
	}
	return append(x, cols.Data()...), estimate
}

// TestLabelContextCounts compares the columns of classes with counts by definition.
func TestLabelContextCounts(t *testing.T) {
	const classes = 3
	for _, directed := range []bool{true, false} {
		c := nn.LabelContext{Classes: classes, Directed: directed}
		for seed := range uint64(20) {
			b, label := labelledMultigraph(t, seed, directed, classes)
			got, _ := columns(c, b, label, 2)
			ends, w := b.H.Ends(), c.Width()
			for e := range label {
				row := got[e*w : (e+1)*w]
				for k := range classes {
					if want := label[e] == float32(k); (row[k] == 1) != want {
						t.Fatalf("seed %d, edge %d: own class %v, columns %v", seed, e, label[e], row[:classes+1])
					}
				}
				u, v := ends[2*e], ends[2*e+1]
				// count counts the shown edges of a class but e by a condition on their ends,
				// an edge as often as it fulfils it.
				count := func(k int, times func(a, b int32) int) float64 {
					sum := 0
					for f := range label {
						if f != e && label[f] == float32(k) {
							sum += times(ends[2*f], ends[2*f+1])
						}
					}
					return float64(sum)
				}
				is := func(x bool) int {
					if x {
						return 1
					}
					return 0
				}
				at := row[classes+1:]
				for k := range classes {
					want := []float64{
						math.Log1p(count(k, func(a, _ int32) int { return is(a == u) })),
						math.Log1p(count(k, func(_, b int32) int { return is(b == v) })),
						math.Log1p(count(k, func(_, b int32) int { return is(b == u) })),
						math.Log1p(count(k, func(a, _ int32) int { return is(a == v) })),
					}
					if !directed {
						x := math.Log1p(count(k, func(a, b int32) int { return is(a == u) + is(b == u) }))
						y := math.Log1p(count(k, func(a, b int32) int { return is(a == v) + is(b == v) }))
						want = []float64{x + y, math.Abs(x - y)}
					}
					for g, w := range want {
						if got := float64(at[g*(2*classes+1)+k]); math.Abs(got-w) > 1e-5 {
							t.Fatalf("directed %v, seed %d, edge %d, class %d, group %d: %v, expected %v", directed, seed, e, k, g, got, w)
						}
					}
					pairs := row[w-(classes+1):]
					want = []float64{math.Log1p(count(k, func(a, b int32) int { return is(a == v && b == u && u != v) }))}
					if !directed {
						want[0] = math.Log1p(count(k, func(a, b int32) int { return is(a == u && b == v || a == v && b == u) }))
					}
					if math.Abs(float64(pairs[k])-want[0]) > 1e-5 {
						t.Fatalf("directed %v, seed %d, edge %d, class %d: other edges of the pair %v, expected %v", directed, seed, e, k, pairs[k], want[0])
					}
				}
			}
		}
	}
}

// TestLabelContextOwnLabel: the label of an edge changes nothing in its own row but the
// columns of its own label, and nothing at all where it is hidden.
func TestLabelContextOwnLabel(t *testing.T) {
	for _, classes := range []int{0, 3} {
		for _, directed := range []bool{true, false} {
			c := nn.LabelContext{Classes: classes, Directed: directed}
			b, label := labelledMultigraph(t, 7, directed, classes)
			before, _ := columns(c, b, label, 1)
			if again, _ := columns(c, b, label, 3); !equal(before, again) {
				t.Errorf("%+v: three threads give other columns than one", c)
			}
			if classes == 0 {
				continue // a number moves the effects of other nodes, and these its own
			}
			for e := range label {
				if label[e] != label[e] {
					continue
				}
				other := append([]float32(nil), label...)
				other[e] = float32((int(label[e]) + 1) % classes)
				// The shares of all classes move with any label; counts do not.
				after, _ := columns(c, b, other, 1)
				w := c.Width()
				at := e*w + classes + 1
				for g := range (w - 2*(classes+1)) / (2*classes + 1) {
					lo := at + g*(2*classes+1)
					if !equal(before[lo:lo+classes], after[lo:lo+classes]) {
						t.Fatalf("%+v: the label of edge %d is in its own counts, %v and %v", c, e, before[lo:lo+classes], after[lo:lo+classes])
					}
				}
			}
		}
	}
}

// TestLabelContextEffects: on labels that are effects of both ends the estimate of a hidden
// edge is close, though the effects are shrunk.
func TestLabelContextEffects(t *testing.T) {
	const users, items = 40, 40
	r := rng.Stream(3, "effects")
	var ends []int32
	var truth []float32
	effect := make([]float64, users+items)
	for v := range effect {
		effect[v] = r.NormFloat64()
	}
	for u := range users {
		for i := range items {
			ends = append(ends, int32(u), int32(users+i))
			truth = append(truth, float32(effect[u]+effect[users+i]))
		}
	}
	for _, directed := range []bool{true, false} {
		g, err := graph.New(graph.Graph{NumNodes: users + items, Ends: ends, Directed: directed, Label: graph.NoLabel, Node: graph.Ones(users + items), Edge: graph.Ones(len(truth))})
		if err != nil {
			t.Fatal(err)
		}
		b, err := graph.Collate([]*graph.Graph{g})
		if err != nil {
			t.Fatal(err)
		}
		label := append([]float32(nil), truth...)
		for e := range label {
			if r.IntN(5) == 0 {
				label[e] = graph.Masked
			}
		}
		_, guess := columns(nn.LabelContext{Directed: directed}, b, label, 1)
		wrong, spread := 0.0, 0.0
		for e, x := range label {
			if x != x {
				wrong += math.Pow(float64(guess[e]-truth[e]), 2)
				spread += math.Pow(float64(truth[e]), 2)
			}
		}
		if wrong > 0.05*spread {
			t.Errorf("directed %v: squared error %v of %v", directed, wrong, spread)
		}
	}
}

func equal(a, b []float32) bool {
	for i := range a {
		if math.Float32bits(a[i]) != math.Float32bits(b[i]) {
			return false
		}
	}
	return len(a) == len(b)
}
