package learn

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/ehgnn/ehgnn/internal/links"
)

// letters returns events of people who mostly write to the person who wrote to them last.
func letters(t *testing.T, people, events int) *Next {
	t.Helper()
	r := rand.New(rand.NewPCG(5, 5))
	table := links.Table{Kind: links.Directed}
	for v := range people {
		table.IDs = append(table.IDs, fmt.Sprintf("n%d", v))
	}
	last := make([]int, people) // for each person, who wrote to them last
	for i := range events {
		u := r.IntN(people)
		v := last[u]
		if v == u || r.IntN(4) == 0 {
			v = (u + 1 + r.IntN(people-1)) % people
		}
		last[v] = u
		table.Ends, table.Time = append(table.Ends, int32(u), int32(v)), append(table.Time, float64(i))
	}
	d, err := links.NewData(table)
	if err != nil {
		t.Fatal(err)
	}
	s, err := links.SplitTime(d, [3]float64{0.7, 0.15, 0.15})
	if err != nil {
		t.Fatal(err)
	}
	return NewNext(d, s, false, 1)
}

// The weights of the negatives of an event add up to the number of its candidates. No negative is
// drawn twice, and all of the last partners are negatives.
func TestNextNegatives(t *testing.T) {
	n := letters(t, 60, 3000)
	r := rand.New(rand.NewPCG(6, 6))
	all := 0
	choose := func(h *links.History, row int32) []weighted {
		p := n.d.Pairs[n.d.Row[row]]
		out := n.negatives(h, row, r)
		all = len(n.active(h, row))
		seen := map[int32]bool{p[0]: true, p[1]: true}
		for _, c := range out {
			if seen[c.node] {
				t.Fatalf("row %d: node %d is drawn twice or is an end of the event", row, c.node)
			}
			seen[c.node] = true
		}
		for _, v := range h.Partners(p[0])[:min(nextLast, len(h.Partners(p[0])))] {
			if !seen[v] {
				t.Fatalf("row %d: partner %d is among the last ones and no negative", row, v)
			}
		}
		return out
	}
	err := n.stream(t.Context(), n.pick(links.Train, 100), choose, func(e *event) error {
		sum := 0.0
		for _, w := range e.weights[1:] {
			sum += float64(w)
		}
		if math.Abs(sum-float64(all)) > 1e-3 {
			t.Errorf("the weights of the negatives add up to %v, want %d candidates", sum, all)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// If people answer the last writer, the trees rank next destinations better than the last partner
// does.
func TestNextAnswers(t *testing.T) {
	r, err := letters(t, 40, 4000).Evaluate(t.Context(), 2)
	if err != nil {
		t.Fatal(err)
	}
	mrr := func(name string) float64 {
		sum := 0.0
		for _, x := range r.Ranks[slices.Index(r.Names, name)] {
			sum += 1 / x
		}
		return sum / float64(len(r.Pairs))
	}
	if trees, last := mrr(NextTrees), mrr("last-partner"); trees < last+0.02 {
		t.Errorf("MRR of trees is %.3f, that of the last partner %.3f", trees, last)
	}
}
