package structure_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/ehgnn/ehgnn/graph/structure"
	"github.com/ehgnn/ehgnn/internal/par"
)

// randomEnds draws edges with loops, parallel ones and reverse ones between the nodes that
// come first; the last nodes are without.
func randomEnds(r *rand.Rand, n, m int) []int32 {
	var ends []int32
	for len(ends) < 2*m {
		u, v := r.Int32N(int32(n-1)), r.Int32N(int32(n-1))
		u = min(u, r.Int32N(int32(n-1))) // the first nodes have more
		ends = append(ends, u, v)
		switch r.IntN(6) {
		case 0:
			ends = append(ends, u, v)
		case 1:
			ends = append(ends, v, u)
		case 2:
			ends = append(ends, u, u)
		}
	}
	return ends[:2*m]
}

func mustColumns(t testing.TB, n int, ends []int32, directed bool, threads int, names []string, p structure.Pairs) []float32 {
	t.Helper()
	g, err := structure.New(n, ends, directed, par.New(threads))
	if err != nil {
		t.Fatal(err)
	}
	rows, err := g.Columns(names, p)
	if err != nil {
		t.Fatal(err)
	}
	return rows
}

func mustNames(t testing.TB, directed bool, groups ...string) []string {
	t.Helper()
	if groups == nil {
		groups = structure.GroupsOf(directed)
	}
	names, err := structure.Names(directed, groups...)
	if err != nil {
		t.Fatal(err)
	}
	return names
}

// A component of up to ExactEdges edges has the same rows, to the bit, alone and behind the edges of another graph, also of one whose walks
// are estimated.
func TestExactEdges(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 8))
	for _, directed := range []bool{true, false} {
		names := mustNames(t, directed)
		base := randomEnds(r, 300, 6000)
		for _, nodes := range []int{3, 14, 40, 160} {
			own := randomEnds(r, nodes, structure.ExactEdges)
			all := slices.Clone(base)
			for _, v := range own {
				all = append(all, 299+v)
			}
			describe := func(n int, ends []int32) []float32 {
				return mustColumns(t, n, ends, directed, 2, names, structure.Pairs{Ends: ends, Own: slices.Repeat([]bool{true}, len(ends)/2)})
			}
			alone, beside := describe(nodes, own), describe(299+nodes, all)
			if !slices.Equal(alone, beside[len(beside)-len(alone):]) {
				t.Errorf("directed %v, %d nodes: the rows of a component depend on another one", directed, nodes)
			}
		}
	}
}

// Every column is what its definition says, of the edges of a graph and of any two nodes. So
// are those that take out the own edge, as far as they are exact.
func TestColumns(t *testing.T) {
	exact := []string{structure.Degree, structure.Reciprocity, structure.Neighbours, structure.Pair, structure.Common}
	for seed := range uint64(60) {
		r := rand.New(rand.NewPCG(seed, 1))
		directed := seed%2 == 0
		n := 2 + r.IntN(12)
		ends := randomEnds(r, n, r.IntN(40))
		m := len(ends) / 2
		asked := structure.Pairs{Ends: slices.Clone(ends), Own: make([]bool, m)}
		for range 20 {
			asked.Ends, asked.Own = append(asked.Ends, r.Int32N(int32(n)), r.Int32N(int32(n))), append(asked.Own, false)
		}
		names := mustNames(t, directed)
		compare(t, seed, names, asked.Ends, mustColumns(t, n, ends, directed, 2, names, asked), func(int) *brute { return newBrute(n, ends, directed, -1) })

		for e := range m {
			asked.Own[e] = r.IntN(2) == 0
		}
		names = mustNames(t, directed, slices.DeleteFunc(exact, func(g string) bool { return !slices.Contains(structure.GroupsOf(directed), g) })...)
		compare(t, seed, names, asked.Ends, mustColumns(t, n, ends, directed, 2, names, asked), func(i int) *brute {
			if asked.Own[i] {
				return newBrute(n, ends, directed, i)
			}
			return newBrute(n, ends, directed, -1)
		})
	}
}

// Pairs that are known together are described as if those between the same ends were in the
// graph, where it has none, but for what looks further than the ends.
func TestTogether(t *testing.T) {
	for seed := range uint64(40) {
		r := rand.New(rand.NewPCG(seed, 10))
		directed := seed%2 == 0
		n := 2 + r.IntN(10)
		all := randomEnds(r, n, 2+r.IntN(40))
		m := len(all) / 2
		own := make([]bool, m)
		var base []int32
		for e := range own {
			if own[e] = r.IntN(2) == 0; own[e] {
				base = append(base, all[2*e], all[2*e+1])
			}
		}
		between := func(e, f int) bool {
			a, b := [2]int32(all[2*e:]), [2]int32(all[2*f:])
			return a == b || a == [2]int32{b[1], b[0]}
		}
		groups := slices.DeleteFunc(structure.GroupsOf(directed), func(g string) bool { return g == structure.Walk || g == structure.Core })
		names := mustNames(t, directed, groups...)
		rows := mustColumns(t, n, base, directed, 2, names, structure.Pairs{Ends: all, Own: own, Together: true})
		for e := range m {
			// The graph of the base, of which the edge is left out, and, where nothing is left
			// between its ends, of the others there.
			var ends []int32
			joined := false
			for f := range m {
				if own[f] && f != e {
					ends = append(ends, all[2*f], all[2*f+1])
				}
				joined = joined || own[f] && between(e, f)
			}
			for f := range m {
				if !joined && f != e && between(e, f) {
					ends = append(ends, all[2*f], all[2*f+1])
				}
			}
			b := newBrute(n, ends, directed, -1)
			compare(t, seed, names, all[2*e:2*e+2], rows[e*len(names):][:len(names)], func(int) *brute { return b })
		}
	}
}

// Pairs that are known together are in their own walks and cores, as edges of the base are.
func TestTogetherFar(t *testing.T) {
	for seed := range uint64(40) {
		r := rand.New(rand.NewPCG(seed, 11))
		directed := seed%2 == 0
		n := 3 + r.IntN(10)
		base, pairs := randomEnds(r, n, r.IntN(30)), randomEnds(r, n, 1+r.IntN(10))
		own := make([]bool, (len(base)+len(pairs))/2)
		for e := range len(base) / 2 {
			own[e] = r.IntN(2) == 0
		}
		all := slices.Concat(base, pairs)
		for e := range len(base) / 2 { // those that are not their own are known together, too
			if !own[e] {
				all[2*e], all[2*e+1] = pairs[0], pairs[1]
			}
		}
		names := mustNames(t, directed, structure.Walk, structure.Core)
		got := mustColumns(t, n, base, directed, 2, names, structure.Pairs{Ends: all, Own: own, Together: true})
		alone, with := newBrute(n, base, directed, -1), newBrute(n, slices.Concat(base, pairs), directed, -1)
		for e := range own {
			of := with
			if own[e] {
				of = alone
			}
			compare(t, seed, names, all[2*e:2*e+2], got[e*len(names):][:len(names)], func(int) *brute { return of })
		}
	}
}

func compare(t *testing.T, seed uint64, names []string, ends []int32, got []float32, of func(i int) *brute) {
	t.Helper()
	for i := range len(ends) / 2 {
		want := values(of(i).row(int(ends[2*i]), int(ends[2*i+1])), names)
		for k, x := range got[i*len(names):][:len(names)] {
			if math.Abs(float64(x)-want[k]) > 1e-5 {
				t.Fatalf("graph %d: %s of %d and %d is %v, expected %v", seed, names[k], ends[2*i], ends[2*i+1], x, want[k])
			}
		}
	}
}

// crowd is a graph with hubs, whose nodes have too many others around for exact return
// probabilities, with a path that has few.
func crowd(r *rand.Rand) (n int, ends []int32) {
	n = 400
	for v := range int32(n) {
		for range 6 {
			w := int32(float64(n) * math.Pow(r.Float64(), 3))
			ends = append(ends, v, w)
		}
	}
	for v := range int32(30) {
		ends = append(ends, int32(n)+v, int32(n)+v+1)
	}
	return n + 31, ends
}

// Estimates of return probabilities are those of the definition within their error: of 128
// products of two numbers.
func TestEstimatedWalks(t *testing.T) {
	n, ends := crowd(rand.New(rand.NewPCG(1, 2)))
	names := mustNames(t, true, structure.Walk)
	got := mustColumns(t, n, ends, true, 2, names, structure.Pairs{Ends: ends})
	b := newBrute(n, ends, true, -1)
	p := returns(b)
	var off, sum [5]float64
	for e := range len(ends) / 2 {
		v := ends[2*e]
		for k := range 5 {
			x := math.Expm1(float64(got[e*len(names)+k])) / 100
			want := p[k][v]
			// A product of two numbers of mean squares p and q has a variance of at most p·q + its
			// mean², of normal ones.
			most := 6 * math.Sqrt((p[k/2*2][v]*p[(k+1)/2*2][v]+want*want)/128)
			if k == 0 || int(v) >= 400 { // these are exact
				most = 1e-6
			}
			if math.Abs(x-want) > most {
				t.Fatalf("node %d returns after %d steps with probability %.5f, expected %.5f within %.5f", v, k+2, x, want, most)
			}
			off[k], sum[k] = off[k]+x-want, sum[k]+want
		}
	}
	for _, k := range []int{2, 4} { // those of odd lengths are cut off at 0; all share the error of the largest eigenvalue
		if math.Abs(off[k]) > 0.2*sum[k] {
			t.Errorf("probabilities after %d steps sum to %.4f, expected %.4f", k+2, sum[k]+off[k], sum[k])
		}
	}
}

// returns are the return probabilities after 2 to 6 steps of every node.
func returns(b *brute) [5][]float64 {
	n := b.n
	step, at := make([][]float64, n), make([][]float64, n)
	for v := range n {
		step[v], at[v] = make([]float64, n), make([]float64, n)
		at[v][v] = 1
		d := b.degree(v)
		for w := range n {
			if b.joined(v, w) {
				step[v][w] = 1 / d
			}
		}
	}
	var out [5][]float64
	for k := range 6 {
		next := make([][]float64, n)
		for v := range n {
			next[v] = make([]float64, n)
			for x, p := range at[v] {
				if p == 0 {
					continue
				}
				for y, q := range step[x] {
					next[v][y] += p * q
				}
			}
		}
		at = next
		if k > 0 {
			for v := range n {
				out[k-1] = append(out[k-1], at[v][v])
			}
		}
	}
	return out
}

// Results do not depend on the number of threads, to the bit.
func TestThreads(t *testing.T) {
	for _, directed := range []bool{false, true} {
		n, ends := crowd(rand.New(rand.NewPCG(3, 4)))
		own := make([]bool, len(ends)/2)
		for e := range own {
			own[e] = e%3 == 0
		}
		names := mustNames(t, directed)
		p := structure.Pairs{Ends: ends, Own: own}
		if one := mustColumns(t, n, ends, directed, 1, names, p); !slices.Equal(one, mustColumns(t, n, ends, directed, 4, names, p)) {
			t.Errorf("directed %v: other columns on 4 threads", directed)
		}
	}
}

// Numbering nodes otherwise, with some more that have no edges, gives the same rows to the
// bit.
func TestNumbering(t *testing.T) {
	for _, directed := range []bool{false, true} {
		r := rand.New(rand.NewPCG(1, 8))
		n, ends := crowd(r)
		node := r.Perm(n + 9)
		moved := make([]int32, len(ends))
		for i, v := range ends {
			moved[i] = int32(node[v])
		}
		names := mustNames(t, directed)
		was := mustColumns(t, n, ends, directed, 1, names, structure.Pairs{Ends: ends})
		if is := mustColumns(t, n+9, moved, directed, 1, names, structure.Pairs{Ends: moved}); !slices.Equal(was, is) {
			t.Errorf("directed %v: other columns of nodes with other numbers", directed)
		}
	}
}

// Edges in another order have the same rows in that order; exchanging the ends of undirected
// edges gives the same rows.
func TestEquivariance(t *testing.T) {
	for seed := range uint64(20) {
		r := rand.New(rand.NewPCG(seed, 5))
		directed := seed%2 == 0
		n := 3 + r.IntN(20)
		ends := randomEnds(r, n, 60)
		node, edge := r.Perm(n), r.Perm(len(ends)/2)
		moved := make([]int32, len(ends))
		for e, to := range edge {
			a, b := int32(node[ends[2*e]]), int32(node[ends[2*e+1]])
			if !directed && r.IntN(2) == 0 {
				a, b = b, a
			}
			moved[2*to], moved[2*to+1] = a, b
		}
		names := mustNames(t, directed)
		k := len(names)
		was := mustColumns(t, n, ends, directed, 1, names, structure.Pairs{Ends: ends})
		is := mustColumns(t, n, moved, directed, 1, names, structure.Pairs{Ends: moved})
		for e, to := range edge {
			for c, x := range was[e*k:][:k] {
				if y := is[to*k+c]; math.Abs(float64(x-y)) > 1e-6 {
					t.Fatalf("graph %d: %s of edge %d is %v, and %v under other numbers", seed, names[c], e, x, y)
				}
			}
		}
	}
}

// Some columns are the same numbers as among all of them.
func TestSomeColumns(t *testing.T) {
	ends := randomEnds(rand.New(rand.NewPCG(1, 6)), 12, 40)
	names := mustNames(t, true)
	all := mustColumns(t, 12, ends, true, 1, names, structure.Pairs{Ends: ends})
	some := []string{"jaccard", "source_out_degree", "target_return_4"}
	for i, x := range mustColumns(t, 12, ends, true, 1, some, structure.Pairs{Ends: ends}) {
		at := slices.Index(names, some[i%3])
		if y := all[i/3*len(names)+at]; x != y {
			t.Errorf("%s of edge %d is %v, and %v among all columns", some[i%3], i/3, x, y)
		}
	}
}

func TestNoEdges(t *testing.T) {
	for _, directed := range []bool{false, true} {
		names := mustNames(t, directed)
		if rows := mustColumns(t, 0, nil, directed, 2, names, structure.Pairs{}); len(rows) != 0 {
			t.Errorf("%d numbers of no edges", len(rows))
		}
		rows := mustColumns(t, 2, nil, directed, 2, names, structure.Pairs{Ends: []int32{0, 1}})
		if i := slices.IndexFunc(rows, func(x float32) bool { return x != 0 }); len(rows) != len(names) || i >= 0 {
			t.Errorf("nodes without edges have %v, expected zeros", rows)
		}
	}
}

func TestErrors(t *testing.T) {
	g, err := structure.New(3, []int32{0, 1}, true, nil)
	if err != nil {
		t.Fatal(err)
	}
	columns := func(names []string, p structure.Pairs) error { _, err := g.Columns(names, p); return err }
	build := func(n int, ends ...int32) error { _, err := structure.New(n, ends, true, nil); return err }
	name := func(directed bool, groups ...string) error {
		_, err := structure.Names(directed, groups...)
		return err
	}
	for _, c := range []struct {
		err  error
		want string
	}{
		{build(2, 0, 2), "edge 0 ends in node 2, expected 0 to 1"},
		{build(2, 0), "1 ends of edges"},
		{name(true, "degrees"), `no group "degrees" of columns for directed graphs, expected some of ["degree" "reciprocity"`},
		{name(false, structure.Reciprocity), `no group "reciprocity" of columns for undirected graphs`},
		{columns([]string{"degree_mean"}, structure.Pairs{}), `no column "degree_mean"`},
		{columns(nil, structure.Pairs{Ends: []int32{0, 3}}), "ends in node 3"},
		{columns(nil, structure.Pairs{Ends: []int32{1, 0}, Own: []bool{true}}), "pair 0, of nodes 1 and 0, is its own but no edge of the graph"},
		{columns(nil, structure.Pairs{Ends: []int32{1, 0}, Own: []bool{}}), "0 entries for 1 pairs"},
	} {
		if c.err == nil || !strings.Contains(c.err.Error(), c.want) {
			t.Errorf("error %v, expected %q", c.err, c.want)
		}
	}
}

// BenchmarkColumns describes the edges of a graph with hubs: preferential attachment, with
// some triangles, as networks of trust have them.
func BenchmarkColumns(b *testing.B) {
	for _, m := range []int{1e5, 1e6} {
		r := rand.New(rand.NewPCG(1, 7))
		n := m / 8
		ends := make([]int32, 0, 2*m)
		for v := int32(1); len(ends) < 2*m; v++ {
			for k := 0; k < 8 && len(ends) < 2*m; k++ {
				w := r.Int32N(v%int32(n) + 1)
				if len(ends) > 0 {
					w = ends[r.IntN(len(ends))]
				}
				ends = append(ends, v%int32(n), w)
			}
		}
		groups := append([]string{"all"}, structure.Groups()...)
		for _, group := range groups {
			names := mustNames(b, true)
			if group != "all" {
				names = mustNames(b, true, group)
			}
			b.Run(fmt.Sprintf("%s/%d", group, m), func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					mustColumns(b, n, ends, true, 0, names, structure.Pairs{Ends: ends})
				}
			})
		}
	}
}
