package links

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/ehgnn/ehgnn/internal/lists"
)

// Parts of a split.
const (
	Train int8 = iota
	Valid
	Test
	Parts
)

// PartNames are the names of the parts.
var PartNames = [Parts]string{"train", "valid", "test"}

// Split assigns each pair to a part.
type Split struct {
	Part []int8 // of each pair of Data, or -1
	// Shown says which held-out pairs are in the graph as messages. It is nil unless nodes are
	// split.
	Shown []bool
	// Unseen says which nodes are hidden in training. It is nil unless nodes are split.
	Unseen []bool
	// Cut has the times after which validation and test begin, in a split by time.
	Cut [2]float64
	// RowPart is the part of each row in a split by time, or -1 for a loop or a row without a time.
	RowPart []int8
}

// Of lists the pairs of a part in ascending order, without the shown pairs.
func (s *Split) Of(part int8) []int32 {
	return s.pairsWhere(func(i int, p int8) bool { return p == part && (s.Shown == nil || !s.Shown[i]) })
}

// pairsWhere lists the pairs for which a function of their number and part returns true.
func (s *Split) pairsWhere(is func(i int, part int8) bool) []int32 {
	n := 0
	for i, p := range s.Part {
		if is(i, p) {
			n++
		}
	}
	out := make([]int32, 0, n)
	for i, p := range s.Part {
		if is(i, p) {
			out = append(out, int32(i))
		}
	}
	return out
}

// SplitRandom orders the units by a hash of their ids and the seed and divides them: the first
// floor(f·m) are validation, the next are test. Fractions are those of training, validation and
// test.
func SplitRandom(d *Data, fractions [3]float64, seed uint64) *Split {
	units := d.Units()
	key := make([]uint64, units.N)
	for i, p := range d.Pairs {
		u, v := p[0], p[1]
		if d.IDs[u] > d.IDs[v] {
			u, v = v, u
		}
		key[units.Of(int32(i))] = tie(seed, d.Hash[u], d.Hash[v])
	}
	valid, test := floorShare(fractions[1], units.N), floorShare(fractions[2], units.N)
	first, second := cutAt(key, valid), cutAt(key, valid+test)
	s := &Split{Part: make([]int8, len(d.Pairs))}
	for i := range s.Part {
		if u := int(units.Of(int32(i))); first.above(key, u) {
			s.Part[i] = Valid
		} else if second.above(key, u) {
			s.Part[i] = Test
		}
	}
	return s
}

// cut is a position in the sorted order of keys, before key[of]. Equal keys keep their order.
type cut struct {
	key uint64
	of  int
}

// above reports whether key[i] is before the cut.
func (c cut) above(key []uint64, i int) bool { return key[i] < c.key || key[i] == c.key && i < c.of }

// cutAt returns the cut after the n smallest keys. It counts keys by their first 16 bits, and sorts
// only the keys that share these bits with the cut.
func cutAt(key []uint64, n int) cut {
	if n >= len(key) {
		return cut{math.MaxUint64, len(key)}
	}
	var counts [1 << 16]int
	for _, k := range key {
		counts[k>>48]++
	}
	bits := uint64(0)
	for ; n >= counts[bits]; bits++ {
		n -= counts[bits]
	}
	var near []cut
	for i, k := range key {
		if k>>48 == bits {
			near = append(near, cut{k, i})
		}
	}
	slices.SortStableFunc(near, func(a, b cut) int { return cmp.Compare(a.key, b.key) })
	return near[n]
}

// floorShare returns floor(f·m), with a tolerance for rounding: 0.1 of 30 is 3.
func floorShare(f float64, m int) int { return int(math.Floor(f*float64(m) + 1e-9)) }

// SplitTime splits the rows by time: training has the first ceil(q·m) rows and all other rows of
// the last of their times. A pair is in the part of its first row.
func SplitTime(d *Data, fractions [3]float64) (*Split, error) {
	if d.Time == nil {
		return nil, fmt.Errorf("no column of times, which --split time needs: --time names it")
	}
	rows := d.TimedRows()
	if len(rows) == 0 {
		return nil, fmt.Errorf("no row has a time, which --split time needs")
	}
	first, last := d.Time[rows[0]], d.Time[rows[len(rows)-1]]
	if first == last {
		return nil, fmt.Errorf("all times are equal, so that --split time cannot tell earlier from later rows")
	}
	s := &Split{Part: make([]int8, len(d.Pairs)), RowPart: make([]int8, len(d.Row))}
	for i := range s.Part {
		s.Part[i] = -1
	}
	for r := range s.RowPart {
		s.RowPart[r] = -1
	}
	for c, q := range []float64{fractions[0], fractions[0] + fractions[1]} {
		at := max(1, min(len(rows), int(math.Ceil(q*float64(len(rows))-1e-9))))
		s.Cut[c] = d.Time[rows[at-1]]
	}
	for _, r := range rows {
		part := Test
		if d.Time[r] <= s.Cut[0] {
			part = Train
		} else if d.Time[r] <= s.Cut[1] {
			part = Valid
		}
		s.RowPart[r] = part
		if p := d.Row[r]; s.Part[p] < 0 {
			s.Part[p] = part
		}
	}
	return s, nil
}

// TimedRows returns the rows with a time that are no loops, sorted by time and, for equal times, by
// pair.
func (d *Data) TimedRows() []int32 {
	rows := lists.Where[int32](d.Row, func(r int, p int32) bool { return p >= 0 && !math.IsNaN(d.Time[r]) })
	slices.SortStableFunc(rows, func(a, b int32) int {
		return cmp.Or(cmp.Compare(d.Time[a], d.Time[b]), cmp.Compare(d.Row[a], d.Row[b]))
	})
	return rows
}

// SplitNodes hides a share of the nodes, with all their pairs, from training. It orders the nodes
// by a hash of id and seed and takes validation nodes first. A share of the pairs of hidden nodes
// is shown as messages when the others are scored.
func SplitNodes(d *Data, valid, test, observed float64, seed uint64) *Split {
	order := lists.Range[int32](d.Nodes())
	slices.SortFunc(order, func(a, b int32) int {
		return cmp.Or(cmp.Compare(Mix(Mix(seed)^d.Hash[a]), Mix(Mix(seed)^d.Hash[b])), cmp.Compare(a, b))
	})
	of := make([]int8, d.Nodes())
	n, m := floorShare(valid, d.Nodes()), floorShare(test, d.Nodes())
	for at, v := range order {
		if at < n {
			of[v] = Valid
		} else if at < n+m {
			of[v] = Test
		}
	}
	s := &Split{Part: make([]int8, len(d.Pairs)), Shown: make([]bool, len(d.Pairs)), Unseen: make([]bool, d.Nodes())}
	for v, p := range of {
		s.Unseen[v] = p != Train
	}
	for i, p := range d.Pairs {
		s.Part[i] = max(of[p[0]], of[p[1]])
		lo, hi := p[0], p[1]
		if d.IDs[lo] > d.IDs[hi] {
			lo, hi = hi, lo
		}
		if s.Part[i] != Train {
			shown := stream(tie(seed+1, d.Hash[lo], d.Hash[hi]))
			s.Shown[i] = shown.float() < observed
		}
	}
	return s
}

// SplitColumn takes the parts from a column of the table. Rows of one pair in different parts are
// an error, because the pair would be both trained on and tested.
func SplitColumn(d *Data) (*Split, error) {
	if d.Part == nil {
		return nil, fmt.Errorf("no column of parts, which --split column needs: --part names it")
	}
	s := &Split{Part: make([]int8, len(d.Pairs))}
	for i := range s.Part {
		s.Part[i] = -1
	}
	for r, p := range d.Row {
		if p < 0 || d.Part[r] < 0 {
			continue
		}
		if s.Part[p] >= 0 && s.Part[p] != d.Part[r] {
			return nil, fmt.Errorf("the pair %s has rows in part %s and in part %s, expected all rows of a pair in one part",
				d.Name(p), PartNames[s.Part[p]], PartNames[d.Part[r]])
		}
		s.Part[p] = d.Part[r]
	}
	return s, nil
}

// Name returns a pair as text for messages.
func (d *Data) Name(pair int32) string {
	return fmt.Sprintf("(%q, %q)", d.IDs[d.Pairs[pair][0]], d.IDs[d.Pairs[pair][1]])
}
