package links

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// randomTable returns a small multigraph with loops, repeated and reversed rows.
func randomTable(r *rand.Rand, kind Kind) Table {
	n := 6 + r.IntN(20)
	t := Table{Kind: kind}
	for i := range n {
		t.IDs = append(t.IDs, fmt.Sprintf("n%d", i*29%n))
	}
	for range 10 + r.IntN(4*n) {
		u, v := int32(r.IntN(n)), int32(r.IntN(n))
		if kind == Bipartite {
			u, v = int32(r.IntN(n/2)), int32(n/2+r.IntN(n-n/2))
		}
		t.Ends = append(t.Ends, u, v)
		switch r.IntN(4) {
		case 0:
			t.Ends = append(t.Ends, u, v)
		case 1:
			if kind != Bipartite {
				t.Ends = append(t.Ends, v, u)
			}
		}
	}
	for range len(t.Ends) / 2 {
		t.Time = append(t.Time, float64(r.IntN(30)))
	}
	return t
}

// splits returns splits of all kinds.
func splits(d *Data, seed uint64) map[string]*Split {
	out := map[string]*Split{"random": SplitRandom(d, [3]float64{0.6, 0.2, 0.2}, seed), "nodes": SplitNodes(d, 0.1, 0.2, 0.5, seed)}
	if s, err := SplitTime(d, [3]float64{0.6, 0.2, 0.2}); err == nil {
		out["time"] = s
	}
	return out
}

func TestProtocolHolds(t *testing.T) {
	r, graphs := rand.New(rand.NewPCG(7, 11)), 1000
	if testing.Short() {
		graphs = 300
	}
	for i := range graphs {
		kind := []Kind{Undirected, Directed, Bipartite}[i%3]
		d, err := NewData(randomTable(r, kind))
		if err != nil {
			t.Fatal(err)
		}
		known := NewKnown(d)
		for name, s := range splits(d, uint64(i)) {
			p := NewPlan(d, NewKnown(d), s, uint64(i), i%2 == 0)
			if _, err := p.Check(); err != nil {
				t.Fatalf("graph %d, %s, %s: %v", i, kind, name, err)
			}
			graph := NewGraph(d, s.Visible(Train, false))
			for _, i := range append(s.Of(Valid), s.Of(Test)...) {
				u, v := d.Pairs[i][0], d.Pairs[i][1]
				if graph.Out.Has(u, v) || name != "time" && (graph.Both.Has(v, u)) {
					t.Fatalf("%s, %s: held-out pair %s is in the training graph", kind, name, d.Name(i))
				}
			}
			hard := NewHard(d, known, NewColumns(graph, nil).NewWorker(), 5)
			degree := NewByDegree(d, known, graph, 5)
			for _, i := range s.Of(Test) {
				checkCandidates(t, d, known, hard, degree, d.Pairs[i])
			}
		}
	}
}

// checkCandidates checks the lists of both ends of a positive.
func checkCandidates(t *testing.T, d *Data, known *Known, hard *Hard, degree *ByDegree, p [2]int32) {
	t.Helper()
	for side, reverse := range []bool{false, true} {
		kept, other := p[side], p[1-side]
		list, _ := hard.List(kept, reverse, 5)
		for name, list := range map[string][]int32{"hard": list, "degree": degree.List(kept, other, reverse, 5)} {
			seen := map[int32]bool{}
			for _, w := range list {
				u, v := kept, w
				if reverse {
					u, v = v, u
				}
				if _, is := d.Find(u, v); is || !d.Eligible(u, v) || seen[w] {
					t.Fatalf("%s negative %q of %q (reverse %v) is known, impossible or repeated", name, d.IDs[w], d.IDs[kept], reverse)
				}
				seen[w] = true
			}
			if want := min(5, len(known.Candidates(d, kept, reverse))); len(list) != want {
				t.Fatalf("%d %s negatives, want %d", len(list), name, want)
			}
		}
	}
}

// The same rows in another order, with other node numbers and other directions of undirected rows,
// give the same parts and candidates.
func TestOrderOfRowsDoesNotMatter(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 5))
	for i := range 60 {
		kind := []Kind{Undirected, Directed, Bipartite}[i%3]
		table := randomTable(r, kind)
		perm := r.Perm(len(table.IDs))
		other := Table{Kind: kind, IDs: make([]string, len(table.IDs))}
		for v, at := range perm {
			other.IDs[at] = table.IDs[v]
		}
		for _, row := range r.Perm(len(table.Ends) / 2) {
			u, v := int32(perm[table.Ends[2*row]]), int32(perm[table.Ends[2*row+1]])
			if kind == Undirected && r.IntN(2) == 0 {
				u, v = v, u
			}
			other.Ends = append(other.Ends, u, v)
			other.Time = append(other.Time, table.Time[row])
		}
		if got, want := describe(t, other), describe(t, table); got != want {
			t.Fatalf("%s: other order of rows gives\n%s\nwant\n%s", kind, got, want)
		}
	}
}

// describe lists everything that depends on the seed.
func describe(t *testing.T, table Table) string {
	t.Helper()
	d, err := NewData(table)
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	known := NewKnown(d)
	all := splits(d, 3)
	for _, name := range []string{"random", "nodes", "time"} {
		s := all[name]
		if s == nil {
			continue
		}
		fmt.Fprintln(&b, name, s.Part, s.Shown, NewPlan(d, NewKnown(d), s, 3, false).Negatives)
		g := NewGraph(d, s.Visible(Train, false))
		hard, degree := NewHard(d, known, NewColumns(g, nil).NewWorker(), 9), NewByDegree(d, known, g, 9)
		for _, i := range s.Of(Test) {
			list, n := hard.List(d.Pairs[i][0], false, 6)
			fmt.Fprintln(&b, d.Name(i), list, n, degree.List(d.Pairs[i][0], d.Pairs[i][1], false, 6))
		}
	}
	return b.String()
}

func TestCheckCatchesLeaks(t *testing.T) {
	d, err := NewData(Table{Kind: Directed, IDs: []string{"a", "b", "c", "d", "e", "f"}, Ends: []int32{0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 1, 0, 0, 5, 2, 5}})
	if err != nil {
		t.Fatal(err)
	}
	part := func(p int8) *Split {
		s := &Split{Part: make([]int8, len(d.Pairs))}
		at, _ := d.Find(4, 5)
		s.Part[at] = Test
		at, _ = d.Find(0, 1)
		back, _ := d.Find(1, 0)
		s.Part[at], s.Part[back] = p, p
		return s
	}
	for _, c := range []struct {
		name, want string
		of         func() *Plan
	}{
		{"nothing", "", func() *Plan { return NewPlan(d, NewKnown(d), part(Valid), 1, false) }},
		{"reversed copies", "in part", func() *Plan {
			s := part(Valid)
			at, _ := d.Find(1, 0)
			s.Part[at] = Train
			return NewPlan(d, NewKnown(d), s, 1, false)
		}},
		{"a held-out pair in the messages", "in the graph when part test is scored", func() *Plan {
			p := NewPlan(d, NewKnown(d), part(Valid), 1, false)
			p.Messages[Test] = append(p.Messages[Test], [2]int32{5, 4})
			return p
		}},
		{"negatives that overlap", "is a negative of part valid already", func() *Plan {
			p := NewPlan(d, NewKnown(d), part(Valid), 1, false)
			n := p.Negatives[Valid][0]
			p.Negatives[Test] = [][2]int32{{n[1], n[0]}}
			if _, is := d.Find(n[1], n[0]); is {
				p.Negatives[Test] = [][2]int32{n}
			}
			return p
		}},
		{"a known negative", "is a known pair", func() *Plan {
			p := NewPlan(d, NewKnown(d), part(Valid), 1, false)
			p.Negatives[Test] = [][2]int32{{0, 1}}
			return p
		}},
		{"a loop", "cannot be a pair", func() *Plan {
			p := NewPlan(d, NewKnown(d), part(Valid), 1, false)
			p.Negatives[Test] = [][2]int32{{2, 2}}
			return p
		}},
	} {
		_, err := c.of().Check()
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error %v, want one that contains %q", c.name, err, c.want)
		}
	}
}

// Parallel rows in different parts of a column of parts are an error.
func TestParallelRowsInTwoParts(t *testing.T) {
	d, err := NewData(Table{Kind: Undirected, IDs: []string{"a", "b"}, Ends: []int32{0, 1, 1, 0}, Part: []int8{Train, Test}})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := SplitColumn(d); err == nil || !strings.Contains(err.Error(), `("a", "b")`) {
		t.Errorf("error %v, want one that names the pair", err)
	}
}

// Four nodes with two pairs that are no edges: validation and test get one negative each and no
// more.
func TestFewNegatives(t *testing.T) {
	d, err := NewData(Table{Kind: Undirected, IDs: []string{"a", "b", "c", "d"}, Ends: []int32{0, 1, 1, 2, 2, 3, 0, 3}})
	if err != nil {
		t.Fatal(err)
	}
	var taken pairSet
	known := NewKnown(d)
	a, b := uniform(d, known, 1, 1, &taken), uniform(d, known, 2, 2, &taken)
	if len(a) != 1 || len(b) != 1 || slices.Equal(a, b) {
		t.Errorf("negatives %v and %v, want one each, not the same", a, b)
	}
}
