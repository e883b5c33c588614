package synth_test

import (
	"fmt"
	"math"
	"reflect"
	"slices"
	"testing"

	"github.com/ehgnn/ehgnn/data/synth"
	"github.com/ehgnn/ehgnn/graph"
)

// degrees checks that the edges are distinct pairs u < v in rising order and
// returns the degree of each node.
func degrees(t *testing.T, g *graph.Graph) []int {
	t.Helper()
	d := make([]int, g.NumNodes)
	for e := range g.NumEdges() {
		u, v := g.Ends[2*e], g.Ends[2*e+1]
		if u >= v {
			t.Fatalf("edge %d is (%d,%d)", e, u, v)
		}
		if e > 0 {
			if a, b := g.Ends[2*e-2], g.Ends[2*e-1]; a > u || a == u && b >= v {
				t.Fatalf("edge (%d,%d) before (%d,%d)", a, b, u, v)
			}
		}
		d[u]++
		d[v]++
	}
	return d
}

func TestTwoMoon(t *testing.T) {
	for _, colours := range []synth.Colouring{synth.Arc, synth.Patch, synth.IID} {
		for _, seed := range []uint64{42, 43, 1} {
			t.Run(fmt.Sprint(colours, seed), func(t *testing.T) {
				g, weights, err := synth.TwoMoon(colours, seed)
				if err != nil {
					t.Fatal(err)
				}
				if g.NumNodes != 2000 || g.Directed {
					t.Errorf("%d nodes, directed %v", g.NumNodes, g.Directed)
				}
				if m := g.NumEdges(); m < 6000 || m > 6300 {
					t.Errorf("%d edges, want 6000 to 6300", m)
				}
				if least := slices.Min(degrees(t, g)); least != 5 {
					t.Errorf("least degree %d, want 5", least)
				}
				if len(weights) != g.NumEdges() {
					t.Fatalf("%d weights", len(weights))
				}
				for e, w := range weights {
					d2 := 0.0
					for c := range int32(2) {
						d := float64(g.Node.Dense[2*g.Ends[2*e]+c] - g.Node.Dense[2*g.Ends[2*e+1]+c])
						d2 += d * d
					}
					full := math.Exp(-d2 / 0.05)
					if w <= 0 || w > 1 || math.Abs(float64(w)-full) > 1e-5 && math.Abs(float64(w)-full/2) > 1e-5 {
						t.Fatalf("weight %v of edge %d, want %v or its half", w, e, full)
					}
				}
				for e, label := range g.EdgeLabel {
					if got := [3]float32(g.Edge.Dense[3*e : 3*e+3]); got != synth.Palette()[label] {
						t.Fatalf("edge %d has colour %v and label %d", e, got, label)
					}
				}
				again, w, err := synth.TwoMoon(colours, seed)
				if err != nil || !reflect.DeepEqual(again, g) || !reflect.DeepEqual(w, weights) {
					t.Error("one seed, two graphs")
				}
			})
		}
	}
	a, _, _ := synth.TwoMoon(synth.Arc, 1)
	b, _, _ := synth.TwoMoon(synth.Arc, 2)
	if reflect.DeepEqual(a.Node, b.Node) {
		t.Error("two seeds, one graph")
	}
	if _, _, err := synth.TwoMoon("stripes", 1); err == nil || err.Error() != `synth: two-moon colouring "stripes", expected "arc", "patch" or "iid"` {
		t.Errorf("unknown colouring: error %v", err)
	}
}

// TestTwoMoonCloud compares the cloud with facts measured on the stored one.
func TestTwoMoonCloud(t *testing.T) {
	g, _, err := synth.TwoMoon(synth.Arc, 42)
	if err != nil {
		t.Fatal(err)
	}
	lo, hi := [2]float64{9, 9}, [2]float64{-9, -9}
	var off, between float64
	for i := range g.NumNodes {
		x, y := float64(g.Node.Dense[2*i]), float64(g.Node.Dense[2*i+1])
		lo[0], lo[1], hi[0], hi[1] = min(lo[0], x), min(lo[1], y), max(hi[0], x), max(hi[1], y)
		if g.NodeLabel[i] == 1 {
			x, y = 1-x, 0.5-y
		}
		r := math.Hypot(x, y) - 1
		off += r * r
	}
	for i, want := range []float64{-1.31, -0.86, 2.40, 1.35} {
		if got := append(lo[:], hi[:]...)[i]; math.Abs(got-want) > 0.25 {
			t.Errorf("box %v to %v, want near (-1.31, -0.86) to (2.40, 1.35)", lo, hi)
		}
	}
	if rms := math.Sqrt(off / 2000); rms < 0.135 || rms > 0.155 {
		t.Errorf("points are %v off their arc, want about 0.145", rms)
	}
	for e := range g.NumEdges() {
		if g.NodeLabel[g.Ends[2*e]] != g.NodeLabel[g.Ends[2*e+1]] {
			between++
		}
	}
	if between < 30 || between > 180 {
		t.Errorf("%v edges between the moons, want about 90", between)
	}
}

// TestArcColours: eight clusters of like size, error of their mean as measured
// in the specification, and neighbours that mostly agree.
func TestArcColours(t *testing.T) {
	g, _, err := synth.TwoMoon(synth.Arc, 42)
	if err != nil {
		t.Fatal(err)
	}
	m := g.NumEdges()
	counts := make([]int, 8)
	for _, label := range g.EdgeLabel {
		counts[label]++
	}
	if slices.Min(counts) < 600 || slices.Max(counts) > 1000 {
		t.Errorf("clusters of %v edges", counts)
	}
	mse := 0.0
	for c := range 3 {
		sum, squares := 0.0, 0.0
		for e := range m {
			v := float64(g.Edge.Dense[3*e+c])
			sum += v
			squares += v * v
		}
		mse += squares/float64(m) - sum*sum/float64(m*m)
	}
	if mse /= 3; math.Abs(mse-0.1019) > 0.002 {
		t.Errorf("error of the mean colour %v, want 0.1019", mse)
	}
	if share := agreeing(g); share < 0.95 {
		t.Errorf("%v of touching edges share a colour", share)
	}
}

func TestPatchColours(t *testing.T) {
	g, _, err := synth.TwoMoon(synth.Patch, 42)
	if err != nil {
		t.Fatal(err)
	}
	patch := agreeing(g)
	if patch < 0.6 || patch > 0.9 {
		t.Errorf("%v of touching edges share a colour in patches", patch)
	}
	g, _, err = synth.TwoMoon(synth.IID, 42)
	if err != nil {
		t.Fatal(err)
	}
	if iid := agreeing(g); math.Abs(iid-0.125) > 0.01 {
		t.Errorf("%v of touching edges share a colour by chance, want 1/8", iid)
	}
}

// agreeing is the share of pairs of edges that share a node and a colour.
func agreeing(g *graph.Graph) float64 {
	at := make([][]int32, g.NumNodes)
	for i, v := range g.Ends {
		at[v] = append(at[v], g.EdgeLabel[i/2])
	}
	same, all := 0, 0
	for _, labels := range at {
		for i, a := range labels {
			for _, b := range labels[:i] {
				all++
				if a == b {
					same++
				}
			}
		}
	}
	return float64(same) / float64(all)
}

func TestErdosRenyi(t *testing.T) {
	for _, size := range [][2]int{{0, 0}, {1, 0}, {2, 1}, {5, 10}, {100, 0}, {100, 4950}, {1000, 1000}, {1000, 10000}} {
		g, err := synth.ErdosRenyi(size[0], size[1], 7)
		if err != nil {
			t.Fatal(err)
		}
		if g.NumNodes != size[0] || g.NumEdges() != size[1] {
			t.Errorf("%d nodes, %d edges, want %v", g.NumNodes, g.NumEdges(), size)
		}
		degrees(t, g)
		checkTypes(t, g)
		again, _ := synth.ErdosRenyi(size[0], size[1], 7)
		if !reflect.DeepEqual(g, again) {
			t.Error("one seed, two graphs")
		}
	}
	for _, size := range [][2]int{{-1, 0}, {3, -1}, {3, 4}, {0, 1}, {1, 1}} {
		if _, err := synth.ErdosRenyi(size[0], size[1], 7); err == nil {
			t.Errorf("%v: no error", size)
		}
	}
}

// checkTypes checks that an edge's type is the unordered pair of its ends'.
func checkTypes(t *testing.T, g *graph.Graph) {
	t.Helper()
	types := map[[2]int32]int32{{0, 0}: 0, {0, 1}: 1, {0, 2}: 2, {1, 1}: 3, {1, 2}: 4, {2, 2}: 5}
	for e, label := range g.EdgeLabel {
		a, b := g.NodeLabel[g.Ends[2*e]], g.NodeLabel[g.Ends[2*e+1]]
		if want := types[[2]int32{min(a, b), max(a, b)}]; label != want {
			t.Fatalf("edge between values %d and %d has type %d, want %d", a, b, label, want)
		}
	}
	if g.Node.Width() != 3 || g.Edge.Width() != 6 {
		t.Errorf("widths %d, %d, want 3, 6", g.Node.Width(), g.Edge.Width())
	}
}

// TestErdosRenyiIsUniform counts how often each of the 15 pairs of six nodes is
// drawn.
func TestErdosRenyiIsUniform(t *testing.T) {
	const runs, m = 3000, 5
	counts := map[[2]int32]int{}
	for seed := range uint64(runs) {
		g, err := synth.ErdosRenyi(6, m, seed)
		if err != nil {
			t.Fatal(err)
		}
		for e := range m {
			counts[[2]int32{g.Ends[2*e], g.Ends[2*e+1]}]++
		}
	}
	const want = runs * m / 15.0
	for pair, n := range counts {
		// Binomial with p = 1/3: five deviations.
		if math.Abs(float64(n)-want) > 5*math.Sqrt(want*2/3) {
			t.Errorf("pair %v drawn %d times, want about %v", pair, n, want)
		}
	}
	if len(counts) != 15 {
		t.Errorf("%d pairs drawn, want 15", len(counts))
	}
}

func TestBarabasiAlbert(t *testing.T) {
	g, err := synth.BarabasiAlbert(3000, 4, 42)
	if err != nil {
		t.Fatal(err)
	}
	if g.NumNodes != 3000 || g.NumEdges() != 11984 {
		t.Errorf("%d nodes, %d edges, want 3000 and 11984", g.NumNodes, g.NumEdges())
	}
	d := degrees(t, g)
	checkTypes(t, g)
	// The tail of the degrees is what a random graph of this size cannot have:
	// about sqrt(n) times the smallest.
	if most := slices.Max(d); most < 100 {
		t.Errorf("largest degree %d, want a hub", most)
	}
	slices.Sort(d)
	if d[1500] > 6 {
		t.Errorf("median degree %d, want near 4", d[1500])
	}
	for _, size := range [][2]int{{2, 1}, {5, 4}, {10, 1}} {
		g, err := synth.BarabasiAlbert(size[0], size[1], 1)
		if err != nil {
			t.Fatal(err)
		}
		if want := size[1] * (size[0] - size[1]); g.NumEdges() != want {
			t.Errorf("%v: %d edges, want %d", size, g.NumEdges(), want)
		}
		degrees(t, g)
	}
	for _, size := range [][2]int{{0, 0}, {1, 1}, {5, 0}, {5, 5}, {-1, -2}} {
		if _, err := synth.BarabasiAlbert(size[0], size[1], 1); err == nil {
			t.Errorf("%v: no error", size)
		}
	}
}

func TestEdgeClass(t *testing.T) {
	graphs, err := synth.EdgeClass(400, 42)
	if err != nil {
		t.Fatal(err)
	}
	var edgeTypes [2][3]int
	for i, g := range graphs {
		if int(g.Label) != i%2 {
			t.Fatalf("graph %d has class %d", i, g.Label)
		}
		if g.NumNodes < 16 || g.NumNodes > 24 || g.NumEdges() != g.NumNodes+3 {
			t.Fatalf("graph %d: %d nodes, %d edges", i, g.NumNodes, g.NumEdges())
		}
		if slices.Min(degrees(t, g)) < 1 {
			t.Fatalf("graph %d has a lone node", i)
		}
		told := [3]int{}
		for e, label := range g.EdgeLabel {
			edgeTypes[g.Label][label]++
			a, b := g.NodeLabel[g.Ends[2*e]], g.NodeLabel[g.Ends[2*e+1]]
			a, b = min(a, b), max(a, b)
			want := int32(2)
			if a == 0 && b > 0 {
				told[b]++
				want = (b - 1) ^ g.Label // strong to A in class 0, to B in class 1
			}
			if label != want {
				t.Fatalf("graph %d of class %d: edge between kinds %d and %d has type %d", i, g.Label, a, b, label)
			}
		}
		if told[1] < 3 || told[2] < 3 {
			t.Fatalf("graph %d: %v edges tell the class", i, told)
		}
	}
	// Counting types tells nothing: the shares agree between the classes.
	for c := range 3 {
		a, b := float64(edgeTypes[0][c]), float64(edgeTypes[1][c])
		if math.Abs(a-b) > 0.08*(a+b) {
			t.Errorf("%v edges of type %d in class 0, %v in class 1", a, c, b)
		}
	}
	fewer, err := synth.EdgeClass(3, 42)
	if err != nil || !reflect.DeepEqual(fewer, graphs[:3]) {
		t.Error("the first graphs depend on how many are asked for")
	}
	if other, _ := synth.EdgeClass(3, 43); reflect.DeepEqual(other, fewer) {
		t.Error("two seeds, one set")
	}
	if _, err := synth.EdgeClass(-1, 1); err == nil {
		t.Error("-1 graphs: no error")
	}
}

// TestEdgeClassHidesTheClass: without edge types the graphs of the two classes
// are drawn alike, as swapping the classes shows.
func TestEdgeClassHidesTheClass(t *testing.T) {
	graphs, err := synth.EdgeClass(2000, 7)
	if err != nil {
		t.Fatal(err)
	}
	var stats [2][]float64 // per class: nodes, degrees of each kind, edges hub to A and to B
	for c := range stats {
		stats[c] = make([]float64, 6)
	}
	for _, g := range graphs {
		s := stats[g.Label]
		s[0] += float64(g.NumNodes)
		for e := range g.NumEdges() {
			a, b := g.NodeLabel[g.Ends[2*e]], g.NodeLabel[g.Ends[2*e+1]]
			s[1+a]++
			s[1+b]++
			if min(a, b) == 0 && max(a, b) == 1 {
				s[4]++
			}
			if min(a, b) == 0 && max(a, b) == 2 {
				s[5]++
			}
		}
	}
	for i := range stats[0] {
		a, b := stats[0][i], stats[1][i]
		if math.Abs(a-b) > 0.03*(a+b) {
			t.Errorf("statistic %d is %v in class 0 and %v in class 1", i, a, b)
		}
	}
}

func ExampleTwoMoon() {
	g, weights, err := synth.TwoMoon(synth.Arc, 42)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%d points, %d edges, %d weights\n", g.NumNodes, g.NumEdges(), len(weights))
	// Output: 2000 points, 6099 edges, 6099 weights
}

// One edge has the type of the class, and nothing else has to do with it.
func TestOneEdge(t *testing.T) {
	graphs, err := synth.OneEdge(300, 42)
	if err != nil {
		t.Fatal(err)
	}
	var plain [2][5]float64
	for i, g := range graphs {
		if int(g.Label) != i%2 || g.NumNodes < 16 || g.NumNodes > 24 || g.NumEdges() != g.NumNodes+3 || slices.Min(degrees(t, g)) < 1 {
			t.Fatalf("graph %d of class %d has %d nodes and %d edges", i, g.Label, g.NumNodes, g.NumEdges())
		}
		decides := 0
		for e, kind := range g.Edge.Code {
			a, b := g.Node.Code[g.Ends[2*e]], g.Node.Code[g.Ends[2*e+1]]
			if g.EdgeLabel[e] == 0 {
				plain[g.Label][kind]++
				continue
			}
			decides++
			if kind != g.Label || min(a, b) != 1 || max(a, b) != 2 {
				t.Fatalf("graph %d of class %d: the edge that decides has type %d, between kinds %d and %d", i, g.Label, kind, a, b)
			}
		}
		coloured := 0
		for _, k := range g.Node.Code {
			coloured += int(k)
		}
		if decides != 1 || coloured != 3 {
			t.Fatalf("graph %d: %d edges decide, the kinds of nodes add up to %d", i, decides, coloured)
		}
	}
	for k := range 5 {
		if a, b := plain[0][k], plain[1][k]; k < 2 && a+b > 0 || math.Abs(a-b) > 0.08*(a+b) {
			t.Errorf("%v other edges of type %d in class 0, %v in class 1", a, k, b)
		}
	}
	again(t, graphs, synth.OneEdge)
}

// A motif of five nodes hangs on a tree by one edge.
func TestBA2Motifs(t *testing.T) {
	graphs, err := synth.BA2Motifs(100, 42)
	if err != nil {
		t.Fatal(err)
	}
	hubs := 0
	for i, g := range graphs {
		motif, joins := 0, 0
		within := make([]int, g.NumNodes) // edges of the motif at each node
		for e, of := range g.EdgeLabel {
			u, v := g.Ends[2*e], g.Ends[2*e+1]
			switch {
			case of == 1:
				motif++
				within[u]++
				within[v]++
			case u < 20 && v >= 20:
				joins++
			case v >= 20:
				t.Fatalf("graph %d: edge %d-%d is of no motif", i, u, v)
			}
		}
		inside := slices.Sorted(slices.Values(within[20:]))
		want := []int{2, 2, 2, 2, 2}
		if g.Label == 0 {
			want = []int{2, 2, 2, 3, 3}
		}
		if int(g.Label) != i%2 || g.NumNodes != 25 || joins != 1 || g.NumEdges() != 19+1+motif || motif != 6-i%2 || !slices.Equal(inside, want) || slices.Max(within[:20]) != 0 {
			t.Fatalf("graph %d of class %d: %d edges, %d of the motif with degrees %v, %d join it", i, g.Label, g.NumEdges(), motif, inside, joins)
		}
		if _, n := graph.ComponentOf(g.NumNodes, g.Ends); n != 1 {
			t.Fatalf("graph %d falls into %d", i, n)
		}
		if slices.Max(degrees(t, g)) >= 6 {
			hubs++
		}
	}
	if hubs < 50 {
		t.Errorf("%d of 100 trees have a hub, expected most to", hubs)
	}
	again(t, graphs, synth.BA2Motifs)
}

// again checks that graphs depend on the seed and not on how many are asked for.
func again(t *testing.T, graphs []*graph.Graph, of func(n int, seed uint64) ([]*graph.Graph, error)) {
	t.Helper()
	fewer, err := of(3, 42)
	if err != nil || !reflect.DeepEqual(fewer, graphs[:3]) {
		t.Error("the first graphs depend on how many are asked for")
	}
	if other, _ := of(3, 43); reflect.DeepEqual(other, fewer) {
		t.Error("two seeds, one set")
	}
	if _, err := of(-1, 1); err == nil {
		t.Error("-1 graphs: no error")
	}
}
