package tables

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"math"
	"slices"

	"github.com/ehgnn/ehgnn/data"
	"github.com/ehgnn/ehgnn/internal/lists"
	"github.com/ehgnn/ehgnn/internal/rng"
	"github.com/ehgnn/ehgnn/internal/unionfind"
)

// Ways to divide edges.
const (
	ByRandom = "random"
	ByTime   = "time"   // the latest edges are the test part
	ByGroup  = "group"  // all edges of a group are in one part
	ByColumn = "column" // as in Set.Part
)

// SplitOptions say how edges are divided.
type SplitOptions struct {
	By string `json:"by"` // ByRandom if empty
	// Fractions are the shares of the training, validation and test edges; zero for 0.8, 0.1, 0.1.
	// Folds and ByColumn ignore them.
	Fractions [3]float64 `json:"fractions"`
	// Folds is the number of folds, 3 or more, for ByRandom and ByGroup; 0 for none. Fold, from 1, is
	// the test part, the fold before it the validation part, and all others are training.
	Folds int `json:"folds,omitempty"`
	Fold  int `json:"fold,omitempty"`
	// Pairs keeps all edges between two nodes in one part, regardless of features and direction.
	Pairs bool   `json:"pairs"`
	Seed  uint64 `json:"seed"`
}

// Split divides the edges of a set labelled by edge into parts, each in ascending order. The result depends only on the
// set and the options. Edges between the same two nodes that agree in all features and in time are always in the same
// part, because the label of one would reveal that of the other; so are both directions of an undirected edge.
//
// ByRandom and ByGroup give each part, or fold, its share of each class, as far as edges that stay together allow; if
// training would lack a class, an edge of this class is moved there. ByTime cuts between two times, so that edges with
// the same time stay together; with Pairs it is an error, because the edges of a pair have several times. ByColumn
// follows the column, even if it separates such edges. Edges without a label are divided like others.
func (s *Set) Split(o SplitOptions) (*data.Split, error) {
	if s.Level != OfEdges {
		return nil, fmt.Errorf("tables: %s: the labels are of each %s, expected labelled edges to split", s.Name, s.Level)
	}
	if o.Fractions == ([3]float64{}) {
		o.Fractions = [3]float64{0.8, 0.1, 0.1}
	}
	if err := CheckFractions(o.Fractions); err != nil {
		return nil, err
	}
	if o.By == "" {
		o.By = ByRandom
	}
	var parts [3][]int
	var err error
	unit, units := []int32(nil), 0
	if o.By == ByRandom || o.By == ByGroup {
		unit, units = s.together(o)
	}
	switch {
	case o.By == ByTime && o.Pairs:
		err = fmt.Errorf("tables: split %s with --pairs: the edges of a pair have several times, expected %s or %s", o.By, ByRandom, ByGroup)
	case o.By == ByColumn && o.Pairs:
		err = fmt.Errorf("tables: split %s with --pairs: the column says where each edge is, expected %s or %s", o.By, ByRandom, ByGroup)
	case o.Folds != 0 && o.By != ByRandom && o.By != ByGroup:
		err = fmt.Errorf("tables: split %s into folds, expected %s or %s", o.By, ByRandom, ByGroup)
	case o.By == ByTime && s.Time == nil:
		err = fmt.Errorf("tables: %s has no column of times, which split %s needs; --time names one", s.Name, o.By)
	case o.By == ByGroup && s.Group == nil:
		err = fmt.Errorf("tables: %s has no column of groups, which split %s needs; --group names one", s.Name, o.By)
	case o.By == ByColumn && s.Part == nil:
		err = fmt.Errorf("tables: %s has no column of parts, which split %s needs; --part names one", s.Name, o.By)
	case o.By == ByTime:
		parts, err = s.byTime(o.Fractions)
	case o.By == ByColumn:
		parts, err = s.byColumn()
	case o.Folds != 0:
		parts, err = s.folds(o, unit, units)
	case o.By == ByRandom || o.By == ByGroup:
		copy(parts[:], s.deal(o, unitRows(unit, units), o.Fractions[:], "split", "edges", o.By))
	default:
		err = fmt.Errorf("tables: split %q, expected %s, %s, %s or %s", o.By, ByRandom, ByTime, ByGroup, ByColumn)
	}
	if err != nil {
		return nil, err
	}
	if unit != nil && s.Label != nil && !s.Label.Numeric() {
		data.TrainEachClass(s.Label.Code, unit, &parts)
	}
	for p, part := range parts {
		if len(part) == 0 && o.By != ByColumn && (o.Fractions[p] > 0 || o.Folds != 0) {
			return nil, fmt.Errorf("tables: %s: the split by %s leaves the part %s without an edge: there are few edges, or many that stay together, such as those of one pair or group; --part names a column of parts", s.Name, o.By, []string{Train, Valid, Test}[p])
		}
		slices.Sort(part)
	}
	return &data.Split{Name: o.By, Train: parts[0], Valid: parts[1], Test: parts[2]}, nil
}

// CheckFractions returns an error for invalid shares of training, validation and test.
func CheckFractions(f [3]float64) error {
	sum := 0.0
	for _, v := range f {
		if !(v >= 0 && v <= 1) { // also rejects NaN
			return fmt.Errorf("tables: split fractions %v, expected numbers from 0 to 1", f)
		}
		sum += v
	}
	if math.Abs(sum-1) > 1e-6 || f[0] == 0 {
		return fmt.Errorf("tables: split fractions %v sum to %g, expected 1 and some training", f, sum)
	}
	return nil
}

// byTime sorts the edges by time and cuts between different times, as close to the fractions as
// possible.
func (s *Set) byTime(fractions [3]float64) (parts [3][]int, err error) {
	m := s.NumEdges()
	order := make([]int, m)
	for e := range order {
		if order[e] = e; math.IsNaN(s.Time[e]) {
			return parts, fmt.Errorf("tables: %s: edge from %s to %s has no time, which split %s needs", s.Name, s.NodeIDs[s.Ends[2*e]], s.NodeIDs[s.Ends[2*e+1]], ByTime)
		}
	}
	slices.SortFunc(order, func(a, b int) int { return cmp.Or(cmp.Compare(s.Time[a], s.Time[b]), a-b) })
	between := func(i int) bool { return i <= 0 || i >= m || s.Time[order[i-1]] < s.Time[order[i]] }
	cut := func(share float64) int {
		want := int(math.Round(share * float64(m)))
		for d := 0; ; d++ { // nearest cut between two times; m is one
			switch {
			case between(want - d):
				return max(want-d, 0)
			case between(want + d):
				return min(want+d, m)
			}
		}
	}
	a := cut(fractions[0])
	b := max(cut(fractions[0]+fractions[1]), a)
	if fractions[2] == 0 {
		b = m
	}
	if fractions[1] == 0 {
		b = a
		if fractions[2] == 0 {
			a, b = m, m
		}
	}
	return [3][]int{order[:a:a], order[a:b:b], order[b:]}, nil
}

// folds divides the edges into folds of equal size, independent of Fold.
func (s *Set) folds(o SplitOptions, unit []int32, units int) (parts [3][]int, err error) {
	if o.Folds < 3 {
		return parts, fmt.Errorf("tables: split into %d folds, expected 3 or more: one tests, one validates, the others train", o.Folds)
	}
	if n := s.NumEdges(); o.Folds > n {
		return parts, fmt.Errorf("tables: split into %d folds, expected at most %d, the number of edges", o.Folds, n)
	}
	if o.Fold < 1 || o.Fold > o.Folds {
		return parts, fmt.Errorf("tables: fold %d, expected 1 to %d", o.Fold, o.Folds)
	}
	shares := lists.Repeat(1/float64(o.Folds), o.Folds)
	parts[0], parts[1], parts[2] = data.FoldParts(s.deal(o, unitRows(unit, units), shares, "folds", "edges", o.By, o.Folds), o.Fold)
	return parts, nil
}

// deal divides units of edges into parts of given shares at random, with the random stream of some
// names, and balances classes.
func (s *Set) deal(o SplitOptions, units [][]int, shares []float64, stream ...any) [][]int {
	rank := s.rarity()
	class := func(unit []int) int {
		best := 0
		for _, e := range unit {
			best = max(best, rank(e))
		}
		return best
	}
	of := lists.Map(units, class)
	order := rng.Stream(o.Seed, stream...).Perm(len(units))
	slices.SortStableFunc(order, func(a, b int) int { return of[b] - of[a] })
	return data.DealUnits(units, order, shares)
}

// rarity ranks the classes of edges: 0 for none, then 1 for the most frequent, and so on. Edges
// that stay together count for their rarest class.
func (s *Set) rarity() func(e int) int {
	if s.Label == nil || s.Label.Numeric() {
		return func(int) int { return 0 }
	}
	count := s.Label.AllCounts()
	order := lists.Range[int](len(count))
	slices.SortFunc(order, func(a, b int) int {
		return cmp.Or(count[b]-count[a], cmp.Compare(s.Label.Text[a], s.Label.Text[b]))
	})
	rank := lists.Inverse(order, len(order))
	return func(e int) int {
		if c := s.Label.Code[e]; c >= 0 {
			return rank[c] + 1
		}
		return 0
	}
}

// unitRows returns the edges of each of n units, in ascending order.
func unitRows(unit []int32, n int) [][]int {
	units, all := make([][]int, n), make([]int, len(unit))
	size := make([]int, n)
	for _, u := range unit {
		size[u]++
	}
	for u, k := range size {
		units[u], all = all[:0:k], all[k:]
	}
	for e, u := range unit {
		units[u] = append(units[u], e)
	}
	return units
}

// Units numbers the groups of edges that Split keeps together: each edge of the set has the number of its unit.
func (s *Set) Units(o SplitOptions) []int32 {
	of, _ := s.together(o)
	return of
}

// Moments numbers the edges of a set with times: edges of the same time, which a split by time keeps together, have the
// same number. An edge without a time has its own number.
func (s *Set) Moments() []int32 {
	out, of := make([]int32, s.NumEdges()), map[float64]int32{}
	n := int32(0)
	for e, t := range s.Time {
		k, ok := of[t] // never for NaN
		if !ok {
			k = n
			of[t] = n
			n++
		}
		out[e] = k
	}
	return out
}

// Copies numbers the edges of the set: edges from the same node to the same node that agree in all
// features and in time have the same number.
func (s *Set) Copies() []int32 {
	out, first := make([]int32, s.NumEdges()), map[string]int32{}
	var key []byte
	for e := range out {
		key = s.content(s.pairKey(key[:0], e), e)
		if s.Directed && s.Ends[2*e] > s.Ends[2*e+1] {
			key = append(key, 1)
		}
		n, ok := first[string(key)]
		if !ok {
			n = int32(len(first))
			first[string(key)] = n
		}
		out[e] = n
	}
	return out
}

// together renumbers the n units of edges by their first edge.
func (s *Set) together(o SplitOptions) (of []int32, n int) {
	m := s.NumEdges()
	sets := unionfind.New(m)
	pair := s.pairs()
	if o.Pairs {
		for e, f := range pair {
			sets.Union(f, int32(e))
		}
	} else {
		s.joinCopies(sets, pair)
	}
	if o.By == ByGroup {
		of := map[int32]int32{}
		for e, g := range s.Group {
			if g < 0 {
				continue
			}
			if f, ok := of[g]; ok {
				sets.Union(f, int32(e))
			} else {
				of[g] = int32(e)
			}
		}
	}
	return sets.Number()
}

// pairs returns for each edge the first edge between the same two nodes.
func (s *Set) pairs() []int32 {
	out, first := make([]int32, s.NumEdges()), make(map[[2]int32]int32, s.NumEdges())
	for e := range out {
		u, v := s.Ends[2*e], s.Ends[2*e+1]
		key := [2]int32{min(u, v), max(u, v)}
		f, ok := first[key]
		if !ok {
			f = int32(e)
			first[key] = f
		}
		out[e] = f
	}
	return out
}

// joinCopies joins edges between the same two nodes that agree in content. pair is the result of pairs; an edge that is
// the only one between its nodes is not compared.
func (s *Set) joinCopies(sets unionfind.Sets, pair []int32) {
	several := make([]bool, len(pair)) // of the first edge between two nodes
	for e, f := range pair {
		several[f] = several[f] || int(f) != e
	}
	first := map[string]int32{} // first edge between two nodes with some content
	var key []byte
	for e, p := range pair {
		if !several[p] {
			continue
		}
		key = s.content(binary.LittleEndian.AppendUint32(key[:0], uint32(p)), e)
		if f, ok := first[string(key)]; ok {
			sets.Union(f, int32(e))
		} else {
			first[string(key)] = int32(e)
		}
	}
}
