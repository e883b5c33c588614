package genetic

import (
	"context"
	"encoding/json"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/ehgnn/ehgnn/internal/generate/surrogate"
)

// known returns members of a pool. Each is of a family with ten common bits and has a bit of its
// own.
func known(families []int, totals []float64) (out []*member) {
	for i, f := range families {
		var bits surrogate.Bits
		for b := range 10 {
			bits = append(bits, uint16(100*f+b))
		}
		out = append(out, &member{Scored: Scored{Total: totals[i], Call: i + 1}, Molecule: surrogate.Molecule{Bits: append(bits, uint16(1000+i))}})
	}
	return out
}

func callsOf(of []*member) (out []int) {
	for _, m := range of {
		out = append(out, m.Call)
	}
	return out
}

func TestRanked(t *testing.T) {
	of := known([]int{0, 0, 0, 0}, []float64{0.5, 0.9, 0.5, 0.7})
	if got := callsOf(ranked(of)); !slices.Equal(got, []int{2, 4, 1, 3}) {
		t.Errorf("%v, expected the higher score first, then the earlier call", got)
	}
	if got := meanBest(ranked(of), 2); got != 0.8 {
		t.Errorf("mean of the best two is %v", got)
	}
}

// A family has two members among the first. The others follow in their order.
func TestFamilies(t *testing.T) {
	of := known([]int{0, 0, 0, 1, 0, 1, 1, 2}, []float64{8, 7, 6, 5, 4, 3, 2, 1})
	if got := callsOf(families(of, 2)); !slices.Equal(got, []int{1, 2, 4, 6, 8, 3, 5, 7}) {
		t.Errorf("%v", got)
	}
}

// The crowd is emptied by a better score. A molecule similar to the crowd counts less, another
// molecule counts in full.
func TestCrowd(t *testing.T) {
	var c crowd
	of := known([]int{0, 1, 2, 0, 1, 0}, []float64{0.4, 0.6, 0.6, 0.6, 0.6, 0.5})
	for _, m := range of {
		c.add(m)
	}
	if c.size != 4 || c.saturated() || !slices.Equal(callsOf(c.distinct), []int{2, 3, 4}) {
		t.Errorf("%d members, distinct %v", c.size, callsOf(c.distinct))
	}
	for range saturated {
		c.add(of[4])
	}
	if !c.saturated() {
		t.Error("many members with the best score are no crowd")
	}
	if got := callsOf(c.first(ranked(of))); !slices.Equal(got, []int{4, 3, 2, 5, 6, 1}) {
		t.Errorf("order of parents %v", got)
	}
	if same, other := c.share(of[1].Bits), c.share(known([]int{9}, []float64{0})[0].Bits); math.Abs(same-0.9) > 1e-6 || other != 1 {
		t.Errorf("a member of the crowd counts %v, another molecule %v", same, other)
	}
}

// Children are chosen by slot first, then by the bounds in turn, each child once.
func TestChoose(t *testing.T) {
	children := make([]child, 6)
	for i := range children {
		children[i].slot = i % 3
	}
	bounds := [][]float64{{1, 2, 3, 4, 5, 6}, {6, 5, 4, 3, 2, 1}}
	order := choose(rand.New(rand.NewPCG(1, 1)), children, bounds, 3)
	if len(order) != 6 {
		t.Fatalf("%d of 6 children", len(order))
	}
	var first []int
	for _, c := range order[:3] {
		first = append(first, c.slot)
	}
	slices.Sort(first)
	if !slices.Equal(first, []int{0, 1, 2}) {
		t.Errorf("slots of the first three are %v, expected one of each", first)
	}
	if got := descending([]float64{1, 3, 3, 2}); !slices.Equal(got, []int{1, 2, 3, 0}) {
		t.Errorf("descending order %v", got)
	}
}

// parted is an objective of two parts with a limit of 1 each.
type parted struct{}

func (parted) Score(context.Context, []string) ([][]float64, error) { return nil, nil }
func (parted) Combine(parts []float64) float64                      { return min(parts[0], 1) + min(parts[1], 1) }
func (parted) Bound(parts []float64) float64                        { return parted{}.Combine(parts) }

// The best members by a part come first. Beyond its limit, members with a higher total come first.
func TestSpecialists(t *testing.T) {
	of := known([]int{0, 1, 2}, []float64{1.2, 1.1, 0.9})
	for i, values := range [][]float64{{0.3, 0.9}, {1.5, 0.1}, {2, 0}} {
		of[i].Values = values
	}
	s := &search{Task: Task{Objective: parted{}}}
	lists := s.specialists(of)
	if len(lists) != 2 || !slices.Equal(callsOf(lists[0]), []int{2, 3, 1}) || !slices.Equal(callsOf(lists[1]), []int{1, 2, 3}) {
		t.Errorf("%v, %v", callsOf(lists[0]), callsOf(lists[1]))
	}
	of[0].Values = []float64{1}
	if s.specialists(of) != nil {
		t.Error("a score of one part has specialists")
	}
}

// Without progress a separate population begins. After it all members are parents again.
func TestWatch(t *testing.T) {
	s := &search{config: Config{Search: GA, Stagnation: 10, Fresh: 2}, Task: Task{Start: make([]string, 50)}, used: 20}
	grow := func(n int, total float64) {
		for _, m := range known(make([]int, n), slices.Repeat([]float64{total}, n)) {
			m.Call = len(s.pool.all) + 1
			s.pool.all = append(s.pool.all, m)
		}
		s.watch()
	}
	grow(20, 0.5)
	grow(9, 0.5)
	if s.begin || s.since > 0 {
		t.Error("a population begins too early")
	}
	grow(1, 0.5)
	if !s.begin || s.since != 30 || len(s.population()) != 0 {
		t.Errorf("begin %v, since %d", s.begin, s.since)
	}
	s.begin = false
	grow(8, 0.1)
	grow(9, 0.2) // progress, although below the others
	if s.since != 30 || len(s.population()) != 17 {
		t.Errorf("since %d, %d members", s.since, len(s.population()))
	}
	grow(1, 0.2)
	grow(10, 0.2)
	if s.since != 0 || s.begin {
		t.Errorf("since %d, expected that all are parents again", s.since)
	}
	s.used = 50
	grow(10, 0.2)
	if s.begin {
		t.Error("a population begins without molecules to begin with")
	}
}

// If the best score is reached, no separate population begins as long as molecules with this score
// are found.
func TestWatchSaturated(t *testing.T) {
	s := &search{config: Config{Search: GA, Stagnation: 10, Fresh: 2}, Task: Task{Start: make([]string, 50)}, used: 20, crowd: crowd{best: 0.5, size: saturated}}
	grow := func(n int) {
		for _, m := range known(make([]int, n), slices.Repeat([]float64{0.5}, n)) {
			m.Call = len(s.pool.all) + 1
			s.pool.all = append(s.pool.all, m)
		}
		s.watch()
	}
	grow(20)
	for range 3 {
		s.crowd.size++ // in the family of another member
		grow(9)
	}
	if s.begin {
		t.Error("a population begins though molecules with the best score are found")
	}
	grow(10)
	if !s.begin {
		t.Error("no population begins after many calls without a molecule with the best score")
	}
}

func FuzzJournal(f *testing.F) {
	good, err := json.Marshal(line{SMILES: []string{"C"}, Values: [][]float64{{1}}})
	if err != nil {
		f.Fatal(err)
	}
	f.Add(string(good) + "\n")
	f.Add("{}\n{\"round\":1}\n")
	f.Add("[")
	f.Fuzz(func(t *testing.T, text string) {
		lines, err := readLines("x", []byte(text))
		for i, l := range lines {
			if err == nil && (l.Round != i || len(l.SMILES) != len(l.Values)) {
				t.Errorf("line %d: %+v", i+1, l)
			}
		}
	})
}
