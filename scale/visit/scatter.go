package visit

import (
	"math"

	"github.com/ehgnn/ehgnn/internal/kernel"
	"github.com/ehgnn/ehgnn/scale/store"
)

// Scatter adds the messages of blocks at the ends of edges. It reuses its memory for the next
// block. The zero value is ready to use.
type Scatter struct {
	// Most is the largest number of nodes in Sums, so that they stay in a cache; 0 for all nodes of
	// a part.
	Most int

	first []int32 // for each node of the block, the position in edge of its seen ends
	edge  []int32
	sums  Sums
}

// Each calls f with the sums of a block for each part that has nodes with seen edges in it, in the
// order of parts and ranks. A Sums is valid until f returns. parts selects parts; nil selects all.
func (s *Scatter) Each(b *store.Block, seen Seen, message []float32, width, shift int, parts func(part int) bool, f func(*Sums) error) error {
	s.sort(b, seen)
	scale := math.Ldexp(1, shift)
	s.sums = Sums{Block: b.Index, Width: width, Rank: s.sums.Rank[:0], Count: s.sums.Count[:0], Value: s.sums.Value[:0]}
	for p := range len(b.PartPtr) - 1 {
		if parts != nil && !parts(p) {
			continue
		}
		s.sums.Part = p
		for place := b.PartPtr[p]; place < b.PartPtr[p+1]; place++ {
			ends := s.edge[s.first[place]:s.first[place+1]]
			if len(ends) == 0 {
				continue
			}
			kernel.AddFixed(s.next(b.Rank[place], len(ends)), message, ends, scale)
			if len(s.sums.Rank) == s.Most {
				if err := s.flush(f); err != nil {
					return err
				}
			}
		}
		if err := s.flush(f); err != nil {
			return err
		}
	}
	return nil
}

// next begins the sum of a node.
func (s *Scatter) next(rank int32, count int) []int64 {
	s.sums.Rank = append(s.sums.Rank, rank)
	s.sums.Count = append(s.sums.Count, int32(count))
	at := len(s.sums.Value)
	if at+s.sums.Width > cap(s.sums.Value) {
		s.sums.Value = append(s.sums.Value, make([]int64, s.sums.Width)...)
	} else {
		s.sums.Value = s.sums.Value[:at+s.sums.Width]
	}
	to := s.sums.Value[at:][:s.sums.Width]
	clear(to)
	return to
}

// flush passes the sums on, if there are any, and begins new ones.
func (s *Scatter) flush(f func(*Sums) error) error {
	if len(s.sums.Rank) == 0 {
		return nil
	}
	err := f(&s.sums)
	s.sums.Rank, s.sums.Count, s.sums.Value = s.sums.Rank[:0], s.sums.Count[:0], s.sums.Value[:0]
	return err
}

// sort lists the seen edges at each node of the block. A self-loop is in its list twice.
func (s *Scatter) sort(b *store.Block, seen Seen) {
	s.first = sized(s.first, b.NumNodes()+2)
	clear(s.first)
	n := int32(0)
	for e := range b.NumEdges() {
		if seen.Has(b, e) {
			s.first[b.Ends[2*e]+2]++
			s.first[b.Ends[2*e+1]+2]++
			n += 2
		}
	}
	for k := 2; k < len(s.first); k++ {
		s.first[k] += s.first[k-1]
	}
	s.edge = sized(s.edge, int(n))
	for e := range b.NumEdges() {
		if !seen.Has(b, e) {
			continue
		}
		for _, place := range b.Ends[2*e : 2*e+2] {
			s.edge[s.first[place+1]] = int32(e)
			s.first[place+1]++
		}
	}
}

// sized returns a slice of n elements. It reuses the memory of x if that is large enough.
func sized[T any](x []T, n int) []T {
	if n > cap(x) {
		return make([]T, n)
	}
	return x[:n]
}
